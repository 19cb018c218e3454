//! Two servers on one database while its connections are cut and they are killed, again and again:
//! no payment is lost or doubled.
//!
//! `TOSTAO_TEST_SEED` sets other moments, and `TOSTAO_TEST_KILLS` how many there are.
//! `TOSTAO_TEST_POWER_CUT` is a command that stops the database server at once and starts it again;
//! each tenth fault is one, if there is a command.

use std::process::Command;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::crash::{Customer, every_answered_payment_is_there_once, every_event_arrives};
use crate::harness::killing::{Chance, LIFE_MILLIS, Open, number, pause, seed, setting};
use crate::harness::program::{Server, tostao};
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::harness::{database, until};

const KILLS: u64 = 12;
const CUSTOMERS: u64 = 4;
/// One of so many faults is a power cut of the database server.
const POWER_CUT_EVERY: u64 = 10;
const CUT_ALL: &str = "select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()";

/// The servers of one database.
struct Nodes<'a> {
    database_url: &'a str,
    servers: Vec<Server>,
    power_cut: Option<String>,
}

#[story::test]
async fn two_servers_on_a_failing_database_lose_and_double_no_payment(database_url: &str) {
    if !database_url.starts_with("postgres") {
        // An embedded database belongs to one server.
        return;
    }
    let (kills, seed) = (number("TOSTAO_TEST_KILLS", KILLS), seed());
    println!("TOSTAO_TEST_SEED={seed}");
    let receiver = Receiver::start().await;
    let mut nodes = Nodes::start(database_url).await;
    let shop = Shop::open(&nodes.servers[0]).await;
    shop.subscribe(&receiver.url).await;
    let (sender, open) = watch::channel(nodes.open());
    let hired = (0..CUSTOMERS).map(|number| Customer::new(number, seed, &shop, open.clone()));
    let mut customers: Vec<_> = hired.collect();
    let shopping = join_all(customers.iter_mut().map(Customer::shop));
    let failing = async {
        let mut chance = Chance(seed);
        for kill in 0..kills {
            pause(Duration::from_millis(chance.within(LIFE_MILLIS))).await;
            nodes.fail(kill).await;
            sender.send_replace(nodes.open());
        }
        sender.send_replace(nodes.open().last_orders());
    };
    tokio::join!(shopping, failing);

    let unknown: usize = customers.iter().map(|customer| customer.caller.unknown).sum();
    let journal: Vec<_> = customers.into_iter().flat_map(|who| who.journal).collect();
    println!("{kills} kills, {} payments, {unknown} requests unanswered", journal.len());
    assert!(unknown > 0, "nothing was interrupted");
    let key = shop.client.at(nodes.servers[1].address);
    let shop = Shop { client: key.clone(), ..shop };
    every_answered_payment_is_there_once(&key, &journal).await;
    assert_eq!(shop.available().await, journal.iter().map(|paid| paid.cents).sum::<i64>());
    let events = every_event_arrives(&key, &receiver, database_url, journal.len()).await;
    println!("{events} events, all of them delivered");
    for server in nodes.servers {
        server.stop().await;
    }
    let proof = tostao(database_url, &["ledger", "verify"]).await.good();
    assert!(proof.contains("The books agree"), "{proof}");
}

impl<'a> Nodes<'a> {
    async fn start(database_url: &'a str) -> Self {
        let servers = vec![Server::start(database_url).await, Server::start(database_url).await];
        Self { database_url, servers, power_cut: setting("TOSTAO_TEST_POWER_CUT") }
    }

    fn open(&self) -> Open {
        Open::at(self.servers.iter().map(|server| server.address))
    }

    /// Cuts every connection to the database, or kills one of the servers, in turn; and now and
    /// then stops the database server itself.
    async fn fail(&mut self, kill: u64) {
        if kill % POWER_CUT_EVERY == POWER_CUT_EVERY - 1
            && let Some(command) = &self.power_cut
        {
            return cut_power(command).await;
        }
        match kill % 3 {
            0 => cut_all(self.database_url).await,
            one => {
                let place = usize::from(one == 1);
                self.servers.remove(place).kill();
                let start = async || Server::try_start(self.database_url).await;
                self.servers.insert(place, until("it starts again", start).await);
            }
        }
    }
}

/// Ends every session on the database, in the middle of whatever it does.
async fn cut_all(database_url: &str) {
    let cut = async || database::try_run(database_url, CUT_ALL).await.ok();
    until("the connections are cut", cut).await;
}

async fn cut_power(command: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    let done = spawn_blocking(move || shell.status()).await.expect("the shell is waited for");
    assert!(done.expect("a shell starts").success(), "the power cut failed");
}
