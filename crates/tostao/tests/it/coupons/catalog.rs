//! A merchant's coupons: made, found, changed, ended.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::coupons::{COUPONS, change, coupon, path, read, tenth};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};

const HOUR: Duration = Duration::from_hours(1);
/// One microsecond less.
const ALMOST_AN_HOUR: Duration = Duration::from_micros(3_599_999_999);
/// An hour after every story's beginning.
const IN_AN_HOUR: &str = "2026-11-21T13:00:00.000Z";
const IN_TWO_HOURS: &str = "2026-11-21T14:00:00.000Z";

#[story::test]
async fn a_coupon_is_made_shown_changed_and_deleted(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({})).await;
    let fields = json!({
        "discountType": "PERCENTAGE", "discountValue": 12.5, "description": "De verão.",
        "minPurchaseCents": 0, "maxDiscountCents": 5_000, "usageLimit": 100,
        "perUserLimit": 1, "validFrom": "2026-11-01T00:00:00.000Z",
        "validUntil": IN_AN_HOUR, "productIds": [id(&product)], "status": "INACTIVE",
    });
    let body = merged(fields.clone(), &json!({ "code": "verao_10-a" }));
    let made = shop.key.post(COUPONS, body).await.expect(201);
    assert_eq!(made["message"], "Coupon created.");
    let made = made["coupon"].clone();
    let now = "2026-11-21T12:00:00.000Z";
    let given = json!({
        "id": id(&made), "code": "VERAO_10-A", "usageCount": 0, "createdAt": now,
        "updatedAt": now,
    });
    assert_eq!(made, merged(fields, &given));
    assert_eq!(read(&shop, &made).await, made);

    test.pass(Duration::from_mins(1));
    let difference = json!({
        "code": "INVERNO", "discountValue": 99.99, "description": null,
        "minPurchaseCents": 100, "maxDiscountCents": null, "usageLimit": null,
        "perUserLimit": 2, "validFrom": null, "validUntil": IN_TWO_HOURS, "productIds": [],
        "status": "ACTIVE", "updatedAt": "2026-11-21T12:01:00.000Z",
    });
    let sent = merged(difference.clone(), &json!({ "code": "inverno", "usageCount": 7 }));
    let changed = change(&shop, &made, sent).await;
    assert_eq!(changed, merged(made.clone(), &difference));
    assert_eq!(read(&shop, &made).await, changed);
    // The type is no field of a change.
    let same = change(&shop, &made, json!({ "discountType": "FIXED" })).await;
    assert_eq!(same["discountType"], "PERCENTAGE");

    let deleted = shop.key.delete(&path(&made)).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Coupon deleted." }));
    shop.key.get(&path(&made)).await.expect_refusal(404, "NOT_FOUND");
    shop.key.patch(&path(&made), json!({})).await.expect_refusal(404, "NOT_FOUND");
    shop.key.delete(&path(&made)).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(codes(&shop, "").await, [] as [&str; 0]);
    test.run_jobs_after(HOUR * 3).await;
    assert_eq!(shop.events().await, ["product.created", "coupon.created"]);
}

#[story::test]
async fn what_is_not_said_of_a_coupon_has_a_default(shop: Shop) {
    let made = coupon(&shop, json!({ "discountType": "FIXED", "discountValue": 500.0 })).await;
    let defaults = json!({
        "code": "DEZ", "discountType": "FIXED", "discountValue": 500, "description": null,
        "minPurchaseCents": null, "maxDiscountCents": null, "usageLimit": null,
        "perUserLimit": null, "usageCount": 0, "validFrom": null, "validUntil": null,
        "productIds": [], "status": "ACTIVE",
    });
    for (field, value) in defaults.as_object().expect("are fields") {
        assert_eq!(&made[field], value, "{field}");
    }
}

/// What is wrong with a coupon of a percentage, and the field that is named for it.
fn bad_fields() -> Vec<(Value, &'static str)> {
    let unknown = "00000000-0000-7000-8000-000000000001";
    let past = "2026-11-21T12:00:00Z";
    vec![
        (json!({ "code": "ab" }), "code"),
        (json!({ "code": "a".repeat(41) }), "code"),
        (json!({ "code": "dez por cento" }), "code"),
        (json!({ "code": "verão" }), "code"),
        (json!({ "code": "" }), "code"),
        (json!({ "code": 10 }), "code"),
        (json!({ "discountValue": 0 }), "discountValue"),
        (json!({ "discountValue": 0.99 }), "discountValue"),
        (json!({ "discountValue": -10 }), "discountValue"),
        (json!({ "discountValue": 12.505 }), "discountValue"),
        (json!({ "discountValue": 100.01 }), "discountValue"),
        (json!({ "discountValue": "10" }), "discountValue"),
        (json!({ "description": "a".repeat(1_001) }), "description"),
        (json!({ "description": "\u{0}" }), "description"),
        (json!({ "minPurchaseCents": -1 }), "minPurchaseCents"),
        (json!({ "minPurchaseCents": 1.5 }), "minPurchaseCents"),
        (json!({ "maxDiscountCents": 0 }), "maxDiscountCents"),
        (json!({ "usageLimit": 0 }), "usageLimit"),
        (json!({ "usageLimit": 1_000_000_001 }), "usageLimit"),
        (json!({ "perUserLimit": 0 }), "perUserLimit"),
        (json!({ "validFrom": "tomorrow" }), "validFrom"),
        (json!({ "validUntil": past }), "validUntil"),
        (json!({ "validFrom": IN_AN_HOUR, "validUntil": IN_AN_HOUR }), "validUntil"),
        (json!({ "validFrom": IN_TWO_HOURS, "validUntil": IN_AN_HOUR }), "validUntil"),
        (json!({ "productIds": [unknown] }), "productIds[0]"),
        (json!({ "productIds": ["caneca"] }), "productIds[0]"),
        (json!({ "productIds": vec![unknown; 101] }), "productIds"),
        (json!({ "status": "EXPIRED" }), "status"),
        (json!({ "status": "active" }), "status"),
    ]
}

#[story::test]
async fn a_coupon_with_a_bad_field_is_not_made(shop: Shop) {
    for (bad, field) in bad_fields() {
        let refused = shop.key.post(COUPONS, tenth(&bad)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    let only_made = [
        (json!({ "discountType": "HALF" }), "discountType"),
        (json!({ "discountType": "FIXED", "discountValue": 10.5 }), "discountValue"),
        (json!({ "discountType": "FIXED", "discountValue": 1e9 + 1.0 }), "discountValue"),
    ];
    for (bad, field) in only_made {
        let refused = shop.key.post(COUPONS, tenth(&bad)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    for missing in ["code", "discountType", "discountValue"] {
        let mut body = tenth(&json!({}));
        body.as_object_mut().expect("are fields").remove(missing);
        let refused = shop.key.post(COUPONS, body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [missing]);
    }
    let worst = json!({
        "code": "", "discountValue": 0, "usageLimit": 0, "validUntil": "2020-01-01T00:00:00Z",
    });
    let refused = shop.key.post(COUPONS, tenth(&worst)).await;
    let all = ["code", "discountValue", "usageLimit", "validUntil"];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), all);
    assert_eq!(codes(&shop, "").await, [] as [&str; 0]);
    assert!(shop.events().await.is_empty());
}

#[story::test]
async fn a_bad_change_changes_nothing(shop: Shop) {
    let made = coupon(&shop, json!({ "validUntil": IN_TWO_HOURS })).await;
    for (bad, field) in bad_fields() {
        let bad = merged(json!({ "perUserLimit": 3 }), &bad);
        let refused = shop.key.patch(&path(&made), bad.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    let too_late = shop.key.patch(&path(&made), json!({ "validFrom": IN_TWO_HOURS })).await;
    assert_eq!(too_late.expect_refusal(400, "VALIDATION_ERROR"), ["validFrom"]);
    assert_eq!(read(&shop, &made).await, made);
    assert_eq!(shop.events().await, ["coupon.created"]);
}

#[story::test]
async fn a_code_names_one_living_coupon_of_a_merchant_in_a_mode(test: &TestApp, shop: Shop) {
    let first = coupon(&shop, json!({ "code": "Verao" })).await;
    let second = coupon(&shop, json!({ "code": "inverno" })).await;
    let taken = tenth(&json!({ "code": "vERAO" }));
    shop.key.post(COUPONS, taken.clone()).await.expect_refusal(409, "COUPON_CODE_TAKEN");
    let renamed = shop.key.patch(&path(&second), json!({ "code": "VERAO" })).await;
    renamed.expect_refusal(409, "COUPON_CODE_TAKEN");
    // Its own code is not another's.
    change(&shop, &first, json!({ "code": "verao" })).await;
    change(&shop, &first, json!({ "status": "INACTIVE" })).await;
    shop.key.post(COUPONS, taken.clone()).await.expect_refusal(409, "COUPON_CODE_TAKEN");

    let other = test.shop("Outra").await;
    other.key.post(COUPONS, taken.clone()).await.expect(201);
    shop.owner.post(COUPONS, taken.clone()).await.expect(201);

    shop.key.delete(&path(&first)).await.expect(200);
    shop.key.post(COUPONS, taken).await.expect(201);
}

#[story::test]
async fn of_many_who_take_a_code_at_once_one_gets_it(shop: Shop) {
    let makers = (0..16).map(|_| shop.key.post(COUPONS, tenth(&json!({}))));
    let answers = join_all(makers).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let mut named = Vec::new();
    for number in 0..8 {
        named.push(coupon(&shop, json!({ "code": format!("NOME{number}") })).await);
    }
    let renamers = named.iter().map(|coupon| {
        let key = shop.key.clone();
        async move { key.patch(&path(coupon), json!({ "code": "ONZE" })).await }
    });
    let makers = (0..8).map(|_| shop.key.post(COUPONS, tenth(&json!({ "code": "ONZE" }))));
    let (renamed, made) = tokio::join!(join_all(renamers), join_all(makers));
    let all: Vec<_> = renamed.iter().chain(&made).collect();
    assert_eq!(all.iter().filter(|answer| answer.status < 300).count(), 1);
    for lost in all.iter().filter(|answer| answer.status >= 300) {
        lost.expect_refusal(409, "COUPON_CODE_TAKEN");
    }
}

#[story::test]
async fn a_repeated_request_makes_one_coupon(shop: Shop) {
    let key = shop.key.with("idempotency-key", "coupon-1");
    let first = key.post(COUPONS, tenth(&json!({}))).await;
    let second = key.post(COUPONS, tenth(&json!({}))).await;
    assert_eq!(first.expect(201), second.expect(201));
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    let other = key.post(COUPONS, tenth(&json!({ "discountValue": 11 }))).await;
    other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
}

#[story::test]
async fn a_coupon_expires_on_the_instant_with_one_event(test: &TestApp, shop: Shop) {
    let ends = json!({ "validUntil": IN_AN_HOUR });
    let active = coupon(&shop, ends.clone()).await;
    let off = json!({ "code": "ONZE", "status": "INACTIVE" });
    let inactive = coupon(&shop, merged(ends, &off)).await;
    test.run_jobs_after(ALMOST_AN_HOUR).await;
    assert_eq!(read(&shop, &active).await["status"], "ACTIVE");
    assert_eq!(codes(&shop, "status=ACTIVE").await, ["DEZ"]);
    assert_eq!(codes(&shop, "status=INACTIVE").await, ["ONZE"]);

    test.pass(Duration::from_micros(1));
    assert_eq!(read(&shop, &active).await["status"], "EXPIRED");
    assert_eq!(codes(&shop, "status=EXPIRED").await, ["ONZE", "DEZ"]);
    assert_eq!(codes(&shop, "status=ACTIVE").await, [] as [&str; 0]);
    assert_eq!(expirations(&shop).await, 0);
    for _ in 0..2 {
        test.run_jobs().await;
        assert_eq!(expirations(&shop).await, 2);
        test.pass(HOUR);
    }
    for switch in ["ACTIVE", "INACTIVE"] {
        let refused = shop.key.patch(&path(&active), json!({ "status": switch })).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert_eq!(refused.json()["currentStatus"], "EXPIRED");
    }
    assert_eq!(change(&shop, &active, json!({ "usageLimit": 5 })).await["status"], "EXPIRED");

    let again = json!({ "validUntil": "2026-11-21T16:00:00.000Z" });
    assert_eq!(change(&shop, &active, again.clone()).await["status"], "ACTIVE");
    assert_eq!(change(&shop, &inactive, again).await["status"], "INACTIVE");
    let never = json!({ "validUntil": null, "status": "ACTIVE" });
    assert_eq!(change(&shop, &inactive, never).await["status"], "ACTIVE");
    test.run_jobs_after(HOUR * 2).await;
    assert_eq!(expirations(&shop).await, 3);
    assert_eq!(read(&shop, &inactive).await["status"], "ACTIVE");
}

#[story::test]
async fn an_expiry_not_yet_emitted_is_emitted_before_a_change(test: &TestApp, shop: Shop) {
    let made = coupon(&shop, json!({ "validUntil": IN_AN_HOUR })).await;
    test.pass(HOUR);
    change(&shop, &made, json!({ "validUntil": IN_TWO_HOURS })).await;
    assert_eq!(shop.events().await, ["coupon.created", "coupon.expired"]);
    test.run_jobs().await;
    assert_eq!(expirations(&shop).await, 1);
    test.run_jobs_after(HOUR).await;
    assert_eq!(expirations(&shop).await, 2);
}

#[story::test]
async fn coupons_are_found_by_code_and_description(test: &TestApp, shop: Shop) {
    for (code, description) in [("VERAO", "Azul"), ("VERA_20", "100% algodão"), ("NATAL", "")] {
        coupon(&shop, json!({ "code": code, "description": description })).await;
        test.pass(Duration::from_mins(1));
    }
    let table = [
        ("", vec!["NATAL", "VERA_20", "VERAO"]),
        ("q=vera", vec!["VERA_20", "VERAO"]),
        ("q=a_2", vec!["VERA_20"]),
        ("q=100%25", vec!["VERA_20"]),
        ("q=azul&status=ACTIVE", vec!["VERAO"]),
    ];
    for (query, expected) in table {
        assert_eq!(codes(&shop, query).await, expected, "{query}");
    }
}

#[story::test]
async fn a_coupon_is_not_for_another_merchants_product(test: &TestApp, shop: Shop) {
    let theirs = test.shop("Outra").await.product(json!({})).await;
    let refused = shop.key.post(COUPONS, tenth(&json!({ "productIds": [id(&theirs)] }))).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["productIds[0]"]);
}

/// The codes of a list.
async fn codes(shop: &Shop, query: &str) -> Vec<String> {
    let coupons = shop.key.list(&format!("{COUPONS}?{query}")).await;
    coupons.iter().map(|coupon| coupon["code"].as_str().expect("has one").to_owned()).collect()
}

async fn expirations(shop: &Shop) -> usize {
    shop.events().await.iter().filter(|name| *name == "coupon.expired").count()
}
