//! Card data never comes in, whichever door it is brought to.

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, link_path, merged, product_path};

/// The number that card brands publish for tests.
fn number() -> String {
    "4242".repeat(4)
}

fn buyer() -> Value {
    json!({ "name": "Fulano de Tal", "email": "fulano@example.com" })
}

#[story::test]
async fn a_body_with_card_data_is_refused_at_every_door_and_nothing_is_kept(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (link, product) = (shop.link(100).await, shop.product(json!({})).await);
    let slug = link["slug"].as_str().expect("has one");
    let checkout = format!("/api/payment-links/public/slug/{slug}/checkout");
    let (anyone, key, owner) = (test.anyone(), &shop.key, &shop.owner);
    let pay = json!({ "method": "PIX", "customer": buyer() });
    let charge = merged(pay.clone(), &json!({ "amountCents": 100 }));
    let number = number();
    let noted = json!({ "metadata": { "note": number } });
    let key_noted = json!({ "metadata": { number.clone(): "note" } });
    let card = json!({ "card": { "number": number, "cvv": "123" } });
    let named = json!({ "customer": merged(buyer(), &json!({ "name": number })) });
    let answers = [
        anyone.post(&checkout, merged(pay.clone(), &noted)).await,
        anyone.post(&checkout, merged(pay.clone(), &key_noted)).await,
        anyone.post(&checkout, merged(pay.clone(), &card)).await,
        anyone.post(&checkout, merged(pay, &named)).await,
        key.post("/api/v1/transactions", merged(charge.clone(), &noted)).await,
        key.post("/api/v1/transactions", merged(charge, &json!({ "cvc": 123 }))).await,
        key.post("/api/v1/products", json!({ "name": number, "price": 100 })).await,
        key.patch(&product_path(&product), json!({ "description": number })).await,
        key.post("/api/v1/payment-links", json!({ "title": number, "amountCents": 1 })).await,
        key.patch(&link_path(&link), json!({ "title": number })).await,
        owner.post("/api/credentials", json!({ "name": number })).await,
        anyone.post("/api/auth/register", merged(buyer(), &json!({ "name": number }))).await,
    ];
    let fields: [&[&str]; 12] = [
        &["metadata.note"],
        &["metadata"],
        &["card.cvv"],
        &["customer.name"],
        &["metadata.note"],
        &["cvc"],
        &["name"],
        &["description"],
        &["title"],
        &["title"],
        &["name"],
        &["name"],
    ];
    for (answer, fields) in answers.iter().zip(fields) {
        assert_eq!(answer.expect_refusal(400, "CARD_DATA_NOT_ACCEPTED"), fields);
        assert!(!answer.text.contains(&number), "{}", answer.text);
    }
    for (list, count) in [("transactions", 0), ("products", 1), ("payment-links", 1)] {
        assert_eq!(key.total(&format!("/api/v1/{list}")).await, count, "{list}");
    }
    assert_eq!(shop.read_product(&product).await["description"], Value::Null);
    assert_eq!(shop.read_link(&link).await["title"], "Caneca");
}

#[story::test]
async fn a_body_that_cannot_be_looked_at_whole_is_refused_and_nothing_is_kept(shop: Shop) {
    let path = "/api/v1/payment-links";
    let body = |title: &str, more: &[u8]| {
        let start = format!("{{\"title\":\"{title}\",\"amountCents\":100,\"more\":");
        [start.as_bytes(), more, b"}"].concat()
    };
    let unreadable: [&[u8]; 7] = [
        b"1e999",
        b"-1e999",
        b"[{\"deep\":1e999}]",
        br#""\ud800""#,
        br#""\udc00\ud800""#,
        b"\"\xff\"",
        b"{\"deep\":\"\xc3\"}",
    ];
    for more in unreadable {
        for title in ["4242 4242 4242 4242", "Caneca"] {
            let key = shop.key.with("idempotency-key", "one");
            let refused = key.post_bytes(path, body(title, more)).await;
            refused.expect_refusal(400, "INVALID_JSON");
        }
    }
    assert_eq!(shop.key.get(path).await.expect(200)["pagination"]["total"], 0);
    // No refused body has taken the key.
    let key = shop.key.with("idempotency-key", "one");
    key.post_bytes(path, body("Caneca", b"1e99")).await.expect(201);
}

#[story::test]
async fn numbers_that_look_like_a_cards_are_taken_where_they_belong(shop: Shop) {
    // Both have a card's length and a card's check digit.
    let (telephone, company) = ("+55 11 91234-5676", "11.222.363/0001-98");
    let customer = merged(buyer(), &json!({ "phone": telephone, "document": company }));
    let line = "00190.50095 40144.816069 06809.350314 3 37370000000100";
    let noted = json!({
        "slip": line, "order": "7d9f0c1e-7c1e-7d7a-4242-424242424242",
    });
    let fields = json!({ "amountCents": 100, "customer": customer, "metadata": noted });
    let made = shop.try_charge(fields).await.expect(201);
    assert_eq!(made["transaction"]["metadata"], noted);
    let kept = shop.transaction(&made["transaction"]).await;
    assert_eq!(kept["metadata"], noted);
    let client = shop.read_client(&kept["customer"]).await;
    assert_eq!(
        (&client["phone"], &client["document"]),
        (&json!("+5511912345676"), &json!("11222363000198"))
    );
}
