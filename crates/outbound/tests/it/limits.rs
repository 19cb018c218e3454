//! Servers that respond with too much, too slowly or not at all.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
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

#[tokio::test]
async fn a_server_that_sends_for_ever_is_left_after_some_bytes_and_not_after_some_seconds() {
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let early = format!("HTTP/1.1 103 Early Hints\r\nlink: {}\r\n\r\n", "x".repeat(4_000));
    let extended = format!("1;{}\r\nx\r\n", "x".repeat(1_000));
    let trailers = [head.as_slice(), b"0\r\n"].concat();
    let extension = [head.as_slice(), b"1;"].concat();
    let (large, malformed) = (Failure::TooLarge, Failure::Malformed);
    let rows = [
        ("100 for ever", Vec::new(), "HTTP/1.1 100 Continue\r\n\r\n".to_owned(), large),
        ("103 for ever", Vec::new(), early, large),
        ("a head for ever", b"HTTP/1.1 200 OK\r\n".to_vec(), "x-more: x\r\n".to_owned(), large),
        ("chunks of one byte for ever", head.clone(), extended, malformed),
        ("one chunk's extension for ever", extension, "x".to_owned(), malformed),
        ("trailers for ever", trailers, "x-more: x\r\n".to_owned(), malformed),
    ];
    for (name, start, again, failure) in rows {
        let peer = Peer::start(Manner::Flood(start, again.into_bytes())).await;
        let client = Client::new(LOCAL, Limits::default());
        let answer = post(&client, &peer.target("/")).await;
        assert_eq!(answer, Err(failure), "{name}");
    }
}

#[tokio::test]
async fn a_server_that_drips_interim_answers_is_left_at_the_limit() {
    let interim = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(8);
    let start = [interim.as_slice(), b"HTTP/1.1 103 Early Hints\r\nlink: "].concat();
    let peer = Peer::start(Manner::Drip(start)).await;
    let client = Client::new(LOCAL, short());

    assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::Timeout));
}

#[tokio::test]
async fn interim_responses_before_a_final_one_are_skipped() {
    let interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(8).into_bytes();
    let answer = [interim, reply("200 OK", "", "ok")].concat();
    let peer = Peer::start(Manner::Answer(answer)).await;
    let client = Client::new(LOCAL, Limits::default());

    let answer = post(&client, &peer.target("/")).await.unwrap();

    assert_eq!((answer.status, answer.excerpt.as_str()), (200, "ok"));
}

#[tokio::test]
async fn an_interim_answer_counts_for_more_than_its_bytes() {
    let interim = format!("HTTP/1.1 103 Early Hints\r\nlink: {}\r\n\r\n", "x".repeat(500));
    let answer = [interim.repeat(80).into_bytes(), reply("200 OK", "", "ok")].concat();
    let peer = Peer::start(Manner::Answer(answer)).await;
    let client = Client::new(LOCAL, Limits::default());

    assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::TooLarge));
}

#[tokio::test]
async fn each_request_on_a_connection_may_bring_as_much_as_the_first() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", &"x".repeat(16_000)))).await;
    let client = Client::new(LOCAL, Limits::default());

    for turn in 0..40 {
        let body = if turn % 2 == 0 { "{}" } else { "" };
        let sent = client.post(&peer.target("/"), HeaderMap::new(), Bytes::from(body)).await;
        assert_eq!(sent.map(|answer| answer.status), Ok(200), "request {turn}");
    }
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_was_good_before_is_bounded_like_a_new_one() {
    let again = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
    let peer = Peer::start(Manner::Turn(reply("200 OK", "", "ok"), again)).await;
    let client = Client::new(LOCAL, Limits::default());

    post(&client, &peer.target("/")).await.unwrap();

    assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::TooLarge));
    assert_eq!(peer.connections(), 1);
}
