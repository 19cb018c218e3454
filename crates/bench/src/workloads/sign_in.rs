//! Sign-ins from one address while another one floods the server with them.
//!
//! The flood uses accounts that do not exist and sends again after each response. It runs with rate
//! limits, and again without them, where only the queue's places limit it.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::future::{join, join_all};
use serde_json::json;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::numbers::{float, micros, millis};
use crate::report::{Ratio, progress};
use crate::server::{RateLimits, Server};
use crate::shop::sign_in;
use crate::usage::memory;

const FLOODERS: usize = 200;
const FLOOD: Duration = Duration::from_secs(60);
const SIGN_INS: u32 = 20;
const SIGN_IN_MS_MAX: f64 = 2_000.0;
const MEMORY_KIB_MAX: u64 = 96 * 1024;
/// A rejected client retries after this long.
const RETURN_AFTER: Duration = Duration::from_millis(10);
/// The flood uses the usual loopback address.
const MERCHANT_IP: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// The results of the sign-ins.
#[derive(Debug, Default)]
struct Found {
    good: u32,
    slowest: Duration,
}

/// Prints both.
pub async fn run(bench: &Bench) -> Result<()> {
    for limits in [RateLimits::On, RateLimits::Off] {
        progress(&format!("sign-in: {FLOODERS} connections of another address, limits {limits}"));
        measure(bench, limits).await?;
    }
    Ok(())
}

async fn measure(bench: &Bench, limits: RateLimits) -> Result<()> {
    let place = bench.place().await?;
    let server = Server::start_with(bench.cores, &place, limits).await?;
    for number in 0..SIGN_INS {
        register(server.address, number).await?;
    }
    let over = clock::now() + FLOOD;
    let answers = Cell::new(0);
    let flood = join_all((0..FLOODERS).map(|who| flood(server.address, who, over, &answers)));
    let (_, found) = join(flood, sign_ins(server.address, over)).await;
    let found = found?;
    let used = memory(server.pid)?;
    server.stop().await?;
    place.remove().await?;
    let slowest_ms = millis(micros(found.slowest));
    let within =
        found.good == SIGN_INS && slowest_ms <= SIGN_IN_MS_MAX && used.peak <= MEMORY_KIB_MAX;
    let mut line = bench.line("sign_in")?;
    line.ratio = Some(Ratio::new("limit_kib", float(used.peak), float(MEMORY_KIB_MAX)));
    line.with("rate_limits", limits.to_string())?
        .with("sign_ins", SIGN_INS)?
        .with("succeeded", found.good)?
        .with("slowest_ms", slowest_ms)?
        .with("slowest_ms_limit", SIGN_IN_MS_MAX)?
        .with("memory_peak_kib", used.peak)?
        .with("memory_now_kib", used.now)?
        .with("flood_answers", answers.get())?
        .with("within_limits", within)?
        .print()
}

/// Signs in with one account after the other during the flood.
async fn sign_ins(address: SocketAddr, over: Instant) -> Result<Found> {
    let mut found = Found::default();
    let pause = over.saturating_duration_since(clock::now()) / (SIGN_INS + 1);
    for number in 0..SIGN_INS {
        clock::pause(pause).await;
        let began = clock::now();
        let mut connection = Connection::open_from(MERCHANT_IP, address).await?;
        let answer = connection.send(&sign_in(&email(number))).await?;
        found.good += u32::from(answer.status == 200);
        found.slowest = found.slowest.max(clock::now().duration_since(began));
    }
    Ok(found)
}

/// Tries accounts that do not exist, as fast as responses arrive.
async fn flood(address: SocketAddr, who: usize, over: Instant, answers: &Cell<u64>) {
    let mut number = 0_u64;
    while clock::now() < over {
        let Ok(mut connection) = Connection::open(address).await else {
            clock::pause(RETURN_AFTER).await;
            continue;
        };
        while clock::now() < over {
            number += 1;
            let request = sign_in(&format!("guess-{who}-{number}@example.com"));
            if connection.send(&request).await.is_err() {
                clock::pause(RETURN_AFTER).await;
                break;
            }
            answers.set(answers.get() + 1);
        }
    }
}

async fn register(address: SocketAddr, number: u32) -> Result<()> {
    let email = email(number);
    let account = json!({ "name": "Padaria", "email": email, "password": crate::shop::PASSWORD });
    let request = Request::post("/api/auth/register", &[], account.to_string().as_bytes());
    let mut connection = Connection::open_from(MERCHANT_IP, address).await?;
    connection.send(&request).await?.expect(201)?;
    Ok(())
}

fn email(number: u32) -> String {
    format!("merchant{number}@example.com")
}
