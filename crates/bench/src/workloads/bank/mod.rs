//! W12: real money by a connection with a bank, which is a fake in a process of its own, over TLS
//! with a client certificate.
//!
//! Each part starts with an empty database and a bank of its own.

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::shop::AMOUNT_CENTS;

mod hanging;
mod issue;
mod notices;

#[derive(Deserialize)]
struct Created {
    transaction: Transaction,
}

#[derive(Deserialize)]
struct Transaction {
    pix: Pix,
}

#[derive(Deserialize)]
struct Pix {
    txid: String,
}

/// Prints W12.
pub async fn run(bench: &Bench) -> Result<()> {
    issue::run(bench).await?;
    notices::run(bench).await?;
    hanging::run(bench).await
}

/// The request for a PIX charge, in the mode of a key.
fn new_charge(key: &str) -> Request {
    let customer =
        json!({ "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" });
    let body = json!({ "method": "PIX", "amountCents": AMOUNT_CENTS, "customer": customer });
    Request::post("/api/v1/transactions", &[("api-key", key)], body.to_string().as_bytes())
}

/// Makes a charge; returns its txid.
async fn charge(connection: &mut Connection, request: &Request) -> Result<String> {
    let created: Created = connection.send(request).await?.expect(201)?.json()?;
    Ok(created.transaction.pix.txid)
}
