//! A key that somebody makes withdraws no real money for a day, in which its owner reads of it.

use std::time::Duration;

use serde_json::json;

use super::try_withdraw;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};

const DAY: Duration = Duration::from_hours(24);
const MOMENT: Duration = Duration::from_millis(1);
const MAY: [&str; 1] = ["withdrawals:write"];

/// Whether a caller may withdraw real money, which no bank of this server pays out.
async fn may_withdraw(caller: &Client) -> bool {
    let refused = try_withdraw(caller, json!({})).await;
    if refused.status == 403 {
        refused.expect_refusal(403, "API_KEY_TOO_NEW");
        return false;
    }
    refused.expect_refusal(503, "UNAVAILABLE");
    true
}

#[story::test]
async fn a_key_of_production_withdraws_a_day_after_it_was_made(test: &TestApp, shop: Shop) {
    let first = shop.key_for("production", &MAY).await;
    assert!(may_withdraw(&first).await, "the keys of the first day are those of a new account");
    test.pass(DAY);
    let shop = test.shop_again("Loja").await;
    let second = shop.key_for("production", &MAY).await;
    assert!(!may_withdraw(&second).await);
    assert!(may_withdraw(&first).await && may_withdraw(&shop.owner).await);
    test.pass(DAY.saturating_sub(MOMENT));
    assert!(!may_withdraw(&second).await);
    test.pass(MOMENT);
    assert!(may_withdraw(&second).await);
}

#[story::test]
async fn a_rotated_key_waits_while_the_earlier_one_withdraws(test: &TestApp, shop: Shop) {
    let wanted = json!({ "name": "a", "environment": "production", "permissions": MAY });
    let made = shop.owner.post("/api/credentials", wanted).await.expect(201)["data"].clone();
    let earlier = test.anyone().with("api-key", made["key"].as_str().expect("is shown"));
    test.pass(DAY);
    let shop = test.shop_again("Loja").await;
    let grace = json!({ "gracePeriodSeconds": 172_800 });
    let rotate = format!("/api/credentials/{}/rotate", id(&made));
    let rotated = shop.owner.post(&rotate, grace).await.expect(200)["data"].clone();
    let later = test.anyone().with("api-key", rotated["key"].as_str().expect("is shown"));
    assert!(may_withdraw(&earlier).await && !may_withdraw(&later).await);
    test.pass(DAY);
    assert!(may_withdraw(&later).await);
}

#[story::test]
async fn a_new_key_of_development_withdraws_at_once(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    test.pass(DAY);
    let shop = test.shop_again("Loja").await;
    let key = shop.key_for("development", &MAY).await;
    try_withdraw(&key, json!({})).await.expect(201);
}

#[story::test]
async fn a_new_key_does_everything_else_at_once(test: &TestApp, shop: Shop) {
    drop(shop);
    test.pass(DAY);
    let shop = test.shop_again("Loja").await;
    let key = shop.key_for("production", &["withdrawals:read", "products:write"]).await;
    key.get("/api/withdraws/balance").await.expect(200);
    key.post("/api/v1/products", json!({ "name": "Caneca", "price": 100 })).await.expect(201);
}
