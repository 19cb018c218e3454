//! Dry runs: what would happen, without that anything does.

use std::collections::BTreeMap;

use db::database::Dialect;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, client_path, id, link_path, product_path};
use crate::subscriptions::plan;
use crate::webhooks::subscribe;

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

#[story::test]
async fn a_dry_run_of_each_route_answers_as_usual_and_changes_no_table(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let key = &shop.key;
    let hook = subscribe(key, &receiver.url, &["*"]).await;
    let product = shop.product(json!({})).await;
    let link = shop.link(1_000).await;
    let client = shop.client(json!({})).await;
    let plan = plan(&shop, json!({})).await;
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let (paid, open) = (shop.sell(100_000).await, shop.charge(1_000).await);
    let withdrawal = shop.withdraw(10_000).await;
    let pix = json!({ "amountCents": 9_000, "pixKey": "eva@example.com", "pixKeyType": "email" });
    test.run_jobs().await;
    let charge = |charge: &Value, what: &str| format!("/api/v1/transactions/{}/{what}", id(charge));
    let hooks = ["/api/v1/webhooks/subscriptions", "/api/webhooks/subscriptions"];
    let hook_path = |base: &str| format!("{base}/{}", id(&hook));
    let other = json!({ "url": format!("{}/other", receiver.url), "events": ["*"] });
    let table = vec![
        ("POST", "/api/v1/products".to_owned(), json!({ "name": "Copo", "price": 1 })),
        ("PATCH", product_path(&product), json!({ "price": 2 })),
        ("DELETE", product_path(&product), json!({})),
        (
            "POST",
            "/api/v1/payment-links".to_owned(),
            json!({ "title": "Copo", "amountCents": 500 }),
        ),
        ("PATCH", link_path(&link), json!({ "title": "Outro" })),
        ("DELETE", link_path(&link), json!({})),
        ("POST", "/api/clients".to_owned(), json!({ "name": "Eva", "email": "eva@example.com" })),
        ("PATCH", client_path(&client), json!({ "name": "Eva" })),
        ("DELETE", client_path(&client), json!({})),
        ("PATCH", format!("/api/subscriptions/plans/{}", id(&plan)), json!({ "name": "Outro" })),
        ("DELETE", format!("/api/subscriptions/plans/{}", id(&plan)), json!({})),
        ("DELETE", format!("/api/v1/coupons/{}", id(&coupon)), json!({})),
        ("POST", hooks[0].to_owned(), other.clone()),
        ("PATCH", hook_path(hooks[0]), json!({ "isActive": false })),
        ("DELETE", hook_path(hooks[0]), json!({})),
        ("POST", hooks[1].to_owned(), other),
        ("DELETE", hook_path(hooks[1]), json!({})),
        ("POST", format!("{}/rotate-secret", hook_path(hooks[1])), json!({})),
        ("POST", charge(&paid, "refund"), json!({ "amountCents": 500, "reason": "x" })),
        ("POST", charge(&open, "cancel"), json!({})),
        ("POST", "/api/withdraws".to_owned(), pix),
        ("POST", format!("/api/withdraws/{}/cancel", id(&withdrawal)), json!({})),
        ("POST", "/api/dev/clock/advance".to_owned(), json!({ "seconds": 86_400 })),
    ];
    for (method, path, body) in table {
        rehearse(test, key, method, &path, body).await;
    }
    receiver.take();
}

#[story::test]
async fn a_dry_run_says_what_would_change(test: &TestApp, shop: Shop, receiver: Receiver) {
    subscribe(&shop.key, &receiver.url, &["transaction.refunded"]).await;
    let charge = shop.sell(10_000).await;
    test.run_jobs().await;
    let path = format!("/api/v1/transactions/{}/refund", id(&charge));
    let refund = json!({ "amountCents": 4_000, "reason": "engano" });
    let shown = rehearse(test, &shop.key, "POST", &path, refund.clone()).await;
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
async fn a_route_without_a_dry_run_does_nothing(test: &TestApp, shop: Shop) {
    let before = rows(test).await;
    for path in ["/api/v1/transactions", "/api/dev/reset", "/api/auth/logout"] {
        let refused = shop.key.post(&format!("{path}?dryRun=true"), json!({})).await;
        refused.expect_refusal(400, "DRY_RUN_NOT_SUPPORTED");
    }
    let product = "/api/v1/products?dryRun=perhaps";
    let refused = shop.key.post(product, json!({ "name": "Copo", "price": 1 })).await.expect(400);
    assert_eq!(refused["errors"][0]["field"], "dryRun");
    assert_eq!(rows(test).await, before);
}
