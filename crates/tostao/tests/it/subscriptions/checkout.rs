//! Subscribing: by card, by PIX, with a trial, with a coupon, twice.

use std::time::Duration;

use futures_util::future::join_all;
use rails::card::DeclineCode;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{
    DAY, amounts, by_card, by_card_with, coupon, days, done, emitted, payments, plan, read,
    somebody, subscribe,
};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::sandbox::token_that;

const DOCUMENT: &str = "529.982.247-25";

fn buyer(email: &str) -> Value {
    json!({ "customer": { "name": "Ana", "email": email, "document": DOCUMENT } })
}

#[story::test]
async fn a_card_pays_the_first_period_at_once(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let made = by_card_with(test, &plan, Scenario::Approves, buyer("ana@example.com")).await;
    let made = made.expect(201)["data"].clone();
    let subscription = &made["subscription"];
    assert_eq!(subscription["status"], "ACTIVE");
    assert_eq!(subscription["currentPeriodStart"], "2026-11-21T12:00:00.000Z");
    assert_eq!(subscription["currentPeriodEnd"], "2026-12-21T12:00:00.000Z");
    assert_eq!(subscription["nextBillingAt"], "2026-12-21T12:00:00.000Z");
    assert_eq!(subscription["customer"]["taxId"], "529.***.***-**");
    let card = json!({ "brand": "visa", "last4": "4242", "expMonth": 12, "expYear": 2030 });
    assert_eq!(subscription["card"]["last4"], card["last4"]);
    assert_eq!(made["transaction"]["status"], "PAID");
    let paid = shop.transaction(&made["transaction"]).await;
    assert_eq!(paid["subscriptionId"], subscription["id"]);
    assert_eq!(paid["description"], "Clube");
    assert_eq!(emitted(&shop).await, ["created", "activated"]);
    assert_eq!(read(&shop, subscription).await, *subscription);
}

#[story::test]
async fn a_declined_card_leaves_no_subscriber(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "maxSubscribers": 1 })).await;
    let declines = Scenario::Declines(DeclineCode::InsufficientFunds);
    // Its issuer says no before anything is written down, or when the first period is charged.
    let at_once = by_card_with(test, &plan, declines, json!({})).await;
    let body = at_once.expect(402);
    assert_eq!(
        (&body["code"], &body["declineCode"]),
        (&json!("CARD_DECLINED"), &json!("insufficient_funds"))
    );
    assert!(payments(&shop).await.is_empty());
    let charged = by_card_with(test, &plan, Scenario::DeclinesOnceKept, json!({})).await;
    assert_eq!(charged.expect(402)["declineCode"], "card_declined");
    assert_eq!(payments(&shop).await, ["FAILED"]);
    assert_eq!(emitted(&shop).await, ["created", "expired"]);
    by_card(test, &plan, Scenario::Approves).await;
}

#[story::test]
async fn a_pix_is_waited_for_a_day(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let first = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    assert_eq!(first["subscription"]["status"], "INCOMPLETE");
    assert_eq!(first["transaction"]["status"], "PENDING");
    assert!(first["transaction"]["pix"]["qrCodeBase64"].is_string());
    let pending = &first["subscription"]["pendingTransactionId"];
    assert_eq!(*pending, first["transaction"]["id"]);
    shop.pay(&first["transaction"]).await;
    let paid = read(&shop, &first["subscription"]).await;
    assert_eq!((&paid["status"], &paid["pendingTransactionId"]), (&json!("ACTIVE"), &Value::Null));
    let other = subscribe(test, &plan, somebody("Bia")).await.expect(201)["data"].clone();
    let step = json!({ "seconds": DAY - 1 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    assert_eq!(read(&shop, &other["subscription"]).await["status"], "INCOMPLETE");
    let step = json!({ "seconds": 1 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    assert_eq!(read(&shop, &other["subscription"]).await["status"], "EXPIRED");
    assert_eq!(emitted(&shop).await, ["created", "activated", "created", "expired"]);
}

#[story::test]
async fn money_that_comes_for_an_ended_subscription_goes_back(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let late = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    days(&shop, 1).await;
    let paid = shop.pay(&late["transaction"]).await;
    assert_eq!((&paid["paidLate"], &paid["oversold"]), (&json!(true), &json!(true)));
    test.run_jobs().await;
    assert_eq!(shop.transaction(&late["transaction"]).await["status"], "REFUNDED");
    assert_eq!(read(&shop, &late["subscription"]).await["status"], "EXPIRED");
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn a_document_has_one_trial_of_a_plan_and_one_subscription_to_it(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 7 })).await;
    let first = by_card_with(test, &plan, Scenario::Approves, buyer("ana@example.com")).await;
    let first = first.expect(201)["data"].clone();
    assert_eq!(first["subscription"]["status"], "TRIALING");
    assert_eq!(first["subscription"]["trialEndsAt"], "2026-11-28T12:00:00.000Z");
    assert_eq!(first["transaction"], Value::Null);
    let again = by_card_with(test, &plan, Scenario::Approves, buyer("bia@example.com")).await;
    again.expect_refusal(409, "ALREADY_SUBSCRIBED");
    done(&shop, &first["subscription"], "cancel", json!({})).await;
    let again = by_card_with(test, &plan, Scenario::Approves, buyer("bia@example.com")).await;
    assert_eq!(again.expect(201)["data"]["subscription"]["status"], "ACTIVE");
    assert_eq!(payments(&shop).await, ["PAID"]);
}

#[story::test]
async fn a_document_that_comes_eight_times_at_once_has_one_trial(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 7 })).await;
    let tries =
        (0..8).map(|number| subscribe(test, &plan, buyer(&format!("ana{number}@example.com"))));
    let replies = join_all(tries).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    for refused in replies.iter().filter(|reply| reply.status != 201) {
        refused.expect_refusal(409, "ALREADY_SUBSCRIBED");
    }
}

#[story::test]
async fn a_document_whose_card_is_being_charged_subscribes_to_nothing_more(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let who = || buyer("ana@example.com");
    let subscribes = || by_card_with(test, &plan, Scenario::Approves, who());
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    let waits = subscribes().await.expect(201);
    assert_eq!(waits["data"]["subscription"]["status"], "INCOMPLETE");
    subscribes().await.expect_refusal(409, "ALREADY_SUBSCRIBED");
    for _ in 0..10 {
        test.run_jobs_after(Duration::from_mins(1)).await;
    }
    subscribes().await.expect(201);
    subscribes().await.expect_refusal(409, "ALREADY_SUBSCRIBED");
}

#[story::test]
async fn a_coupon_is_taken_off_the_first_payment_and_no_other(test: &TestApp, shop: Shop) {
    let coupon = json!({ "code": "METADE", "discountType": "PERCENTAGE", "discountValue": 50 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let plan = plan(&shop, json!({})).await;
    let with = json!({ "couponCode": "metade" });
    let made = by_card_with(test, &plan, Scenario::Approves, with).await.expect(201);
    assert_eq!(made["data"]["transaction"]["amount"], 1_500);
    days(&shop, 30).await;
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    assert_eq!(listed["data"][0]["amount"], 3_000);
    let other = merged(somebody("Bia"), &json!({ "couponCode": "NADA" }));
    let unknown = by_card_with(test, &plan, Scenario::Approves, other);
    unknown.await.expect_refusal(400, "COUPON_INVALID");
}

#[story::test]
async fn a_first_period_that_a_coupon_pays_is_free_and_the_next_is_charged(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let coupon = json!({ "code": "TUDO", "discountType": "PERCENTAGE", "discountValue": 100 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let plan = plan(&shop, json!({})).await;
    let with = json!({ "couponCode": "TUDO" });
    let made = by_card_with(test, &plan, Scenario::Approves, with).await.expect(201);
    assert_eq!(made["data"]["subscription"]["status"], "ACTIVE");
    assert_eq!(made["data"]["transaction"]["method"], "FREE");
    days(&shop, 30).await;
    assert_eq!(payments(&shop).await, ["PAID", "PAID"]);
}

#[story::test]
async fn the_same_checkout_sent_again_is_one_subscription(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let card = token_that(test, Scenario::Approves).await;
    let bodies = [
        json!({ "paymentMethod": "PIX" }),
        json!({ "paymentMethod": "CREDIT_CARD", "cardToken": card }),
    ];
    for (number, more) in bodies.into_iter().enumerate() {
        let once = test.anyone().with("idempotency-key", &format!("once-{number}"));
        let body = merged(
            json!({
                "planId": id(&plan), "customer": buyer("ana@example.com")["customer"],
            }),
            &more,
        );
        let send = || once.post("/api/subscriptions/checkout", body.clone());
        let replies = join_all((0..4).map(|_| send())).await;
        for reply in &replies {
            assert_eq!((reply.status, &reply.text), (201, &replies[0].text));
        }
        let other = merged(body.clone(), &json!({ "couponCode": "X" }));
        let refused = once.post("/api/subscriptions/checkout", other).await;
        refused.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    }
    assert_eq!(shop.key.total("/api/subscriptions").await, 2);
}

#[story::test]
async fn a_card_of_which_nothing_is_known_yet_is_waited_for(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let buyers = [(Scenario::LosesTheApproval, "Ana"), (Scenario::ApprovesLate, "Bia")];
    for (scenario, name) in buyers {
        let made = by_card_with(test, &plan, scenario, somebody(name)).await.expect(201);
        let made = made["data"].clone();
        assert_eq!(made["subscription"]["status"], "INCOMPLETE");
        assert_eq!(made["transaction"]["status"], "PROCESSING");
        test.run_jobs_after(std::time::Duration::from_mins(2)).await;
        assert_eq!(read(&shop, &made["subscription"]).await["status"], "ACTIVE");
    }
}

#[story::test]
async fn what_is_wrong_with_a_checkout_is_named(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let wrong = json!({
        "paymentMethod": "CREDIT_CARD", "customer": { "name": "", "email": "ana" },
    });
    let refused = subscribe(test, &plan, wrong).await;
    let fields = ["customer.name", "customer.email", "cardToken"];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), fields);
    let used = json!({ "paymentMethod": "CREDIT_CARD", "cardToken": "tok_sandbox_used" });
    let refused = subscribe(test, &plan, used).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"]);
    let unknown = json!({ "planId": "00000000-0000-7000-8000-000000000001" });
    subscribe(test, &plan, unknown).await.expect_refusal(404, "NOT_FOUND");
    subscribe(test, &plan, json!({ "paymentMethod": "BOLETO" })).await.expect(400);
}

#[story::test]
async fn a_trial_begins_with_no_coupon_that_is_not_good(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 7 })).await;
    let with = json!({ "couponCode": "NADA" });
    subscribe(test, &plan, with.clone()).await.expect_refusal(400, "COUPON_INVALID");
    by_card_with(test, &plan, Scenario::Approves, with).await.expect_refusal(400, "COUPON_INVALID");
    assert!(emitted(&shop).await.is_empty());
    coupon(&shop, json!({})).await;
    subscribe(test, &plan, json!({ "couponCode": "METADE" })).await.expect(201);
}

#[story::test]
async fn a_trial_whose_coupon_its_buyer_has_used_up_is_charged_without_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    coupon(&shop, json!({ "perUserLimit": 1 })).await;
    let with = json!({ "couponCode": "METADE" });
    let trial = plan(&shop, json!({ "trialDays": 10 })).await;
    let trial = by_card_with(test, &trial, Scenario::Approves, with.clone()).await.expect(201);
    let now = plan(&shop, json!({})).await;
    by_card_with(test, &now, Scenario::Approves, with).await.expect(201);
    days(&shop, 10).await;
    assert_eq!(read(&shop, &trial["data"]["subscription"]).await["status"], "ACTIVE");
    assert_eq!(amounts(&shop).await, [3_000, 1_500]);
}

#[story::test]
async fn a_coupon_for_the_product_that_a_plan_sells_is_taken_off_it(test: &TestApp, shop: Shop) {
    let (sold, other) = (shop.product(json!({})).await, shop.product(json!({})).await);
    coupon(&shop, json!({ "productIds": [id(&sold)] })).await;
    coupon(&shop, json!({ "code": "OUTRO", "productIds": [id(&other)] })).await;
    let plan = plan(&shop, json!({ "productId": id(&sold) })).await;
    let with = |code: &str| json!({ "couponCode": code });
    by_card_with(test, &plan, Scenario::Approves, with("METADE")).await.expect(201);
    let other = merged(somebody("Bia"), &with("OUTRO"));
    subscribe(test, &plan, other).await.expect_refusal(400, "COUPON_INVALID");
    assert_eq!(amounts(&shop).await, [1_500]);
}
