//! The checkout as JSON: what buyers may see, pay and follow without a key.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path, merged};

const HOUR: Duration = Duration::from_hours(1);

fn public(link: &Value) -> String {
    format!("/api/payment-links/public/slug/{}", link["slug"].as_str().expect("has one"))
}

fn checkout(link: &Value) -> String {
    format!("{}/checkout", public(link))
}

/// What a buyer sends.
fn buyer() -> Value {
    json!({
        "method": "PIX",
        "customer": {
            "name": "Fulano de Tal", "email": "fulano@example.com",
            "document": "529.982.247-25",
        },
    })
}

/// A buyer who gives more details, or other ones.
fn customer(more: &Value) -> Value {
    let known = buyer()["customer"].clone();
    json!({ "method": "PIX", "customer": merged(known, more) })
}

fn follow(bought: &Value) -> String {
    let token = bought["statusToken"].as_str().expect("has one");
    format!("/api/transactions/public/{}?token={token}", id(&bought["transaction"]))
}

#[story::test]
async fn a_buyer_sees_what_they_need_and_no_more(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let product = shop.product(json!({
        "name": "Curso", "description": "Em vídeo.", "isDigital": true, "price": 4_000,
        "imageUrl": "https://example.com/a.png", "stockEnabled": true, "stockQuantity": 7,
    }));
    let items = json!([{ "productId": id(&product.await), "quantity": 2 }]);
    let link = shop.link_with(json!({
        "title": "Pacote", "description": "Dois.", "productDescription": "Aulas.",
        "products": items, "redirectUrl": "https://example.com/ok",
        "expiresAt": "2026-11-21T13:00:00Z", "metaPixelCode": "1234567890",
        "settings": { "requirePhone": true, "boletoEnabled": false },
    }));
    let link = link.await;
    let shown = test.anyone().get(&public(&link)).await.expect(200);
    let expected = json!({
        "message": "Payment link.",
        "paymentLink": {
            "slug": link["slug"], "title": "Pacote", "description": "Dois.",
            "productDescription": "Aulas.", "amount": null, "totalCents": 8_000,
            "currency": "BRL", "available": true, "methods": ["PIX", "CREDIT_CARD"],
            "products": [{
                "name": "Curso", "description": "Em vídeo.", "isDigital": true,
                "imageUrl": "https://example.com/a.png", "unitPrice": 4_000, "quantity": 2,
            }],
            "settings": {
                "maxInstallments": 1, "interestFreeInstallments": 1, "interestRate": 0,
                "requirePhone": true, "requireAddress": false,
            },
            "expiresAt": "2026-11-21T13:00:00.000Z",
            "redirectUrl": "https://example.com/ok",
            "merchant": { "name": "Loja Azul" }, "devMode": true,
        },
    });
    assert_eq!(shown, expected);
}

#[story::test]
async fn a_link_that_takes_no_payment_says_why_with_its_title(test: &TestApp, shop: Shop) {
    let inactive = shop.link_with(json!({ "amountCents": 100, "status": "INACTIVE" })).await;
    let soon = "2026-11-21T12:00:01Z";
    let expired = shop.link_with(json!({ "amountCents": 100, "expiresAt": soon })).await;
    let deleted = shop.link(100).await;
    shop.key.delete(&link_path(&deleted)).await.expect(200);
    test.pass(Duration::from_secs(1));
    let unknown = json!({ "slug": "123456789ABC" });
    let table = [
        (&inactive, 410, "PAYMENT_LINK_INACTIVE", true),
        (&expired, 410, "PAYMENT_LINK_EXPIRED", true),
        (&deleted, 404, "NOT_FOUND", false),
        (&unknown, 404, "NOT_FOUND", false),
    ];
    for (link, status, code, titled) in table {
        let options = format!("{}/installments", public(link));
        for reply in [
            test.anyone().get(&public(link)).await,
            test.anyone().get(&options).await,
            test.anyone().post(&checkout(link), buyer()).await,
        ] {
            reply.expect_refusal(status, code);
            let message = reply.json()["message"].as_str().expect("has one").to_owned();
            assert_eq!(message.contains("Caneca"), titled, "{message}");
        }
    }
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
}

#[story::test]
async fn installments_are_offered_as_the_settings_say(test: &TestApp, shop: Shop) {
    let option = |count: i64, one: i64, first: i64, total: i64, interest: i64| {
        json!({
            "installments": count, "installmentAmount": one, "firstInstallmentAmount": first,
            "total": total, "interestAmount": interest, "interestFree": interest == 0,
        })
    };
    let free = json!({ "maxInstallments": 3, "interestFreeInstallments": 3 });
    let dear = json!({ "maxInstallments": 2, "interestRate": 2.99 });
    let many = json!({ "maxInstallments": 12, "interestFreeInstallments": 12 });
    let no_card = merged(free.clone(), &json!({ "creditCardEnabled": false }));
    let once = |cents: i64| option(1, cents, cents, cents, 0);
    let table = [
        (json!({}), 10_000, vec![once(10_000)]),
        (
            free,
            10_000,
            vec![
                once(10_000),
                option(2, 5_000, 5_000, 10_000, 0),
                option(3, 3_333, 3_334, 10_000, 0),
            ],
        ),
        // 10,000 × 0.0299 ÷ (1 − 1.0299⁻²) = 5,225.35…, so twice 5,225.
        (dear, 10_000, vec![once(10_000), option(2, 5_225, 5_225, 10_450, 450)]),
        // No installment is under five reais.
        (many, 1_499, vec![once(1_499), option(2, 749, 750, 1_499, 0)]),
        (no_card, 10_000, vec![]),
    ];
    for (settings, cents, options) in table {
        let fields = json!({ "amountCents": cents, "settings": settings });
        let link = shop.link_with(fields).await;
        let path = format!("{}/installments", public(&link));
        let shown = test.anyone().get(&path).await.expect(200);
        let expected = json!({ "amount": cents, "discount": 0, "options": options });
        assert_eq!(shown, expected, "{settings}");
    }
}

#[story::test]
async fn a_buyer_pays_and_follows_their_payment(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let body = merged(buyer(), &json!({ "metadata": { "cor": "azul" } }));
    let bought = test.anyone().post(&checkout(&link), body).await.expect(201);
    assert_eq!(bought["message"], "Transaction created.");
    let charge = shop.transaction(&bought["transaction"]).await;
    assert_eq!(charge["metadata"], json!({ "cor": "azul" }));
    assert_eq!((&charge["amount"], &charge["paymentLinkId"]), (&json!(4_990), &link["id"]));
    let token = bought["statusToken"].as_str().expect("has one");
    let url = charge["paymentUrl"].as_str().expect("has one");
    assert!(url.ends_with(&format!("?token={token}")), "{url}");

    let pix = ["brCode", "qrCodeBase64"].map(|field| (field, charge["pix"][field].clone()));
    let mut expected = json!({
        "id": charge["id"], "status": "PENDING", "method": "PIX", "amount": 4_990,
        "paidAmount": null, "refundedAmount": 0, "currency": "BRL", "items": [],
        "pix": Map::from_iter(pix.map(|(field, value)| (field.to_owned(), value))),
        "paidLate": false, "paymentUrl": url, "receiptUrl": null, "devMode": true,
        "createdAt": "2026-11-21T12:00:00.000Z", "expiresAt": "2026-11-21T13:00:00.000Z",
        "paidAt": null, "boleto": null, "card": null, "discountAmount": 0,
        "interestAmount": 0, "installments": 1, "couponCode": null, "declineCode": null,
    });
    assert_eq!(bought["transaction"], expected);
    expected["pix"]["qrCodeBase64"] = Value::Null;
    let followed = async || {
        let followed = test.anyone().get(&follow(&bought)).await.expect(200);
        followed["transaction"].clone()
    };
    assert_eq!(followed().await, expected);
    test.pass(HOUR);
    expected = merged(expected, &json!({ "status": "EXPIRED", "pix": null }));
    assert_eq!(followed().await, expected);
    shop.pay(&charge).await;
    let late = json!({
        "status": "PAID", "paidLate": true, "paidAt": "2026-11-21T13:00:00.000Z",
        "paidAmount": 4_990, "receiptUrl": url.replace("?token=", "/receipt?token="),
    });
    assert_eq!(followed().await, merged(expected, &late));
}

#[story::test]
async fn a_payment_is_followed_with_its_own_token_alone(test: &TestApp, shop: Shop) {
    let link = shop.link(100).await;
    let mine = test.anyone().post(&checkout(&link), buyer()).await.expect(201);
    let other = test.anyone().post(&checkout(&link), buyer()).await.expect(201);
    let own = follow(&mine);
    let (path, token) = own.split_once("?token=").expect("has a token");
    let others = other["statusToken"].as_str().expect("has one");
    let unknown = path.replace(id(&mine["transaction"]), "00000000-0000-7000-8000-000000000001");
    for wrong in [
        format!("{path}?token={others}"),
        format!("{path}?token={}", token.to_lowercase()),
        format!("{path}?token="),
        format!("{unknown}?token={token}"),
        format!("/api/transactions/public/x?token={token}"),
    ] {
        test.anyone().get(&wrong).await.expect_refusal(404, "NOT_FOUND");
    }
    let without = test.anyone().get(path).await;
    assert_eq!(without.expect_refusal(400, "VALIDATION_ERROR"), ["token"]);
    test.anyone().get(&own).await.expect(200);
}

#[story::test]
async fn a_buyers_key_stands_for_one_payment(test: &TestApp, shop: Shop) {
    let (link, second) = (shop.link(100).await, shop.link(200).await);
    let anyone = test.anyone().with("idempotency-key", "one");
    let path = checkout(&link);
    let answers = join_all((0..8).map(|_| anyone.post(&path, buyer()))).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (201, &answers[0].text));
    }
    let fresh = answers.iter().filter(|a| a.header("idempotency-replayed").is_none());
    assert_eq!(fresh.count(), 1);
    let other = customer(&json!({ "name": "Sicrano" }));
    anyone.post(&path, other).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    anyone.post(&checkout(&second), buyer()).await.expect(201);
    assert_eq!(shop.key.total("/api/v1/transactions").await, 2);
    let stranger = test.shop("Outra").await;
    anyone.post(&checkout(&stranger.link(300).await), buyer()).await.expect(201);
}

#[story::test]
async fn a_bad_field_is_named_and_nothing_is_issued(test: &TestApp, shop: Shop) {
    let path = checkout(&shop.link(100).await);
    let nested = json!({ "metadata": { "a": { "b": 1 } } });
    let table = [
        (customer(&json!({ "name": "" })), "customer.name"),
        (customer(&json!({ "name": 1 })), "customer.name"),
        (customer(&json!({ "email": "fulano" })), "customer.email"),
        (customer(&json!({ "phone": "12" })), "customer.phone"),
        (json!({ "method": "PIX", "customer": { "name": "Fulano" } }), "customer.email"),
        (json!({ "method": "PIX" }), "customer"),
        (json!({ "customer": buyer()["customer"] }), "method"),
        (merged(buyer(), &json!({ "method": "CASH" })), "method"),
        (merged(buyer(), &nested), "metadata"),
        (merged(buyer(), &json!({ "metadata": { "a": "b".repeat(501) } })), "metadata"),
        (merged(buyer(), &json!({ "metadata": [] })), "metadata"),
    ];
    for (body, field) in table {
        let refused = test.anyone().post(&path, body.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{body}");
    }
    let document = customer(&json!({ "document": "529.982.247-26" }));
    let refused = test.anyone().post(&path, document).await;
    assert_eq!(refused.expect_refusal(400, "INVALID_DOCUMENT"), ["customer.document"]);
    let worst = customer(&json!({ "name": "", "email": "x", "document": "1" }));
    let refused = test.anyone().post(&path, merged(worst, &nested)).await;
    let all = ["customer.name", "customer.email", "customer.document", "metadata"];
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), all);
    let long = customer(&json!({ "name": "a".repeat(16 * 1024) }));
    test.anyone().post(&path, long).await.expect_refusal(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
}

#[story::test(|settings| settings.pix_fee_cents = 80)]
async fn a_buyer_is_shown_what_they_buy_and_nothing_of_the_merchants(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": "Xícara", "price": 1_250 })).await;
    let items = json!([{ "productId": id(&product), "quantity": 2 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    let bought = test.anyone().post(&checkout(&link), buyer()).await.expect(201);
    let bought_item = json!({ "name": "Xícara", "quantity": 2, "unitPrice": 1_250 });
    assert_eq!(bought["transaction"]["items"], json!([bought_item]));
    let noted = json!({
        "amountCents": 100, "externalId": "pedido-1", "metadata": { "margem": 30 },
    });
    let charge = shop.charge_with(noted).await;
    shop.pay(&charge).await;
    let url = charge["paymentUrl"].as_str().expect("has one");
    let token = url.split_once("?token=").expect("has a token").1;
    let path = format!("/api/transactions/public/{}?token={token}", id(&charge));
    for seen in [bought, test.anyone().get(&path).await.expect(200)] {
        let shown = seen.to_string();
        for own in ["fee", "net", "pedido", "margem", "affiliate", "customer", "fulano"] {
            assert!(!shown.contains(own), "{own}: {shown}");
        }
    }
}

#[story::test]
async fn a_link_may_require_a_telephone_and_an_address(test: &TestApp, shop: Shop) {
    let settings = json!({ "requirePhone": true, "requireAddress": true });
    let link = shop.link_with(json!({ "amountCents": 100, "settings": settings })).await;
    let path = checkout(&link);
    let address = json!({
        "postalCode": "01310-100", "street": "Avenida Paulista", "number": "1000",
        "district": "Bela Vista", "city": "São Paulo", "state": "SP",
    });
    let known = json!({ "phone": "+55 11 91234-5678", "address": address });
    let with = |field: &str, value: &str| {
        let address = merged(address.clone(), &json!({ field: value }));
        merged(known.clone(), &json!({ "address": address }))
    };
    let nothing_of_it = [
        "customer.address.postalCode",
        "customer.address.state",
        "customer.address.street",
        "customer.address.number",
        "customer.address.district",
        "customer.address.city",
    ];
    let table: [(Value, &[&str]); 8] = [
        (json!({}), &["customer.phone", "customer.address"]),
        (json!({ "address": address }), &["customer.phone"]),
        (json!({ "phone": "+55 11 91234-5678" }), &["customer.address"]),
        (merged(known.clone(), &json!({ "phone": " " })), &["customer.phone"]),
        (merged(known.clone(), &json!({ "address": {} })), &nothing_of_it),
        (with("postalCode", "0131-100"), &["customer.address.postalCode"]),
        (with("state", "São Paulo"), &["customer.address.state"]),
        (with("complement", &"a".repeat(101)), &["customer.address.complement"]),
    ];
    for (more, fields) in table {
        let refused = test.anyone().post(&path, customer(&more)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), fields, "{more}");
    }
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
    test.anyone().post(&path, customer(&known)).await.expect(201);
}

#[story::test]
async fn what_cannot_be_sold_now_is_refused_and_the_link_stays(test: &TestApp, shop: Shop) {
    let stock = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 0 });
    let sold_out = shop.link_with(stock).await;
    let product = shop.product(json!({})).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let inactive = shop.link_with(json!({ "products": items })).await;
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let fields = json!({ "amountCents": 100, "settings": { "pixEnabled": false } });
    let no_pix = shop.link_with(fields).await;
    let table = [
        (&sold_out, 409, "OUT_OF_STOCK"),
        (&inactive, 409, "PRODUCT_INACTIVE"),
        (&no_pix, 400, "PAYMENT_METHOD_DISABLED"),
    ];
    for (link, status, code) in table {
        test.anyone().post(&checkout(link), buyer()).await.expect_refusal(status, code);
        let shown = test.anyone().get(&public(link)).await.expect(200);
        assert_eq!(shown["paymentLink"]["slug"], link["slug"]);
        // What one method does not take another may.
        assert_eq!(shown["paymentLink"]["available"], code == "PAYMENT_METHOD_DISABLED");
        assert_eq!(shop.read_link(link).await["status"], "ACTIVE");
    }
    let shown = test.anyone().get(&public(&inactive)).await.expect(200);
    assert_eq!(shown["paymentLink"]["totalCents"], Value::Null);
    let options = format!("{}/installments", public(&inactive));
    test.anyone().get(&options).await.expect_refusal(409, "PRODUCT_INACTIVE");
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
}

#[story::test]
async fn of_sixty_four_buyers_without_a_key_exactly_one_gets_the_last_one(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let stock = json!({ "amountCents": 100, "stockEnabled": true, "stockQuantity": 1 });
    let path = checkout(&shop.link_with(stock).await);
    let anyone = test.anyone();
    let answers = join_all((0..64).map(|_| anyone.post(&path, buyer()))).await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!((won.len(), lost.len()), (1, 63));
    for answer in lost {
        answer.expect_refusal(409, "OUT_OF_STOCK");
    }
}

#[story::test]
async fn a_stream_reports_the_payment_and_ends(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let bought = test.anyone().post(&checkout(&link), buyer()).await.expect(201);
    let charge = &bought["transaction"];
    let url = charge["paymentUrl"].as_str().expect("has one");
    let page = url.strip_prefix("https://pay.example.com").expect("is ours");
    let receipt = page.replace("?token=", "/receipt?token=");
    let path = page.replace("?token=", "/events?token=");
    let mut stream = test.anyone().listen(&path).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    assert_eq!(stream.headers["cache-control"], "no-cache");
    let reported = |status: &str| {
        let data = json!({ "status": status, "next": receipt });
        Some(("status".to_owned(), data))
    };
    assert_eq!(stream.next().await, reported("PENDING"));
    shop.charge(100).await;
    shop.pay(charge).await;
    assert_eq!(stream.next().await, reported("PAID"));
    assert_eq!(stream.next().await, None);

    let mut afterwards = test.anyone().listen(&path).await;
    assert_eq!(afterwards.next().await, reported("PAID"));
    assert_eq!(afterwards.next().await, None);
}

#[story::test]
async fn a_stream_reports_the_expiry_and_a_later_payment(test: &TestApp, shop: Shop) {
    let charge = shop.charge(100).await;
    let url = charge["paymentUrl"].as_str().expect("has one");
    let page = url.strip_prefix("https://pay.example.com").expect("is ours");
    let path = page.replace("?token=", "/events?token=");
    let mut stream = test.anyone().listen(&path).await;
    let mut statuses = Vec::new();
    statuses.push(stream.next().await.expect("is there").1["status"].clone());
    test.run_jobs_after(HOUR).await;
    statuses.push(stream.next().await.expect("is there").1["status"].clone());
    shop.pay(&charge).await;
    statuses.push(stream.next().await.expect("is there").1["status"].clone());
    assert_eq!(statuses, ["PENDING", "EXPIRED", "PAID"]);
}

#[story::test]
async fn a_network_follows_twenty_payments_at_most_and_no_other_one_waits(
    test: &TestApp,
    shop: Shop,
) {
    let charge = shop.charge(100).await;
    let url = charge["paymentUrl"].as_str().expect("has one");
    let page = url.strip_prefix("https://pay.example.com").expect("is ours");
    let path = page.replace("?token=", "/events?token=");
    let from = |address: &str| test.anyone().from(address);
    let mut streams = Vec::new();
    for host in 0..20 {
        streams.push(from(&format!("2001:db8::{host:x}")).listen(&path).await);
    }
    let refused = from("2001:db8::ffff").get(&path).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("5")));
    from("2001:db8:0:1::1").listen(&path).await;
    from("192.0.2.1").listen(&path).await;
    streams.pop();
    from("2001:db8::ffff").listen(&path).await;
}
