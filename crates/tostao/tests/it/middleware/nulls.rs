//! `null` in a PATCH: it clears what may be empty, and is refused by name where nothing may.

use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::routes;

use crate::affiliates::program;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::subscriptions::{coupon, plan};

const HOOK: &str = "https://example.com/hook";

/// An object that can be changed: where it is, how it is shown, and what of it is never empty.
struct Changeable {
    path: String,
    method: http::Method,
    shown: String,
    pointer: &'static str,
    never_empty: &'static [&'static str],
}

fn changeable(
    path: &str,
    pointer: &'static str,
    never_empty: &'static [&'static str],
) -> Changeable {
    let (path, shown) = (path.to_owned(), path.to_owned());
    Changeable { path, method: http::Method::PATCH, shown, pointer, never_empty }
}

/// Sends `null` for each field that is never empty, and looks whether anything changed.
async fn refuses_null(shop: &Shop, object: &Changeable) {
    let Changeable { path, method, shown, pointer, never_empty } = object;
    let read = || async {
        let whole = shop.key.get(shown).await.expect(200);
        whole.pointer(pointer).cloned().unwrap_or(whole)
    };
    let before = read().await;
    for field in *never_empty {
        let body = json!({ *field: null });
        let kind = Some("application/json");
        let refused = shop.key.send(method.clone(), path, kind, body.to_string()).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, [*field], "{method} {path}: {}", refused.text);
        assert!(refused.text.contains("must not be null"), "{}", refused.text);
    }
    assert_eq!(read().await, before, "{path}");
}

#[story::test]
async fn null_is_refused_by_name_where_a_field_is_never_empty(shop: Shop) {
    let (link, product) = (shop.link(100).await, shop.product(json!({})).await);
    let (client, plan) = (shop.client(json!({})).await, plan(&shop, json!({})).await);
    let (coupon, program) =
        (coupon(&shop, json!({})).await, program(&shop, &product, json!({})).await);
    let hook = json!({ "url": HOOK, "events": ["*"] });
    let first = shop.key.post("/api/v1/webhooks/subscriptions", hook.clone()).await;
    let first = first.expect(201)["subscription"].clone();
    let at = |list: &str, object: &Value| format!("{list}/{}", id(object));
    let webhook = at("/api/v1/webhooks/subscriptions", &first);
    let objects = [
        changeable(
            &at("/api/v1/payment-links", &link),
            "/paymentLink",
            &["title", "currency", "stockEnabled", "status"],
        ),
        changeable(
            &at("/api/v1/products", &product),
            "/product",
            &["name", "price", "currency", "stockEnabled", "isDigital", "status"],
        ),
        changeable(&at("/api/clients", &client), "/client", &["name", "email"]),
        changeable(
            &at("/api/v1/coupons", &coupon),
            "/coupon",
            &["code", "discountValue", "status"],
        ),
        changeable(
            &at("/api/subscriptions/plans", &plan),
            "/data",
            &["name", "amountCents", "trialDays", "active"],
        ),
        changeable(
            &at("/api/affiliate/programs", &program),
            "/data",
            &["commissionType", "commissionValue", "cookieDays", "isActive", "extendedCommission"],
        ),
        changeable(&webhook, "/subscription", &["url", "events", "isActive"]),
        Changeable {
            path: at("/api/webhooks/subscriptions", &first),
            method: http::Method::PUT,
            shown: webhook.clone(),
            pointer: "/subscription",
            never_empty: &["url", "events", "status"],
        },
    ];
    for object in &objects {
        refuses_null(&shop, object).await;
    }
    for field in ["pixEnabled", "maxInstallments", "interestRate", "requirePhone"] {
        let body = json!({ "settings": { field: null } });
        let refused = shop.key.patch(&at("/api/v1/payment-links", &link), body).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, [format!("settings.{field}")], "{}", refused.text);
    }
}

#[story::test]
async fn null_says_nothing_in_what_makes_something_new(shop: Shop) {
    let product = json!({
        "currency": null, "stockEnabled": null, "isDigital": null, "status": null,
    });
    shop.product(product).await;
    let link = json!({
        "amountCents": 100, "currency": null, "status": null,
        "settings": { "pixEnabled": null, "maxInstallments": null },
    });
    let link = shop.link_with(link).await;
    assert_eq!(link["settings"]["pixEnabled"], true);
    coupon(&shop, json!({ "status": null })).await;
    plan(&shop, json!({ "trialDays": null })).await;
}

/// Every field of every change that the description says is never null.
#[story::test]
async fn what_the_description_calls_never_null_is_refused_as_null(test: &TestApp, shop: Shop) {
    let admin = test.admin().await;
    let document = routes::document();
    let mut tried = 0;
    for (path, method, operation) in operations(&document) {
        if !matches!(method, "patch" | "put") {
            continue;
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        // A picture has no fields.
        let Some(name) = schema["$ref"].as_str() else { continue };
        let name = name.trim_start_matches('#');
        let schema = document.pointer(name).expect("is described");
        for (field, schema) in schema["properties"].as_object().expect("has fields") {
            if allows_null(&document, schema) {
                continue;
            }
            let path = path.split('/').map(|part| match part {
                "{rail}" => "pix",
                _ if part.starts_with('{') => "00000000-0000-7000-8000-000000000001",
                _ => part,
            });
            let path = path.collect::<Vec<_>>().join("/");
            let method = method.to_uppercase().parse().expect("is a method");
            let body = merged(json!({}), &json!({ field: null })).to_string();
            let caller = match path.as_str() {
                path if path.starts_with("/api/admin/") => &admin,
                "/api/auth/me" | "/api/auth/account" | "/api/mail-preferences" => &shop.owner,
                path if path.starts_with("/api/members/") => &shop.owner,
                _ => &shop.key,
            };
            let sent = caller.send(method, &path, Some("application/json"), body).await;
            let fields = sent.expect_refusal(400, "VALIDATION_ERROR");
            assert_eq!(fields, [field.as_str()], "{path}: {}", sent.text);
            tried += 1;
        }
    }
    assert!(tried >= 30, "{tried}");
}

fn allows_null(document: &Value, schema: &Value) -> bool {
    if let Some(name) = schema["$ref"].as_str() {
        let schema = document.pointer(name.trim_start_matches('#')).expect("is described");
        return allows_null(document, schema);
    }
    let kinds = schema["type"].as_array().into_iter().flatten();
    let ways = schema["anyOf"].as_array().into_iter().flatten();
    schema["type"] == "null"
        || kinds.into_iter().any(|kind| kind == "null")
        || ways.into_iter().any(|way| allows_null(document, way))
}
