//! Values of the wrong type: each is refused by its field's name, in words of the contract.

use serde_json::{Value, json};

use crate::harness::shop::merged;
use crate::harness::story;

const LINKS: &str = "/api/v1/payment-links";

#[test]
fn what_is_no_word_of_a_list_is_refused_by_its_field() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let customer = json!({ "name": "Fulano de Tal", "email": "fulano@example.com" });
        let charge = json!({ "amountCents": 100, "customer": customer });
        for method in [json!(null), json!(1), json!(true), json!([]), json!({}), json!("CASH")] {
            let body = merged(charge.clone(), &json!({ "method": method }));
            let refused = shop.key.post("/api/v1/transactions", body).await;
            assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["method"], "{method}");
        }
    });
}

#[test]
fn what_is_expected_is_told_without_the_names_of_our_types() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let table: [(&str, Value, &str, &str); 5] = [
            (LINKS, json!({ "title": "a", "amountCents": "1" }), "amountCents", "a whole number"),
            (LINKS, json!({ "title": "a", "amountCents": 1.5 }), "amountCents", "a whole number"),
            (LINKS, json!({ "title": 5, "amountCents": 1 }), "title", "a string"),
            (LINKS, json!({ "title": "a", "settings": 1 }), "settings", "an object"),
            (
                "/api/webhooks/subscriptions",
                json!({ "url": "https://example.com", "events": "a" }),
                "events",
                "a list",
            ),
        ];
        for (path, body, field, expected) in table {
            let refused = shop.key.post(path, body.clone()).await;
            refused.expect_refusal(400, "VALIDATION_ERROR");
            let told = format!("{field}: must be {expected}");
            assert_eq!(refused.json()["message"], told, "{body}");
        }
    });
}
