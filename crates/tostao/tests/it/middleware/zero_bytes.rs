//! The one character that no engine stores in text, at every kind of door.

use http::Method;
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::shop::{Shop, merged};

const JSON: Option<&str> = Some("application/json");

#[story::test]
async fn an_address_with_a_zero_byte_names_nothing(test: &TestApp) {
    let paths = [
        "/pay/a%00b",
        "/pay/a%00b/t/00000000-0000-7000-8000-000000000001",
        "/api/payment-links/public/slug/a%00b",
    ];
    for path in paths {
        assert_eq!(test.anyone().get(path).await.status, 404, "{path}");
    }
}

#[story::test]
async fn a_query_with_a_zero_byte_is_refused(shop: Shop) {
    for query in [
        "/api/v1/transactions?q=a%00b",
        "/api/v1/transactions?externalId=a%00b",
        "/api/v1/transactions?cursor=a%00b",
        "/api/v1/products?q=a%00b",
        "/api/v1/payment-links?q=a%00b",
        "/api/v1/coupons?q=a%00b",
        "/api/clients?q=a%00b",
        "/api/clients?email=a%00b",
    ] {
        let refused = shop.key.get(query).await;
        assert_eq!(refused.status, 400, "{query}: {}", refused.text);
        for internal in ["zero byte in", "select", "statement"] {
            assert!(!refused.text.contains(internal), "{query}: {}", refused.text);
        }
    }
}

#[story::test]
async fn a_form_with_a_zero_byte_is_refused_and_charges_nothing(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let path = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let good = [
        ("name", "Fulano de Tal"),
        ("email", "fulano@example.com"),
        ("document", "529.982.247-25"),
    ];
    for field in ["attempt", "name", "email", "document"] {
        let mut form: Vec<_> = good.into_iter().filter(|(name, _)| *name != field).collect();
        form.push((field, "a\0b"));
        let refused = test.anyone().submit(&path, &form).await;
        assert!((400..500).contains(&refused.status), "{field}: {}", refused.status);
    }
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
}

#[story::test]
async fn a_body_with_a_zero_byte_is_refused_and_never_a_fault_of_ours(test: &TestApp, shop: Shop) {
    let zero = "a\0b";
    let customer = json!({ "name": "Fulano de Tal", "email": "fulano@example.com" });
    let charge = json!({ "amountCents": 100, "method": "PIX", "customer": customer });
    let named = json!({ "customer": { "name": zero, "email": "fulano@example.com" } });
    let table = [
        ("/api/auth/login", json!({ "email": zero, "password": "a long password" })),
        ("/api/auth/login", json!({ "email": "a@example.com", "password": zero })),
        ("/api/auth/refresh", json!({ "refreshToken": zero })),
        ("/api/v1/products", json!({ "name": zero, "price": 100 })),
        ("/api/v1/payment-links", json!({ "title": zero, "amountCents": 100 })),
        ("/api/clients", json!({ "name": zero, "email": "a@example.com" })),
        ("/api/clients", json!({ "name": "Ana", "email": "a\0@example.com" })),
        ("/api/v1/coupons", json!({ "code": zero, "type": "FIXED", "value": 100 })),
        ("/api/v1/transactions", merged(charge.clone(), &json!({ "externalId": zero }))),
        ("/api/v1/transactions", merged(charge.clone(), &named)),
        ("/api/v1/transactions", merged(charge, &json!({ "metadata": { zero: "a" } }))),
        ("/api/withdraws", json!({ "amountCents": 100, "pixKey": zero })),
        ("/api/webhooks/subscriptions", json!({ "url": zero, "events": ["*"] })),
    ];
    for (path, body) in table {
        let client = if path.contains("/auth/") { test.anyone() } else { shop.key.clone() };
        let refused = client.send(Method::POST, path, JSON, body.to_string()).await;
        assert!((400..500).contains(&refused.status), "{path} {body}: {}", refused.text);
    }
}
