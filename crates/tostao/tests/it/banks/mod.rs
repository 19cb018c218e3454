//! The endpoints where banks report money: what they return, and what becomes of the money.

mod doors;
mod entries;
mod returns;
mod unknown;

use db::time::Timestamp;
use http::Method;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, Covers};
use rails::pix::PixConfirmation;
use sandbox::bank::SandboxBank;
use serde_json::Value;

use crate::harness::TestApp;
use crate::harness::reply::Reply;

/// The txid of a charge.
pub fn txid(charge: &Value) -> &str {
    charge["pix"]["txid"].as_str().expect("has one")
}

/// A payment of a PIX code; its number distinguishes it from other payments.
pub fn pix(txid: &str, number: u8, cents: i64, paid_at: Timestamp) -> PixConfirmation {
    // A letter distinguishes 32 numbers.
    let mut random = [number; 11];
    random[0] = number / 32;
    PixConfirmation {
        txid: txid.to_owned(),
        end_to_end_id: SandboxBank::end_to_end_id(paid_at, random),
        amount: Cents::new(cents),
        paid_at,
    }
}

/// A payment of 300 by the barcode of a boleto, by the bank's number of it.
pub fn boleto_payment(test: &TestApp, our_number: &str, payment_id: &str) -> BoletoConfirmation {
    BoletoConfirmation {
        bank_code: our_number.into(),
        reference: "order1".into(),
        payment_id: payment_id.into(),
        amount: Cents::new(300),
        paid_at: test.app.now(),
        covers: Covers::Payment,
    }
}

/// Has the sandbox bank report PIX payments.
pub async fn confirm_pix(test: &TestApp, receipts: Vec<PixConfirmation>) -> Reply {
    let (headers, body) = test.app.providers.sandbox().confirmation(&receipts);
    let signature = headers["x-sandbox-signature"].to_str().expect("is text");
    let body = String::from_utf8(body.to_vec()).expect("is text");
    confirm(test, "pix", signature, body).await
}

/// Has the sandbox bank report boletos that were paid by their barcodes.
pub async fn confirm_boletos(test: &TestApp, receipts: Vec<BoletoConfirmation>) -> Reply {
    let (headers, body) = test.app.providers.sandbox().boleto_confirmation(&receipts);
    let signature = headers["x-sandbox-signature"].to_str().expect("is text");
    let body = String::from_utf8(body.to_vec()).expect("is text");
    confirm(test, "boleto", signature, body).await
}

/// Sends a message to a door of the sandbox bank.
pub async fn confirm(test: &TestApp, door: &str, signature: &str, body: String) -> Reply {
    let bank = test.anyone().with("x-sandbox-signature", signature);
    let door = format!("/providers/sandbox/{door}");
    bank.send(Method::POST, &door, Some("application/json"), body).await
}
