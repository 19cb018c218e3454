//! What a connection reports and nothing here explains.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::connections::differences::{Kind, NewDifference, note};
use tostao::housekeeping;

use super::orders::paid;
use super::{Bank, available, charge, real, status};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

const DIFFERENCES: &str = "/api/admin/reconciliation";

#[story::test]
async fn money_that_the_central_bank_takes_back_is_charged_back(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let (charge, payment) = paid(test, &bank, &shop, 1_000).await;
    let taken = json!({ "dialect": "efi", "action": "take_back", "e2e": payment });
    bank.at("/__med", taken).await;
    bank.notify(test, &payment).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "CHARGED_BACK");
    assert_eq!(available(&shop).await, 0);
    bank.notify(test, &payment).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
    assert_eq!(available(&shop).await, 0);
    assert_eq!(bank.admin.list(DIFFERENCES).await.len(), 0);
}

#[story::test]
async fn a_part_that_is_taken_back_is_a_refund_even_of_money_that_has_left(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let (charge, payment) = paid(test, &bank, &shop, 1_000).await;
    let wanted = json!({ "amountCents": 900, "pixKey": "ana@example.com", "pixKeyType": "email" });
    shop.owner.post("/api/withdraws", wanted).await.expect(201);
    let taken = json!({
        "dialect": "efi", "action": "take_back", "e2e": payment, "amount_cents": 300,
    });
    bank.at("/__med", taken).await;
    for _ in 0..3 {
        bank.notify(test, &payment).await.expect(200);
        test.run_jobs_after(Duration::from_secs(2)).await;
    }
    let now = super::read(&shop, &charge).await;
    assert_eq!((&now["status"], &now["refundedAmount"]), (&json!("PAID"), &json!(300)));
    assert_eq!(available(&shop).await, -200);
    let refunds = shop.owner.list(&format!("/api/v1/transactions/{}/refunds", id(&charge))).await;
    assert_eq!((refunds.len(), &refunds[0]["status"]), (1, &json!("COMPLETED")));
    assert_eq!(bank.admin.list(DIFFERENCES).await.len(), 0);
    assert_eq!(bank.calls("refund.create").await, 0);
    test.prove_books().await;
}

#[story::test]
async fn a_difference_is_closed_by_an_administrator_with_a_note(test: &TestApp, shop: Shop) {
    let bank = Bank::connected(test).await;
    bank.differs(test, 1).await;
    let found = bank.admin.list(&format!("{DIFFERENCES}?status=OPEN")).await;
    let path = format!("{DIFFERENCES}/{}", id(&found[0]));
    let note = json!({ "note": "" });
    let refused = bank.admin.post(&format!("{path}/resolve"), note).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["note"]);
    let note = json!({ "note": "A parte foi devolvida ao pagador." });
    let resolved = bank.admin.post(&format!("{path}/resolve"), note).await.expect(200);
    assert_eq!(resolved["data"]["status"], "RESOLVED");
    assert_eq!(bank.admin.get(&path).await.expect(200)["data"], resolved["data"]);
    shop.owner.get(DIFFERENCES).await.expect_refusal(403, "ADMIN_REQUIRED");
}

#[story::test]
async fn money_that_was_paid_twice_and_is_taken_back_once_leaves_the_sale_as_it_is(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let (charge, first) = paid(test, &bank, &shop, 1_000).await;
    let second = bank.pays(&charge, json!({ "late": true })).await;
    assert_ne!(first, second);
    bank.notify(test, &second).await.expect(200);
    test.run_jobs().await;
    bank.at("/__med", json!({ "dialect": "efi", "action": "take_back", "e2e": second })).await;
    bank.notify(test, &second).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(available(&shop).await, 1_000);
    assert_eq!(bank.admin.list(DIFFERENCES).await.len(), 0);
    test.prove_books().await;
}

#[story::test]
async fn a_difference_that_is_reported_otherwise_is_open_again(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let of = id(&bank.connection).parse().expect("is an id");
    let reported = async |state: &str| {
        let new = NewDifference::new(of, Kind::UnknownPayout, "p1".to_owned()).with("state", state);
        note(&test.app, new).await.expect("is stored");
    };
    reported("PROCESSING").await;
    let found = bank.admin.list(DIFFERENCES).await;
    let resolve = format!("{DIFFERENCES}/{}/resolve", id(&found[0]));
    bank.admin.post(&resolve, json!({ "note": "Feito no banco." })).await.expect(200);
    reported("PROCESSING").await;
    assert_eq!(bank.admin.list(&format!("{DIFFERENCES}?status=OPEN")).await.len(), 0);
    reported("PAID").await;
    let found = bank.admin.list(DIFFERENCES).await;
    assert_eq!((found.len(), &found[0]["status"]), (1, &json!("OPEN")));
    assert_eq!(found[0]["details"], json!({ "state": "PAID" }));
    assert!(found[0]["note"].is_null() && found[0]["decidedAt"].is_null(), "{found:?}");
    bank.admin.post(&resolve, json!({ "note": "Pago pelo banco." })).await.expect(200);
}

#[story::test]
async fn a_difference_gets_its_merchant_once_that_is_known_and_keeps_it(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let shop = real(shop).await;
    let (of, sold) = (id(&bank.connection).parse().expect("is an id"), charge(&shop, 1_000).await);
    let reported = async |state: &str, of_charge: Option<&str>| {
        let new = NewDifference::new(of, Kind::CardCharge, "c1".to_owned()).with("state", state);
        let new = if let Some(name) = of_charge { new.about_charge(name) } else { new };
        note(&test.app, new).await.expect("is stored");
        bank.admin.list(DIFFERENCES).await.pop().expect("is one")
    };
    let found = reported("PROCESSING", None).await;
    assert_eq!(found["userId"], Value::Null);
    let resolve = format!("{DIFFERENCES}/{}/resolve", id(&found));
    bank.admin.post(&resolve, json!({ "note": "Feito no banco." })).await.expect(200);
    let table = [
        ("PROCESSING", Some(id(&sold)), "RESOLVED"),
        ("PROCESSING", None, "RESOLVED"),
        ("PAID", None, "OPEN"),
    ];
    for (state, of_charge, expected) in table {
        let found = reported(state, of_charge).await;
        assert_eq!((&found["status"], &found["userId"]), (&json!(expected), &me["user"]["id"]));
    }
}

#[story::test]
async fn an_entry_that_is_kept_as_it_came_is_blanked_after_ninety_days(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let of = id(&bank.connection).parse().expect("is an id");
    for kind in [Kind::UnreadableEntry, Kind::UnknownRefund] {
        let new = NewDifference::new(of, kind, "r1".to_owned()).with("entry", "Ana Souza");
        note(&test.app, new).await.expect("is stored");
    }
    let all = [json!({ "entry": "Ana Souza" }), json!({ "entry": "Ana Souza" })];
    let one = [json!({ "entry": "Ana Souza" }), json!({})];
    let table = [(Duration::from_hours(90 * 24), all), (Duration::from_millis(1), one)];
    for (passes, expected) in table {
        test.pass(passes);
        housekeeping::run(&test.app).await.expect("runs");
        let admin = super::administrator(test).await;
        let found = admin.list(DIFFERENCES).await;
        let details: Vec<_> = found.iter().map(|found| found["details"].clone()).collect();
        assert_eq!(details, expected);
    }
}

#[story::test]
async fn a_flood_of_unreadable_entries_is_kept_up_to_a_thousand(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let of = id(&bank.connection).parse().expect("is an id");
    for number in 0..1_003 {
        let new = NewDifference::new(of, Kind::UnreadableEntry, format!("r{number}"));
        note(&test.app, new).await.expect("is stored");
    }
    let found = bank.admin.get(DIFFERENCES).await.expect(200);
    assert_eq!(found["pagination"]["total"], 1_000);
}

#[story::test]
async fn more_that_is_taken_back_than_is_left_holds_the_rest_until_somebody_decides(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let (charge, payment) = paid(test, &bank, &shop, 1_000).await;
    for cents in [300, 1_000] {
        let taken = json!({
            "dialect": "efi", "action": "take_back", "e2e": payment, "amount_cents": cents,
        });
        bank.at("/__med", taken).await;
        bank.notify(test, &payment).await.expect(200);
        test.run_jobs_after(Duration::from_secs(2)).await;
    }
    assert_eq!(status(&shop, &charge).await, "DISPUTED");
    assert_eq!(available(&shop).await, 0);
    let found = bank.admin.list(DIFFERENCES).await;
    assert_eq!((found.len(), &found[0]["kind"]), (1, &json!("TAKEN_BACK")));
    assert_eq!(found[0]["amount"], 1_000);
    test.prove_books().await;
}
