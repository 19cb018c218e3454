//! Advances: receivables paid out before their day, and what comes back of them.

mod commissions;
mod decisions;
mod lists;
mod losses;
mod receivables;
mod requests;
mod settling;

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::methods::balance;
use crate::refunds::held;
use crate::sandbox::sell_by_card;

const PATH: &str = "/api/advances";
/// What the platform has out, in the chart.
const ADVANCED: i64 = 1100;

/// Sells by card in so many installments; answers the payment.
pub async fn sell(test: &TestApp, shop: &Shop, cents: i64, installments: i64) -> Value {
    sell_by_card(test, shop, Scenario::Approves, cents, installments).await
}

/// Asks for an advance thrice: cancels it, is rejected, and has it until all of it is repaid.
pub async fn live_with_an_advance(test: &TestApp, shop: &Shop) {
    sell(test, shop, 10_000, 2).await;
    let wanted = json!({ "amountCents": 6_000, "reason": "Estoque de Natal." });
    for deed in ["cancel", "reject", "approve"] {
        let advance = shop.key.post(PATH, wanted.clone()).await.expect(201);
        let path = format!("{PATH}/{}/{deed}", id(&advance["data"]));
        let admin = test.admin().await;
        let who = if deed == "cancel" { &shop.key } else { &admin };
        who.post(&path, json!({ "reason": "Conta nova." })).await.expect(200);
    }
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_hours(62 * 24)).await;
}

/// Asks for an advance, with other fields beside the amount.
async fn try_request(client: &Client, cents: i64, more: Value) -> Reply {
    client.post(PATH, merged(json!({ "amountCents": cents }), &more)).await
}

/// Asks for an advance; answers it.
pub async fn request(shop: &Shop, cents: i64) -> Value {
    try_request(&shop.key, cents, json!({})).await.expect(201)["data"].clone()
}

async fn try_simulate(shop: &Shop, cents: i64) -> Reply {
    shop.key.post(&format!("{PATH}/simulate"), json!({ "amountCents": cents })).await
}

/// What can be advanced, and how much of it.
async fn available(shop: &Shop) -> (i64, i64) {
    let limit = shop.key.get(&format!("{PATH}/available")).await.expect(200)["data"].clone();
    let cents = |name: &str| limit[name].as_i64().expect("is a number");
    (cents("eligibleCents"), cents("maxAdvanceCents"))
}

/// Has an administrator decide.
async fn decide(test: &TestApp, advance: &Value, deed: &str) -> Reply {
    test.admin().await.post(&path(advance, deed), json!({})).await
}

/// Asks for an advance and has it approved; answers it.
pub async fn approved(test: &TestApp, shop: &Shop, cents: i64) -> Value {
    let advance = request(shop, cents).await;
    decide(test, &advance, "approve").await.expect(200)["data"].clone()
}

/// An advance as it now is.
async fn read(shop: &Shop, advance: &Value) -> Value {
    shop.key.get(&format!("{PATH}/{}", id(advance))).await.expect(200)["data"].clone()
}

/// What an advance was paid out on: installment, amount, days and fee of each.
fn slices(advance: &Value) -> Vec<[i64; 4]> {
    let slices = advance["receivables"].as_array().expect("is a list").iter();
    let names = ["installment", "amountCents", "days", "feeCents"];
    slices.map(|slice| names.map(|name| slice[name].as_i64().expect("is a number"))).collect()
}

/// Where an advance stands, what is to come back, and what the balance gave back.
pub async fn stands(shop: &Shop, advance: &Value) -> (String, i64, i64) {
    let now = read(shop, advance).await;
    let cents = |name: &str| now[name].as_i64().expect("is a number");
    let status = now["status"].as_str().expect("has one").to_owned();
    (status, cents("outstandingCents"), cents("debitedCents"))
}

/// What is available, what is pending, and what the platform has out.
pub async fn books(test: &TestApp, shop: &Shop) -> [i64; 3] {
    let (available, pending) = balance(shop).await;
    let cents = |value: Value| value.as_i64().expect("is a number");
    [cents(available), cents(pending), held(test, ADVANCED).await]
}

/// Takes all that is available out of reach, as who means to keep it does.
async fn withdraw_all(shop: &Shop) {
    shop.withdraw(shop.available().await).await;
}

pub fn path(advance: &Value, deed: &str) -> String {
    format!("{PATH}/{}/{deed}", id(advance))
}
