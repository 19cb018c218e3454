//! Differences about an administrator's own money, which only another administrator closes.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::connections::differences::{Kind, NewDifference, note};

use super::acquirer::Acquirer;
use super::card_scene::CardScene;
use super::orders::paid;
use super::payments::pass;
use super::scene::Scene;
use super::{Bank, KEY, administrator, charge, real, status};
use crate::harness::TestApp;
use crate::harness::shop::id;
use crate::referrals::{code, invited};

const OPEN: &str = "/api/admin/reconciliation?status=OPEN";

/// The kinds of the open differences, in alphabetical order.
fn kinds(differences: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<_> = differences.iter().filter_map(|it| it["kind"].as_str()).collect();
    kinds.sort_unstable();
    kinds
}

/// Proves that there are differences of these kinds, which the administrator whose sales they are
/// about cannot close, and another one can.
async fn another_closes(test: &TestApp, expected: &[&str]) {
    let own = administrator(test).await;
    let other = test.other_admin().await.with("x-dev-mode", "false");
    let me = own.get("/api/auth/me").await.expect(200);
    let found = own.list(OPEN).await;
    assert_eq!(kinds(&found), expected);
    for difference in &found {
        assert_eq!(difference["userId"], me["user"]["id"], "{difference}");
        let path = format!("/api/admin/reconciliation/{}/resolve", id(difference));
        let note = json!({ "note": "Está tudo certo." });
        own.post(&path, note.clone()).await.expect_refusal(403, "SELF_APPROVAL");
        other.post(&path, note).await.expect(200);
    }
    assert_eq!(own.list(OPEN).await.len(), 0);
}

#[story::test]
async fn no_administrator_closes_a_difference_about_a_pix_of_their_own(test: &TestApp) {
    let bank = Bank::routed(test).await;
    let shop = real(test.shop_again("Admin").await).await;
    let (charge, _) = paid(test, &bank, &shop, 1_000).await;
    let second = bank.pays(&charge, json!({ "late": true })).await;
    bank.notify(test, &second).await.expect(200);
    test.run_jobs().await;
    let report = json!({ "action": "open", "e2e": second, "amount_cents": 1_000 });
    bank.at("/__med", report).await;
    pass(test, &bank, Duration::from_mins(65)).await;
    let more = json!({ "action": "take_back", "e2e": second, "amount_cents": 1_400 });
    bank.at("/__med", more).await;
    bank.notify(test, &second).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
    another_closes(test, &["INFRACTION", "TAKEN_BACK"]).await;
}

#[story::test]
async fn no_administrator_closes_a_difference_about_a_card_of_their_own(test: &TestApp) {
    let acquirer = Acquirer::routed(test).await;
    let scene = CardScene::of(acquirer, test.shop_again("Admin").await, json!({})).await;
    scene.acquirer.cancel(&scene.theirs, 500).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    scene.disputes(json!({ "amount_cents": 7_000 })).await;
    scene.notify(test).await;
    another_closes(test, &["CHARGEBACK", "UNKNOWN_REFUND"]).await;
}

#[story::test]
async fn a_difference_about_a_payout_names_its_merchant(test: &TestApp) {
    let scene = Scene::open(test).await;
    let me = test.shop_again("Loja").await.owner.get("/api/auth/me").await.expect(200);
    scene.sell(test, 10_000).await;
    let path = scene.approved(test, 5_000).await;
    let net = scene.withdrawal(&path).await["netAmount"].as_i64().expect("is a number");
    let parts = json!({ "outcome": "return", "parts_cents": [net, 1] });
    scene.bank.at("/__payout", parts).await;
    test.run_jobs().await;
    for _ in 0..4 {
        pass(test, &scene.bank, Duration::from_mins(6)).await;
    }
    let found = administrator(test).await.list(OPEN).await;
    assert_eq!(kinds(&found), ["PAYOUT_RETURNED"]);
    assert_eq!(found[0]["userId"], me["user"]["id"], "{found:?}");
}

#[story::test]
async fn no_administrator_closes_a_difference_about_a_pix_that_was_matched_to_a_sale_of_their_own(
    test: &TestApp,
) {
    let bank = Bank::routed(test).await;
    let shop = real(test.shop_again("Admin").await).await;
    let me = administrator(test).await.get("/api/auth/me").await.expect(200);
    let sold = charge(&shop, 1_000).await;
    let paid = bank.at("/__pay", json!({ "dialect": "efi", "key": KEY, "amount_cents": 1_000 }));
    let paid = paid.await["e2e"][0].as_str().expect("has an id").to_owned();
    let takes = async |cents: i64| {
        let taken = json!({
            "dialect": "efi", "action": "take_back", "e2e": paid, "amount_cents": cents,
        });
        bank.at("/__med", taken).await;
        bank.notify(test, &paid).await.expect(200);
        test.run_jobs_after(Duration::from_secs(2)).await;
    };
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    let of = id(&bank.connection).parse().expect("is an id");
    let found = NewDifference::new(of, Kind::Infraction, "i1".to_owned()).about_pix(&paid, None);
    note(&test.app, found).await.expect("is stored");
    let other = test.other_admin().await.with("x-dev-mode", "false");
    let money = other.list("/api/admin/unmatched").await;
    let matched = format!("/api/admin/unmatched/{}/match", id(&money[0]));
    other.post(&matched, json!({ "transactionId": id(&sold) })).await.expect(200);
    assert_eq!(status(&shop, &sold).await, "PAID");
    takes(2_000).await;
    let own = administrator(test).await;
    let found = own.list(OPEN).await;
    assert_eq!(kinds(&found), ["INFRACTION", "TAKEN_BACK"]);
    // What was found before it was known whose it is names no merchant.
    let owners: Vec<_> = found.iter().map(|it| it["userId"].clone()).collect();
    assert_eq!(owners, [me["user"]["id"].clone(), Value::Null]);
    for difference in &found {
        let path = format!("/api/admin/reconciliation/{}/resolve", id(difference));
        let note = json!({ "note": "Está tudo certo." });
        own.post(&path, note.clone()).await.expect_refusal(403, "SELF_APPROVAL");
        other.post(&path, note).await.expect(200);
    }
}

#[story::test]
async fn no_administrator_decides_about_a_sale_of_a_merchant_whom_they_invited(test: &TestApp) {
    let bank = Bank::routed(test).await;
    let code = code(&test.shop_again("Admin").await).await;
    let shop = real(invited(test, "Convidada", &code).await).await;
    let (sold, payment) = paid(test, &bank, &shop, 1_000).await;
    let taken = json!({
        "dialect": "efi", "action": "take_back", "e2e": payment, "amount_cents": 2_000,
    });
    bank.at("/__med", taken).await;
    bank.notify(test, &payment).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
    let own = administrator(test).await;
    let other = test.other_admin().await.with("x-dev-mode", "false");
    let found = own.list(OPEN).await;
    assert_eq!(kinds(&found), ["TAKEN_BACK"]);
    let dispute = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let difference = format!("/api/admin/reconciliation/{}/resolve", id(&found[0]));
    let decisions = [
        (dispute, json!({ "outcome": "WON", "note": "O banco errou." })),
        (difference, json!({ "note": "O banco errou." })),
    ];
    for (path, body) in decisions {
        own.post(&path, body.clone()).await.expect_refusal(403, "SELF_APPROVAL");
        other.post(&path, body).await.expect(200);
    }
    assert_eq!(status(&shop, &sold).await, "PAID");
    test.prove_books().await;
}
