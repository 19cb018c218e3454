//! Saved views: the filters of lists that people keep for themselves.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, join, next, token, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, client_path, id};
use crate::members::person;

const API: &str = "/api/saved-views";
const VIEWS: &str = "/dashboard/dev/views";
const LIST: &str = "/dashboard/dev/transactions";
const BIA: &str = "bia@example.com";
/// Every list by its name in the API, its page, and a filter of it.
const LISTS: [(&str, &str, &str); 13] = [
    ("transactions", "/dashboard/dev/transactions", "status=PAID"),
    ("paymentLinks", "/dashboard/dev/links", "status=ACTIVE"),
    ("products", "/dashboard/dev/products", "q=caneca"),
    ("coupons", "/dashboard/dev/coupons", "status=ACTIVE"),
    ("clients", "/dashboard/dev/clients", "q=ana"),
    ("subscriptions", "/dashboard/dev/subscriptions", "paying=true"),
    ("plans", "/dashboard/dev/subscriptions/plans", "active=true"),
    ("commissions", "/dashboard/dev/affiliates/mine/commissions", "status=PAID"),
    ("balanceEntries", "/dashboard/dev/balance", "account=pending"),
    ("withdrawals", "/dashboard/dev/balance/withdrawals", "status=FAILED"),
    ("events", "/dashboard/dev/developers/events", "status=FAILED"),
    ("requests", "/dashboard/dev/developers/requests", "status=4xx%2C5xx"),
    ("audit", "/account/audit", "action=member.invited"),
];

/// Saves a view by the API.
async fn save(by: &Client, list: &str, name: &str, query: &str) -> Value {
    let body = json!({ "list": list, "name": name, "query": query });
    by.post(API, body).await.expect(201)["data"].clone()
}

/// The form that saves a filter of payments, filled in.
async fn form(browser: &Browser, query: &str, name: &str) -> Vec<(String, String)> {
    let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let page = browser.page(&format!("{VIEWS}?list=transactions&query={query}")).await;
    page.filled(&[("name", name)])
}

#[story::test]
async fn a_filter_is_saved_under_a_name_opened_and_deleted(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = browser.page(LIST).await;
    assert!(!list.says("Salvar este filtro") && !list.says("Editar visões"));
    let list = browser.page(&format!("{LIST}?status=FAILED&q=&cursor=")).await;
    let save = "/dashboard/dev/views?list=transactions&#38;query=status%3DFAILED";
    assert!(list.says(&format!("<a href=\"{save}\">Salvar este filtro</a>")), "{}", list.text);
    let fields = form(&browser, "status=FAILED", "Recusadas").await;
    for _ in 0..2 {
        let saved = next(&browser.post_typed(VIEWS, &fields).await);
        assert_eq!(saved, format!("{LIST}?status=FAILED"));
    }
    let by = token(test, EMAIL).await;
    assert_eq!(by.list(API).await.len(), 1, "a double click saves one");
    let list = browser.page(&format!("{LIST}?status=FAILED")).await;
    let here = format!("<a href=\"{LIST}?status=FAILED\" aria-current=\"page\">Recusadas</a>");
    assert!(list.says(&here) && list.says("Editar visões"), "{}", list.text);
    let edit = browser.page(&format!("{VIEWS}?list=transactions")).await;
    assert!(edit.says("Situação: Recusado") && !edit.says("Salvar visão"), "{}", edit.text);
    let view = by.list(API).await.remove(0);
    let (path, list) = (format!("{VIEWS}/{}/delete", id(&view)), ("list", "transactions"));
    let fields = typed(&browser, &format!("{VIEWS}?list=transactions"), &[list]).await;
    for _ in 0..2 {
        let left = browser.land(browser.post_typed(&path, &fields).await).await;
        assert!(left.says("Nenhuma visão desta lista."));
    }
    let again = typed(&browser, &format!("{VIEWS}?list=transactions&query=q%3Dx"), &[list]).await;
    assert_eq!(browser.post_typed(&path, &again).await.status, 404);
    for action in ["saved_view.created", "saved_view.deleted"] {
        let audit = shop.owner.list(&format!("/api/audit?action={action}")).await;
        assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &view["id"]), "{action}");
        assert_eq!(audit[0]["details"], json!({ "list": "transactions" }), "{action}");
    }
}

#[story::test]
async fn every_list_with_filters_has_views(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let (here, anywhere) = (token(test, EMAIL).await, &shop.owner);
    for (list, page, filter) in LISTS {
        let by = if list == "audit" { anywhere } else { &here };
        let view = save(by, list, "Minha visão", filter).await;
        assert_eq!((&view["list"], &view["query"]), (&json!(list), &json!(filter)));
        let shown = browser.page(page).await;
        let link = format!("<a href=\"{page}?{filter}\">Minha visão</a>");
        assert!(shown.says(&link), "{list}: {}", shown.text);
        let opened = browser.page(&format!("{page}?{filter}")).await;
        let link = format!("<a href=\"{page}?{filter}\" aria-current=\"page\">Minha visão</a>");
        assert!(opened.says(&link), "{list}: {}", opened.text);
        assert_eq!(by.list(&format!("{API}?list={list}")).await, std::slice::from_ref(&view));
        by.delete(&format!("{API}/{}", id(&view))).await.expect(200);
        by.delete(&format!("{API}/{}", id(&view))).await.expect_refusal(404, "NOT_FOUND");
    }
}

#[story::test]
async fn the_history_of_an_account_has_views_without_a_mode(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let opened = "/account/audit/views?list=audit&query=action%3Dmember.invited";
    let fields = browser.page(opened).await.filled(&[("name", "Convites")]);
    let saved = next(&browser.post_typed("/account/audit/views", &fields).await);
    assert_eq!(saved, "/account/audit?action=member.invited");
    let view = shop.owner.list(API).await.remove(0);
    let path = format!("/account/audit/views/{}/delete", id(&view));
    let fields = typed(&browser, "/account/audit/views", &[("list", "audit")]).await;
    next(&browser.post_typed(&path, &fields).await);
    assert_eq!(shop.owner.list(API).await, [] as [Value; 0]);
    let body = json!({ "list": "audit", "name": "Convites", "query": "action=member.invited" });
    let refused = token(test, EMAIL).await.post(API, body).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["list"]);
    assert_eq!(browser.get(&format!("{VIEWS}?list=audit")).await.status, 404);
    assert_eq!(browser.get(VIEWS).await.status, 404);
}

#[story::test]
async fn a_view_is_an_address_of_its_own_list_and_of_nothing_else(test: &TestApp, shop: Shop) {
    let by = token(test, EMAIL).await;
    let long = "x".repeat(1_001);
    let table = [
        ("", "query"),
        ("planId=1", "query"),
        ("q=a&q=b", "query"),
        ("//evil.example/", "query"),
        ("https://evil.example/?q=a", "query"),
        ("cursor=abc", "query"),
        (long.as_str(), "query"),
    ];
    for (query, field) in table {
        let body = json!({ "list": "transactions", "name": "Outra", "query": query });
        let refused = by.post(API, body).await.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(refused, [field], "{query}");
    }
    for name in ["", "   ", &"n".repeat(61), "a\u{202e}b"] {
        let body = json!({ "list": "transactions", "name": name, "query": "status=PAID" });
        let refused = by.post(API, body).await.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(refused, ["name"], "{name}");
    }
    let kept = "?cursor=abc&page=3&limit=5&lang=en&status=PAID";
    assert_eq!(save(&by, "transactions", "Pagas", kept).await["query"], "status=PAID");
    shop.key.get(API).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn a_refused_view_comes_back_with_its_values(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = form(&browser, "status=PAID", "").await;
    let refused = Page::of(browser.post_typed(VIEWS, &fields).await, 422);
    assert_eq!(refused.wrong(), ["name"]);
    assert_eq!(refused.hidden("query"), Some("status=PAID"));
    let fields = form(&browser, "status=PAID", "4111 1111 1111 1111").await;
    let refused = Page::of(browser.post_typed(VIEWS, &fields).await, 422);
    assert_eq!(refused.wrong(), ["name"]);
    let mut fields = form(&browser, "status=PAID", "Pagas").await;
    for field in &mut fields {
        if field.0 == "query" {
            field.1 = "planId=1".to_owned();
        }
    }
    let refused = Page::of(browser.post_typed(VIEWS, &fields).await, 422);
    assert_eq!((refused.wrong(), refused.value("name")), (vec!["filter"], "Pagas"));
}

#[story::test]
async fn a_name_is_taken_once_in_a_list_and_a_list_has_twenty_views(test: &TestApp) {
    test.shop("Loja").await;
    let (by, browser) = (token(test, EMAIL).await, Browser::signed_in(test, EMAIL).await);
    save(&by, "transactions", "Pagas", "status=PAID").await;
    let body = json!({ "list": "transactions", "name": "Pagas", "query": "q=x" });
    by.post(API, body).await.expect_refusal(409, "ALREADY_EXISTS");
    let fields = form(&browser, "q=x", "Pagas").await;
    let refused = Page::of(browser.post_typed(VIEWS, &fields).await, 422);
    assert!(refused.says("Você já tem uma visão com este nome nesta lista"));
    assert_eq!(refused.value("name"), "Pagas");
    save(&by, "products", "Pagas", "q=x").await;
    let real = by.without("x-dev-mode");
    save(&real, "transactions", "Pagas", "status=PAID").await;
    for count in 1..20 {
        save(&by, "transactions", &format!("Visão {count}"), "status=PAID").await;
    }
    let body = json!({ "list": "transactions", "name": "Mais uma", "query": "q=x" });
    by.post(API, body).await.expect_refusal(409, "ALREADY_EXISTS");
    assert_eq!(by.list(&format!("{API}?list=transactions")).await.len(), 20);
}

#[story::test]
async fn a_view_is_seen_by_its_person_alone_and_in_its_mode(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    join(test, &shop, BIA, "VIEWER").await;
    let (by, bia) = (token(test, EMAIL).await, token(test, BIA).await);
    let view = save(&by, "transactions", "Pagas", "status=PAID").await;
    let path = format!("{API}/{}", id(&view));
    let theirs = other.owner.with("x-dev-mode", "true");
    let real = by.without("x-dev-mode");
    for stranger in [&bia, &theirs, &real] {
        assert_eq!(stranger.list(API).await, [] as [Value; 0]);
        stranger.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    }
    let browser = Browser::signed_in(test, BIA).await;
    assert!(!browser.page(LIST).await.says("Pagas</a>"));
    let fields = browser.page(&format!("{VIEWS}?list=transactions&query=q%3Dx")).await;
    let fields = fields.filled(&[("name", "Minhas")]);
    next(&browser.post_typed(VIEWS, &fields).await);
    let delete = format!("{VIEWS}/{}/delete", id(&view));
    let list = [("list", "transactions")];
    let fields = typed(&browser, &format!("{VIEWS}?list=transactions"), &list).await;
    assert_eq!(browser.post_typed(&delete, &fields).await.status, 404);
    let owner = Browser::signed_in(test, EMAIL).await;
    assert!(owner.page(LIST).await.says("Pagas</a>"));
    assert!(!owner.page("/dashboard/prod/transactions").await.says("Pagas</a>"));
    by.delete(&path).await.expect(200);
}

#[story::test]
async fn views_go_with_their_person_and_with_the_account(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "SUPPORT").await;
    let bia = token(test, BIA).await;
    save(&bia, "transactions", "Pagas", "status=PAID").await;
    save(&token(test, EMAIL).await, "transactions", "Pagas", "status=PAID").await;
    let engine = Engine::open(test).await;
    let count = async || engine.rows("select name from saved_views").await.len();
    let member = person(&shop.owner, BIA).await;
    shop.owner.delete(&format!("/api/members/{member}")).await.expect(200);
    assert_eq!(count().await, 1);
    let close = json!({ "password": crate::harness::shop::PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    assert_eq!(count().await, 0);
}

#[story::test]
async fn a_view_that_names_an_erased_customer_is_deleted(test: &TestApp, shop: Shop) {
    let customer = json!({ "name": "Ana", "email": "ana.quixaba@example.com" });
    let client = shop.client(customer).await;
    let by = token(test, EMAIL).await;
    save(&by, "transactions", "Da Ana", &format!("customerId={}", id(&client))).await;
    save(&by, "clients", "Ana", "q=ANA.quixaba%40example.com").await;
    save(&by, "transactions", "Pagas", "status=PAID").await;
    shop.key.delete(&client_path(&client)).await.expect(200);
    let left = by.list(API).await;
    assert_eq!((left.len(), &left[0]["name"]), (1, &json!("Pagas")));
}

#[story::test]
async fn a_hostile_view_does_no_harm(test: &TestApp) {
    test.shop("Loja").await;
    let by = token(test, EMAIL).await;
    let hostile: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    save(&by, "transactions", HOSTILE, &format!("q={hostile}")).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for page in [LIST.to_owned(), format!("{VIEWS}?list=transactions&query=q%3D{hostile}")] {
        without_harm(&browser.page(&page).await);
    }
}
