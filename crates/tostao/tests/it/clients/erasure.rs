//! What deleting a client leaves of them, and for how long.

use std::time::Duration;

use db::tx::Tx;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::platform::ids::{ClientId, Mode};
use tostao::transactions::terms::PaymentTerms;
use tostao::{erasure, merchants};
use uuid::Uuid;

use super::{CLIENTS, CPF, total};
use crate::carts::capture;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, client_path, id, merged};
use crate::subscriptions::{by_card_with, days, plan, read, subscribe};

pub const YEAR: Duration = Duration::from_hours(24 * 366);
/// What is looked for in every table.
pub const NAME: &str = "Eulália Quixaba";
pub const EMAIL: &str = "eulalia.quixaba@example.com";
const PHONE: &str = "11987654321";

pub fn customer() -> Value {
    json!({ "name": NAME, "email": EMAIL, "document": CPF, "phone": PHONE })
}

/// Issues a PIX under a key that names its buyer.
async fn charge(shop: &Shop, key: &str) -> Value {
    let once = shop.key.with("idempotency-key", key);
    let body = json!({ "method": "PIX", "amountCents": 1_000, "customer": customer() });
    once.post("/api/v1/transactions", body).await.expect(201)["transaction"].clone()
}

async fn delete(shop: &Shop, client: &Value) -> Value {
    shop.key.delete(&client_path(&json!({ "id": client }))).await.expect(200)
}

/// Every row of the tables that know buyers, as text.
pub async fn everything(test: &TestApp) -> String {
    let engine = Engine::open(test).await;
    let queries = [
        "select name || email || coalesce(document, '') || coalesce(phone, '') || search_text
           from clients",
        "select customer_name || customer_email || coalesce(customer_document, '')
                || coalesce(customer_phone, '') || coalesce(customer_address, '') || search_text
           from transactions",
        "select customer_name || customer_email || coalesce(customer_document, '')
                || coalesce(customer_phone, '') || identity || search_text
                || coalesce(cancel_comment, '')
           from subscriptions",
        "select coalesce(email, '') || coalesce(name, '') || coalesce(document, '') from carts",
        "select email || coalesce(document, '') from coupon_uses",
        "select key || coalesce(body, '') from idempotency_keys",
        "select data from events",
    ];
    let mut found = String::new();
    for query in queries {
        for row in engine.rows(query).await {
            found.push_str(&row.concat());
            found.push('\n');
        }
    }
    found
}

pub fn traces(text: &str) -> Vec<&'static str> {
    let signs = [NAME, "eulália", EMAIL, "eulalia", CPF, PHONE, "529."];
    signs.into_iter().filter(|sign| text.contains(sign)).collect()
}

#[story::test]
async fn nothing_is_kept_of_a_client_who_never_paid(test: &TestApp, shop: Shop) {
    let coupon = json!({ "code": "METADE", "discountType": "PERCENTAGE", "discountValue": 50 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let link = shop.link(2_000).await;
    let who = json!({ "clientName": NAME, "clientDocument": CPF, "clientPhone": PHONE });
    capture(test, &link, EMAIL, who).await.expect(201);
    test.run_jobs_after(Duration::from_mins(31)).await;
    let first = charge(&shop, &format!("order of {EMAIL}")).await;
    let with_address = merged(
        customer(),
        &json!({ "address": {
        "street": "Rua Eulália", "number": "1", "district": "Centro", "city": "São Paulo",
        "state": "SP", "postalCode": "01001000",
    } }),
    );
    let second = json!({
        "method": "PIX", "paymentLinkId": id(&link), "customer": with_address,
        "couponCode": "METADE",
    });
    let second = shop.charge_with(second).await;
    let plan = plan(&shop, json!({ "trialDays": 7 })).await;
    let once = test.anyone().with("idempotency-key", &format!("subscription of {EMAIL}"));
    let body = json!({ "planId": id(&plan), "paymentMethod": "PIX", "customer": customer() });
    let subscribed = once.post("/api/subscriptions/checkout", body.clone()).await.expect(201);
    for payment in [&first, &second] {
        shop.cancel(payment).await;
    }
    assert!(traces(&everything(test).await).len() > 5, "there was something to take out");

    let reported = delete(&shop, &first["customer"]["id"]).await;
    assert_eq!(reported["message"], "Client deleted.");
    assert_eq!(reported["retainedUntil"], Value::Null);
    test.run_jobs().await;
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
    let path = format!("/api/v1/transactions?customerId={}", id(&first["customer"]));
    let listed = shop.key.get(&path).await.expect(200);
    assert_eq!(listed["pagination"]["total"], 2);
    for row in listed["data"].as_array().expect("is a list") {
        let blank = json!({
            "id": first["customer"]["id"], "name": "", "email": "", "taxId": null,
            "phone": null, "address": null,
        });
        assert_eq!(row["customer"], blank);
    }
    let subscription = read(&shop, &subscribed["data"]["subscription"]).await;
    assert_eq!(subscription["status"], "CANCELLED");
    assert_eq!(subscription["cancelReason"], "client_deleted");
    // What was asked before under a key is not done a second time.
    let again = once.post("/api/subscriptions/checkout", body).await.expect(201);
    assert_eq!(again["data"]["subscription"]["id"], subscription["id"]);
    assert_eq!(again["data"]["subscription"]["customer"]["email"], "");
    let replayed = charge(&shop, &format!("order of {EMAIL}")).await;
    assert_eq!((&replayed["id"], &replayed["customer"]["name"]), (&first["id"], &json!("")));
    assert_eq!(shop.key.total("/api/v1/transactions?q=quixaba").await, 0);
}

#[story::test]
async fn no_hash_of_a_request_that_may_have_named_a_deleted_client_is_kept(
    test: &TestApp,
    shop: Shop,
) {
    let made = charge(&shop, "made").await;
    let link = shop.link(2_000).await;
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    let at_checkout = json!({ "method": "PIX", "customer": customer() });
    let buyer = test.anyone().with("idempotency-key", "at the checkout");
    buyer.post(&path, at_checkout).await.expect(201);
    let payment = |coupon: Value, customer: Value| {
        json!({
            "method": "PIX", "amountCents": 1_000, "couponCode": coupon, "customer": customer,
        })
    };
    let refused = shop.key.with("idempotency-key", "refused");
    let refused = refused.post("/api/v1/transactions", payment("NENHUM".into(), customer())).await;
    refused.expect_refusal(400, "COUPON_INVALID");
    let another = json!({ "name": "Bia", "email": "bia@example.com" });
    let other = shop.key.with("idempotency-key", "other");
    other.post("/api/v1/transactions", payment(Value::Null, another)).await.expect(201);
    let product = shop.key.with("idempotency-key", "product");
    product.post("/api/v1/products", json!({ "name": NAME, "price": 1 })).await.expect(201);
    let hashed = async || {
        let engine = Engine::open(test).await;
        let sql = "select key from idempotency_keys where field_hashes is not null order by key";
        engine.rows(sql).await.concat()
    };
    assert_eq!(hashed().await.len(), 5);
    delete(&shop, &made["customer"]["id"]).await;
    test.run_jobs().await;
    assert_eq!(hashed().await, ["other", "product"]);
}

#[story::test]
async fn what_the_law_requires_is_kept_for_five_years_of_a_client_who_paid(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (paid, open) = (charge(&shop, "paid").await, charge(&shop, "open").await);
    let paid = shop.pay(&paid).await;
    let reported = delete(&shop, &paid["customer"]["id"]).await;
    assert_eq!(reported["retainedUntil"], "2031-11-21T12:00:00.000Z");
    test.run_jobs().await;
    assert_eq!(shop.transaction(&paid).await["customer"], paid["customer"]);
    // What can still be paid keeps its payer until that is over.
    assert_eq!(shop.transaction(&open).await["customer"], open["customer"]);
    for _ in 0..3 {
        test.run_jobs_after(Duration::from_hours(24)).await;
    }
    assert_eq!(shop.transaction(&open).await["customer"]["name"], "");
    for _ in 0..4 {
        test.run_jobs_after(YEAR).await;
    }
    assert_eq!(shop.transaction(&paid).await["customer"], paid["customer"]);
    test.run_jobs_after(YEAR).await;
    assert_eq!(shop.transaction(&paid).await["customer"]["name"], "");
    tostao::housekeeping::run(&test.app).await.expect("is done");
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
}

#[story::test(|settings| settings.retention_years = 1)]
async fn an_operator_sets_for_how_long_payers_are_kept(test: &TestApp, shop: Shop) {
    let paid = shop.pay(&charge(&shop, "paid").await).await;
    let reported = delete(&shop, &paid["customer"]["id"]).await;
    assert_eq!(reported["retainedUntil"], "2027-11-21T12:00:00.000Z");
    test.run_jobs().await;
    assert_eq!(shop.transaction(&paid).await["customer"], paid["customer"]);
    test.run_jobs_after(YEAR).await;
    assert_eq!(shop.transaction(&paid).await["customer"]["name"], "");
}

#[story::test]
async fn all_clients_of_a_merchant_can_be_erased_step_by_step(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let other = test.shop("Outra").await;
    let kept = other.client(customer()).await;
    let link = shop.link(2_000).await;
    capture(test, &link, "nobodys@example.com", json!({ "clientName": NAME })).await.expect(201);
    shop.cancel(&charge(&shop, "one").await).await;
    shop.client(json!({ "name": NAME, "email": "another@example.com" })).await;
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant = id(&me["user"]).parse().expect("is an id");
    let terms = PaymentTerms::of(&test.app);
    let step = async |after| {
        let terms = terms.clone();
        let unit = async move |tx: &Tx| {
            let scope = merchants::scope(tx, merchant, Mode::Development).await?;
            erasure::erase_some_clients(tx, scope, &terms, after, 1).await
        };
        test.app.transact(unit).await.expect("is done")
    };
    let (mut steps, mut after) = (0, ClientId(Uuid::nil()));
    while let Some(last) = step(after).await {
        (steps, after) = (steps + 1, last);
    }
    assert_eq!(steps, 3, "two clients and a cart");
    test.run_jobs().await;
    assert_eq!(total(&shop).await, 0);
    assert_eq!(other.read_client(&kept).await, kept);
    other.key.delete(&client_path(&kept)).await.expect(200);
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
}

#[story::test]
async fn an_event_is_blanked_once_no_delivery_waits_for_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let receiver = Receiver::start().await;
    crate::webhooks::subscribe(&shop.key, &receiver.url, &["transaction.cancelled"]).await;
    let made = charge(&shop, "one").await;
    shop.cancel(&made).await;
    delete(&shop, &made["customer"]["id"]).await;
    let about = async || {
        let engine = Engine::open(test).await;
        let sql = "select name from events where data like '%quixaba%' order by name";
        engine.rows(sql).await.concat()
    };
    assert_eq!(about().await, ["transaction.cancelled", "transaction.created"]);
    test.run_jobs().await;
    let reported = receiver.take_one();
    let reported = String::from_utf8(reported.body.to_vec()).expect("is text");
    assert!(reported.contains(NAME), "the event is unchanged");
    test.run_jobs_after(Duration::from_hours(25)).await;
    assert_eq!(about().await, [] as [&str; 0]);
}

#[story::test]
async fn many_payments_events_and_answers_are_blanked_in_small_steps(test: &TestApp, shop: Shop) {
    for number in 0..210 {
        let made = charge(&shop, &format!("order {number}")).await;
        shop.cancel(&made).await;
    }
    let listed = shop.key.get(CLIENTS).await.expect(200);
    delete(&shop, &listed["data"][0]["id"]).await;
    let stored = everything(test).await;
    assert!(stored.lines().filter(|line| line.contains(NAME)).count() > 600, "much is left");
    // Of 200 each: what is left of the payments, 420 events, and 210 answers.
    assert!(test.run_jobs().await >= 1 + 3 + 2);
    assert_eq!(traces(&everything(test).await), [] as [&str; 0]);
}

#[story::test]
async fn a_deleted_client_is_not_restored_by_a_renewal(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let who = || json!({ "customer": customer() });
    let made = by_card_with(test, &plan, Scenario::Approves, who()).await.expect(201);
    let subscription = &made["data"]["subscription"];
    subscribe(test, &plan, who()).await.expect_refusal(409, "ALREADY_SUBSCRIBED");
    delete(&shop, &subscription["customer"]["id"]).await;
    let ended = read(&shop, subscription).await;
    assert_eq!((&ended["status"], &ended["customer"]["email"]), (&json!("CANCELLED"), &json!("")));
    for _ in 0..3 {
        days(&shop, 31).await;
    }
    assert_eq!(total(&shop).await, 0);
    assert_eq!(shop.key.total("/api/v1/transactions").await, 1);
}

#[story::test]
async fn a_renewal_belongs_to_the_client_who_subscribed(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let who = json!({ "customer": customer() });
    let made = by_card_with(test, &plan, Scenario::Approves, who).await.expect(201);
    let client = made["data"]["subscription"]["customer"]["id"].clone();
    // A client whom the merchant corrects, or whom an older release deleted, is not created
    // again.
    let path = client_path(&json!({ "id": client }));
    shop.key.patch(&path, json!({ "document": null })).await.expect(200);
    days(&shop, 31).await;
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    let owners: Vec<_> = listed["data"].as_array().expect("is a list").iter().collect();
    assert_eq!(owners.len(), 2);
    assert!(owners.iter().all(|payment| payment["customer"]["id"] == client));
    assert_eq!(total(&shop).await, 1);
    shop.key.get(&format!("{CLIENTS}/{}", client.as_str().expect("is text"))).await.expect(200);
}
