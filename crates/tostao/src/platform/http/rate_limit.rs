//! Rate limits: how often one client may do one thing.
//!
//! The low limits are exact sliding windows: they store every admitted attempt, so no period as
//! long as the window holds more than the window allows. The high one is paced, which takes one
//! number per key instead of thousands. There is no background task: each request may clear a few
//! expired records.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::time::Timestamp;

use crate::platform::error::Error;
use crate::platform::http::client_ip::{network, site};
use crate::platform::http::context::RateState;
use crate::platform::http::rate_limit::overrides::Overrides;
use crate::platform::http::rate_limit::record::Record;
use crate::platform::telemetry;

pub mod overrides;
mod record;

/// What is limited, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    pub name: &'static str,
    pub rule: Rule,
    /// How long a client that exceeded the limit is blocked entirely; zero for not at all.
    pub block_seconds: u64,
}

/// The algorithm of a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Exact: every window must have room.
    Windows(Cow<'static, [Window]>),
    /// Smoothed: a burst, then an even rate.
    Paced { per_second: u32, burst: u32 },
}

/// At most `max` within any period of this length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub max: u64,
    pub seconds: u64,
}

/// Every zone; an operator sets limits by their names.
pub const ZONES: [&Zone; 27] = [
    &PUBLIC,
    &AUTHENTICATED,
    &LOGIN,
    &LOGIN_ADDRESS,
    &LOGIN_ACCOUNT,
    &REGISTER,
    &PASSWORD_RESET,
    &INVITATIONS,
    &RECEIPTS,
    &MAIL_RECIPIENT,
    &CHECKOUT_PRODUCTION,
    &CHECKOUT_DEVELOPMENT,
    &COUPON_ADDRESS,
    &COUPON_DEVICE,
    &CART,
    &AFFILIATE_CLICK,
    &WITHDRAW_PRODUCTION,
    &WITHDRAW_DEVELOPMENT,
    &WEBHOOK_TEST,
    &LISTENERS,
    &REQUEST_LOG,
    &DRY_RUN,
    &LOGGED,
    &CREDENTIALS,
    &WEBHOOK_SECRETS,
    &DOCUMENT_LOOKUP,
    &HEAVY,
];
/// Every request, by address: far more than any shop sends, and less than a flood.
pub const PUBLIC: Zone = Zone {
    name: "public",
    rule: Rule::Paced { per_second: 5_000, burst: 10_000 },
    block_seconds: 0,
};
/// Everything with a key or a token, by user and mode.
pub const AUTHENTICATED: Zone = Zone {
    name: "authenticated",
    rule: Rule::Paced { per_second: 1_000, burst: 2_000 },
    block_seconds: 0,
};
/// Signing in and refreshing a token, by address and account.
pub const LOGIN: Zone = Zone {
    name: "login",
    rule: Rule::Windows(Cow::Borrowed(&[per_minute(6), per_hour(12)])),
    block_seconds: 15 * 60,
};
/// Signing in, by address alone; limits attempts on many accounts.
pub const LOGIN_ADDRESS: Zone = exact("login_address", &[per_minute(30), per_hour(200)]);
/// Signing in from a network and a device that are both new to the account, by account alone;
/// limits attempts on one account from many addresses. A known network or device is not affected.
pub const LOGIN_ACCOUNT: Zone = exact("login_account", &[per_hour(60)]);
/// Opening an account, by address.
pub const REGISTER: Zone = exact("register", &[per_minute(30)]);
/// Asking for a new password, or to sign in with another address, by the caller's address.
pub const PASSWORD_RESET: Zone = exact("password_reset", &[per_minute(6), per_hour(30)]);
/// Inviting people, by account; limits what an account can have sent in the server's name.
pub const INVITATIONS: Zone = exact("invitations", &[per_minute(10), per_hour(60)]);
/// Sending receipts to buyers, by account and mode; limits what has the server send mails in the
/// account's name.
pub const RECEIPTS: Zone = exact("receipts", &[per_minute(10), per_hour(100)]);
/// Whatever sends a mail to an address that the caller names, by that address; asking for a new
/// password by the caller's address as well.
pub const MAIL_RECIPIENT: Zone = exact("mail_recipient", &[per_hour(6)]);
/// Paying with real money, by address and payment link; limits card testing.
pub const CHECKOUT_PRODUCTION: Zone = exact("checkout_production", &[per_minute(6), per_hour(20)]);
/// Paying with simulated money, by address and payment link.
pub const CHECKOUT_DEVELOPMENT: Zone = exact("checkout_development", &[per_minute(120)]);
/// Checking a coupon, by address; limits guessing.
pub const COUPON_ADDRESS: Zone = exact("coupon_address", &[per_minute(10)]);
/// The same, by device.
pub const COUPON_DEVICE: Zone = exact("coupon_device", &[Window { max: 5, seconds: 5 * 60 }]);
/// Capturing and recovering carts, by address.
pub const CART: Zone = exact("cart", &[per_minute(30)]);
/// Counting clicks on affiliate links, by address; above it the page is shown without counting.
pub const AFFILIATE_CLICK: Zone = exact("affiliate_click", &[per_minute(60)]);
/// Requesting withdrawals of real money, by user.
pub const WITHDRAW_PRODUCTION: Zone = exact("withdraw_production", &[per_minute(10)]);
/// Requesting withdrawals of simulated money, by user.
pub const WITHDRAW_DEVELOPMENT: Zone = exact("withdraw_development", &[per_minute(120)]);
/// Sending test events and redelivering events, by user and mode.
pub const WEBHOOK_TEST: Zone = exact("webhook_test", &[per_minute(30)]);
/// Opening and connecting listeners, by user.
pub const LISTENERS: Zone = exact("listeners", &[per_minute(120)]);
/// Connecting to the stream of the request log, by user and mode.
pub const REQUEST_LOG: Zone = exact("request_log", &[per_minute(120)]);
/// Requests that are kept in the request log, by user and mode, refused ones apart: more of them
/// would push each other out of it within minutes.
pub const LOGGED: Zone =
    Zone { name: "logged", rule: Rule::Paced { per_second: 50, burst: 3_000 }, block_seconds: 0 };
/// Dry runs, which cost as much as the real thing, by user and mode.
pub const DRY_RUN: Zone = exact("dry_run", &[per_minute(60)]);
/// Creating and rotating API keys, adding and deleting payout keys, saving views and logos, by
/// user; each writes an entry to the audit log. Revoking an API key is never refused.
pub const CREDENTIALS: Zone = exact("credentials", &[per_minute(30), per_hour(200)]);
/// Rotating webhook secrets, by user and mode; separate from `credentials`, so that API keys, which
/// may do it, do not use up their owner's limit.
pub const WEBHOOK_SECRETS: Zone = exact("webhook_secrets", &[per_minute(30), per_hour(200)]);
/// Looking for customers by documents, by person; of people who see documents masked alone.
pub const DOCUMENT_LOOKUP: Zone = exact("document_lookup", &[per_minute(30), per_hour(300)]);
/// Requests that read or delete all data of a merchant, by user and mode.
pub const HEAVY: Zone = exact("heavy", &[per_minute(30)]);

/// All networks of an IPv6 site together have the limit of one network times this.
const SITE_TIMES: u32 = 10;
const SHARDS: usize = 64;
/// Just under the capacity of a table of 32,768 slots; with all shards full, about 145 MB.
const KEYS_PER_SHARD_MAX: usize = 28_000;
/// How often one shard is cleared; all of them are within four minutes.
const SWEEP_EVERY: Duration = Duration::from_millis(3_750);

/// The state of every client under every limit.
///
/// Keys are stored as seeded 64-bit hashes: they need no memory of their own, and an attacker
/// cannot find two that collide.
#[derive(Debug)]
pub struct RateLimiter {
    on: bool,
    overrides: Overrides,
    keys_per_shard_max: usize,
    hasher: RandomState,
    shards: [Mutex<HashMap<u64, Record>>; SHARDS],
    sweep_at_micros: AtomicI64,
    sweep_next: AtomicUsize,
}

impl Zone {
    /// The same zone with its limits multiplied.
    fn widened(&self, times: u32) -> Self {
        let rule = match &self.rule {
            Rule::Windows(windows) => {
                let wider = |window: &Window| Window {
                    max: window.max.saturating_mul(times.into()),
                    seconds: window.seconds,
                };
                Rule::Windows(windows.iter().map(wider).collect())
            }
            Rule::Paced { per_second, burst } => Rule::Paced {
                per_second: per_second.saturating_mul(times),
                burst: burst.saturating_mul(times),
            },
        };
        Self { rule, ..self.clone() }
    }
}

impl RateLimiter {
    /// Starts empty; when off, everything is allowed.
    pub fn new(on: bool, overrides: Overrides) -> Self {
        Self { overrides, ..Self::with_room(on, KEYS_PER_SHARD_MAX) }
    }

    /// Counts an attempt, or refuses it; a refused one does not count.
    ///
    /// Returns the state of the tightest window.
    pub fn check(&self, zone: &Zone, key: &str, now: Timestamp) -> Result<RateState, Error> {
        self.admit(self.overrides.of(zone), key, now)
    }

    /// Counts a piece of the server's own work, which is bounded even where callers are not
    /// limited; false if there was too much of it.
    pub fn bound(&self, zone: &Zone, key: &str, now: Timestamp) -> bool {
        self.count(self.overrides.of(zone), key, now).is_ok()
    }

    /// Counts an attempt by an address, or refuses it.
    ///
    /// An IPv6 site has thousands of networks, so the site as a whole has a limit as well.
    pub fn check_address(
        &self,
        zone: &Zone,
        address: IpAddr,
        what: &str,
        now: Timestamp,
    ) -> Result<RateState, Error> {
        let zone = self.overrides.of(zone);
        let own = self.admit(zone, (network(address), what), now)?;
        let Some(site) = site(address) else { return Ok(own) };
        let all = self.admit(&zone.widened(SITE_TIMES), ("site", site, what), now)?;
        Ok(if all.remaining < own.remaining { all } else { own })
    }

    fn admit(&self, zone: &Zone, key: impl Hash, now: Timestamp) -> Result<RateState, Error> {
        if self.on { self.count(zone, key, now) } else { Ok(record::untouched(zone)) }
    }

    fn count(&self, zone: &Zone, key: impl Hash, now: Timestamp) -> Result<RateState, Error> {
        self.sweep(now);
        let hash = self.hasher.hash_one((zone.name, key));
        let mut shard = self.shard(hash);
        if shard.len() >= self.keys_per_shard_max && !shard.contains_key(&hash) {
            shed(&mut shard);
        }
        let record = shard.entry(hash).or_default();
        record.admit(zone, now).map_err(|wait| {
            telemetry::rate_limited(zone.name);
            Error::TooMany {
                retry_after_seconds: record::whole_seconds(wait).max(1),
                limit: Some(record::untouched(zone).limit),
            }
        })
    }

    fn with_room(on: bool, keys_per_shard_max: usize) -> Self {
        Self {
            on,
            overrides: Overrides::default(),
            keys_per_shard_max,
            hasher: RandomState::new(),
            shards: std::array::from_fn(|_| Mutex::default()),
            sweep_at_micros: AtomicI64::new(i64::MIN),
            sweep_next: AtomicUsize::new(0),
        }
    }

    fn shard(&self, number: u64) -> MutexGuard<'_, HashMap<u64, Record>> {
        let index = usize::try_from(number % SHARDS as u64).unwrap_or(0);
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears as many shards as have come due since the last request.
    fn sweep(&self, now: Timestamp) {
        let due = Timestamp::from_micros(self.sweep_at_micros.load(Ordering::Relaxed));
        // A due time far ahead was set before the clock was set back.
        if now < due && due.since(now) <= SWEEP_EVERY {
            return;
        }
        let next = now.plus(SWEEP_EVERY).micros();
        let (from, relaxed) = (due.micros(), Ordering::Relaxed);
        if self.sweep_at_micros.compare_exchange(from, next, relaxed, relaxed).is_err() {
            return;
        }
        let missed = now.since(due).as_millis() / SWEEP_EVERY.as_millis();
        let turns = usize::try_from(missed).unwrap_or(SHARDS).saturating_add(1).min(SHARDS);
        for _ in 0..turns {
            let mut shard = self.shard(self.sweep_next.fetch_add(1, relaxed) as u64);
            shard.retain(|_, record| record.is_active(now));
            let room = shard.len().saturating_mul(2);
            shard.shrink_to(room);
        }
    }
}

/// Frees space by dropping the half of the records that expire first.
fn shed(shard: &mut HashMap<u64, Record>) {
    let mut ends: Vec<Timestamp> = shard.values().map(Record::until).collect();
    let middle = ends.len() / 2;
    let (_, cut, _) = ends.select_nth_unstable(middle);
    shard.retain(|_, record| record.until() > *cut);
}

const fn exact(name: &'static str, windows: &'static [Window]) -> Zone {
    Zone { name, rule: Rule::Windows(Cow::Borrowed(windows)), block_seconds: 0 }
}

const fn per_minute(max: u64) -> Window {
    Window { max, seconds: 60 }
}

const fn per_hour(max: u64) -> Window {
    Window { max, seconds: 3_600 }
}

#[cfg(test)]
mod tests;
