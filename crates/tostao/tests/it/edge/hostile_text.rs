//! Text that means something to somebody: each is kept to the letter, or refused by its field.

use serde_json::{Map, Value, json};

use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::id;
use crate::harness::story;

/// Stands for the text in a body, and in what is given back.
const TEXT: &str = "TEXT";

const HOSTILE: [&str; 19] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "&lt;b&gt; &amp; &#0;",
    "'; drop table merchants; --",
    "%' or '1' like '%_",
    "\"quoted\" 'twice' `thrice` \\",
    "{{7*7}} ${7*7} %s %n {0}",
    "\\u0000 \\x00 %00",
    "a\r\nSet-Cookie: b=c",
    "a\tb\nc",
    "a\u{1}b",
    "a\u{1b}[31mb",
    "a\u{7f}b",
    "a\u{85}b",
    "\u{202e}gnp.exe\u{202c}",
    "a\u{200b}b\u{feff}c",
    "\u{5d0}\u{5d1} \u{627}\u{628}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} cora\u{e7}a\u{303}o",
    "\u{fffd}\u{ffff}\u{10ffff}",
];

/// A field, and how the object shows it.
struct Field {
    path: &'static str,
    body: Value,
    name: &'static str,
    object: &'static str,
    /// Where in the object, and what.
    shown: (&'static str, Value),
}

/// Puts the text where it belongs; a `#` becomes the number of the try.
fn filled(template: &Value, text: &str, number: usize) -> Value {
    let word = |word: &str| match word {
        TEXT => text.to_owned(),
        other => other.replace('#', &number.to_string()),
    };
    match template {
        Value::String(value) => Value::String(word(value)),
        Value::Object(fields) => {
            let fields = fields.iter();
            let filled = fields.map(|(name, value)| (word(name), filled(value, text, number)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn fields() -> Vec<Field> {
    let field = |path, name, object, pointer, body| Field {
        path,
        body,
        name,
        object,
        shown: (pointer, json!(TEXT)),
    };
    let product = |name, pointer, body| field("/api/v1/products", name, "product", pointer, body);
    let charge = |name, pointer, more: Value| {
        let customer = json!({ "name": "Ana", "email": "ana@example.com" });
        let mut body = json!({ "amountCents": 100, "method": "PIX", "customer": customer });
        body.as_object_mut().expect("is one").extend(more.as_object().expect("is one").clone());
        field("/api/v1/transactions", name, "transaction", pointer, body)
    };
    let coupon = |code| json!({ "code": code, "discountType": "PERCENTAGE", "discountValue": 5 });
    let mut described = coupon("CODE#");
    described["description"] = json!(TEXT);
    let customer = json!({ "customer": { "name": TEXT, "email": "ana@example.com" } });
    let named = charge("metadata", "/metadata", json!({ "metadata": { TEXT: "a" } }));
    vec![
        product("name", "/name", json!({ "name": TEXT, "price": 100 })),
        product(
            "description",
            "/description",
            json!({ "name": "Caneca", "price": 100, "description": TEXT }),
        ),
        field(
            "/api/clients",
            "name",
            "client",
            "/name",
            json!({ "name": TEXT, "email": "ana#@example.com" }),
        ),
        field("/api/v1/coupons", "description", "coupon", "/description", described),
        field("/api/v1/coupons", "code", "coupon", "/code", coupon(TEXT)),
        charge("customer.name", "/customer/name", customer),
        charge("externalId", "/externalId", json!({ "externalId": TEXT })),
        charge("metadata", "/metadata/note", json!({ "metadata": { "note": TEXT } })),
        Field { shown: ("/metadata", json!({ TEXT: "a" })), ..named },
    ]
}

/// Whether it was taken; a refusal names the field alone.
#[track_caller]
fn is_taken(answer: &Reply, status: u16, field: &str, text: &str) -> bool {
    if answer.status == status {
        return true;
    }
    assert_eq!(answer.status, 400, "{field} {text:?}: {}", answer.text);
    let named = answer.expect_refusal(400, "VALIDATION_ERROR");
    assert_eq!(named, [field], "{text:?}: {}", answer.text);
    false
}

async fn is_kept(key: &Client, field: &Field, text: &str, number: usize) -> bool {
    let answer = key.post(field.path, filled(&field.body, text, number)).await;
    if !is_taken(&answer, 201, field.name, text) {
        return false;
    }
    let (pointer, shown) = &field.shown;
    let shown = filled(shown, text, number);
    let made = answer.json()[field.object].clone();
    let kept = key.get(&format!("{}/{}", field.path, id(&made))).await.expect(200);
    for object in [&made, &kept[field.object]] {
        assert_eq!(object.pointer(pointer), Some(&shown), "{} of {}", field.name, field.path);
    }
    true
}

#[test]
fn hostile_text_is_kept_to_the_letter_or_refused_by_its_field() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for field in fields() {
            let mut kept = 0;
            for (number, text) in HOSTILE.into_iter().enumerate() {
                kept += usize::from(is_kept(&shop.key, &field, text, number).await);
            }
            // A code has letters and digits alone; every other text takes what people write.
            let expected = if field.name == "code" { 0..=0 } else { 15..=HOSTILE.len() };
            assert!(expected.contains(&kept), "{} of {}: {kept}", field.name, field.path);
        }
    });
}

#[test]
fn hostile_text_describes_a_webhook_to_the_letter_or_is_refused() {
    story(async |test| {
        let (shop, path) = (test.shop("Loja").await, "/api/webhooks/subscriptions");
        let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
        let hook = shop.key.post(path, hook).await.expect(201)["data"].clone();
        let one = format!("{path}/{}", id(&hook));
        for text in HOSTILE {
            let answer = shop.key.put(&one, json!({ "description": text })).await;
            if is_taken(&answer, 200, "description", text) {
                assert_eq!(answer.json()["data"]["description"], text);
                let listed = shop.key.get(path).await.expect(200);
                assert_eq!(listed["data"][0]["description"], text);
            }
        }
    });
}

#[test]
fn hostile_text_is_looked_for_like_any_other() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for (number, text) in HOSTILE.into_iter().enumerate() {
            let product = json!({ "name": text, "price": 100 });
            let made = shop.key.post("/api/v1/products", product).await;
            let found = json!({ "name": text, "email": format!("ana{number}@example.com") });
            shop.key.post("/api/clients", found).await;
            let query: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
            for list in ["/api/v1/products", "/api/clients"] {
                let answer = shop.key.get(&format!("{list}?q={query}")).await;
                if made.status == 201 {
                    assert_eq!(answer.expect(200)["pagination"]["total"], 1, "{list} {text:?}");
                } else {
                    assert!(answer.status < 500, "{list} {text:?}: {}", answer.text);
                }
            }
        }
    });
}
