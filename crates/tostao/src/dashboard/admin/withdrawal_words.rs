//! What is known of an account before its withdrawal is decided on, in words.

use std::time::Duration;

use db::time::Timestamp;

use crate::dashboard::admin::view::RiskFact;
use crate::dashboard::balance::wording;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::words::span;
use crate::platform::messages::Lang;
use crate::withdrawals::risk::{LastChanges, Risk};

/// An account that is younger asks for a look.
const YOUNG: Duration = Duration::from_hours(30 * 24);

/// Why a withdrawal waits for an administrator, or how it stands.
pub fn why(known: &Risk, lang: Lang) -> String {
    match &known.withdrawal.contradiction {
        Some(said) if known.withdrawal.can_be_resolved() => {
            lang.admin_contradicted(wording::reported(said, lang))
        }
        _ if known.withdrawal.can_be_approved() => lang.admin_undecided().to_owned(),
        _ => wording::why(&known.withdrawal, lang),
    }
}

/// What an administrator looks at, what stands out with its state.
pub fn risks(known: &Risk, lang: Lang) -> Vec<RiskFact> {
    let looked_at = || Some(State { tone: Tone::Wait, word: lang.admin_look() });
    let fact = |name, value, stands_out| {
        let state = if stands_out { looked_at() } else { None };
        RiskFact { name, value, state }
    };
    let age = known.at.since(known.opened_at);
    let verified = if known.is_verified { lang.admin_yes() } else { lang.admin_no() };
    let paid_before = if known.key_paid_before { lang.admin_yes() } else { lang.admin_no() };
    let said = known.withdrawal.contradiction.as_deref();
    let mut facts = vec![
        fact(lang.admin_account_age(), span(age), age < YOUNG),
        fact(lang.admin_verified(), verified.to_owned(), !known.is_verified),
        fact(lang.admin_key_paid(), paid_before.to_owned(), !known.key_paid_before),
        fact(lang.admin_sold(), lang.money(known.sold.get()), known.sold < known.withdrawal.amount),
        fact(lang.admin_withdrawn(), lang.money(known.withdrawn.get()), false),
    ];
    for (name, at) in changes(&known.changes, lang) {
        let value = match at {
            Some(at) => lang.admin_ago(span(known.at.since(at)), lang.date_time(at.micros())),
            None => lang.admin_unchanged().to_owned(),
        };
        facts.push(fact(name, value, at.is_some()));
    }
    let reported =
        said.map_or(lang.admin_none_reported().to_owned(), |said| wording::reported(said, lang));
    facts.push(fact(lang.admin_contradiction(), reported, said.is_some()));
    facts
}

fn changes(changes: &LastChanges, lang: Lang) -> [(&'static str, Option<Timestamp>); 7] {
    [
        (lang.admin_password_changed(), changes.password),
        (lang.admin_step_changed(), changes.second_step),
        (lang.admin_email_changed(), changes.email),
        (lang.admin_payout_key_added(), changes.payout_keys),
        (lang.admin_keys_changed(), changes.keys),
        (lang.admin_team_changed(), changes.team),
        (lang.admin_business_changed(), changes.business),
    ]
}
