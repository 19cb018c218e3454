//! Another address to sign in with, on its pages.

use std::time::Duration;

use super::{Browser, EMAIL, HOSTILE, next, secured, token};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::smtp::story_with_mail;
use crate::second_step::STEP;

const PAGE: &str = "/account/profile/email";
const NEW: &str = "nova@example.com";
const LINK: &str = "https://api.example.com/email-change/";
const HOST: &str = "https://api.example.com";
const DAY: Duration = Duration::from_hours(24);

fn fields<'a>(email: &'a str, password: &'a str) -> [(&'a str, &'a str); 2] {
    [("email", email), ("password", password)]
}

#[test]
fn the_address_is_replaced_by_the_link_of_a_mail_a_day_later() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let browser = Browser::signed_in(test, EMAIL).await;
        assert!(browser.page("/account/profile").await.says(PAGE));
        assert!(browser.page(PAGE).await.says("só funciona depois de 24 horas"));
        let asked = browser.post(PAGE, &fields(NEW, PASSWORD)).await;
        assert_eq!(next(&asked), PAGE);
        let page = browser.land(asked).await;
        assert!(page.says("Abra o link") && page.says("Troca à espera") && page.says(NEW));
        assert!(browser.page("/account/profile").await.says("Há uma troca à espera."));
        test.run_jobs().await;
        let mails = server.take();
        let mail = mails.iter().find(|mail| mail.to == NEW).expect("is one");
        let link = mail.link(LINK)[HOST.len()..].to_owned();
        let stranger = Browser::new(test);
        let early = stranger.page(&link).await;
        assert_eq!(early.heading(), "Ainda não");
        assert!(!early.says("<button"), "{}", early.text);
        assert_eq!(Page::of(stranger.post(&link, &[]).await, 409).heading(), "Ainda não");
        test.pass(DAY);
        let ready = stranger.page(&link).await;
        assert_eq!(ready.heading(), "Confirmar o novo e-mail");
        let confirmed = stranger.post(&link, &[]).await;
        assert_eq!(next(&confirmed), "/sign-in");
        assert!(stranger.land(confirmed).await.says("Entre com ele"));
        assert_eq!(stranger.sign_in(EMAIL, PASSWORD).await.status, 422);
        assert_eq!(stranger.sign_in(NEW, PASSWORD).await.status, 303);
        for over in [stranger.get(&link).await, stranger.post(&link, &[]).await] {
            assert_eq!(Page::of(over, 410).heading(), "Este link não vale mais");
        }
    });
}

#[test]
fn the_old_address_stops_it_with_a_button_and_not_by_looking() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let browser = Browser::signed_in(test, EMAIL).await;
        next(&browser.post(PAGE, &fields(NEW, PASSWORD)).await);
        test.run_jobs().await;
        let mails = server.take();
        let mail = mails.iter().find(|mail| mail.to == EMAIL).expect("is one");
        let link = mail.link(LINK)[HOST.len()..].to_owned();
        assert!(link.ends_with("/stop"), "{link}");
        let stranger = Browser::new(test);
        assert_eq!(stranger.page(&link).await.heading(), "Impedir a troca de e-mail");
        assert!(browser.is_in().await, "looking ends nothing");
        let stopped = Page::of(stranger.post(&link, &[]).await, 200);
        assert_eq!(stopped.heading(), "A troca foi impedida");
        assert!(stopped.says("href=\"/forgot\""), "{}", stopped.text);
        assert!(!browser.is_in().await);
        assert_eq!(Page::of(stranger.get(&link).await, 410).heading(), "Este link não vale mais");
    });
}

#[test]
fn an_address_of_another_person_is_refused_at_its_link() {
    story_with_mail(async |test, server| {
        let (_, _) = (test.shop("Loja").await, test.shop("Nova").await);
        let browser = Browser::signed_in(test, EMAIL).await;
        let asked = browser.post(PAGE, &fields(NEW, PASSWORD)).await;
        assert!(browser.land(asked).await.says("Abra o link"));
        test.run_jobs().await;
        let mails = server.take();
        let mail = mails.iter().find(|mail| mail.to == NEW).expect("is one");
        let link = mail.link(LINK)[HOST.len()..].to_owned();
        test.pass(DAY);
        let taken = Page::of(Browser::new(test).post(&link, &[]).await, 409);
        assert_eq!(taken.heading(), "A troca não é possível");
    });
}

#[story::test]
async fn what_is_wrong_with_the_form_is_said_at_its_field(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    for (email, password, wrong) in [
        (NEW, "", "password"),
        (NEW, "a guess", "password"),
        ("nova", PASSWORD, "email"),
        (EMAIL, PASSWORD, "email"),
        (HOSTILE, PASSWORD, "email"),
        ("4111 1111 1111 1111", PASSWORD, "email"),
    ] {
        let page = Page::of(browser.post(PAGE, &fields(email, password)).await, 422);
        assert_eq!(page.wrong(), [wrong], "{email}");
        assert!(!page.says("<script>alert") && !page.says("a guess"), "{}", page.text);
    }
    assert!(audit::entries(&shop.owner, "email.change_requested").await.is_empty());
}

#[story::test]
async fn a_change_is_asked_for_once_and_cancelled(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post(PAGE, &fields(NEW, PASSWORD)).await), PAGE);
    }
    assert_eq!(audit::entries(&shop.owner, "email.change_requested").await.len(), 1);
    for _ in 0..2 {
        let cancelled = browser.post(&format!("{PAGE}/cancel"), &[]).await;
        assert_eq!(next(&cancelled), PAGE);
    }
    assert!(!browser.page(PAGE).await.says("Troca à espera"));
    audit::only(&shop.owner, "email.change_stopped").await;
}

#[story::test]
async fn a_person_with_a_second_step_types_a_code(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let device = secured(test, &browser, &token(test, EMAIL).await).await;
    assert_eq!(browser.page(PAGE).await.label("code"), Some("Código de verificação"));
    let missing = Page::of(browser.post(PAGE, &fields(NEW, PASSWORD)).await, 422);
    assert_eq!((missing.wrong(), missing.value("email")), (vec!["code"], NEW));
    test.pass(STEP);
    let code = device.code(test, 0);
    let typed = [("email", NEW), ("password", PASSWORD), ("code", &*code)];
    assert_eq!(next(&browser.post(PAGE, &typed).await), PAGE);
    assert!(!browser.page(PAGE).await.says("só funciona depois de 24 horas"));
    audit::only(&shop.owner, "email.change_requested").await;
}
