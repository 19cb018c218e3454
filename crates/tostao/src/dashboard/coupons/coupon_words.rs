//! What a coupon gives and how it stands, in words.

use db::time::Timestamp;

use crate::coupons::discount::DiscountRule;
use crate::coupons::{Coupon, Status};
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::words::decimal;
use crate::platform::messages::Lang;

/// What it takes off: `12,5%`, or an amount.
pub fn discount(rule: DiscountRule, lang: Lang) -> String {
    match rule {
        DiscountRule::Percentage(_) => format!("{}%", number(rule, lang)),
        DiscountRule::Fixed(cents) => lang.money(cents.get()),
    }
}

/// The same as it is typed.
pub fn number(rule: DiscountRule, lang: Lang) -> String {
    match rule {
        DiscountRule::Percentage(_) => decimal(rule.shown(), lang),
        DiscountRule::Fixed(cents) => lang.money(cents.get()),
    }
}

/// How often it was used, of how often it may be.
pub fn uses(coupon: &Coupon, lang: Lang) -> String {
    match coupon.usage_limit {
        Some(limit) => lang.coupon_uses_of(coupon.usage_count, limit),
        None => coupon.usage_count.to_string(),
    }
}

/// The name of a stored state, for the list's filter.
pub fn status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Active => lang.coupon_active(),
        Status::Inactive => lang.coupon_inactive(),
        Status::Expired => lang.coupon_expired(),
    }
}

/// How it stands for buyers.
pub fn state(coupon: &Coupon, now: Timestamp, lang: Lang) -> State {
    let status = coupon.status(now);
    let (tone, word) = match status {
        Status::Active if !coupon.has_started(now) => (Tone::Wait, lang.coupon_not_started()),
        Status::Active if coupon.is_used_up() => (Tone::Off, lang.coupon_used_up()),
        Status::Active => (Tone::Good, self::status(status, lang)),
        Status::Inactive | Status::Expired => (Tone::Off, self::status(status, lang)),
    };
    State { tone, word }
}

/// Why it stands so, and what can be done.
pub fn why(coupon: &Coupon, now: Timestamp, lang: Lang) -> String {
    let at = |at: Option<Timestamp>| lang.date_time(at.unwrap_or(now).micros());
    match coupon.status(now) {
        Status::Active if !coupon.has_started(now) => {
            lang.coupon_why_not_started(at(coupon.valid_from))
        }
        Status::Active if coupon.is_used_up() => lang.coupon_why_used_up().to_owned(),
        Status::Active if coupon.valid_until.is_some() => {
            lang.coupon_why_active_until(at(coupon.valid_until))
        }
        Status::Active => lang.coupon_why_active().to_owned(),
        Status::Inactive => lang.coupon_why_inactive().to_owned(),
        Status::Expired => lang.coupon_why_expired(at(coupon.valid_until)),
    }
}
