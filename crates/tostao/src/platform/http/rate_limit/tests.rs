//! Rate limits under a clock that only the tests move.

use std::time::Duration;

use db::time::Timestamp;
use proptest::prelude::{any, proptest};
use proptest::{collection, prop_assert_eq};

use super::overrides::Overrides;
use super::record::Record;
use super::{
    AUTHENTICATED, CHECKOUT_DEVELOPMENT, CHECKOUT_PRODUCTION, LOGIN, REGISTER, RateLimiter, Rule,
    Window, ZONES, Zone, exact,
};
use crate::platform::error::Error;
use crate::platform::http::context::RateState;

const MINUTE: i64 = 60_000_000;
const START: i64 = 1_795_291_200_000_000;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(START + micros)
}

fn seconds(seconds: i64) -> Timestamp {
    at(seconds * 1_000_000)
}

/// Seconds to wait, or `None` for an admitted attempt.
fn wait(limits: &RateLimiter, zone: &Zone, key: &str, now: Timestamp) -> Option<u64> {
    match limits.check(zone, key, now) {
        Ok(_) => None,
        Err(Error::TooMany { retry_after_seconds, .. }) => Some(retry_after_seconds),
        Err(other) => panic!("{other}"),
    }
}

fn admits(limits: &RateLimiter, zone: &Zone, key: &str, now: Timestamp) -> bool {
    wait(limits, zone, key, now).is_none()
}

fn state(limit: u64, remaining: u64, reset_seconds: u64) -> RateState {
    RateState { limit, remaining, reset_seconds }
}

impl RateLimiter {
    fn known(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().unwrap().len()).sum()
    }

    fn slots(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().unwrap().capacity()).sum()
    }
}

#[test]
fn an_operator_can_set_the_limits_of_every_zone_that_the_documentation_lists() {
    let source = include_str!("../rate_limit.rs");
    let made = source.lines().filter(|line| {
        line.starts_with("pub const ")
            && line.split('=').next().is_some_and(|of| of.contains(": Zone"))
    });
    assert_eq!(made.count(), ZONES.len());
    let book = include_str!("../../../../../../docs/api-design.md");
    let (_, limits) = book.split_once("## Limits\n").expect("has the section");
    let rows = limits.lines().skip_while(|line| !line.starts_with("| `"));
    let rows = rows.take_while(|line| line.starts_with("| `"));
    let mut documented: Vec<_> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let mut settable = ZONES.map(|zone| zone.name);
    documented.sort_unstable();
    settable.sort_unstable();
    assert_eq!(documented, settable);
}

#[test]
fn a_window_holds_exactly_its_limit_at_every_phase() {
    for zone in [&REGISTER, &CHECKOUT_PRODUCTION, &CHECKOUT_DEVELOPMENT] {
        let Rule::Windows(windows) = &zone.rule else { panic!("{} is exact", zone.name) };
        for phase in [0, 1, 333_333, 499_999, 59_999_999] {
            let limits = RateLimiter::new(true, Overrides::default());
            let mut admitted = Vec::new();
            // Attempts come three times a second, never in step with a window.
            let longest = windows.iter().map(|window| window.seconds).max().unwrap();
            for step in 0..i64::try_from(3 * (longest + 120)).unwrap() {
                let now = at(phase + step * 333_331);
                if admits(&limits, zone, "key", now) {
                    admitted.push(now);
                }
            }
            for window in windows.iter() {
                let fullest = fullest(&admitted, window);
                assert_eq!(fullest, window.max, "{} in {} s", zone.name, window.seconds);
            }
        }
    }
}

fn fullest(admitted: &[Timestamp], window: &Window) -> u64 {
    let length = Duration::from_secs(window.seconds);
    let within = |end: &Timestamp| {
        let inside = |at: &&Timestamp| **at <= *end && end.since(**at) < length;
        admitted.iter().filter(inside).count() as u64
    };
    admitted.iter().map(within).max().unwrap_or(0)
}

proptest! {
    #[test]
    fn an_attempt_is_admitted_if_and_only_if_every_window_has_room(
        gaps in collection::vec(0_i64..25_000_000, 1..200),
        strangers in collection::vec(any::<bool>(), 200),
    ) {
        const SMALL: Zone = exact(
            "small",
            &[Window { max: 3, seconds: 30 }, Window { max: 7, seconds: 120 }],
        );
        let limits = RateLimiter::new(true, Overrides::default());
        let mut admitted: Vec<i64> = Vec::new();
        let mut now = 0;
        for (gap, stranger) in gaps.into_iter().zip(strangers) {
            now += gap;
            if stranger {
                // Another key changes nothing.
                let _ = limits.check(&SMALL, "stranger", at(now));
            }
            let inside = |length| admitted.iter().filter(|then| now - **then < length).count();
            let expected = inside(MINUTE / 2) < 3 && inside(2 * MINUTE) < 7;
            prop_assert_eq!(admits(&limits, &SMALL, "key", at(now)), expected);
            if expected {
                admitted.push(now);
            }
        }
    }
}

#[test]
fn a_refused_attempt_does_not_count() {
    let limits = RateLimiter::new(true, Overrides::default());
    assert!((0..30).all(|_| admits(&limits, &REGISTER, "key", at(0))));
    assert!(!(0..1_000).any(|step| admits(&limits, &REGISTER, "key", at(step * MINUTE / 1_000))));
    assert!((0..30).all(|_| admits(&limits, &REGISTER, "key", at(MINUTE))));
}

#[test]
fn a_request_after_retry_after_is_admitted_and_one_a_second_earlier_is_not() {
    for zone in [&REGISTER, &CHECKOUT_PRODUCTION, &LOGIN] {
        let limits = RateLimiter::new(true, Overrides::default());
        let mut now = 0;
        for _ in 0..5 {
            let wait_seconds = loop {
                now += 700_000;
                if let Some(wait_seconds) = wait(&limits, zone, "key", at(now)) {
                    break i64::try_from(wait_seconds).unwrap();
                }
            };
            assert!(
                !admits(&limits, zone, "key", at(now + (wait_seconds - 1) * 1_000_000)),
                "{}",
                zone.name
            );
            now += wait_seconds * 1_000_000;
            assert!(admits(&limits, zone, "key", at(now)), "{}", zone.name);
        }
    }
}

#[test]
fn the_tightest_window_is_reported() {
    let limits = RateLimiter::new(true, Overrides::default());
    let check = |now| limits.check(&CHECKOUT_PRODUCTION, "key", seconds(now)).ok();
    assert_eq!(check(0), Some(state(6, 5, 60)));
    assert_eq!(check(20), Some(state(6, 4, 40)));
    assert_eq!(check(61), Some(state(6, 4, 19)));
    for step in 0..14 {
        check(120 + step * 61);
    }
    assert_eq!(check(1_200), Some(state(20, 2, 2_400)));
}

#[test]
fn who_runs_into_the_limit_of_logins_stays_out_for_fifteen_minutes() {
    let limits = RateLimiter::new(true, Overrides::default());
    let wait = |now| wait(&limits, &LOGIN, "key", seconds(now));
    assert!((0..6).all(|second| wait(second).is_none()));
    assert_eq!(wait(6), Some(900));
    // The minute has passed, the block has not; and another attempt does not extend it.
    assert_eq!(wait(66), Some(840));
    assert_eq!(wait(905), Some(1));
    // The hour still counts what came before the block.
    assert!((906..912).all(|second| wait(second).is_none()));
    assert_eq!(wait(912), Some(2_688));
    assert_eq!(wait(3_599), Some(1));
    assert_eq!(wait(3_600), None);
    assert_eq!(wait(3_600), Some(900));
}

#[test]
fn a_paced_zone_takes_a_burst_and_then_keeps_the_pace() {
    let limits = RateLimiter::new(true, Overrides::default());
    let check = |now| limits.check(&AUTHENTICATED, "key", at(now));
    assert_eq!(check(0).ok(), Some(state(2_000, 1_999, 1)));
    assert!((1..1_999).all(|_| check(0).is_ok()));
    assert_eq!(check(0).ok(), Some(state(2_000, 0, 2)));
    let refused = check(0).unwrap_err();
    assert!(matches!(refused, Error::TooMany { retry_after_seconds: 1, limit: Some(2_000) }));
    let admitted = (1..=10_000).filter(|step| check(step * 100).is_ok()).count();
    assert_eq!(admitted, 1_000, "one second later");
    // A pause restores the whole burst, and no more.
    let admitted = (0..3_000).filter(|_| check(10_000_000).is_ok()).count();
    assert_eq!(admitted, 2_000);
}

#[test]
fn keys_and_zones_do_not_touch_each_other() {
    let limits = RateLimiter::new(true, Overrides::default());
    assert!((0..30).all(|_| admits(&limits, &REGISTER, "a", at(0))));
    assert!(!admits(&limits, &REGISTER, "a", at(0)));
    assert!(admits(&limits, &REGISTER, "b", at(0)));
    assert!(admits(&limits, &CHECKOUT_PRODUCTION, "a", at(0)));
}

#[test]
fn everything_is_allowed_when_limits_are_off() {
    let limits = RateLimiter::new(false, Overrides::default());
    for _ in 0..100 {
        let state_shown = limits.check(&LOGIN, "key", at(0)).ok();
        assert_eq!(state_shown, Some(state(6, 6, 0)));
    }
    assert_eq!(limits.known(), 0);
}

#[test]
fn times_that_arrive_in_the_wrong_order_still_count() {
    let limits = RateLimiter::new(true, Overrides::default());
    assert!((0..30).all(|step| admits(&limits, &REGISTER, "key", at(1_000 - step))));
    assert!(!admits(&limits, &REGISTER, "key", at(0)));
    assert!(!admits(&limits, &REGISTER, "key", at(MINUTE)));
    assert!(admits(&limits, &REGISTER, "key", at(MINUTE + 1_000)));
}

#[test]
fn a_clock_that_is_put_back_locks_no_client_out() {
    let limits = RateLimiter::new(true, Overrides::default());
    assert!((0..30).all(|_| admits(&limits, &REGISTER, "key", at(60 * MINUTE))));
    assert!(!admits(&limits, &REGISTER, "key", at(60 * MINUTE)));
    assert!(admits(&limits, &REGISTER, "key", at(0)));
    let keys = (0..100).map(|key| key.to_string());
    assert!(keys.into_iter().all(|key| admits(&limits, &REGISTER, &key, at(0))));
    assert!(admits(&limits, &REGISTER, "other", at(6 * MINUTE)));
    assert_eq!(limits.known(), 1, "sweeping goes on");
}

#[test]
fn a_million_clients_fit_and_are_forgotten_within_five_minutes() {
    let limits = RateLimiter::new(true, Overrides::default());
    for key in 0_u32..1_000_000 {
        assert!(admits(&limits, &REGISTER, &key.to_string(), at(0)));
    }
    assert_eq!(limits.known(), 1_000_000);
    // A slot has one byte of the table's own, at most seven of eight slots are used, and the
    // smallest allocation takes 32 bytes.
    let table = limits.slots() * 8 / 7 * (size_of::<(u64, Record)>() + 1);
    assert!(table + 1_000_000 * 32 < 150_000_000, "{table} bytes of tables");

    // One request a second is enough to clear everything.
    for second in 0..=300 {
        let _ = limits.check(&REGISTER, "somebody", seconds(60 + second));
    }
    assert_eq!(limits.known(), 1);
    assert!(limits.slots() < 1_000, "the memory is given back");
}

#[test]
fn a_flood_of_clients_pushes_out_the_ones_that_matter_least() {
    let limits = RateLimiter::with_room(true, 100);
    assert!((0..20).all(|second| {
        let spaced = seconds(second * 11);
        admits(&limits, &CHECKOUT_PRODUCTION, "tester", spaced)
    }));
    for key in 0..50_000 {
        admits(&limits, &REGISTER, &key.to_string(), seconds(220));
    }
    assert!(limits.known() <= 6_400, "{} are known", limits.known());
    assert!(!admits(&limits, &CHECKOUT_PRODUCTION, "tester", seconds(400)));
}
