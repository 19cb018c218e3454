//! Receipts in the dashboard and in the API: mailed to the buyer, a few a day.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, as_unknown, join, next, typed};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::mail::standing;

const LIST: &str = "/dashboard/dev/transactions";
const SUPPORT: &str = "apoio@example.com";
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn path_of(payment: &Value) -> String {
    format!("{LIST}/{}", id(payment))
}

fn api_of(payment: &Value) -> String {
    format!("/api/v1/transactions/{}/receipt", id(payment))
}

#[story::test]
async fn support_mails_a_receipt_to_its_buyer(test: &TestApp, shop: Shop) {
    let payment = shop.sell(4_990).await;
    join(test, &shop, SUPPORT, "SUPPORT").await;
    let before = standing(test).await.len();
    let browser = Browser::signed_in(test, SUPPORT).await;
    let fields = typed(&browser, &path_of(&payment), &[]).await;
    let to = format!("{}/receipt", path_of(&payment));
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&to, &fields).await), path_of(&payment));
    }
    assert!(browser.page(&path_of(&payment)).await.says("O recibo está na fila de e-mails."));
    let written = standing(test).await.split_off(before);
    assert_eq!(written, ["receipt KEPT"], "a double click writes one");
    let owner = shop.owner.with("x-dev-mode", "true");
    let mail = owner.list("/api/mails?kind=receipt").await.remove(0);
    assert_eq!((&mail["to"], &mail["subjectId"]), (&json!("ana@example.com"), &payment["id"]));
    let mail = owner.get(&format!("/api/mails/{}", id(&mail))).await.expect(200);
    let kept = mail["data"]["text"].as_str().expect("is kept");
    assert!(kept.contains("Você pagou R$\u{a0}49,90 a Loja"), "{kept}");
    let receipt = payment["receiptUrl"].as_str().expect("is paid");
    assert!(kept.contains(receipt), "{kept}");
    let audit = shop.owner.list("/api/audit?action=receipt.sent").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &payment["id"]));
}

#[story::test]
async fn a_buyer_gets_three_receipts_of_a_payment_in_a_day(test: &TestApp, shop: Shop) {
    let payment = shop.sell(1_000).await;
    for _ in 0..3 {
        shop.key.post(&api_of(&payment), json!({})).await.expect(200);
    }
    shop.key.post(&api_of(&payment), json!({})).await.expect_refusal(429, "RATE_LIMITED");
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = typed(&browser, &path_of(&payment), &[]).await;
    let refused = browser.post_typed(&format!("{}/receipt", path_of(&payment)), &fields).await;
    assert!(Page::of(refused, 422).says("já recebeu muitos recibos hoje"));
    test.pass(DAY);
    shop.key.post(&api_of(&payment), json!({})).await.expect(200);
    let written = standing(test).await;
    assert_eq!(written.iter().filter(|mail| *mail == "receipt KEPT").count(), 4);
}

#[story::test]
async fn only_a_paid_payment_has_a_receipt_to_mail(test: &TestApp, shop: Shop, other: Shop) {
    let (waiting, theirs) = (shop.charge(1_000).await, other.sell(1_000).await);
    shop.key.post(&api_of(&waiting), json!({})).await.expect(409);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&path_of(&waiting)).await;
    assert!(page.says("Só uma cobrança paga tem recibo para enviar."));
    shop.key.post(&api_of(&theirs), json!({})).await.expect(404);
    as_unknown(&browser, LIST, id(&theirs), &[""]).await;
    assert!(!standing(test).await.contains(&"receipt KEPT".to_owned()));
}

#[story::test]
async fn an_erased_buyer_gets_no_receipt_and_those_that_were_written_are_deleted(
    test: &TestApp,
    shop: Shop,
) {
    let payment = shop.sell(1_000).await;
    shop.key.post(&api_of(&payment), json!({})).await.expect(200);
    let client = payment["customer"]["id"].as_str().expect("has a client");
    shop.key.delete(&format!("/api/clients/{client}")).await.expect(200);
    assert!(!standing(test).await.contains(&"receipt KEPT".to_owned()));
    shop.key.post(&api_of(&payment), json!({})).await.expect(409);
}
