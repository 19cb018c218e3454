//! Reports of fraud about money that belongs to no sale, or to none yet: it is one difference until
//! the report ends or the money is matched, and is decided on once the report is over.

use serde_json::{Value, json};

use super::infractions::{an_hour, at_bank, opens, without_payments};
use super::scene::Scene;
use super::{KEY, administrator, available, charge, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// The kinds, states and statuses of all differences.
async fn differences(test: &TestApp) -> Vec<[Value; 3]> {
    let all = administrator(test).await.list(DIFFERENCES).await;
    let shown =
        |it: &Value| [&it["kind"], &it["details"]["state"], &it["status"]].map(Value::clone);
    all.iter().map(shown).collect()
}

#[story::test]
async fn a_report_about_money_of_no_sale_is_one_difference_and_closes_when_rejected(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let foreign = scene.bank.at("/__pay", transfer).await["e2e"][0].clone();
    let (sold, _) = scene.sell(test, 1_000).await;
    let again = scene.bank.pays(&sold, json!({ "late": true })).await;
    let mut reports = Vec::new();
    for paid in [foreign.as_str().expect("has an id"), &again] {
        reports.push(opens(&scene, paid, 700).await);
    }
    let open = [json!("INFRACTION"), json!("OPEN"), json!("OPEN")];
    for _ in 0..10 {
        an_hour(test, &scene).await;
        assert_eq!(differences(test).await, [open.clone(), open.clone()]);
    }
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    assert_eq!(available(&scene.shop).await, 1_000);
    for report in &reports {
        at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    }
    an_hour(test, &scene).await;
    let closed = [json!("INFRACTION"), json!("OPEN"), json!("RESOLVED")];
    assert_eq!(differences(test).await, [closed.clone(), closed]);
}

#[story::test]
async fn a_report_that_is_as_it_was_last_seen_is_asked_about_no_more(test: &TestApp) {
    let scene = Scene::open(test).await;
    let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let foreign = scene.bank.at("/__pay", transfer).await["e2e"][0].clone();
    let foreign = foreign.as_str().expect("has an id");
    let [open, rejected] = [opens(&scene, foreign, 700).await, opens(&scene, foreign, 700).await];
    at_bank(&scene, json!({ "action": "reject", "id": rejected })).await;
    let (_, paid) = scene.sell(test, 1_000).await;
    opens(&scene, &paid, 1_000).await;
    for action in ["none", "reject"] {
        if action == "reject" {
            at_bank(&scene, json!({ "action": action, "id": open })).await;
        }
        an_hour(test, &scene).await;
        let asked = scene.bank.calls("pix.get").await;
        for _ in 0..5 {
            an_hour(test, &scene).await;
        }
        assert_eq!(scene.bank.calls("pix.get").await, asked, "{action}");
    }
    let closed = [json!("INFRACTION"), json!("OPEN"), json!("RESOLVED")];
    assert_eq!(differences(test).await, [closed]);
}

#[story::test]
async fn a_report_about_a_payment_that_the_bank_shows_later_holds_it_then(test: &TestApp) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&sold, json!({})).await;
    scene.bank.at("/__settings", json!({ "received_pix": "listed" })).await;
    without_payments(&scene).await;
    scene.bank.fault("cob.get", json!({ "fault": "status", "status": 500, "times": 99 })).await;
    opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    let open = [json!("INFRACTION"), json!("OPEN"), json!("OPEN")];
    assert_eq!(differences(test).await, [open]);
    let asked = scene.bank.calls("pix.get").await;
    for _ in 0..3 {
        an_hour(test, &scene).await;
    }
    assert_eq!(scene.bank.calls("pix.get").await, asked);
    scene.bank.recovers().await;
    scene.bank.at("/__settings", json!({ "received_pix": "known" })).await;
    for _ in 0..2 {
        an_hour(test, &scene).await;
    }
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    let closed = [json!("INFRACTION"), json!("OPEN"), json!("RESOLVED")];
    assert_eq!(differences(test).await, [closed]);
}

#[story::test]
async fn a_report_about_money_that_is_matched_by_hand_holds_what_it_paid(test: &TestApp) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 1_000).await;
    let paid = json!({ "dialect": "efi", "key": KEY, "amount_cents": 1_000 });
    let paid = scene.bank.at("/__pay", paid).await["e2e"][0].clone();
    let report = opens(&scene, paid.as_str().expect("has an id"), 1_000).await;
    an_hour(test, &scene).await;
    let open = [json!("INFRACTION"), json!("OPEN"), json!("OPEN")];
    assert_eq!(differences(test).await, [open]);
    let money = administrator(test).await.list("/api/admin/unmatched").await;
    let matched = format!("/api/admin/unmatched/{}/match", id(&money[0]));
    let to = json!({ "transactionId": id(&sold) });
    administrator(test).await.post(&matched, to).await.expect(200);
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    for _ in 0..2 {
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    }
    let closed = [json!("INFRACTION"), json!("OPEN"), json!("RESOLVED")];
    assert_eq!(differences(test).await, [closed]);
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    test.prove_books().await;
}

#[story::test]
async fn money_set_aside_that_is_reported_as_fraud_is_decided_on_once_that_is_over(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, _) = scene.sell(test, 1_000).await;
    let second = scene.bank.pays(&sold, json!({ "late": true })).await;
    let report = opens(&scene, &second, 1_000).await;
    an_hour(test, &scene).await;
    let aside = format!("/api/v1/transactions/{}/unmatched", id(&sold));
    let money = scene.shop.owner.list(&aside).await.pop().expect("is set aside");
    let path = format!("{aside}/{}", id(&money));
    for decision in ["accept", "return"] {
        let refused = scene.shop.owner.post(&format!("{path}/{decision}"), json!({})).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert!(refused.text.contains("fraud"), "{}", refused.text);
    }
    assert_eq!(available(&scene.shop).await, 1_000);
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(available(&scene.shop).await, 2_000);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_of_a_payment_that_is_reported_as_fraud_waits_for_the_end_of_its_dispute(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&sold, json!({ "amount_cents": 1_500 })).await;
    let report = opens(&scene, &paid, 1_500).await;
    an_hour(test, &scene).await;
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    let aside = format!("/api/v1/transactions/{}/unmatched", id(&sold));
    let money = scene.shop.owner.list(&aside).await.pop().expect("is set aside");
    let accept = format!("{aside}/{}/accept", id(&money));
    let refused = scene.shop.owner.post(&accept, json!({})).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    scene.shop.owner.post(&accept, json!({})).await.expect(200);
    test.prove_books().await;
}
