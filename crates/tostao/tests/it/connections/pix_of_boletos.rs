//! PIX that may have paid a boleto: none is matched or returned before an administrator has
//! compared them, or it is too late for a report of that boleto.

use std::time::Duration;

use serde_json::{Value, json};

use super::boleto_scene::{BoletoScene, Profile, sale};
use super::boletos::{held, nameless_pix, send_back};
use super::payments::pass;
use super::scene::pass_in;
use super::{KEY, administrator, as_real, read, real, status};
use crate::affiliates::{join, program};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

/// A PIX that names no charge, once it is known.
async fn arrives(test: &TestApp, scene: &BoletoScene) -> String {
    let paid = nameless_pix(scene, 10_000).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    paid
}

/// Stores what a PIX was found to be, or tries to.
async fn resolve(test: &TestApp, money: &Value, finding: Value) -> Reply {
    let path = format!("/api/admin/unmatched/{}/resolve", id(money));
    administrator(test).await.post(&path, finding).await
}

/// Applies a PIX to a charge, or tries to.
async fn assign(test: &TestApp, money: &Value, to: &Value) -> Reply {
    let path = format!("/api/admin/unmatched/{}/match", id(money));
    let to = json!({ "transactionId": id(to) });
    administrator(test).await.post(&path, to).await
}

fn duplicate(of: &Value) -> Value {
    json!({ "outcome": "DUPLICATE", "transactionId": id(of), "note": "A mesma hora no portal." })
}

fn separate() -> Value {
    json!({ "outcome": "SEPARATE", "note": "O boleto foi pago numa lotérica." })
}

/// Proves that money is not returned, for a reason.
async fn stays(test: &TestApp, paid: &str, why: &str) {
    let money = held(test, paid).await;
    let refused = send_back(test, &money).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(refused.text.contains(why), "{}", refused.text);
    assert_eq!(held(test, paid).await, money, "nothing changes");
}

#[story::test]
async fn a_pix_is_not_returned_while_the_report_of_a_boleto_that_it_paid_may_come(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    let paid = arrives(test, &scene).await;
    stays(test, &paid, "which may yet report this PIX as its payment").await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    stays(test, &paid, id(&charge)).await;
    test.prove_books().await;
}

#[story::test]
async fn a_pix_of_a_boleto_that_is_not_made_yet_is_not_returned(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Inter).await;
    scene.bank.at("/__settings", json!({ "inter_slip_processing_asks": 1_000_000 })).await;
    let charge = scene.order().await;
    let txid = scene.bank.has("/inter/slips/0/txid").await;
    let pix = json!({ "dialect": "inter", "charge": txid, "key": KEY, "amount_cents": 10_000 });
    let paid = scene.bank.at("/__pay", pix).await["e2e"][0].clone();
    pass(test, &scene.bank, Duration::from_mins(8)).await;
    stays(test, paid.as_str().expect("has an id"), "may yet report this PIX").await;
    scene.happens("pix", json!({})).await;
    scene.notify(test).await;
    scene.bank.at("/__settings", json!({ "inter_slip_processing_asks": 0 })).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(16)).await;
    let now = read(&scene.shop, &charge).await;
    assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
    assert_eq!(held(test, paid.as_str().expect("has an id")).await["status"], "MATCHED");
    test.prove_books().await;
}

#[story::test]
async fn a_pix_of_a_saturday_that_no_boleto_was_paid_with_by_wednesday_is_returned(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    scene.order().await;
    let paid = arrives(test, &scene).await;
    pass_in(test, &scene.bank, 10, Duration::from_hours(11)).await;
    stays(test, &paid, "Wait until 2026-11-26").await;
    pass_in(test, &scene.bank, 1, Duration::from_hours(1)).await;
    send_back(test, &held(test, &paid).await).await.expect(200);
    test.run_jobs().await;
    assert_eq!(scene.bank.refunds_of(&paid).await, 1);
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_arrives_late_is_kept_for_a_boleto_that_is_reported_late_too(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    scene.bank.fault("pix.list", json!({ "fault": "status", "status": 500, "times": 999 })).await;
    let paid = nameless_pix(&scene, 10_000).await;
    pass_in(test, &scene.bank, 9, Duration::from_hours(11)).await;
    scene.bank.recovers().await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(20)).await;
    pass_in(test, &scene.bank, 1, Duration::from_hours(11)).await;
    stays(test, &paid, "which may yet report this PIX as its payment").await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    stays(test, &paid, id(&charge)).await;
    resolve(test, &held(test, &paid).await, duplicate(&charge)).await.expect(200);
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_may_have_paid_a_boleto_is_matched_once_it_is_said_to_be_other_money(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    for why in ["Wait until 2026-11-26", id(&charge)] {
        let refused = assign(test, &money, &charge).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert!(refused.text.contains(why), "{}", refused.text);
        assert!(refused.text.contains("resolve it"), "{}", refused.text);
        scene.happens("boleto", json!({})).await;
        scene.notify(test).await;
    }
    assert_eq!(held(test, &paid).await, money, "nothing changes");
    assert_eq!(read(&scene.shop, &charge).await["unmatchedAmount"], 0);
    resolve(test, &money, separate()).await.expect(200);
    assign(test, &money, &charge).await.expect(200);
    assert_eq!(read(&scene.shop, &charge).await["unmatchedAmount"], 10_000);
    test.prove_books().await;
}

#[story::test]
async fn a_boleto_that_is_paid_after_a_pix_was_said_to_be_other_money_is_compared_with_it(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    let paid = arrives(test, &scene).await;
    resolve(test, &held(test, &paid).await, separate()).await.expect(200);
    pass(test, &scene.bank, Duration::from_hours(1)).await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    stays(test, &paid, id(&charge)).await;
    pass(test, &scene.bank, Duration::from_mins(1)).await;
    resolve(test, &held(test, &paid).await, separate()).await.expect(200);
    send_back(test, &held(test, &paid).await).await.expect(200);
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_is_a_paid_boletos_money_ends_as_its_duplicate_and_is_what_is_refunded(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    let early = resolve(test, &money, duplicate(&charge)).await;
    early.expect_refusal(409, "INVALID_STATE_TRANSITION");
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    for (wrong, field) in [
        (json!({ "outcome": "DUPLICATE", "note": "É." }), "transactionId"),
        (json!({ "outcome": "SEPARATE", "note": "" }), "note"),
        (merged(separate(), &json!({ "transactionId": id(&charge) })), "transactionId"),
    ] {
        let refused = resolve(test, &money, wrong).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    }
    let path = format!("/api/admin/unmatched/{}/resolve", id(&money));
    let asked = scene.shop.owner.post(&path, duplicate(&charge)).await;
    asked.expect_refusal(401, "UNAUTHORIZED");
    for _ in 0..2 {
        let ended = resolve(test, &money, duplicate(&charge)).await.expect(200)["data"].clone();
        let shown = [&ended["status"], &ended["resolution"], &ended["transactionId"]];
        assert_eq!(shown, [&json!("MATCHED"), &json!("DUPLICATE"), &charge["id"]]);
    }
    resolve(test, &money, separate()).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    send_back(test, &money).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let now = read(&scene.shop, &charge).await;
    assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
    assert_eq!(scene.pending().await, 10_000);
    test.prove_books().await;
    // The PIX of that boleto is known, so another one is other money.
    let other = arrives(test, &scene).await;
    send_back(test, &held(test, &other).await).await.expect(200);
    let refund = format!("/api/v1/transactions/{}/refund", id(&charge));
    scene.shop.owner.post(&refund, json!({ "reason": "Devolvido." })).await.expect(201);
    test.run_jobs().await;
    let refunds = [scene.bank.refunds_of(&paid).await, scene.bank.refunds_of(&other).await];
    assert_eq!(refunds, [1, 1]);
    let audit = "/api/admin/audit?action=unmatched.resolved";
    let audit = administrator(test).await.get(audit).await.expect(200);
    assert_eq!(audit["data"].as_array().map(Vec::len), Some(1), "{audit}");
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_is_other_money_than_a_boletos_is_returned_once_that_is_said(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let none = arrives(test, &scene).await;
    let needless = resolve(test, &held(test, &none).await, separate()).await;
    needless.expect_refusal(409, "INVALID_STATE_TRANSITION");
    scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    for _ in 0..2 {
        let said = resolve(test, &money, separate()).await.expect(200)["data"].clone();
        assert_eq!((&said["status"], &said["resolution"]), (&json!("OPEN"), &json!("SEPARATE")));
        assert_eq!(said["note"], separate()["note"]);
    }
    let otherwise = merged(separate(), &json!({ "note": "Outro pagador." }));
    let refused = resolve(test, &money, otherwise).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    send_back(test, &money).await.expect(200);
    test.run_jobs().await;
    assert_eq!(scene.bank.refunds_of(&paid).await, 1);
    test.prove_books().await;
}

#[story::test]
async fn no_administrator_resolves_what_may_have_paid_a_boleto_of_their_own(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let own = real(test.shop_again("Admin").await).await;
    let ordered = own.owner.post("/api/v1/transactions", sale(10_000)).await.expect(201);
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    resolve(test, &money, separate()).await.expect_refusal(403, "SELF_APPROVAL");
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    for finding in [separate(), duplicate(&ordered["transaction"])] {
        resolve(test, &money, finding).await.expect_refusal(403, "SELF_APPROVAL");
    }
    assert_eq!(held(test, &paid).await, money, "nothing changes");
}

#[story::test]
async fn no_administrator_matches_or_returns_what_may_have_paid_a_boleto_of_their_own(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let own = real(test.shop_again("Admin").await).await;
    own.owner.post("/api/v1/transactions", sale(10_000)).await.expect(201);
    let second = scene.order().await;
    let paid = arrives(test, &scene).await;
    pass_in(test, &scene.bank, 11, Duration::from_hours(11)).await;
    let money = held(test, &paid).await;
    assign(test, &money, &second).await.expect_refusal(403, "SELF_APPROVAL");
    send_back(test, &money).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(held(test, &paid).await, money, "nothing changes");
    let path = format!("/api/admin/unmatched/{}/return", id(&money));
    another(test).await.post(&path, json!({})).await.expect(200);
}

#[story::test]
async fn no_administrator_says_that_a_pix_paid_anothers_boleto_if_it_may_have_paid_their_own(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let own = real(test.shop_again("Admin").await).await;
    own.owner.post("/api/v1/transactions", sale(10_000)).await.expect(201);
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    resolve(test, &money, duplicate(&charge)).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(held(test, &paid).await, money, "nothing changes");
    let path = format!("/api/admin/unmatched/{}/resolve", id(&money));
    another(test).await.post(&path, duplicate(&charge)).await.expect(200);
}

#[story::test]
async fn no_administrator_says_that_a_pix_paid_a_boleto_that_they_have_a_commission_on(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let shop = Shop { key: scene.shop.owner.clone(), ..scene.shop };
    let scene = BoletoScene { shop, ..scene };
    let affiliate = as_real(test.shop_again("Admin").await).await;
    let product = scene.shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let link = join(&affiliate, &program(&scene.shop, &product, json!({})).await).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let more = json!({ "items": items, "affiliateCode": link["code"], "amountCents": null });
    let ordered = scene.shop.owner.post("/api/v1/transactions", merged(sale(10_000), &more)).await;
    let charge = ordered.expect(201)["transaction"].clone();
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    let paid = arrives(test, &scene).await;
    let money = held(test, &paid).await;
    resolve(test, &money, duplicate(&charge)).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(held(test, &paid).await, money, "nothing changes");
    let path = format!("/api/admin/unmatched/{}/resolve", id(&money));
    another(test).await.post(&path, duplicate(&charge)).await.expect(200);
    assert_eq!(held(test, &paid).await["status"], "MATCHED");
    test.prove_books().await;
}

#[story::test]
async fn a_report_of_fraud_about_the_pix_of_a_boleto_holds_the_boletos_money(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let paid = arrives(test, &scene).await;
    let report = json!({ "action": "open", "e2e": paid, "amount_cents": 10_000 });
    let report = scene.bank.at("/__med", report).await["id"].clone();
    pass_in(test, &scene.bank, 2, Duration::from_mins(65)).await;
    let open = "/api/admin/reconciliation?status=OPEN";
    assert_eq!(administrator(test).await.list(open).await[0]["kind"], "INFRACTION");
    resolve(test, &held(test, &paid).await, duplicate(&charge)).await.expect(200);
    pass_in(test, &scene.bank, 2, Duration::from_mins(65)).await;
    assert_eq!(status(&scene.shop, &charge).await, "DISPUTED");
    assert_eq!(administrator(test).await.list(open).await.len(), 0);
    scene.bank.at("/__med", json!({ "action": "accept", "id": report })).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(65)).await;
    assert_eq!(status(&scene.shop, &charge).await, "CHARGED_BACK");
    assert_eq!(administrator(test).await.list(open).await.len(), 0);
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_its_bank_took_back_is_not_the_duplicate_of_a_boleto(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let paid = arrives(test, &scene).await;
    let taken = json!({ "action": "take_back", "e2e": paid, "amount_cents": 10_000 });
    scene.bank.at("/__med", taken).await;
    scene.bank.notify(test, &paid).await.expect(200);
    pass_in(test, &scene.bank, 1, Duration::from_mins(6)).await;
    let open = administrator(test).await.list("/api/admin/reconciliation?status=OPEN").await;
    assert_eq!((open.len(), &open[0]["kind"]), (1, &json!("TAKEN_BACK")));
    let money = held(test, &paid).await;
    let refused = resolve(test, &money, duplicate(&charge)).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(refused.text.contains("sent money of it back"), "{}", refused.text);
    assert_eq!(held(test, &paid).await, money, "nothing changes");
    let close = format!("/api/admin/reconciliation/{}/resolve", id(&open[0]));
    let note = json!({ "note": "O banco tomou o PIX." });
    administrator(test).await.post(&close, note).await.expect(200);
    assert_eq!(held(test, &paid).await["status"], "RETURNED");
    resolve(test, &money, duplicate(&charge)).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(scene.bank.refunds_of(&paid).await, 1);
    test.prove_books().await;
}

/// An administrator without sales.
async fn another(test: &TestApp) -> Client {
    test.other_admin().await.with("x-dev-mode", "false")
}
