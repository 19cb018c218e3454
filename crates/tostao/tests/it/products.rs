//! Products: the catalog, and what a price or a status change means for what is sold.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path, merged, product_path};

const PRODUCTS: &str = "/api/v1/products";

#[story::test]
async fn a_product_is_made_shown_changed_and_deleted(test: &TestApp, shop: Shop) {
    let fields = json!({
        "name": "Camiseta", "description": "De algodão.", "price": 4_990, "currency": "BRL",
        "stockQuantity": 10, "stockEnabled": true, "isDigital": false,
        "imageUrl": "https://example.com/a.png", "status": "ACTIVE",
    });
    let made = shop.key.post(PRODUCTS, fields.clone()).await.expect(201);
    assert_eq!(made["message"], "Product created.");
    let product = made["product"].clone();
    let now = json!("2026-11-21T12:00:00.000Z");
    let stamps = json!({
        "id": id(&product), "stockReserved": 0, "createdAt": now, "updatedAt": now,
    });
    assert_eq!(product, merged(fields, &stamps));
    assert_eq!(shop.read_product(&product).await, product);

    test.pass(Duration::from_mins(1));
    let change = json!({ "price": 5_990, "description": null, "imageUrl": null });
    let changed = shop.change_product(&product, change.clone()).await;
    let later = json!({ "updatedAt": "2026-11-21T12:01:00.000Z" });
    assert_eq!(changed, merged(merged(product.clone(), &change), &later));
    assert_eq!(shop.read_product(&product).await, changed);

    let deleted = shop.key.delete(&product_path(&product)).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Product deleted." }));
    let path = product_path(&product);
    shop.key.get(&path).await.expect_refusal(404, "NOT_FOUND");
    shop.key.patch(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
    shop.key.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(shop.key.total(PRODUCTS).await, 0);
    let names = ["product.created", "product.updated", "product.deleted"];
    assert_eq!(shop.events().await, names);
}

#[story::test]
async fn what_is_not_said_of_a_product_has_a_default(shop: Shop) {
    let product = shop.product(json!({ "name": " Curso ", "color": "blue" })).await;
    let defaults = json!({
        "name": "Curso", "description": null, "price": 2_500, "currency": "BRL",
        "stockQuantity": null, "stockEnabled": false, "isDigital": false, "imageUrl": null,
        "status": "ACTIVE",
    });
    for (field, value) in defaults.as_object().expect("are fields") {
        assert_eq!(&product[field], value, "{field}");
    }
    assert_eq!(product.get("color"), None);
}

/// What is wrong with a product, and the field that is named for it.
fn bad_fields() -> Vec<(Value, &'static str)> {
    vec![
        (json!({ "name": "" }), "name"),
        (json!({ "name": " " }), "name"),
        (json!({ "name": "é".repeat(256) }), "name"),
        (json!({ "name": "a\u{0}" }), "name"),
        (json!({ "name": 1 }), "name"),
        (json!({ "price": 0 }), "price"),
        (json!({ "price": -1 }), "price"),
        (json!({ "price": 1_000_000_001 }), "price"),
        (json!({ "price": 1.5 }), "price"),
        (json!({ "price": "1" }), "price"),
        (json!({ "description": "a".repeat(1_001) }), "description"),
        (json!({ "description": ["a"] }), "description"),
        (json!({ "currency": "USD" }), "currency"),
        (json!({ "stockQuantity": -1 }), "stockQuantity"),
        (json!({ "stockQuantity": 1_000_000_001 }), "stockQuantity"),
        (json!({ "stockEnabled": true }), "stockQuantity"),
        (json!({ "stockEnabled": true, "stockQuantity": null }), "stockQuantity"),
        (json!({ "stockEnabled": 1 }), "stockEnabled"),
        (json!({ "isDigital": "no" }), "isDigital"),
        (json!({ "imageUrl": "http://example.com/a.png" }), "imageUrl"),
        (json!({ "imageUrl": "javascript:alert(1)" }), "imageUrl"),
        (json!({ "imageUrl": "https://user:pass@example.com" }), "imageUrl"),
        (json!({ "status": "EXPIRED" }), "status"),
        (json!({ "status": "active" }), "status"),
    ]
}

#[story::test]
async fn a_product_with_a_bad_field_is_not_made(shop: Shop) {
    let good = json!({ "name": "Caneca", "price": 2_500 });
    for (bad, field) in bad_fields() {
        let refused = shop.key.post(PRODUCTS, merged(good.clone(), &bad)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    for missing in ["name", "price"] {
        let mut body = good.clone();
        body.as_object_mut().expect("are fields").remove(missing);
        let refused = shop.key.post(PRODUCTS, body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [missing]);
    }
    let worst = json!({ "name": "", "price": 0, "currency": "X", "stockEnabled": true });
    let refused = shop.key.post(PRODUCTS, worst).await;
    let all = ["name", "price", "currency", "stockQuantity"];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), all);
    assert_eq!(shop.key.total(PRODUCTS).await, 0);
    assert!(shop.events().await.is_empty());
}

#[story::test]
async fn a_bad_change_changes_nothing(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "description": "Azul." })).await;
    test.pass(Duration::from_mins(1));
    for (bad, field) in bad_fields() {
        let bad = merged(json!({ "description": "Verde." }), &bad);
        let refused = shop.key.patch(&product_path(&product), bad.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{bad}");
    }
    assert_eq!(shop.read_product(&product).await, product);
    assert_eq!(shop.events().await, ["product.created"]);
}

#[story::test]
async fn a_counted_stock_always_has_a_size(shop: Shop) {
    let product = shop.product(json!({ "stockEnabled": true, "stockQuantity": 0 })).await;
    let path = product_path(&product);
    let refused = shop.key.patch(&path, json!({ "stockQuantity": null })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["stockQuantity"]);
    let uncounted = json!({ "stockEnabled": false, "stockQuantity": null });
    let changed = shop.change_product(&product, uncounted).await;
    assert_eq!(changed["stockQuantity"], Value::Null);
    let refused = shop.key.patch(&path, json!({ "stockEnabled": true })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["stockQuantity"]);
}

#[story::test]
async fn products_are_found_by_name_and_description(test: &TestApp, shop: Shop) {
    for (name, description) in [("Caneca", "Azul"), ("Camiseta", "100% algodão"), ("Curso", "")] {
        shop.product(json!({ "name": name, "description": description })).await;
        test.pass(Duration::from_mins(1));
    }
    let table = [
        ("", vec!["Curso", "Camiseta", "Caneca"]),
        ("status=ACTIVE&q=AZUL", vec!["Caneca"]),
        ("q=ca", vec!["Camiseta", "Caneca"]),
        ("q=100%25", vec!["Camiseta"]),
        ("q=%25", vec!["Camiseta"]),
        ("q=_", vec![]),
        ("q=", vec!["Curso", "Camiseta", "Caneca"]),
    ];
    for (query, expected) in table {
        let products = shop.key.list(&format!("{PRODUCTS}?{query}")).await;
        let names: Vec<_> = products.iter().map(|product| product["name"].clone()).collect();
        assert_eq!(names, expected, "{query}");
    }
}

#[story::test]
async fn a_price_change_never_alters_what_was_issued(shop: Shop) {
    let product = shop.product(json!({ "price": 2_500 })).await;
    let items = json!({ "items": [{ "productId": id(&product), "quantity": 2 }] });
    let issued = shop.charge_with(items.clone()).await;
    assert_eq!(issued["amount"], 5_000);
    let line = json!([{
        "productId": id(&product), "name": "Caneca", "quantity": 2, "unitPrice": 2_500,
    }]);
    assert_eq!(issued["items"], line);

    shop.change_product(&product, json!({ "price": 9_900, "name": "Xícara" })).await;
    assert_eq!(shop.transaction(&issued).await, issued);
    let paid = shop.pay(&issued).await;
    assert_eq!((&paid["paidAmount"], &paid["items"]), (&json!(5_000), &line));
    let new = shop.charge_with(items).await;
    assert_eq!((&new["amount"], &new["items"][0]["name"]), (&json!(19_800), &json!("Xícara")));
}

#[story::test]
async fn an_inactive_product_makes_its_links_unsellable_and_leaves_them_as_they_are(shop: Shop) {
    let product = shop.product(json!({})).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let through_link = json!({ "paymentLinkId": id(&link) });
    for sale in [&through_link, &json!({ "items": items })] {
        shop.try_charge(sale.clone()).await.expect_refusal(409, "PRODUCT_INACTIVE");
    }
    let unsellable = merged(link.clone(), &json!({ "totalCents": null }));
    assert_eq!(shop.read_link(&link).await, unsellable);

    shop.change_product(&product, json!({ "status": "ACTIVE" })).await;
    assert_eq!(shop.read_link(&link).await, link);
    shop.try_charge(through_link).await.expect(201);
}

#[story::test]
async fn a_deleted_product_is_no_longer_sold_and_its_waiting_payments_still_count(shop: Shop) {
    let product = shop.product(json!({ "stockEnabled": true, "stockQuantity": 5 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    let waiting = shop.try_charge(json!({ "items": items })).await;
    let waiting = waiting.expect(201)["transaction"].clone();
    shop.key.delete(&product_path(&product)).await.expect(200);

    assert_eq!(shop.pay(&waiting).await["status"], "PAID");
    let through_link = json!({ "paymentLinkId": id(&link) });
    shop.try_charge(through_link).await.expect_refusal(409, "PRODUCT_INACTIVE");
    let directly = shop.try_charge(json!({ "items": items })).await;
    assert_eq!(directly.expect_refusal(400, "VALIDATION_ERROR"), ["items[0].productId"]);
    let again = shop.key.patch(&link_path(&link), json!({ "products": items })).await;
    assert_eq!(again.expect_refusal(400, "VALIDATION_ERROR"), ["products[0].productId"]);
}

#[story::test]
async fn an_order_has_a_greatest_amount(shop: Shop) {
    let product = shop.product(json!({ "price": 1_000_000_000 })).await;
    let order = |quantity: i64| json!([{ "productId": id(&product), "quantity": quantity }]);
    for (quantity, field) in [
        (2, "items"),
        (1_000_000, "items"),
        (0, "items[0].quantity"),
        (-1, "items[0].quantity"),
        (1_000_001, "items[0].quantity"),
    ] {
        let refused = shop.try_charge(json!({ "items": order(quantity) })).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{quantity}");
    }
    let link = json!({ "title": "Muito", "products": order(2) });
    let refused = shop.key.post("/api/v1/payment-links", link).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["products"]);
    shop.try_charge(json!({ "items": order(1) })).await.expect(201);
}
