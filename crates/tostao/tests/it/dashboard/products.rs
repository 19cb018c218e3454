//! Products in the dashboard: their stock, and the forms that make, change and delete them.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, merged};

const LIST: &str = "/dashboard/dev/products";
const API: &str = "/api/v1/products";
const VIEWER: &str = "leitura@example.com";

fn path_of(product: &Value) -> String {
    format!("{LIST}/{}", id(product))
}

#[story::test]
async fn a_form_and_a_body_make_the_same_product_and_a_double_click_one(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = [
        ("name", "Caneca"),
        ("price", "R$ 49,90"),
        ("description", "De louça"),
        ("stockEnabled", "true"),
        ("stockQuantity", "10"),
        ("imageUrl", "https://example.com/a.png"),
    ];
    let fields = typed(&browser, &format!("{LIST}/new"), &fields).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(next(&browser.post_typed(&format!("{LIST}/new"), &fields).await));
    }
    assert_eq!(made[0], made[1]);
    let body = json!({
        "name": "Caneca", "price": 4_990, "description": "De louça", "stockEnabled": true,
        "stockQuantity": 10, "isDigital": false, "imageUrl": "https://example.com/a.png",
    });
    other.key.post(API, body).await.expect(201);
    let left = async |shop: &Shop| {
        assert_eq!(shop.key.total(API).await, 1);
        let mut product = shop.key.list(API).await.remove(0);
        product["id"] = Value::Null;
        (product, shop.events().await)
    };
    assert_eq!(left(&shop).await, left(&other).await);
    let audit = shop.owner.list("/api/audit?action=product.created").await;
    assert_eq!(audit.len(), 1);
    assert!(made[0].ends_with(audit[0]["subjectId"].as_str().expect("is an id")));
    let page = browser.page(&made[0]).await;
    assert!(page.says("R$\u{a0}49,90") && page.says("De louça") && page.says("À venda"));
}

#[story::test]
async fn the_stock_says_what_is_reserved_and_what_can_be_sold(test: &TestApp, shop: Shop) {
    let stock = json!({ "stockEnabled": true, "stockQuantity": 3 });
    let mug = shop.product(stock).await;
    let items = |quantity| json!({ "items": [{ "productId": mug["id"], "quantity": quantity }] });
    shop.charge_with(items(2)).await;
    assert_eq!(shop.read_product(&mug).await["stockReserved"], 2);
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(LIST).await.says("3 (2 com reserva)"));
    let page = browser.page(&path_of(&mug)).await;
    assert!(page.says("<dt>Com reserva</dt><dd>2</dd>"), "{}", page.text);
    assert!(page.says("<dt>Livre para vender</dt><dd>1</dd>"), "{}", page.text);
    shop.charge_with(items(1)).await;
    let page = browser.page(&path_of(&mug)).await;
    assert!(page.says("Sem estoque") && page.says("reservado por cobranças"), "{}", page.text);
}

#[story::test]
async fn a_refused_product_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = typed(&browser, &page, &[("name", "Caneca"), ("price", "caro")]).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["price"]);
    assert_eq!((refused.value("name"), refused.value("price")), ("Caneca", "caro"));
    assert!(refused.says("Digite um valor em reais, como 49,90."), "{}", refused.text);
    let fields = [
        ("name", " "),
        ("price", "1"),
        ("stockEnabled", "true"),
        ("imageUrl", "http://example.com/a.png"),
    ];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["name", "stockQuantity", "imageUrl"]);
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_product(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    for field in ["name", "price", "description", "stockQuantity", "imageUrl"] {
        let typed = [("name", "Caneca"), ("price", "10")];
        let typed = typed.into_iter().filter(|(name, _)| *name != field);
        let typed: Vec<_> = typed.chain([(field, "4111 1111 1111 1111")]).collect();
        let fields = super::typed(&browser, &page, &typed).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_change_keeps_what_was_sold_since_the_form_was_opened(test: &TestApp, shop: Shop) {
    let mug = shop.product(json!({ "stockEnabled": true, "stockQuantity": 10 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/edit", path_of(&mug));
    let form = browser.page(&path).await;
    let sold = json!({ "items": [{ "productId": mug["id"], "quantity": 4 }] });
    shop.pay(&shop.charge_with(sold).await).await;
    let hidden = |name| form.hidden(name).expect("is a hidden field").to_owned();
    let mut fields: Vec<_> = [("name", "Caneca azul"), ("price", "59,90")]
        .map(|(name, value)| (name, value.to_owned()))
        .into();
    fields.push(("stockEnabled", "true".to_owned()));
    fields.push(("stockQuantity", form.value("stockQuantity").to_owned()));
    fields.push(("drawn", hidden("drawn").replace("&#34;", "\"")));
    fields.push(("attempt", hidden("attempt")));
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), path_of(&mug));
    }
    let now = shop.read_product(&mug).await;
    let change = json!({
        "name": "Caneca azul", "price": 5_990, "stockQuantity": 6, "updatedAt": now["updatedAt"],
    });
    assert_eq!(now, merged(mug, &change));
    assert_eq!(shop.owner.total("/api/audit?action=product.updated").await, 1);
}

#[story::test]
async fn a_product_is_taken_off_sale_and_deleted_once_its_name_is_typed(
    test: &TestApp,
    shop: Shop,
) {
    let mug = shop.product(json!({ "name": "Caneca" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let fields = typed(&browser, &path_of(&mug), &[("status", "INACTIVE")]).await;
    let done = browser.post_typed(&format!("{}/switch", path_of(&mug)), &fields).await;
    assert!(browser.land(done).await.says("O produto está fora de venda."));
    assert_eq!(shop.read_product(&mug).await["status"], "INACTIVE");
    assert!(browser.page(&format!("{LIST}?status=ACTIVE")).await.says("Nenhum produto passa"));
    let path = format!("{}/delete", path_of(&mug));
    let fields = typed(&browser, &path, &[("typed", "Copo")]).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("typed")), (vec!["typed"], "Copo"));
    let fields = typed(&browser, &path, &[("typed", "Caneca")]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), LIST);
    }
    assert_eq!(shop.key.total(API).await, 0);
    assert_eq!(shop.owner.total("/api/audit?action=product.deleted").await, 1);
    assert_eq!(shop.events().await, ["product.created", "product.updated", "product.deleted"]);
}

#[story::test]
async fn a_role_that_may_not_change_products_reads_them(test: &TestApp, shop: Shop) {
    let mug = shop.product(json!({})).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), path_of(&mug)] {
        let page = browser.page(&path).await;
        assert!(page.says("O seu papel nesta conta não inclui isto."), "{path}");
    }
    let fields = [("attempt", "x"), ("status", "INACTIVE"), ("typed", "Caneca")];
    for refused in [
        browser.get(&format!("{LIST}/new")).await,
        browser.post(&format!("{LIST}/new"), &fields).await,
        browser.post(&format!("{}/edit", path_of(&mug)), &fields).await,
        browser.post(&format!("{}/switch", path_of(&mug)), &fields).await,
        browser.post(&format!("{}/delete", path_of(&mug)), &fields).await,
    ] {
        assert!(Page::of(refused, 403).says("products:write"));
    }
    assert_eq!(shop.read_product(&mug).await, mug);
}

#[story::test]
async fn the_product_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    drop(shop);
    let theirs = other.product(json!({})).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, LIST, id(&theirs), &["", "/edit", "/delete"]).await;
    let page = browser.page(&format!("{LIST}/new")).await;
    let attempt = page.hidden("attempt").expect("has an attempt");
    for form in ["edit", "switch", "delete"] {
        let fields = [("attempt", attempt), ("status", "INACTIVE"), ("typed", "Caneca")];
        let refused = browser.post(&format!("{}/{form}", path_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    assert_eq!(other.read_product(&theirs).await, theirs);
}

#[story::test]
async fn hostile_names_of_products_are_text(test: &TestApp, shop: Shop) {
    let mug = shop.product(json!({ "name": HOSTILE, "description": HOSTILE })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let pages = ["", "/edit", "/delete"].map(|page| format!("{}{page}", path_of(&mug)));
    for path in pages.into_iter().chain([format!("{LIST}?q={query}")]) {
        let page = browser.page(&path).await;
        without_harm(&page);
        calls_answer(&shop, &page).await;
    }
}

#[story::test]
async fn a_product_leads_to_a_new_link_that_sells_it(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": "Caneca" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let form = format!("/dashboard/dev/links/new?product={}", id(&product));
    let link = format!("href=\"{form}\"");
    assert!(browser.page(&path_of(&product)).await.says(&link));
    let page = browser.page(&form).await;
    assert_eq!(page.value("title"), "Caneca");
    assert!(page.says(&format!("value=\"{}\" selected>", id(&product))), "{}", page.text);
    let unknown = "01931b2c-0000-7000-8000-000000000000";
    let path = format!("/dashboard/dev/links/new?product={unknown}");
    assert_eq!(browser.get(&path).await.status, 404);
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let table = [
        ("pt-BR", "Está fora de venda: um link não o venderia."),
        ("en", "It is not for sale: a link would not sell it."),
    ];
    for (lang, said) in table {
        let off = browser.page(&format!("{}?lang={lang}", path_of(&product))).await;
        assert!(off.says(said) && !off.says(&link), "{}", off.text);
    }
}
