//! Values of the wrong type: each is refused by its field's name, in words of the contract.

use http::Method;
use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::platform::openapi::operation::Security;
use tostao::routes;

use crate::harness::TestApp;
use crate::harness::shop::{Shop, merged};

const LINKS: &str = "/api/v1/payment-links";

#[story::test]
async fn what_is_no_word_of_a_list_is_refused_by_its_field(shop: Shop) {
    let customer = json!({ "name": "Fulano de Tal", "email": "fulano@example.com" });
    let charge = json!({ "amountCents": 100, "customer": customer });
    for method in [json!(null), json!(1), json!(true), json!([]), json!({}), json!("CASH")] {
        let body = merged(charge.clone(), &json!({ "method": method }));
        let refused = shop.key.post("/api/v1/transactions", body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["method"], "{method}");
    }
}

#[story::test]
async fn a_word_that_is_not_on_its_list_is_an_invalid_value_and_the_message_lists_them(
    test: &TestApp,
    shop: Shop,
) {
    let admin = test.admin().await;
    let nothing = "00000000-0000-4000-8000-000000000000";
    let of_admin = |what: &str| format!("/api/admin/{what}/{nothing}");
    let charges = "/api/v1/transactions".to_owned();
    let (keys, note) = ("/api/credentials".to_owned(), "a");
    let key = json!({ "name": "a", "environment": "development", "permissions": [] });
    let customer = json!({ "name": "Fulano de Tal", "email": "fulano@example.com" });
    let charge = json!({ "amountCents": 100, "customer": customer });
    let wrong = |field: &str, word: &str| json!({ field: word });
    let table = [
        (&shop.key, charges, merged(charge, &wrong("method", "PIXX at line 1")), "method", "PIX"),
        (
            &shop.owner,
            keys.clone(),
            merged(key.clone(), &wrong("environment", "prod")),
            "environment",
            "production",
        ),
        (
            &shop.owner,
            keys,
            merged(key, &json!({ "permissions": ["x"] })),
            "permissions[0]",
            "products:read",
        ),
        (
            &admin,
            format!("/api/withdraws/{nothing}/process"),
            wrong("action", "aprove"),
            "action",
            "approve",
        ),
        (
            &admin,
            of_admin("withdraws") + "/resolve",
            json!({ "outcome": "x", "note": note }),
            "outcome",
            "not_paid",
        ),
        (
            &admin,
            of_admin("charges") + "/resolve",
            json!({ "outcome": "x", "note": note }),
            "outcome",
            "FAILED",
        ),
        (
            &admin,
            of_admin("disputes") + "/resolve",
            json!({ "outcome": "x", "note": note }),
            "outcome",
            "`",
        ),
    ];
    for (client, path, body, field, listed) in table {
        let refused = client.post(&path, body.clone()).await;
        refused.expect_refusal(400, "VALIDATION_ERROR");
        let error = refused.json()["errors"][0].clone();
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!("INVALID_VALUE")));
        let message = error["message"].as_str().expect("is a text");
        assert!(message.starts_with("must be ") && message.contains(listed), "{body}: {message}");
    }
}

#[story::test]
async fn the_error_names_what_is_expected_and_no_internal_type(shop: Shop) {
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
        let reported = format!("{field}: must be {expected}");
        assert_eq!(refused.json()["message"], reported, "{body}");
    }
}

/// Every body with a list in the place of one of its objects, and where that place is.
#[story::test]
async fn a_list_is_never_taken_for_an_object_by_its_positions(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let document = routes::document();
    let mut tried = 0;
    for (path, method, operation) in operations(&document) {
        let method: Method = method.to_uppercase().parse().expect("is a method");
        let routes = routes::routes();
        let route = routes.iter().find(|route| route.path == path && route.method == method);
        let client = match route.expect("is described").needs {
            None => test.anyone(),
            Some(Security::Permissions(_)) => shop.key.clone(),
            Some(Security::Person(_)) => shop.owner.clone(),
            Some(Security::Admin) => admin.clone(),
        };
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        for list in [json!([]), json!([1])] {
            for (place, body) in objects(&document, schema, &list) {
                let path = concrete(path);
                let kind = Some("application/json");
                let refused = client.send(method.clone(), &path, kind, body.to_string()).await;
                let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
                assert_eq!(fields, [place.as_str()], "{method} {path} {body}");
                let reported = format!("{place}: must be an object");
                assert_eq!(refused.json()["message"], reported, "{method} {path} {body}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 18, "{tried}");
}

/// A body for each object inside one of this schema, with `list` where the object belongs.
fn objects(document: &Value, schema: &Value, list: &Value) -> Vec<(String, Value)> {
    let fields = resolved(document, schema)["properties"].as_object().into_iter().flatten();
    let places = fields.flat_map(|(name, schema)| {
        let schema = resolved(document, schema);
        let many = resolved(document, &schema["items"]);
        let (object, mark) = if many.is_object() { (many, "[0]") } else { (schema, "") };
        let inner = objects(document, object, list).into_iter();
        let inner = inner.map(|(place, body)| (format!("{name}{mark}.{place}"), body));
        let this = object["properties"].is_object();
        let this = this.then(|| (format!("{name}{mark}"), list.clone()));
        let whole = move |body: Value| if mark.is_empty() { body } else { json!([body]) };
        let wrap = move |(place, body)| (place, json!({ name.as_str(): whole(body) }));
        this.into_iter().chain(inner).map(wrap).collect::<Vec<_>>()
    });
    places.collect()
}

/// What a schema refers to; of a field that may be null, what else it may be.
pub fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').expect("is in this document");
        return resolved(document, document.pointer(pointer).expect("is described"));
    }
    let ways = schema["anyOf"].as_array().into_iter().flatten();
    let some = ways.into_iter().find(|way| way["type"] != "null");
    some.map_or(schema, |some| resolved(document, some))
}

/// An address of nothing there is.
fn concrete(path: &str) -> String {
    let part = |part: &str| {
        let named = part.starts_with('{');
        if named { "00000000-0000-7000-8000-000000000001".to_owned() } else { part.to_owned() }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}
