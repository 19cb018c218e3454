//! Card numbers, however they are spelled and wherever they are put; and ids, which are none.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::subscriptions::{by_card, plan, read};

/// The numbers that brands publish for tests, as people and programs write them.
const SPELLINGS: [&str; 26] = [
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242-4242-4242-4242",
    "4242.4242.4242.4242",
    "4242/4242/4242/4242",
    "4242_4242_4242_4242",
    "4242,4242,4242,4242",
    "4242, 4242, 4242, 4242",
    "4242 - 4242 - 4242 - 4242",
    "(4242)(4242)(4242)(4242)",
    "4-2-4-2-4-2-4-2-4-2-4-2-4-2-4-2",
    "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2",
    "pago com 5555:5555:5555:4444, obrigado",
    "3782 822463 10005",
    "4222222222222",
    "4242\r\n4242\r\n4242\r\n4242",
    "4242\t4242\t4242\t4242",
    "4242\u{a0}4242\u{a0}4242\u{a0}4242",
    "4242\u{2003}4242\u{2003}4242\u{2003}4242",
    "4242\u{2013}4242\u{2013}4242\u{2013}4242",
    "4242\u{200b}4242\u{200b}4242\u{200b}4242",
    "４２４２ ４２４２ ４２４２ ４２４２",
    "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢",
    "४२४२ ४२४२ 4242 ٤٢٤٢",
    "④②④② 𝟒𝟐𝟒𝟐 𝟜𝟚𝟜𝟚 ⁴²⁴²",
    "nº4242424242424242",
];
const REFUSED: &str = "CARD_DATA_NOT_ACCEPTED";
const LINKS: &str = "/api/v1/payment-links";
const HOOKS: &str = "/api/v1/webhooks/subscriptions";

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn buyer() -> Value {
    json!({ "name": "Fulano de Tal", "email": "fulano@example.com" })
}

/// Eight places in JSON, each with the field that its refusal names.
async fn try_in_json(test: &TestApp, shop: &Shop, link: &Value, spelling: &str) {
    let slug = link["slug"].as_str().expect("has one");
    let checkout = format!("/api/payment-links/public/slug/{slug}/checkout");
    let address = format!("https://example.com/obrigado?pedido={}", encoded(spelling));
    let charge = json!({ "amountCents": 100, "method": "PIX", "customer": buyer() });
    let with = |more: Value| merged(charge.clone(), &more);
    let transactions = "/api/v1/transactions";
    let name = json!({ "customer": merged(buyer(), &json!({ "name": spelling })) });
    let table: [(&str, Value, &[&str]); 8] = [
        ("/api/v1/products", json!({ "name": spelling, "price": 100 }), &["name"]),
        (transactions, with(json!({ "metadata": { "nota": spelling } })), &["metadata.nota"]),
        (transactions, with(json!({ "metadata": { spelling: "nota" } })), &["metadata"]),
        (transactions, with(json!({ "outro": ["", [spelling]] })), &["outro[1][0]"]),
        (transactions, with(json!({ "cardToken": spelling })), &["cardToken"]),
        (&checkout, merged(json!({ "method": "PIX" }), &name), &["customer.name"]),
        (
            LINKS,
            json!({ "title": "a", "amountCents": 1, "redirectUrl": address }),
            &["redirectUrl"],
        ),
        (HOOKS, json!({ "url": address, "events": ["*"] }), &["url"]),
    ];
    for (path, body, fields) in table {
        // A token is a card's number only if it is nothing else.
        let whole = spelling.chars().all(|c| !c.is_alphabetic());
        if fields == ["cardToken"] && !whole {
            continue;
        }
        let client = if path == checkout { test.anyone() } else { shop.key.clone() };
        let refused = client.post(path, body).await;
        assert_eq!(refused.expect_refusal(400, REFUSED), fields, "{spelling:?} at {path}");
        assert!(!refused.text.contains(spelling), "{spelling:?} at {path}: {}", refused.text);
    }
}

/// Three places in forms: shown again, hidden, and of a form that was never looked at.
async fn try_in_forms(test: &TestApp, link: &Value, own: &str, spelling: &str) {
    let form = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let good = [("name", "Fulano de Tal"), ("email", "fulano@example.com")];
    let named = [("name", spelling), ("email", "fulano@example.com")];
    let shown = test.anyone().submit(&form, &named).await;
    assert_eq!(shown.status, 422, "{spelling:?}: {}", shown.text);
    assert!(!shown.text.contains(spelling), "{spelling:?}");
    let hidden = [&good[..], &[("attempt", spelling)]].concat();
    let refused = test.anyone().submit(&form, &hidden).await;
    assert_eq!(refused.expect_refusal(400, REFUSED), ["attempt"], "{spelling:?}");
    let reason = [("when", "now"), ("reason", spelling)];
    let refused = test.anyone().submit(&format!("{own}/cancel"), &reason).await;
    assert_eq!(refused.expect_refusal(400, REFUSED), ["reason"], "{spelling:?}");
}

/// Two places in headers, which hold ASCII alone.
async fn try_in_headers(shop: &Shop, spelling: &str) {
    if !spelling.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return;
    }
    let product = json!({ "name": "Caneca", "price": 100 });
    let keyed = shop.key.with("idempotency-key", spelling);
    let refused = keyed.post("/api/v1/products", product).await;
    assert_eq!(refused.expect_refusal(400, REFUSED), ["Idempotency-Key"], "{spelling:?}");
    assert!(!refused.text.contains(spelling), "{spelling:?}: {}", refused.text);
    let named = shop.key.with("x-request-id", spelling).get("/api/v1/products").await;
    named.expect(200);
    assert_ne!(named.header("x-request-id"), Some(spelling));
}

#[story::test]
async fn a_card_number_is_refused_in_every_spelling_at_every_place(test: &TestApp, shop: Shop) {
    let (link, plan) = (shop.link(100).await, plan(&shop, json!({})).await);
    let subscribed = by_card(test, &plan, Scenario::Approves).await;
    let token = subscribed["manageToken"].as_str().expect("is text");
    let before = shop.key.get("/api/v1/transactions").await.expect(200)["pagination"].clone();
    for spelling in SPELLINGS {
        try_in_json(test, &shop, &link, spelling).await;
        try_in_forms(test, &link, &format!("/subscription/{token}"), spelling).await;
        try_in_headers(&shop, spelling).await;
    }
    for (list, count) in [("/api/v1/products", 0), (LINKS, 1), (HOOKS, 0)] {
        assert_eq!(shop.key.total(list).await, count, "{list}");
    }
    let after = shop.key.get("/api/v1/transactions").await.expect(200)["pagination"].clone();
    assert_eq!(after, before);
    assert_eq!(read(&shop, &subscribed["subscription"]).await["status"], "ACTIVE");
}

/// The next of a repeatable sequence of numbers that look like chance.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Ids as other programs make them: `uuid4().hex`, `ObjectId`, SHA-1, SHA-256.
fn ids_of_programs(count: usize) -> Vec<String> {
    let mut state = 7;
    let hexes = (0..count).map(|number| {
        let text = [(); 4].map(|()| format!("{:016x}", next(&mut state))).concat();
        match number % 4 {
            0 => format!("{}4{}a{}", &text[..12], &text[13..16], &text[17..32]),
            1 => text[..24].to_owned(),
            2 => text[..40].to_owned(),
            _ => text,
        }
    });
    hexes.collect()
}

#[story::test]
async fn no_id_of_letters_and_digits_is_taken_for_a_card(shop: Shop) {
    let ids = ids_of_programs(10_000);
    for some in ids.chunks(50) {
        let noted = some.iter().enumerate();
        let noted: serde_json::Map<_, _> =
            noted.map(|(number, id)| (format!("n{number}"), json!(id))).collect();
        let fields = json!({ "amountCents": 100, "externalId": some[0], "metadata": noted });
        let made = shop.try_charge(fields).await.expect(201);
        assert_eq!(made["transaction"]["externalId"], some[0].as_str());
    }
    for some in ids.iter().step_by(100) {
        let keyed = shop.key.with("idempotency-key", some);
        keyed.post("/api/v1/products", json!({ "name": some, "price": 1 })).await.expect(201);
    }
}

#[story::test]
async fn a_telephone_before_an_at_sign_is_no_card(test: &TestApp) {
    let (shop, email) = (test.shop("Loja").await, "5511987654309@example.com");
    let account = json!({ "name": "Ana", "email": email, "password": "a long password here" });
    test.anyone().post("/api/auth/register", account.clone()).await.expect(201);
    test.anyone().post("/api/auth/login", account).await.expect(200);
    let link = shop.link(100).await;
    let form = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let typed = [("name", "Ana"), ("email", email), ("document", "529.982.247-25")];
    assert_eq!(test.anyone().submit(&form, &typed).await.status, 303);
    shop.client(json!({ "email": email })).await;
    let customer = json!({ "name": "Ana", "email": email });
    shop.try_charge(json!({ "amountCents": 100, "customer": customer })).await.expect(201);
}

#[story::test]
async fn what_only_looks_like_a_card_number_is_taken(shop: Shop) {
    // The digits of each have a card's length and check digit; none begins as a card's do.
    let texts = [
        "Tamanhos 10, 20, 30, 40, 50, 60, 71",
        "CNPJ 11.222.363/0001-98",
        "Desde 2026-11-21 12:30:40",
        "pedido-a4242424242424242",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let fields = json!({ "name": format!("Caneca {number}"), "description": text });
        assert_eq!(shop.product(fields).await["description"], text);
    }
    let address = "https://example.com/obrigado?t=1732345678905";
    let link = shop.link_with(json!({ "amountCents": 1, "redirectUrl": address })).await;
    assert_eq!(link["redirectUrl"], address);
    assert!(!id(&link).is_empty());
}
