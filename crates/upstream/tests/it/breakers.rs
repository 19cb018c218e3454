//! A client leaves a service alone that keeps failing, and finds out when it is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{advance, pause, resume};
use upstream::call::Call;
use upstream::failure::{Failure, Unsent};

use crate::peer::{Act, Peer, object, ok, reply};

/// Moves the clock while nothing is in flight that it could run out for.
async fn pass(time: Duration) {
    pause();
    advance(time).await;
    resume();
}

#[tokio::test]
async fn ten_outages_in_a_row_open_the_breaker_and_one_probe_closes_it() {
    let is_back = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&is_back);
    let peer = Peer::start(move |_, _| {
        if switch.load(Ordering::SeqCst) { ok() } else { Act::Answer(reply("503 x", "", "{}")) }
    })
    .await;
    let client = peer.client();
    let pay = || client.call(Call::post("pay", "/pay"));

    for _ in 0..10 {
        assert!(!client.is_left_alone());
        assert_eq!(pay().await.outcome(), "unknown");
    }
    assert!(client.is_left_alone());
    let Err(Failure::NotSent { reason, retry_after, .. }) = pay().await.result else {
        panic!("the breaker is open");
    };
    assert_eq!(reason, Unsent::BreakerOpen);
    assert!(retry_after.unwrap() <= Duration::from_secs(5));
    assert_eq!(peer.requests().len(), 10);

    pass(Duration::from_secs(5)).await;
    assert_eq!(pay().await.outcome(), "unknown");
    assert_eq!(pay().await.outcome(), "not_sent");
    assert_eq!(peer.requests().len(), 11);

    is_back.store(true, Ordering::SeqCst);
    assert_eq!(pay().await.outcome(), "not_sent");
    pass(Duration::from_secs(5)).await;
    assert_eq!(pay().await.outcome(), "ok");
    assert_eq!(pay().await.outcome(), "ok");
    assert!(!client.is_left_alone());
}

#[tokio::test]
async fn a_service_that_refuses_is_not_out_of_order() {
    let peer = Peer::start(|number, _| {
        let status = if number % 10 == 9 { "422 x" } else { "503 x" };
        Act::Answer(reply(status, "", &object("e1")))
    })
    .await;
    let client = peer.client();
    for number in 0..30 {
        let expected = if number % 10 == 9 { "refused" } else { "unknown" };
        assert_eq!(client.call(Call::post("pay", "/pay")).await.outcome(), expected);
    }
}

#[tokio::test]
async fn a_service_that_answers_questions_and_no_orders_is_left_alone() {
    let peer = Peer::start(|_, request| {
        let is_question = request.starts_with("GET ");
        if is_question { ok() } else { Act::Answer(reply("503 x", "", "{}")) }
    })
    .await;
    let client = peer.client();
    for _ in 0..10 {
        assert!(!client.is_left_alone());
        assert_eq!(client.call(Call::get("find", "/pay")).await.outcome(), "ok");
        assert_eq!(client.call(Call::post("pay", "/pay")).await.outcome(), "unknown");
    }
    assert!(client.is_left_alone());
}

#[tokio::test]
async fn of_orders_that_are_not_answered_one_is_sent_in_each_pause_while_questions_are() {
    let peer = Peer::start(|_, request| {
        let is_question = request.starts_with("GET ");
        if is_question { ok() } else { Act::Answer(reply("503 x", "", "{}")) }
    })
    .await;
    let client = peer.client();
    let sent = || peer.lines().iter().filter(|line| line.starts_with("POST ")).count();
    for _ in 0..10 {
        assert_eq!(client.call(Call::post("pay", "/pay")).await.outcome(), "unknown");
    }
    for pauses in 0..4 {
        assert_eq!(sent(), 10 + pauses);
        pass(Duration::from_secs(5)).await;
        for _ in 0..3 {
            assert_eq!(client.call(Call::get("find", "/pay")).await.outcome(), "ok");
        }
        let orders = (0..8).map(|_| client.call(Call::post("pay", "/pay")));
        let outcomes = join_all(orders).await;
        let unknown = outcomes.iter().filter(|report| report.outcome() == "unknown").count();
        assert_eq!((unknown, outcomes.len()), (1, 8));
        assert!(client.is_left_alone());
    }
}
