//! Clients: who is the same buyer again, and what is left of one who is deleted.

use serde_json::{Value, json};

use crate::harness::shop::Shop;

pub mod erasure;
mod fields;
mod identity;
mod lists;
mod owners;
mod privacy;

const CLIENTS: &str = "/api/clients";
const CPF: &str = "52998224725";
const OTHER_CPF: &str = "11144477735";
const CNPJ_WITH_LETTERS: &str = "12ABC34501DE35";

async fn listed(shop: &Shop, query: &str) -> Vec<Value> {
    shop.key.list(&format!("{CLIENTS}?{query}")).await
}

async fn total(shop: &Shop) -> Value {
    shop.key.total(CLIENTS).await
}

/// Issues a PIX to a customer; returns the id of the matched client.
async fn payer(shop: &Shop, customer: Value) -> Value {
    let charge = shop.try_charge(json!({ "amountCents": 1_000, "customer": customer })).await;
    charge.expect(201)["transaction"]["customer"]["id"].clone()
}
