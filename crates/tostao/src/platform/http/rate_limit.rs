//! Rate limits: how often one client may do one thing.
//!
//! The low limits are exact: they remember every admitted attempt, so no stretch of time as long
//! as the window ever holds more than the window allows. The high one is paced, which takes one
//! number a key instead of thousands. Nothing runs beside the requests: each of them may clear
//! away a little of what time has made meaningless.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::time::Timestamp;

use crate::platform::error::Error;
use crate::platform::http::client_ip::{limit_key, site};
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
    /// How long a client that ran into the limit is kept out altogether; zero for not at all.
    pub block_seconds: u64,
}

/// How a limit is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Exact: every window must have room.
    Windows(Cow<'static, [Window]>),
    /// Smoothed: so many at once, then an even pace.
    Paced { per_second: u32, burst: u32 },
}

/// At most so many within any stretch of this length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub max: u64,
    pub seconds: u64,
}

/// Every zone, by whose names an operator may set limits.
pub const ZONES: [&Zone; 18] = [
    &PUBLIC,
    &AUTHENTICATED,
    &LOGIN,
    &LOGIN_ADDRESS,
    &LOGIN_ACCOUNT,
    &REGISTER,
    &CHECKOUT_PRODUCTION,
    &CHECKOUT_DEVELOPMENT,
    &COUPON_ADDRESS,
    &COUPON_DEVICE,
    &CART,
    &AFFILIATE_CLICK,
    &WITHDRAW_PRODUCTION,
    &WITHDRAW_DEVELOPMENT,
    &WEBHOOK_TEST,
    &CREDENTIALS,
    &WEBHOOK_SECRETS,
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
/// Signing in and renewing a token, by address and account.
pub const LOGIN: Zone = Zone {
    name: "login",
    rule: Rule::Windows(Cow::Borrowed(&[per_minute(6), per_hour(12)])),
    block_seconds: 15 * 60,
};
/// Signing in, by address alone; who tries many accounts comes here.
pub const LOGIN_ADDRESS: Zone = exact("login_address", &[per_minute(30), per_hour(200)]);
/// Signing in with neither a network nor a device that the account has signed in with, by account
/// alone; who tries one account from many addresses comes here. It keeps neither of those out.
pub const LOGIN_ACCOUNT: Zone = exact("login_account", &[per_hour(60)]);
/// Opening an account, by address.
pub const REGISTER: Zone = exact("register", &[per_minute(30)]);
/// Paying with real money, by address and payment link; card testers come here.
pub const CHECKOUT_PRODUCTION: Zone = exact("checkout_production", &[per_minute(6), per_hour(20)]);
/// Paying with simulated money, by address and payment link.
pub const CHECKOUT_DEVELOPMENT: Zone = exact("checkout_development", &[per_minute(120)]);
/// Asking whether a coupon is good, by address; guessers come here.
pub const COUPON_ADDRESS: Zone = exact("coupon_address", &[per_minute(10)]);
/// The same, by device.
pub const COUPON_DEVICE: Zone = exact("coupon_device", &[Window { max: 5, seconds: 5 * 60 }]);
/// Capturing and recovering carts, by address.
pub const CART: Zone = exact("cart", &[per_minute(30)]);
/// Counting clicks on affiliates' addresses, by address; beyond it a page is shown uncounted.
pub const AFFILIATE_CLICK: Zone = exact("affiliate_click", &[per_minute(60)]);
/// Requesting withdrawals of real money, by user.
pub const WITHDRAW_PRODUCTION: Zone = exact("withdraw_production", &[per_minute(10)]);
/// Requesting withdrawals of simulated money, by user.
pub const WITHDRAW_DEVELOPMENT: Zone = exact("withdraw_development", &[per_minute(120)]);
/// Sending test events and sending events again, by user and mode.
pub const WEBHOOK_TEST: Zone = exact("webhook_test", &[per_minute(30)]);
/// Making and rotating API keys, by user; each leaves an entry in the audit log. Revoking one is
/// never refused.
pub const CREDENTIALS: Zone = exact("credentials", &[per_minute(30), per_hour(200)]);
/// Rotating webhooks' secrets, by user and mode; apart from `credentials`, so keys, which may do
/// it, use up nothing of their owner's.
pub const WEBHOOK_SECRETS: Zone = exact("webhook_secrets", &[per_minute(30), per_hour(200)]);
/// What reads or deletes everything a merchant has, by user and mode.
pub const HEAVY: Zone = exact("heavy", &[per_minute(30)]);

/// How many times the limit of one network all networks of an IPv6 site have together.
const SITE_TIMES: u32 = 10;
const SHARDS: usize = 64;
/// Just under what a table of 32,768 slots holds; with all shards full, about 145 MB.
const KEYS_PER_SHARD_MAX: usize = 28_000;
/// One shard is cleared so often, hence all of them within four minutes.
const SWEEP_EVERY: Duration = Duration::from_millis(3_750);

/// Where every client stands with every limit.
///
/// Keys are kept as seeded 64-bit hashes: they need no memory of their own, and a stranger cannot
/// find two that collide.
#[derive(Debug)]
pub struct Limits {
    on: bool,
    overrides: Overrides,
    keys_per_shard_max: usize,
    hasher: RandomState,
    shards: [Mutex<HashMap<u64, Record>>; SHARDS],
    sweep_at_micros: AtomicI64,
    sweep_next: AtomicUsize,
}

impl Zone {
    /// The same with so many times its limits.
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

impl Limits {
    /// Starts with nobody known; when off, everything is allowed.
    pub fn new(on: bool, overrides: Overrides) -> Self {
        Self { overrides, ..Self::with_room(on, KEYS_PER_SHARD_MAX) }
    }

    /// Counts an attempt, or refuses it; a refused one does not count.
    ///
    /// The state is that of the tightest window.
    pub fn check(&self, zone: &Zone, key: &str, now: Timestamp) -> Result<RateState, Error> {
        self.admit(self.overrides.of(zone), key, now)
    }

    /// Counts an attempt of an address at something, or refuses it.
    ///
    /// An IPv6 site has thousands of networks, so all of them together have a limit as well.
    pub fn check_address(
        &self,
        zone: &Zone,
        address: IpAddr,
        what: &str,
        now: Timestamp,
    ) -> Result<RateState, Error> {
        let zone = self.overrides.of(zone);
        let own = self.admit(zone, &format!("{} {what}", limit_key(address)), now)?;
        let Some(site) = site(address) else { return Ok(own) };
        let all = self.admit(&zone.widened(SITE_TIMES), &format!("site {site} {what}"), now)?;
        Ok(if all.remaining < own.remaining { all } else { own })
    }

    fn admit(&self, zone: &Zone, key: &str, now: Timestamp) -> Result<RateState, Error> {
        if !self.on {
            return Ok(record::untouched(zone));
        }
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
        // A time far ahead was set by a clock that has been put back.
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
            shard.retain(|_, record| record.matters(now));
            let room = shard.len().saturating_mul(2);
            shard.shrink_to(room);
        }
    }
}

/// Makes room by forgetting the half that would be forgotten first anyway.
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
