//! Referrals and rewards in words.

use ledger::cents::Cents;

use crate::dashboard::parts::{State, Tone};
use crate::dashboard::words::decimal;
use crate::platform::decimal::Decimal;
use crate::platform::messages::Lang;
use crate::referrals::rewards::{Kind, Reward, Status as RewardStatus};
use crate::referrals::terms::ReferralTerms;
use crate::referrals::{Referral, Status};

/// The name of a referral's state, for the list's filter.
pub fn status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Pending => lang.referral_pending(),
        Status::Completed => lang.referral_completed(),
        Status::Expired => lang.referral_expired(),
        Status::Rejected => lang.referral_rejected(),
    }
}

/// How a referral stands.
pub fn state(of: Status, lang: Lang) -> State {
    let tone = match of {
        Status::Pending => Tone::Wait,
        Status::Completed => Tone::Good,
        Status::Expired => Tone::Off,
        Status::Rejected => Tone::Bad,
    };
    State { tone, word: status(of, lang) }
}

/// Why a referral stands so, and what comes next.
pub fn why(of: &Referral, lang: Lang) -> String {
    let until = lang.date_time(of.earns_until.micros());
    match of.status {
        Status::Pending => {
            let (sold, goal) = (lang.money(of.volume.get()), lang.money(of.goal.get()));
            let by = lang.date_time(of.expires_at.micros());
            lang.referral_why_pending(sold, goal, by, lang.money(of.fixed.get()))
        }
        Status::Completed => {
            let at = lang.date_time(of.completed_at.unwrap_or(of.created_at).micros());
            lang.referral_why_completed(at, rate(of.basis_points, lang), until)
        }
        Status::Expired => {
            let goal = lang.money(of.goal.get());
            lang.referral_why_expired(goal, lang.date_time(of.expires_at.micros()))
        }
        Status::Rejected => lang.referral_why_rejected().to_owned(),
    }
}

/// What a referral that begins now brings, a sentence each.
pub fn terms(terms: ReferralTerms, lang: Lang) -> Vec<String> {
    let money = |cents: Cents| lang.money(cents.get());
    vec![
        lang.referral_terms_rate(rate(terms.basis_points, lang)),
        lang.referral_terms_goal(money(terms.fixed), money(terms.goal)),
        lang.referral_terms_held().to_owned(),
    ]
}

/// The name of a reward's state, for the list's filter.
pub fn reward_status(status: RewardStatus, lang: Lang) -> &'static str {
    match status {
        RewardStatus::Pending => lang.commission_pending(),
        RewardStatus::Available => lang.commission_paid(),
        RewardStatus::Cancelled => lang.commission_cancelled(),
    }
}

/// How a reward stands.
pub fn reward_state(status: RewardStatus, lang: Lang) -> State {
    let tone = match status {
        RewardStatus::Pending => Tone::Wait,
        RewardStatus::Available => Tone::Good,
        RewardStatus::Cancelled => Tone::Off,
    };
    State { tone, word: reward_status(status, lang) }
}

/// What a reward is for.
pub fn kind(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::Fixed => lang.reward_of_goal(),
        Kind::Commission => lang.reward_of_sale(),
    }
}

/// Why a reward stands so, and what comes next.
pub fn reward_why(of: &Reward, lang: Lang) -> String {
    let due = lang.date_time(of.available_at.micros());
    let why = match (of.status, of.kind) {
        (RewardStatus::Pending, Kind::Commission) => lang.reward_why_held(due),
        (RewardStatus::Pending, Kind::Fixed) => lang.reward_why_goal_held(due),
        (RewardStatus::Available, _) => {
            let at = of.released_at.unwrap_or(of.available_at);
            lang.reward_why_released(lang.date_time(at.micros()))
        }
        (RewardStatus::Cancelled, Kind::Commission) => lang.reward_why_returned().to_owned(),
        (RewardStatus::Cancelled, Kind::Fixed) => lang.reward_why_missed().to_owned(),
    };
    if of.taken.is_zero() || of.status == RewardStatus::Cancelled {
        return why;
    }
    let (amount, taken) = (lang.money(of.amount.get()), lang.money(of.taken.get()));
    format!("{why} {}", lang.reward_was_more(amount, taken))
}

/// A share in basis points.
fn rate(basis_points: u32, lang: Lang) -> String {
    format!("{}%", decimal(Decimal::hundredths(basis_points.into()), lang))
}
