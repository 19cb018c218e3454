//! Receipts: a page for anyone with its address.

use super::{read, send};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const BASE: &str = "https://api.example.com";

#[story::test]
async fn a_paid_withdrawal_has_a_receipt_without_personal_data(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "ana@example.com").await;
    let paid = read(&shop, &withdrawal).await;
    let url = paid["receiptUrl"].as_str().expect("has one");
    let path = url.strip_prefix(BASE).expect("is of this server");
    let page = test.anyone().with("accept", "text/html").get(path).await;
    assert_eq!(page.status, 200);
    let end_to_end_id = paid["endToEndId"].as_str().expect("has one");
    for shown in ["R$\u{a0}9,20", "Loja Azul", "a***@example.com", end_to_end_id] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    assert!(!page.text.contains("ana@example.com"));
    let english = test.anyone().get(&format!("{path}&lang=en")).await;
    assert!(english.text.contains("Transfer sent"), "{}", english.text);
}

#[story::test]
async fn an_address_that_we_did_not_give_shows_nothing(test: &TestApp, shop: Shop) {
    shop.earn(2_000).await;
    let first = send(test, &shop, "ana@example.com").await;
    let second = send(test, &shop, "slow@example.com").await;
    let url = read(&shop, &first).await["receiptUrl"].as_str().expect("has one").to_owned();
    let path = url.strip_prefix(BASE).expect("is of this server");
    let (page, token) = path.split_once("?token=").expect("has a token");
    let of_another = page.replace(super::id(&first), super::id(&second));
    let table = [
        page.to_owned(),
        format!("{page}?token="),
        format!("{page}?token=AAAAAAAAAAAAAAAAAAAAAA"),
        format!("{of_another}?token={token}"),
        format!("/receipts/withdrawals/nothing?token={token}"),
    ];
    for wrong in table {
        test.anyone().get(&wrong).await.expect_refusal(404, "NOT_FOUND");
    }
}
