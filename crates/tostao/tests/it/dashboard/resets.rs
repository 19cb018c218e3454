//! A forgotten password, in a browser.

use super::{Browser, EMAIL, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::PASSWORD;
use crate::harness::smtp::story_with_mail;
use crate::mail::{NEW_PASSWORD, reset_token};

const SET: &str = "newPassword";

#[story::test]
async fn a_server_that_sends_no_mails_says_who_has_the_link(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test);
    let asked = Page::of(browser.post("/forgot", &[("email", EMAIL)]).await, 200);
    assert!(asked.says("Este servidor não envia e-mails. Peça um link a quem o opera."));
}

#[test]
fn a_forgotten_password_is_replaced_by_the_link_of_a_mail() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let old = Browser::signed_in(test, EMAIL).await;
        let browser = Browser::new(test);
        assert_eq!(browser.page("/forgot").await.heading(), "Esqueci a senha");
        let sent = Page::of(browser.post("/forgot", &[("email", EMAIL)]).await, 200);
        assert_eq!(sent.heading(), "Confira seu e-mail");
        assert!(sent.says("o link está a caminho"), "{}", sent.text);
        test.run_jobs().await;
        let address = format!("/reset/{}", reset_token(&server.take_one()));
        assert_eq!(browser.page(&address).await.heading(), "Nova senha");
        let short = Page::of(browser.post(&address, &[(SET, "curta")]).await, 422);
        assert!(short.error(SET).contains("de 8 a 128"), "{}", short.error(SET));
        let weak = Page::of(browser.post(&address, &[(SET, "12345678")]).await, 422);
        assert_eq!(weak.wrong(), [SET]);
        let saved = browser.post(&address, &[(SET, NEW_PASSWORD)]).await;
        assert_eq!(next(&saved), "/sign-in");
        assert!(browser.land(saved).await.says("Senha salva"));
        assert!(!old.is_in().await, "all sessions end");
        assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 422);
        assert_eq!(browser.sign_in(EMAIL, NEW_PASSWORD).await.status, 303);
        let over = Page::of(browser.post(&address, &[(SET, PASSWORD)]).await, 410);
        assert_eq!(over.heading(), "Este link não vale mais");
        assert_eq!(Page::of(browser.get(&address).await, 410).text, over.text);
    });
}

#[story::test]
async fn an_address_of_no_person_gets_the_same_page(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test);
    let mut pages = Vec::new();
    for email in [EMAIL, "other@example.com"] {
        pages.push(Page::of(browser.post("/forgot", &[("email", email)]).await, 200).text.clone());
    }
    assert_eq!(pages[0], pages[1]);
    let wrong = Page::of(browser.post("/forgot", &[("email", "loja")]).await, 422);
    assert_eq!((wrong.wrong(), wrong.value("email")), (vec!["email"], "loja"));
}
