//! Unmatched money: each receipt emits an event, and the merchant's own decision ends it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::{Shop, id};

fn unmatched_path(charge: &Value) -> String {
    format!("/api/v1/transactions/{}/unmatched", id(charge))
}

fn accept_path(charge: &Value, unmatched: &Value) -> String {
    format!("{}/{}/accept", unmatched_path(charge), id(unmatched))
}

async fn accept(shop: &Shop, charge: &Value, unmatched: &Value) -> Value {
    shop.key.post(&accept_path(charge, unmatched), json!({})).await.expect(200)
}

async fn pay_cents(shop: &Shop, charge: &Value, cents: i64) -> Value {
    shop.simulate(charge, json!({ "outcome": "PAID", "paidAmountCents": cents })).await
}

async fn subscribed(shop: &Shop) -> Receiver {
    let receiver = Receiver::start().await;
    let hook = json!({ "url": receiver.url, "events": ["*"] });
    shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    receiver
}

/// The events of payments, oldest first.
async fn emitted(test: &TestApp, receiver: &Receiver) -> Vec<Value> {
    test.run_jobs().await;
    let mut emitted: Vec<_> = receiver.take().iter().map(Delivery::json).collect();
    emitted.sort_by_key(|envelope| id(envelope).to_owned());
    emitted
}

fn names(emitted: &[Value]) -> Vec<&str> {
    emitted.iter().map(|envelope| envelope["event"].as_str().expect("has a name")).collect()
}

async fn suspense(shop: &Shop) -> i64 {
    let entries = shop.key.get("/api/balance/entries?account=suspense&limit=1").await.expect(200);
    entries["data"][0]["balanceCents"].as_i64().unwrap_or(0)
}

#[story::test]
async fn every_kind_of_unmatched_money_is_emitted_as_a_new_version_of_its_payment(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let receiver = subscribed(&shop).await;
    let (little, much, twice) =
        (shop.charge(1_000).await, shop.charge(1_000).await, shop.charge(1_000).await);
    shop.pay(&twice).await;
    emitted(test, &receiver).await;

    pay_cents(&shop, &little, 999).await;
    let about = emitted(test, &receiver).await;
    assert_eq!(names(&about), ["transaction.updated"]);
    assert_eq!(about[0]["data"]["transaction"]["status"], "PENDING");
    assert_eq!(about[0]["data"]["transaction"]["unmatchedAmount"], 999);
    assert_eq!(about[0]["sequence"], 2);

    pay_cents(&shop, &much, 1_002).await;
    let about = emitted(test, &receiver).await;
    assert_eq!(names(&about), ["transaction.paid", "balance.updated", "transaction.updated"]);
    assert_eq!(about[2]["data"]["transaction"]["status"], "PAID");
    assert_eq!(about[2]["data"]["transaction"]["unmatchedAmount"], 2);
    assert_eq!((&about[0]["sequence"], &about[2]["sequence"]), (&json!(2), &json!(3)));

    pay_cents(&shop, &twice, 1_000).await;
    let about = emitted(test, &receiver).await;
    assert_eq!(names(&about), ["transaction.updated"]);
    assert_eq!(about[0]["data"]["transaction"]["unmatchedAmount"], 1_000);
    assert_eq!(about[0]["sequence"], 3);
    assert_eq!(suspense(&shop).await, 2_001);
}

#[story::test]
async fn money_set_aside_is_the_merchants_once_they_accept_it(test: &TestApp, shop: Shop) {
    let receiver = subscribed(&shop).await;
    let charge = shop.charge(1_000).await;
    pay_cents(&shop, &charge, 1_250).await;
    emitted(test, &receiver).await;
    let listed = shop.unmatched(&charge).await;
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["amount"], &listed[0]["reason"]), (&json!(250), &json!("TOO_MUCH")));
    assert_eq!((&listed[0]["status"], &listed[0]["acceptedAt"]), (&json!("OPEN"), &json!(null)));
    assert_eq!(listed[0]["transactionId"], charge["id"]);

    test.pass(Duration::from_secs(60));
    let accepted = accept(&shop, &charge, &listed[0]).await;
    assert_eq!(accepted["unmatched"]["status"], "ACCEPTED");
    assert_eq!(accepted["unmatched"]["acceptedAt"], "2026-11-21T12:01:00.000Z");
    assert_eq!(accepted["transaction"]["unmatchedAmount"], 0);
    assert_eq!(accepted["transaction"]["paidAmount"], 1_000);
    assert_eq!((shop.available().await, suspense(&shop).await), (1_250, 0));
    assert_eq!(shop.unmatched(&charge).await, Vec::<Value>::new());
    assert_eq!(shop.steps(&charge).await, ["CREATED", "PAID", "SET_ASIDE", "RELEASED"]);
    let about = emitted(test, &receiver).await;
    assert_eq!(names(&about), ["transaction.updated", "balance.updated"]);
    assert_eq!(about[0]["data"]["transaction"], accepted["transaction"]);
    assert_eq!(about[1]["data"]["reason"], "transaction.updated");
    assert_eq!(about[1]["data"]["balance"]["availableBalance"], 1_250);
}

#[story::test(|settings| (settings.pix_fee_cents, settings.pix_fee_basis_points) = (10, 100))]
async fn money_that_is_accepted_brings_the_fee_that_its_payment_has_not_brought(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let accept_all = async |charge: &Value| {
        for unmatched in shop.unmatched(charge).await {
            accept(&shop, charge, &unmatched).await;
        }
        shop.available().await
    };
    // 1,000 less 10 and 1 %: the payment has brought a fee, what comes beside it none.
    let charge = shop.charge(1_000).await;
    pay_cents(&shop, &charge, 300).await;
    pay_cents(&shop, &charge, 1_200).await;
    pay_cents(&shop, &charge, 1_000).await;
    assert_eq!(shop.available().await, 980);
    assert_eq!(accept_all(&charge).await, 980 + 300 + 200 + 1_000);
    // 300 less 10 and 1 %: nothing was paid.
    let short = shop.charge(1_000).await;
    pay_cents(&shop, &short, 300).await;
    assert_eq!(accept_all(&short).await, 2_480 + 287);
    test.run_jobs().await;
}

#[story::test]
async fn accepting_twice_or_at_the_same_time_moves_the_money_once(shop: Shop) {
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    shop.pay(&charge).await;
    let listed = shop.unmatched(&charge).await;
    let both = futures_util::future::join_all((0..4).map(|_| accept(&shop, &charge, &listed[0])));
    for accepted in both.await {
        assert_eq!(accepted["unmatched"]["status"], "ACCEPTED");
    }
    assert_eq!(shop.available().await, 2_000);
    let releases = shop.events().await.iter().filter(|name| *name == "transaction.updated").count();
    assert_eq!(releases, 2, "one for the second payment, one for accepting it");
    let key = shop.key.with("idempotency-key", "accept-1");
    let path = accept_path(&charge, &listed[0]);
    let first = key.post(&path, json!({})).await;
    let again = key.post(&path, json!({})).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(first.expect(200), again.expect(200));
}

#[story::test]
async fn each_of_several_is_decided_on_by_itself_and_an_open_payment_stays_open(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let charge = shop.charge(1_000).await;
    pay_cents(&shop, &charge, 300).await;
    test.pass(Duration::from_secs(1));
    pay_cents(&shop, &charge, 400).await;
    let listed = shop.unmatched(&charge).await;
    let amounts: Vec<_> = listed.iter().map(|unmatched| unmatched["amount"].clone()).collect();
    assert_eq!(amounts, [300, 400]);
    let accepted = accept(&shop, &charge, &listed[0]).await;
    assert_eq!(accepted["transaction"]["status"], "PENDING");
    assert_eq!(accepted["transaction"]["unmatchedAmount"], 400);
    assert_eq!((shop.available().await, suspense(&shop).await), (300, 400));
    let left = shop.unmatched(&charge).await;
    assert_eq!((left.len(), &left[0]["amount"]), (1, &json!(400)));
    assert_eq!(shop.pay(&charge).await["status"], "PAID");
    assert_eq!(shop.available().await, 1_300);
}

#[story::test]
async fn what_waits_for_a_decision_is_listed_page_by_page_until_it_is_made(shop: Shop) {
    const WAITING: &str = "/api/v1/unmatched-payments";
    for cents in 1..=23 {
        let charge = shop.charge(1_000).await;
        pay_cents(&shop, &charge, cents).await;
    }
    let amounts = |page: &Value| -> Vec<i64> {
        let rows = page["data"].as_array().expect("is a list").iter();
        rows.map(|money| money["amount"].as_i64().expect("is a number")).collect()
    };
    let first = shop.key.get(WAITING).await.expect(200);
    assert_eq!(amounts(&first), (4..=23).rev().collect::<Vec<_>>());
    let pagination = &first["pagination"];
    assert_eq!((&pagination["total"], &pagination["limit"]), (&json!(23), &json!(20)));
    let cursor = pagination["nextCursor"].as_str().expect("goes on");
    let rest = shop.key.get(&format!("{WAITING}?cursor={cursor}")).await.expect(200);
    assert_eq!(amounts(&rest), [3, 2, 1]);
    assert_eq!(rest["pagination"]["nextCursor"], json!(null));
    let all = shop.key.get(&format!("{WAITING}?limit=100")).await.expect(200);
    assert_eq!(amounts(&all).len(), 23);
    let money = &all["data"][0];
    let of = json!({ "id": money["transactionId"] });
    accept(&shop, &of, money).await;
    assert_eq!(shop.key.total(WAITING).await, 22);
}

#[story::test]
async fn money_is_accepted_only_through_the_payment_it_named(shop: Shop) {
    let (charge, other) = (shop.charge(1_000).await, shop.charge(1_000).await);
    pay_cents(&shop, &charge, 1).await;
    let listed = shop.unmatched(&charge).await;
    let astray = shop.key.post(&accept_path(&other, &listed[0]), json!({})).await;
    astray.expect_refusal(404, "NOT_FOUND");
    let nothing = shop.key.post(&accept_path(&charge, &charge), json!({})).await;
    nothing.expect_refusal(404, "NOT_FOUND");
    let reader = shop.key_for("development", &["transactions:read"]).await;
    let refused = reader.post(&accept_path(&charge, &listed[0]), json!({})).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    assert_eq!((shop.available().await, suspense(&shop).await), (0, 1));
}

#[story::test]
async fn an_underpayment_after_the_expiry_expires_the_payment_first(test: &TestApp, shop: Shop) {
    let charge = shop.try_charge(json!({ "amountCents": 1_000, "expiresIn": 60 })).await;
    let charge = charge.expect(201)["transaction"].clone();
    let late = json!({ "outcome": "PAID", "paidAmountCents": 1, "delaySeconds": 90 });
    shop.simulate(&charge, late).await;
    test.run_jobs_after(Duration::from_secs(90)).await;
    let names = ["transaction.created", "transaction.expired", "transaction.updated"];
    assert_eq!(shop.events().await, names);
    assert_eq!(shop.steps(&charge).await, ["CREATED", "EXPIRED", "SET_ASIDE"]);
}
