//! What is sent, and how the response is handled.

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue, TRANSFER_ENCODING};
use outbound::client::{Client, Limits};
use outbound::failure::Failure;

use crate::peer::{LOCAL, Manner, Peer, post, reply};

#[tokio::test]
async fn a_post_carries_its_headers_and_body_and_brings_the_answer() {
    let answer = reply("202 Accepted", "retry-after: 7\r\n", "received");
    let peer = Peer::start(Manner::Answer(answer)).await;
    let client = Client::new(LOCAL, Limits::default());

    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let target = peer.target("/hook?secret=abc");
    let answer = client.post(&target, headers, Bytes::from_static(b"{\"a\":1}")).await.unwrap();

    assert_eq!(answer.status, 202);
    assert_eq!(answer.retry_after_seconds, Some(7));
    assert_eq!(answer.excerpt, "received");
    let address = peer.address;
    assert_eq!(
        peer.requests(),
        [format!(
            "POST /hook?secret=abc HTTP/1.1\r\ncontent-type: application/json\r\n\
             host: {address}\r\ncontent-length: 7\r\n\r\n{{\"a\":1}}"
        )]
    );
}

#[tokio::test]
async fn headers_that_frame_or_route_the_message_are_not_the_callers() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let client = Client::new(LOCAL, Limits::default());

    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("inner.example.com"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("1"));
    headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    client.post(&peer.target("/"), headers, Bytes::from_static(b"{}")).await.unwrap();

    let address = peer.address;
    assert_eq!(
        peer.requests(),
        [format!("POST / HTTP/1.1\r\nhost: {address}\r\ncontent-length: 2\r\n\r\n{{}}")]
    );
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let elsewhere = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let location = format!("location: http://{}/\r\n", elsewhere.address);
        let peer = Peer::start(Manner::Answer(reply(status, &location, ""))).await;
        let client = Client::new(LOCAL, Limits::default());

        let answer = post(&client, &peer.target("/")).await.unwrap();

        assert!(status.starts_with(&answer.status.to_string()), "{status}");
        assert_eq!(peer.requests().len(), 1, "{status}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_cookie_is_not_kept() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "set-cookie: a=b\r\n", ""))).await;
    let client = Client::new(LOCAL, Limits::default());

    post(&client, &peer.target("/")).await.unwrap();
    post(&client, &peer.target("/")).await.unwrap();

    assert!(!peer.requests()[1].contains("cookie"));
}

#[tokio::test]
async fn a_packed_body_is_neither_asked_for_nor_unpacked() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "content-encoding: gzip\r\n", "abc")));
    let peer = peer.await;
    let client = Client::new(LOCAL, Limits::default());

    let answer = post(&client, &peer.target("/")).await.unwrap();

    assert_eq!(answer.excerpt, "abc");
    assert!(!peer.requests()[0].contains("accept-encoding"));
}

#[tokio::test]
async fn what_is_not_an_answer_has_its_own_failure() {
    let endless = format!("HTTP/1.1 200 OK\r\nx-filler: {}\r\n\r\n", "x".repeat(17 * 1_024));
    let rows: [(&str, &str, Failure); 5] = [
        ("closed at once", "", Failure::Closed),
        ("closed within the head", "HTTP/1.1 200 OK\r\ncontent-le", Failure::Closed),
        (
            "closed within the body",
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab",
            Failure::Closed,
        ),
        ("another protocol", "SSH-2.0-OpenSSH_9.9\r\n\r\n", Failure::Malformed),
        ("a head of 17 KiB", &endless, Failure::TooLarge),
    ];
    for (name, bytes, expected) in rows {
        let peer = Peer::start(Manner::Close(bytes.as_bytes().to_vec())).await;
        let client = Client::new(LOCAL, Limits::default());
        assert_eq!(post(&client, &peer.target("/")).await, Err(expected), "{name}");
    }
}

#[tokio::test]
async fn a_closed_port_is_a_failure_to_connect() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let target = outbound::target::Target::parse(&format!("http://{address}/"), LOCAL).unwrap();
    let client = Client::new(LOCAL, Limits::default());
    assert_eq!(post(&client, &target).await, Err(Failure::Connect));
}
