//! The pages about the accounts of everybody: for administrators with a second step alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, next, secured, without_harm};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};
use crate::second_step::Device;

const ADMIN: &str = "admin@example.com";
const MODES: [&str; 2] = ["/admin/dev/accounts", "/admin/prod/accounts"];
const LINK: &str = "href=\"/admin/dev\"";
/// Every page, after the folder of the mode.
const PAGES: [&str; 9] = [
    "",
    "/withdrawals",
    "/advances",
    "/unknown",
    "/reconciliation",
    "/connections",
    "/accounts",
    "/mail",
    "/health",
];
/// Another administrator.
pub const OTHER: &str = "other.admin@example.com";

/// An administrator with a second step, in a browser.
async fn administrator(test: &TestApp) -> Browser {
    let admin = test.admin().await;
    let browser = Browser::signed_in(test, ADMIN).await;
    Device::enrolled(test, &admin).await;
    browser
}

/// An administrator who can decide, in a browser, and as a caller of the API in test mode.
pub async fn decider(test: &TestApp) -> (Browser, Client) {
    let (browser, _, admin) = decider_with_device(test).await;
    (browser, admin)
}

/// The same with their device.
pub async fn decider_with_device(test: &TestApp) -> (Browser, Device, Client) {
    let admin = test.admin().await;
    let browser = Browser::signed_in(test, ADMIN).await;
    let device = secured(test, &browser, &admin).await;
    (browser, device, admin)
}

/// The same of another administrator.
pub async fn other_decider(test: &TestApp) -> (Browser, Client) {
    let admin = test.other_admin().await;
    let browser = Browser::signed_in(test, OTHER).await;
    secured(test, &browser, &admin).await;
    (browser, admin)
}

/// What the form of a decision posts.
pub fn posted<'a>(
    page: &Page,
    action: &'a str,
    typed: &[(&'a str, &'a str)],
) -> Vec<(&'a str, String)> {
    let attempt = page.hidden("attempt").expect("has a form").to_owned();
    let typed = typed.iter().map(|(name, value)| (*name, (*value).to_owned()));
    typed.chain([("action", action.to_owned()), ("attempt", attempt)]).collect()
}

/// Opens the page of an object and decides.
pub async fn decide(browser: &Browser, here: &str, action: &str, typed: &[(&str, &str)]) -> Reply {
    let fields = posted(&browser.page(here).await, action, typed);
    browser.post_typed(&format!("{here}/decide"), &fields).await
}

/// Opens an account.
async fn sign_up(test: &TestApp, name: &str, email: &str) {
    let account = json!({ "name": name, "email": email, "password": PASSWORD });
    test.anyone().post("/api/auth/register", account).await.expect(201);
}

#[story::test]
async fn merchants_see_neither_the_pages_nor_a_way_there(test: &TestApp, shop: Shop) {
    shop.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(!browser.page("/dashboard/dev").await.says("/admin/"));
    for path in MODES {
        let page = Page::of(browser.get(path).await, 404);
        assert_eq!(page.heading(), "Página não encontrada");
        assert!(!page.says("Loja</td>") && !page.says("loja@example.com <"));
    }
    assert_eq!(
        next(&Browser::new(test).get(MODES[0]).await),
        "/sign-in?next=%2Fadmin%2Fdev%2Faccounts"
    );
}

#[story::test]
async fn administrators_need_a_second_step(test: &TestApp) {
    let admin = test.admin().await;
    let browser = Browser::signed_in(test, ADMIN).await;
    assert!(browser.page("/dashboard/dev").await.says(LINK));
    for path in MODES {
        let page = Page::of(browser.get(path).await, 403);
        assert_eq!(page.heading(), "Ligue a segunda etapa primeiro");
    }
    Device::enrolled(test, &admin).await;
    for path in MODES {
        let page = browser.page(path).await;
        assert_eq!(page.heading(), "Contas da plataforma");
        assert!(page.says("Nenhuma conta ainda"));
    }
    assert_eq!(browser.get("/admin/dev/nothing").await.status, 404);
}

#[story::test]
async fn a_member_of_an_administrators_account_is_none(test: &TestApp) {
    let admin = test.admin().await;
    let invited = json!({ "email": "bia@example.com", "role": "MANAGER" });
    let invitation = admin.post("/api/invitations", invited).await.expect(201);
    let accepted =
        json!({ "token": invitation["data"]["token"], "name": "Bia", "password": PASSWORD });
    test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
    let browser = Browser::signed_in(test, "bia@example.com").await;
    assert!(!browser.page("/dashboard/dev").await.says(LINK));
    assert_eq!(browser.get(MODES[0]).await.status, 404);
}

#[story::test]
async fn the_page_shows_how_far_accounts_come(test: &TestApp, shop: Shop) {
    sign_up(test, "Parada", "parada@example.com").await;
    test.pass(Duration::from_mins(5));
    shop.link(4_990).await;
    let browser = administrator(test).await;
    let page = browser.page(MODES[0]).await;
    assert!(page.says(LINK) && page.says("aria-current=\"page\">Contas da plataforma"));
    assert!(page.says("Contas contadas: 2"));
    assert!(page.says("Chegaram: 2. Pararam aqui: 1."), "{}", page.text);
    assert!(page.says("Link de pagamento: 5 min") && page.says("Chave de API: 0 s"));
    assert!(page.says("<span class=\"state wait\">Link de pagamento</span>"));
    assert!(page.says("<span class=\"state off\">Nenhum passo</span>"));
    assert!(page.says("parada@example.com") && page.says("loja@example.com"));
    assert!(page.says("X-Dev-Mode: true"));
    let real = browser.page(MODES[1]).await;
    assert!(!real.says("Link de pagamento: 5 min") && !real.says("X-Dev-Mode"));
    let english = browser.page("/admin/dev/accounts?lang=en").await;
    assert!(english.says("Reached it: 2. Stopped here: 1."));
    assert!(page.says("href=\"/admin/prod/accounts\""), "leads to the other mode");
}

#[story::test]
async fn the_accounts_are_on_pages_of_twenty_five(test: &TestApp) {
    for number in 1..=26 {
        sign_up(test, &format!("Loja {number:02}"), &format!("loja{number}@example.com")).await;
    }
    let browser = administrator(test).await;
    let first = browser.page(MODES[0]).await;
    assert!(first.says("Loja 26") && first.says("Loja 02") && !first.says("Loja 01"));
    let (_, rest) = first.text.split_once("href=\"/admin/dev/accounts?cursor=").expect("goes on");
    let (cursor, _) = rest.split_once('"').expect("is quoted");
    let second = browser.page(&format!("/admin/dev/accounts?cursor={cursor}")).await;
    assert!(second.says("Loja 01") && !second.says("Loja 02"));
    assert!(second.says("Voltar às mais novas"));
    let wrong = browser.get("/admin/dev/accounts?cursor=x").await;
    assert_eq!(wrong.status, 400);
}

#[story::test]
async fn the_calls_of_the_page_are_ones_that_the_api_has(test: &TestApp, shop: Shop) {
    shop.link(1_000).await;
    let page = administrator(test).await.page(MODES[0]).await;
    let shown = page.text.replace("&#34;", "\"").replace("&#38;", "&");
    let calls: Vec<_> = shown
        .split("curl \"https://api.example.com")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(calls, ["/api/admin/first-steps", "/api/admin/first-steps/accounts?limit=25"]);
}

#[story::test]
async fn a_hostile_name_stays_a_text(test: &TestApp) {
    sign_up(test, HOSTILE, "hostil@example.com").await;
    let listed: Value = test.admin().await.get("/api/admin/first-steps/accounts").await.expect(200);
    assert_eq!(listed["data"][0]["name"], HOSTILE);
    without_harm(&administrator(test).await.page(MODES[0]).await);
}

#[story::test]
async fn every_page_is_no_page_to_a_merchant_and_asks_for_a_second_step(
    test: &TestApp,
    shop: Shop,
) {
    shop.link(1_000).await;
    test.admin().await;
    let merchant = Browser::signed_in(test, EMAIL).await;
    let without = Browser::signed_in(test, ADMIN).await;
    for page in PAGES {
        for mode in ["dev", "prod"] {
            let path = format!("/admin/{mode}{page}");
            assert_eq!(merchant.get(&path).await.status, 404, "{path}");
            let asked = Page::of(without.get(&path).await, 403);
            assert_eq!(asked.heading(), "Ligue a segunda etapa primeiro", "{path}");
        }
    }
}

#[story::test]
async fn the_index_leads_to_every_page_in_both_languages(test: &TestApp) {
    let (browser, admin) = decider(test).await;
    for page in PAGES {
        let path = format!("/admin/prod{page}");
        let shown = browser.page(&path).await;
        assert!(shown.says(&format!("<a href=\"{path}\" aria-current=\"page\">")), "{path}");
        let english = browser.page(&format!("{path}?lang=en")).await;
        assert_eq!(english.language(), "en");
        assert!(!english.says("À espera") && !english.says("Nada espera"), "{}", english.text);
        browser.page(&format!("{path}?lang=pt-BR")).await;
        let source = shown.text.replace("&#34;", "\"").replace("&#38;", "&");
        for call in source.split("curl \"https://api.example.com").skip(1) {
            let call = call.split('"').next().expect("is quoted");
            admin.get(call).await.expect(200);
        }
    }
    let test_mode = browser.page("/admin/dev").await;
    assert!(test_mode.says("Saques à espera de decisão") && test_mode.says("Nada espera"));
}
