//! Calls with tokens: fetched once, replaced once, and a failure of theirs is none of the call's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use http::header::AUTHORIZATION;
use tokio::sync::Semaphore;
use upstream::call::{Call, Report};
use upstream::client::Client;
use upstream::failure::{Failure, Fault, Unsent};
use upstream::settings::Limits;

use crate::peer::{Act, Peer, object, ok, reply};

/// Sends a call whose token comes from the service's own door.
async fn send(client: &Client) -> Report {
    let call = Call::post("pay", "/pay").json(&1);
    let fetch = || {
        let client = client.clone();
        let ask = Call::post("token", "/token").header(AUTHORIZATION, "Basic YTpi");
        let ask = ask.json(&serde_json::json!({ "grant_type": "client_credentials" }));
        async move { client.ask_for_token(ask).await }
    };
    on_any_thread(client.send(call, fetch)).await
}

/// Handlers and jobs move between the threads of the runtime.
fn on_any_thread<F: Send>(future: F) -> F {
    future
}

fn grant(number: usize) -> Vec<u8> {
    let token = serde_json::json!({
        "access_token": format!("t{number}"),
        "token_type": "Bearer",
        "expires_in": 3_600,
        "scope": "cob.read cob.write",
    });
    let body = token.to_string();
    reply("200 OK", "", &body)
}

/// Grants a new token for each request of one, and does as the script says with all others: it
/// gets the token that came with the request.
async fn granting(script: impl Fn(&str) -> Act + Send + Sync + 'static) -> Peer {
    let granted = AtomicUsize::new(0);
    Peer::start(move |_, request| {
        if request.starts_with("POST /base/token ") {
            return Act::Answer(grant(granted.fetch_add(1, Ordering::SeqCst) + 1));
        }
        let bearer = request.lines().find_map(|line| line.strip_prefix("authorization: Bearer "));
        script(bearer.unwrap())
    })
    .await
}

fn unauthorized() -> Act {
    Act::Answer(reply("401 Unauthorized", "", "{}"))
}

fn count(peer: &Peer, line: &str) -> usize {
    peer.lines().iter().filter(|other| *other == line).count()
}

#[tokio::test]
async fn calls_share_a_token_and_the_token_request_has_the_credentials() {
    let peer = granting(|token| if token == "t1" { ok() } else { unauthorized() }).await;
    let client = peer.client();
    for _ in 0..3 {
        assert_eq!(send(&client).await.outcome(), "ok");
    }
    let lines = ["POST /base/token", "POST /base/pay", "POST /base/pay", "POST /base/pay"];
    assert_eq!(peer.lines(), lines);
    assert!(peer.requests()[0].contains("\r\nauthorization: Basic YTpi\r\n"));
}

#[tokio::test]
async fn a_token_that_is_refused_once_is_replaced_and_the_call_sent_once_more() {
    let peer = granting(|token| if token == "t1" { unauthorized() } else { ok() }).await;
    let client = peer.client();
    let report = send(&client).await;
    assert_eq!((report.outcome(), report.status), ("ok", Some(200)));
    assert_eq!(send(&client).await.outcome(), "ok");
    let lines = [
        "POST /base/token",
        "POST /base/pay",
        "POST /base/token",
        "POST /base/pay",
        "POST /base/pay",
    ];
    assert_eq!(peer.lines(), lines);
}

#[tokio::test]
async fn a_token_that_is_refused_twice_is_misconfigured_and_no_third_is_asked_for() {
    let peer = granting(|_| unauthorized()).await;
    let client = peer.client();
    for _ in 0..3 {
        let report = send(&client).await;
        let failure = report.result.unwrap_err();
        let is_expected =
            matches!(failure, Failure::Misconfigured { fault: Fault::Credentials, .. });
        assert!(is_expected, "{failure:?}");
    }
    assert_eq!((count(&peer, "POST /base/token"), count(&peer, "POST /base/pay")), (2, 2));
}

#[tokio::test]
async fn fifty_callers_with_a_slow_token_ask_for_it_once() {
    let gate = Arc::new(Semaphore::new(0));
    let script = Arc::clone(&gate);
    let peer = Peer::start(move |_, request| {
        if request.starts_with("POST /base/token ") {
            Act::AnswerAfter(Arc::clone(&script), grant(1))
        } else {
            ok()
        }
    })
    .await;
    let client = peer.client_with(Limits { in_flight: 2, ..Limits::default() });
    let callers = join_all((0..50).map(|_| send(&client)));
    // The callers are polled first, so all of them wait before the token is granted.
    let (reports, ()) = tokio::join!(callers, async { gate.add_permits(50) });
    assert!(reports.iter().all(|report| report.outcome() == "ok"));
    assert_eq!((count(&peer, "POST /base/token"), count(&peer, "POST /base/pay")), (1, 50));
}

#[tokio::test]
async fn callers_whose_token_is_refused_at_once_replace_it_once() {
    let peer = granting(|token| if token == "t1" { unauthorized() } else { ok() }).await;
    let client = peer.client();
    let reports = join_all((0..20).map(|_| send(&client))).await;
    assert!(reports.iter().all(|report| report.outcome() == "ok"));
    assert_eq!(count(&peer, "POST /base/token"), 2);
}

#[tokio::test]
async fn a_refused_token_is_never_a_refused_payment() {
    let oauth = r#"{"error":"invalid_client","error_description":"unknown"}"#;
    for (status, body, expected) in [
        ("400 x", oauth.to_owned(), "no token is granted: invalid_client"),
        ("422 x", object("e1"), "no token is granted: e1"),
        ("409 x", object("e1"), "no token is granted: e1"),
        ("401 x", oauth.to_owned(), "the service does not accept our credentials: invalid_client"),
    ] {
        let bytes = reply(status, "", &body);
        let peer = Peer::start(move |_, _| Act::Answer(bytes.clone())).await;
        let client = peer.client();
        let cause = expected.to_owned();
        let expected = Failure::Misconfigured { fault: Fault::Credentials, cause };
        // The second caller gets the refusal of the first at once.
        for _ in 0..2 {
            assert_eq!(send(&client).await.result, Err(expected.clone()), "{status}");
        }
        assert_eq!(peer.lines(), ["POST /base/token"], "{status}");
    }
}

#[tokio::test]
async fn a_token_whose_request_fails_leaves_the_call_unsent() {
    let html = reply("200 OK", "", "<html>");
    for act in [reply("500 x", "", "{}"), html, reply("200 OK", "", "{}"), b"cut".to_vec()] {
        let peer = Peer::start(move |_, _| Act::Close(act.clone())).await;
        let report = send(&peer.client()).await;
        let failure = report.result.unwrap_err();
        let is_expected = matches!(failure, Failure::NotSent { reason: Unsent::NoToken, .. });
        assert!(is_expected, "{failure:?}");
        assert_eq!(peer.lines(), ["POST /base/token"]);
    }
}

#[tokio::test]
async fn a_call_that_waits_for_a_token_until_its_deadline_is_not_sent() {
    let peer = Peer::start(|_, _| Act::Hang(Vec::new())).await;
    let client = peer.client();
    let call = Call::post("pay", "/pay").within(Duration::from_millis(150));
    let other = client.clone();
    let report = client
        .send(call, || {
            let other = other.clone();
            async move { other.ask_for_token(Call::post("token", "/token")).await }
        })
        .await;
    let failure = report.result.unwrap_err();
    assert!(matches!(failure, Failure::NotSent { reason: Unsent::NoToken, .. }), "{failure:?}");
    assert_eq!(count(&peer, "POST /base/pay"), 0);
}
