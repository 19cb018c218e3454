//! Withdrawals: money leaves once, and whether it has left is never guessed.

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

pub mod bank;
mod caps;
mod crashes;
mod idempotency;
mod lists;
mod new_keys;
mod processing;
mod receipts;
mod requests;
mod risk;

const PATH: &str = "/api/withdraws";
/// A key that the sandbox bank pays without ado.
pub const GOOD: &str = "ana@example.com";

/// Asks for a withdrawal, with other fields beside the usual ones.
async fn try_withdraw(client: &Client, more: Value) -> Reply {
    let usual = json!({ "amountCents": 1_000, "pixKey": GOOD, "pixKeyType": "email" });
    client.post(PATH, merged(usual, &more)).await
}

/// Requests a withdrawal to an email address; answers it.
pub async fn withdraw(shop: &Shop, cents: i64, key: &str) -> Value {
    let reply = try_withdraw(&shop.key, json!({ "amountCents": cents, "pixKey": key })).await;
    reply.expect(201)["data"].clone()
}

/// Requests a withdrawal and lets it go to the bank.
pub async fn send(test: &TestApp, shop: &Shop, key: &str) -> Value {
    let withdrawal = withdraw(shop, 1_000, key).await;
    process(&test.admin().await, &withdrawal, json!({})).await.expect(200);
    test.run_jobs().await;
    withdrawal
}

/// Has an administrator decide.
pub async fn process(admin: &Client, withdrawal: &Value, body: Value) -> Reply {
    admin.post(&path(withdrawal, "/process"), body).await
}

/// A withdrawal as it now is.
pub async fn read(shop: &Shop, withdrawal: &Value) -> Value {
    shop.key.get(&path(withdrawal, "")).await.expect(200)["data"].clone()
}

/// A withdrawal's status, and why it failed if it has.
async fn ended(shop: &Shop, withdrawal: &Value) -> String {
    let now = read(shop, withdrawal).await;
    let reason = now["failureReason"].as_str().unwrap_or_default();
    format!("{} {reason}", now["status"].as_str().expect("has one")).trim_end().to_owned()
}

fn path(withdrawal: &Value, what: &str) -> String {
    format!("{PATH}/{}{what}", id(withdrawal))
}

/// How often the sandbox bank was sent the order.
async fn orders(test: &TestApp, withdrawal: &Value) -> String {
    let reference = id(withdrawal).replace('-', "");
    let sql = format!(
        "select cast(coalesce(sum(orders), 0) as text) from sandbox_payouts
          where reference = '{reference}'"
    );
    Engine::open(test).await.rows(&sql).await[0][0].clone()
}

/// What the merchant can withdraw, what is on its way, and what the platform earned.
async fn held(test: &TestApp, shop: &Shop) -> (i64, i64, i64) {
    let sql = "select cast(code as text), cast(balance_cents as text) from ledger_accounts
                where code in (2300, 4000)";
    let rows = Engine::open(test).await.rows(sql).await;
    let of = |code: &str| {
        let found = rows.iter().filter(|row| row[0] == code);
        found.map(|row| row[1].parse::<i64>().expect("is a number")).sum()
    };
    (shop.available().await, of("2300"), of("4000"))
}
