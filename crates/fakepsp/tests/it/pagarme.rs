//! Pagar.me's API v5, over TLS without a client certificate.

use aws_lc_rs::rsa::PublicKeyComponents;
use aws_lc_rs::signature::RSA_PKCS1_2048_8192_SHA256;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fakepsp::settings::{Settings, Signature};
use serde_json::{Value, json};

use crate::harness::{Answer, Bank, Request};
use crate::receiver::Receiver;

const GOOD: &str = "4000000000000010";

fn card(number: &str, cvv: &str) -> Value {
    json!({
        "number": number, "holder_name": "Ana Souza", "exp_month": 12, "exp_year": 2030, "cvv": cvv,
    })
}

async fn tokenize(bank: &Bank, number: &str, cvv: &str) -> Answer {
    let request = Request::new("POST", "/core/v5/tokens?appId=pk_test");
    bank.tls(request.json(&json!({ "type": "card", "card": card(number, cvv) }))).await.unwrap()
}

async fn token(bank: &Bank, number: &str) -> String {
    let answer = tokenize(bank, number, "123").await;
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn order(code: &str, card: &Value) -> Value {
    let mut credit_card = json!({ "installments": 3, "operation_type": "auth_and_capture" });
    let fields = credit_card.as_object_mut().unwrap();
    fields.extend(card.as_object().unwrap().clone());
    json!({
        "code": code,
        "closed": true,
        "items": [{ "amount": 5_000, "description": "Curso", "quantity": 2, "code": "c1" }],
        "customer": {
            "name": "Ana Souza", "email": "ana@example.com", "document": "52998224725",
            "type": "individual",
        },
        "payments": [{ "payment_method": "credit_card", "credit_card": credit_card }],
    })
}

async fn send(bank: &Bank, method: &str, path: &str, key: &str, body: Value) -> Answer {
    let request = Request::new(method, &format!("/core/v5{path}")).basic("sk_test", "");
    let request = if key.is_empty() { request } else { request.header("Idempotency-key", key) };
    let request = if body.is_null() { request } else { request.json(&body) };
    bank.tls(request).await.unwrap()
}

async fn buy(bank: &Bank, number: &str) -> Value {
    let card = json!({ "card_token": token(bank, number).await });
    let answer = send(bank, "POST", "/orders", "", order("o1", &card)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn read(bank: &Bank, path: &str) -> Value {
    send(bank, "GET", path, "", Value::Null).await.json()
}

#[tokio::test]
async fn a_card_is_charged_and_owed_in_installments() {
    let bank = Bank::start().await;

    let bought = buy(&bank, GOOD).await;

    assert_eq!((&bought["status"], &bought["amount"]), (&json!("paid"), &json!(10_000)));
    let charge = &bought["charges"][0];
    assert_eq!((&charge["status"], &charge["paid_amount"]), (&json!("paid"), &json!(10_000)));
    let last = &charge["last_transaction"];
    assert_eq!((&last["status"], &last["success"]), (&json!("captured"), &json!(true)));
    assert_eq!(last["acquirer_return_code"], "00");
    assert_eq!(last["card"]["last_four_digits"], "0010");
    let id = charge["id"].as_str().unwrap();
    let payables = read(&bank, &format!("/payables?charge_id={id}")).await;
    let parts = payables["data"].as_array().unwrap();
    let sum = |field: &str| parts.iter().map(|it| it[field].as_i64().unwrap()).sum::<i64>();
    assert_eq!((parts.len(), sum("amount"), sum("fee")), (3, 10_000, 350));
    assert_eq!(parts[0]["payment_date"], "2026-12-23T15:00:00Z");
}

#[tokio::test]
async fn a_declined_card_is_an_answer_of_200_with_a_failed_charge() {
    let bank = Bank::start().await;
    for (number, cvv, code) in [
        ("4000000000000028", "123", "51"),
        ("4000000000000002", "123", "05"),
        ("4000000000000069", "123", "54"),
        (GOOD, "612", "51"),
    ] {
        let token = tokenize(&bank, number, cvv).await.json()["id"].clone();
        let answer =
            send(&bank, "POST", "/orders", "", order("o", &json!({ "card_token": token })));
        let answer = answer.await;

        assert_eq!(answer.status, 200);
        let charge = answer.json()["charges"][0].clone();
        let last = &charge["last_transaction"];
        assert_eq!((&charge["status"], &charge["paid_amount"]), (&json!("failed"), &json!(0)));
        assert_eq!((&last["status"], &last["success"]), (&json!("not_authorized"), &json!(false)));
        assert_eq!(last["acquirer_return_code"], code, "{number} {cvv}");
    }
    let mut fraud = order("o", &json!({ "card_token": token(&bank, GOOD).await }));
    fraud["customer"]["document"] = json!("11111111111");
    let answer = send(&bank, "POST", "/orders", "", fraud).await.json();
    assert_eq!(answer["status"], "failed");
    let verdict = &answer["charges"][0]["last_transaction"]["antifraud_response"]["status"];
    assert_eq!(verdict, "reproved");
}

#[tokio::test]
async fn a_token_is_looked_at_often_used_once_and_dead_after_a_minute() {
    let bank = Bank::start().await;
    let answer = tokenize(&bank, GOOD, "123").await;
    let made = answer.json();
    let id = made["id"].as_str().unwrap();
    let look = || bank.tls(Request::new("GET", &format!("/core/v5/tokens/{id}?appId=pk_test")));

    assert!(!answer.text.contains(GOOD));
    assert_eq!(made["card"]["brand"], "Visa");
    assert_eq!(made["expires_at"], "2026-11-23T15:01:00Z");
    assert_eq!([look().await.unwrap().status, look().await.unwrap().status], [200, 200]);
    let card = json!({ "card_token": id });
    assert_eq!(send(&bank, "POST", "/orders", "", order("a", &card)).await.status, 200);
    assert_eq!(look().await.unwrap().status, 404);
    assert_eq!(send(&bank, "POST", "/orders", "", order("b", &card)).await.status, 422);
    let late = token(&bank, GOOD).await;
    bank.admin("/__clock", json!({ "advance_seconds": 60 })).await;
    let late = order("c", &json!({ "card_token": late }));
    assert_eq!(send(&bank, "POST", "/orders", "", late).await.status, 422);
    assert_eq!(tokenize(&bank, "4000000000000011", "123").await.status, 422);
}

#[tokio::test]
async fn the_same_key_gets_the_same_answer_for_a_day() {
    let bank = Bank::start().await;
    let body = order("o1", &json!({ "card": card(GOOD, "123") }));
    let place = |key: &'static str| send(&bank, "POST", "/orders", key, body.clone());

    let (first, same, other) = (place("k").await, place("k").await, place("K").await);
    bank.admin("/__clock", json!({ "advance_seconds": 86_400 })).await;
    let later = place("k").await;

    assert_eq!(first.text, same.text);
    let ids = [&first, &other, &later].map(|answer| answer.json()["id"].clone());
    assert!(ids[0] != ids[1] && ids[0] != ids[2]);
    let found = read(&bank, "/orders?code=o1").await;
    assert_eq!(found["data"].as_array().unwrap().len(), 3);
    let invalid = send(&bank, "POST", "/orders", "bad", json!({})).await;
    assert_eq!(invalid.status, 422);
    let stored = send(&bank, "POST", "/orders", "bad", body.clone()).await;
    assert_eq!((stored.status, stored.text), (422, invalid.text));
}

#[tokio::test]
async fn a_charge_is_given_back_in_part_and_then_wholly() {
    let bank = Bank::start().await;
    let bought = buy(&bank, GOOD).await;
    let id = bought["charges"][0]["id"].as_str().unwrap();
    let path = format!("/charges/{id}");
    let cancel = |key: &'static str, body: Value| send(&bank, "DELETE", &path, key, body);

    let part = json!({ "amount": 3_000, "operation_reference": "r1" });
    let part = cancel("r1", part).await.json();
    assert_eq!((&part["status"], &part["canceled_amount"]), (&json!("paid"), &json!(3_000)));
    assert_eq!(part["last_transaction"]["status"], "partial_refunded");
    let much = cancel("r2", json!({ "amount": 7_001 })).await;
    let rest = cancel("r3", Value::Null).await.json();
    let more = cancel("r4", Value::Null).await;

    assert_eq!((much.status, more.status), (412, 412));
    assert_eq!((&rest["status"], &rest["canceled_amount"]), (&json!("canceled"), &json!(10_000)));
    assert_eq!(read(&bank, &path).await["last_transaction"]["status"], "refunded");
    let payables = read(&bank, "/payables?type=refund").await;
    let amounts = payables["data"].as_array().unwrap().iter().map(|it| it["amount"].clone());
    assert_eq!(amounts.collect::<Vec<_>>(), [-3_000, -7_000]);
}

#[tokio::test]
async fn an_authorization_is_captured_or_voided() {
    let bank = Bank::start().await;
    let mut body = order("o1", &json!({ "card": card(GOOD, "123") }));
    body["payments"][0]["credit_card"]["operation_type"] = json!("auth_only");
    let place = || send(&bank, "POST", "/orders", "", body.clone());
    let id = |answer: Answer| answer.json()["charges"][0]["id"].as_str().unwrap().to_owned();
    let (first, second) = (id(place().await), id(place().await));

    let open = read(&bank, &format!("/charges/{first}")).await;
    let captured = send(&bank, "POST", &format!("/charges/{first}/capture"), "", json!({})).await;
    let voided = send(&bank, "DELETE", &format!("/charges/{second}"), "", Value::Null).await;

    assert_eq!(open["last_transaction"]["status"], "authorized_pending_capture");
    assert_eq!(captured.json()["status"], "paid");
    assert_eq!(voided.json()["last_transaction"]["status"], "voided");
}

#[tokio::test]
async fn a_charge_in_process_ends_when_the_test_says_so() {
    let bank = Bank::start().await;
    for (number, status) in [("4000000000000036", "paid"), ("4000000000000044", "failed")] {
        let bought = buy(&bank, number).await;
        let charge = &bought["charges"][0];
        assert_eq!(
            (&bought["status"], &charge["status"]),
            (&json!("pending"), &json!("processing"))
        );
        assert_eq!(charge["last_transaction"]["status"], "with_error");
        let id = charge["id"].as_str().unwrap();

        bank.admin("/__pay", json!({ "dialect": "pagarme", "charge": id })).await;

        assert_eq!(read(&bank, &format!("/charges/{id}")).await["status"], status);
    }
}

#[tokio::test]
async fn a_charge_that_the_antifraud_holds_ends_when_the_test_says_so() {
    let bank = Bank::set(Settings { pagarme_analyzes: true, ..Settings::default() }).await;
    for (by, status, verdict) in
        [("approved", "paid", "approved"), ("reproved", "failed", "reproved")]
    {
        let bought = buy(&bank, GOOD).await;
        let charge = &bought["charges"][0];
        let last = &charge["last_transaction"];
        assert_eq!((&charge["status"], &last["status"]), (&json!("pending"), &json!("analyzing")));
        assert_eq!(last["antifraud_response"]["status"], "pending");
        let id = charge["id"].as_str().unwrap();

        bank.admin("/__pay", json!({ "dialect": "pagarme", "charge": id, "by": by })).await;

        let ended = read(&bank, &format!("/charges/{id}")).await;
        let response = &ended["last_transaction"]["antifraud_response"]["status"];
        assert_eq!((&ended["status"], response), (&json!(status), &json!(verdict)));
    }
}

#[tokio::test]
async fn a_card_is_kept_for_a_customer_and_charged_by_its_id() {
    let bank = Bank::start().await;
    let person = json!({ "name": "Ana Souza", "email": "ana@example.com" });
    let customer = send(&bank, "POST", "/customers", "", person).await.json();
    let path = format!("/customers/{}/cards", customer["id"].as_str().unwrap());
    let token = token(&bank, GOOD).await;
    let kept = send(&bank, "POST", &path, "", json!({ "token": token })).await.json();

    let id = &kept["id"];
    assert_eq!(read(&bank, &path).await["data"][0]["id"], *id);
    let mut body = order("o1", &json!({ "card_id": id }));
    body["customer_id"] = customer["id"].clone();
    let bought = send(&bank, "POST", "/orders", "", body.clone()).await.json();
    assert_eq!(bought["status"], "paid");
    let one = format!("{path}/{}", id.as_str().unwrap());
    assert_eq!(send(&bank, "DELETE", &one, "", Value::Null).await.status, 200);
    assert_eq!(send(&bank, "POST", "/orders", "", body).await.status, 404);
    assert_eq!(read(&bank, &path).await["data"], json!([]));
}

#[tokio::test]
async fn a_chargeback_takes_the_money_and_a_won_one_gives_it_again() {
    let bank = Bank::start().await;
    let bought = buy(&bank, GOOD).await;
    let id = bought["charges"][0]["id"].clone();
    let path = format!("/charges/{}", id.as_str().unwrap());

    bank.admin("/__chargeback", json!({ "charge": id })).await;
    assert_eq!(read(&bank, &path).await["status"], "chargedback");
    bank.admin("/__chargeback", json!({ "charge": id, "outcome": "won" })).await;

    assert_eq!(read(&bank, &path).await["status"], "paid");
    let kinds = ["chargeback", "chargeback_refund"];
    for (kind, amount) in kinds.iter().zip([-10_000, 10_000]) {
        let payables = read(&bank, &format!("/payables?type={kind}")).await;
        assert_eq!(payables["data"][0]["amount"], amount);
    }
}

#[tokio::test]
async fn notices_are_signed_where_the_account_signs_them() {
    let receiver = Receiver::start(&[200]).await;
    let bank = Bank::set(Settings {
        pagarme_webhook: Some(receiver.url()),
        pagarme_signature: Signature::Good,
        ..Settings::default()
    })
    .await;

    buy(&bank, GOOD).await;
    bank.fake.settle().await;

    let posted = receiver.posted();
    let kinds: Vec<Value> = posted.iter().map(|it| it.json()["type"].clone()).collect();
    assert_eq!(kinds, ["order.paid", "charge.paid"]);
    assert!(posted[1].json()["id"].as_str().unwrap().starts_with("hook_"));
    let keys = bank.tls(Request::new("GET", "/.well-known/jwks.json")).await.unwrap().json();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let part = |name: &str| decode(keys["keys"][0][name].as_str().unwrap());
    let public = PublicKeyComponents { n: part("n"), e: part("e") };
    let mut verdicts = Vec::new();
    bank.admin("/__settings", json!({ "pagarme_signature": "wrong" })).await;
    bank.admin("/__notify", json!({ "again": 1, "settle": true })).await;
    for posted in receiver.posted() {
        let name = "x-webhook-asymmetric-signature: alg=RS256; kid=fakepsp-1; signature=";
        let signature = posted.head.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let algorithm = &RSA_PKCS1_2048_8192_SHA256;
        let verified = public.verify(algorithm, posted.body.as_bytes(), &decode(signature));
        verdicts.push(verified.is_ok());
    }
    assert_eq!(verdicts, [true, true, false]);
}

#[tokio::test]
async fn a_secret_key_is_demanded_and_an_order_is_checked() {
    let bank = Bank::start().await;
    let status = |request: Request| async { bank.tls(request).await.unwrap().status };
    let list = || Request::new("GET", "/core/v5/orders");

    assert_eq!(status(list()).await, 401);
    assert_eq!(status(list().basic("pk_test", "")).await, 401);
    assert_eq!(status(list().basic("sk_test", "")).await, 200);
    let card = json!({ "card": card(GOOD, "123") });
    for pointer in ["/items", "/customer", "/payments"] {
        let mut body = order("o1", &card);
        body.as_object_mut().unwrap().remove(&pointer[1..]);
        let answer = send(&bank, "POST", "/orders", "", body).await;
        let field = format!("order.{}", &pointer[1..]);
        assert_eq!(answer.status, 422, "{pointer}");
        assert!(answer.json()["errors"][&field].is_array(), "{}", answer.text);
    }
    assert_eq!(send(&bank, "GET", "/charges/ch_unknown", "", Value::Null).await.status, 404);
}
