//! Trying a coupon without a key: what it takes off, and one answer for everything else.

use std::time::Duration;

use http::Method;
use ledger::cents::Cents;
use serde_json::{Value, json};
use tostao::checkout::coupon_check::{CouponQuery, check};
use tostao::platform::ids::ProductId;

use crate::coupons::{change, coupon, path, read};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

const VALIDATE: &str = "/api/coupons/validate";
const NOBODYS: &str = "00000000-0000-7000-8000-000000000001";

async fn try_out(test: &TestApp, more: &Value) -> Reply {
    let body = merged(json!({ "code": "DEZ", "amountCents": 10_000 }), more);
    test.anyone().post(VALIDATE, body).await
}

#[track_caller]
fn is_invalid(reply: &Reply) {
    let expected =
        r#"{"valid":false,"message":"This coupon is not valid.","code":"COUPON_INVALID"}"#;
    assert_eq!((reply.status, reply.text.as_str()), (400, expected));
}

#[story::test]
async fn a_good_coupon_says_what_it_takes_off_and_little_more(test: &TestApp, shop: Shop) {
    let limited = json!({ "description": "Um décimo.", "discountValue": 12.5, "usageLimit": 1 });
    let made = coupon(&shop, limited).await;
    for code in ["DEZ", "dez", " Dez "] {
        let reply = try_out(test, &json!({ "code": code })).await.expect(200);
        let expected = json!({
            "valid": true, "discountAmount": 1_250, "finalAmount": 8_750,
            "coupon": {
                "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 12.5,
                "description": "Um décimo.",
            },
        });
        assert_eq!(reply, expected);
    }
    // Trying uses nothing up.
    assert_eq!(read(&shop, &made).await, made);
}

#[story::test]
async fn every_sum_is_exact(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({})).await;
    let fixed = json!({ "code": "FIXO", "discountType": "FIXED", "discountValue": 500 });
    coupon(&shop, fixed).await;
    let table = [
        ("DEZ", json!({ "discountValue": 10 }), 10_000, 1_000),
        // 12.5 % of 20 cents are 2.5.
        ("DEZ", json!({ "discountValue": 12.5 }), 20, 3),
        ("DEZ", json!({ "discountValue": 12.5 }), 19, 2),
        ("DEZ", json!({ "discountValue": 1 }), 49, 0),
        ("DEZ", json!({ "discountValue": 1 }), 50, 1),
        ("DEZ", json!({ "discountValue": 33.33 }), 1_000_000_000, 333_300_000),
        ("DEZ", json!({ "discountValue": 100 }), 999, 999),
        ("DEZ", json!({ "discountValue": 50, "maxDiscountCents": 300 }), 600, 300),
        ("DEZ", json!({ "discountValue": 50, "maxDiscountCents": 300 }), 601, 300),
        ("DEZ", json!({ "discountValue": 50, "maxDiscountCents": 300 }), 598, 299),
        ("FIXO", json!({}), 10_000, 500),
        ("FIXO", json!({}), 500, 500),
        ("FIXO", json!({}), 499, 499),
        ("FIXO", json!({}), 1, 1),
    ];
    for (code, fields, amount, off) in table {
        change(&shop, &made, fields.clone()).await;
        let tried = json!({ "code": code, "amountCents": amount });
        let reply = try_out(test, &tried).await.expect(200);
        let sums = (reply["discountAmount"].as_i64(), reply["finalAmount"].as_i64());
        assert_eq!(sums, (Some(off), Some(amount - off)), "{code} {fields} of {amount}");
    }
}

#[story::test]
async fn a_coupon_for_some_products_counts_these_alone(test: &TestApp, shop: Shop) {
    let mug = shop.product(json!({ "price": 2_000 })).await;
    let shirt = shop.product(json!({ "price": 5_000 })).await;
    let bag = shop.product(json!({ "price": 100 })).await;
    coupon(&shop, json!({ "productIds": [id(&mug), id(&bag)] })).await;
    let (mug, shirt) = (id(&mug), id(&shirt));
    let table: [(&[&str], i64, Option<i64>); 8] = [
        (&[mug], 2_000, Some(200)),
        // A buyer of that product alone gets it on the whole amount, whatever the quantity.
        (&[mug], 6_000, Some(600)),
        (&[mug, shirt], 7_000, Some(200)),
        (&[mug, mug, shirt], 9_000, Some(400)),
        // A tenth of 1,500 × 2,000 / 7,000.
        (&[mug, shirt], 1_500, Some(43)),
        (&[shirt], 5_000, None),
        (&[], 5_000, None),
        (&[mug, NOBODYS], 2_000, None),
    ];
    for (ids, amount, off) in table {
        let reply = try_out(test, &json!({ "amountCents": amount, "productIds": ids })).await;
        match off {
            Some(off) => assert_eq!(reply.expect(200)["discountAmount"], off, "{ids:?}"),
            None => is_invalid(&reply),
        }
    }
}

#[story::test]
async fn a_link_says_whose_coupon_it_is_and_what_is_bought(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let mug = shop.product(json!({ "price": 2_000 })).await;
    let shirt = shop.product(json!({ "price": 5_000 })).await;
    let items = json!([
        { "productId": id(&mug), "quantity": 3 }, { "productId": id(&shirt), "quantity": 1 },
    ]);
    let link = shop.link_with(json!({ "products": items })).await;
    let plain = shop.link(11_000).await;
    coupon(&other, json!({ "discountValue": 50 })).await;
    let made = coupon(&shop, json!({})).await;
    let of = |link: &Value| json!({ "amountCents": 11_000, "slug": link["slug"] });
    for link in [&link, &plain] {
        assert_eq!(try_out(test, &of(link)).await.expect(200)["discountAmount"], 1_100);
    }
    change(&shop, &made, json!({ "productIds": [id(&mug)] })).await;
    assert_eq!(try_out(test, &of(&link)).await.expect(200)["discountAmount"], 600);
    is_invalid(&try_out(test, &of(&plain)).await);
    for slug in ["123456789ABC", "", "\u{0}", "a b"] {
        is_invalid(&try_out(test, &json!({ "slug": slug })).await);
    }
    // Products say it before the link does.
    let both = json!({ "slug": plain["slug"], "productIds": [id(&mug)] });
    assert_eq!(try_out(test, &both).await.expect(200)["discountAmount"], 1_000);
}

#[story::test]
async fn a_code_alone_is_enough_while_only_one_merchant_has_it(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let mut made = coupon(&shop, json!({})).await;
    try_out(test, &json!({})).await.expect(200);
    // The same merchant's in the other mode is another one too.
    for stranger in [&other.key, &shop.owner] {
        let body = json!({ "code": "dez", "discountType": "FIXED", "discountValue": 1 });
        let theirs = stranger.post("/api/v1/coupons", body).await.expect(201);
        is_invalid(&try_out(test, &json!({})).await);
        let product = shop.product(json!({})).await;
        let named = try_out(test, &json!({ "productIds": [id(&product)] })).await;
        assert_eq!(named.expect(200)["discountAmount"], 1_000);
        shop.key.delete(&path(&made)).await.expect(200);
        assert_eq!(try_out(test, &json!({})).await.expect(200)["discountAmount"], 1);
        is_invalid(&try_out(test, &json!({ "productIds": [id(&product)] })).await);
        stranger.delete(&path(&theirs["coupon"])).await.expect(200);
        is_invalid(&try_out(test, &json!({})).await);
        made = coupon(&shop, json!({})).await;
    }
}

#[story::test]
async fn products_of_two_sellers_or_of_two_modes_have_no_coupon(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    coupon(&shop, json!({})).await;
    let own = shop.product(json!({})).await;
    let theirs = other.product(json!({})).await;
    let real = json!({ "name": "Caneca", "price": 2_500 });
    let real = shop.owner.post("/api/v1/products", real).await.expect(201)["product"].clone();
    for stranger in [&theirs, &real] {
        for ids in [vec![id(&own), id(stranger)], vec![id(stranger)]] {
            is_invalid(&try_out(test, &json!({ "productIds": ids })).await);
        }
    }
    shop.key.delete(&format!("/api/v1/products/{}", id(&own))).await.expect(200);
    is_invalid(&try_out(test, &json!({ "productIds": [id(&own)] })).await);
}

/// A product and codes each of which is no good for it, for a reason of its own.
async fn bad_codes(test: &TestApp, shop: &Shop, other: &Shop) -> (Value, Vec<&'static str>) {
    let (product, another) = (shop.product(json!({})).await, shop.product(json!({})).await);
    let until = json!({ "code": "EXPIRADO", "validUntil": "2026-11-21T12:01:00Z" });
    let fields = [
        until,
        json!({ "code": "CEDO", "validFrom": "2026-11-22T12:00:00Z" }),
        json!({ "code": "DESLIGADO", "status": "INACTIVE" }),
        json!({ "code": "ESGOTADO", "usageLimit": 1 }),
        json!({ "code": "OUTRO_PRODUTO", "productIds": [id(&another)] }),
        json!({ "code": "MINIMO", "minPurchaseCents": 10_001 }),
        json!({ "code": "APAGADO" }),
    ];
    for field in fields {
        let made = coupon(shop, field).await;
        if made["code"] == "APAGADO" {
            shop.key.delete(&path(&made)).await.expect(200);
        }
        if made["code"] == "ESGOTADO" {
            super::uses::use_once(test, shop, &made).await;
        }
    }
    coupon(other, json!({ "code": "ALHEIO" })).await;
    test.pass(Duration::from_mins(1));
    let codes = vec![
        "EXPIRADO",
        "CEDO",
        "DESLIGADO",
        "ESGOTADO",
        "OUTRO_PRODUTO",
        "MINIMO",
        "APAGADO",
        "ALHEIO",
        "NUNCA_EXISTIU",
        "",
        "a",
        "!",
        "\u{0}",
    ];
    (product, codes)
}

#[story::test]
async fn whatever_is_wrong_with_a_coupon_the_answer_is_the_same_to_the_byte(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let (product, codes) = bad_codes(test, &shop, &other).await;
    let stranger = test.anyone().with("x-request-id", "same-request").with("x-device-id", "a");
    let mut answers = Vec::new();
    for code in codes {
        for ids in [json!([id(&product)]), json!([NOBODYS])] {
            let body = json!({ "code": code, "amountCents": 10_000, "productIds": ids });
            answers.push(stranger.post(VALIDATE, body).await);
        }
    }
    for answer in &answers {
        is_invalid(answer);
        assert_eq!(answer.headers, answers[0].headers);
    }
}

#[story::test]
async fn whatever_is_wrong_with_a_coupon_the_work_is_the_same(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let (product, mut codes) = bad_codes(test, &shop, &other).await;
    let link = shop.link(10_000).await;
    coupon(&shop, json!({})).await;
    codes.push("DEZ");
    let product: ProductId = id(&product).parse().expect("is an id");
    let unknown: ProductId = NOBODYS.parse().expect("is an id");
    let slug = link["slug"].as_str().expect("has one").to_owned();
    let ways = [
        (vec![product], None, 2),
        (vec![unknown], None, 2),
        (vec![], Some(slug), 2),
        (vec![], None, 1),
    ];
    for (product_ids, slug, work) in ways {
        for code in &codes {
            let (given, amount) = ((*code).to_owned(), Cents::new(10_000));
            let (product_ids, slug) = (product_ids.clone(), slug.clone());
            let question = CouponQuery { code: given, amount, product_ids, slug };
            let statements = test.app.read(async move |tx| {
                check(tx, &question).await?;
                Ok(tx.statements())
            });
            assert_eq!(statements.await.expect("is judged"), work, "{code}");
        }
    }
}

#[story::test]
async fn what_cannot_be_read_is_an_error_that_also_says_no(test: &TestApp) {
    let table = [
        (json!({ "code": 1 }), "code"),
        (json!({ "code": null }), "code"),
        (json!({ "amountCents": "1" }), "amountCents"),
        (json!({ "amountCents": 1.5 }), "amountCents"),
        (json!({ "amountCents": 0 }), "amountCents"),
        (json!({ "amountCents": 1_000_000_001 }), "amountCents"),
        (json!({ "productIds": ["caneca"] }), "productIds[0]"),
        (json!({ "productIds": "caneca" }), "productIds"),
        (json!({ "productIds": vec![NOBODYS; 101] }), "productIds"),
        (json!({ "slug": 1 }), "slug"),
    ];
    for (bad, field) in table {
        let refused = try_out(test, &bad).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
        assert_eq!(refused.json()["valid"], false);
    }
    let broken = [
        (Some("application/json"), "{".to_owned(), 400, "INVALID_JSON"),
        (Some("application/json"), "[]".to_owned(), 400, "INVALID_JSON"),
        (None, "{}".to_owned(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (Some("application/json"), " ".repeat(16 * 1024 + 1), 413, "PAYLOAD_TOO_LARGE"),
    ];
    for (kind, body, status, code) in broken {
        let refused = test.anyone().send(Method::POST, VALIDATE, kind, body).await;
        refused.expect_refusal(status, code);
        assert_eq!(refused.json()["valid"], false);
    }
}
