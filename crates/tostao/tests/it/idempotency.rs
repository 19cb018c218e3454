//! One key, one effect, one answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use db::database::Dialect;
use db::hex::hex;
use db::tx::Tx;
use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tostao::app::App;
use tostao::idempotency::{BeginOutcome, IdempotencyKey, IdempotentOperation, Outcome};
use tostao::openapi::docs::operations;
use tostao::platform::error::{Error, Result};
use tostao::platform::http::reply::{Message, Ok200};
use tostao::platform::ids::{MerchantId, Mode, Scope};
use tostao::routes;
use uuid::Uuid;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::crashes::{breaks_off, calm_down};
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::subscriptions::plan;

const MINUTE: Duration = Duration::from_mins(1);

/// An operation that does not end: its provider does not answer or, where it asks none, it cannot
/// finish what it has started, such as a charge that a card has paid.
#[derive(Clone, Default)]
struct Unfinished {
    provider: Option<Unanswering>,
}

impl IdempotentOperation for Unfinished {
    type Read = ();
    type Prepared = ();
    type Started = ();
    type Output = ();

    fn merchant(&self) -> MerchantId {
        MerchantId(Uuid::nil())
    }

    async fn read(&self, _: &Tx) -> Result<()> {
        Ok(())
    }

    async fn prepare(&self, app: &App, (): ()) -> Result<()> {
        match &self.provider {
            Some(provider) => provider.ask(app).await,
            None => Ok(()),
        }
    }

    async fn begin(&self, _: &Tx, (): &()) -> Result<BeginOutcome<(), ()>> {
        Ok(BeginOutcome::Started(Uuid::nil(), ()))
    }

    async fn finish(&self, _: &App, (): ()) -> Result<Outcome<()>> {
        Err(Error::Unavailable("the database is closing".to_owned()))
    }

    async fn resume(&self, _: &App, _: Uuid) -> Result<Option<Outcome<()>>> {
        Ok(None)
    }
}

/// A provider that does not answer, and how many ask it at the same time.
#[derive(Clone, Default)]
struct Unanswering {
    asking: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Unanswering {
    async fn ask(&self, app: &App) -> Result<()> {
        let asking = self.asking.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(asking, Ordering::SeqCst);
        // Longer than another request needs to find the key free.
        for _ in 0..5 {
            app.read(async |_: &Tx| Ok(())).await?;
        }
        self.asking.fetch_sub(1, Ordering::SeqCst);
        Err(Error::Unavailable("the provider does not answer".to_owned()))
    }
}

/// What such an operation would show.
fn done((): ()) -> Ok200<Message> {
    Ok200(Message { message: "done" })
}

fn body(cents: i64) -> Value {
    json!({
        "amountCents": cents, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com" },
    })
}

fn simulate_path(charge: &Value) -> String {
    format!("/api/v1/transactions/{}/simulate", id(charge))
}

#[story::test]
async fn what_fails_after_it_has_started_is_never_said_to_have_changed_nothing(test: &TestApp) {
    let interrupted = test.app.run_once(None, Unfinished::default(), done).await;
    assert!(matches!(interrupted, Err(Error::Unknown(_))), "{interrupted:?}");
}

#[story::test]
async fn where_the_first_of_identical_requests_has_no_response_the_others_ask_one_by_one(
    test: &TestApp,
) {
    let (scope, asked) = (Scope::platform(Mode::Development), Unanswering::default());
    let identical = (0..8).map(|_| {
        let key = IdempotencyKey::of_form(scope, "POST /", "attempt", "");
        test.app.run_once(key, Unfinished { provider: Some(asked.clone()) }, done)
    });
    for answer in join_all(identical).await {
        assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
    }
    assert_eq!(asked.most.load(Ordering::SeqCst), 1);
}

#[story::test]
async fn what_is_safe_to_repeat_is_not_done_beside_the_first_request_with_its_key(
    test: &TestApp,
    shop: Shop,
) {
    let key = shop.key.with("idempotency-key", "runs");
    let quote =
        async |cents: i64| key.post("/api/withdraws/quote", json!({ "amountCents": cents })).await;
    quote(1_000).await.expect(200);
    let runs = "update idempotency_keys
                   set status = null, body = null, subject_id = merchant_id
                 where key = 'runs'";
    Engine::open(test).await.rows(runs).await;
    quote(1_000).await.expect_refusal(409, "IDEMPOTENCY_KEY_IN_PROGRESS");
    quote(1_001).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
}

#[story::test]
async fn sixty_four_identical_requests_have_one_effect_and_one_response(shop: Shop) {
    let key = shop.key.with("idempotency-key", "race");
    let answers = all_at_once(&key, "/api/v1/transactions", &body(1_000), 201).await;
    let fresh = answers.iter().filter(|a| a.header("idempotency-replayed").is_none());
    assert_eq!(fresh.count(), 1);
    assert_eq!(shop.key.total("/api/v1/transactions").await, 1);
    assert_eq!(shop.events().await, ["transaction.created"]);
}

#[story::test]
async fn a_key_stands_for_one_body_whatever_the_order_of_its_fields(shop: Shop) {
    let key = shop.key.with("idempotency-key", "one");
    let first = key.post("/api/v1/transactions", body(1_000)).await;
    first.expect(201);
    let turned = "{\"method\":\"PIX\",\"customer\":{\"email\":\"ana@example.com\",\
                  \"name\":\"Ana\"},\"amountCents\":1000}";
    let kind = Some("application/json");
    let path = "/api/v1/transactions";
    let again = key.send(http::Method::POST, path, kind, turned.to_owned()).await;
    again.expect_replay_of(&first, 201);
    let other = key.post("/api/v1/transactions", body(1_001)).await;
    other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(shop.key.total("/api/v1/transactions").await, 1);
}

#[story::test]
async fn a_key_belongs_to_its_merchant_mode_and_route(shop: Shop, other: Shop) {
    let keyed = |shop: &Shop| shop.key.with("idempotency-key", "same");
    let first = keyed(&shop).post("/api/v1/transactions", body(1_000)).await.expect(201);
    let second = keyed(&other).post("/api/v1/transactions", body(2_000)).await.expect(201);
    assert_ne!(id(&first["transaction"]), id(&second["transaction"]));
    let link = json!({ "title": "Caneca", "amountCents": 100 });
    keyed(&shop).post("/api/v1/payment-links", link).await.expect(201);
}

#[story::test]
async fn a_final_refusal_is_given_again_and_a_bad_request_is_not(shop: Shop) {
    let key = shop.key.with("idempotency-key", "paused");
    let link = shop.link(1_000).await;
    let path = format!("/api/v1/payment-links/{}", id(&link));
    shop.key.patch(&path, json!({ "status": "INACTIVE" })).await.expect(200);
    let mut charge = body(1_000);
    charge["amountCents"] = Value::Null;
    charge["paymentLinkId"] = link["id"].clone();
    let first = key.post("/api/v1/transactions", charge.clone()).await;
    first.expect_refusal(410, "PAYMENT_LINK_INACTIVE");
    shop.key.patch(&path, json!({ "status": "ACTIVE" })).await.expect(200);
    let again = key.post("/api/v1/transactions", charge).await;
    again.expect_replay_of(&first, 410);

    let key = shop.key.with("idempotency-key", "mended");
    key.post("/api/v1/transactions", body(0)).await.expect_refusal(400, "VALIDATION_ERROR");
    key.post("/api/v1/transactions", body(1_000)).await.expect(201);
}

#[story::test]
async fn an_answer_is_kept_seven_days_where_money_moves(test: &TestApp, shop: Shop) {
    let key = shop.key.with("idempotency-key", "week");
    let first = key.post("/api/v1/transactions", body(1_000)).await;
    test.pass(std::time::Duration::from_secs(7 * 86_400 - 1));
    let again = key.post("/api/v1/transactions", body(1_000)).await;
    assert_eq!(again.text, first.text);
    test.pass(std::time::Duration::from_secs(1));
    let new = key.post("/api/v1/transactions", body(1_000)).await.expect(201);
    assert_ne!(new, first.json());
}

#[story::test]
async fn a_key_must_be_printable_short_and_sent_once(shop: Shop) {
    for bad in ["", " ", &"x".repeat(256)] {
        let key = shop.key.with("idempotency-key", bad);
        let refused = key.post("/api/v1/transactions", body(1_000)).await;
        refused.expect_refusal(400, "INVALID_IDEMPOTENCY_KEY");
    }
    for second in ["one", "two"] {
        let key = shop.key.with("idempotency-key", "one").also("idempotency-key", second);
        let refused = key.post("/api/v1/transactions", body(1_000)).await;
        refused.expect_refusal(400, "INVALID_IDEMPOTENCY_KEY");
    }
    assert_eq!(shop.key.total("/api/v1/transactions").await, 0);
}

#[story::test]
async fn a_repeated_simulation_pays_once_and_a_repeated_advance_goes_once(shop: Shop) {
    let charge = shop.charge(1_000).await;
    let key = shop.key.with("idempotency-key", "again");
    let pay = simulate_path(&charge);
    let first = key.post(&pay, json!({ "outcome": "PAID" })).await;
    let again = key.post(&pay, json!({ "outcome": "PAID" })).await;
    again.expect_replay_of(&first, 200);
    assert_eq!(shop.steps(&charge).await, ["CREATED", "PAID"]);

    let step = json!({ "seconds": 60 });
    let first = key.post("/api/dev/clock/advance", step.clone()).await;
    let again = key.post("/api/dev/clock/advance", step).await;
    again.expect_replay_of(&first, 200);
    let clock = shop.key.get("/api/dev/clock").await.expect(200);
    assert_eq!(clock["data"]["aheadSeconds"], 60);
}

#[story::test]
async fn sixty_four_identical_simulated_payments_pay_once_now_or_later(test: &TestApp, shop: Shop) {
    let boleto = shop.boleto(1_000).await;
    let table = [
        (shop.charge(1_000).await, json!({ "outcome": "PAID" })),
        (boleto, json!({ "outcome": "PAID" })),
        (shop.charge(1_000).await, json!({ "outcome": "PAID", "delaySeconds": 60 })),
    ];
    for (charge, reported) in table {
        let key = shop.key.with("idempotency-key", id(&charge));
        all_at_once(&key, &simulate_path(&charge), &reported, 200).await;
        test.run_jobs_after(MINUTE).await;
        assert_eq!(shop.transaction(&charge).await["status"], "PAID", "{reported}");
        assert_eq!(shop.steps(&charge).await, ["CREATED", "PAID"], "{reported}");
    }
}

#[story::test]
async fn a_simulated_payment_whose_request_broke_off_is_sent_again_and_pays_once(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let mut number = 0;
    loop {
        let charge = shop.charge(1_000).await;
        let key = shop.key.with("idempotency-key", id(&charge));
        let path = simulate_path(&charge);
        let pay = || key.post(&path, json!({ "outcome": "PAID" }));
        let broke_off = breaks_off(pay(), number).await;
        calm_down(test).await;
        test.pass(MINUTE);
        let again = pay().await.expect(200);
        assert_eq!(again["transaction"]["status"], "PAID", "broken off at {number}");
        assert_eq!(shop.steps(&charge).await, ["CREATED", "PAID"], "broken off at {number}");
        if !broke_off {
            break assert!(number > 0, "it never waits");
        }
        number += 1;
    }
}

#[test]
fn every_post_of_a_merchant_takes_a_key() {
    let document = routes::document();
    let described = operations(&document);
    let merchants = routes::routes().into_iter().filter(|route| {
        // A session is not replayed: a caller who lost the response signs in again.
        let session = route.path.starts_with("/api/auth/");
        // A person's own secrets are shown once, and to no other member of the account.
        let secret = route.path.starts_with("/api/two-factor");
        // A name has one listener and a series one answer, however often a request is sent.
        let listener = route.path.starts_with("/api/dev/listeners");
        // They store nothing.
        let check = ["/verify", "/diagnose"].iter().any(|end| route.path.ends_with(end));
        let takes_none = session || secret || listener || check;
        route.method == Method::POST && route.needs.is_some() && !takes_none
    });
    let mut asked = 0;
    for route in merchants {
        let found = described.iter().find(|(path, m, _)| *path == route.path && *m == "post");
        let (_, _, operation) = found.expect("is described");
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        assert!(parameters.any(|p| p["name"] == "Idempotency-Key"), "{}", route.path);
        asked += 1;
    }
    assert!(asked > 10, "{asked}");
}

#[story::test]
async fn a_repeated_request_shows_the_secret_again_and_it_is_stored_sealed(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
    let key = json!({
        "name": "loja", "environment": "development", "permissions": ["products:read"],
    });
    let hooks = "/api/webhooks/subscriptions";
    let first = repeat(&shop.key, hooks, &hook, 201).await["data"].clone();
    let second = repeat(&shop.key, "/api/v1/webhooks/subscriptions", &hook, 201).await;
    let rotate = format!("{hooks}/{}/rotate-secret", id(&first));
    let third = repeat(&shop.key, &rotate, &json!({}), 200).await["data"].clone();
    let made = repeat(&shop.owner, "/api/credentials", &key, 201).await["data"].clone();
    let rotate = format!("/api/credentials/{}/rotate", id(&made));
    let grace = json!({ "gracePeriodSeconds": 60 });
    let rotated = repeat(&shop.owner, &rotate, &grace, 200).await["data"].clone();

    assert_eq!(shop.key.total(hooks).await, 2);
    let keys = shop.owner.get("/api/credentials").await.expect(200);
    assert_eq!(keys["data"].as_array().map(Vec::len), Some(2), "the shop's own and this one");
    for credential in [&made, &rotated] {
        let key = credential["key"].as_str().expect("is shown");
        let client = test.anyone().with("api-key", key);
        client.get("/api/v1/products").await.expect(200);
    }
    let kept = kept_answers(test).await;
    assert_eq!(kept.len(), 5);
    let hooks = [&first, &second["subscription"], &third].map(|hook| &hook["secret"]);
    let keys = [&made, &rotated].map(|credential| &credential["key"]);
    for secret in hooks.into_iter().chain(keys) {
        let secret = secret.as_str().expect("is shown");
        let plain = hex(secret.as_bytes());
        assert!(kept.iter().all(|answer| !answer.contains(&plain)), "{secret}");
    }
}

/// What sends the QR code of a payment to pay: the caller, the route, and the body.
async fn senders(test: &TestApp, shop: &Shop) -> Vec<(Client, String, Value)> {
    let device = test.anyone().with("x-device-id", "device-of-one-buyer");
    let link = shop.link(1_000).await;
    let link = link["slug"].as_str().expect("has one");
    let plan = plan(shop, json!({})).await;
    let customer = json!({ "name": "Ana", "email": "ana@example.com" });
    // Metadata may look like the place of the picture, and stay what they are.
    let metadata = json!({ "pix": null, "qrCodeBase64": null });
    let charge = merged(body(1_000), &json!({ "metadata": metadata }));
    let checkout = json!({ "method": "PIX", "customer": customer });
    let signup = json!({ "planId": id(&plan), "paymentMethod": "PIX", "customer": customer });
    let paid = simulate_path(&shop.charge(1_000).await);
    let later = json!({ "outcome": "PAID", "delaySeconds": 60 });
    vec![
        (shop.key.clone(), "/api/v1/transactions".to_owned(), charge),
        (shop.key.clone(), paid, later),
        (device.clone(), format!("/api/payment-links/public/slug/{link}/checkout"), checkout),
        (device, "/api/subscriptions/checkout".to_owned(), signup),
    ]
}

/// The QR code of the payment in an answer.
fn picture(answer: &Value) -> &Value {
    let payment = answer.get("data").unwrap_or(answer);
    &payment["transaction"]["pix"]["qrCodeBase64"]
}

#[story::test]
async fn a_stored_answer_holds_no_picture_and_a_repetition_draws_the_same(test: &TestApp) {
    let shop = test.shop("Loja").await;
    for (number, (client, path, body)) in senders(test, &shop).await.into_iter().enumerate() {
        let client = client.with("idempotency-key", "picture");
        let first = client.post(&path, body.clone()).await;
        let again = client.post(&path, body.clone()).await;
        again.expect_replay_of(&first, first.status);
        let answer = first.json();
        let drawn = picture(&answer).as_str().expect("is drawn");
        assert!(drawn.starts_with("iVBOR"), "{path}: {drawn}");
        assert_eq!(first.text.matches(drawn).count(), 1, "{path}");

        let kept = kept_answers(test).await;
        assert_eq!(kept.len(), number + 1);
        assert!(kept.iter().all(|answer| !answer.contains(&hex(drawn.as_bytes()))), "{path}");
        // What is sealed cannot be searched, but weighed.
        let bytes = kept.iter().map(|answer| answer.len() / 2).max();
        assert!(bytes < Some(2_500), "{path}: {bytes:?}");

        let none = client.post(&format!("{path}?qrCode=none"), body).await;
        assert_eq!(picture(&none.json()), &Value::Null, "{path}");
        assert_eq!(none.text, first.text.replace(&format!("\"{drawn}\""), "null"), "{path}");
    }
}

#[story::test]
async fn a_caller_who_draws_the_code_is_sent_no_picture(test: &TestApp, shop: Shop) {
    for (client, path, body) in senders(test, &shop).await {
        let wrong = client.post(&format!("{path}?qrCode=svg"), body.clone()).await;
        assert_eq!(wrong.expect_refusal(400, "VALIDATION_ERROR"), ["qrCode"], "{path}");
        let none = client.post(&format!("{path}?qrCode=none"), body).await;
        assert!(none.text.contains("\"qrCodeBase64\":null"), "{path}: {}", none.text);
        assert!(none.text.contains("\"brCode\":\""), "{path}: {}", none.text);
    }
    let charge = shop.charge(1_000).await;
    let path = format!("/api/v1/transactions/{}", id(&charge));
    for (query, shown) in [("", true), ("?qrCode=png", true), ("?qrCode=none", false)] {
        let read = shop.key.get(&format!("{path}{query}")).await.expect(200);
        let pix = if shown { &charge["pix"]["qrCodeBase64"] } else { &Value::Null };
        assert_eq!(picture(&read), pix, "{query}");
    }
    let wrong = shop.key.get(&format!("{path}?qrCode=")).await;
    assert_eq!(wrong.expect_refusal(400, "VALIDATION_ERROR"), ["qrCode"]);
}

/// Sends one request 64 times at the same time; all get one answer.
async fn all_at_once(key: &Client, path: &str, body: &Value, status: u16) -> Vec<Reply> {
    let answers = join_all((0..64).map(|_| key.post(path, body.clone()))).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (status, &answers[0].text));
    }
    answers
}

/// Sends one request twice under one key; answers what both got.
async fn repeat(client: &Client, path: &str, body: &Value, status: u16) -> Value {
    let client = client.with("idempotency-key", "secret");
    let first = client.post(path, body.clone()).await;
    let again = client.post(path, body.clone()).await;
    assert_eq!(first.header("idempotency-replayed"), None);
    again.expect_replay_of(&first, status);
    first.expect(status)
}

/// Every answer that the database keeps, byte for byte, as hexadecimal digits.
async fn kept_answers(test: &TestApp) -> Vec<String> {
    let engine = Engine::open(test).await;
    let rows = engine.rows(match engine.dialect() {
        Dialect::Sqlite => {
            "select lower(coalesce(hex(body), '') || coalesce(hex(sealed_body), ''))
               from idempotency_keys
              where status is not null"
        }
        Dialect::Postgres => {
            "select coalesce(encode(convert_to(body, 'UTF8'), 'hex'), '')
                    || coalesce(encode(sealed_body, 'hex'), '')
               from idempotency_keys
              where status is not null"
        }
    });
    let kept: Vec<String> = rows.await.concat();
    assert!(kept.iter().all(|answer| !answer.is_empty()));
    kept
}
