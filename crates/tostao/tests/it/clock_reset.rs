//! Starting over in development: what goes, what stays, and whose.

use std::collections::BTreeMap;
use std::time::Duration;

use db::database::Dialect;
use futures_util::future::join_all;
use queue::job::{WORK, waiting};
use serde_json::{Value, json};
use tostao::housekeeping::{BATCH, keep_figures};
use tostao::platform::lanes::WEBHOOKS;

use crate::affiliates::{join, program};
use crate::carts::capture_path;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::payout_keys;
use crate::webhooks::subscribe;

const RESET: &str = "/api/dev/reset";
/// What is set up, and not tried out.
const KEPT: [&str; 3] = ["credentials", "first_steps", "webhooks"];

/// What a key must be allowed to delete what starting over deletes.
const NEEDED: [&str; 11] = [
    "transactions:write",
    "paymentLinks:write",
    "products:write",
    "customers:write",
    "coupons:write",
    "withdrawals:write",
    "advances:write",
    "webhooks:write",
    "referrals:write",
    "subscriptions:write",
    "affiliates:write",
];

/// Every table whose rows belong to a merchant and a mode, but for the audit log, which stays.
const TABLES_SQLITE: &str = "
    select name
      from sqlite_schema as tables
     where type = 'table' and name <> 'audit_log'
       and (select count(*) from pragma_table_info(tables.name)
             where name in ('merchant_id', 'mode')) = 2";
const TABLES_POSTGRES: &str = "
    select cast(table_name as text)
      from information_schema.columns
     where table_schema = 'public' and column_name in ('merchant_id', 'mode')
       and table_name <> 'audit_log'
     group by table_name
    having count(*) = 2";

/// How many rows each merchant has in each table and mode.
async fn rows(test: &TestApp) -> BTreeMap<(String, String, String), String> {
    let engine = Engine::open(test).await;
    let (tables, merchant) = match engine.dialect() {
        Dialect::Sqlite => (TABLES_SQLITE, "lower(hex(merchant_id))"),
        Dialect::Postgres => (TABLES_POSTGRES, "replace(cast(merchant_id as text), '-', '')"),
    };
    let mut found = BTreeMap::new();
    for table in engine.rows(tables).await.into_iter().flatten() {
        let count = format!(
            "select {merchant}, cast(mode as text), cast(count(*) as text)
               from {table}
              group by 1, 2"
        );
        for row in engine.rows(&count).await {
            let [merchant, mode, count] = row.try_into().expect("three columns");
            found.insert((table.clone(), merchant, mode), count);
        }
    }
    found
}

async fn jobs(test: &TestApp) -> i64 {
    let waiting =
        test.app.read(async |tx| Ok(waiting(tx, WORK).await? + waiting(tx, WEBHOOKS).await?));
    waiting.await.expect("can be read")
}

/// Does something of everything, with simulated money or without.
async fn try_everything(shop: &Shop, affiliate: &Shop, receiver: &Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let recover = format!("/api/v1/webhooks/subscriptions/{}/recover", id(&hook));
    let since = json!({ "since": "2026-11-21T00:00:00Z" });
    shop.key.post(&recover, since).await.expect(201);
    let once = shop.key.with("idempotency-key", "one");
    once.post("/api/v1/products", json!({ "name": "Caneca", "price": 100 })).await.expect(201);
    let link = shop.link(1_000).await;
    let left = json!({ "clientEmail": "ana@example.com" });
    shop.key.post(&capture_path(&link), left).await.expect(201);
    shop.charge(2_000).await;
    let charge = shop.charge(1_000).await;
    shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 1_500 })).await;
    let path = format!("/api/v1/transactions/{}/refund", charge["id"].as_str().expect("has one"));
    shop.key.post(&path, json!({ "amountCents": 1, "reason": "Risco." })).await.expect(201);
    payout_keys::add(&shop.owner.with("x-dev-mode", "true"), "conta@example.com").await;
    let receipt = format!("/api/v1/transactions/{}/receipt", id(&charge));
    shop.key.post(&receipt, json!({})).await.expect(200);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    sell_by(shop, affiliate).await;
}

/// Sells by a click on an affiliate's address, and has that contested.
async fn sell_by(shop: &Shop, affiliate: &Shop) {
    let product = shop.product(json!({})).await;
    let program = program(shop, &product, json!({})).await;
    let code = join(affiliate, &program).await["code"].clone();
    let items = json!([{ "productId": product["id"], "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    let text = |value: &Value| value.as_str().expect("is text").to_owned();
    shop.key.get(&format!("/pay/{}?aff={}", text(&link["slug"]), text(&code))).await;
    let sale = json!({ "items": items, "affiliateCode": code });
    let charge = shop.charge_with(sale).await;
    shop.pay(&charge).await;
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
}

async fn set_up_for_real(shop: &Shop) {
    let permissions = ["products:write", "paymentLinks:write", "webhooks:write"];
    let real = shop.key_for("production", &permissions).await;
    let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
    real.post("/api/webhooks/subscriptions", hook).await.expect(201);
    let once = real.with("idempotency-key", "one");
    once.post("/api/v1/products", json!({ "name": "Caneca", "price": 100 })).await.expect(201);
    payout_keys::add(&shop.owner, "conta@example.com").await;
    let link = json!({ "title": "Caneca", "amountCents": 100 });
    real.post("/api/v1/payment-links", link).await.expect(201);
}

async fn merchant_of(shop: &Shop) -> String {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let user = me.get("user").or(me.get("data")).unwrap_or(&me);
    user["id"].as_str().expect("has an id").replace('-', "")
}

async fn start_over(client: &Client) -> Value {
    client.post(RESET, json!({})).await.expect(200)
}

#[story::test]
async fn everything_that_was_tried_is_gone_and_nothing_else(test: &TestApp) {
    let receiver = Receiver::start().await;
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let affiliate = test.shop("Bia").await;
    for shop in [&shop, &other] {
        try_everything(shop, &affiliate, &receiver).await;
        set_up_for_real(shop).await;
    }
    let mine = merchant_of(&shop).await;
    test.pass(Duration::from_hours(9 * 24));
    keep_figures(&test.app, None, i64::MAX).await.expect("days are kept");
    let before = rows(test).await;
    let is_tried = |merchant: &str, mode: &str| merchant == mine && mode == "0";
    let tables: Vec<_> = before.keys().map(|(table, ..)| table).collect();
    for table in tables {
        let tried = (table.clone(), mine.clone(), "0".to_owned());
        assert!(before.contains_key(&tried), "try something that is kept in {table}");
    }
    start_over(&shop.key).await;
    let mut expected = before;
    expected.retain(|(table, merchant, mode), _| {
        !is_tried(merchant, mode) || KEPT.contains(&table.as_str())
    });
    assert_eq!(rows(test).await, expected);
}

#[story::test]
async fn the_balance_is_zero_the_clock_is_right_and_the_books_still_balance(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    for shop in [&shop, &other] {
        let charge = shop.charge(1_000).await;
        shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 1_500 })).await;
    }
    let step = json!({ "seconds": 86_400 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    start_over(&shop.key).await;
    assert_eq!(shop.available().await, 0);
    assert_eq!(other.available().await, 1_000);
    let clock = shop.key.get("/api/dev/clock").await.expect(200);
    assert_eq!(clock["data"]["aheadSeconds"], 0);
    let suspense = "/api/balance/entries?account=suspense";
    let lines = shop.key.get(suspense).await.expect(200);
    assert_eq!(lines["data"][0]["kind"], "development_cleared");
    assert_eq!(lines["data"][0]["balanceCents"], 0);
    let charge = shop.charge(700).await;
    assert_eq!(charge["createdAt"], "2026-11-21T12:00:00.000Z");
    shop.pay(&charge).await;
    assert_eq!(shop.available().await, 700);
    let proof = shop.key.get("/api/ledger/verify").await.expect(200);
    assert_eq!(proof["success"], true);
}

#[story::test]
async fn a_debt_is_forgiven_with_everything_else(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    shop.withdraw(900).await;
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(shop.available().await, -900);
    start_over(&shop.key).await;
    assert_eq!(shop.available().await, 0);
    test.prove_books().await;
}

#[story::test]
async fn nothing_that_was_waiting_happens_and_what_comes_next_does(test: &TestApp) {
    let receiver = Receiver::start().await;
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let affiliate = test.shop("Bia").await;
    other.charge(1_000).await;
    let others = jobs(test).await;
    try_everything(&shop, &affiliate, &receiver).await;
    start_over(&shop.key).await;
    assert_eq!(jobs(test).await, others);
    test.run_jobs_after(Duration::from_hours(1)).await;
    assert!(receiver.take().is_empty());
    assert!(shop.events().await.is_empty());
    shop.product(json!({})).await;
    test.run_jobs().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(jobs(test).await, 0);
}

#[story::test]
async fn more_than_one_unit_deletes_is_deleted_all_the_same(shop: Shop) {
    for _ in 0..=BATCH {
        shop.product(json!({})).await;
    }
    start_over(&shop.key).await;
    assert_eq!(shop.key.total("/api/v1/products").await, 0);
    assert!(shop.events().await.is_empty());
}

#[story::test]
async fn a_repeated_request_does_not_reset_again(shop: Shop) {
    let once = shop.key.with("idempotency-key", "over");
    let first = once.post(RESET, json!({})).await;
    let product = shop.product(json!({})).await;
    let again = once.post(RESET, json!({})).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(shop.read_product(&product).await["id"], product["id"]);
}

#[story::test]
async fn only_development_data_can_be_reset(test: &TestApp, shop: Shop) {
    shop.product(json!({})).await;
    let real = shop.key_for("production", &NEEDED).await;
    real.post(RESET, json!({})).await.expect_refusal(403, "DEV_MODE_ONLY");
    shop.owner.post(RESET, json!({})).await.expect_refusal(403, "DEV_MODE_ONLY");
    for missing in NEEDED {
        let others: Vec<_> = NEEDED.into_iter().filter(|name| *name != missing).collect();
        let key = shop.key_for("development", &others).await;
        let refused = key.post(RESET, json!({})).await;
        refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
        assert_eq!(refused.json()["requiredPermission"], missing);
    }
    test.anyone().post(RESET, json!({})).await.expect_refusal(401, "UNAUTHORIZED");
    let total =
        async || shop.key.get("/api/v1/products").await.expect(200)["pagination"]["total"].clone();
    assert_eq!(total().await, 1);
    start_over(&shop.owner.with("x-dev-mode", "true")).await;
    assert_eq!(total().await, 0);
    shop.product(json!({})).await;
    start_over(&shop.key_for("development", &NEEDED).await).await;
    assert_eq!(total().await, 0);
}

#[story::test]
async fn no_subscription_keeps_a_date_of_the_clock_that_is_gone(test: &TestApp, shop: Shop) {
    let path = "/api/webhooks/subscriptions";
    let hook = json!({ "url": "https://example.com/early", "events": ["*"] });
    let early = shop.key.post(path, hook).await.expect(201);
    let step = json!({ "seconds": 31_536_000 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    let hook = json!({ "url": "https://example.com/late", "events": ["*"] });
    shop.key.post(path, hook).await.expect(201);
    let id = early["data"]["id"].as_str().expect("has one");
    let off = json!({ "status": "INACTIVE" });
    shop.key.put(&format!("{path}/{id}"), off).await.expect(200);
    test.pass(Duration::from_mins(1));
    start_over(&shop.key).await;
    let listed = shop.key.get(path).await;
    listed.expect(200);
    assert!(!listed.text.contains("2027-"), "{}", listed.text);
    assert!(listed.text.contains("\"createdAt\":\"2026-11-21T12:00:00.000Z\""));
    assert!(listed.text.contains("\"updatedAt\":\"2026-11-21T12:01:00.000Z\""));
}

#[story::test]
async fn a_reset_while_payments_arrive_succeeds_or_asks_for_a_retry(shop: Shop) {
    for _ in 0..3 {
        let sold = join_all((0..16).map(|_| shop.charge(1_000))).await;
        let paid = json!({ "outcome": "PAID" });
        let paths = sold.iter().map(|charge| id(charge).to_owned());
        let paths: Vec<_> = paths.map(|id| format!("/api/v1/transactions/{id}/simulate")).collect();
        let paying = join_all(paths.iter().map(|path| shop.key.post(path, paid.clone())));
        let (reset, _) = tokio::join!(shop.key.post(RESET, json!({})), paying);
        assert!(matches!(reset.status, 200 | 409 | 503), "{}", reset.text);
        if reset.status != 200 {
            assert!(reset.header("retry-after").is_some(), "{}", reset.text);
        }
    }
    shop.key.post(RESET, json!({})).await.expect(200);
    assert_eq!(shop.available().await, 0);
}
