//! Which calls share a connection.

use outbound::client::{Client, Limits};

use crate::peer::{LOCAL, Manner, Peer, post, reply};

async fn polite_peer() -> Peer {
    Peer::start(Manner::Answer(reply("200 OK", "", "ok"))).await
}

#[tokio::test]
async fn calls_to_one_host_share_a_connection_and_so_do_clones() {
    let peer = polite_peer().await;
    let client = Client::new(LOCAL, Limits::default());
    for path in ["/a", "/b", "/c"] {
        post(&client.clone(), &peer.target(path)).await.unwrap();
    }
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn owners_do_not_share_connections_and_are_not_sent_to_the_server() {
    let peer = polite_peer().await;
    let client = Client::new(LOCAL, Limits::default());
    for owner in [0xa1, 0xb2, 0xa1, 0xb2] {
        post(&client, &peer.target("/").owned_by(owner)).await.unwrap();
    }
    assert_eq!(peer.connections(), 2);
    let address = peer.address;
    for request in peer.requests() {
        let expected =
            format!("POST / HTTP/1.1\r\nhost: {address}\r\ncontent-length: 2\r\n\r\n{{}}");
        assert_eq!(request, expected);
    }
}

#[tokio::test]
async fn the_last_owner_counts_and_printing_a_target_hides_it() {
    let peer = polite_peer().await;
    let target = peer.target("/");
    assert_eq!(target.clone().owned_by(1).owned_by(2), target.clone().owned_by(2));
    assert_ne!(target.clone().owned_by(1), target.clone().owned_by(2));
    assert_eq!(target.clone().owned_by(1).to_string(), target.to_string());
}

#[tokio::test]
async fn without_an_idle_cap_no_connection_is_kept() {
    let peer = polite_peer().await;
    let limits = Limits { idle_per_host: 0, ..Limits::default() };
    let client = Client::new(LOCAL, limits);
    for _ in 0..3 {
        post(&client, &peer.target("/")).await.unwrap();
    }
    assert_eq!(peer.connections(), 3);
}
