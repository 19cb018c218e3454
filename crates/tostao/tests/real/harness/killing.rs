//! A server that is killed again and again, and callers who insist on an answer.

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::harness::PATIENCE;
use crate::harness::client::{Client, Unknown};
use crate::harness::program::Server;
use crate::harness::reply::Reply;

/// How long a server lives.
pub const LIFE_MILLIS: std::ops::Range<u64> = 20..400;
/// How long somebody waits before they ask another server.
const MOMENT: Duration = Duration::from_millis(20);
const SEED: u64 = 2_026;

/// Where the servers are, and whether the day is over.
#[derive(Clone)]
pub struct Open {
    servers: Vec<SocketAddr>,
    /// New requests may start; those in flight finish in any case.
    takes_orders: bool,
}

impl Open {
    pub fn at(servers: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self { servers: servers.into_iter().collect(), takes_orders: true }
    }

    pub fn last_orders(self) -> Self {
        Self { takes_orders: false, ..self }
    }

    /// One of the servers, in turn.
    pub fn address(&self, turn: usize) -> SocketAddr {
        self.servers[turn % self.servers.len()]
    }

    /// Whether another server may answer while one cannot.
    fn has_others(&self) -> bool {
        self.servers.len() > 1
    }
}

/// The `SplitMix64` sequence.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn within(&mut self, range: std::ops::Range<u64>) -> u64 {
        range.start + self.next() % (range.end - range.start)
    }
}

/// Somebody who repeats a request until there is an answer.
pub struct Caller {
    pub key: Client,
    open: watch::Receiver<Open>,
    /// How many requests were sent, each to the next server.
    turn: usize,
    /// How often the outcome of a request stayed unknown.
    pub unknown: usize,
}

impl Caller {
    pub fn new(key: Client, open: watch::Receiver<Open>) -> Self {
        Self { key, open, turn: 0, unknown: 0 }
    }

    /// Whether new requests may start.
    pub fn is_open(&self) -> bool {
        self.open.borrow().takes_orders
    }

    /// Asks until there is an answer with this status, wherever the server is by then.
    pub async fn insist(
        &mut self,
        status: u16,
        ask: impl AsyncFn(&Client) -> Result<Reply, Unknown>,
    ) -> Value {
        self.answer(ask).await.expect(status)
    }

    /// Asks until there is any answer.
    pub async fn answer(&mut self, ask: impl AsyncFn(&Client) -> Result<Reply, Unknown>) -> Reply {
        let insisted = async {
            loop {
                if let Some(reply) = self.once(&ask).await {
                    return reply;
                }
            }
        };
        // One server after the other may be killed meanwhile.
        timeout(PATIENCE * 4, insisted).await.expect("there is an answer in the end")
    }

    /// Asks once; without an answer it waits for the next server.
    pub async fn once(
        &mut self,
        ask: impl AsyncFn(&Client) -> Result<Reply, Unknown>,
    ) -> Option<Reply> {
        let open = self.open.borrow_and_update().clone();
        let answer = ask(&self.key.at(open.address(self.turn))).await.ok();
        self.turn += 1;
        // Of several servers one may say that their database does not answer.
        let answer = answer.filter(|reply| !open.has_others() || is_decided(reply));
        if answer.is_some() {
            return answer;
        }
        self.unknown += 1;
        if open.has_others() {
            pause(MOMENT).await;
            return None;
        }
        let restarted = timeout(PATIENCE, self.open.changed()).await;
        restarted.expect("a server that was not killed answers").expect("somebody restarts it");
        None
    }
}

/// Whether a request has done what it will do; one that conflicts with an earlier try may be asked
/// again.
fn is_decided(reply: &Reply) -> bool {
    reply.status < 500 && reply.status != 409
}

/// Waits; nothing that happens meanwhile moves the moment.
pub async fn pause(time: Duration) {
    let _ = timeout(time, pending::<()>()).await;
}

/// Lets each server live for a moment; answers the one that stays.
pub async fn kill_again_and_again(
    kills: usize,
    start: impl AsyncFn() -> Server,
    mut server: Server,
    seed: u64,
    sender: &watch::Sender<Open>,
) -> Server {
    let mut chance = Chance(seed);
    for _ in 0..kills {
        pause(Duration::from_millis(chance.within(LIFE_MILLIS))).await;
        server.kill();
        server = start().await;
        sender.send_replace(Open::at([server.address]));
    }
    sender.send_replace(Open::at([server.address]).last_orders());
    server
}

/// Every entry of a list.
pub async fn everything(key: &Client, path: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = key.get(&format!("{path}?limit=100&cursor={cursor}")).await.expect(200);
        all.extend(page["data"].as_array().expect("is a list").iter().cloned());
        match page["pagination"]["nextCursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return all,
        }
    }
}

pub fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no {name} in {object}")).to_owned()
}

/// What the moments follow from.
pub fn seed() -> u64 {
    number("TOSTAO_TEST_SEED", SEED)
}

/// A number of the environment, or the usual one.
pub fn number(name: &str, usual: u64) -> u64 {
    setting(name).map_or(usual, |text| text.parse().expect("it is a number"))
}

/// A text of the environment.
#[expect(clippy::disallowed_methods, reason = "repeats or prolongs a run that somebody has seen")]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
