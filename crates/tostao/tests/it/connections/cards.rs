//! Cards with real money: charges, their answers that are lost or late, and whose they are.

use std::time::Duration;

use db::tx::Tx;
use queue::worker::{AtOnce, run_due};
use serde_json::{Value, json};
use tostao::connections::reload;
use tostao::providers::connections::registry::{self, Registry};
use tostao::worker::JobRunner;

use super::acquirer::{Acquirer, DIFFERENCES, GOOD, SLOW, reference};
use super::{administrator, read, real, status};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

const MINUTE: Duration = Duration::from_mins(1);

#[story::test]
async fn a_card_is_charged_in_installments_for_the_buyer_that_the_order_names(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    let sold = acquirer.sell(&shop, json!({ "installments": 3 })).await;
    let charge = read(&shop, &sold).await;
    assert_eq!((&charge["installments"], &charge["card"]["last4"]), (&json!(3), &json!("0010")));
    let sent = acquirer.sent("order.create").await;
    let body = &sent[0]["body"];
    assert_eq!(sent.len(), 1);
    assert_eq!(body["customer"]["document"], "52998224725");
    assert_eq!(body["customer"]["phones"]["mobile_phone"]["number"], "987654321");
    assert_eq!(body["payments"][0]["credit_card"]["installments"], 3);
    // The merchant's server made this call, whose address is not the buyer's.
    assert_eq!(body.get("ip"), None);
    test.prove_books().await;
}

#[story::test]
async fn a_declined_card_says_why_and_is_charged_nowhere(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let table = [
        ("4000000000009995", "insufficient_funds"),
        ("4000000000000069", "expired_card"),
        ("4000000000000002", "do_not_honor"),
        ("4000000000000127", "incorrect_cvc"),
    ];
    for (number, code) in table {
        let refused = acquirer.try_sell(&shop, number, json!({})).await;
        refused.expect_refusal(402, "CARD_DECLINED");
        assert!(refused.text.contains(code), "{}", refused.text);
        let listed = shop.owner.list("/api/v1/transactions").await;
        assert_eq!(listed[0]["status"], "FAILED");
    }
    assert_eq!(acquirer.charges().await.len(), 4);
}

#[story::test]
async fn a_token_that_was_used_or_has_expired_charges_nothing(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let token = acquirer.token(GOOD).await;
    acquirer.sell(&shop, json!({ "cardToken": token })).await;
    let used = acquirer.try_sell(&shop, GOOD, json!({ "cardToken": token })).await;
    assert_eq!(used.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{}", used.text);
    let old = acquirer.token(GOOD).await;
    acquirer.pass(test, Duration::from_secs(61)).await;
    let late = acquirer.try_sell(&shop, GOOD, json!({ "cardToken": old })).await;
    assert_eq!(late.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{}", late.text);
    assert_eq!(acquirer.charges().await.len(), 1);
}

#[story::test]
async fn a_charge_whose_answer_is_lost_is_asked_about_and_made_once(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    acquirer.hide().await;
    acquirer.fault("order.create", json!({ "fault": "cut_after", "times": 1 })).await;
    let (charge, _) = acquirer.open(&shop, GOOD).await;
    acquirer.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    acquirer.heal().await;
    acquirer.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!((acquirer.charges().await.len(), acquirer.sent("order.create").await.len()), (1, 1));
    test.prove_books().await;
}

#[story::test]
async fn a_charge_that_never_arrived_fails_once_it_can_no_longer_arrive(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.fault("order.create", json!({ "fault": "cut_before", "times": 1 })).await;
    let reply = acquirer.try_sell(&shop, GOOD, json!({})).await;
    assert!(reply.status < 300, "{}", reply.text);
    for _ in 0..10 {
        acquirer.pass(test, MINUTE * 2).await;
    }
    assert_eq!(shop.owner.list("/api/v1/transactions").await[0]["status"], "FAILED");
    assert_eq!(acquirer.charges().await.len(), 0);
}

#[story::test]
async fn a_charge_that_the_antifraud_reviews_is_processing_until_it_decides(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.at("/__settings", json!({ "pagarme_analyzes": true })).await;
    for (by, ends) in [("approved", "PAID"), ("reproved", "FAILED")] {
        let (charge, theirs) = acquirer.open(&shop, GOOD).await;
        acquirer.pass(test, MINUTE * 60).await;
        assert_eq!(status(&shop, &charge).await, "PROCESSING", "{by}");
        acquirer.decide(&theirs, json!({ "by": by })).await;
        acquirer.notify(&test.anyone(), &theirs).await.expect(200);
        test.run_jobs().await;
        assert_eq!(status(&shop, &charge).await, ends, "{by}");
    }
}

#[story::test]
async fn another_amount_than_was_asked_for_is_kept_for_an_administrator_and_never_booked(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    for cents in [9_999, 10_001] {
        let (charge, theirs) = acquirer.open(&shop, SLOW).await;
        acquirer.decide(&theirs, json!({ "amount_cents": cents })).await;
        acquirer.pass(test, MINUTE * 30).await;
        assert_eq!(status(&shop, &charge).await, "PROCESSING", "{cents}");
        let found = administrator(test).await.list(&format!("{DIFFERENCES}?status=OPEN")).await;
        let of_charge = found.iter().find(|found| found["reference"] == theirs.as_str());
        let of_charge = of_charge.expect("is kept");
        assert_eq!(
            (&of_charge["kind"], &of_charge["amount"]),
            (&json!("CARD_CHARGE"), &json!(cents))
        );
    }
    assert_eq!(super::available(&shop).await, 0);
}

#[story::test]
async fn a_charge_of_another_amount_is_asked_about_daily_and_ends_when_the_money_went_back(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    acquirer.decide(&theirs, json!({ "amount_cents": 9_999 })).await;
    acquirer.pass(test, MINUTE * 2).await;
    let asked = acquirer.asked(&charge).await;
    for _ in 0..10 {
        acquirer.pass(test, MINUTE * 6).await;
    }
    assert_eq!(acquirer.asked(&charge).await, asked, "it is asked no more each minute");
    acquirer.pass(test, MINUTE * 60 * 24).await;
    assert_eq!(acquirer.asked(&charge).await, asked + 1);
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    acquirer.cancel(&theirs, 9_999).await;
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "FAILED");
    test.prove_books().await;
}

#[story::test]
async fn an_administrator_resolves_a_charge_that_its_acquirer_does_not_decide(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    let path = format!("/api/admin/charges/{}/resolve", id(&charge));
    let note = "A Pagar.me capturou um centavo a menos; devolvido lá.";
    let why = json!({ "outcome": "FAILED", "note": note });
    let early = administrator(test).await.post(&path, why.clone()).await;
    early.expect_refusal(409, "INVALID_STATE_TRANSITION");
    acquirer.decide(&theirs, json!({ "amount_cents": 9_999 })).await;
    acquirer.pass(test, MINUTE * 30).await;
    shop.owner.post(&path, why.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    let nothing = json!({ "outcome": "FAILED", "note": "" });
    let nothing = administrator(test).await.post(&path, nothing).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["note"]);
    for _ in 0..2 {
        let failed =
            administrator(test).await.post(&path, why.clone()).await.expect(200)["data"].clone();
        assert_eq!(
            (&failed["status"], &failed["failureReason"]),
            (&json!("FAILED"), &json!("resolved_by_administrator"))
        );
    }
    assert_eq!(status(&shop, &charge).await, "FAILED");
    let sold = acquirer.sell(&shop, json!({})).await;
    let paid = format!("/api/admin/charges/{}/resolve", id(&sold));
    administrator(test)
        .await
        .post(&paid, why)
        .await
        .expect_refusal(409, "INVALID_STATE_TRANSITION");
    let audit =
        administrator(test).await.get("/api/admin/audit?action=charge.resolved").await.expect(200);
    assert_eq!(audit["data"].as_array().map(Vec::len), Some(1), "{audit}");
    test.prove_books().await;
}

#[story::test]
async fn a_second_charge_that_was_captured_under_one_reference_is_a_difference(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    acquirer.notify(&test.anyone(), &acquirer.newest().await).await.expect(200);
    test.run_jobs().await;
    let second = acquirer.order_elsewhere(&reference(&sold), 10_000).await;
    for _ in 0..2 {
        acquirer.pass(test, MINUTE * 30).await;
    }
    let found = administrator(test).await.list(&format!("{DIFFERENCES}?status=OPEN")).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["kind"], &found[0]["reference"], &found[0]["amount"]),
        (&json!("CARD_CHARGE"), &json!(second), &json!(10_000))
    );
    assert_eq!(status(&shop, &sold).await, "PAID");
    test.prove_books().await;
}

#[story::test]
async fn a_token_of_dots_is_refused_by_its_name_and_asked_about_nowhere(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let plan = shop.owner.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    for token in [".", "..", "...."] {
        let sold = acquirer.try_sell(&shop, GOOD, json!({ "cardToken": token })).await;
        assert_eq!(sold.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{token}");
        let body = json!({
            "planId": id(&plan), "paymentMethod": "CREDIT_CARD", "cardToken": token,
            "customer": { "name": "Ana Souza", "email": "ana@example.com",
                "document": "529.982.247-25" },
        });
        let made = test.anyone().post("/api/subscriptions/checkout", body).await;
        assert_eq!(made.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{token}");
    }
    assert_eq!(acquirer.sent("token.get").await.len(), 1, "only the connection's own test");
}

/// The subscriber is not blamed for what the operator has taken out of use.
async fn expect_no_failure(shop: &Shop, subscription: &Value) {
    let path = format!("/api/subscriptions/{}", id(subscription));
    let now = shop.owner.get(&path).await.expect(200)["data"].clone();
    assert_eq!((&now["status"], &now["failedAttempts"]), (&json!("ACTIVE"), &json!(0)), "{now}");
}

#[story::test]
async fn a_disabled_acquirer_is_not_asked_to_charge_and_the_renewal_waits_for_it(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let subscription = subscribe(test, &shop, &acquirer).await;
    acquirer.acts(test, "disable").await;
    let month = MINUTE * 60 * 24 * 31;
    acquirer.pass(test, month).await;
    for _ in 0..4 {
        acquirer.pass(test, MINUTE * 60).await;
    }
    assert_eq!(acquirer.sent("order.create").await.len(), 1);
    expect_no_failure(&shop, &subscription).await;
    acquirer.acts(test, "enable").await;
    acquirer.pass(test, MINUTE * 60).await;
    assert_eq!(acquirer.sent("order.create").await.len(), 2);
    let listed = shop.owner.list("/api/v1/transactions").await;
    assert!(listed.iter().all(|charge| charge["status"] == "PAID"), "{listed:?}");
}

#[story::test]
async fn a_renewal_that_waits_for_its_acquirer_is_one_job_whose_waits_grow_until_it_is_enabled(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let subscription = subscribe(test, &shop, &acquirer).await;
    acquirer.acts(test, "disable").await;
    acquirer.pass(test, MINUTE * 60 * 24 * 31).await;
    let sql = "select lane, cast(max(attempt) as text), cast(count(*) as text)
                 from jobs where kind = 'wake_subscription' group by lane";
    let waiting = async || Engine::open(test).await.rows(sql).await;
    // Each change of the subscription looks at it again.
    let another = json!({ "name": "Clube 2", "amountCents": 4_000, "interval": "MONTHLY" });
    let another =
        shop.owner.post("/api/subscriptions/plans", another).await.expect(201)["data"].clone();
    for plan in [id(&another), subscription["planId"].as_str().expect("has one"), id(&another)] {
        let change = format!("/api/subscriptions/{}/change-plan", id(&subscription));
        shop.owner.post(&change, json!({ "planId": plan })).await.expect(200);
        test.run_jobs().await;
        assert_eq!(waiting().await, [["connections pagarme-1", "1", "1"]]);
    }
    for _ in 0..24 {
        acquirer.pass(test, MINUTE * 60).await;
    }
    let [row] = &*waiting().await else { panic!("is one job") };
    let attempts: i64 = row[1].parse().expect("is a number");
    assert!((6..=12).contains(&attempts), "{attempts} in a day");
    expect_no_failure(&shop, &subscription).await;
    acquirer.acts(test, "enable").await;
    acquirer.pass(test, MINUTE).await;
    assert_eq!(acquirer.sent("order.create").await.len(), 2);
    assert_eq!(shop.owner.list("/api/v1/transactions").await[0]["status"], "PAID");
}

#[story::test]
async fn a_renewal_that_a_server_tries_before_it_knows_that_its_acquirer_is_enabled_waits_briefly(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let subscription = subscribe(test, &shop, &acquirer).await;
    acquirer.acts(test, "disable").await;
    acquirer.pass(test, MINUTE * 60 * 24 * 31).await;
    let app = test.app.clone();
    let registry = async move |tx: &Tx| {
        registry::read(tx, &Registry::default(), &app.settings, &app.secrets).await
    };
    let before = test.app.read(registry).await.expect("can be read");
    acquirer.acts(test, "enable").await;
    // The registration reads the connections, too.
    test.run_jobs().await;
    test.app.providers.replace_registry(before);
    acquirer.pass(test, MINUTE / 2).await;
    assert_eq!(acquirer.sent("order.create").await.len(), 1);
    expect_no_failure(&shop, &subscription).await;
    reload(&test.app).await.expect("can be read");
    acquirer.pass(test, MINUTE / 2).await;
    assert_eq!(acquirer.sent("order.create").await.len(), 2);
}

#[story::test]
async fn what_is_asked_of_an_acquirer_runs_in_the_lane_of_its_connection(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    subscribe(test, &shop, &acquirer).await;
    acquirer.open(&shop, SLOW).await;
    let lanes = "select distinct lane from jobs where kind = 'resolve_charge'";
    assert_eq!(Engine::open(test).await.rows(lanes).await, [["connections pagarme-1"]]);
    acquirer.fault("order.create", json!({ "fault": "too_many", "times": 10_000 })).await;
    test.pass(MINUTE * 60 * 24 * 31);
    // The renewal is stored before it is sent, in the lane that sends it.
    let jobs = JobRunner(test.app.clone());
    let ran = run_due(&test.app.database, "work", AtOnce::OnEachServer(8), &jobs).await;
    assert!(ran.expect("jobs run") > 0);
    let kinds = "select distinct lane from jobs where kind = 'wake_subscription'";
    assert_eq!(Engine::open(test).await.rows(kinds).await, [["connections pagarme-1"]]);
    assert_eq!(acquirer.sent("order.create").await.len(), 2);
}

/// A subscription whose first payment the acquirer's kept card paid.
async fn subscribe(test: &TestApp, shop: &Shop, acquirer: &Acquirer) -> Value {
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let plan = shop.owner.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    let token = acquirer.token(GOOD).await;
    let body = json!({
        "planId": id(&plan), "paymentMethod": "CREDIT_CARD", "cardToken": token,
        "customer": { "name": "Ana Souza", "email": "ana@example.com",
            "document": "529.982.247-25" },
    });
    let made = test.anyone().post("/api/subscriptions/checkout", body).await.expect(201);
    let subscription = made["data"]["subscription"].clone();
    assert_eq!(subscription["status"], "ACTIVE", "{made}");
    subscription
}

#[story::test]
async fn a_charge_stays_with_its_own_acquirer_after_new_ones_go_to_another(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, first) = (real(shop).await, Acquirer::routed(test).await);
    let (open, theirs) = first.open(&shop, SLOW).await;
    let sold = first.sell(&shop, json!({})).await;
    let second = Acquirer::connected(test, 2).await;
    second.route().await;
    // Another acquirer does not know it, so asked there it would have never arrived.
    first.pass(test, MINUTE * 12).await;
    assert_eq!(status(&shop, &open).await, "PROCESSING");
    first.decide(&theirs, json!({})).await;
    first.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &open).await, "PAID");
    super::acquirer::refund(&shop, &sold, 10_000).await;
    test.run_jobs().await;
    assert_eq!(status(&shop, &sold).await, "REFUNDED");
    let new = second.sell(&shop, json!({})).await;
    assert_eq!(status(&shop, &new).await, "PAID");
    assert_eq!((first.charges().await.len(), second.charges().await.len()), (2, 1));
    assert_eq!(second.sent("charge.cancel").await.len(), 0);
}

#[story::test]
async fn a_kept_card_is_charged_each_period_by_the_acquirer_that_keeps_it(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, first) = (real(shop).await, Acquirer::routed(test).await);
    subscribe(test, &shop, &first).await;
    let month = MINUTE * 60 * 24 * 31;
    first.pass(test, month).await;
    let second = Acquirer::connected(test, 2).await;
    second.route().await;
    first.pass(test, month).await;
    let charges = first.charges().await;
    assert_eq!(charges.len(), 3);
    let card = |charge: &Value| charge["last_transaction"]["card"]["id"].clone();
    assert!(charges.iter().all(|charge| card(charge) == card(&charges[0])), "{charges:?}");
    assert_eq!(first.sent("token.create").await.len(), 1);
    assert_eq!(second.charges().await.len(), 0);
    let listed = shop.owner.list("/api/v1/transactions").await;
    assert_eq!(listed.iter().filter(|charge| charge["status"] == "PAID").count(), 3);
}
