//! How a plan stands, and what it is, in words.

use crate::dashboard::parts::{State, Text, Tone};
use crate::platform::messages::Lang;
use crate::subscriptions::plans::{Interval, Plan, RetryPolicy};

/// Whether it takes subscribers.
pub fn state(plan: &Plan, lang: Lang) -> State {
    let (tone, word) = match (plan.active, plan.is_open()) {
        (false, _) => (Tone::Off, lang.plan_closed()),
        (true, true) => (Tone::Good, lang.plan_open()),
        (true, false) => (Tone::Wait, lang.plan_taken()),
    };
    State { tone, word }
}

/// Why it stands so, and what can be done.
pub fn why(plan: &Plan, lang: Lang) -> &'static str {
    match (plan.active, plan.is_open()) {
        (false, _) => lang.plan_why_closed(),
        (true, true) => lang.plan_why_open(),
        (true, false) => lang.plan_why_full(),
    }
}

/// How many subscribe, of how many may.
pub fn subscribers(plan: &Plan, lang: Lang) -> String {
    match plan.max_subscribers {
        Some(most) => lang.plan_subscribers_of(plan.seats, most),
        None => plan.seats.to_string(),
    }
}

/// When a failed charge is tried again.
pub fn retries(policy: Option<RetryPolicy>, lang: Lang) -> String {
    policy.map_or_else(
        || lang.plan_retries_usual().to_owned(),
        |policy| lang.plan_retries_of(policy.max_retry, policy.retry_every),
    )
}

/// The name of an interval.
pub fn interval(interval: Interval) -> Text {
    match interval {
        Interval::Monthly => Lang::plan_monthly,
        Interval::Quarterly => Lang::plan_quarterly,
        Interval::Semiannual => Lang::plan_semiannual,
        Interval::Annual => Lang::plan_annual,
    }
}
