//! Efí's API Cobranças, over TLS without a client certificate.

use serde_json::{Value, json};

use crate::harness::{Answer, Bank, Request};
use crate::receiver::Receiver;

async fn send(bank: &Bank, method: &str, path: &str, body: Value) -> Answer {
    let door = Request::new("POST", "/v1/authorize").basic("client", "secret");
    let door = door.json(&json!({ "grant_type": "client_credentials" }));
    let token = bank.tls(door).await.unwrap().json()["access_token"].clone();
    let request = Request::new(method, path).bearer(token.as_str().unwrap());
    let request = if body.is_null() { request } else { request.json(&body) };
    bank.tls(request).await.unwrap()
}

fn order(url: &str) -> Value {
    json!({
        "items": [{ "name": "Curso", "value": 5_990, "amount": 2 }],
        "metadata": { "custom_id": "ref-1", "notification_url": url },
        "payment": { "banking_billet": {
            "customer": { "name": "Ana Souza", "cpf": "52998224725" },
            "expire_at": "2026-12-10",
            "configurations": { "days_to_write_off": 5, "fine": 200, "interest": 33 },
            "message": "Obrigado",
        }},
    })
}

async fn create(bank: &Bank, url: &str) -> Value {
    let answer = send(bank, "POST", "/v1/charge/one-step", order(url)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

async fn status(bank: &Bank, id: &Value) -> Value {
    let read = send(bank, "GET", &format!("/v1/charge/{id}"), Value::Null).await;
    read.json()["data"]["status"].clone()
}

#[tokio::test]
async fn a_slip_comes_at_once_with_its_line_and_its_pix() {
    let bank = Bank::start().await;

    let slip = create(&bank, "http://127.0.0.1:1/").await;

    assert_eq!((&slip["status"], &slip["total"]), (&json!("waiting"), &json!(11_980)));
    let line: String =
        slip["barcode"].as_str().unwrap().chars().filter(char::is_ascii_digit).collect();
    assert_eq!((line.len(), &line[..4], &line[33..]), (47, "3649", "16560000011980"));
    assert!(slip["pix"]["qrcode"].as_str().unwrap().contains("BR.GOV.BCB.PIX"));
    let path = format!("/v1/charge/{}", slip["charge_id"]);
    let read = send(&bank, "GET", &path, Value::Null).await.json()["data"].clone();
    assert_eq!(read["custom_id"], "ref-1");
    assert_eq!(read["payment"]["banking_billet"]["configurations"]["days_to_write_off"], 5);
}

#[tokio::test]
async fn a_notice_is_a_token_that_stands_for_the_whole_history() {
    let bank = Bank::start().await;
    let receiver = Receiver::start(&[200]).await;
    let slip = create(&bank, &receiver.url()).await;

    let pay = json!({ "dialect": "cobrancas", "charge": "ref-1", "amount_cents": 11_979 });
    bank.admin("/__pay", pay).await;
    bank.fake.settle().await;

    let posted = receiver.posted();
    let bodies: Vec<&str> = posted.iter().map(|it| it.body.as_str()).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let token = bodies[0].strip_prefix("notification=").unwrap();
    let path = format!("/v1/notification/{token}");
    let history = send(&bank, "GET", &path, Value::Null).await.json()["data"].clone();
    let current: Vec<&Value> =
        history.as_array().unwrap().iter().map(|it| &it["status"]["current"]).collect();
    assert_eq!(current, ["new", "waiting", "paid"]);
    let last = &history[2];
    assert_eq!((&last["id"], &last["value"]), (&json!(3), &json!(11_979)));
    assert_eq!(last["received_by_bank_at"], "2026-11-23");
    assert_eq!(last["status"]["previous"], "waiting");
    assert_eq!(last["identifiers"]["charge_id"], slip["charge_id"]);
}

#[tokio::test]
async fn a_notice_is_repeated_until_it_was_asked_about() {
    let bank = Bank::start().await;
    let receiver = Receiver::start(&[200]).await;
    create(&bank, &receiver.url()).await;
    bank.fake.settle().await;
    let later = || async {
        bank.admin("/__clock", json!({ "advance_seconds": 600 })).await;
        bank.fake.settle().await;
        receiver.posted().len()
    };

    let repeated = later().await;
    let token = receiver.posted()[0].body.replace("notification=", "/v1/notification/");
    send(&bank, "GET", &token, Value::Null).await;
    let read = later().await;

    assert_eq!((repeated, read), (3, 3));
}

#[tokio::test]
async fn a_slip_is_found_by_our_id_in_a_window_and_by_the_day_it_was_paid() {
    let bank = Bank::start().await;
    let slip = create(&bank, "http://127.0.0.1:1/").await;
    let list = |more: &'static str| {
        let path = format!(
            "/v1/charges?charge_type=billet&begin_date=2026-11-23&end_date=2026-11-23{more}"
        );
        let bank = &bank;
        async move { send(bank, "GET", &path, Value::Null).await.json()["data"].clone() }
    };

    assert_eq!(list("&custom_id=ref-1").await[0]["id"], slip["charge_id"]);
    assert_eq!(list("&custom_id=ref-2").await, json!([]));
    assert_eq!(list("&date_of=payment").await, json!([]));
    bank.admin("/__pay", json!({ "dialect": "cobrancas", "charge": "ref-1" })).await;
    let paid = list("&date_of=payment").await;
    assert_eq!(paid[0]["payment"]["paid_value"], 11_980);
    let open = send(&bank, "GET", "/v1/charges?charge_type=billet", Value::Null).await;
    assert_eq!((open.status, &open.json()["error"]), (400, &json!("validation_error")));
}

#[tokio::test]
async fn a_cancelled_slip_can_still_be_paid_and_a_paid_one_not_cancelled() {
    let bank = Bank::start().await;
    let slip = create(&bank, "http://127.0.0.1:1/").await;
    let id = &slip["charge_id"];
    let path = format!("/v1/charge/{id}/cancel");
    let cancel = || send(&bank, "PUT", &path, Value::Null);

    assert_eq!(cancel().await.status, 200);
    assert_eq!(status(&bank, id).await, "canceled");
    bank.admin("/__pay", json!({ "dialect": "cobrancas", "charge": "ref-1" })).await;

    assert_eq!(status(&bank, id).await, "paid");
    assert_eq!(cancel().await.status, 400);
}

#[tokio::test]
async fn a_slip_that_breaks_a_rule_is_refused() {
    let bank = Bank::start().await;
    let billet = "/payment/banking_billet";
    for (pointer, value) in [
        ("/items".to_owned(), json!([])),
        ("/items/0/value".to_owned(), json!("59.90")),
        ("/items/0/value".to_owned(), json!(1)),
        (format!("{billet}/expire_at"), json!("2026-11-22")),
        (format!("{billet}/expire_at"), json!("10/12/2026")),
        (format!("{billet}/customer/cpf"), json!("52998224726")),
        (format!("{billet}/configurations/days_to_write_off"), json!(121)),
    ] {
        let mut body = order("http://127.0.0.1:1/");
        *body.pointer_mut(&pointer).unwrap() = value;
        let answer = send(&bank, "POST", "/v1/charge/one-step", body).await;
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!(3_500_034)), "{pointer}");
    }
}

#[tokio::test]
async fn a_slip_may_be_identified_settled_by_hand_and_paid_twice() {
    let bank = Bank::start().await;
    let slip = create(&bank, "http://127.0.0.1:1/").await;
    for by in ["identified", "settled", "expired", "contested"] {
        let pay = json!({ "dialect": "cobrancas", "charge": "ref-1", "by": by });
        bank.admin("/__pay", pay).await;
        assert_eq!(status(&bank, &slip["charge_id"]).await, by);
    }

    let twice = json!({ "dialect": "cobrancas", "charge": "ref-1", "times": 2 });
    bank.admin("/__pay", twice).await;

    assert_eq!(bank.get("/__state").await["cobrancas"][0]["payments"], 2);
}
