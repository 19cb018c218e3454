//! Text that means something to somebody: each is kept to the letter, or refused by its field.

use serde_json::{Map, Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

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

#[story::test]
async fn hostile_text_is_kept_to_the_letter_or_refused_by_its_field(shop: Shop) {
    for field in fields() {
        let mut kept = 0;
        for (number, text) in HOSTILE.into_iter().enumerate() {
            kept += usize::from(is_kept(&shop.key, &field, text, number).await);
        }
        // A code has letters and digits alone, and a name nothing that hides; every other
        // text takes what people write.
        let expected = match field.name {
            "code" => 0..=0,
            "name" | "customer.name" => 13..=13,
            _ => 15..=HOSTILE.len(),
        };
        assert!(expected.contains(&kept), "{} of {}: {kept}", field.name, field.path);
    }
}

/// Every door by which a name comes in, with its field.
async fn name_doors(test: &TestApp, shop: &Shop, name: &str) -> Vec<(&'static str, Reply)> {
    let (key, anyone) = (&shop.key, test.anyone());
    let slug = shop.link(100).await["slug"].as_str().expect("has one").to_owned();
    let public = format!("/api/payment-links/public/slug/{slug}");
    let buyer = json!({ "name": name, "email": "ana@example.com" });
    let pay = json!({ "method": "PIX", "amountCents": 100, "customer": buyer });
    let plan = json!({ "name": name, "amountCents": 3_000, "interval": "MONTHLY" });
    let account =
        json!({ "name": name, "email": "bia@example.com", "password": "a long password" });
    let credential = json!({
        "name": name, "environment": "development", "permissions": ["products:read"],
    });
    let cart = json!({ "clientEmail": "ana@example.com", "clientName": name });
    vec![
        ("name", anyone.post("/api/auth/register", account).await),
        ("name", shop.owner.post("/api/credentials", credential).await),
        ("name", key.post("/api/v1/products", json!({ "name": name, "price": 100 })).await),
        (
            "title",
            key.post("/api/v1/payment-links", json!({ "title": name, "amountCents": 1 })).await,
        ),
        ("name", key.post("/api/clients", buyer).await),
        ("name", key.post("/api/subscriptions/plans", plan).await),
        ("customer.name", key.post("/api/v1/transactions", pay.clone()).await),
        ("customer.name", anyone.post(&format!("{public}/checkout"), pay).await),
        ("clientName", anyone.post(&format!("{public}/cart-abandonment"), cart).await),
    ]
}

#[story::test]
async fn a_name_hides_nothing_and_turns_nothing_round(test: &TestApp, shop: Shop) {
    let hidden = [
        "\u{202e}ajoL",
        "Lo\u{2066}ja",
        "Lo\u{200b}ja",
        "Lo\u{200d}ja",
        "Lo\u{200e}ja",
        "Lo\u{2060}ja",
        "Loja\u{feff}!",
        "Lo\u{ad}ja",
        "Lo\u{e0041}ja",
    ];
    for name in hidden {
        for (field, refused) in name_doors(test, &shop, name).await {
            let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
            assert_eq!(fields, [field], "{name:?}: {}", refused.text);
        }
    }
    let joined = "Ana \u{1f469}\u{200d}\u{1f680}";
    for (field, taken) in name_doors(test, &shop, joined).await {
        assert_eq!(taken.status / 100, 2, "{field}: {}", taken.text);
    }
}

#[story::test]
async fn no_account_has_an_address_that_looks_like_anothers(test: &TestApp) {
    let password = "a long password here";
    let account = |email: &str| json!({ "name": "Ana", "email": email, "password": password });
    let register = "/api/auth/register";
    test.anyone().post(register, account("ana@example.com")).await.expect(201);
    // Letters of another width are the same letters.
    for same in ["ａｎａ@example.com", "ana＠ｅｘａｍｐｌｅ．com", "ANA@EXAMPLE.COM"] {
        let refused = test.anyone().post(register, account(same)).await;
        refused.expect_refusal(409, "ALREADY_EXISTS");
    }
    let odd = [
        "\u{430}na@example.com",
        "an\u{251}@example.com",
        "an\u{200b}a@example.com",
        "\u{202e}ana@example.com",
        "ana@exam\u{ad}ple.com",
        "ana@exam\u{200d}ple.com",
    ];
    for email in odd {
        let refused = test.anyone().post(register, account(email)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["email"], "{email:?}");
    }
}

#[story::test]
async fn hostile_text_describes_a_webhook_to_the_letter_or_is_refused(test: &TestApp) {
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
}

#[story::test]
async fn hostile_text_is_looked_for_like_any_other(shop: Shop) {
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
}
