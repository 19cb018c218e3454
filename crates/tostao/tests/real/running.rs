//! A running server, as an operator watches and stops it.

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::client::Client;
use crate::harness::program::Server;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{EMAIL, PASSWORD, Shop, charge};
use crate::harness::{embedded, until};

const PAYMENTS: &str = "/api/v1/transactions";
const ID: &str = "/transaction/id";

#[story::test]
async fn a_ready_server_says_so_and_counts_what_it_serves(database_url: &str) {
    let metrics = ("TOSTAO_METRICS_LISTEN", "127.0.0.1:0");
    let mut server = Server::start_with(database_url, &[metrics]).await;
    let numbers = Client::new(server.address_of("serving metrics").await);
    let anyone = Client::new(server.address);
    let ready = anyone.get("/readyz").await;
    assert_eq!(ready.status, 200);
    assert!(ready.text.starts_with("ready "), "{}", ready.text);
    assert_eq!(anyone.get("/healthz").await.text, "ok");
    anyone.get("/nowhere").await.expect_refusal(404, "NOT_FOUND");
    let shown = numbers.get("/metrics").await;
    assert_eq!(shown.header("content-type"), Some("text/plain; version=0.0.4"));
    for line in [
        "# TYPE http_requests_total counter",
        r#"http_requests_total{method="GET",route="/readyz",status="200"} 1"#,
        r#"http_requests_total{method="GET",route="none",status="404"} 1"#,
        r#"http_request_seconds_count{route="/healthz"} 1"#,
    ] {
        assert!(shown.text.lines().any(|shown| shown == line), "{line}\n{}", shown.text);
    }
    anyone.get("/metrics").await.expect_refusal(404, "NOT_FOUND");
    server.stop().await;
}

#[story::in_a_folder]
async fn the_demo_serves_metrics_where_they_are_asked_for(folder: &TempDir) {
    let path = folder.path().display().to_string();
    let settings =
        [("TMPDIR", &*path), ("TOSTAO_LOG", "info"), ("TOSTAO_METRICS_LISTEN", "127.0.0.1:0")];
    let url = embedded(folder);
    let demo = Server::start_as(&url, &["demo"], "serving metrics", &settings).await;
    assert_eq!(Client::new(demo.address).get("/metrics").await.status, 200);
    demo.kill();
}

#[story::test]
async fn a_payment_is_counted_once_for_each_status_that_it_reaches_in_any_process(
    database_url: &str,
) {
    let metrics = ("TOSTAO_METRICS_LISTEN", "127.0.0.1:0");
    let mut server = Server::start_with(database_url, &[metrics]).await;
    let numbers = Client::new(server.address_of("serving metrics").await);
    let shop = Shop::open(&server).await;
    // By the bank; the others by the merchant and by the clock.
    shop.sell(4_990).await;
    let cancelled = text(&shop.client.post(PAYMENTS, charge(10)).await.expect(201), ID);
    shop.client.post(&format!("{PAYMENTS}/{cancelled}/cancel"), json!({})).await.expect(200);
    shop.client.post(PAYMENTS, charge(20)).await.expect(201);
    // By the acquirer at once, and by asking it later.
    pay_by_card(&shop, "4242424242424242").await.expect(201);
    pay_by_card(&shop, "4000000000000002").await.expect_refusal(402, "CARD_DECLINED");
    let disputed = text(&pay_by_card(&shop, "4000000000000119").await.expect(201), ID);
    // By a coupon that leaves nothing to pay.
    let all = json!({ "code": "TUDO", "discountType": "PERCENTAGE", "discountValue": 100 });
    shop.client.post("/api/v1/coupons", all).await.expect(201);
    let mut free = charge(30);
    free["couponCode"] = "TUDO".into();
    shop.client.post(PAYMENTS, free).await.expect(201);
    let later = json!({ "seconds": 7_200 });
    shop.client.post("/api/dev/clock/advance", later).await.expect(200);
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        let path = format!("{PAYMENTS}/{disputed}/simulate");
        shop.client.post(&path, json!({ "outcome": outcome })).await.expect(200);
    }
    // What was refused is not counted.
    let path = format!("{PAYMENTS}/{disputed}/cancel");
    shop.client.post(&path, json!({})).await.expect_refusal(409, "INVALID_STATE_TRANSITION");

    let shown = numbers.get("/metrics").await.text;
    let mut counted: Vec<_> =
        shown.lines().filter_map(|line| line.strip_prefix("payments_total")).collect();
    counted.sort_unstable();
    assert_eq!(
        counted,
        [
            r#"{method="CREDIT_CARD",status="CHARGED_BACK"} 1"#,
            r#"{method="CREDIT_CARD",status="DISPUTED"} 1"#,
            r#"{method="CREDIT_CARD",status="FAILED"} 1"#,
            r#"{method="CREDIT_CARD",status="PAID"} 2"#,
            r#"{method="CREDIT_CARD",status="PROCESSING"} 3"#,
            r#"{method="FREE",status="PAID"} 1"#,
            r#"{method="FREE",status="PENDING"} 1"#,
            r#"{method="PIX",status="CANCELLED"} 1"#,
            r#"{method="PIX",status="EXPIRED"} 1"#,
            r#"{method="PIX",status="PAID"} 1"#,
            r#"{method="PIX",status="PENDING"} 3"#,
        ]
    );
    server.stop().await;
}

#[story::test]
async fn what_a_server_without_workers_leaves_is_done_by_a_worker_beside_it(database_url: &str) {
    if !database_url.starts_with("postgres") {
        // An embedded database has room for one process that writes.
        return;
    }
    let receiver = Receiver::start().await;
    let server = Server::start_as(database_url, &["serve", "--no-worker"], "serving", &[]).await;
    let shop = Shop::open(&server).await;
    shop.subscribe(&receiver.url).await;
    shop.sell(4_990).await;
    let waiting = shop.client.get("/api/webhooks/events?status=PENDING").await.expect(200);
    assert_eq!(waiting["pagination"]["total"], 3, "{waiting}");
    assert!(receiver.take().is_empty());

    let metrics = ("TOSTAO_METRICS_LISTEN", "127.0.0.1:0");
    let worker = Server::start_as(database_url, &["worker"], "serving metrics", &[metrics]).await;
    until("the webhooks arrive", async || {
        let path = "/api/webhooks/events?status=DELIVERED";
        let printed = shop.client.get(path).await.expect(200);
        (printed["pagination"]["total"] == 3).then_some(())
    })
    .await;
    assert_eq!(receiver.take().len(), 3);
    worker.stop().await;
    server.stop().await;
}

#[story::test]
async fn a_stopping_server_finishes_requests_in_flight_and_accepts_no_new_ones(database_url: &str) {
    let mut server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    let body = json!({ "title": "Caneca", "amountCents": 4_990 }).to_string();
    let mut stream = TcpStream::connect(server.address).await.expect("connects");
    let head = format!(
        "POST /api/v1/payment-links HTTP/1.1\r\nhost: tostao\r\napi-key: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        shop.key,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("writes");
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).await.expect("the server waits for the body");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");

    server.ask_to_stop();
    until("new connections are refused", async || TcpStream::connect(server.address).await.err())
        .await;
    stream.write_all(body.as_bytes()).await.expect("writes");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the server answers and closes");
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    assert_eq!(server.ended().await.code(), Some(0));

    let server = Server::start(database_url).await;
    let links = shop.client.at(server.address).get("/api/v1/payment-links").await.expect(200);
    assert_eq!(links["pagination"]["total"], 1);
    server.stop().await;
}

#[story::test]
async fn a_client_that_sends_far_too_much_without_asking_reads_why_it_was_refused(
    database_url: &str,
) {
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    let (part, parts) = (" ".repeat(64 * 1024), 160);
    let table = [
        (format!("content-length: {}", parts * part.len()), part.clone(), ""),
        ("transfer-encoding: chunked".to_owned(), format!("10000\r\n{part}\r\n"), "0\r\n\r\n"),
    ];
    for (framing, part, end) in table {
        let mut client = TcpStream::connect(server.address).await.expect("connects");
        let head = format!(
            "POST /api/v1/payment-links HTTP/1.1\r\nhost: tostao\r\napi-key: {}\r\n\
             content-type: application/json\r\nconnection: close\r\n{framing}\r\n\r\n",
            shop.key,
        );
        client.write_all(head.as_bytes()).await.expect("writes");
        for _ in 0..parts {
            client.write_all(part.as_bytes()).await.expect("the server takes it");
        }
        client.write_all(end.as_bytes()).await.expect("the server takes it");
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.expect("the answer is not lost");
        assert!(answer.starts_with("HTTP/1.1 413 Payload Too Large\r\n"), "{answer}");
        assert!(answer.contains("PAYLOAD_TOO_LARGE"), "{answer}");
    }
    server.stop().await;
}

#[story::test]
async fn a_server_on_any_free_port_gives_the_address_that_it_has(database_url: &str) {
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    let link = json!({ "title": "Caneca", "amountCents": 4_990 });
    let link = shop.client.post("/api/v1/payment-links", link).await.expect(201);
    let url = text(&link, "/data/url");
    assert!(url.starts_with(&format!("http://{}/pay/", server.address)), "{url}");
    server.stop().await;
}

#[story::test]
async fn the_seventh_attempt_to_sign_in_within_a_minute_is_refused_with_the_time_to_wait(
    database_url: &str,
) {
    let limits = ("TOSTAO_RATE_LIMITS", "on");
    let server = Server::start_with(database_url, &[limits]).await;
    let anyone = Client::new(server.address);
    let attempt = || json!({ "email": EMAIL, "password": PASSWORD });
    for left in (0..6).rev() {
        let refused = anyone.post("/api/auth/login", attempt()).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
        assert_eq!(refused.header("ratelimit-limit"), Some("6"));
        assert_eq!(refused.header("ratelimit-remaining"), Some(&*left.to_string()));
    }
    let refused = anyone.post("/api/auth/login", attempt()).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    let wait = refused.header("retry-after").expect("is there");
    assert!((1..=900).contains(&wait.parse::<u64>().expect("is a number")), "{wait}");
    assert_eq!(refused.json()["retryAfter"].to_string(), wait);
    assert_eq!(refused.header("ratelimit-limit"), Some("6"));
    assert_eq!(refused.header("ratelimit-remaining"), Some("0"));
    assert_eq!(refused.header("ratelimit-reset"), Some(wait));
    server.stop().await;
}

#[story::test]
async fn the_log_is_json_and_holds_neither_secrets_nor_what_people_sent(database_url: &str) {
    let receiver = Receiver::start().await;
    let server = Server::start_with(database_url, &[("TOSTAO_LOG", "trace")]).await;
    let shop = Shop::open(&server).await;
    let secret = shop.subscribe(&receiver.url).await;
    let link = json!({ "title": "Caneca Secreta", "amountCents": 4_990 });
    let link = shop.client.post("/api/v1/payment-links", link).await.expect(201);
    let slug = link["data"]["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    let buyer = json!({
        "name": "Fulano de Tal", "email": "fulano@example.com", "phone": "11987654321",
        "document": "529.982.247-25",
    });
    let anyone = Client::new(server.address);
    let wanted = json!({ "method": "PIX", "customer": buyer });
    let made = anyone.post(&path, wanted).await.expect(201);
    let follow = text(&made, "/transaction/paymentUrl");
    let id = text(&made, "/transaction/id");
    let path = format!("/api/v1/transactions/{id}/simulate");
    shop.client.post(&path, json!({ "outcome": "PAID" })).await.expect(200);
    let wrong = json!({ "email": EMAIL, "password": "a wrong password" });
    anyone.post("/api/auth/login", wrong).await.expect(401);
    anyone.with("api-key", &format!("{}x", shop.key)).get("/api/v1/products").await.expect(401);
    until("the webhooks arrive", async || receiver.take().pop()).await;
    let log = server.stop().await;

    assert!(log.iter().any(|line| line.contains("request served")), "{log:#?}");
    let token = follow.rsplit(['=', '/']).next().expect("ends with a token").to_owned();
    let (access, refresh) =
        (text(&shop.session, "/accessToken"), text(&shop.session, "/refreshToken"));
    let key_without_its_name = shop.key[shop.key.len() - 38..].to_owned();
    let hidden = [
        &*key_without_its_name,
        &access,
        &refresh,
        &secret,
        &token,
        PASSWORD,
        "a wrong password",
        "529.982.247-25",
        "52998224725",
        "11987654321",
        "Fulano",
        "fulano@example.com",
        EMAIL,
        "Caneca Secreta",
        crate::harness::database::SECRET,
    ];
    for line in &log {
        let read: Result<Value, _> = serde_json::from_str(line);
        assert!(read.is_ok_and(|line| line["level"].is_string()), "not JSON: {line}");
        for word in hidden {
            assert!(!line.contains(word), "`{word}` stands in {line}");
        }
    }
}

/// Lets a test card pay.
async fn pay_by_card(shop: &Shop, number: &str) -> Reply {
    let card = json!({
        "number": number, "expMonth": 12, "expYear": 2040, "cvv": "123", "holderName": "ANA",
    });
    let token = shop.client.post("/sandbox/card-tokens", card).await.expect(201);
    let mut sale = charge(5_000);
    sale["method"] = "CREDIT_CARD".into();
    sale["cardToken"] = token["cardToken"].clone();
    shop.client.post(PAYMENTS, sale).await
}

fn text(object: &Value, at: &str) -> String {
    let found = object.pointer(at).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no {at} in {object}")).to_owned()
}
