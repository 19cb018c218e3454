//! Inviting other merchants, and what their sales bring.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, merged};

mod farming;
mod invitations;
mod lists;
mod rewards;
mod taken_back;

const DAY: Duration = Duration::from_hours(24);
/// How long a reward of a PIX is held: as long as that can go back.
pub const HELD: Duration = Duration::from_secs(90 * 24 * 3_600 + 1);

/// A merchant's invite code.
pub async fn code(shop: &Shop) -> String {
    let reply = shop.key.get("/api/referral/code").await.expect(200);
    reply["code"].as_str().expect("has one").to_owned()
}

/// A merchant who opens an account with a code.
pub async fn invited(test: &TestApp, name: &str, code: &str) -> Shop {
    register(test, name, json!({ "inviteCode": code })).await.expect(201);
    test.shop_again(name).await
}

/// Opens an account with more fields than it takes.
async fn register(test: &TestApp, name: &str, more: Value) -> Reply {
    let email = format!("{}@example.com", name.to_lowercase().replace(' ', "."));
    let account = json!({ "name": name, "email": email, "password": PASSWORD });
    test.anyone().post("/api/auth/register", merged(account, &more)).await
}

async fn stats(shop: &Shop) -> Value {
    shop.key.get("/api/referral/stats").await.expect(200)
}

/// Some numbers of the statistics.
async fn numbers<const N: usize>(shop: &Shop, names: [&str; N]) -> [i64; N] {
    let stats = stats(shop).await;
    names.map(|name| stats[name].as_i64().unwrap_or_else(|| panic!("{name}: {stats}")))
}

/// What can be withdrawn of rewards.
async fn released(shop: &Shop) -> i64 {
    numbers(shop, ["availableBalanceCents"]).await[0]
}

async fn history(shop: &Shop, query: &str) -> Value {
    shop.key.get(&format!("/api/referral/history{query}")).await.expect(200)
}

/// How the only referral stands, and what it earned.
async fn only(shop: &Shop) -> (String, i64) {
    let history = history(shop, "").await;
    assert_eq!(history["pagination"]["total"], 1, "{history}");
    let referral = &history["referrals"][0];
    let status = referral["status"].as_str().expect("is one").to_owned();
    (status, referral["commissionCents"].as_i64().expect("is a number"))
}

async fn withdraw(shop: &Shop, cents: i64) -> Reply {
    shop.key.post("/api/referral/withdraw", json!({ "amountCents": cents })).await
}

/// Gives some of a payment back.
async fn give_back(test: &TestApp, shop: &Shop, sale: &Value, cents: i64) {
    let path = format!("/api/v1/transactions/{}/refund", sale["id"].as_str().expect("has one"));
    let refund = json!({ "amountCents": cents, "reason": "Devolvido." });
    shop.key.post(&path, refund).await.expect(201);
    test.run_jobs().await;
}

/// Lets time pass, with what happens in it.
async fn wait(test: &TestApp, span: Duration) {
    test.run_jobs_after(span).await;
}
