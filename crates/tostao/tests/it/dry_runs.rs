//! Dry runs: what would happen, while nothing does.

mod charges;

use std::collections::{BTreeMap, BTreeSet};

use db::database::Dialect;
use http::Method;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::routes;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::subscriptions::{active, by_card, days, done, plan};
use crate::webhooks::subscribe;
use crate::{advances, affiliates, referrals, subscriptions};

/// An id that nothing has.
const NOTHING: &str = "00000000-0000-4000-8000-000000000000";

/// Every table with its rows, but for what the request log and the sessions note of any request.
async fn rows(test: &TestApp) -> BTreeMap<String, Vec<Vec<String>>> {
    let engine = Engine::open(test).await;
    let tables = match engine.dialect() {
        Dialect::Sqlite => {
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"
        }
        Dialect::Postgres => {
            "select cast(table_name as text) from information_schema.tables
              where table_schema = 'public' and table_type = 'BASE TABLE'"
        }
    };
    let mut all = BTreeMap::new();
    for table in engine.rows(tables).await {
        let [table] = table.try_into().expect("is a name");
        if !["request_log", "api_keys", "credentials", "sessions"].contains(&table.as_str()) {
            let (columns, shown) = match engine.dialect() {
                Dialect::Sqlite => (format!("pragma_table_info('{table}')"), "quote"),
                Dialect::Postgres => {
                    let of = format!("where table_schema = 'public' and table_name = '{table}'");
                    (format!("information_schema.columns {of}"), "quote_nullable")
                }
            };
            let name = if shown == "quote" { "name" } else { "cast(column_name as text)" };
            let columns = engine.rows(&format!("select {name} from {columns}")).await;
            let row: Vec<_> = columns.iter().map(|it| format!("{shown}({})", it[0])).collect();
            let sql = format!("select {} from {table} order by 1", row.join(" || ',' || "));
            all.insert(table, engine.rows(&sql).await);
        }
    }
    all
}

/// Sends a request as a dry run, which changes nothing.
async fn rehearse(test: &TestApp, key: &Client, method: &str, path: &str, body: Value) -> Value {
    let before = rows(test).await;
    let path = format!("{path}?dryRun=true");
    let key = key.with("idempotency-key", "a-dry-run");
    let reply: Reply = match method {
        "POST" => key.post(&path, body).await,
        "PATCH" => key.patch(&path, body).await,
        "PUT" => key.put(&path, body).await,
        _ => key.delete(&path).await,
    };
    assert!((200..300).contains(&reply.status), "{path}: {}", reply.json());
    assert_eq!(reply.header("dry-run"), Some("true"), "{path}");
    let shown = reply.json();
    assert_eq!(shown["dryRun"], true, "{path}");
    test.run_jobs().await;
    let after = rows(test).await;
    for (table, rows) in before {
        assert_eq!(after[&table], rows, "{method} {path} changed {table}");
    }
    shown
}

/// The routes that have dry runs, by the document.
fn documented() -> BTreeSet<(String, String)> {
    let document = routes::document();
    let described = operations(&document).into_iter().filter(|(_, _, operation)| {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|parameter| parameter["name"] == "dryRun")
    });
    described.map(|(path, method, _)| (method.to_uppercase(), path.to_owned())).collect()
}

/// A request: its method, its route's pattern, the thing that the path names, and its body.
type Request = (&'static str, &'static str, String, Value);

fn about(method: &'static str, path: &'static str, of: &Value, body: Value) -> Request {
    (method, path, id(of).to_owned(), body)
}

fn new(path: &'static str, body: Value) -> Request {
    ("POST", path, String::new(), body)
}

/// Requests about what a merchant sells.
async fn of_the_catalog(shop: &Shop) -> Vec<Request> {
    let (product, spare) = (shop.product(json!({})).await, shop.product(json!({})).await);
    let program = affiliates::program(shop, &product, json!({})).await;
    let (link, client) = (shop.link(1_000).await, shop.client(json!({})).await);
    let plan = plan(shop, json!({})).await;
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let (products, links) = ("/api/v1/products/{id}", "/api/v1/payment-links/{id}");
    let (clients, coupons) = ("/api/clients/{id}", "/api/v1/coupons/{id}");
    let (plans, programs) = ("/api/subscriptions/plans/{id}", "/api/affiliate/programs/{id}");
    let fixed = json!({ "code": "CEM", "discountType": "FIXED", "discountValue": 100 });
    let monthly = json!({ "name": "Novo", "amountCents": 900, "interval": "MONTHLY" });
    let tenth = json!({
        "productId": id(&spare), "commissionType": "PERCENTAGE", "commissionValue": 10,
    });
    vec![
        new("/api/v1/products", json!({ "name": "Copo", "price": 1 })),
        about("PATCH", products, &product, json!({ "price": 2 })),
        about("DELETE", products, &spare, json!({})),
        new("/api/v1/payment-links", json!({ "title": "Copo", "amountCents": 500 })),
        about("PATCH", links, &link, json!({ "title": "Outro" })),
        about("DELETE", links, &link, json!({})),
        new("/api/clients", json!({ "name": "Eva", "email": "eva@example.com" })),
        about("PATCH", clients, &client, json!({ "name": "Eva" })),
        about("DELETE", clients, &client, json!({})),
        new("/api/v1/coupons", fixed),
        about("PATCH", coupons, &coupon, json!({ "status": "INACTIVE" })),
        about("DELETE", coupons, &coupon, json!({})),
        new("/api/subscriptions/plans", monthly),
        about("PATCH", plans, &plan, json!({ "name": "Outro" })),
        about("DELETE", plans, &plan, json!({})),
        new("/api/affiliate/programs", tenth),
        about("PATCH", programs, &program, json!({ "commissionValue": 5 })),
        about("DELETE", programs, &program, json!({})),
    ]
}

/// A payment of R$ 10.00 by PIX.
fn by_pix() -> Value {
    json!({
        "amountCents": 1_000, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "52998224725" },
    })
}

/// Requests that charge, for which a bank or an acquirer would be asked; a month passes.
async fn of_charges(test: &TestApp, shop: &Shop) -> Vec<Request> {
    let paused = active(test, shop).await;
    done(shop, &paused, "pause", json!({})).await;
    let trial = plan(shop, json!({ "trialDays": 31 })).await;
    let made = by_card(test, &trial, Scenario::DeclinesOnceKept).await;
    days(shop, 31).await;
    vec![
        new("/api/v1/transactions", by_pix()),
        about("POST", "/api/subscriptions/{id}/resume", &paused, json!({})),
        about("POST", "/api/subscriptions/{id}/retry", &made["subscription"], json!({})),
    ]
}

/// Requests that move money, or would.
async fn of_money(test: &TestApp, shop: &Shop) -> Vec<Request> {
    let (paid, open) = (shop.sell(100_000).await, shop.charge(1_000).await);
    let withdrawal = shop.withdraw(10_000).await;
    let (subscription, plan) =
        (active(test, shop).await, plan(shop, json!({ "name": "Outro" })).await);
    let pix = json!({ "amountCents": 9_000, "pixKey": "eva@example.com", "pixKeyType": "email" });
    let refund = json!({ "amountCents": 500, "reason": "x" });
    let change = json!({ "planId": id(&plan) });
    vec![
        about("POST", "/api/v1/transactions/{id}/refund", &paid, refund),
        about("POST", "/api/v1/transactions/{id}/cancel", &open, json!({})),
        new("/api/withdraws", pix),
        about("POST", "/api/withdraws/{id}/cancel", &withdrawal, json!({})),
        about("POST", "/api/subscriptions/{id}/cancel", &subscription, json!({})),
        about("POST", "/api/subscriptions/{id}/change-plan", &subscription, change),
        new("/api/dev/clock/advance", json!({ "seconds": 60 })),
    ]
}

/// Requests about a webhook, in both forms.
fn of_webhooks(hook: &Value, url: &str) -> Vec<Request> {
    let other = json!({ "url": format!("{url}/other"), "events": ["*"] });
    let (first, second) =
        ("/api/v1/webhooks/subscriptions/{id}", "/api/webhooks/subscriptions/{id}");
    let since = json!({ "since": "2026-11-21T00:00:00Z" });
    vec![
        new("/api/v1/webhooks/subscriptions", other.clone()),
        about("PATCH", first, hook, json!({ "isActive": false })),
        about("DELETE", first, hook, json!({})),
        about("POST", "/api/v1/webhooks/subscriptions/{id}/enable", hook, json!({})),
        about("POST", "/api/v1/webhooks/subscriptions/{id}/recover", hook, since),
        new("/api/webhooks/subscriptions", other),
        about("PUT", second, hook, json!({ "status": "INACTIVE" })),
        about("DELETE", second, hook, json!({})),
        about("POST", "/api/webhooks/subscriptions/{id}/rotate-secret", hook, json!({})),
    ]
}

/// Rehearses the decisions about money that was set aside; answers their routes.
async fn set_aside(test: &TestApp, shop: &Shop) -> [&'static str; 2] {
    const ACCEPT: &str = "/api/v1/transactions/{id}/unmatched/{unmatchedId}/accept";
    const RETURN: &str = "/api/v1/transactions/{id}/unmatched/{unmatchedId}/return";
    let charge = shop.charge(1_000).await;
    shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 999 })).await;
    let money = shop.unmatched(&charge).await.remove(0);
    test.run_jobs().await;
    for route in [ACCEPT, RETURN] {
        let path = route.replace("{id}", id(&charge)).replace("{unmatchedId}", id(&money));
        rehearse(test, &shop.key, "POST", &path, json!({})).await;
    }
    [ACCEPT, RETURN]
}

#[story::test]
async fn a_dry_run_of_each_route_answers_as_usual_and_changes_no_table(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let mut requests = of_the_catalog(&shop).await;
    requests.extend(of_charges(test, &shop).await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    advances::sell(test, &shop, 10_000, 2).await;
    requests.extend(of_money(test, &shop).await);
    requests.extend(of_webhooks(&hook, &receiver.url));
    test.run_jobs().await;
    receiver.take();
    // Of advances one at a time is open.
    let decided = set_aside(test, &shop).await;
    let advance = json!({ "amountCents": 1_000 });
    rehearse(test, &shop.key, "POST", "/api/advances", advance).await;
    let advance = advances::request(&shop, 1_000).await;
    test.run_jobs().await;
    receiver.take();
    requests.push(about("POST", "/api/advances/{id}/cancel", &advance, json!({})));
    let asked = requests.iter().map(|(method, path, ..)| (*method, *path));
    let asked = asked.chain([("POST", "/api/advances"), ("POST", "/api/referral/withdraw")]);
    let asked = asked.chain(decided.map(|path| ("POST", path)));
    let asked: BTreeSet<_> = asked.map(|(method, path)| (method.into(), path.into())).collect();
    assert_eq!(asked, documented());
    for (method, path, of, body) in requests {
        rehearse(test, &shop.key, method, &path.replace("{id}", &of), body).await;
    }
    assert!(receiver.take().is_empty());
}

#[story::test]
async fn a_dry_run_moves_no_reward(test: &TestApp, shop: Shop) {
    let guest = referrals::invited(test, "Ana", &referrals::code(&shop).await).await;
    guest.sell(100_000).await;
    test.run_jobs_after(referrals::HELD).await;
    let wanted = json!({ "amountCents": 5_500 });
    let shown = rehearse(test, &shop.key, "POST", "/api/referral/withdraw", wanted).await;
    assert_eq!(shown["data"]["availableBalanceCents"], 0);
    assert_eq!(shown["wouldChange"]["ledger"][0]["after"], 5_500);
}

#[story::test]
async fn a_dry_run_says_what_would_change(test: &TestApp, shop: Shop, receiver: Receiver) {
    subscribe(&shop.key, &receiver.url, &["transaction.refunded"]).await;
    let charge = shop.sell(10_000).await;
    test.run_jobs().await;
    let path = format!("/api/v1/transactions/{}/refund", id(&charge));
    let refund = json!({ "amountCents": 4_000, "reason": "engano" });
    let shown = rehearse(test, &shop.key, "POST", &path, refund.clone()).await;
    let logged = shop.key.list("/api/requests").await;
    assert_eq!((&logged[0]["path"], &logged[0]["dryRun"]), (&json!(path), &json!(true)));
    let would_change = &shown["wouldChange"];
    let available = json!({
        "account": "available", "amountCents": -4_000, "before": 10_000, "after": 6_000,
    });
    let ledger = would_change["ledger"].as_array().expect("is a list");
    assert!(ledger.contains(&available), "{would_change}");
    let events = would_change["events"].as_array().expect("is a list");
    assert!(events.contains(&json!("balance.updated")), "{would_change}");
    let jobs = would_change["jobs"].as_array().expect("is a list");
    assert!(jobs.iter().any(|job| job["kind"] == "send_refund"), "{would_change}");
    let refused = json!({ "amountCents": 40_000, "reason": "engano" });
    let refusal = shop.key.post(&format!("{path}?dryRun=true"), refused).await;
    refusal.expect_refusal(400, "AMOUNT_EXCEEDS_REFUNDABLE");
    // The key of a dry run is free.
    let key = shop.key.with("idempotency-key", "a-dry-run");
    key.post(&path, refund).await.expect(201);
    assert_eq!(shop.available().await, 6_000);
}

#[story::test]
async fn a_dry_run_of_the_clock_lists_the_work_on_the_way(test: &TestApp, shop: Shop) {
    for cents in [1_000, 2_000] {
        shop.charge(cents).await;
    }
    let month = json!({ "seconds": 30 * 86_400 });
    let shown = rehearse(test, &shop.key, "POST", "/api/dev/clock/advance", month).await;
    let expired = json!({ "kind": "expire_transaction", "count": 2, "amountCents": 3_000 });
    let work = shown["wouldRun"].as_array().expect("is a list");
    assert!(work.contains(&expired), "{shown}");
    assert_eq!(shown["data"]["aheadSeconds"], 30 * 86_400);
    let clock = shop.key.get("/api/dev/clock").await.expect(200);
    assert_eq!(clock["data"]["aheadSeconds"], 0);
}

#[story::test]
async fn a_dry_run_of_the_clock_counts_no_retry_of_a_delivery_that_has_ended(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    shop.product(json!({})).await;
    test.run_jobs().await;
    let waiting = async || {
        let hour = json!({ "seconds": 3_600 });
        let shown = rehearse(test, &shop.key, "POST", "/api/dev/clock/advance", hour).await;
        let work = shown["wouldRun"].as_array().expect("is a list");
        let deliveries = work.iter().find(|one| one["kind"] == "deliver_webhook");
        deliveries.map_or(Value::Null, |one| one["count"].clone())
    };
    assert_eq!(waiting().await, 1);
    let event = shop.key.list("/api/webhooks/events?event=product.created").await.remove(0);
    let again = format!("/api/webhooks/events/{}/redeliver", id(&event));
    shop.key.post(&again, json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(waiting().await, Value::Null);
}

#[story::test]
async fn a_method_that_a_path_lacks_is_refused_as_such_with_a_dry_run_too(shop: Shop) {
    let document = routes::document();
    for (pattern, methods) in document["paths"].as_object().expect("has paths") {
        let part = |part: &str| if part.starts_with('{') { NOTHING } else { part }.to_owned();
        let path: Vec<_> = pattern.split('/').map(part).collect();
        let path = format!("{}?dryRun=true", path.join("/"));
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if methods.get(method.as_str().to_ascii_lowercase()).is_none() {
                let refused = shop.key.send(method, &path, None, String::new()).await;
                refused.expect_refusal(405, "METHOD_NOT_ALLOWED");
            }
        }
    }
}

#[story::test]
async fn a_request_that_may_be_meant_as_a_dry_run_is_not_done(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let before = rows(test).await;
    let nowhere = shop.key.post("/api/v1/nope?dryRun=true", json!({})).await;
    nowhere.expect_refusal(404, "NOT_FOUND");
    for query in ["dryRun=true", "dryRun", "dryRun=True", "dryrun=1", "dry_run=yes"] {
        let path = format!("/api/v1/transactions/{}/simulate?{query}", id(&charge));
        let refused = shop.key.post(&path, json!({ "outcome": "PAID" })).await;
        refused.expect_refusal(400, "DRY_RUN_NOT_SUPPORTED");
    }
    for query in ["dryRun=perhaps", "dryRun=false&dryRun=true", "dryrun=true", "dryRun="] {
        let product = format!("/api/v1/products?{query}");
        let wanted = json!({ "name": "Copo", "price": 1 });
        let refused = shop.key.post(&product, wanted).await.expect(400);
        assert_eq!(refused["errors"][0]["field"], "dryRun", "{query}");
    }
    assert_eq!(rows(test).await, before);
    let unsupported = "/api/requests?code=DRY_RUN_NOT_SUPPORTED";
    let logged = shop.key.list(unsupported).await;
    assert_eq!(logged.len(), 5);
    assert!(logged.iter().all(|one| one["keyLast4"].is_string()), "{logged:?}");
    test.anyone().post("/api/dev/reset?dryRun=true", json!({})).await.expect(400);
    assert_eq!(shop.key.list(unsupported).await.len(), 5);
    let done = json!({ "name": "Copo", "price": 1 });
    shop.key.post("/api/v1/products?dryRun=false", done).await.expect(201);
}

#[story::test]
async fn a_dry_run_shows_balances_to_those_who_may_read_them_and_nothing_to_buyers(
    test: &TestApp,
    shop: Shop,
) {
    let charge = shop.sell(10_000).await;
    let path = format!("/api/v1/transactions/{}/refund?dryRun=true", id(&charge));
    let refund = json!({ "amountCents": 4_000, "reason": "engano" });
    let lesser = shop.key_for("development", &["transactions:write"]).await;
    let shown = lesser.post(&path, refund).await.expect(201);
    let changed = shown["wouldChange"]["ledger"][0].clone();
    assert_eq!((&changed["before"], &changed["after"]), (&Value::Null, &Value::Null));
    assert!(changed["amountCents"].is_number());
    let plan = plan(&shop, json!({})).await;
    let subscribed = subscriptions::subscribe(test, &plan, json!({})).await.expect(201);
    let (of, token) = (&subscribed["data"]["subscription"], &subscribed["data"]["manageToken"]);
    let path = format!("/api/subscriptions/{}/cancel?dryRun=true", id(of));
    let buyer = test.anyone().with("x-manage-token", token.as_str().expect("is text"));
    buyer.post(&path, json!({})).await.expect_refusal(400, "DRY_RUN_NOT_SUPPORTED");
}

#[story::test]
async fn a_dry_run_of_a_used_key_is_refused_or_replayed_like_the_request(
    test: &TestApp,
    shop: Shop,
) {
    let key = shop.key.with("idempotency-key", "used");
    let wanted = json!({ "name": "Copo", "price": 1 });
    let made = key.post("/api/v1/products", wanted.clone()).await.expect(201);
    let again = key.post("/api/v1/products?dryRun=true", wanted).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), made);
    let other = json!({ "name": "Copo", "price": 2 });
    let refused = key.post("/api/v1/products?dryRun=true", other).await;
    refused.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    let key = shop.key.with("idempotency-key", "charged");
    let made = key.post("/api/v1/transactions", by_pix()).await.expect(201);
    let again = key.post("/api/v1/transactions?dryRun=true", by_pix()).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), made);
    let _ = test;
}
