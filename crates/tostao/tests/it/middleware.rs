//! What every request meets first: ids, sizes, kinds, shapes, methods.

use http::Method;
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::shop::Shop;

mod answers;
mod buyers_keys;
mod card_spellings;
mod cards;
mod faults;
mod hostile_text;
mod limits;
mod names_of_paths;
mod nulls;
mod proofs;
pub mod shapes;
mod shares;
mod zero_bytes;

const LINKS: &str = "/api/v1/payment-links";

#[story::test]
async fn every_answer_is_named_and_a_callers_name_is_kept_if_it_is_sound(test: &TestApp) {
    let anyone = test.anyone();
    let named = anyone.with("x-request-id", "abc-12345").get("/healthz").await;
    assert_eq!(named.header("x-request-id"), Some("abc-12345"));
    let odd = anyone.with("x-request-id", "no spaces!").get("/nowhere").await;
    let given = odd.header("x-request-id").expect("has one").to_owned();
    assert_ne!(given, "no spaces!");
    odd.expect_refusal(404, "NOT_FOUND");
    assert_eq!(odd.json()["requestId"], given);
    assert_eq!(odd.json()["path"], "/nowhere");
    assert_eq!(odd.header("x-content-type-options"), Some("nosniff"));
}

#[story::test]
async fn a_method_that_a_path_does_not_take_is_refused_with_those_it_takes(test: &TestApp) {
    let refused = test.anyone().delete(LINKS).await;
    refused.expect_refusal(405, "METHOD_NOT_ALLOWED");
    let allowed = refused.header("allow").expect("is there");
    assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
}

#[story::test]
async fn the_caller_is_authenticated_before_the_body_is_read(test: &TestApp) {
    let kind = Some("application/json");
    let broken = test.anyone().send(Method::POST, LINKS, kind, "{".into()).await;
    broken.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn bodies_that_are_no_json_too_deep_or_too_large_are_refused(shop: Shop) {
    let json_kind = Some("application/json");
    let deep = format!("{}1{}", "[".repeat(17), "]".repeat(17));
    let table = [
        (json_kind, "{".to_owned(), 400, "INVALID_JSON"),
        (json_kind, "{\"title\":\"a\"} x".to_owned(), 400, "INVALID_JSON"),
        (json_kind, deep, 400, "INVALID_JSON"),
        (json_kind, String::new(), 400, "INVALID_JSON"),
        (json_kind, "[1]".to_owned(), 400, "INVALID_JSON"),
        (None, "{}".to_owned(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (Some("text/plain"), "{}".to_owned(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        (json_kind, " ".repeat(10 * 1024 * 1024), 413, "PAYLOAD_TOO_LARGE"),
        (json_kind, " ".repeat(64 * 1024 + 1), 413, "PAYLOAD_TOO_LARGE"),
    ];
    for (kind, body, status, code) in table {
        let length = body.len();
        let refused = shop.key.send(Method::POST, LINKS, kind, body).await;
        assert_eq!((refused.status, length), (status, length), "{}", refused.text);
        refused.expect_refusal(status, code);
    }
    assert_eq!(shop.key.total(LINKS).await, 0);
}

#[story::test]
async fn a_value_of_the_wrong_type_is_refused_by_its_fields_name(shop: Shop) {
    let huge = "{\"title\":\"a\",\"amountCents\":9223372036854775808}";
    let kind = Some("application/json");
    let refused = shop.key.send(Method::POST, LINKS, kind, huge.to_owned()).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    let table = [
        (json!({ "title": 5, "amountCents": 100 }), "title"),
        (json!({ "title": "a", "amountCents": "100" }), "amountCents"),
        (json!({ "title": "a", "amountCents": 1.5 }), "amountCents"),
        (json!({ "amountCents": 100 }), "title"),
        (json!({ "title": "a".repeat(300), "amountCents": 100 }), "title"),
        (json!({ "title": "a", "amountCents": 0 }), "amountCents"),
        (json!({ "title": "a", "amountCents": -1 }), "amountCents"),
        (
            json!({ "title": "a", "amountCents": 1, "expiresAt": "2020-01-01T00:00:00Z" }),
            "expiresAt",
        ),
        (json!({ "title": "a", "amountCents": 1, "redirectUrl": "javascript:x" }), "redirectUrl"),
        (
            json!({ "title": "a", "amountCents": 1, "settings": { "maxInstallments": 13 } }),
            "settings.maxInstallments",
        ),
    ];
    for (body, field) in table {
        let refused = shop.key.post(LINKS, body.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{body}");
    }
    let neither = shop.key.post(LINKS, json!({ "title": "a" })).await;
    neither.expect_refusal(400, "MISSING_AMOUNT_OR_PRODUCTS");
    assert_eq!(shop.key.get(LINKS).await.expect(200)["pagination"]["total"], 0);
}

#[story::test]
async fn hostile_text_is_kept_as_text_and_never_breaks_anything(test: &TestApp, shop: Shop) {
    let hostile = [
        "<script>alert(1)</script>",
        "'; drop table merchants; --",
        "{{7*7}} ${7*7} %s %n",
        "🏖️ coração",
        "\"><img src=x onerror=alert(1)>",
        "..\\..\\etc\\passwd",
    ];
    for text in hostile {
        let link = json!({ "title": text, "amountCents": 100, "description": text });
        let made = shop.key.post(LINKS, link).await.expect(201)["data"].clone();
        assert_eq!(made["title"], text);
        let path = format!("/pay/{}", made["slug"].as_str().expect("has one"));
        let page = test.anyone().get(&path).await;
        assert_eq!(page.status, 200);
        assert!(!page.text.contains("<script>alert"), "{text}");
        assert!(!page.text.contains("<img src=x"), "{text}");
    }
    for text in ["a\u{0}b", "\u{202e}gnp.exe", "a\u{200b}b"] {
        let refused = shop.key.post(LINKS, json!({ "title": text, "amountCents": 100 })).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["title"], "{text:?}");
    }
}

#[story::test]
async fn an_id_that_names_nothing_is_not_found_whatever_it_looks_like(shop: Shop) {
    for id in ["00000000-0000-0000-0000-000000000000", "x", "%00", "1%27", "..%2f"] {
        for path in [LINKS, "/api/v1/products", "/api/v1/transactions"] {
            shop.key.get(&format!("{path}/{id}")).await.expect_refusal(404, "NOT_FOUND");
        }
    }
}

#[story::test]
async fn an_unknown_bank_or_file_is_refused_like_every_unknown_path(test: &TestApp) {
    let anyone = test.anyone();
    for bank in ["none", "%ff", "a%00b"] {
        for rail in ["pix", "boleto", "payouts"] {
            let refused = anyone.post(&format!("/providers/{bank}/{rail}"), json!({})).await;
            refused.expect_refusal(404, "NOT_FOUND");
        }
    }
    for file in ["none", "%ff", "a%00b"] {
        anyone.get(&format!("/assets/{file}")).await.expect_refusal(404, "NOT_FOUND");
    }
}
