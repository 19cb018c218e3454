//! API keys in the dashboard: made, rotated, revoked, and shown once.

use std::time::Duration;

use serde_json::json;

use super::{Browser, EMAIL, HOSTILE, join, next, secured, token, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;

const LIST: &str = "/dashboard/dev/developers/keys";
const DEVELOPER: &str = "dev@example.com";
const VIEWER: &str = "leitura@example.com";

/// Posts the form of a new key with these fields.
async fn make(browser: &Browser, list: &str, fields: &[(&str, &str)]) -> Reply {
    let path = format!("{list}/new");
    let form = browser.page(&path).await;
    let attempt = [("attempt", form.hidden("attempt").expect("has one"))];
    browser.post(&path, &[fields, &attempt].concat()).await
}

/// The secret that a page shows.
fn secret(reply: Reply) -> String {
    let page = Page::of(reply, 200);
    page.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned()
}

/// The status of a call with a key.
async fn status(test: &TestApp, key: &str, path: &str) -> u16 {
    test.anyone().with("authorization", &format!("Bearer {key}")).get(path).await.status
}

/// The id of the key with this name.
async fn id_of(shop: &Shop, name: &str) -> String {
    let keys = shop.owner.list("/api/credentials").await;
    let key = keys.iter().find(|key| key["name"] == name).expect("is there");
    key["id"].as_str().expect("has an id").to_owned()
}

/// Opens a page of a key and posts its form.
async fn act(browser: &Browser, id: &str, what: &str, fields: &[(&str, &str)]) -> Reply {
    let path = format!("{LIST}/{id}/{what}");
    let form = browser.page(&path).await;
    let attempt = [("attempt", form.hidden("attempt").expect("has one"))];
    browser.post(&path, &[fields, &attempt].concat()).await
}

#[story::test]
async fn a_developer_makes_a_key_that_does_what_its_boxes_say(test: &TestApp, shop: Shop) {
    join(test, &shop, DEVELOPER, "DEVELOPER").await;
    let browser = Browser::signed_in(test, DEVELOPER).await;
    let fields = [("name", "loja-web"), ("permissions.products:read", "true")];
    let path = format!("{LIST}/new");
    let form = browser.page(&path).await;
    let attempt = form.hidden("attempt").expect("has one").to_owned();
    let fields = [&fields[..], &[("attempt", &attempt)]].concat();
    let key = secret(browser.post(&path, &fields).await);
    assert!(key.starts_with("tos_dev_"), "{key}");
    assert_eq!(secret(browser.post(&path, &fields).await), key, "a double click makes one key");
    assert_eq!(status(test, &key, "/api/v1/products").await, 200);
    assert_eq!(status(test, &key, "/api/v1/transactions").await, 403);
    let list = browser.page(LIST).await;
    assert!(list.says("loja-web") && list.says("Produtos: ler"), "{}", list.text);
    assert!(!list.says(&key), "it is shown once");
    let audit = shop.owner.list("/api/audit?action=api_key.created").await;
    assert_eq!(audit[0]["details"]["permissions"], json!(["products:read"]));
}

#[story::test]
async fn a_key_may_do_no_more_than_its_maker(test: &TestApp, shop: Shop) {
    join(test, &shop, DEVELOPER, "DEVELOPER").await;
    let browser = Browser::signed_in(test, DEVELOPER).await;
    secured(test, &browser, &token(test, DEVELOPER).await).await;
    let list = "/dashboard/prod/developers/keys";
    let form = browser.page(&format!("{list}/new")).await;
    assert!(form.says("permissions.webhooks:write"));
    assert!(!form.says("permissions.transactions:write"), "{}", form.text);
    let beyond = [("name", "a"), ("permissions.transactions:write", "true")];
    assert!(Page::of(make(&browser, list, &beyond).await, 403).says("transactions:write"));
    let key = secret(make(&browser, list, &[("name", "a"), ("everything", "true")]).await);
    assert!(key.starts_with("tos_prod_"), "{key}");
    assert_eq!(status(test, &key, "/api/requests").await, 200);
    join(test, &shop, VIEWER, "VIEWER").await;
    let viewer = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), format!("{LIST}/new")] {
        assert!(Page::of(viewer.get(&path).await, 403).says("credentials:"));
    }
    assert!(!viewer.page("/dashboard/dev").await.says("Chaves de API"));
}

#[story::test]
async fn a_wrong_form_of_a_key_comes_back_and_makes_none(test: &TestApp, shop: Shop) {
    let before = shop.owner.list("/api/credentials").await.len();
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = Page::of(make(&browser, LIST, &[("name", "")]).await, 422);
    assert_eq!(page.wrong(), ["name", "permissions"]);
    let fields = [
        ("name", "a"),
        ("everything", "true"),
        ("expiresAt", "2020-01-01"),
        ("ipAllowlist", "10.0.0.0/8, nowhere"),
    ];
    let page = Page::of(make(&browser, LIST, &fields).await, 422);
    assert_eq!(page.wrong(), ["expiresAt", "ipAllowlist"]);
    assert_eq!(page.value("ipAllowlist"), "10.0.0.0/8, nowhere");
    let card = [("name", "4111 1111 1111 1111"), ("everything", "true")];
    assert_eq!(Page::of(make(&browser, LIST, &card).await, 422).wrong(), ["name"]);
    let fields = [("name", "a"), ("everything", "true"), ("expiresAt", "amanhã")];
    assert_eq!(Page::of(make(&browser, LIST, &fields).await, 422).wrong(), ["expiresAt"]);
    assert_eq!(shop.owner.list("/api/credentials").await.len(), before);
}

#[story::test]
async fn a_rotated_key_keeps_its_old_secret_for_as_long_as_was_chosen(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let old = secret(make(&browser, LIST, &[("name", "loja"), ("everything", "true")]).await);
    let id = id_of(&shop, "loja").await;
    let wrong = act(&browser, &id, "rotate", &[("gracePeriodSeconds", "99")]).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let new = secret(act(&browser, &id, "rotate", &[("gracePeriodSeconds", "3600")]).await);
    assert_ne!(new, old);
    for key in [&old, &new] {
        assert_eq!(status(test, key, "/api/v1/products").await, 200);
    }
    test.pass(Duration::from_hours(1));
    assert_eq!(status(test, &old, "/api/v1/products").await, 401);
    assert_eq!(status(test, &new, "/api/v1/products").await, 200);
}

#[story::test]
async fn a_key_is_revoked_once_its_name_is_typed(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let key = secret(make(&browser, LIST, &[("name", "Loja"), ("everything", "true")]).await);
    let id = id_of(&shop, "Loja").await;
    let mistyped = Page::of(act(&browser, &id, "revoke", &[("typed", "outra")]).await, 422);
    assert_eq!(mistyped.wrong(), ["typed"]);
    assert_eq!(status(test, &key, "/api/v1/products").await, 200);
    let path = format!("{LIST}/{id}/revoke");
    let form = browser.page(&path).await;
    let fields = [("typed", "loja"), ("attempt", form.hidden("attempt").expect("has one"))];
    for _ in 0..2 {
        assert_eq!(next(&browser.post(&path, &fields).await), LIST, "a double click, too");
    }
    assert_eq!(status(test, &key, "/api/v1/products").await, 401);
    assert_eq!(browser.get(&path).await.status, 404);
}

#[story::test]
async fn a_page_of_one_mode_touches_no_key_of_the_other(test: &TestApp, shop: Shop, other: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    secured(test, &browser, &shop.owner).await;
    let prod = "/dashboard/prod/developers/keys";
    let key = secret(make(&browser, prod, &[("name", "real"), ("everything", "true")]).await);
    let id = id_of(&shop, "real").await;
    assert!(!browser.page(LIST).await.says(&id));
    let form = browser.page(&format!("{LIST}/new")).await;
    let attempt = form.hidden("attempt").expect("has one");
    for (what, fields) in [("revoke", ("typed", "real")), ("rotate", ("gracePeriodSeconds", "0"))] {
        let path = format!("{LIST}/{id}/{what}");
        assert_eq!(browser.get(&path).await.status, 404);
        let posted = browser.post(&path, &[fields, ("attempt", attempt)]).await;
        assert_eq!(posted.status, 404, "{}", posted.text);
    }
    assert_eq!(status(test, &key, "/api/v1/products").await, 200);
    let stranger = Browser::signed_in(test, "outra@example.com").await;
    assert_eq!(stranger.get(&format!("{prod}/{id}/revoke")).await.status, 404);
    drop(other);
}

#[story::test]
async fn a_hostile_name_of_a_key_is_shown_and_does_nothing(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let made = make(&browser, LIST, &[("name", HOSTILE), ("everything", "true")]).await;
    without_harm(&Page::of(made, 200));
    let id = id_of(&shop, HOSTILE).await;
    without_harm(&browser.page(LIST).await);
    for what in ["rotate", "revoke"] {
        without_harm(&browser.page(&format!("{LIST}/{id}/{what}")).await);
    }
}
