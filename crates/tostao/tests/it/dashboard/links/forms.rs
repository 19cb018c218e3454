//! The form of a payment link: what it makes, changes, refuses and begins with.

use std::time::Duration;

use serde_json::{Value, json};

use super::{API, NEW, only, page_of, send};
use crate::dashboard::{Browser, EMAIL, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, product_path};

/// What an untouched form sends beside its texts.
const DEFAULTS: [(&str, &str); 5] = [
    ("settings.pixEnabled", "true"),
    ("settings.boletoEnabled", "true"),
    ("settings.creditCardEnabled", "true"),
    ("settings.maxInstallments", "1"),
    ("settings.interestFreeInstallments", "1"),
];

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
        ("settings.maxInstallments", "2"),
        ("settings.interestFreeInstallments", "3"),
        ("expiresAt", "amanhã"),
        ("redirectUrl", "javascript:x"),
    ])
    .await;
    let wrong = [
        "amountCents",
        "settings.interestFreeInstallments",
        "stockQuantity",
        "expiresAt",
        "redirectUrl",
    ];
    assert_eq!(page.wrong(), wrong);
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
    assert_eq!(page.error("title"), "Preencha este campo.");
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
async fn what_is_free_of_interest_is_not_compared_with_installments_that_were_refused(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("title", "Caneca"),
        ("amountCents", "10"),
        ("settings.pixEnabled", "true"),
        ("settings.maxInstallments", "13"),
        ("settings.interestFreeInstallments", "3"),
    ];
    let page = Page::of(send(&browser, NEW, NEW, &fields).await, 422);
    assert_eq!(page.wrong(), ["settings.maxInstallments"]);
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
