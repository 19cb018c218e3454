//! Buyers with their token, strangers with theirs, and what starting over leaves.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{by_card, by_card_with, plan, read, somebody};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};
use crate::sandbox::token_that;

#[story::test]
async fn a_buyer_manages_their_own_subscription_with_its_token(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let mine = by_card(test, &plan, Scenario::Approves).await;
    let other = by_card_with(test, &plan, Scenario::Approves, somebody("Bia")).await;
    let other = other.expect(201)["data"].clone();
    let token = mine["manageToken"].as_str().expect("is text");
    let path = |data: &Value, action: &str| {
        format!("/api/subscriptions/{}/{action}", id(&data["subscription"]))
    };
    let buyer = test.anyone().with("x-manage-token", token);
    buyer.post(&path(&mine, "pause"), json!({})).await.expect(200);
    let in_body = json!({ "manageToken": token });
    test.anyone().post(&path(&mine, "resume"), in_body.clone()).await.expect(200);
    let card = json!({ "cardToken": token_that(test, Scenario::Approves).await });
    buyer.put(&path(&mine, "card"), card).await.expect(200);
    for action in ["pause", "resume", "cancel"] {
        let refused = buyer.post(&path(&other, action), json!({})).await;
        refused.expect_refusal(401, "UNAUTHORIZED");
        let refused = test.anyone().post(&path(&mine, action), json!({})).await;
        refused.expect_refusal(401, "UNAUTHORIZED");
    }
    for action in ["retry", "reactivate"] {
        buyer.post(&path(&mine, action), json!({})).await.expect_refusal(401, "UNAUTHORIZED");
    }
    test.anyone().post(&path(&mine, "cancel"), in_body).await.expect(200);
    assert_eq!(read(&shop, &mine["subscription"]).await["status"], "CANCELLED");
    assert_eq!(read(&shop, &other["subscription"]).await["status"], "ACTIVE");
}

#[story::test]
async fn a_buyers_idempotency_key_is_no_other_buyers_and_not_the_merchants(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let mine = by_card(test, &plan, Scenario::Approves).await;
    let other = by_card_with(test, &plan, Scenario::Approves, somebody("Bia")).await;
    let other = other.expect(201)["data"].clone();
    let merchants = by_card_with(test, &plan, Scenario::Approves, somebody("Caio")).await;
    let merchants = merchants.expect(201)["data"].clone();
    for action in ["pause", "resume", "cancel"] {
        let act = async |client: Client, data: &Value| {
            let path = format!("/api/subscriptions/{}/{action}", id(&data["subscription"]));
            let client = client.with("idempotency-key", "the same key");
            let done = client.post(&path, json!({})).await;
            done.expect(200);
            done.header("idempotency-replayed").is_some()
        };
        let buyer = |data: &Value| {
            let token = data["manageToken"].as_str().expect("is text");
            test.anyone().with("x-manage-token", token)
        };
        assert!(!act(buyer(&mine), &mine).await);
        assert!(!act(shop.key.clone(), &merchants).await);
        assert!(!act(buyer(&other), &other).await);
        assert!(act(buyer(&mine), &mine).await);
        assert!(act(shop.key.clone(), &merchants).await);
    }
}

#[story::test]
async fn subscriptions_are_found_by_what_is_known_of_them(test: &TestApp, shop: Shop) {
    let (one, two) = (plan(&shop, json!({})).await, plan(&shop, json!({ "name": "Chá" })).await);
    let first = by_card(test, &one, Scenario::Approves).await["subscription"].clone();
    by_card(test, &two, Scenario::Approves).await;
    let table = [
        (String::new(), 2),
        (format!("?planId={}", id(&one)), 1),
        (format!("?clientId={}", first["clientId"].as_str().expect("is text")), 2),
        ("?q=CH%C3%81".to_owned(), 1),
    ];
    for (query, count) in table {
        let listed = shop.key.get(&format!("/api/subscriptions{query}")).await.expect(200);
        assert_eq!(listed["pagination"]["total"], count, "{query}");
        assert_eq!(listed["data"].as_array().map(Vec::len), Some(count), "{query}");
    }
}

#[story::test]
async fn a_reset_deletes_subscriptions(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    by_card(test, &plan, Scenario::Approves).await;
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    for path in ["/api/subscriptions", "/api/subscriptions/plans"] {
        assert_eq!(shop.key.get(path).await.expect(200)["pagination"]["total"], 0);
    }
    let metrics = shop.key.get("/api/subscriptions/metrics").await.expect(200);
    assert_eq!(
        (&metrics["data"]["mrrCents"], &metrics["data"]["newMrrCents"]),
        (&json!(0), &json!(0))
    );
}
