//! Servers that answer too much, too slowly or not at all.

use std::time::Duration;

use outbound::client::{Client, Limits};
use outbound::failure::Failure;

use crate::peer::{LOCAL, Manner, Peer, post, reply, short};

#[tokio::test]
async fn a_server_that_never_finishes_its_answer_is_left_at_the_limit() {
    let started = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n".to_vec();
    let rows = [
        ("says nothing", Manner::Hang(Vec::new())),
        ("stops after the head", Manner::Hang(started.clone())),
        ("says wait for ever", Manner::Hang(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())),
        ("drips the head", Manner::Drip(b"HTTP/1.1 200 OK\r\nx-drip: ".to_vec())),
        ("drips the body", Manner::Drip(started)),
    ];
    for (name, manner) in rows {
        let peer = Peer::start(manner).await;
        let client = Client::new(LOCAL, short());
        assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::Timeout), "{name}");
    }
}

#[tokio::test]
async fn a_big_body_is_cut_and_its_connection_not_used_again() {
    let body = "x".repeat(1 << 20);
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", &body))).await;
    let client = Client::new(LOCAL, Limits::default());

    for _ in 0..2 {
        let answer = post(&client, &peer.target("/")).await.unwrap();
        assert_eq!(answer.excerpt, "x".repeat(1_024));
    }
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn a_body_without_end_is_cut() {
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(4_096));
    let endless =
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunk.repeat(5));
    let peer = Peer::start(Manner::Hang(endless.into_bytes())).await;
    let client = Client::new(LOCAL, Limits::default());

    let answer = post(&client, &peer.target("/")).await.unwrap();

    assert_eq!((answer.status, answer.excerpt.len()), (200, 1_024));
}

#[tokio::test]
async fn a_body_within_the_limit_is_read_whole_and_its_connection_used_again() {
    let body = "x".repeat(16 * 1_024 - 1);
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", &body))).await;
    let client = Client::new(LOCAL, Limits::default());

    for _ in 0..3 {
        post(&client, &peer.target("/")).await.unwrap();
    }
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn the_duration_of_an_answer_is_within_the_total() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let limits = Limits::default();
    let client = Client::new(LOCAL, limits);

    let answer = post(&client, &peer.target("/")).await.unwrap();

    assert!(answer.duration > Duration::ZERO && answer.duration <= limits.total);
}
