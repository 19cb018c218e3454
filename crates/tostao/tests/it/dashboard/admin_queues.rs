//! Administrators decide about advances and about money of an unknown owner at their pages.

use std::time::Duration;

use serde_json::json;

use super::admin::{decide, decider, posted};
use super::{Browser, EMAIL, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::{advances, audit, banks};

const ADVANCES: &str = "/admin/dev/advances";
const UNKNOWN: &str = "/admin/dev/unknown";

#[story::test]
async fn an_advance_is_approved_and_another_one_rejected(test: &TestApp, shop: Shop, other: Shop) {
    for shop in [&shop, &other] {
        advances::sell(test, shop, 10_000, 2).await;
    }
    let first = advances::request(&shop, 1_000).await;
    test.pass(Duration::from_mins(2));
    let second = advances::request(&other, 2_000).await;
    let (browser, admin) = decider(test).await;
    let queue = browser.page(ADVANCES).await;
    let at = |advance| queue.text.find(id(advance)).expect("is listed");
    assert!(at(&first) < at(&second), "{}", queue.text);
    let here = format!("{ADVANCES}/{}", id(&first));
    let page = browser.page(&here).await;
    assert!(page.says("Ainda não foi decidida.") && page.says("Loja"), "{}", page.text);
    let fields = posted(&page, "approve", &[]);
    for _ in 0..2 {
        let done = browser.post_typed(&format!("{here}/decide"), &fields).await;
        assert_eq!(next(&done), here, "a double click, too");
    }
    assert_eq!(audit::of_all_accounts(&admin, "advance.approved").await.len(), 1);
    assert!(browser.page(&here).await.says("Paga a você"));

    let here = format!("{ADVANCES}/{}", id(&second));
    let rejected = decide(&browser, &here, "reject", &[("reason", "Conta nova.")]).await;
    assert_eq!(next(&rejected), here);
    let path = format!("/api/advances/{}", id(&second));
    let stored = other.key.get(&path).await.expect(200)["data"].clone();
    assert_eq!(stored["status"], "REJECTED");
    assert_eq!(stored["rejectionReason"], "Conta nova.");
    assert!(browser.page(ADVANCES).await.says("Nada espera aqui"));
}

#[story::test]
async fn an_advance_without_receivables_is_refused_at_the_page(test: &TestApp, shop: Shop) {
    let advance = advances::request(&shop, 1_000).await;
    let (browser, _) = decider(test).await;
    let here = format!("{ADVANCES}/{}", id(&advance));
    let page = Page::of(decide(&browser, &here, "approve", &[]).await, 422);
    assert!(page.says("as parcelas livres da conta não bastam"), "{}", page.text);
    assert!(page.hidden("attempt").is_some(), "it can still be rejected");
    let merchant = Browser::signed_in(test, EMAIL).await;
    assert_eq!(merchant.get(&here).await.status, 404);
}

#[story::test]
async fn money_of_an_unknown_owner_goes_back_or_pays_a_charge(test: &TestApp, shop: Shop) {
    let receipt = |number| banks::pix(&"0".repeat(32), number, 700, test.app.now());
    banks::confirm_pix(test, vec![receipt(1), receipt(2)]).await.expect(200);
    let charge = shop.charge(700).await;
    let (browser, admin) = decider(test).await;
    let listed = admin.list("/api/admin/unmatched").await;
    let queue = browser.page(UNKNOWN).await;
    assert!(queue.says("PIX de R$\u{a0}7,00") && queue.says("?status=OPEN"), "{}", queue.text);
    let here = |which: usize| format!("{UNKNOWN}/{}", id(&listed[which]));
    let wrong = decide(&browser, &here(0), "match", &[("transactionId", "x")]).await;
    assert_eq!(Page::of(wrong, 422).wrong(), ["match-transactionId"]);
    let of = [("transactionId", id(&charge))];
    assert_eq!(next(&decide(&browser, &here(0), "match", &of).await), here(0));
    assert_eq!(shop.transaction(&charge).await["status"], "PAID");
    let fields = posted(&browser.page(&here(1)).await, "return", &[]);
    for _ in 0..2 {
        let done = browser.post_typed(&format!("{}/decide", here(1)), &fields).await;
        assert_eq!(next(&done), here(1), "a double click, too");
    }
    test.run_jobs().await;
    let now = admin.list("/api/admin/unmatched").await;
    assert_eq!((&now[0]["status"], &now[1]["status"]), (&json!("MATCHED"), &json!("RETURNED")));
    assert_eq!(audit::of_all_accounts(&admin, "unmatched.returned").await.len(), 1);
    assert!(browser.page(UNKNOWN).await.says("Nada espera aqui"));
}
