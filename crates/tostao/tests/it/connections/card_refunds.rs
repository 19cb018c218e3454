//! Refunds of cards, by an acquirer that knows no more of them than a total for each charge.

use std::time::Duration;

use serde_json::json;

use super::acquirer::{Acquirer, SLOW};
use super::card_scene::CardScene;
use super::{administrator, as_real, status};
use crate::affiliates::{join, program};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::id;

const HOUR: Duration = Duration::from_hours(1);

/// What was refunded of each refund's charge before it, oldest first.
async fn before(test: &TestApp) -> Vec<Vec<String>> {
    let rows = "select cast(coalesce(refunded_before_cents, -1) as text) from refunds order by id";
    Engine::open(test).await.rows(rows).await
}

#[story::test]
async fn a_charge_is_refunded_in_parts_and_then_whole(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.refund(3_000).await;
    test.run_jobs().await;
    assert_eq!((&*scene.status().await, scene.canceled().await), ("PAID", json!(3_000)));
    scene.refund(7_000).await;
    test.run_jobs().await;
    assert_eq!(scene.status().await, "REFUNDED");
    assert_eq!(scene.canceled().await, 10_000);
    assert_eq!(before(test).await, [["0"], ["3000"]]);
    test.prove_books().await;
}

#[story::test]
async fn a_refund_whose_answer_is_lost_is_found_in_the_total_and_sent_once(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.hide_charges().await;
    scene.acquirer.fault("charge.cancel", json!({ "fault": "cut_after", "times": 1 })).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    assert_eq!(scene.refunds().await, ["PENDING"]);
    scene.acquirer.heal().await;
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["COMPLETED"]);
    assert_eq!(scene.canceled().await, 4_000);
    assert_eq!(scene.acquirer.sent("charge.cancel").await.len(), 1);
}

#[story::test]
async fn a_second_refund_of_a_charge_waits_until_the_first_has_ended(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.hide_charges().await;
    scene.acquirer.fault("charge.cancel", json!({ "fault": "cut_after", "times": 1 })).await;
    scene.refund(3_000).await;
    test.run_jobs().await;
    scene.acquirer.hide().await;
    scene.refund(2_000).await;
    for _ in 0..6 {
        scene.acquirer.pass(test, HOUR / 6).await;
    }
    assert_eq!(scene.refunds().await, ["PENDING", "PENDING"]);
    assert_eq!(scene.acquirer.sent("charge.cancel").await.len(), 1);
    scene.acquirer.heal().await;
    scene.acquirer.pass(test, HOUR).await;
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(scene.canceled().await, 5_000);
    assert_eq!(before(test).await, [["0"], ["3000"]]);
    assert_eq!(scene.acquirer.sent("charge.cancel").await.len(), 2);
    test.prove_books().await;
}

#[story::test]
async fn the_next_refund_goes_on_from_where_a_refused_one_left_the_total(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.hide_charges().await;
    scene.acquirer.fault("charge.cancel", json!({ "fault": "cut_before", "times": 1 })).await;
    scene.refund(3_000).await;
    test.run_jobs().await;
    scene.acquirer.hide().await;
    scene.acquirer.pass(test, HOUR).await;
    // The second one is asked for now, so that the first one is tried before it.
    scene.refund(2_000).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_millis(1_500)).await;
    scene.disputes(json!({})).await;
    scene.acquirer.heal().await;
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(scene.refunds().await, ["FAILED", "PENDING"]);
    scene.disputes(json!({ "outcome": "won" })).await;
    test.run_jobs_after(Duration::from_secs(4)).await;
    assert_eq!(scene.refunds().await, ["FAILED", "COMPLETED"]);
    assert_eq!(scene.canceled().await, 2_000);
    assert_eq!(before(test).await, [["0"], ["0"]]);
    test.prove_books().await;
}

#[story::test]
async fn a_refund_in_the_acquirers_dashboard_stops_no_other_and_is_one_difference(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.cancel(&scene.theirs, 500).await;
    for cents in [3_000, 2_000] {
        scene.refund(cents).await;
        test.run_jobs().await;
        scene.pass_lists(test).await;
        assert_eq!(scene.acquirer.differences(test).await, [("UNKNOWN_REFUND".to_owned(), 500)]);
    }
    assert_eq!(scene.refunds().await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(scene.canceled().await, 5_500);
    assert_eq!(before(test).await, [["500"], ["3500"]]);
    test.prove_books().await;
}

#[story::test]
async fn a_refund_that_the_acquirer_cannot_make_yet_lets_the_next_one_pass_and_is_made_later(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 0 })).await;
    scene.refund(3_000).await;
    test.run_jobs().await;
    assert_eq!(scene.refunds().await, ["PENDING"]);
    assert_eq!(before(test).await, [["-1"]]);
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 10_000 })).await;
    scene.refund(2_000).await;
    test.run_jobs().await;
    assert_eq!(scene.refunds().await, ["PENDING", "COMPLETED"]);
    // The acquirer repeats a refusal to the same key for a day, so another attempt has another.
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(scene.canceled().await, 5_000);
    assert_eq!(before(test).await, [["2000"], ["0"]]);
    test.prove_books().await;
}

#[story::test]
async fn a_refund_that_may_have_been_sent_gives_its_turn_back_once_it_certainly_was_not(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    scene.acquirer.hide_charges().await;
    scene.acquirer.fault("charge.cancel", json!({ "fault": "cut_before", "times": 1 })).await;
    scene.refund(3_000).await;
    test.run_jobs().await;
    scene.acquirer.heal().await;
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 0 })).await;
    scene.acquirer.pass(test, HOUR / 12).await;
    assert_eq!(before(test).await, [["0"]], "it may still arrive");
    scene.acquirer.pass(test, HOUR / 2).await;
    assert_eq!(
        (scene.refunds().await, before(test).await),
        ([json!("PENDING")].to_vec(), [["-1".to_owned()].to_vec()].to_vec())
    );
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 10_000 })).await;
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["COMPLETED"]);
    assert_eq!(scene.canceled().await, 3_000);
}

#[story::test]
async fn an_administrator_resolves_a_refund_that_the_total_does_not_show_and_the_next_one_is_made(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    scene.acquirer.hide_charges().await;
    scene.acquirer.fault("charge.cancel", json!({ "fault": "cut_after", "times": 1 })).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    let path = scene.resolution().await;
    let fails = json!({ "outcome": "FAILED", "note": "Não está no painel." });
    let refused = administrator(test).await.post(&path, fails).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(refused.text.contains("may still be carried out"), "{}", refused.text);
    assert_eq!(scene.refunds().await, ["PENDING"]);
    // The total moves by another refund, too, so that it says of neither whether it was made.
    scene.acquirer.cancel(&scene.theirs, 700).await;
    scene.acquirer.heal().await;
    scene.refund(1_000).await;
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["PENDING", "PENDING"]);
    let made = json!({ "outcome": "COMPLETED", "note": "Está no painel da Pagar.me." });
    scene.shop.owner.post(&path, made.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    let nothing =
        administrator(test).await.post(&path, json!({ "outcome": "COMPLETED", "note": "" })).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["note"]);
    for _ in 0..2 {
        let decided = administrator(test).await.post(&path, made.clone()).await.expect(200);
        assert_eq!(decided["data"]["status"], "COMPLETED", "{decided}");
    }
    let other = json!({ "outcome": "FAILED", "note": "Ou não." });
    administrator(test)
        .await
        .post(&path, other)
        .await
        .expect_refusal(409, "INVALID_STATE_TRANSITION");
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.refunds().await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(scene.canceled().await, 5_700);
    let audit =
        administrator(test).await.get("/api/admin/audit?action=refund.resolved").await.expect(200);
    assert_eq!(audit["data"].as_array().map(Vec::len), Some(1), "{audit}");
    test.prove_books().await;
}

#[story::test]
async fn a_refund_that_an_administrator_fails_is_the_merchants_money_again(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 0 })).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    let path = scene.resolution().await;
    let failed = json!({ "outcome": "FAILED", "note": "A conta foi encerrada." });
    let decided = administrator(test).await.post(&path, failed).await.expect(200);
    assert_eq!(decided["data"]["failureReason"], "resolved_by_administrator", "{decided}");
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 10_000 })).await;
    scene.acquirer.pass(test, HOUR).await;
    assert_eq!(scene.canceled().await, 0);
    assert_eq!(scene.now().await["refundedAmount"], 0);
    test.prove_books().await;
}

#[story::test]
async fn no_administrator_resolves_a_refund_or_a_charge_of_their_own(test: &TestApp) {
    let acquirer = Acquirer::routed(test).await;
    let scene = CardScene::of(acquirer, test.shop_again("Admin").await, json!({})).await;
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 0 })).await;
    scene.refund(4_000).await;
    let (charge, _) = scene.acquirer.open(&scene.shop, SLOW).await;
    scene.acquirer.pass(test, HOUR).await;
    let refund = scene.resolution().await;
    let made = json!({ "outcome": "COMPLETED", "note": "Está no painel." });
    administrator(test).await.post(&refund, made).await.expect_refusal(403, "SELF_APPROVAL");
    let fail = format!("/api/admin/charges/{}/resolve", id(&charge));
    let why = json!({ "outcome": "FAILED", "note": "Está no painel." });
    administrator(test).await.post(&fail, why).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(scene.refunds().await, ["PENDING"]);
    assert_eq!(status(&scene.shop, &charge).await, "PROCESSING");
}

#[story::test]
async fn no_administrator_resolves_a_refund_of_a_sale_that_they_have_a_commission_on(
    test: &TestApp,
) {
    let acquirer = Acquirer::routed(test).await;
    let (shop, affiliate) = (test.shop("Loja").await, test.shop_again("Admin").await);
    let (shop, affiliate) = (as_real(shop).await, as_real(affiliate).await);
    let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let link = join(&affiliate, &program(&shop, &product, json!({})).await).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let sale = json!({ "items": items, "affiliateCode": link["code"], "amountCents": null });
    let sold = acquirer.sell(&shop, sale).await;
    let theirs = acquirer.newest().await;
    let scene = CardScene { acquirer, shop, sold, theirs };
    scene.acquirer.set(json!({ "pagarme_refund_cents_max": 0 })).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    let path = scene.resolution().await;
    let failed = json!({ "outcome": "FAILED", "note": "A conta foi encerrada." });
    administrator(test)
        .await
        .post(&path, failed.clone())
        .await
        .expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(scene.refunds().await, ["PENDING"]);
    let other = test.other_admin().await.with("x-dev-mode", "false");
    other.post(&path, failed).await.expect(200);
    assert_eq!(scene.refunds().await, ["FAILED"]);
    test.prove_books().await;
}
