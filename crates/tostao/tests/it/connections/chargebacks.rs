//! Chargebacks of cards: held, decided, of a part, and more than once.

use serde_json::json;

use super::acquirer::{Acquirer, DIFFERENCES};
use super::card_events::DAY;
use super::card_scene::{CardScene, HALF_AN_HOUR};
use super::{administrator, as_real, available, real, status};
use crate::affiliates::{commissions, join, program};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

/// The buyer contests what is left, and the issuer decides for the merchant.
async fn is_held_until_it_is_won(test: &TestApp, scene: &CardScene) {
    scene.disputes(json!({})).await;
    scene.notify(test).await;
    assert_eq!(scene.status().await, "DISPUTED");
    scene.disputes(json!({ "outcome": "won" })).await;
    scene.pass_lists(test).await;
    assert_eq!(scene.status().await, "PAID");
}

#[story::test]
async fn a_chargeback_holds_the_payment_until_it_is_won(test: &TestApp) {
    let scene = CardScene::open(test).await;
    is_held_until_it_is_won(test, &scene).await;
    assert_eq!(scene.acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_chargeback_whose_notice_is_lost_is_found_in_what_the_acquirer_owes(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.disputes(json!({})).await;
    scene.acquirer.pass(test, HALF_AN_HOUR).await;
    assert_eq!(scene.status().await, "DISPUTED");
}

#[story::test]
async fn an_administrator_resolves_a_chargeback_whose_loss_only_the_dashboard_shows(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&scene.sold));
    let lost = json!({ "outcome": "LOST", "note": "Perdido, diz a Pagar.me." });
    let early = scene.acquirer.admin.post(&path, lost.clone()).await;
    early.expect_refusal(409, "INVALID_STATE_TRANSITION");
    scene.disputes(json!({})).await;
    scene.disputes(json!({ "outcome": "lost" })).await;
    scene.notify(test).await;
    assert_eq!(scene.status().await, "DISPUTED");
    let nothing = json!({ "outcome": "LOST", "note": "" });
    let refused = scene.acquirer.admin.post(&path, nothing).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["note"]);
    scene.shop.owner.post(&path, lost.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    for _ in 0..2 {
        let decided = scene.acquirer.admin.post(&path, lost.clone()).await.expect(200);
        assert_eq!(
            (&decided["data"]["status"], &decided["data"]["amountCents"]),
            (&json!("LOST"), &json!(10_000))
        );
    }
    let won = json!({ "outcome": "WON", "note": "Ou não." });
    scene.acquirer.admin.post(&path, won).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(scene.status().await, "CHARGED_BACK");
    let audit =
        scene.acquirer.admin.get("/api/admin/audit?action=dispute.resolved").await.expect(200);
    assert_eq!(audit["data"].as_array().map(Vec::len), Some(1), "{audit}");
    test.prove_books().await;
}

#[story::test]
async fn a_chargeback_after_a_refund_in_the_dashboard_is_about_the_rest_and_is_won(test: &TestApp) {
    let scene = CardScene::open(test).await;
    scene.acquirer.cancel(&scene.theirs, 4_000).await;
    is_held_until_it_is_won(test, &scene).await;
    assert_eq!(scene.acquirer.differences(test).await, [("UNKNOWN_REFUND".to_owned(), 4_000)]);
    test.prove_books().await;
}

#[story::test]
async fn a_chargeback_of_a_part_holds_that_part_until_it_is_won(test: &TestApp) {
    let scene = CardScene::in_two(test).await;
    scene.disputes(json!({ "amount_cents": 3_000 })).await;
    for _ in 0..2 {
        scene.notify(test).await;
        scene.acquirer.pass(test, HALF_AN_HOUR).await;
    }
    assert_eq!((&*scene.status().await, scene.pending().await), ("DISPUTED", 7_000));
    test.prove_books().await;
    scene.disputes(json!({ "outcome": "won", "amount_cents": 3_000 })).await;
    scene.pass_lists(test).await;
    assert_eq!((&*scene.status().await, scene.pending().await), ("PAID", 10_000));
    assert_eq!(scene.acquirer.differences(test).await, []);
    let published = ["transaction.paid", "transaction.disputed", "transaction.dispute_won"];
    assert_eq!(scene.events().await, published);
    test.prove_books().await;
}

#[story::test]
async fn a_part_that_is_lost_in_a_dispute_is_refunded_and_the_rest_stays_paid(test: &TestApp) {
    let scene = CardScene::in_two(test).await;
    scene.disputes(json!({ "amount_cents": 3_000 })).await;
    scene.notify(test).await;
    for _ in 0..2 {
        let dispute = scene.resolve(test, "LOST").await;
        assert_eq!((&dispute["status"], &dispute["amountCents"]), (&json!("LOST"), &json!(3_000)));
    }
    // The acquirer goes on saying that the charge is contested.
    for _ in 0..2 {
        scene.notify(test).await;
        scene.acquirer.pass(test, DAY).await;
    }
    let charge = scene.now().await;
    assert_eq!((&charge["status"], &charge["refundedAmount"]), (&json!("PAID"), &json!(3_000)));
    assert_eq!(scene.pending().await + available(&scene.shop).await, 7_000);
    assert_eq!(scene.acquirer.differences(test).await, []);
    let published = ["transaction.paid", "transaction.disputed", "transaction.refunded"];
    assert_eq!(scene.events().await, published);
    assert_eq!(scene.refunds().await, ["COMPLETED"]);
    test.prove_books().await;
}

#[story::test]
async fn each_of_two_chargebacks_of_parts_holds_its_own_and_ends_by_itself(test: &TestApp) {
    let scene = CardScene::in_two(test).await;
    let held = async || 10_000 - scene.pending().await - available(&scene.shop).await;
    scene.disputes(json!({ "amount_cents": 3_000 })).await;
    scene.report(test).await;
    scene.resolve(test, "LOST").await;
    scene.disputes(json!({ "amount_cents": 2_000 })).await;
    scene.report(test).await;
    assert_eq!((&*scene.status().await, held().await), ("DISPUTED", 5_000));
    scene.disputes(json!({ "outcome": "won", "amount_cents": 2_000 })).await;
    scene.report(test).await;
    assert_eq!((&*scene.status().await, held().await), ("PAID", 3_000));
    scene.disputes(json!({ "amount_cents": 1_000 })).await;
    scene.report(test).await;
    scene.disputes(json!({ "outcome": "won", "amount_cents": 1_000 })).await;
    scene.report(test).await;
    assert_eq!((&*scene.status().await, held().await), ("PAID", 3_000));
    assert_eq!(scene.now().await["refundedAmount"], 3_000);
    assert_eq!(scene.acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn an_affiliates_share_of_a_contested_part_is_held_and_given_back_or_lost(test: &TestApp) {
    let acquirer = Acquirer::routed(test).await;
    let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
    let (shop, affiliate) = (as_real(shop).await, as_real(affiliate).await);
    let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let link = join(&affiliate, &program(&shop, &product, json!({})).await).await;
    for outcome in ["WON", "LOST"] {
        let items = json!([{ "productId": id(&product), "quantity": 1 }]);
        let sale = json!({ "items": items, "affiliateCode": link["code"], "amountCents": null });
        let sold = acquirer.sell(&shop, sale).await;
        test.prove_books().await;
        let theirs = acquirer.newest().await;
        for more in [2_000, 3_000] {
            acquirer.dispute(&theirs, json!({ "amount_cents": more })).await;
            acquirer.notify(&test.anyone(), &theirs).await.expect(200);
            test.run_jobs().await;
            assert_eq!(status(&shop, &sold).await, "DISPUTED");
            test.prove_books().await;
        }
        let path = format!("/api/admin/disputes/{}/resolve", id(&sold));
        let ends = json!({ "outcome": outcome, "note": "Diz a Pagar.me." });
        acquirer.admin.post(&path, ends).await.expect(200);
        assert_eq!(status(&shop, &sold).await, "PAID");
        test.prove_books().await;
    }
    let earned = commissions(&affiliate).await;
    let mut amounts: Vec<_> = earned.iter().map(|it| it["amountCents"].as_i64()).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [Some(500), Some(1_000)], "{earned:?}");
}

#[story::test]
async fn no_administrator_resolves_a_dispute_about_a_sale_that_they_have_a_commission_on(
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
    acquirer.dispute(&theirs, json!({ "amount_cents": 10_000 })).await;
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs().await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let ends = json!({ "outcome": "WON", "note": "Diz a Pagar.me." });
    acquirer.admin.post(&path, ends.clone()).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(status(&shop, &sold).await, "DISPUTED");
    let other = test.other_admin().await.with("x-dev-mode", "false");
    other.post(&path, ends).await.expect(200);
    assert_eq!(status(&shop, &sold).await, "PAID");
}

#[story::test]
async fn a_chargeback_of_more_than_is_left_holds_that_and_waits_for_an_administrator(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    scene.refund(4_000).await;
    test.run_jobs().await;
    scene.disputes(json!({ "amount_cents": 7_000 })).await;
    scene.notify(test).await;
    assert_eq!((&*scene.status().await, scene.pending().await), ("DISPUTED", 0));
    assert_eq!(scene.acquirer.differences(test).await, [("CHARGEBACK".to_owned(), 7_000)]);
    test.prove_books().await;
}

#[story::test]
async fn a_charge_that_is_contested_again_after_it_was_won_is_disputed_again_until_it_ends(
    test: &TestApp,
) {
    let scene = CardScene::open(test).await;
    for (outcome, now, held) in [
        ("open", "DISPUTED", 10_000),
        ("won", "PAID", 0),
        ("open", "DISPUTED", 10_000),
        ("won", "PAID", 0),
        ("open", "DISPUTED", 10_000),
    ] {
        scene.disputes(json!({ "outcome": outcome })).await;
        scene.report(test).await;
        assert_eq!((&*scene.status().await, scene.pending().await), (now, 10_000 - held));
        test.prove_books().await;
    }
    let decided = scene.resolve(test, "LOST").await;
    assert_eq!((&decided["status"], &decided["amountCents"]), (&json!("LOST"), &json!(10_000)));
    assert_eq!(scene.status().await, "CHARGED_BACK");
    assert_eq!(scene.acquirer.differences(test).await, []);
    test.prove_books().await;
}

/// A chargeback of a part whose part is listed after its notice.
async fn listed_late(test: &TestApp) -> CardScene {
    let scene = CardScene::in_two(test).await;
    scene.disputes(json!({ "outcome": "unlisted" })).await;
    scene.notify(test).await;
    assert_eq!((&*scene.status().await, scene.pending().await), ("DISPUTED", 0));
    test.prove_books().await;
    scene.disputes(json!({ "amount_cents": 3_000 })).await;
    for _ in 0..2 {
        scene.report(test).await;
        assert_eq!((&*scene.status().await, scene.pending().await), ("DISPUTED", 7_000));
        test.prove_books().await;
    }
    scene
}

#[story::test]
async fn a_chargeback_whose_part_is_listed_late_holds_and_loses_that_part_alone(test: &TestApp) {
    let scene = listed_late(test).await;
    assert_eq!(scene.resolve(test, "LOST").await["amountCents"], 3_000);
    scene.report(test).await;
    let charge = scene.now().await;
    assert_eq!((&charge["status"], &charge["refundedAmount"]), (&json!("PAID"), &json!(3_000)));
    assert_eq!(scene.pending().await + available(&scene.shop).await, 7_000);
    let disputed = "transaction.disputed";
    let emitted = ["transaction.paid", disputed, disputed, "transaction.refunded"];
    assert_eq!(scene.events().await, emitted);
    let timeline = format!("/api/v1/transactions/{}/timeline", id(&scene.sold));
    let steps = scene.shop.owner.list(&timeline).await;
    let shown = |kind: &str| {
        let of_kind = steps.iter().filter(|step| step["kind"] == kind);
        of_kind.map(|step| step["amount"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("DISPUTED"), [10_000, 3_000]);
    assert_eq!((shown("DISPUTE_WON").len(), shown("CHARGED_BACK")), (0, vec![json!(3_000)]));
    assert_eq!(scene.acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_chargeback_whose_part_is_listed_late_is_won_with_that_part(test: &TestApp) {
    let scene = listed_late(test).await;
    scene.disputes(json!({ "outcome": "won", "amount_cents": 3_000 })).await;
    scene.report(test).await;
    assert_eq!((&*scene.status().await, scene.pending().await), ("PAID", 10_000));
    assert_eq!(scene.acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_second_chargeback_while_the_first_is_open_is_held_too_and_ends_with_it(test: &TestApp) {
    let mut scene = CardScene::in_two(test).await;
    for outcome in ["WON", "LOST"] {
        let before = scene.pending().await;
        for (more, held) in [(3_000, 3_000), (5_000, 8_000)] {
            scene.disputes(json!({ "amount_cents": more })).await;
            scene.report(test).await;
            let held_now = before - scene.pending().await;
            assert_eq!((&*scene.status().await, held_now), ("DISPUTED", held));
            test.prove_books().await;
        }
        if outcome == "LOST" {
            assert_eq!(scene.resolve(test, outcome).await["amountCents"], 8_000);
        } else {
            scene.disputes(json!({ "outcome": "won", "amount_cents": 8_000 })).await;
        }
        scene.report(test).await;
        let (now, refunded) = (scene.now().await, if outcome == "LOST" { 8_000 } else { 0 });
        assert_eq!((&now["status"], &now["refundedAmount"]), (&json!("PAID"), &json!(refunded)));
        assert_eq!(before - scene.pending().await, refunded);
        test.prove_books().await;
        scene.sell(json!({ "installments": 2 })).await;
    }
    assert_eq!(scene.acquirer.differences(test).await, []);
}

#[story::test]
async fn a_part_that_was_lost_and_is_given_again_waits_for_an_administrator(test: &TestApp) {
    let scene = CardScene::in_two(test).await;
    scene.disputes(json!({ "amount_cents": 3_000 })).await;
    scene.report(test).await;
    scene.resolve(test, "LOST").await;
    scene.disputes(json!({ "outcome": "won", "amount_cents": 3_000 })).await;
    scene.report(test).await;
    let charge = scene.now().await;
    assert_eq!((&charge["status"], &charge["refundedAmount"]), (&json!("PAID"), &json!(3_000)));
    assert_eq!(scene.acquirer.differences(test).await, [("CHARGEBACK".to_owned(), 3_000)]);
    test.prove_books().await;
}

#[story::test]
async fn a_list_goes_on_while_its_contested_charges_are_asked_about_and_none_is_lost(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let mut sales = Vec::new();
    for _ in 0..3 {
        sales.push(acquirer.sell(&shop, json!({})).await);
        acquirer.dispute(&acquirer.newest().await, json!({})).await;
    }
    // Only the list of what is owed says that they are contested.
    for operation in ["order.list", "charge.get"] {
        // Failures of the network would have the acquirer left alone for a while.
        let refused = json!({ "fault": "unauthorized", "times": 10_000 });
        acquirer.fault(operation, refused).await;
    }
    let sql = "select cast(read_until as text) from connection_watermarks where list = 'payables'";
    let read_until = async || Engine::open(test).await.rows(sql).await[0][0].clone();
    let before = read_until().await;
    for _ in 0..2 {
        // What was due by then is of the next list.
        acquirer.pass(test, HALF_AN_HOUR).await;
    }
    assert_ne!(read_until().await, before);
    let lanes = "select distinct lane from jobs where kind = 'look_into_notice'";
    // Refunds and charges are not to wait for them.
    assert_eq!(Engine::open(test).await.rows(lanes).await, [["questions pagarme-1"]]);
    let waiting = "select cast(count(*) as text) from jobs where kind = 'look_into_notice'";
    for _ in 0..3 {
        // Of each charge: what is contested of it, and whose it is.
        assert_eq!(Engine::open(test).await.rows(waiting).await, [["6"]]);
        acquirer.pass(test, HALF_AN_HOUR).await;
    }
    acquirer.heal().await;
    acquirer.pass(test, HALF_AN_HOUR).await;
    for sold in &sales {
        assert_eq!(status(&shop, sold).await, "DISPUTED");
    }
    assert_eq!(Engine::open(test).await.rows(waiting).await, [["0"]]);
    assert_eq!(acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn what_was_never_answered_about_a_charge_is_one_difference_until_any_answer_about_it(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.sell(&shop, json!({})).await;
    let theirs = acquirer.newest().await;
    acquirer.dispute(&theirs, json!({})).await;
    let refused = json!({ "fault": "unauthorized", "times": 10_000 });
    for operation in ["order.list", "charge.get"] {
        acquirer.fault(operation, refused.clone()).await;
    }
    for _ in 0..30 {
        acquirer.pass(test, HALF_AN_HOUR).await;
    }
    assert_eq!(acquirer.differences(test).await, [("NOT_TAKEN_IN".to_owned(), 0)]);
    let found = administrator(test).await.list(DIFFERENCES).await;
    assert_eq!(found[0]["reference"], json!(theirs));
    acquirer.heal().await;
    // No list is due.
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs().await;
    assert_eq!(acquirer.differences(test).await, []);
}
