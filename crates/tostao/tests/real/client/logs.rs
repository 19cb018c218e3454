//! The request log, as a developer reads it.

use serde_json::json;

use crate::client::Developer;

const PRODUCTS: &str = "/api/v1/products";

#[story::test]
async fn requests_are_shown_as_they_come_and_refusals_are_counted(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let client = &developer.shop.client;
    client.with("x-request-id", "before-tail").get(PRODUCTS).await.expect(200);
    let none = developer.run(&["logs", "errors", "--lang", "pt"]).await.good();
    assert_eq!(none.trim(), "Nada foi recusado.");
    assert!(developer.objects(&["logs", "errors"]).await.is_empty());
    let mut tail = developer.start(&["logs", "tail", "--path", "/api/v1/prod*"]);
    assert_eq!(tail.next()["requestId"], "before-tail");
    for number in 1..=2 {
        let client = client.with("x-request-id", &format!("request-{number}"));
        client.post(PRODUCTS, json!({ "name": "Caneca", "price": -1 })).await.expect(400);
        let shown = tail.next();
        assert_eq!(
            (&shown["requestId"], &shown["code"]),
            (&json!(format!("request-{number}")), &json!("VALIDATION_ERROR"),)
        );
    }
    tail.stop();
    let [kind] = developer.objects(&["logs", "errors"]).await.try_into().expect("is one");
    assert_eq!((&kind["count"], &kind["field"]), (&json!(2), &json!("price")));
    let text = developer.run(&["logs", "errors", "--since", "10m", "--lang", "pt"]).await.good();
    assert!(text.contains("POST /api/v1/products   400 VALIDATION_ERROR price"), "{text}");
    assert!(text.contains("2×   último request-2"), "{text}");
    let [shown] =
        developer.objects(&["logs", "show", "request-1"]).await.try_into().expect("is one");
    assert_eq!(shown["requestBody"], json!({ "name": "Caneca", "price": -1 }));
    assert_eq!(developer.run(&["logs", "show", "not-there"]).await.status, 1);
}
