//! Coupons in the dashboard: made, changed, switched off and deleted by forms.

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, typed, without_harm};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id, merged, product_path};

const LIST: &str = "/dashboard/dev/coupons";
const API: &str = "/api/v1/coupons";
const VIEWER: &str = "leitura@example.com";

fn path_of(coupon: &Value) -> String {
    format!("{LIST}/{}", id(coupon))
}

/// Makes a coupon of a tenth by the API.
async fn coupon(shop: &Shop, more: Value) -> Value {
    let body = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    shop.key.post(API, merged(body, &more)).await.expect(201)["coupon"].clone()
}

async fn read(shop: &Shop, coupon: &Value) -> Value {
    shop.key.get(&format!("{API}/{}", id(coupon))).await.expect(200)["coupon"].clone()
}

#[story::test]
async fn a_form_and_a_body_make_the_same_coupon_and_a_double_click_one(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let (mug, theirs) = (shop.product(json!({})).await, other.product(json!({})).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let boxed = format!("productIds.{}", id(&mug));
    let fields = [
        ("code", "verao25"),
        ("discountType", "PERCENTAGE"),
        ("discountValue", "12,5"),
        ("description", "De verão"),
        ("minPurchaseCents", "R$ 20,00"),
        ("maxDiscountCents", "50"),
        ("usageLimit", "100"),
        ("perUserLimit", "1"),
        ("validFrom", "2026-11-01"),
        ("validUntil", "2026-11-30"),
        (boxed.as_str(), "true"),
    ];
    let fields = typed(&browser, &format!("{LIST}/new"), &fields).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        made.push(next(&browser.post_typed(&format!("{LIST}/new"), &fields).await));
    }
    assert_eq!(made[0], made[1]);
    assert_eq!(shop.key.total(API).await, 1);
    let body = json!({
        "code": "VERAO25", "discountType": "PERCENTAGE", "discountValue": 12.5,
        "description": "De verão", "minPurchaseCents": 2_000, "maxDiscountCents": 5_000,
        "usageLimit": 100, "perUserLimit": 1, "validFrom": "2026-11-01T03:00:00Z",
        "validUntil": "2026-12-01T03:00:00Z", "productIds": [theirs["id"]],
    });
    other.key.post(API, body).await.expect(201);
    let left = async |shop: &Shop| {
        let mut coupon = shop.key.list(API).await.remove(0);
        coupon["id"] = Value::Null;
        assert_eq!(coupon["productIds"].as_array().map(Vec::len), Some(1));
        coupon["productIds"] = Value::Null;
        (coupon, shop.events_of("coupon").await)
    };
    assert_eq!(left(&shop).await, left(&other).await);
    let engine = Engine::open(test).await;
    let sql = "select kind, cast(count(*) as text) from jobs where kind like '%coupon%'
                group by kind";
    for job in engine.rows(sql).await {
        assert_eq!(job[1], "2", "{job:?}");
    }
    let audit = shop.owner.list("/api/audit?action=coupon.created").await;
    assert_eq!(audit.len(), 1);
    assert!(made[0].ends_with(audit[0]["subjectId"].as_str().expect("is an id")));
    let page = browser.page(&made[0]).await;
    assert_eq!(page.heading(), "VERAO25");
    assert!(page.says("12,5%") && page.says("0 de 100") && page.says("Vale agora, até"));
}

#[story::test]
async fn a_refused_coupon_comes_back_with_its_values(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = [("code", "DEZ"), ("discountValue", "muito"), ("usageLimit", "dez")];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["discountValue", "usageLimit"]);
    assert_eq!((refused.value("discountValue"), refused.value("usageLimit")), ("muito", "dez"));
    let fields = [
        ("code", "D"),
        ("discountType", "FIXED"),
        ("discountValue", "5"),
        ("usageLimit", "0"),
        ("validUntil", "2020-01-01"),
    ];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.wrong(), ["code", "usageLimit", "validUntil"]);
    assert!(refused.says("<option value=\"FIXED\" selected>"));
    let hint = "De 3 a 40 letras sem acento, números, hífen e sublinhado.";
    assert_eq!(refused.error("code"), hint);
    let fields = [
        ("code", ""),
        ("discountValue", "120"),
        ("validFrom", "2030-02-01"),
        ("validUntil", "2030-01-01"),
    ];
    let fields = typed(&browser, &page, &fields).await;
    let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
    assert_eq!(refused.error("code"), "Preencha este campo.");
    let limits = "Use de 1 a 100 %, ou um valor de R$\u{a0}0,01 a R$\u{a0}10.000.000,00.";
    assert_eq!(refused.error("discountValue"), limits);
    assert_eq!(refused.error("validUntil"), "O fim da validade vem antes do começo.");
    for value in ["0", "10.000.000,01"] {
        let fields = [("code", "DEZ"), ("discountType", "FIXED"), ("discountValue", value)];
        let fields = typed(&browser, &page, &fields).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert_eq!(
            (refused.wrong(), refused.error("discountValue")),
            (vec!["discountValue"], limits)
        );
    }
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_card_number_is_refused_in_every_field_of_a_coupon(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    let fields = [
        "code",
        "discountType",
        "discountValue",
        "description",
        "minPurchaseCents",
        "maxDiscountCents",
        "usageLimit",
        "perUserLimit",
        "validFrom",
        "validUntil",
    ];
    for field in fields {
        let typed = [("code", "DEZ"), ("discountValue", "10")];
        let typed = typed.into_iter().filter(|(name, _)| *name != field);
        let typed: Vec<_> = typed.chain([(field, "4111 1111 1111 1111")]).collect();
        let fields = super::typed(&browser, &page, &typed).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert_eq!(refused.wrong(), [field]);
    }
    assert_eq!(shop.key.total(API).await, 0);
}

#[story::test]
async fn a_code_that_is_taken_leads_to_the_coupon_that_has_it(test: &TestApp, shop: Shop) {
    let taken = coupon(&shop, json!({})).await;
    let free = coupon(&shop, json!({ "code": "VINTE" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    for page in [format!("{LIST}/new"), format!("{}/edit", path_of(&free))] {
        let fields = typed(&browser, &page, &[("code", "dez"), ("discountValue", "20")]).await;
        let refused = Page::of(browser.post_typed(&page, &fields).await, 422);
        assert!(refused.says("Você já tem um cupom com o código DEZ"), "{page}");
        assert!(refused.says(&format!("<a href=\"{}\">", path_of(&taken))), "{page}");
        assert_eq!(refused.value("code"), "dez", "{page}");
    }
    assert_eq!(shop.key.total(API).await, 2);
}

#[story::test]
async fn a_change_leaves_what_was_not_typed_as_it_is(test: &TestApp, shop: Shop) {
    let until = "2026-11-30T15:30:00.000Z";
    let more = json!({ "validUntil": until, "minPurchaseCents": 0, "usageLimit": 5 });
    let before = coupon(&shop, more).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/edit", path_of(&before));
    let form = browser.page(&path).await;
    let names = ["code", "discountValue", "minPurchaseCents", "validUntil"];
    let mut fields: Vec<_> = names.map(|name| (name, form.value(name).to_owned())).into();
    fields.push(("attempt", form.hidden("attempt").expect("has an attempt").to_owned()));
    fields.push(("description", "Para quem volta".to_owned()));
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), path_of(&before));
    }
    let now = read(&shop, &before).await;
    let change = json!({ "description": "Para quem volta", "usageLimit": null });
    assert_eq!(now, merged(before, &merged(change, &json!({ "updatedAt": now["updatedAt"] }))));
    assert_eq!(shop.owner.total("/api/audit?action=coupon.updated").await, 1);
}

#[story::test]
async fn a_deleted_product_stays_in_its_coupon_until_its_box_is_cleared(
    test: &TestApp,
    shop: Shop,
) {
    let (gone, cup) =
        (shop.product(json!({})).await, shop.product(json!({ "name": "Copo" })).await);
    let only = coupon(&shop, json!({ "code": "CANECA", "productIds": [gone["id"]] })).await;
    let both = json!({ "productIds": [gone["id"], cup["id"]] });
    let both = coupon(&shop, both).await;
    shop.key.delete(&product_path(&gone)).await.expect(200);
    let browser = Browser::signed_in(test, EMAIL).await;
    for made in [&only, &both] {
        assert!(browser.page(&path_of(made)).await.says("<li>Caneca (apagado)</li>"));
        let path = format!("{}/edit", path_of(made));
        let form = browser.page(&path).await;
        assert!(form.says("value=\"true\" checked> Caneca (apagado)</label>"), "{}", form.text);
        let fields = form.filled(&[("description", "Para quem volta")]);
        next(&browser.post_typed(&path, &fields).await);
        let now = read(&shop, made).await;
        assert_eq!(now["productIds"], made["productIds"], "a coupon never widens by itself");
        assert_eq!(now["description"], "Para quem volta");
    }
    let path = format!("{}/edit", path_of(&both));
    let [gone_box, cup_box] = [&gone, &cup].map(|product| format!("productIds.{}", id(product)));
    let without = |page: &Page, unchecked: &str| {
        let mut fields = page.form();
        fields.retain(|(name, _)| name != unchecked);
        fields
    };
    let form = browser.page(&path).await;
    let refused = browser.post_typed(&path, &without(&form, &cup_box)).await;
    let refused = Page::of(refused, 422);
    assert_eq!(refused.wrong(), ["productIds"]);
    let message = "Caneca (apagado): Isto não existe nesta conta.";
    assert_eq!(refused.error("productIds"), message);
    next(&browser.post_typed(&path, &without(&form, &gone_box)).await);
    assert_eq!(read(&shop, &both).await["productIds"], json!([cup["id"]]));
}

#[story::test]
async fn a_minimum_of_nothing_is_taken_and_an_empty_one_is_none(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = format!("{LIST}/new");
    for (code, typed, stored) in [("ZERO", "0", json!(0)), ("SEM", "", Value::Null)] {
        let fields = [("code", code), ("discountValue", "10"), ("minPurchaseCents", typed)];
        let fields = super::typed(&browser, &page, &fields).await;
        let made = next(&browser.post_typed(&page, &fields).await);
        let coupon = shop.key.list(API).await.remove(0);
        assert_eq!(coupon["minPurchaseCents"], stored, "{code}");
        let path = format!("{made}/edit");
        next(&browser.post_typed(&path, &browser.page(&path).await.form()).await);
        assert_eq!(read(&shop, &coupon).await["minPurchaseCents"], stored, "{code}");
    }
}

#[story::test]
async fn a_form_says_who_sees_the_description_of_a_coupon(test: &TestApp, shop: Shop) {
    coupon(&shop, json!({ "description": "De verão" })).await;
    let asked = json!({ "code": "DEZ", "amountCents": 1_000 });
    let shown = test.anyone().post("/api/coupons/validate", asked).await.expect(200);
    assert_eq!(shown["coupon"]["description"], "De verão");
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&format!("{LIST}/new")).await;
    assert!(page.says("Quem digita o código no checkout pode vê-la."));
    let page = browser.page(&format!("{LIST}/new?lang=en")).await;
    assert!(page.says("Buyers who enter the code at the checkout can see it."));
}

#[story::test]
async fn a_coupon_is_switched_off_and_on_and_says_why_it_stands_so(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "usageLimit": 1 })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let switch = async |status| {
        let fields = typed(&browser, &path_of(&made), &[("status", status)]).await;
        let done = browser.post_typed(&format!("{}/switch", path_of(&made)), &fields).await;
        browser.land(done).await
    };
    let page = switch("INACTIVE").await;
    assert!(page.says("O cupom foi desligado.") && page.says("Foi desligado: nenhum comprador"));
    assert_eq!(read(&shop, &made).await["status"], "INACTIVE");
    assert!(switch("ACTIVE").await.says("Vale agora, sem data"));
    let charge = json!({ "amountCents": 1_000, "couponCode": "DEZ" });
    shop.charge_with(charge).await;
    let page = browser.page(&path_of(&made)).await;
    assert!(page.says("Esgotado") && page.says("1 de 1"), "{}", page.text);
    let later =
        coupon(&shop, json!({ "code": "NATAL", "validFrom": "2026-12-20T03:00:00Z" })).await;
    let page = browser.page(&path_of(&later)).await;
    assert!(page.says("Ainda não começou") && page.says("passa a valer em 20/12/2026"));
    let list = browser.page(&format!("{LIST}?status=INACTIVE")).await;
    assert!(list.says("Nenhum cupom passa por este filtro"));
    let wrong = Page::of(browser.get(&format!("{LIST}?status=OFF")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
}

#[story::test]
async fn a_coupon_is_deleted_once_its_code_is_typed(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({})).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/delete", path_of(&made));
    let fields = typed(&browser, &path, &[("typed", "DOZE")]).await;
    let page = Page::of(browser.post_typed(&path, &fields).await, 422);
    assert_eq!((page.wrong(), page.value("typed")), (vec!["typed"], "DOZE"));
    assert_eq!(shop.key.total(API).await, 1);
    calls_answer(&shop, &page).await;
    let fields = typed(&browser, &path, &[("typed", "dez")]).await;
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(&path, &fields).await), LIST);
    }
    assert_eq!(shop.key.total(API).await, 0);
    let audit = shop.owner.list("/api/audit?action=coupon.deleted").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &made["id"]));
    assert!(browser.page(LIST).await.says("Nenhum cupom ainda"));
}

#[story::test]
async fn a_role_that_may_not_change_coupons_reads_them(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({})).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), path_of(&made)] {
        let page = browser.page(&path).await;
        assert!(page.says("O seu papel nesta conta não inclui isto."), "{path}");
    }
    let attempt = [("attempt", "x"), ("status", "INACTIVE"), ("typed", "DEZ")];
    for refused in [
        browser.get(&format!("{LIST}/new")).await,
        browser.post(&format!("{LIST}/new"), &attempt).await,
        browser.post(&format!("{}/edit", path_of(&made)), &attempt).await,
        browser.post(&format!("{}/switch", path_of(&made)), &attempt).await,
        browser.post(&format!("{}/delete", path_of(&made)), &attempt).await,
    ] {
        assert!(Page::of(refused, 403).says("coupons:write"));
    }
    assert_eq!(read(&shop, &made).await, made);
}

#[story::test]
async fn the_coupon_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    drop(shop);
    let theirs = coupon(&other, json!({})).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, LIST, id(&theirs), &["", "/edit", "/delete"]).await;
    let mine = fresh_attempt(&browser).await;
    for form in ["edit", "switch", "delete"] {
        let fields = [("attempt", mine.as_str()), ("status", "INACTIVE"), ("typed", "DEZ")];
        let refused = browser.post(&format!("{}/{form}", path_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    assert_eq!(read(&other, &theirs).await, theirs);
}

/// A fresh attempt of the signed-in account.
async fn fresh_attempt(browser: &Browser) -> String {
    let page = browser.page(&format!("{LIST}/new")).await;
    page.hidden("attempt").expect("has an attempt").to_owned()
}

#[story::test]
async fn hostile_descriptions_of_coupons_are_text(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": HOSTILE })).await;
    let more = json!({ "description": HOSTILE, "productIds": [product["id"]] });
    let made = coupon(&shop, more).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for path in [
        path_of(&made),
        format!("{}/edit", path_of(&made)),
        format!("{LIST}/new"),
        format!("{LIST}?q={query}"),
    ] {
        let page = browser.page(&path).await;
        without_harm(&page);
        calls_answer(&shop, &page).await;
    }
}
