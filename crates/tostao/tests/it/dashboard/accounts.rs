//! One person, several accounts; one account, two modes.

use serde_json::json;

use super::{Browser, COOKIE, EMAIL, join, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{PASSWORD, Shop};

const BIA: &str = "bia@example.com";

async fn account(shop: &Shop) -> String {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    me["user"]["id"].as_str().expect("is an id").to_owned()
}

#[story::test]
async fn a_person_of_two_accounts_goes_on_in_the_other_one(test: &TestApp, shop: Shop) {
    let own = test.shop("Bia").await;
    join(test, &shop, BIA, "SUPPORT").await;
    let browser = Browser::signed_in(test, BIA).await;
    let home = browser.page("/dashboard/prod").await;
    assert!(home.says("Trabalhar em Loja") && home.says("Papel: Titular"));
    let there = account(&shop).await;
    let switched = browser.post("/account/switch", &[("account", &there)]).await;
    assert_eq!(next(&switched), "/dashboard/dev", "another shop begins in test mode");
    let page = browser.land(switched).await;
    assert!(page.says("Agora você está em Loja.") && page.says("Papel: Atendimento"));
    assert!(page.says("Trabalhar em Bia"));
    let again = browser.post("/account/switch", &[("account", &there)]).await;
    assert_eq!(next(&again), "/dashboard/dev", "a second press changes nothing");
    let actions = |entries: Vec<serde_json::Value>| {
        entries.iter().map(|one| one["action"].clone()).take(1).collect::<Vec<_>>()
    };
    assert_eq!(actions(own.owner.list("/api/audit").await), [json!("session.ended")]);
    assert_eq!(actions(shop.owner.list("/api/audit").await), [json!("sign_in.succeeded")]);
}

#[story::test]
async fn another_accounts_person_comes_to_no_page_of_it(test: &TestApp, shop: Shop, other: Shop) {
    let there = account(&shop).await;
    let browser = Browser::signed_in(test, "outra@example.com").await;
    let refused = browser.post("/account/switch", &[("account", &there)]).await;
    assert_eq!(Page::of(refused, 404).heading(), "Página não encontrada");
    for wrong in ["", "x", "00000000-0000-0000-0000-000000000000"] {
        let refused = browser.post("/account/switch", &[("account", wrong)]).await;
        assert!((400..500).contains(&refused.status), "{wrong}");
    }
    let page = browser.page("/dashboard/dev").await;
    assert!(page.says("Outra") && !page.says("Loja"));
    drop(other);
}

#[story::test]
async fn the_accounts_of_a_person_are_listed_by_the_api(test: &TestApp, shop: Shop) {
    let own = test.shop("Bia").await;
    join(test, &shop, BIA, "SUPPORT").await;
    let listed = own.owner.list("/api/auth/accounts").await;
    let shown: Vec<_> =
        listed.iter().map(|one| (&one["name"], &one["role"], &one["current"])).collect();
    let expected = json!([["Bia", "OWNER", true], ["Loja", "SUPPORT", false]]);
    assert_eq!(json!(shown), expected);
    let there = json!({
        "email": BIA, "password": PASSWORD, "accountId": listed[1]["id"],
    });
    let session = test.anyone().post("/api/auth/login", there).await.expect(200);
    assert_eq!(session["user"]["name"], "Loja");
}

#[story::test]
async fn two_tabs_in_two_modes_never_mix(test: &TestApp, shop: Shop) {
    shop.sell(4_990).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for _ in 0..2 {
        let dev = browser.page("/dashboard/dev").await;
        assert!(dev.says("Modo de teste") && dev.says("href=\"/dashboard/prod\""));
        assert!(dev.says("R$\u{a0}49,90"));
        let prod = browser.page("/dashboard/prod").await;
        assert!(prod.says("Produção") && prod.says("href=\"/dashboard/dev\""));
        assert!(!prod.says("49,90") && prod.says("Nenhuma venda ainda"));
    }
}

#[story::test]
async fn an_address_without_a_mode_is_none(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for path in ["/dashboard/live", "/dashboard/DEV", "/dashboard/dev/x/y", "/dashboard/d%65v2"] {
        let page = Page::of(browser.get(path).await, 404);
        assert_eq!(page.heading(), "Página não encontrada", "{path}");
        assert!(page.says("href=\"/dashboard/dev\""), "{path} leads on");
    }
    let stranger = Browser::new(test);
    let page = Page::of(stranger.get("/dashboard/live").await, 404);
    assert!(page.says("href=\"/sign-in\""));
    assert_eq!(stranger.cookie(COOKIE), None);
}
