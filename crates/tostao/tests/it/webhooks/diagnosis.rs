//! Why deliveries to an endpoint fail.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use serde_json::{Value, json};
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, WebhookId};
use tostao::webhooks::deliveries::unaccepted::{self, Span};
use uuid::Uuid;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::Receiver;
use crate::harness::shop::id;
use crate::webhooks::signature::signs_message;
use crate::webhooks::{change, emit, latest_event, subscribe};

fn path(hook: &Value) -> String {
    format!("/api/v1/webhooks/subscriptions/{}/diagnose", id(hook))
}

/// A diagnosis' steps with what each found.
async fn diagnose(key: &Client, hook: &Value, how: Value) -> Value {
    let diagnosis = key.post(&path(hook), how).await.expect(200)["data"].clone();
    let steps = diagnosis["steps"].as_array().expect("is a list");
    let found = steps.iter().map(|step| {
        let name = step["step"].as_str().expect("has a name").to_owned();
        (name, json!([step["outcome"], step["code"]]))
    });
    found.chain([("all".to_owned(), diagnosis["outcome"].clone())]).collect()
}

#[story::test]
async fn a_good_receiver_has_nothing_to_mend_and_gets_a_sample_that_is_stored_nowhere(
    test: &TestApp,
) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let events = shop.key.total("/api/webhooks/events").await;
    let expected = json!({
        "state": ["ok", "ENABLED"], "address": ["ok", "ADDRESS_GOOD"], "dns": ["ok", "RESOLVED"],
        "connect": ["ok", "CONNECTED"], "tls": ["skipped", "SKIPPED"],
        "answer": ["ok", "ACCEPTED"], "again": ["ok", "REPETITION_ACCEPTED"],
        "unsigned": ["skipped", "SKIPPED"], "stale": ["skipped", "SKIPPED"],
        "history": ["ok", "NEVER_DELIVERED"], "all": "ok",
    });
    assert_eq!(diagnose(&shop.key, &hook, json!({})).await, expected);
    let sent = receiver.take();
    assert_eq!((sent.len(), &sent[0].body), (2, &sent[1].body));
    let secret = hook["secret"].as_str().expect("is shown");
    assert!(sent[0].json()["test"] == true && signs_message(secret, &sent[0]));
    assert_eq!(shop.key.total("/api/webhooks/events").await, events);
    let deliveries = format!("/api/webhooks/subscriptions/{}/deliveries", id(&hook));
    assert_eq!(shop.key.total(&deliveries).await, 0);
}

#[story::test]
async fn each_answer_of_a_receiver_is_explained(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let table = [
        (vec![302], "REDIRECTED"),
        (vec![401], "LOGIN_WANTED"),
        (vec![403], "LOGIN_WANTED"),
        (vec![404], "NOTHING_THERE"),
        (vec![405], "POST_NOT_ALLOWED"),
        (vec![415], "JSON_NOT_ACCEPTED"),
        (vec![400], "REFUSED"),
        (vec![500], "RECEIVER_FAILED"),
    ];
    for (answers, code) in table {
        receiver.answer(&answers);
        let found = diagnose(&shop.key, &hook, json!({})).await;
        assert_eq!((&found["answer"], &found["all"]), (&json!(["fail", code]), &json!("fail")));
        assert_eq!(found["again"], json!(["skipped", "SKIPPED"]), "{code}");
    }
    receiver.answer(&[200, 500]);
    let found = diagnose(&shop.key, &hook, json!({})).await;
    assert_eq!(found["again"], json!(["warn", "REPETITION_REFUSED"]));
    receiver.answer_with(301, "location", "https://www.example.com/hook");
    let diagnosis = shop.key.with("accept-language", "pt-BR").post(&path(&hook), json!({})).await;
    let answer = diagnosis.expect(200)["data"]["steps"][5].clone();
    let message = answer["message"].as_str().expect("is text");
    assert!(message.contains("redireciona para https://www.example.com/hook"), "{message}");
    assert_eq!(answer["remedy"], "Use esse endereço no webhook.");
}

#[story::test]
async fn what_was_looked_at_is_shown_and_why_a_step_was_skipped(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let url = format!("{}?token=abc", receiver.url);
    let hook = subscribe(&shop.key, &url, &["product.created"]).await;
    let key = shop.key.with("accept-language", "en");
    let steps = async |hook: &Value, how: Value| {
        let answer = key.post(&path(hook), how).await;
        let steps = answer.expect(200)["data"]["steps"].clone();
        (answer.text, steps)
    };
    let (answer, found) = steps(&hook, json!({})).await;
    assert_eq!(found[1]["detail"], format!("{}?…", receiver.url));
    // A local address is shown as little as any other that is not public.
    assert_eq!(found[2]["detail"], Value::Null);
    assert!(!answer.contains("abc"), "{answer}");
    assert_eq!(found[4]["message"], "Not tried: the address is http.");
    let asked = "Not tried: only with `probeRefusals` (`tostao diagnose --probe-refusals`).";
    assert_eq!(found[7]["message"], asked);
    receiver.answer(&[404]);
    let (_, found) = steps(&hook, json!({ "probeRefusals": true })).await;
    for step in [6, 7, 8] {
        assert_eq!(found[step]["message"], "Not tried: the sample was not accepted.");
    }
    let away = subscribe(&shop.key, "http://127.0.0.1:1/hook", &["*"]).await;
    let (_, found) = steps(&away, json!({})).await;
    assert_eq!(found[3]["message"], "Nothing listens on port 1 of this machine.");
    assert_eq!(found[3]["remedy"], "Start your program, or correct the port of the address.");
    assert_eq!(found[5]["message"], "Not tried: a step before it failed.");
}

#[story::test]
async fn a_receiver_that_accepts_forgeries_is_warned_if_the_owner_asks(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let how = json!({ "probeRefusals": true });
    let found = diagnose(&shop.key, &hook, how.clone()).await;
    assert_eq!(found["unsigned"], json!(["fail", "FORGERY_ACCEPTED"]));
    assert_eq!(found["stale"], json!(["fail", "OLD_ACCEPTED"]));
    let sent = receiver.take();
    let secret = hook["secret"].as_str().expect("is shown");
    let signed: Vec<_> = sent.iter().map(|one| signs_message(secret, one)).collect();
    assert_eq!(signed, [true, true, false, true]);
    let seconds = |place: usize| -> i64 {
        sent[place].header("webhook-timestamp").parse().expect("is a number")
    };
    assert_eq!(seconds(0) - seconds(3), 600);
    assert!(sent.iter().all(|one| one.json()["test"] == true));
    receiver.answer(&[200, 200, 401, 401]);
    let found = diagnose(&shop.key, &hook, how).await;
    assert_eq!(found["unsigned"], json!(["ok", "FORGERY_REFUSED"]));
    assert_eq!(found["stale"], json!(["ok", "FORGERY_REFUSED"]));
}

#[story::test]
async fn a_server_that_is_away_and_what_happened_before_are_named(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    test.pass(Duration::from_mins(1));
    receiver.answer(&[500, 500, 500]);
    for _ in 0..3 {
        emit(test, &shop).await;
    }
    let found = diagnose(&shop.key, &hook, json!({})).await;
    assert_eq!(found["history"], json!(["fail", "FAILS_SINCE"]));
    let gone = subscribe(&shop.key, "http://127.0.0.1:1/hook?api_key=x", &["*"]).await;
    let found = diagnose(&shop.key, &gone, json!({})).await;
    assert_eq!(found["address"], json!(["warn", "SECRET_IN_ADDRESS"]));
    assert_eq!(found["connect"], json!(["fail", "NOT_CONNECTED"]));
    assert_eq!(found["answer"], json!(["skipped", "SKIPPED"]));
    let off = json!({ "isActive": false });
    change(&shop.key, &hook, off).await;
    let found = diagnose(&shop.key, &hook, json!({})).await;
    assert_eq!((&found["state"], &found["all"]), (&json!(["fail", "DISABLED"]), &json!("fail")));
    let stranger = test.shop("Outra").await;
    stranger.key.post(&path(&gone), json!({})).await.expect_refusal(404, "NOT_FOUND");
    let lesser = shop.key_for("development", &["webhooks:read"]).await;
    lesser.post(&path(&gone), json!({})).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
}

#[story::test]
async fn what_was_attempted_counts_while_it_waits_to_be_sent_again(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    let good = latest_event(&shop.key).await;
    test.pass(Duration::from_mins(1));
    receiver.answer(&[500, 500, 500]);
    for _ in 0..3 {
        emit(test, &shop).await;
    }
    let owner = shop.owner.get("/api/auth/me").await.expect(200)["user"].clone();
    let [merchant, webhook] = [&owner, &hook].map(|of| id(of).parse().expect("is an id"));
    let (merchant, webhook) = (MerchantId(merchant), WebhookId(webhook));
    let again = test.app.transact(async move |tx: &Tx| {
        let scope = merchants::scope(tx, merchant, Mode::Development).await?;
        let (since, until) = (Timestamp::from_micros(0), scope.now(tx));
        let span = Span { after: Uuid::nil(), since, until };
        let mut sent = 0;
        for one in unaccepted::next(tx, scope, webhook, span, 10).await? {
            let name = one.name.text();
            sent += usize::from(unaccepted::send(tx, scope, webhook, &one, name).await?);
        }
        Ok(sent)
    });
    assert_eq!(again.await.expect("are sent"), 3);
    let redelivery = format!("/api/webhooks/events/{}/redeliver", id(&good));
    shop.key.post(&redelivery, json!({})).await.expect(200);
    let found = diagnose(&shop.key, &hook, json!({})).await;
    assert_eq!(found["history"], json!(["fail", "FAILS_SINCE"]));
}
