//! Refunds: what goes back, how, and what is left afterwards.

mod crashes;
mod crowds;
mod oversold;
mod payees;
mod rails;
mod requests;
mod sums;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

/// Asks for a refund, with other fields beside a reason.
pub async fn try_refund(shop: &Shop, charge: &Value, more: Value) -> Reply {
    let path = format!("/api/v1/transactions/{}/refund", id(charge));
    shop.key.post(&path, merged(json!({ "reason": "Veio com um risco." }), &more)).await
}

/// Asks for a refund; answers it.
pub async fn refund(shop: &Shop, charge: &Value, more: Value) -> Value {
    try_refund(shop, charge, more).await.expect(201)["refund"].clone()
}

/// A payment's refunds, oldest first.
pub async fn refunds(shop: &Shop, charge: &Value) -> Vec<Value> {
    let path = format!("/api/v1/transactions/{}/refunds", id(charge));
    shop.key.list(&path).await
}

/// How the refunds of a payment stand, oldest first.
pub async fn refund_statuses(shop: &Shop, charge: &Value) -> Vec<String> {
    let word = |refund: &Value| {
        let reason = refund["failureReason"].as_str().unwrap_or_default();
        format!("{} {reason}", refund["status"].as_str().expect("has one")).trim_end().to_owned()
    };
    refunds(shop, charge).await.iter().map(word).collect()
}

/// What an account of everybody's holds, by its number in the chart.
pub async fn held(test: &TestApp, code: i64) -> i64 {
    let sql = format!(
        "select cast(coalesce(sum(balance_cents), 0) as text)
           from ledger_accounts
          where code = {code}"
    );
    Engine::open(test).await.rows(&sql).await[0][0].parse().expect("is a number")
}

/// What the sandbox has given back or paid out, in cents, by how many orders.
pub async fn left_the_bank(test: &TestApp) -> (i64, i64) {
    let sql = "select cast(coalesce(sum(cents), 0) as text), cast(coalesce(sum(orders), 0) as text)
                 from (select amount_cents as cents, 1 as orders
                         from sandbox_refunds where refused_reason is null
                        union all
                       select amount_cents * orders, orders from sandbox_payouts) as given";
    let row = Engine::open(test).await.rows(sql).await.remove(0);
    let number = |text: &str| text.parse::<i64>().expect("is a number");
    (number(&row[0]), number(&row[1]))
}
