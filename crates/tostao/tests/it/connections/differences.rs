//! What a connection reports and nothing here explains.

use serde_json::json;

use super::orders::paid;
use super::{Bank, available, status};
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
    test.run_jobs_after(std::time::Duration::from_secs(2)).await;
    assert_eq!(available(&shop).await, 0);
    assert_eq!(bank.admin.list(DIFFERENCES).await.len(), 0);
}

#[story::test]
async fn a_part_that_is_taken_back_holds_the_payment_and_waits_for_an_administrator(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let (charge, payment) = paid(test, &bank, &shop, 1_000).await;
    let taken = json!({
        "dialect": "efi", "action": "take_back", "e2e": payment, "amount_cents": 300,
    });
    bank.at("/__med", taken).await;
    for _ in 0..3 {
        bank.notify(test, &payment).await.expect(200);
        test.run_jobs_after(std::time::Duration::from_secs(2)).await;
    }
    assert_eq!(status(&shop, &charge).await, "DISPUTED");
    let found = bank.admin.list(&format!("{DIFFERENCES}?status=OPEN")).await;
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["kind"], &found[0]["amount"]), (&json!("TAKEN_BACK"), &json!(300)));
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
    test.run_jobs_after(std::time::Duration::from_secs(2)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(available(&shop).await, 1_000);
    let found = bank.admin.list(DIFFERENCES).await;
    assert_eq!((found.len(), &found[0]["kind"]), (1, &json!("TAKEN_BACK")));
}
