//! Payment links in the dashboard: making one, sending it, and what came of it.

use std::time::Duration;

use db::database::Dialect;
use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, join, next};
use crate::carts::capture;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, product_path};

const LIST: &str = "/dashboard/dev/links";
const NEW: &str = "/dashboard/dev/links/new";
const API: &str = "/api/v1/payment-links";
const VIEWER: &str = "leitura@example.com";

/// What an untouched form sends beside its texts.
const DEFAULTS: [(&str, &str); 5] = [
    ("settings.pixEnabled", "true"),
    ("settings.boletoEnabled", "true"),
    ("settings.creditCardEnabled", "true"),
    ("settings.maxInstallments", "1"),
    ("settings.interestFreeInstallments", "1"),
];

fn page_of(link: &Value) -> String {
    format!("{LIST}/{}", id(link))
}

/// Posts a form with these fields as the page that it stands on sends it.
async fn send(browser: &Browser, page: &str, form: &str, fields: &[(&str, &str)]) -> Reply {
    let drawn = browser.page(page).await;
    let attempt = drawn.hidden("attempt").expect("has an attempt");
    let as_drawn = drawn.form().into_iter().find(|(name, _)| name == "drawn");
    let as_drawn = as_drawn.map(|(_, value)| value).unwrap_or_default();
    let fields = [&[("attempt", attempt), ("drawn", &as_drawn)], fields].concat();
    browser.post(form, &fields).await
}

/// Makes a link by the form.
async fn make(browser: &Browser, fields: &[(&str, &str)]) -> Reply {
    send(browser, NEW, NEW, &[&DEFAULTS[..], fields].concat()).await
}

/// The only link of a shop without what is its own, and the events.
async fn left(shop: &Shop) -> (Value, Vec<String>) {
    let mut link = only(shop).await;
    for own in ["id", "slug", "url"] {
        link[own] = Value::Null;
    }
    link["products"][0]["productId"] = Value::Null;
    (link, shop.events().await)
}

/// The only link of a shop.
async fn only(shop: &Shop) -> Value {
    let links = shop.key.list(API).await;
    assert_eq!(links.len(), 1);
    links[0].clone()
}

#[story::test]
async fn a_link_is_made_by_two_fields_and_its_page_is_ready_to_send(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let made = make(&browser, &[("title", "Café 250 g"), ("amountCents", "49,90")]).await;
    let link = only(&shop).await;
    assert_eq!(next(&made), page_of(&link));
    assert_eq!((&link["title"], &link["amount"]), (&json!("Café 250 g"), &json!(4_990)));
    let page = browser.land(made).await;
    assert_eq!(page.heading(), "Café 250 g");
    assert!(page.says("O link foi criado.") && page.says("O link aceita pagamentos."));
    let address = link["url"].as_str().expect("has an address");
    assert_eq!(page.within("<code id=\"link-url\"", "</code>"), Some(address));
    assert!(page.drawing().is_some(), "a code to scan");
    let escaped = "Caf%C3%A9%20250%20g%2C%20R%24%C2%A049%2C90.%20Pague%20aqui%3A%20https%3A%2F%2F";
    assert!(page.says(&format!("href=\"https://wa.me/?text={escaped}")), "{}", page.text);
    assert!(page.says("href=\"mailto:?subject=Caf%C3%A9%20250%20g&#38;body=Caf%C3%A9"));
    let audit = shop.owner.list("/api/audit?action=payment_link.created").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &link["id"]));
}

#[story::test]
async fn the_first_link_of_a_developer_only_has_to_be_posted(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(NEW).await;
    assert_eq!((page.value("title"), page.value("amountCents")), ("Café em grãos, 250 g", "49,90"));
    let page = browser.page("/dashboard/prod/links/new").await;
    assert_eq!((page.value("title"), page.value("amountCents")), ("", ""));
    shop.link(1_000).await;
    assert_eq!(browser.page(NEW).await.value("title"), "");
}

#[story::test]
async fn a_form_and_a_body_leave_the_same_link_and_the_same_events(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let [mug, theirs] = [shop.product(json!({})).await, other.product(json!({})).await];
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("title", "Caneca e café"),
        ("amountCents", "R$ 1.204,50"),
        ("description", "Com frete."),
        ("productDescription", "Feita à mão."),
        ("settings.pixEnabled", "true"),
        ("settings.creditCardEnabled", "true"),
        ("settings.maxInstallments", "12"),
        ("settings.interestFreeInstallments", "3"),
        ("settings.interestRate", "2,99"),
        ("settings.requirePhone", "true"),
        ("products[1].productId", id(&mug)),
        ("products[1].quantity", "2"),
        ("stockQuantity", "7"),
        ("expiresAt", "2026-12-24"),
        ("redirectUrl", "https://loja.example.com/obrigado"),
        ("metaPixelCode", "1234567890"),
    ];
    next(&send(&browser, NEW, NEW, &fields).await);
    let body = json!({
        "title": "Caneca e café", "amountCents": 120_450, "description": "Com frete.",
        "productDescription": "Feita à mão.",
        "settings": {
            "pixEnabled": true, "boletoEnabled": false, "creditCardEnabled": true,
            "maxInstallments": 12, "interestFreeInstallments": 3, "interestRate": 2.99,
            "requirePhone": true, "requireAddress": false,
        },
        "products": [{ "productId": theirs["id"], "quantity": 2 }],
        "stockQuantity": 7, "stockEnabled": true, "expiresAt": "2026-12-25T03:00:00.000Z",
        "redirectUrl": "https://loja.example.com/obrigado", "metaPixelCode": "1234567890",
    });
    other.key.post(API, body).await.expect(201);
    assert_eq!(left(&shop).await, left(&other).await);
}

#[story::test]
async fn the_form_and_the_body_that_change_a_link_leave_the_same(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let [mug, theirs] = [shop.product(json!({})).await, other.product(json!({})).await];
    let terms = json!({
        "amountCents": 1_000, "description": "Com frete.", "stockEnabled": true,
        "stockQuantity": 7, "expiresAt": "2026-12-25T03:00:00.000Z",
        "redirectUrl": "https://loja.example.com/", "settings": { "requirePhone": true },
    });
    let (by_form, by_body) = (shop.link_with(terms.clone()).await, other.link_with(terms).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{}/edit", page_of(&by_form));
    let fields = [
        ("title", "Caneca"),
        ("amountCents", ""),
        ("settings.pixEnabled", "true"),
        ("products[0].productId", id(&mug)),
        ("expiresAt", ""),
        ("stockQuantity", ""),
    ];
    next(&send(&browser, &page, &page, &fields).await);
    let change = json!({
        "title": "Caneca", "amountCents": null, "description": null, "productDescription": null,
        "settings": {
            "pixEnabled": true, "boletoEnabled": false, "creditCardEnabled": false,
            "interestRate": 0, "requirePhone": false, "requireAddress": false,
        },
        "products": [{ "productId": theirs["id"], "quantity": 1 }],
        "stockQuantity": null, "stockEnabled": false, "expiresAt": null, "redirectUrl": null,
        "metaPixelCode": null,
    });
    other.change_link(&by_body, change).await;
    assert_eq!(left(&shop).await, left(&other).await);
}

#[story::test]
async fn a_form_posted_twice_makes_one_link_and_other_values_are_not_lost(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let attempt = browser.page(NEW).await.hidden("attempt").expect("has one").to_owned();
    let fields = |title| {
        [&DEFAULTS[..], &[("attempt", &attempt), ("title", title), ("amountCents", "10")]].concat()
    };
    let first = next(&browser.post(NEW, &fields("Caneca")).await);
    assert_eq!(next(&browser.post(NEW, &fields("Caneca")).await), first);
    let page = Page::of(browser.post(NEW, &fields("Copo")).await, 422);
    assert!(page.says("Este formulário já foi enviado com outros valores."));
    assert_eq!((page.value("title"), page.value("amountCents")), ("Copo", "10"));
    assert_eq!(only(&shop).await["title"], "Caneca");
    let again = page.hidden("attempt").expect("has one").to_owned();
    assert_ne!(again, attempt);
    // A form that was drawn in the other mode makes nothing in this one.
    let drawn = browser.page("/dashboard/prod/links/new").await;
    let elsewhere = drawn.hidden("attempt").expect("has one");
    let fields = [&DEFAULTS[..], &[("attempt", elsewhere), ("title", "x"), ("amountCents", "1")]];
    assert_eq!(browser.post(NEW, &fields.concat()).await.status, 403);
    assert_eq!(only(&shop).await["title"], "Caneca");
}

#[story::test]
async fn a_refused_form_comes_back_with_its_values_and_says_what_is_wrong(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let refused =
        async |fields: &[(&str, &str)]| Page::of(send(&browser, NEW, NEW, fields).await, 422);
    let page = refused(&[
        ("title", "Caneca"),
        ("amountCents", "vinte"),
        ("stockQuantity", "x"),
        ("settings.pixEnabled", "true"),
        ("expiresAt", "amanhã"),
    ])
    .await;
    assert_eq!(page.wrong(), ["amountCents", "stockQuantity", "expiresAt"]);
    assert_eq!((page.value("title"), page.value("amountCents")), ("Caneca", "vinte"));
    assert_eq!(page.error("amountCents"), "Digite um valor em reais, como 49,90.");
    let page = refused(&[
        ("title", ""),
        ("amountCents", "10"),
        ("settings.pixEnabled", "true"),
        ("settings.interestRate", "muito"),
        ("redirectUrl", "javascript:x"),
        ("settings.maxInstallments", "2"),
        ("settings.interestFreeInstallments", "3"),
        ("metaPixelCode", "<b>"),
        ("expiresAt", "2026-11-20"),
    ])
    .await;
    let wrong = [
        "title",
        "settings.interestFreeInstallments",
        "settings.interestRate",
        "expiresAt",
        "redirectUrl",
        "metaPixelCode",
    ];
    assert_eq!(page.wrong(), wrong);
    assert_eq!(page.value("redirectUrl"), "javascript:x");
    let page = refused(&[("title", "Caneca"), ("amountCents", "10")]).await;
    assert_eq!(page.wrong(), ["settings.pixEnabled"]);
    assert!(page.says("Escolha ao menos uma forma de pagamento."));
    let page = refused(&[("title", "Caneca"), ("settings.pixEnabled", "true")]).await;
    assert_eq!(page.wrong(), ["amountCents"]);
    let unknown = "01931b2c-0000-7000-8000-000000000000";
    let page = refused(&[
        ("title", "Caneca"),
        ("settings.pixEnabled", "true"),
        ("products[2].productId", unknown),
    ])
    .await;
    assert_eq!(page.wrong(), ["products[0].productId"]);
    let page = refused(&[("title", "4242 4242 4242 4242"), ("amountCents", "10")]).await;
    assert_eq!(page.wrong(), ["title"]);
    assert!(shop.key.list(API).await.is_empty());
}

#[story::test]
async fn a_preview_has_the_words_of_the_checkout_and_makes_nothing(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("title", "Curso"),
        ("amountCents", "300,00"),
        ("preview", "true"),
        ("settings.pixEnabled", "true"),
        ("settings.creditCardEnabled", "true"),
        ("settings.maxInstallments", "3"),
        ("settings.interestFreeInstallments", "3"),
    ];
    let page = Page::of(send(&browser, NEW, NEW, &fields).await, 200);
    assert!(page.says("Prévia do checkout") && page.says("Nada foi criado ainda."));
    assert!(shop.key.list(API).await.is_empty());
    let mut made = fields.to_vec();
    made.retain(|(name, _)| *name != "preview");
    next(&send(&browser, NEW, NEW, &made).await);
    let slug = only(&shop).await["slug"].as_str().expect("has one").to_owned();
    let checkout = Page::of(test.anyone().get(&format!("/pay/{slug}")).await, 200);
    for words in ["3x de R$\u{a0}100,00 sem juros", "até 3x", "R$\u{a0}300,00"] {
        assert!(page.says(words) && checkout.says(words), "{words}");
    }
    let page = Page::of(send(&browser, NEW, NEW, &fields[1..]).await, 422);
    assert_eq!(page.wrong(), ["title"]);
}

#[story::test]
async fn a_link_is_switched_off_after_a_page_that_says_what_that_does_and_on_again(
    test: &TestApp,
    shop: Shop,
) {
    let link = shop.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let off = format!("{}/switch-off", page_of(&link));
    assert!(browser.page(&page_of(&link)).await.says(&format!("href=\"{off}\"")));
    let confirm = browser.page(&off).await;
    assert!(confirm.says("Cobranças já emitidas ainda podem ser pagas"));
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    let attempt = confirm.hidden("attempt").expect("has one").to_owned();
    for _ in 0..2 {
        let done = browser.post(&off, &[("attempt", &attempt)]).await;
        assert_eq!(next(&done), page_of(&link));
    }
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("O link foi desligado:") && page.says("Desligado"));
    assert_eq!(shop.read_link(&link).await["status"], "INACTIVE");
    let path = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    assert_ne!(test.anyone().get(&path).await.status, 200);
    let on = format!("{}/switch-on", page_of(&link));
    let attempt = page.hidden("attempt").expect("has one");
    assert_eq!(next(&browser.post(&on, &[("attempt", attempt)]).await), page_of(&link));
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    assert_eq!(test.anyone().get(&path).await.status, 200);
    let audit = shop.owner.list("/api/audit?action=payment_link.updated").await;
    assert_eq!(audit.len(), 2);
}

#[story::test]
async fn an_expired_link_offers_a_new_date_and_sells_again(test: &TestApp, shop: Shop) {
    let ends = json!({ "amountCents": 1_000, "expiresAt": "2026-11-21T13:00:00.000Z" });
    let link = shop.link_with(ends).await;
    test.pass(Duration::from_hours(2));
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("Vencido") && page.says("O prazo do link terminou em"));
    assert!(page.says("O prazo terminou: dê uma nova data.") && page.says("Dar nova data"));
    let edit = format!("{}/edit", page_of(&link));
    let form = browser.page(&edit).await;
    assert_eq!(form.value("expiresAt"), "2026-12-21");
    let fields = [
        ("title", "Caneca"),
        ("amountCents", "10"),
        ("settings.pixEnabled", "true"),
        ("expiresAt", form.value("expiresAt")),
    ];
    next(&send(&browser, &edit, &edit, &fields).await);
    let link = shop.read_link(&link).await;
    assert_eq!(link["status"], "ACTIVE");
    assert_eq!(link["expiresAt"], "2026-12-22T03:00:00.000Z");
}

#[story::test]
async fn what_is_not_touched_stays_as_it_is(test: &TestApp, shop: Shop) {
    let mut items = Vec::new();
    for _ in 0..5 {
        items.push(json!({ "productId": shop.product(json!({})).await["id"], "quantity": 3 }));
    }
    let link = shop.link_with(json!({
        "amountCents": 1_000, "expiresAt": "2026-12-01T15:30:00.000Z", "products": items,
        "stockEnabled": true, "stockQuantity": 5,
    }));
    let link = link.await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let edit = format!("{}/edit", page_of(&link));
    let form = browser.page(&edit).await;
    // A sale between the drawing of the form and its posting.
    let charge = shop.charge_with(json!({ "paymentLinkId": id(&link) })).await;
    shop.pay(&charge).await;
    let before = shop.read_link(&link).await;
    assert_eq!(before["stockQuantity"], 4);
    next(&browser.post_typed(&edit, &form.form()).await);
    let mut after = shop.read_link(&link).await;
    after["updatedAt"] = before["updatedAt"].clone();
    assert_eq!(after, before);
}

#[story::test]
async fn another_link_sells_all_the_products_of_one(test: &TestApp, shop: Shop) {
    let mut items = Vec::new();
    for quantity in 1..=12 {
        let product = shop.product(json!({})).await;
        items.push(json!({ "productId": product["id"], "quantity": quantity }));
    }
    let link = shop.link_with(json!({ "products": items })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let form = browser.page(&format!("{NEW}?copy={}", id(&link))).await;
    assert!(form.says("id=\"products[12].productId\""), "a row for one more");
    assert!(!form.says("id=\"products[13].productId\""));
    let made = browser.land(browser.post_typed(NEW, &form.form()).await).await;
    assert!(made.says("O link foi criado."));
    let links = shop.key.list(API).await;
    assert_eq!((links.len(), &links[0]["products"]), (2, &link["products"]));
}

#[story::test]
async fn a_deleted_product_stays_in_its_link_until_its_row_is_changed(test: &TestApp, shop: Shop) {
    let (gone, cup) =
        (shop.product(json!({})).await, shop.product(json!({ "name": "Copo" })).await);
    let items = [(&gone, 2), (&cup, 1)];
    let items = items.map(|(it, count)| json!({ "productId": it["id"], "quantity": count }));
    let link = shop.link_with(json!({ "products": items })).await;
    shop.key.delete(&product_path(&gone)).await.expect(200);
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(&page_of(&link)).await.says("2 × Caneca (apagado), 1 × Copo"));
    let edit = format!("{}/edit", page_of(&link));
    let form = browser.page(&edit).await;
    let chosen = format!("<option value=\"{}\" selected>Caneca (apagado)</option>", id(&gone));
    assert_eq!(form.text.matches("Caneca (apagado)").count(), 1, "in its own row only");
    assert!(form.says(&chosen), "{}", form.text);
    next(&browser.post_typed(&edit, &form.filled(&[("title", "Kit")])).await);
    let now = shop.read_link(&link).await;
    assert_eq!((&now["title"], &now["products"]), (&json!("Kit"), &link["products"]));
    let form = browser.page(&edit).await;
    let changed = form.filled(&[("products[1].quantity", "3")]);
    let refused = Page::of(browser.post_typed(&edit, &changed).await, 422);
    assert_eq!(refused.wrong(), ["products[0].productId"]);
    let without = refused.filled(&[("products[0].productId", "")]);
    next(&browser.post_typed(&edit, &without).await);
    let left = json!([{ "productId": cup["id"], "quantity": 3 }]);
    assert_eq!(shop.read_link(&link).await["products"], left);
}

#[story::test]
async fn carts_are_counted_up_to_a_thousand(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    capture(test, &link, "fulano@example.com", json!({})).await;
    let engine = Engine::open(test).await;
    let any_id = match engine.dialect() {
        Dialect::Sqlite => "randomblob(16)",
        Dialect::Postgres => "gen_random_uuid()",
    };
    engine
        .rows(&format!(
            "insert into carts (merchant_id, mode, id, version, payment_link_id, status, fresh,
                                created_at, updated_at)
             with recursive numbers (number) as (
                  select 1 union all select number + 1 from numbers where number < 1000)
             select merchant_id, mode, {any_id}, 1, payment_link_id, status, false, created_at,
                    updated_at
               from carts, numbers"
        ))
        .await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    assert_eq!(page.text.matches(">1000+<").count(), 2, "{}", page.text);
    for query in ["", "?status=ABANDONED"] {
        let carts = browser.page(&format!("{}/carts{query}", page_of(&link))).await;
        assert!(carts.says("1000+ no total"), "{query}");
    }
    let api = format!("{API}/{}/cart-abandonments", id(&link));
    assert_eq!(shop.key.total(&api).await, 1_001);
}

#[story::test]
async fn another_link_begins_with_the_values_of_one(test: &TestApp, shop: Shop) {
    let settings = json!({ "maxInstallments": 6, "boletoEnabled": false });
    let link = shop.link_with(json!({
        "amountCents": 120_450, "description": "Com frete.", "settings": settings,
        "expiresAt": "2026-11-21T13:00:00.000Z",
    }));
    let link = link.await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let copy = format!("{NEW}?copy={}", id(&link));
    assert!(browser.page(&page_of(&link)).await.says(&format!("href=\"{copy}\"")));
    let form = browser.page(&copy).await;
    assert_eq!((form.value("title"), form.value("amountCents")), ("Caneca", "1.204,50"));
    assert_eq!((form.value("description"), form.value("expiresAt")), ("Com frete.", "2026-11-21"));
    assert!(form.says("<option value=\"6\" selected>"));
    assert!(!form.says("name=\"settings.boletoEnabled\" type=\"checkbox\" value=\"true\" checked"));
    assert!(form.says("name=\"settings.pixEnabled\" type=\"checkbox\" value=\"true\" checked"));
    test.pass(Duration::from_hours(2));
    let later = Browser::signed_in(test, EMAIL).await;
    assert_eq!(later.page(&copy).await.value("expiresAt"), "", "a date that is over");
}

#[story::test]
async fn each_figure_of_a_link_opens_the_list_that_it_counts(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let by_link = json!({ "paymentLinkId": id(&link) });
    for _ in 0..2 {
        let charge = shop.charge_with(by_link.clone()).await;
        shop.pay(&charge).await;
    }
    let refunded = shop.charge_with(by_link.clone()).await;
    let refunded = shop.pay(&refunded).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&refunded));
    shop.key.post(&path, json!({ "reason": "Risco" })).await.expect(201);
    shop.charge_with(by_link).await;
    shop.sell(5_000).await;
    capture(test, &link, "fulano@example.com", json!({ "clientName": "Fulano de Tal" })).await;
    capture(test, &link, "beltrana@example.com", json!({})).await;
    test.run_jobs().await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    let figures = [
        ("Cobranças", "4 transações"),
        ("Pagas", "3 transações"),
        ("Abandonos", "2 no total"),
        ("Carrinhos", "2 no total"),
    ];
    for (name, counted) in figures {
        let (_, figure) = page.text.split_once(&format!("<dt>{name}</dt>")).expect("is shown");
        let (_, link) = figure.split_once("<a href=\"").expect("leads to a list");
        let (url, rest) = link.split_once("\">").expect("is a link");
        let count = counted.split(' ').next().expect("is a number");
        assert!(rest.starts_with(&format!("<span class=\"money\">{count}</span>")), "{name}");
        let list = browser.page(&url.replace("&#38;", "&")).await;
        assert!(list.says(counted), "{name}: {}", list.text);
    }
}

#[story::test]
async fn the_buyers_of_carts_are_shown_only_to_a_role_that_may_read_them(
    test: &TestApp,
    shop: Shop,
) {
    let link = shop.link(1_000).await;
    let carts = format!("{}/carts", page_of(&link));
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(&carts).await.says("Nenhum carrinho abandonado"));
    capture(test, &link, "fulano@example.com", json!({ "clientName": "Fulano de Tal" })).await;
    assert!(browser.page(&carts).await.says("Fulano de Tal · fulano@example.com"));
    let none = browser.page(&format!("{carts}?status=RECOVERED")).await;
    assert!(none.says("Nenhum carrinho passa por este filtro"));
    join(test, &shop, VIEWER, "VIEWER").await;
    let page = Browser::signed_in(test, VIEWER).await.page(&carts).await;
    assert!(page.says("Abandonado") && !page.says("Fulano") && !page.says("fulano@"));
}

#[story::test]
async fn a_role_that_may_not_write_links_sees_them_and_changes_nothing(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for page in [LIST.to_owned(), page_of(&link)] {
        let page = browser.page(&page).await;
        assert!(page.says("O seu papel nesta conta não inclui isto.") && page.says("Caneca"));
    }
    let here = page_of(&link);
    let forms = ["/edit", "/switch-off"].map(|form| format!("{here}{form}"));
    for page in [&[NEW.to_owned()], &forms[..]].concat() {
        assert!(Page::of(browser.get(&page).await, 403).says("paymentLinks:write"), "{page}");
    }
    let on = format!("{here}/switch-on");
    for form in [&[NEW.to_owned(), on], &forms[..]].concat() {
        let refused = browser.post(&form, &[("attempt", "x"), ("title", "x")]).await;
        assert!(Page::of(refused, 403).says("paymentLinks:write"), "{form}");
    }
    assert_eq!(only(&shop).await, shop.read_link(&link).await);
}

#[story::test]
async fn the_link_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.link(1_000).await;
    let theirs = other.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let unknown = "01931b2c-0000-7000-8000-000000000000";
    let shown = |reply: &Reply, id: &str| {
        let request = reply.header("x-request-id").expect("has an id");
        reply.text.replace(id, "").replace(request, "")
    };
    for page in ["", "/edit", "/carts", "/switch-off", "/poster.png", "copy"] {
        let [one, none] = [id(&theirs), unknown].map(|id| match page {
            "copy" => format!("{NEW}?copy={id}"),
            page => format!("{LIST}/{id}{page}"),
        });
        let (one, none) = (browser.get(&one).await, browser.get(&none).await);
        assert_eq!((one.status, none.status), (404, 404), "{page}");
        assert_eq!(shown(&one, id(&theirs)), shown(&none, unknown), "{page}");
    }
    let attempt = browser.page(NEW).await.hidden("attempt").expect("has one").to_owned();
    for form in ["edit", "switch-off", "switch-on"] {
        let fields = [("attempt", attempt.as_str()), ("title", "Nosso"), ("amountCents", "1")];
        let refused = browser.post(&format!("{}/{form}", page_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    let theirs_now = other.read_link(&theirs).await;
    assert_eq!((&theirs_now["title"], &theirs_now["status"]), (&json!("Caneca"), &json!("ACTIVE")));
}

#[story::test]
async fn hostile_texts_are_shown_and_do_nothing(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": HOSTILE })).await;
    let link = shop.link_with(json!({
        "title": HOSTILE, "description": HOSTILE, "productDescription": HOSTILE,
        "products": [{ "productId": product["id"], "quantity": 1 }],
    }));
    let link = link.await;
    capture(test, &link, "fulano@example.com", json!({ "clientName": HOSTILE })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = page_of(&link);
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let pages = [
        LIST.to_owned(),
        format!("{LIST}?q={query}"),
        here.clone(),
        format!("{here}/edit"),
        format!("{here}/carts"),
        format!("{here}/switch-off"),
    ];
    for path in pages {
        let page = browser.page(&path).await;
        assert!(!page.says("<script>alert") && !page.says("<b onclick"), "{path}");
        assert!(page.says("alert(1)"), "{path}");
    }
    let fields = [("title", HOSTILE), ("amountCents", HOSTILE), ("preview", "true")];
    let refused = Page::of(send(&browser, NEW, NEW, &fields).await, 422);
    assert!(!refused.says("<script>alert") && refused.says("alert(1)"));
    let fields = [
        ("title", HOSTILE),
        ("amountCents", "1"),
        ("preview", "true"),
        ("settings.pixEnabled", "true"),
    ];
    let preview = Page::of(send(&browser, NEW, NEW, &fields).await, 200);
    assert!(!preview.says("<script>alert") && preview.says("alert(1)"));
}

#[story::test]
async fn the_list_says_what_to_do_searches_filters_and_goes_on(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let empty = browser.page(LIST).await;
    assert!(empty.says("Nenhum link ainda") && empty.says("Criar o primeiro link"));
    let link = shop.link_with(json!({ "title": "Café", "amountCents": 4_990 })).await;
    shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
    for _ in 0..51 {
        shop.link(1_000).await;
    }
    let rows = |page: &Page| page.text.matches("class=\"only-narrow\"").count();
    let first = browser.page(LIST).await;
    assert_eq!(rows(&first), 50);
    let next = first.within("<a href=\"", "\" rel=\"next\">");
    let next = next.and_then(|links| links.rsplit("<a href=\"").next()).expect("goes on");
    let second = browser.page(&next.replace("&#38;", "&")).await;
    assert_eq!(rows(&second), 2);
    assert!(second.says("Café") && second.says("R$\u{a0}49,90") && second.says("Nenhuma cobrança"));
    let found = browser.page(&format!("{LIST}?q=caf%C3%A9&status=INACTIVE")).await;
    assert_eq!((rows(&found), found.value("q")), (1, "café"));
    let none = browser.page(&format!("{LIST}?q=caf%C3%A9&status=ACTIVE")).await;
    assert!(none.says("Nenhum link passa por este filtro"));
    let wrong = Page::of(browser.get(&format!("{LIST}?status=LIGADO")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
}

#[story::test]
async fn the_code_to_print_is_a_picture_of_the_address(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    let poster = format!("{}/poster.png", page_of(&link));
    assert!(page.says(&format!("href=\"{poster}\" download")));
    let reply = browser.get(&poster).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("image/png")));
    let name = format!("attachment; filename=\"link-{}.png\"", link["slug"].as_str().expect("has"));
    assert_eq!(reply.header("content-disposition"), Some(name.as_str()));
}

#[story::test]
async fn a_link_that_cannot_be_paid_although_it_is_on_says_why(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let sold = json!({ "amountCents": 1_000, "stockEnabled": true, "stockQuantity": 0 });
    let sold = shop.link_with(sold).await;
    assert!(browser.page(&page_of(&sold)).await.says("mas o estoque acabou"));
    let product = shop.product(json!({})).await;
    let items = json!([{ "productId": product["id"], "quantity": 2 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    assert!(browser.page(&page_of(&link)).await.says("2 × Caneca"));
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("um dos seus produtos está fora de venda") && page.says("fora de venda"));
}

#[story::test]
async fn a_link_of_real_money_says_that_no_bank_is_connected(test: &TestApp, shop: Shop) {
    let new = json!({ "title": "Caneca", "amountCents": 1_000 });
    let link = shop.owner.post(API, new).await.expect(201)["data"].clone();
    let page = Browser::signed_in(test, EMAIL).await;
    let page = page.page(&format!("/dashboard/prod/links/{}", id(&link))).await;
    assert!(page.says("nenhuma das suas formas de pagamento funciona aqui agora"));
}

#[story::test]
async fn where_there_is_no_sale_a_link_is_the_next_step_for_who_may_make_one(
    test: &TestApp,
    shop: Shop,
) {
    join(test, &shop, VIEWER, "VIEWER").await;
    let table = [(EMAIL, true), (VIEWER, false)];
    for (email, leads) in table {
        let browser = Browser::signed_in(test, email).await;
        for page in ["/dashboard/dev", "/dashboard/dev/transactions"] {
            let page = browser.page(page).await;
            assert_eq!(page.says(&format!("href=\"{NEW}\"")), leads, "{email}");
            assert_eq!(page.says("/docs/api/payment-links"), !leads, "{email}");
        }
    }
}
