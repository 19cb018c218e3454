//! The connector with a dialer that records its targets, so that nothing leaves the machine.

use std::future::pending;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Uri;
use tokio::net::{TcpListener, TcpStream};

use super::{Dial, Dialer, Guard};
use crate::address::is_public;
use crate::failure::Failure;
use crate::resolver::{Lookup, Resolve};
use crate::target::Policy;

const PUBLIC: Policy = Policy { allow_local: false };
const LOCAL: Policy = Policy { allow_local: true };

/// A name service that cycles through its answers.
struct InTurn {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Resolve for InTurn {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst) % self.answers.len();
        let answer = self.answers[turn].clone();
        Box::pin(async move { Ok(answer) })
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn dialer(policy: Policy, answers: &[&[&str]], dial: Dial) -> Dialer {
    let parse = |answer: &&[&str]| answer.iter().map(|text| ip(text)).collect();
    let answers = answers.iter().map(parse).collect();
    Dialer {
        guard: Guard::new(policy, &[]),
        resolver: Arc::new(InTurn { answers, asked: AtomicUsize::new(0) }),
        dial,
        within: Duration::from_millis(200),
        exchange_bytes: 1_024,
    }
}

/// A dialer that records its targets and never connects.
fn refusing() -> (Arc<Mutex<Vec<SocketAddr>>>, Dial) {
    let dialled = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&dialled);
    let dial: Dial = Box::new(move |socket| {
        log.lock().unwrap().push(socket);
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    });
    (dialled, dial)
}

#[tokio::test]
async fn a_name_that_flips_for_a_thousand_rounds_never_gets_a_private_address_dialled() {
    let (dialled, dial) = refusing();
    let answers: [&[&str]; 8] = [
        &["1.1.1.1"],
        &["10.0.0.1"],
        &["2606:4700:4700::1111"],
        &["::1"],
        &["1.1.1.1", "169.254.169.254"],
        &["::ffff:127.0.0.1", "1.1.1.1"],
        &["1.1.1.1", "8.8.8.8"],
        &["fd00:ec2::254"],
    ];
    let dialer = dialer(PUBLIC, &answers, dial);
    let uri = Uri::from_static("https://hooks.example.com/");

    for round in 0..1_000 {
        let honest = answers[round % 8].iter().all(|text| is_public(ip(text)));
        let expected = if honest { Failure::Connect } else { Failure::Blocked };
        assert_eq!(dialer.open(&uri).await.err(), Some(expected), "round {round}");
    }

    let dialled = dialled.lock().unwrap();
    assert_eq!(dialled.len(), 125 * 4);
    assert!(dialled.iter().all(|socket| is_public(socket.ip()) && socket.port() == 443));
}

#[tokio::test]
async fn a_literal_address_is_checked_without_a_name_service() {
    let rows = [
        ("https://1.1.1.1/", Failure::Connect),
        ("https://[2606:4700:4700::1111]:8443/", Failure::Connect),
        ("https://1.1.1.1:22/", Failure::Blocked),
        ("http://1.1.1.1/", Failure::Blocked),
        ("https://127.0.0.1/", Failure::Blocked),
        ("https://169.254.169.254/", Failure::Blocked),
        ("https://[::1]/", Failure::Blocked),
        ("https://[::ffff:7f00:1]/", Failure::Blocked),
    ];
    for (uri, expected) in rows {
        let (dialled, dial) = refusing();
        let dialer = dialer(PUBLIC, &[&["8.8.8.8"]], dial);
        assert_eq!(dialer.open(&uri.parse().unwrap()).await.err(), Some(expected), "{uri}");
        let dials = usize::from(expected == Failure::Connect);
        assert_eq!(dialled.lock().unwrap().len(), dials, "{uri}");
    }
}

#[tokio::test]
async fn a_connection_that_ended_elsewhere_than_it_was_sent_is_blocked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let elsewhere = listener.local_addr().unwrap();
    let dial: Dial = Box::new(move |_| Box::pin(TcpStream::connect(elsewhere)));
    let dialer = dialer(PUBLIC, &[&["1.1.1.1"]], dial);
    let uri = Uri::from_static("https://hooks.example.com/");
    assert_eq!(dialer.open(&uri).await.err(), Some(Failure::Blocked));
}

#[tokio::test]
async fn a_dead_address_leaves_time_for_the_next_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let ready = Mutex::new(TcpStream::connect(address).await.ok());
    let dial: Dial = Box::new(move |socket| {
        if socket != address {
            return Box::pin(pending());
        }
        let stream = ready.lock().unwrap().take();
        Box::pin(async { stream.ok_or(io::ErrorKind::AddrInUse.into()) })
    });
    let dialer = dialer(LOCAL, &[&["127.0.0.99", "127.0.0.1"]], dial);
    let uri = format!("http://hooks.example.com:{}/", address.port());
    assert!(dialer.open(&uri.parse().unwrap()).await.is_ok());
}

#[tokio::test]
async fn addresses_that_are_all_dead_run_into_the_limit_and_only_a_few_are_tried() {
    let tried = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tried);
    let dial: Dial = Box::new(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Box::pin(pending())
    });
    let dialer = dialer(PUBLIC, &[&["1.1.1.1"; 50]], dial);
    let uri = Uri::from_static("https://hooks.example.com/");
    assert_eq!(dialer.open(&uri).await.err(), Some(Failure::Timeout));
    assert_eq!(tried.load(Ordering::SeqCst), super::TRIES);
}

#[test]
fn a_peer_is_admitted_by_its_address_and_by_not_being_this_machine() {
    let own = [ip("9.9.9.9")];
    let rows = [
        (PUBLIC, "10.0.0.5", "1.1.1.1", true, true),
        (PUBLIC, "10.0.0.5", "1.1.1.1", false, false),
        (PUBLIC, "10.0.0.5", "10.0.0.6", true, false),
        (PUBLIC, "10.0.0.5", "9.9.9.9", true, false),
        (PUBLIC, "10.0.0.5", "::ffff:9.9.9.9", true, false),
        (PUBLIC, "1.1.1.1", "1.1.1.1", true, false),
        (PUBLIC, "::ffff:1.1.1.1", "1.1.1.1", true, false),
        (PUBLIC, "127.0.0.1", "127.0.0.1", true, false),
        (LOCAL, "127.0.0.1", "127.0.0.1", false, true),
        (LOCAL, "::1", "::1", true, true),
        (LOCAL, "10.0.0.5", "10.0.0.6", false, false),
        (LOCAL, "1.1.1.1", "1.1.1.1", true, false),
    ];
    for (policy, local, peer, ordinary, expected) in rows {
        let admitted = Guard::new(policy, &own).admits_peer(ip(local), ip(peer), ordinary);
        assert_eq!(admitted, expected, "{policy:?}: {local} to {peer}");
    }
}
