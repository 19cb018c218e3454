//! The addresses of notices: a notice is a hint, and nothing is booked from it.

use serde_json::json;

use super::{Bank, available, charge, status};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test]
async fn a_payment_that_a_notice_names_is_asked_about_and_booked_as_the_bank_answers(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let charge = charge(&shop, 1_000).await;
    let paid = bank.pays(&charge, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    assert_eq!(status(&shop, &charge).await, "PENDING");
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(available(&shop).await, 1_000);
}

#[story::test]
async fn a_notice_repeated_a_thousand_times_books_once_and_asks_a_few_times(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let charge = charge(&shop, 1_000).await;
    let paid = bank.pays(&charge, json!({})).await;
    for _ in 0..1_000 {
        bank.notify(test, &paid).await.expect(200);
    }
    test.run_jobs().await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(available(&shop).await, 1_000);
    assert!(bank.calls("pix.get").await < 10);
}

#[story::test]
async fn a_forged_notice_books_nothing(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let charge = charge(&shop, 1_000).await;
    let forged = "E00000000202611211200abcdefghijk";
    bank.notify(test, forged).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PENDING");
    assert_eq!(available(&shop).await, 0);
}

#[story::test]
async fn an_address_answers_only_under_its_secret_part(test: &TestApp) {
    let bank = Bank::routed(test).await;
    test.run_jobs().await;
    let anyone = test.anyone();
    let door = bank.door();
    anyone.get(&door).await.expect(200);
    anyone.post(&door, json!({ "evento": "teste_webhook" })).await.expect(200);
    anyone.post_bytes(&door, b"no JSON".to_vec()).await.expect_refusal(400, "INVALID_JSON");
    let other = format!("{}0", &door[..door.len() - 1]);
    let other = if other == door { format!("{}1", &door[..door.len() - 1]) } else { other };
    for wrong in [other.as_str(), "/providers/efi-main", &format!("{door}0"), "/providers/none"] {
        anyone.get(wrong).await.expect_refusal(404, "NOT_FOUND");
        anyone.post(wrong, json!({})).await.expect_refusal(404, "NOT_FOUND");
        let pix = format!("{wrong}/pix");
        anyone.post(&pix, json!({ "pix": [] })).await.expect_refusal(404, "NOT_FOUND");
    }
    assert_eq!(test.run_jobs().await, 0);
}

#[story::test]
async fn a_bank_that_does_not_answer_is_asked_again_and_nothing_is_booked_until_it_does(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let charge = charge(&shop, 1_000).await;
    let paid = bank.pays(&charge, json!({})).await;
    bank.fault("pix.get", json!({ "fault": "status", "status": 500, "times": 2 })).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PENDING");
    test.run_jobs_after(std::time::Duration::from_secs(10)).await;
    test.run_jobs_after(std::time::Duration::from_secs(10)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
}
