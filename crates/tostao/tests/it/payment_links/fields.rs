//! Fields: what a link is made of, and what is not taken.

use std::time::Duration;

use serde_json::{Value, json};

use super::{IN_AN_HOUR, LINKS, titles};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path, merged};

#[story::test]
async fn a_link_is_made_shown_changed_and_deleted(test: &TestApp, shop: Shop) {
    let settings = json!({
        "pixEnabled": true, "boletoEnabled": false, "creditCardEnabled": true,
        "maxInstallments": 12, "interestFreeInstallments": 3, "interestRate": 2.99,
        "requirePhone": true, "requireAddress": true,
    });
    let fields = json!({
        "title": "Curso", "description": "Em vídeo.", "currency": "BRL",
        "expiresAt": IN_AN_HOUR, "redirectUrl": "https://example.com/obrigado?pedido=1",
        "productDescription": "Dez aulas.", "settings": settings, "stockQuantity": 10,
        "stockEnabled": true, "metaPixelCode": "1234567890", "status": "INACTIVE",
    });
    let body = merged(fields.clone(), &json!({ "amountCents": 4_990 }));
    let made = shop.key.post(LINKS, body).await.expect(201);
    assert_eq!(made["message"], "Payment link created.");
    let link = made["data"].clone();
    let slug = link["slug"].as_str().expect("has one");
    assert_eq!(slug.len(), 12);
    let now = json!("2026-11-21T12:00:00.000Z");
    let given = json!({
        "id": id(&link), "slug": slug, "url": format!("https://pay.example.com/pay/{slug}"),
        "amount": 4_990, "totalCents": 4_990, "products": [], "salesCount": 0,
        "timesUsed": 0, "createdAt": now, "updatedAt": now,
    });
    assert_eq!(link, merged(fields, &given));
    assert_eq!(shop.read_link(&link).await, link);

    test.pass(Duration::from_mins(1));
    let change = json!({ "amountCents": 5_990, "description": null, "redirectUrl": null });
    let changed = shop.change_link(&link, change).await;
    let difference = json!({
        "amount": 5_990, "totalCents": 5_990, "description": null, "redirectUrl": null,
        "updatedAt": "2026-11-21T12:01:00.000Z",
    });
    assert_eq!(changed, merged(link.clone(), &difference));
    assert_eq!(shop.read_link(&link).await, changed);

    let deleted = shop.key.delete(&link_path(&link)).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Payment link deleted." }));
    let path = link_path(&link);
    shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
    shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
    shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(titles(&shop, "").await, [] as [&str; 0]);
    let names = ["payment_link.created", "payment_link.updated", "payment_link.deleted"];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn what_is_not_said_of_a_link_has_a_default(shop: Shop) {
    let link = shop.link_with(json!({ "amountCents": 100, "color": "blue" })).await;
    let defaults = json!({
        "description": null, "productDescription": null, "amount": 100, "currency": "BRL",
        "status": "ACTIVE", "expiresAt": null, "redirectUrl": null, "stockQuantity": null,
        "stockEnabled": false, "metaPixelCode": null, "products": [],
        "settings": {
            "pixEnabled": true, "boletoEnabled": true, "creditCardEnabled": true,
            "maxInstallments": 1, "interestFreeInstallments": 1, "interestRate": 0,
            "requirePhone": false, "requireAddress": false,
        },
    });
    for (field, value) in defaults.as_object().expect("are fields") {
        assert_eq!(&link[field], value, "{field}");
    }
    assert_eq!(link.get("color"), None);
    assert_ne!(link["slug"], shop.link(100).await["slug"]);
}

/// What is wrong with a link, and the field that is named for it.
fn bad_fields() -> Vec<(Value, &'static str)> {
    let unknown = "00000000-0000-7000-8000-000000000001";
    let item = |quantity: Value| json!({ "productId": unknown, "quantity": quantity });
    let settings = |settings: Value| json!({ "settings": settings });
    vec![
        (json!({ "title": "" }), "title"),
        (json!({ "title": "a".repeat(256) }), "title"),
        (json!({ "title": 1 }), "title"),
        (json!({ "description": "a".repeat(1_001) }), "description"),
        (json!({ "amountCents": 0 }), "amountCents"),
        (json!({ "amountCents": 1_000_000_001 }), "amountCents"),
        (json!({ "amountCents": "1" }), "amountCents"),
        (json!({ "currency": "USD" }), "currency"),
        (json!({ "expiresAt": "2026-11-21T12:01:00Z" }), "expiresAt"),
        (json!({ "expiresAt": "2032-01-01T00:00:00Z" }), "expiresAt"),
        (json!({ "expiresAt": "tomorrow" }), "expiresAt"),
        (json!({ "redirectUrl": "javascript:alert(1)" }), "redirectUrl"),
        (json!({ "redirectUrl": "//example.com" }), "redirectUrl"),
        (json!({ "productDescription": "a".repeat(1_001) }), "productDescription"),
        (json!({ "stockQuantity": -1 }), "stockQuantity"),
        (json!({ "stockEnabled": true }), "stockQuantity"),
        (json!({ "metaPixelCode": "<script>" }), "metaPixelCode"),
        (json!({ "metaPixelCode": "1".repeat(65) }), "metaPixelCode"),
        (json!({ "metaPixelCode": "" }), "metaPixelCode"),
        (json!({ "status": "EXPIRED" }), "status"),
        (json!({ "products": [item(json!(1))] }), "products[0].productId"),
        (json!({ "products": [item(json!(0))] }), "products[0].quantity"),
        (json!({ "products": [item(json!("1"))] }), "products[0].quantity"),
        (json!({ "products": [{ "productId": unknown }] }), "products[0].quantity"),
        (json!({ "products": [{ "quantity": 1 }] }), "products[0].productId"),
        (json!({ "products": vec![item(json!(1)); 101] }), "products"),
        (settings(json!({ "maxInstallments": 0 })), "settings.maxInstallments"),
        (settings(json!({ "maxInstallments": 13 })), "settings.maxInstallments"),
        (settings(json!({ "interestFreeInstallments": 2 })), "settings.interestFreeInstallments"),
        (settings(json!({ "interestFreeInstallments": -1 })), "settings.interestFreeInstallments"),
        (settings(json!({ "interestRate": 20.0001 })), "settings.interestRate"),
        (settings(json!({ "interestRate": -1 })), "settings.interestRate"),
        (settings(json!({ "interestRate": 0.00001 })), "settings.interestRate"),
        (settings(json!({ "pixEnabled": "yes" })), "settings.pixEnabled"),
    ]
}

/// What makes a link no link at all, and the code that says so.
fn refused_links() -> [(Value, &'static str); 3] {
    let no_method = json!({
        "pixEnabled": false, "boletoEnabled": false, "creditCardEnabled": false,
    });
    [
        (json!({ "amountCents": null }), "MISSING_AMOUNT_OR_PRODUCTS"),
        (json!({ "amountCents": null, "products": [] }), "MISSING_AMOUNT_OR_PRODUCTS"),
        (json!({ "settings": no_method }), "NO_PAYMENT_METHOD_ENABLED"),
    ]
}

#[story::test]
async fn a_link_with_a_bad_field_is_not_made(test: &TestApp, shop: Shop) {
    test.pass(Duration::from_mins(1));
    let good = json!({ "title": "Caneca", "amountCents": 1_000 });
    for (bad, field) in bad_fields() {
        let refused = shop.key.post(LINKS, merged(good.clone(), &bad)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    for (bad, code) in refused_links() {
        let refused = shop.key.post(LINKS, merged(good.clone(), &bad)).await;
        refused.expect_refusal(400, code);
    }
    let refused = shop.key.post(LINKS, json!({ "amountCents": 1 })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["title"]);
    let worst = json!({ "title": "", "amountCents": 0, "redirectUrl": "x" });
    let refused = shop.key.post(LINKS, worst).await;
    let all = ["title", "redirectUrl", "amountCents"];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), all);
    assert_eq!(titles(&shop, "").await, [] as [&str; 0]);
    assert!(shop.events().await.is_empty());
}

#[story::test]
async fn a_bad_change_changes_nothing(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    test.pass(Duration::from_mins(1));
    for (bad, field) in bad_fields() {
        let bad = merged(json!({ "description": "Verde." }), &bad);
        let refused = shop.key.patch(&link_path(&link), bad.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    for (bad, code) in refused_links() {
        shop.key.patch(&link_path(&link), bad).await.expect_refusal(400, code);
    }
    assert_eq!(shop.read_link(&link).await, link);
    assert_eq!(shop.events().await, ["payment_link.created"]);
}

#[story::test]
async fn settings_are_changed_one_by_one_and_null_brings_the_defaults_back(shop: Shop) {
    let link = shop.link(1_000).await;
    let defaults = link["settings"].clone();
    let table = [
        (
            json!({ "maxInstallments": 6, "interestRate": "1.5" }),
            json!({ "maxInstallments": 6, "interestRate": 1.5 }),
        ),
        (json!({ "interestFreeInstallments": 6 }), json!({ "interestFreeInstallments": 6 })),
        (json!({ "boletoEnabled": false }), json!({ "boletoEnabled": false })),
    ];
    let mut settings = defaults.clone();
    for (sent, difference) in table {
        settings = merged(settings, &difference);
        let changed = shop.change_link(&link, json!({ "settings": sent })).await;
        assert_eq!(changed["settings"], settings, "{sent}");
    }
    let fewer = json!({ "settings": { "maxInstallments": 5 } });
    let refused = shop.key.patch(&link_path(&link), fewer).await;
    let field = "settings.interestFreeInstallments";
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    let reset = shop.change_link(&link, json!({ "settings": null })).await;
    assert_eq!(reset["settings"], defaults);
}
