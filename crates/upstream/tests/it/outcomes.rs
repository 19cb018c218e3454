//! What each behavior of a service comes to, over TLS.

use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderName};
use tokio::net::TcpListener;
use upstream::call::{Call, Reads, Report};
use upstream::client::Client;
use upstream::failure::{Failure, Fault, Unsent};
use upstream::settings::{Limits, Settings};

use crate::peer::{Act, Peer, object, ok, reply};

async fn pay(client: &Client) -> Report {
    client.call(Call::post("pay", "/pay").json(&serde_json::json!({ "valor": "1.00" }))).await
}

/// What a POST comes to at a service that does this with it.
async fn outcome(act: impl Fn() -> Act + Send + Sync + 'static) -> Result<u16, Failure> {
    let peer = Peer::start(move |_, _| act()).await;
    let result = pay(&peer.client()).await.result.map(|answer| answer.status);
    assert_eq!(peer.requests().len(), 1, "every request is sent once");
    result
}

fn answer(status: &str, headers: &str, body: &str) -> impl Fn() -> Act + Send + Sync + use<> {
    let bytes = reply(status, headers, body);
    move || Act::Answer(bytes.clone())
}

fn is_unknown(result: &Result<u16, Failure>) -> bool {
    matches!(result, Err(Failure::Unknown { .. }))
}

#[tokio::test]
async fn a_request_arrives_as_it_was_made_and_its_answer_is_whole() {
    let body = format!("[\"{}\"]", "x".repeat(1_000_000));
    let bytes = reply("201 Created", "x-request-id: r1\r\n", &body);
    let peer = Peer::start(move |_, _| Act::Answer(bytes.clone())).await;
    let call = Call::put("issue", "/v2/cob").segment("a b").query("x", "é");
    let call = call.header(AUTHORIZATION, "Basic YTpi").json(&serde_json::json!({ "a": 1 }));

    let report = peer.client().call(call).await;

    assert_eq!((report.operation, report.status, report.outcome()), ("issue", Some(201), "ok"));
    assert_eq!(report.headers["x-request-id"], "r1");
    assert!(report.elapsed > Duration::ZERO && report.elapsed < Duration::from_secs(10));
    let answer = report.result.unwrap();
    assert_eq!((answer.status, answer.body.len()), (201, body.len()));
    let host = format!("localhost:{}", peer.address.port());
    let expected = format!(
        "PUT /base/v2/cob/a%20b?x=%C3%A9 HTTP/1.1\r\naccept: application/json\r\n\
         authorization: Basic YTpi\r\ncontent-type: application/json\r\nhost: {host}\r\n\
         content-length: 7\r\n\r\n{{\"a\":1}}"
    );
    assert_eq!(peer.requests(), [expected]);
}

#[tokio::test]
async fn every_method_is_sent_and_calls_share_a_connection() {
    let peer = Peer::start(|_, _| ok()).await;
    let client = peer.client();
    for call in [
        Call::get("a", "/a"),
        Call::post("b", "/b").form(&[("grant_type", "client_credentials"), ("scope", "a b")]),
        Call::put("c", "/c"),
        Call::patch("d", "/d").json(&1),
        Call::delete("e", "/e"),
    ] {
        assert_eq!(client.call(call).await.status, Some(200));
    }
    let lines = ["GET /base/a", "POST /base/b", "PUT /base/c", "PATCH /base/d", "DELETE /base/e"];
    assert_eq!(peer.lines(), lines);
    assert!(peer.requests()[1].ends_with("\r\n\r\ngrant_type=client_credentials&scope=a+b"));
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn a_service_that_cannot_be_reached_gets_no_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let peer = Peer::start(|_, _| ok()).await;
    for address in [
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}"),
        "https://no-such-host.invalid".to_owned(),
    ] {
        // A name service that does not answer must not take longer than one that does.
        let limits = Limits { connect: Duration::from_millis(500), ..Limits::default() };
        let client = Client::new(&Settings { address, limits, ..peer.settings() }).unwrap();
        let failure = pay(&client).await.result.unwrap_err();
        let Failure::NotSent { reason: Unsent::Unreachable, cause, .. } = failure else {
            panic!("{failure:?}");
        };
        assert!(cause.starts_with("the service cannot be reached: "), "{cause}");
    }
}

#[tokio::test]
async fn a_connection_that_is_reset_before_its_handshake_ends_carries_no_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let peer = Peer::start(|_, _| ok()).await;
    let client = Client::new(&Settings { address, ..peer.settings() }).unwrap();
    let reset = async {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_zero_linger().unwrap();
    };
    let (report, ()) = tokio::join!(pay(&client), reset);
    let failure = report.result.unwrap_err();
    assert!(matches!(failure, Failure::NotSent { reason: Unsent::Unreachable, .. }), "{failure:?}");
}

#[tokio::test]
async fn a_connection_that_ends_after_the_request_was_written_leaves_the_outcome_unknown() {
    assert!(is_unknown(&outcome(|| Act::Reset(Vec::new())).await));
    assert!(is_unknown(&outcome(|| Act::Close(Vec::new())).await));
    assert!(is_unknown(&outcome(|| Act::Close(b"HTTP/1.1 200 OK\r\ncont".to_vec())).await));
    assert!(is_unknown(&outcome(|| Act::Answer(b"no HTTP\r\n\r\n".to_vec())).await));
}

#[tokio::test]
async fn a_success_that_cannot_be_read_leaves_the_outcome_unknown() {
    let cut = || b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"a\"".to_vec();
    assert!(is_unknown(&outcome(move || Act::Close(cut())).await));
    assert!(is_unknown(&outcome(move || Act::Reset(cut())).await));
    let html = answer("200 OK", "content-type: text/html\r\n", "<html></html>");
    assert!(is_unknown(&outcome(html).await));
    assert!(is_unknown(&outcome(answer("200 OK", "", "")).await));
}

#[tokio::test]
async fn a_body_of_more_than_a_mebibyte_is_not_read() {
    const MEBIBYTE: usize = 1_048_576;
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    let chunked = |bytes: usize| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        format!("{head}{bytes:x}\r\n{}\r\n0\r\n\r\n", text(bytes)).into_bytes()
    };
    for (bytes, expected) in [(MEBIBYTE, Ok(200)), (MEBIBYTE + 1, Err("unknown"))] {
        let code = |result: Result<u16, Failure>| result.map_err(|failure| failure.code());
        let announced = reply("200 OK", "", &text(bytes));
        assert_eq!(code(outcome(move || Act::Answer(announced.clone())).await), expected);
        let chunks = chunked(bytes);
        assert_eq!(code(outcome(move || Act::Answer(chunks.clone())).await), expected);
    }
}

#[tokio::test]
async fn an_error_of_the_service_leaves_the_outcome_unknown() {
    for status in ["408 x", "500 x", "502 x", "503 x", "504 x"] {
        let result = outcome(answer(status, "retry-after: 1\r\n", &object("e1"))).await;
        assert!(is_unknown(&result), "{status}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_leaves_the_outcome_unknown() {
    let elsewhere = Peer::start(|_, _| ok()).await;
    let location = format!("location: https://localhost:{}/x\r\n", elsewhere.address.port());
    for status in ["301 x", "302 x", "303 x", "307 x", "308 x"] {
        assert!(is_unknown(&outcome(answer(status, &location, "")).await), "{status}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn an_html_400_is_a_proxy_that_misses_our_certificate_and_nothing_is_refused() {
    let html = "<html>400 No required SSL certificate was sent</html>";
    let result = outcome(answer("400 Bad Request", "content-type: text/html\r\n", html)).await;
    let cause = "the answer is 400 with text/html instead of an error of the service's own; \
                 proxies refuse a client certificate so";
    let expected = Failure::Misconfigured { fault: Fault::Proxy, cause: cause.to_owned() };
    assert_eq!(result, Err(expected));
}

#[tokio::test]
async fn an_error_in_the_services_own_form_is_a_refusal_in_its_words() {
    let result = outcome(answer("422 x", "", &object("chave_invalida"))).await;
    let (code, text) = ("chave_invalida".to_owned(), "Não foi possível".to_owned());
    assert_eq!(result, Err(Failure::Refused { status: 422, code, text }));
}

#[tokio::test]
async fn an_id_that_the_service_knows_is_never_a_refusal() {
    let duplicate = |code: &str, text: &str| {
        Err(Failure::Duplicate { code: code.to_owned(), text: text.to_owned() })
    };
    let text = "Não foi possível";
    assert_eq!(outcome(answer("409 x", "", &object("e1"))).await, duplicate("e1", text));
    assert_eq!(outcome(answer("400 x", "", &object("known"))).await, duplicate("known", text));
    assert_eq!(outcome(answer("409 x", "", "<html>")).await, duplicate("", ""));
}

#[tokio::test]
async fn a_missing_permission_is_misconfigured() {
    for body in [object("e1"), "<html>".to_owned()] {
        let result = outcome(answer("403 x", "", &body)).await;
        assert!(matches!(result, Err(Failure::Misconfigured { fault: Fault::Permission, .. })));
    }
}

#[tokio::test]
async fn credentials_without_a_token_are_not_tried_twice() {
    let result = outcome(answer("401 x", "", &object("e1"))).await;
    assert!(matches!(result, Err(Failure::Misconfigured { fault: Fault::Credentials, .. })));
}

#[tokio::test]
async fn too_many_requests_are_not_sent_until_the_service_says() {
    let date =
        "date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:29:30 GMT\r\n";
    for (headers, expected) in [("", None), ("retry-after: 3\r\n", Some(3)), (date, Some(90))] {
        let result = outcome(answer("429 Too Many Requests", headers, "<html>")).await;
        let cause = "the service received too many requests".to_owned();
        let retry_after = expected.map(Duration::from_secs);
        let reason = Unsent::RateLimited;
        assert_eq!(result, Err(Failure::NotSent { reason, cause, retry_after }));
    }
}

#[tokio::test]
async fn what_the_service_does_not_know_is_an_answer_to_a_question_only() {
    let peer = Peer::start(|_, _| Act::Answer(reply("404 x", "", &object("e1")))).await;
    let client = peer.client();
    let found = client.call(Call::get("find", "/1")).await.result;
    assert!(matches!(found, Err(Failure::NotFound { .. })), "{found:?}");
    let failure = client.call(Call::post("pay", "/1")).await.result.unwrap_err();
    assert_eq!(failure.code(), "refused");
    let proxy = Peer::start(|_, _| Act::Answer(reply("404 x", "", "<html>"))).await;
    let failure = proxy.client().call(Call::get("find", "/1")).await.result.unwrap_err();
    assert_eq!(failure.code(), "misconfigured");
}

#[tokio::test]
async fn an_answer_without_a_body_is_one_where_none_is_needed() {
    let peer = Peer::start(|_, _| Act::Answer(b"HTTP/1.1 204 x\r\n\r\n".to_vec())).await;
    let end = Call::delete("end", "/1");
    assert!(peer.client().call(end.clone().reads(Reads::Anything)).await.result.is_ok());
    assert_eq!(peer.client().call(end).await.outcome(), "unknown");
}

#[tokio::test]
async fn a_cookie_is_not_kept_and_a_body_is_not_decompressed() {
    let peer = Peer::start(|_, _| {
        Act::Answer(reply("200 OK", "set-cookie: a=b\r\ncontent-encoding: gzip\r\n", "{}"))
    })
    .await;
    let client = peer.client();
    for _ in 0..2 {
        assert_eq!(pay(&client).await.result.unwrap().body, "{}");
    }
    for request in peer.requests() {
        assert!(!request.contains("cookie") && !request.contains("accept-encoding"), "{request}");
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_sent_as_it_is_is_misconfigured() {
    let peer = Peer::start(|_, _| ok()).await;
    for call in [
        Call::post("pay", "pay"),
        Call::post("pay", "/pay").segment(".."),
        Call::post("pay", "/pay").header(HeaderName::from_static("x-account"), "1\n2"),
    ] {
        let failure = peer.client().call(call).await.result.unwrap_err();
        assert!(matches!(failure, Failure::Misconfigured { fault: Fault::Request, .. }));
    }
    assert_eq!(peer.connections(), 0);
}
