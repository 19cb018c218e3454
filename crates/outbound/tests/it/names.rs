//! Names whose addresses have changed, or are not allowed.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use outbound::client::{Client, Limits, Options};
use outbound::failure::Failure;
use outbound::resolver::{Lookup, Resolve, SystemResolver};
use outbound::target::{Policy, Target};

use crate::peer::{LOCAL, Manner, PUBLIC, Peer, post, reply, short};

/// A name service that cycles through its answers.
struct InTurn {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

/// A name service that never answers.
struct Silent;

impl Resolve for InTurn {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst) % self.answers.len();
        let answer = self.answers[turn].clone();
        Box::pin(async move {
            if answer.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(answer) }
        })
    }
}

impl Resolve for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
        Box::pin(std::future::pending())
    }
}

fn client(policy: Policy, limits: Limits, answers: &[&[&str]]) -> Client {
    let parse = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
    let answers = answers.iter().map(parse).collect();
    let resolver = Arc::new(InTurn { answers, asked: AtomicUsize::new(0) });
    Client::with(Options { resolver, ..Options::new(policy, limits) })
}

fn named(peer: &Peer) -> Target {
    let port = peer.address.port();
    Target::parse(&format!("http://hooks.example.com:{port}/"), LOCAL).unwrap()
}

#[tokio::test]
async fn a_name_with_any_closed_address_is_blocked_before_a_connection() {
    let rows: [&[&str]; 10] = [
        &["10.0.0.1"],
        &["127.0.0.1"],
        &["169.254.169.254"],
        &["fd00:ec2::254"],
        &["::ffff:10.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["1.1.1.1", "10.0.0.1"],
        &["10.0.0.1", "1.1.1.1"],
        &["1.1.1.1", "2606:4700:4700::1111", "::1"],
        &["1.1.1.1", "fe80::1"],
    ];
    let target = Target::parse("https://hooks.example.com/", PUBLIC).unwrap();
    for answer in rows {
        let client = client(PUBLIC, Limits::default(), &[answer]);
        assert_eq!(post(&client, &target).await, Err(Failure::Blocked), "{answer:?}");
    }
}

#[tokio::test]
async fn a_name_that_flips_to_a_private_address_is_blocked_each_time_it_does() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let target = named(&peer);
    let unpooled = Limits { idle_per_host: 0, ..Limits::default() };
    let client = client(LOCAL, unpooled, &[&["127.0.0.1"], &["10.0.0.1"], &["169.254.169.254"]]);

    for round in 0..300 {
        let answer = post(&client, &target).await;
        match round % 3 {
            0 => assert_eq!(answer.map(|answer| answer.status), Ok(200), "round {round}"),
            _ => assert_eq!(answer, Err(Failure::Blocked), "round {round}"),
        }
    }
    assert_eq!(peer.connections(), 100);
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_refuses() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let client = client(LOCAL, Limits::default(), &[&["127.0.0.99", "127.0.0.1"]]);
    assert_eq!(post(&client, &named(&peer)).await.map(|answer| answer.status), Ok(200));
}

#[tokio::test]
async fn a_name_without_an_address_is_a_failure_of_the_lookup() {
    let client = client(PUBLIC, Limits::default(), &[&[]]);
    let target = Target::parse("https://hooks.example.com/", PUBLIC).unwrap();
    assert_eq!(post(&client, &target).await, Err(Failure::Dns));
}

#[tokio::test]
async fn a_name_service_that_is_silent_runs_into_the_connect_limit() {
    let limits = Limits { total: Limits::default().total, ..short() };
    let options = Options::new(PUBLIC, limits);
    let client = Client::with(Options { resolver: Arc::new(Silent), ..options });
    let target = Target::parse("https://hooks.example.com/", PUBLIC).unwrap();
    assert_eq!(post(&client, &target).await, Err(Failure::Timeout));
}

#[tokio::test]
async fn what_the_policy_opens_for_local_tests_stays_closed_elsewhere() {
    let rows = [
        ("plain HTTP to a public address", "http://hooks.example.com/", "1.1.1.1"),
        ("an odd port of a public address", "https://hooks.example.com:5432/", "1.1.1.1"),
        ("a private address", "https://hooks.example.com/", "192.168.0.1"),
        ("metadata", "http://hooks.example.com/", "169.254.169.254"),
    ];
    for (name, url, address) in rows {
        let client = client(LOCAL, Limits::default(), &[&[address]]);
        let target = Target::parse(url, LOCAL).unwrap();
        assert_eq!(post(&client, &target).await, Err(Failure::Blocked), "{name}");
    }
}

#[tokio::test]
async fn a_target_read_under_another_policy_is_held_to_the_clients() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let client = Client::new(PUBLIC, Limits::default());
    assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::Blocked));
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn an_address_of_our_own_is_blocked() {
    let peer = Peer::start(Manner::Answer(reply("200 OK", "", ""))).await;
    let mut options = Options::new(LOCAL, Limits::default());
    options.own_addresses = vec!["::ffff:127.0.0.1".parse().unwrap()];
    let client = Client::with(options);
    assert_eq!(post(&client, &peer.target("/")).await, Err(Failure::Blocked));
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn the_system_knows_where_localhost_is() {
    let found = SystemResolver::default().resolve("localhost").await.unwrap();
    assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
}

#[tokio::test]
async fn an_examination_says_nothing_of_a_name_with_a_closed_address() {
    let peer = Peer::start(Manner::Answer(reply("204 No Content", "", ""))).await;
    let closed: [&[&str]; 2] = [&["10.0.0.1"], &["127.0.0.1", "10.0.0.1"]];
    for answers in closed {
        let client = client(LOCAL, short(), &[answers]);
        let examined = client.examine(&named(&peer)).await;
        assert_eq!(examined.map(|_| ()), Err(Failure::Blocked), "{answers:?}");
    }
    assert_eq!(peer.connections(), 0);
    let nowhere = client(LOCAL, short(), &[&[]]);
    assert_eq!(nowhere.examine(&named(&peer)).await.map(|_| ()), Err(Failure::Dns));
}
