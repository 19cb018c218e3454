//! Closing the account at its page.

use serde_json::json;

use super::{Browser, COOKIE, EMAIL, join, next, secured};
use crate::audit::of_all_accounts;
use crate::closing::pay_for_real;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};
use crate::second_step::STEP;

const CLOSE: &str = "/account/close";
const API: &str = "/api/auth/account/close";

#[story::test]
async fn an_owner_closes_the_account_and_is_signed_out(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let form = browser.page(CLOSE).await;
    assert_eq!(form.heading(), "Encerrar a conta");
    for said in ["Nada: a conta pode ser encerrada.", "O que termina", "O que fica, e por quê"] {
        assert!(form.says(said), "{said} {}", form.text);
    }
    let empty = Page::of(browser.post(CLOSE, &[]).await, 422);
    assert_eq!(empty.wrong(), ["typed", "password"]);
    let other = [("typed", "Outra"), ("password", PASSWORD)];
    let mistyped = Page::of(browser.post(CLOSE, &other).await, 422);
    assert_eq!((mistyped.wrong(), mistyped.value("typed")), (vec!["typed"], "Outra"));
    assert!(!mistyped.says(PASSWORD));
    let guessed = [("typed", "Loja"), ("password", "a wrong password")];
    assert_eq!(Page::of(browser.post(CLOSE, &guessed).await, 422).wrong(), ["password"]);
    shop.owner.get("/api/auth/me").await.expect(200);
    let typed = [("typed", " loja "), ("password", PASSWORD)];
    let closed = browser.post(CLOSE, &typed).await;
    assert_eq!(next(&closed), "/sign-in");
    assert!(browser.land(closed).await.says("A conta foi encerrada, e você saiu dela."));
    assert_eq!(browser.cookie(COOKIE), None);
    assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 422);
    shop.key.get("/api/v1/products").await.expect_refusal(401, "UNAUTHORIZED");
    let closed = of_all_accounts(&test.admin().await, "account.closed").await;
    assert_eq!(closed.len(), 1);
}

#[story::test]
async fn what_keeps_an_account_open_is_said_in_words_and_refuses_the_form(
    test: &TestApp,
    shop: Shop,
) {
    let charge = shop.charge(1_000).await;
    pay_for_real(test, &charge, 1, 1_000).await;
    let shown = shop.owner.get(API).await.expect(200)["data"].clone();
    let obstacles = json!([{ "name": "availableBalance", "amountCents": 1_000 }]);
    assert_eq!(shown["obstacles"], obstacles);
    assert!(shown["retainedUntil"].is_string());
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(CLOSE).await;
    assert!(page.says("Saldo disponível, que você pode sacar: R$\u{a0}10,00"), "{}", page.text);
    assert!(page.says("disabled") && !page.says("name=\"typed\""));
    let typed = [("typed", "Loja"), ("password", PASSWORD)];
    let refused = Page::of(browser.post(CLOSE, &typed).await, 422);
    assert!(refused.says("Ainda há o que impede o encerramento"), "{}", refused.text);
    shop.owner.get("/api/auth/me").await.expect(200);
    assert!(of_all_accounts(&test.admin().await, "account.closed").await.is_empty());
}

#[story::test]
async fn a_person_with_a_second_step_closes_with_a_code_and_others_do_not(
    test: &TestApp,
    shop: Shop,
) {
    join(test, &shop, "bia@example.com", "MANAGER").await;
    let bia = Browser::signed_in(test, "bia@example.com").await;
    assert_eq!(bia.get(CLOSE).await.status, 403);
    let typed = [("typed", "Loja"), ("password", PASSWORD)];
    assert_eq!(bia.post(CLOSE, &typed).await.status, 403);
    assert!(bia.page("/account/business").await.says("id=\"no-close\""));
    let browser = Browser::signed_in(test, EMAIL).await;
    let device = secured(test, &browser, &shop.owner).await;
    assert_eq!(Page::of(browser.post(CLOSE, &typed).await, 422).wrong(), ["code"]);
    let wrong = device.wrong_code(test);
    let wrong = [typed[0], typed[1], ("code", &*wrong)];
    assert_eq!(Page::of(browser.post(CLOSE, &wrong).await, 422).wrong(), ["code"]);
    test.pass(STEP);
    let code = device.code(test, 0);
    let right = [typed[0], typed[1], ("code", &*code)];
    assert_eq!(next(&browser.post(CLOSE, &right).await), "/sign-in");
    assert!(!bia.is_in().await);
}
