//! Deadlines, places and addresses.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use upstream::call::Call;
use upstream::client::Client;
use upstream::failure::{Failure, Unsent};
use upstream::settings::{Limits, Settings, SetupError};

use crate::peer::{Act, Peer, ok, reply};

const SHORT: Duration = Duration::from_millis(150);

fn pay() -> Call {
    Call::post("pay", "/pay").json(&1)
}

fn unsent(result: &Result<upstream::call::Answer, Failure>) -> Option<Unsent> {
    match result {
        Err(Failure::NotSent { reason, .. }) => Some(*reason),
        _ => None,
    }
}

#[tokio::test]
async fn a_service_that_never_finishes_its_answer_leaves_the_outcome_unknown_at_the_deadline() {
    let started = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n".to_vec();
    let interim = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
    for (name, bytes) in [("silent", Vec::new()), ("head only", started), ("interim only", interim)]
    {
        let peer = Peer::start(move |number, _| match number {
            0 => ok(),
            _ => Act::Hang(bytes.clone()),
        })
        .await;
        let client = peer.client();
        // The connection is open before the time that a busy machine may need for it matters.
        assert_eq!(client.call(pay()).await.outcome(), "ok", "{name}");
        let report = client.call(pay().within(SHORT)).await;
        assert_eq!(report.outcome(), "unknown", "{name}");
        assert!(report.elapsed >= SHORT, "{name}");
    }
}

#[tokio::test]
async fn a_service_that_never_finishes_its_handshake_gets_no_request() {
    // The system accepts for the listener, which never reads.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let peer = Peer::start(|_, _| ok()).await;
    let settings = || Settings { address: address.clone(), ..peer.settings() };

    let at_deadline = Client::new(&settings()).unwrap().call(pay().within(SHORT)).await;
    assert_eq!(unsent(&at_deadline.result), Some(Unsent::Unreachable));
    let limits = Limits { connect: SHORT, ..Limits::default() };
    let at_limit = Client::new(&Settings { limits, ..settings() }).unwrap().call(pay()).await;
    assert_eq!(unsent(&at_limit.result), Some(Unsent::Unreachable));
    assert!(at_limit.elapsed < Duration::from_secs(10));
}

#[tokio::test]
async fn a_call_without_a_place_waits_within_its_deadline_and_is_not_sent() {
    let gate = Arc::new(Semaphore::new(0));
    let script = Arc::clone(&gate);
    let peer =
        Peer::start(move |_, _| Act::AnswerAfter(Arc::clone(&script), reply("200 OK", "", "{}")))
            .await;
    let client = peer.client_with(Limits { in_flight: 1, ..Limits::default() });

    let late = async {
        let report = client.call(pay().within(SHORT)).await;
        assert_eq!(unsent(&report.result), Some(Unsent::Busy));
        assert!(report.elapsed >= SHORT);
        gate.add_permits(2);
        client.call(pay()).await.outcome()
    };
    let (first, third) = tokio::join!(client.call(pay()), late);

    assert_eq!((first.outcome(), third), ("ok", "ok"));
    assert_eq!(peer.requests().len(), 2);
}

#[tokio::test]
async fn a_call_whose_deadline_has_passed_is_not_sent_on_a_connection_that_is_open() {
    let peer = Peer::start(|_, _| ok()).await;
    let client = peer.client();
    assert_eq!(client.call(pay()).await.outcome(), "ok");
    let late = client.call(pay().within(Duration::ZERO)).await;
    assert_eq!(unsent(&late.result), Some(Unsent::Busy));
    assert_eq!(client.call(pay()).await.outcome(), "ok");
    assert_eq!(peer.requests().len(), 2);
}

#[tokio::test]
async fn a_caller_that_leaves_gives_its_place_back() {
    let peer = Peer::start(|_, request| {
        if request.starts_with("POST /base/hang ") { Act::Hang(Vec::new()) } else { ok() }
    })
    .await;
    let client = peer.client_with(Limits { in_flight: 1, ..Limits::default() });
    let left = tokio::time::timeout(SHORT, client.call(Call::post("pay", "/hang"))).await;
    assert!(left.is_err());
    assert_eq!(client.call(pay()).await.outcome(), "ok");
}

#[tokio::test]
async fn plain_http_is_for_this_machine_only() {
    let peer = Peer::plain(|_, _| ok()).await;
    assert_eq!(peer.client().call(pay()).await.outcome(), "ok");
    for (address, expected) in [
        ("http://api.example.com", SetupError::PlainHttp),
        ("http://192.168.0.1", SetupError::PlainHttp),
        ("api.example.com", SetupError::Address),
    ] {
        let settings = Settings { address: address.to_owned(), ..peer.settings() };
        assert_eq!(Client::new(&settings).err(), Some(expected), "{address}");
    }
}

#[tokio::test]
async fn idle_connections_are_kept_up_to_the_limit_for_each_host() {
    let peer = Peer::start(|_, _| ok()).await;
    for (idle_per_host, connections) in [(8, 1), (0, 4)] {
        let client = peer.client_with(Limits { idle_per_host, ..Limits::default() });
        for _ in 0..3 {
            client.call(pay()).await;
        }
        assert_eq!(peer.connections(), connections);
    }
}

#[tokio::test]
async fn an_operation_that_is_asked_too_often_is_left_alone_for_every_caller_and_no_other_one_is() {
    let limited = "retry-after: 3600\r\n";
    let peer = Peer::start(move |number, _| match number {
        0 => Act::Answer(reply("429 Too Many Requests", limited, "{}")),
        _ => ok(),
    })
    .await;
    let client = peer.client();
    for _ in 0..3 {
        let result = client.call(pay()).await.result;
        assert_eq!(unsent(&result), Some(Unsent::RateLimited));
    }
    assert_eq!(peer.requests().len(), 1);
    assert!(client.call(Call::get("find", "/pay")).await.result.is_ok());
    assert_eq!(peer.requests().len(), 2);
}
