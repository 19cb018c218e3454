//! What a person sees who may not, or whose page does not exist.

use super::{Browser, EMAIL, join};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::rate_limited_to;
use crate::harness::shop::Shop;

#[story::test]
async fn a_page_that_does_not_exist_keeps_its_frame_and_leads_on(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = Page::of(browser.get("/dashboard/prod/unknown?lang=en").await, 404);
    assert_eq!((page.language(), page.heading()), ("en", "Page not found"));
    assert!(page.says("Production") && page.says("NOT_FOUND"));
    assert!(page.says(page.header("x-request-id").expect("has an id")));
}

#[story::test]
async fn an_address_that_is_no_page_is_refused_by_the_dashboard_and_not_as_buyers_are(
    test: &TestApp,
) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let framed = Page::of(browser.get("/dashboard/dev/").await, 404);
    assert_eq!(framed.heading(), "Página não encontrada");
    assert!(framed.says("Modo de teste") && framed.says("NOT_FOUND"), "{}", framed.text);
    let framed = Page::of(browser.get("/admin/dev/").await, 404);
    assert_eq!(framed.heading(), "Página não encontrada");
    assert!(framed.says("Modo de teste") && framed.says("NOT_FOUND"), "{}", framed.text);
    let nowhere = [
        "/dashboard/",
        "/account/",
        "/sign-up/x",
        "/forgot/x",
        "/reset",
        "/setup",
        "/invitations",
        "/email-change",
    ];
    for path in nowhere {
        let page = Page::of(browser.get(path).await, 404);
        assert!(page.says("Voltar ao início"), "{path}: {}", page.text);
    }
    // They only take a form.
    for path in ["/dashboard/dev/transactions/1/cancel", "/sign-out"] {
        let page = Page::of(browser.get(path).await, 405);
        assert!(page.says("Voltar ao início") && !page.says("pague"), "{path}: {}", page.text);
    }
    let english = Page::of(browser.get("/account/?lang=en").await, 404);
    assert_eq!((english.language(), english.heading()), ("en", "Page not found"));
    assert!(english.says("Back to the start"), "{}", english.text);
}

#[story::test(rate_limited_to("authenticated=1/1"))]
async fn too_many_pages_say_how_long_to_wait(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let statuses = [browser.get("/dashboard/prod").await, browser.get("/dashboard/prod").await];
    let refused = statuses.into_iter().find(|reply| reply.status == 429).expect("is limited");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(Page::of(refused, 429).heading(), "Muitas tentativas");
    drop(shop);
}

#[story::test]
async fn hostile_names_are_text_wherever_they_are_shown(test: &TestApp) {
    let browser = Browser::new(test);
    let name = "<b>\"'&{{ m }}</b>";
    let fields = [("name", name), ("email", EMAIL), ("password", "correct horse battery")];
    let opened = browser.post("/sign-up", &fields).await;
    let home = browser.land(opened).await;
    assert!(home.says("&#60;b&#62;") && !home.says("<b>"));
    let missing = Page::of(browser.get("/dashboard/dev/x").await, 404);
    assert!(missing.says("&#60;b&#62;") && !missing.says("<b>"));
    let shop = test.shop("Outra").await;
    join(test, &shop, EMAIL, "VIEWER").await;
    let other = Browser::signed_in(test, "outra@example.com").await;
    assert!(!other.page("/dashboard/dev").await.says("<b>"));
}
