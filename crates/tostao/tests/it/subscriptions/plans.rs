//! Plans: made, changed, shown to buyers, and full.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{act, active, done, plan, somebody, subscribe};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

const PLANS: &str = "/api/subscriptions/plans";

#[story::test]
async fn a_plan_is_made_listed_changed_and_retired(shop: Shop) {
    let wanted = json!({
        "trialDays": 7, "maxSubscribers": 10, "description": "Café em casa.",
        "retryPolicy": { "maxRetry": 3, "retryEvery": 5 },
    });
    let made = plan(&shop, wanted).await;
    assert_eq!(made["currency"], "BRL");
    assert_eq!((&made["active"], &made["subscribers"]), (&json!(true), &json!(0)));
    let path = format!("{PLANS}/{}", id(&made));
    assert_eq!(shop.key.get(&path).await.expect(200)["data"], made);
    let listed = shop.key.get(&format!("{PLANS}?q=caf%C3%89")).await.expect(200);
    assert_eq!(listed["data"], json!([made]));
    assert_eq!(listed["pagination"]["total"], 1);
    let change = json!({ "amountCents": 3_500, "description": null, "retryPolicy": null });
    let changed = shop.key.patch(&path, change).await.expect(200)["data"].clone();
    assert_eq!(changed["amountCents"], 3_500);
    assert_eq!((&changed["description"], &changed["retryPolicy"]), (&Value::Null, &Value::Null));
    let retired = shop.key.delete(&path).await.expect(200);
    assert_eq!(retired["data"]["active"], false);
    let inactive = shop.key.get(&format!("{PLANS}?active=true")).await.expect(200);
    assert_eq!(inactive["data"], json!([]));
}

#[story::test]
async fn every_wrong_field_of_a_plan_is_named(shop: Shop) {
    let wrong = json!({
        "name": " ", "amountCents": 499, "interval": "MONTHLY", "trialDays": -1,
        "maxSubscribers": 0, "retryPolicy": { "maxRetry": 11, "retryEvery": 0 },
    });
    let refused = shop.key.post(PLANS, wrong).await;
    let fields = [
        "name",
        "amountCents",
        "trialDays",
        "maxSubscribers",
        "retryPolicy.maxRetry",
        "retryPolicy.retryEvery",
    ];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), fields);
    let unknown = "00000000-0000-7000-8000-000000000001";
    let unknown = json!({
        "name": "Clube", "amountCents": 500, "interval": "ANNUAL", "productId": unknown,
    });
    let refused = shop.key.post(PLANS, unknown).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["productId"]);
    let weekly = json!({ "name": "Clube", "amountCents": 500, "interval": "WEEKLY" });
    shop.key.post(PLANS, weekly).await.expect_refusal(400, "VALIDATION_ERROR");
}

#[story::test]
async fn a_buyer_sees_a_plan_until_it_is_retired(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({ "maxSubscribers": 1, "trialDays": 3 })).await;
    let path = format!("/api/subscriptions/public/{}", id(&made));
    let shown = test.anyone().get(&path).await.expect(200)["data"].clone();
    assert_eq!(
        shown,
        json!({
            "id": made["id"], "url": made["url"], "name": "Clube", "description": null,
            "amountCents": 3_000,
            "currency": "BRL", "interval": "MONTHLY", "trialDays": 3, "available": true,
            "merchant": { "name": "Loja" }, "devMode": true,
        })
    );
    subscribe(test, &made, json!({})).await.expect(201);
    assert_eq!(test.anyone().get(&path).await.expect(200)["data"]["available"], false);
    shop.key.delete(&format!("{PLANS}/{}", id(&made))).await.expect(200);
    test.anyone().get(&path).await.expect_refusal(404, "NOT_FOUND");
    subscribe(test, &made, json!({})).await.expect_refusal(409, "PLAN_INACTIVE");
}

#[story::test]
async fn a_new_price_is_for_new_subscribers(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({})).await;
    let old = subscribe(test, &made, json!({})).await.expect(201);
    let path = format!("{PLANS}/{}", id(&made));
    shop.key.patch(&path, json!({ "amountCents": 4_000 })).await.expect(200);
    let new = subscribe(test, &made, json!({})).await.expect(201);
    assert_eq!(super::read(&shop, &old["data"]["subscription"]).await["amountCents"], 3_000);
    assert_eq!(new["data"]["subscription"]["amountCents"], 4_000);
    assert_eq!(new["data"]["transaction"]["amount"], 4_000);
}

#[story::test]
async fn sixty_four_buyers_at_once_share_one_seat(test: &TestApp, shop: Shop) {
    let made = plan(&shop, json!({ "maxSubscribers": 1 })).await;
    let buyers = (0..64).map(|number| {
        let customer = json!({ "name": "Ana", "email": format!("ana{number}@example.com") });
        subscribe(test, &made, json!({ "customer": customer }))
    });
    let replies = join_all(buyers).await;
    let subscribed = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(subscribed, 1);
    for refused in replies.iter().filter(|reply| reply.status != 201) {
        refused.expect_refusal(409, "PLAN_FULL");
    }
    let seen = shop.key.get(&format!("{PLANS}/{}", id(&made))).await.expect(200);
    assert_eq!(seen["data"]["subscribers"], 1);
}

#[story::test]
async fn a_plan_that_is_full_or_retired_takes_no_subscriber_of_another_plan(
    test: &TestApp,
    shop: Shop,
) {
    let subscription = active(test, &shop).await;
    let full = plan(&shop, json!({ "maxSubscribers": 1 })).await;
    subscribe(test, &full, somebody("Bia")).await.expect(201);
    let retired = plan(&shop, json!({})).await;
    shop.key.delete(&format!("{PLANS}/{}", id(&retired))).await.expect(200);
    for (plan, code) in [(&full, "PLAN_FULL"), (&retired, "PLAN_INACTIVE")] {
        let wanted = json!({ "planId": id(plan) });
        act(&shop, &subscription, "change-plan", wanted).await.expect_refusal(409, code);
    }
}

#[story::test]
async fn a_seat_is_free_again_when_its_subscription_ends_and_never_taken_away(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let made = plan(&shop, json!({ "maxSubscribers": 2, "trialDays": 5 })).await;
    let first = subscribe(test, &made, json!({})).await.expect(201)["data"].clone();
    let other = json!({ "customer": { "name": "Bia", "email": "bia@example.com" } });
    subscribe(test, &made, other.clone()).await.expect(201);
    let path = format!("{PLANS}/{}", id(&made));
    let refused = shop.key.patch(&path, json!({ "maxSubscribers": 1 })).await;
    refused.expect_refusal(409, "PLAN_FULL");
    subscribe(test, &made, other).await.expect_refusal(409, "PLAN_FULL");
    done(&shop, &first["subscription"], "cancel", json!({})).await;
    subscribe(test, &made, somebody("Carla")).await.expect(201);
    let again = act(&shop, &first["subscription"], "cancel", json!({})).await;
    again.expect_refusal(409, "INVALID_STATE_TRANSITION");
}
