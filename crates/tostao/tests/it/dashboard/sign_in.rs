//! Signing in and out.

use serde_json::json;

use super::{Browser, COOKIE, EMAIL, HOSTILE, next, set_cookies};
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::{TestApp, rate_limited};

fn plain_http(settings: &mut tostao::platform::config::Settings) {
    settings.base_url = Some("http://shop.example.com".parse().expect("is an address"));
}

#[story::test]
async fn who_signs_in_comes_to_the_page_they_wanted(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test);
    let turned = next(&browser.get("/dashboard/dev?from=mail&page=2").await);
    assert_eq!(turned, "/sign-in?next=%2Fdashboard%2Fdev%3Ffrom%3Dmail%26page%3D2");
    let form = browser.page(&turned).await;
    assert_eq!(form.heading(), "Entrar");
    let wanted = form.hidden("next").expect("keeps the page").replace("&#38;", "&");
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", wanted.as_str())];
    let entered = browser.post("/sign-in", &fields).await;
    assert_eq!(next(&entered), "/dashboard/dev?from=mail&page=2");
    let home = browser.land(entered).await;
    assert_eq!(home.heading(), "Início");
    assert!(home.says("Modo de teste") && home.says("Loja"));
}

#[story::test]
async fn the_cookie_is_one_that_no_script_reads_and_no_other_host_sets(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test);
    let entered = browser.sign_in(EMAIL, PASSWORD).await;
    let [line] = &set_cookies(&entered, COOKIE)[..] else { panic!("one cookie") };
    let (value, attributes) = line.split_once("; ").expect("has attributes");
    assert_eq!(attributes, "Path=/; Secure; HttpOnly; SameSite=Lax");
    assert_eq!(value.len(), COOKIE.len() + 1 + 43, "32 bytes");
    let [device] = &set_cookies(&entered, "__Host-device")[..] else { panic!("one device") };
    let (_, attributes) = device.split_once("; ").expect("has attributes");
    assert_eq!(attributes, "Path=/; SameSite=Lax; HttpOnly; Secure");
    let again = Browser::new(test);
    again.hold(COOKIE, &browser.cookie(COOKIE).expect("is signed in"));
    again.sign_in(EMAIL, PASSWORD).await;
    assert_ne!(again.cookie(COOKIE), browser.cookie(COOKIE), "a new value at sign-in");
}

#[story::test]
async fn an_unknown_address_and_a_wrong_password_get_the_same_answer(test: &TestApp) {
    test.shop("Loja").await;
    let answers = [(EMAIL, "a guess"), ("other@example.com", "a guess")];
    let mut texts = Vec::new();
    for (email, password) in answers {
        let browser = Browser::new(test);
        let page = Page::of(browser.sign_in(email, password).await, 422);
        assert!(page.says("E-mail ou senha errados"));
        assert_eq!(page.value("email"), email);
        assert!(!page.says(password), "a password is not sent back");
        assert_eq!(browser.cookie(COOKIE), None);
        texts.push(page.text.replace(email, ""));
    }
    assert_eq!(texts[0], texts[1]);
}

#[story::test]
async fn an_empty_form_names_its_fields(test: &TestApp) {
    let page = Page::of(Browser::new(test).sign_in("", "").await, 422);
    assert_eq!(page.wrong(), ["email", "password"]);
    assert!(!page.error("email").is_empty() && !page.error("password").is_empty());
}

#[story::test(rate_limited)]
async fn guesses_are_limited_as_those_through_the_api_are(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::new(test).from("198.51.100.7");
    for _ in 0..6 {
        assert_eq!(browser.sign_in(EMAIL, "a guess").await.status, 422);
    }
    let waiting = Page::of(browser.sign_in(EMAIL, PASSWORD).await, 429);
    assert!(waiting.says("Muitas tentativas"));
    assert_eq!(waiting.value("email"), EMAIL);
    assert_eq!(waiting.header("retry-after"), Some("900"));
    let client = test.anyone().from("198.51.100.7");
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    client.post("/api/auth/login", login).await.expect_refusal(429, "RATE_LIMITED");
}

#[story::test]
async fn only_a_page_of_ours_is_opened_after_signing_in(test: &TestApp) {
    test.shop("Loja").await;
    for foreign in ["https://evil.example", "//evil.example", "/pay/x", "/dashboard/\\evil"] {
        let fields = [("email", EMAIL), ("password", PASSWORD), ("next", foreign)];
        let entered = Browser::new(test).post("/sign-in", &fields).await;
        assert_eq!(next(&entered), "/dashboard", "{foreign}");
    }
}

#[story::test]
async fn signing_out_ends_the_session_for_every_copy_of_the_cookie(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let copy = Browser::new(test);
    copy.hold(COOKIE, &browser.cookie(COOKIE).expect("is signed in"));
    assert!(copy.is_in().await);
    let out = browser.post("/sign-out", &[]).await;
    assert_eq!(browser.cookie(COOKIE), None);
    let form = browser.land(out).await;
    assert_eq!(form.heading(), "Entrar");
    assert!(form.says("Você saiu."));
    assert!(!browser.page("/sign-in").await.says("Você saiu."), "a sentence is shown once");
    assert!(!copy.is_in().await && !browser.is_in().await);
}

#[story::test]
async fn who_is_signed_in_sees_no_form(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert_eq!(next(&browser.get("/sign-in").await), "/dashboard");
    assert_eq!(next(&browser.get("/dashboard").await), "/dashboard/dev");
    shop.key_for("production", &["transactions:read"]).await;
    assert_eq!(next(&browser.get("/dashboard").await), "/dashboard/prod");
}

#[story::test(plain_http)]
async fn over_http_only_the_machine_itself_signs_in(test: &TestApp) {
    test.shop("Loja").await;
    for host in ["shop.example.com", "192.0.2.1:8080", "localhost.example.com", "[2001:db8::1]"] {
        let browser = Browser::new(test).with("host", host);
        for reply in [
            browser.get("/sign-in").await,
            browser.get("/sign-up").await,
            browser.get("/forgot").await,
            browser.sign_in(EMAIL, PASSWORD).await,
        ] {
            let page = Page::of(reply, 403);
            assert_eq!(page.heading(), "Aqui não é possível entrar", "{host}");
            assert!(page.says("TOSTAO_BASE_URL"));
        }
        assert_eq!(browser.cookie(COOKIE), None);
    }
    for host in ["localhost:8080", "127.0.0.1", "[::1]:8080"] {
        let browser = Browser::new(test).with("host", host);
        assert_eq!(browser.sign_in(EMAIL, PASSWORD).await.status, 303, "{host}");
        assert!(browser.is_in().await);
    }
}

#[story::test]
async fn the_pages_before_the_dashboard_escape_and_speak_both_languages(test: &TestApp) {
    let browser = Browser::new(test);
    let refused = Page::of(browser.sign_in(HOSTILE, "a guess").await, 422);
    assert!(!refused.says("<script>alert") && !refused.says("<b onclick"));
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("next", HOSTILE)
        .append_pair("lang", "en")
        .finish();
    let form = browser.page(&format!("/sign-in?{query}")).await;
    assert!(!form.says("<script>alert") && !form.says("<b onclick"));
    assert_eq!((form.language(), form.heading()), ("en", "Sign in"));
    assert_eq!(browser.page("/sign-in").await.language(), "en", "the choice is remembered");
    assert_eq!(browser.page("/sign-in?lang=pt").await.language(), "pt-BR");
}

#[story::test]
async fn a_sign_in_is_in_the_audit_log_with_its_address(test: &TestApp, shop: Shop) {
    let browser = Browser::new(test).from("198.51.100.7");
    browser.sign_in(EMAIL, PASSWORD).await;
    browser.post("/sign-out", &[]).await;
    let entries = shop.owner.list("/api/audit").await;
    let shown: Vec<_> = entries[..2]
        .iter()
        .map(|one| (one["action"].as_str().unwrap_or_default(), &one["clientAddress"]))
        .collect();
    let from = json!("198.51.100.7");
    assert_eq!(shown, [("session.ended", &from), ("sign_in.succeeded", &from)]);
}
