//! The request log.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::platform::config::{RequestLogLevel, Settings};
use tostao::routes;

use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, every_permission, id};
use crate::harness::{TestApp, story_where};
use crate::middleware::shapes::resolved;

const PATH: &str = "/api/requests";
const PRODUCTS: &str = "/api/v1/products";
/// What no row of production may hold.
const CANARY: &str = "Canario";

/// A key of production with every permission.
async fn in_production(shop: &Shop) -> Client {
    let all = every_permission();
    let all: Vec<_> = all.iter().map(String::as_str).collect();
    shop.key_for("production", &all).await
}

/// The newest requests, in the order in which they were sent.
async fn newest(key: &Client, count: usize) -> Vec<Value> {
    let mut listed = key.list(&format!("{PATH}?limit={count}")).await;
    listed.reverse();
    listed
}

#[story::test]
async fn a_request_is_listed_with_what_came_of_it(test: &TestApp, shop: Shop) {
    let key = shop.key.with("x-request-id", "first-request").with("idempotency-key", "k-1");
    let wanted = json!({ "name": "Caneca", "price": 1_000 });
    let product = key.post(PRODUCTS, wanted.clone()).await.expect(201)["product"].clone();
    key.with("x-request-id", "again-request").post(PRODUCTS, wanted).await.expect(201);
    let path = format!("{PRODUCTS}/{}", id(&product));
    shop.owner.with("x-dev-mode", "true").get(&format!("{path}?q=Ana&x=1")).await.expect(200);
    let [first, again, read] = newest(&shop.key, 3).await.try_into().expect("are three");
    let last4 = first["keyLast4"].as_str().expect("is text").to_owned();
    assert_eq!(last4.len(), 4);
    for (logged, name, replayed) in
        [(&first, "first-request", false), (&again, "again-request", true)]
    {
        let expected = json!({
            "id": logged["id"], "requestId": name, "createdAt": test.app.now().to_string(),
            "method": "POST", "route": PRODUCTS, "path": PRODUCTS, "query": null, "status": 201,
            "code": null, "field": null, "fieldCode": null, "docUrl": null, "durationMicros": 0,
            "credentialId": logged["credentialId"], "keyLast4": last4,
            "clientNetwork": "127.0.0.0/24", "idempotencyKey": "k-1", "replayed": replayed,
            "dryRun": false, "requestBytes": 30, "responseBytes": logged["responseBytes"],
            "objectId": product["id"],
        });
        assert_eq!(logged, &expected);
        assert!(logged["responseBytes"].as_i64().expect("is a number") > 100);
    }
    let shown = (&read["method"], &read["route"], &read["path"], &read["query"]);
    let expected = (&json!("GET"), &json!("/api/v1/products/{id}"), &json!(path));
    assert_eq!(shown, (expected.0, expected.1, expected.2, &json!("q=***%283%29&x=1")));
    assert_eq!((&read["keyLast4"], &read["objectId"]), (&Value::Null, &product["id"]));
}

#[story::test]
async fn in_production_reads_that_succeed_are_not_logged_and_texts_are_masked(
    test: &TestApp,
    shop: Shop,
) {
    let key = in_production(&shop).await;
    key.get(PRODUCTS).await.expect(200);
    key.post(PRODUCTS, json!({ "name": "Caneca", "price": 1_000 })).await.expect(201);
    let wanted = json!({
        "name": "Caneca da Ana", "price": -1, "metadata": { "Ana": "ana@example.com" },
        "externalId": "pedido 7",
    });
    let refused = key.with("x-request-id", "refused-1").post(PRODUCTS, wanted).await;
    refused.expect_refusal(400, "VALIDATION_ERROR");
    let all = key.list(&format!("{PATH}?route={PRODUCTS}")).await;
    let [refused, made] = all.try_into().expect("are two");
    assert_eq!((&made["status"], &refused["status"]), (&json!(201), &json!(400)));
    let fault = (&refused["code"], &refused["field"], &refused["fieldCode"]);
    assert_eq!(fault, (&json!("VALIDATION_ERROR"), &json!("price"), &json!("OUT_OF_RANGE")));
    let page = refused["docUrl"].as_str().expect("is text");
    assert!(page.ends_with("/docs/errors/VALIDATION_ERROR"), "{page}");
    let shown = key.get(&format!("{PATH}/refused-1")).await.expect(200)["data"].clone();
    let expected = json!({
        "name": "***(13)", "price": -1, "metadata": { "***(3)": "***(15)" },
        "externalId": "pedido 7",
    });
    assert_eq!(shown["requestBody"], expected);
    assert_eq!(shown["responseBody"]["errors"][0]["code"], "OUT_OF_RANGE");
    let made = made["requestId"].as_str().expect("is text");
    let shown = key.get(&format!("{PATH}/{made}")).await.expect(200)["data"].clone();
    assert_eq!((&shown["requestBody"], &shown["responseBody"]), (&Value::Null, &Value::Null));
    let _ = test;
}

#[story::test]
async fn requests_are_filtered(test: &TestApp, shop: Shop) {
    let (one, other) = (&shop.key, shop.key_for("development", &["requests:read"]).await);
    one.post(PRODUCTS, json!({})).await.expect_refusal(400, "VALIDATION_ERROR");
    test.pass(Duration::from_mins(1));
    other.get(PRODUCTS).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    test.pass(Duration::from_mins(1));
    let key = one.with("idempotency-key", "k-2");
    key.post(PRODUCTS, json!({ "name": "Caneca", "price": 1 })).await.expect(201);
    let all = newest(one, 3).await;
    let second = all[1]["createdAt"].as_str().expect("is text");
    let (key, last4) = (all[1]["credentialId"].as_str(), all[1]["keyLast4"].as_str());
    let table = [
        ("status=4xx".to_owned(), vec![0, 1]),
        ("status=400".to_owned(), vec![0]),
        ("status=201,403".to_owned(), vec![1, 2]),
        ("status=5xx".to_owned(), vec![]),
        ("method=get".to_owned(), vec![1]),
        (format!("route={PRODUCTS}&method=POST"), vec![0, 2]),
        ("route=/api/v1/prod*&method=POST".to_owned(), vec![0, 2]),
        ("route=/v1/prod*".to_owned(), vec![]),
        ("code=INSUFFICIENT_PERMISSION".to_owned(), vec![1]),
        (format!("credentialId={}", key.expect("has a key")), vec![1]),
        (format!("keyLast4={}", last4.expect("has a key")), vec![1]),
        ("idempotencyKey=k-2".to_owned(), vec![2]),
        (format!("from={second}"), vec![1, 2]),
        (format!("to={second}&status=4xx"), vec![0]),
    ];
    for (query, expected) in table {
        let mut listed = one.list(&format!("{PATH}?{query}")).await;
        listed.retain(|logged| all.contains(logged));
        listed.reverse();
        let expected: Vec<_> = expected.into_iter().map(|n: usize| all[n].clone()).collect();
        assert_eq!(listed, expected, "{query}");
    }
    let long = format!("code={}", "A".repeat(256));
    for (query, field) in [("status=9xx", "status"), ("from=x", "from"), (&long, "code")] {
        let refused = one.get(&format!("{PATH}?{query}")).await.expect(400);
        assert_eq!(refused["errors"][0]["field"], field, "{query}");
    }
}

#[story::test]
async fn refusals_are_grouped_by_their_kind(test: &TestApp, shop: Shop) {
    for (number, price) in [(1, json!(-1)), (2, json!(-2)), (3, json!("x"))] {
        let key = shop.key.with("x-request-id", &format!("request-{number}"));
        key.post(PRODUCTS, json!({ "name": "Caneca", "price": price })).await.expect(400);
        test.pass(Duration::from_mins(1));
    }
    let groups = shop.key.list(&format!("{PATH}/errors?route={PRODUCTS}")).await;
    let group = |group: &Value| {
        let names = ["route", "code", "field", "fieldCode", "count", "example"];
        names.map(|name| group[name].clone())
    };
    let expected = [
        json!([PRODUCTS, "VALIDATION_ERROR", "price", "OUT_OF_RANGE", 2, "request-2"]),
        json!([PRODUCTS, "VALIDATION_ERROR", "price", "INVALID_TYPE", 1, "request-3"]),
    ];
    assert_eq!(groups.iter().map(|one| json!(group(one))).collect::<Vec<_>>(), expected);
    assert_eq!(groups[0]["firstAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(groups[0]["lastAt"], "2026-11-21T12:01:00.000Z");
}

#[story::test]
async fn a_log_is_its_own_accounts_and_modes(test: &TestApp, shop: Shop, other: Shop) {
    let key = shop.key.with("x-request-id", "hidden-request");
    key.get(PRODUCTS).await.expect(200);
    let path = format!("{PATH}/hidden-request");
    shop.key.get(&path).await.expect(200);
    for stranger in [&other.key, &other.owner, &in_production(&shop).await] {
        stranger.get(&path).await.expect_refusal(404, "NOT_FOUND");
        let listed = stranger.list(PATH).await;
        assert!(listed.iter().all(|logged| logged["requestId"] != "hidden-request"));
    }
    test.anyone().get(PATH).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn a_body_that_cannot_be_read_or_holds_a_card_is_not_kept(test: &TestApp, shop: Shop) {
    let key = shop.key.with("x-request-id", "broken-body");
    let kind = Some("application/json");
    let broken = "{\"name\": \"4242 4242".to_owned();
    key.send(http::Method::POST, PRODUCTS, kind, broken).await.expect(400);
    let card = json!({ "name": "4242 4242 4242 4242", "price": 1 });
    let key = shop.key.with("x-request-id", "card-in-body");
    key.post(PRODUCTS, card).await.expect_refusal(400, "CARD_DATA_NOT_ACCEPTED");
    for name in ["broken-body", "card-in-body"] {
        let shown = shop.key.get(&format!("{PATH}/{name}")).await.expect(200)["data"].clone();
        assert_eq!(shown["requestBody"], Value::Null, "{name}");
        assert!(!shown.to_string().contains("4242"), "{shown}");
    }
    let _ = test;
}

#[story::test]
async fn old_rows_are_deleted_and_a_reset_deletes_all(test: &TestApp, shop: Shop) {
    let production = in_production(&shop).await;
    for key in [&shop.key, &production] {
        key.post(PRODUCTS, json!({})).await.expect(400);
        assert_eq!(key.total(&format!("{PATH}?route={PRODUCTS}")).await, 1);
    }
    test.pass(Duration::from_hours(29 * 24));
    tostao::housekeeping::run(&test.app).await.expect("deletes what is old");
    assert_eq!(production.total(&format!("{PATH}?route={PRODUCTS}")).await, 1);
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    assert_eq!(shop.key.total(&format!("{PATH}?route={PRODUCTS}")).await, 0);
    test.pass(Duration::from_hours(2 * 24));
    tostao::housekeeping::run(&test.app).await.expect("deletes what is old");
    assert_eq!(production.total(&format!("{PATH}?route={PRODUCTS}")).await, 0);
}

#[story::test]
async fn requests_are_streamed_as_they_come(test: &TestApp, shop: Shop, other: Shop) {
    shop.key.get(PRODUCTS).await.expect(200);
    let mut stream = shop.key.listen(&format!("{PATH}/stream?method=POST")).await;
    other.key.post(PRODUCTS, json!({})).await.expect(400);
    shop.key.get(PRODUCTS).await.expect(200);
    shop.key.with("x-request-id", "streamed-1").post(PRODUCTS, json!({})).await.expect(400);
    shop.key.list(PATH).await;
    let (name, first) = stream.next().await.expect("goes on");
    assert_eq!((name.as_str(), &first["requestId"]), ("request", &json!("streamed-1")));
    shop.key.with("x-request-id", "streamed-2").post(PRODUCTS, json!({})).await.expect(400);
    shop.key.list(PATH).await;
    let resumed = shop.key.with("last-event-id", first["id"].as_str().expect("is text"));
    let mut resumed = resumed.listen(&format!("{PATH}/stream")).await;
    for stream in [&mut stream, &mut resumed] {
        assert_eq!(stream.next().await.expect("goes on").1["requestId"], "streamed-2");
    }
    let _ = test;
}

#[story::test]
async fn pages_and_cursors_meet_every_request_once(test: &TestApp, shop: Shop) {
    for number in 0..5 {
        let key = shop.key.with("x-request-id", &format!("request-{number}"));
        key.get(PRODUCTS).await.expect(200);
    }
    let path = format!("{PATH}?route={PRODUCTS}&limit=2");
    let names = |rows: &[Value]| -> Vec<String> {
        rows.iter().map(|row| row["requestId"].as_str().expect("is text").to_owned()).collect()
    };
    let (mut pages, mut cursored, mut cursor) = (Vec::new(), Vec::new(), String::new());
    for page in 1..=3 {
        pages.extend(names(&shop.key.list(&format!("{path}&page={page}")).await));
        let read = shop.key.get(&format!("{path}&cursor={cursor}")).await.expect(200);
        cursored.extend(names(read["data"].as_array().expect("is a list")));
        assert_eq!(read["pagination"]["total"], 5);
        cursor = read["pagination"]["nextCursor"].as_str().unwrap_or_default().to_owned();
    }
    let expected: Vec<_> = (0..5).rev().map(|number| format!("request-{number}")).collect();
    assert_eq!((pages, cursored), (expected.clone(), expected));
    let _ = test;
}

#[story::test]
async fn a_card_or_a_secret_in_a_key_a_query_or_a_path_is_not_stored(test: &TestApp, shop: Shop) {
    let card = "4242 4242 4242 4242";
    let key = shop.key.with("idempotency-key", card).with("x-request-id", "card-in-key");
    key.post(PRODUCTS, json!({})).await.expect_refusal(400, "CARD_DATA_NOT_ACCEPTED");
    let key = shop.key.with("x-request-id", "card-in-query");
    let query = "externalId=4242424242424242&key=tos_dev_x&status=ACTIVE";
    key.post(&format!("{PRODUCTS}?{query}"), json!({})).await.expect(400);
    shop.key.get("/api/v1/transactions/4242424242424242").await.expect(404);
    let engine = Engine::open(test).await;
    shop.key.list(PATH).await;
    let columns = "path || coalesce(query, '') || coalesce(idempotency_key, '')
        || coalesce(request_body, '') || coalesce(response_body, '')";
    let rows = engine.rows(&format!("select {columns} from request_log")).await;
    let all = json!(rows).to_string();
    assert!(!all.contains("4242") && !all.contains("tos_dev"), "{all}");
    assert!(all.contains("status=ACTIVE"), "{all}");
}

/// A body in which every text of a schema is one that must not be stored.
fn with_canaries(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolved(document, schema);
    if let Some(properties) = schema["properties"].as_object().filter(|_| depth < 5) {
        let fields = properties.iter().filter(|(name, _)| *name != "externalId");
        let fields =
            fields.map(|(name, part)| (name.clone(), with_canaries(document, part, depth + 1)));
        return fields.collect::<serde_json::Map<_, _>>().into();
    }
    if schema.get("items").is_some() {
        return json!([with_canaries(document, &schema["items"], depth + 1)]);
    }
    CANARY.into()
}

#[story::test]
async fn no_text_that_a_production_key_sends_is_stored(test: &TestApp, shop: Shop) {
    let (document, key) = (routes::document(), in_production(&shop).await);
    let mut sent = 0;
    for (path, method, operation) in operations(&document) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if schema.is_null() || !path.starts_with("/api/") {
            continue;
        }
        let body = with_canaries(&document, schema, 0).to_string();
        let of = "00000000-0000-7000-8000-000000000001";
        let path = path.split('/').map(|part| if part.starts_with('{') { of } else { part });
        let path = path.collect::<Vec<_>>().join("/");
        let method = method.to_uppercase().parse().expect("is a method");
        let kind = Some("application/json");
        for caller in [&key, &shop.owner, &shop.owner.with("x-dev-mode", "true")] {
            let path = format!("{path}?q={CANARY}&slug={CANARY}&{CANARY}=1");
            caller.send(http::Method::clone(&method), &path, kind, body.clone()).await;
            sent += 1;
        }
    }
    assert!(sent > 100, "{sent}");
    key.list(PATH).await;
    let engine = Engine::open(test).await;
    let columns = "coalesce(request_body, '') || coalesce(response_body, '') || path
        || coalesce(query, '') || coalesce(field, '') || coalesce(idempotency_key, '')";
    let rows = engine.rows(&format!("select {columns} from request_log where mode = 1")).await;
    let production = rows.iter().filter(|row| row[0].contains("***"));
    assert!(production.count() > 50, "{}", rows.len());
    for row in rows {
        assert!(!row[0].contains(CANARY), "{row:?}");
    }
}

#[story::test]
async fn a_body_of_many_unknown_names_is_masked_in_no_time(test: &TestApp, shop: Shop) {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    let names = letters.chars().flat_map(|a| letters.chars().map(move |b| format!("{a}{b}")));
    let body: serde_json::Map<_, _> = names.map(|name| (name, json!(1))).collect();
    let key = in_production(&shop).await.with("x-request-id", "many-names");
    key.post(PRODUCTS, body.into()).await.expect(400);
    let hostile = json!({ "[\u{0}": { "cvv": "1" }, "name[Ana]": { "cvv": "1" } });
    key.with("x-request-id", "hostile-names").post(PRODUCTS, hostile).await.expect(400);
    let shown = key.get(&format!("{PATH}/many-names")).await.expect(200)["data"].clone();
    assert!(shown["requestBody"].as_str().expect("is cut").starts_with("{\"***(2)\":\"***(1)\""));
    let shown = key.get(&format!("{PATH}/hostile-names")).await.expect(200)["data"].clone();
    assert!(shown["field"].as_str().expect("is masked").starts_with("***("), "{shown}");
    let _ = test;
}

#[test]
fn the_operator_says_what_is_logged() {
    let table = [
        (RequestLogLevel::Off, vec![], 0),
        (RequestLogLevel::Errors, vec![400], 3),
        (RequestLogLevel::Writes, vec![201, 400], 3),
        (RequestLogLevel::All, vec![200, 201, 400], 3),
    ];
    for (level, in_mode, in_development) in table {
        let set = |settings: &mut Settings| settings.request_log = level;
        story_where(set, async |test| {
            let shop = test.shop("Loja").await;
            let production = in_production(&shop).await;
            for key in [&production, &shop.key] {
                key.get(PRODUCTS).await.expect(200);
                key.post(PRODUCTS, json!({ "name": "Copo", "price": 1 })).await.expect(201);
                key.post(PRODUCTS, json!({})).await.expect(400);
            }
            let path = format!("{PATH}?route={PRODUCTS}");
            let mut statuses: Vec<_> =
                production.list(&path).await.iter().map(|row| row["status"].clone()).collect();
            statuses.sort_by_key(Value::as_i64);
            assert_eq!(json!(statuses), json!(in_mode), "{level:?}");
            assert_eq!(shop.key.list(&path).await.len(), in_development, "{level:?}");
        });
    }
}
