//! How webhooks and their deliveries stand, in words.
//!
//! Every state and every error is matched by name, so a new one does not compile, or is seen by the
//! test below, without its sentence in both languages.

use db::time::Timestamp;

use crate::dashboard::parts::{State, Tone};
use crate::events::names::ANY;
use crate::platform::messages::Lang;
use crate::webhooks::WebhookEndpoint;
use crate::webhooks::deliveries::{EventDelivery, Status};
use crate::webhooks::diagnosis::StepName;
use crate::webhooks::diagnosis::finding::StepOutcome;
use crate::webhooks::health::DisabledReason;
use crate::webhooks::schedule::ATTEMPTS_MAX;

/// The events that a webhook receives.
pub fn events(events: &[String], lang: Lang) -> String {
    if events.iter().any(|event| event == ANY) {
        return lang.webhook_all_events().to_owned();
    }
    events.join(", ")
}

/// How a webhook stands, and why.
pub fn webhook(webhook: &WebhookEndpoint, lang: Lang) -> (State, String) {
    let state = |tone, word| State { tone, word };
    if !webhook.active {
        let at = |note: &str, at| format!("{} {note}", lang.webhook_since(at));
        return match webhook.disabled {
            Some(disabled) => {
                let note = match disabled.reason {
                    DisabledReason::Gone => lang.home_webhook_gone(),
                    DisabledReason::Failing => lang.home_webhook_hopeless(),
                };
                let why = at(note, lang.date_time(disabled.at.micros()));
                (state(Tone::Bad, lang.webhook_disabled()), why)
            }
            None => (state(Tone::Off, lang.webhook_paused()), lang.webhook_paused_why().to_owned()),
        };
    }
    if let Some(failing) = webhook.failing {
        let since = lang.date_time(failing.since.micros());
        let why = lang.home_webhook_failing_note(failing.failures, since);
        return (state(Tone::Bad, lang.webhook_failing()), why);
    }
    match webhook.last_triggered_at {
        Some(at) => {
            let why = lang.webhook_last(lang.date_time(at.micros()));
            (state(Tone::Good, lang.webhook_receives()), why)
        }
        None => (state(Tone::Wait, lang.webhook_waits()), lang.webhook_waits_why().to_owned()),
    }
}

/// How a delivery stands; `is_active` is whether its webhook is switched on.
pub fn delivery(standing: &EventDelivery, is_active: bool, lang: Lang) -> State {
    let (tone, word) = match standing.status {
        Status::Pending if !is_active => (Tone::Off, lang.delivery_held()),
        Status::Delivered => (Tone::Good, lang.delivery_delivered()),
        Status::Pending if standing.attempts == 0 => (Tone::Wait, lang.delivery_queued()),
        Status::Pending => (Tone::Wait, lang.delivery_retried()),
        Status::Failed => (Tone::Bad, lang.delivery_failed()),
    };
    State { tone, word }
}

/// Why the last attempt failed, and when the next one is or what comes instead of it.
pub fn delivery_why(standing: &EventDelivery, is_active: bool, lang: Lang) -> Option<String> {
    let cause = standing.last_error.as_deref().map(|code| {
        let status = standing.last_status_code.and_then(|status| u16::try_from(status).ok());
        error(code, status, lang)
    });
    let is_next = |_: &Timestamp| !is_active || standing.attempts > 0;
    let next = standing.next_attempt_at.filter(is_next).map(|at| {
        let (number, at) = (standing.attempts + 1, lang.date_time(at.micros()));
        if is_active {
            lang.delivery_next(number, ATTEMPTS_MAX, at)
        } else {
            lang.delivery_held_until(at)
        }
    });
    let both: Vec<_> = cause.into_iter().chain(next).collect();
    (!both.is_empty()).then(|| both.join(" "))
}

/// How the deliveries of an event stand.
pub fn event(deliveries: &[EventDelivery], lang: Lang) -> State {
    let any = |status| deliveries.iter().any(|one| one.status == status);
    let (tone, word) = if deliveries.is_empty() {
        (Tone::Off, lang.event_state_none())
    } else if any(Status::Failed) {
        (Tone::Bad, lang.delivery_failed())
    } else if any(Status::Pending) {
        (Tone::Wait, lang.event_state_under_way())
    } else {
        (Tone::Good, lang.delivery_delivered())
    };
    State { tone, word }
}

/// Why they stand so, and what comes next.
pub fn event_why(deliveries: &[EventDelivery], lang: Lang) -> String {
    let any = |status| deliveries.iter().any(|one| one.status == status);
    let text = if deliveries.is_empty() {
        lang.event_why_none()
    } else if any(Status::Failed) {
        lang.event_why_failed()
    } else if any(Status::Pending) {
        lang.event_why_under_way()
    } else {
        lang.event_why_delivered()
    };
    text.to_owned()
}

/// The status of a delivery, to filter by.
pub fn delivery_status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Delivered => lang.delivery_delivered(),
        Status::Pending => lang.event_state_under_way(),
        Status::Failed => lang.delivery_failed(),
    }
}

/// What an error of an attempt means, by its code.
pub fn error(code: &str, status: Option<u16>, lang: Lang) -> String {
    let text = match (code, status) {
        ("redirect", Some(status)) => return lang.delivery_redirect(status),
        ("status", Some(status)) => return lang.delivery_status(status),
        ("dns", _) => lang.delivery_dns(),
        ("blocked", _) => lang.delivery_blocked(),
        ("connect", _) => lang.delivery_connect(),
        ("tls", _) => lang.delivery_tls(),
        ("timeout", _) => lang.delivery_timeout(),
        ("closed", _) => lang.delivery_closed(),
        ("too_large" | "malformed", _) => lang.delivery_malformed(),
        ("disabled", _) => lang.delivery_disabled(),
        ("invalid_url", _) => lang.delivery_invalid_url(),
        ("unreadable", _) => lang.delivery_unreadable(),
        _ => return lang.delivery_other(code),
    };
    text.to_owned()
}

/// The name of a step of a diagnosis.
pub fn step(name: StepName, lang: Lang) -> &'static str {
    match name {
        StepName::State => lang.diagnosis_step_state(),
        StepName::Address => lang.diagnosis_step_address(),
        StepName::Dns => lang.diagnosis_step_dns(),
        StepName::Connect => lang.diagnosis_step_connect(),
        StepName::Tls => lang.diagnosis_step_tls(),
        StepName::Answer => lang.diagnosis_step_answer(),
        StepName::Again => lang.diagnosis_step_again(),
        StepName::Unsigned => lang.diagnosis_step_unsigned(),
        StepName::Stale => lang.diagnosis_step_stale(),
        StepName::History => lang.diagnosis_step_history(),
    }
}

/// How a step of a diagnosis has ended.
pub fn outcome(outcome: StepOutcome, lang: Lang) -> State {
    let (tone, word) = match outcome {
        StepOutcome::Ok => (Tone::Good, lang.diagnosis_outcome_ok()),
        StepOutcome::Warn => (Tone::Wait, lang.diagnosis_outcome_warn()),
        StepOutcome::Fail => (Tone::Bad, lang.diagnosis_outcome_fail()),
        StepOutcome::Skipped => (Tone::Off, lang.diagnosis_outcome_skipped()),
    };
    State { tone, word }
}

#[cfg(test)]
mod tests {
    use outbound::failure::Failure;

    use super::error;
    use crate::platform::messages::Lang;

    #[test]
    fn every_failure_has_its_sentence() {
        let failures = [
            Failure::Dns,
            Failure::Blocked,
            Failure::Connect,
            Failure::Tls,
            Failure::Timeout,
            Failure::Closed,
            Failure::TooLarge,
            Failure::Malformed,
        ];
        for lang in [Lang::PtBr, Lang::En] {
            let ours = ["invalid_url", "unreadable", "disabled"];
            for code in failures.map(Failure::code).into_iter().chain(ours) {
                let text = error(code, None, lang);
                assert_ne!(text, lang.delivery_other(code), "{code}");
            }
            assert!(error("status", Some(503), lang).contains("503"));
            assert!(error("redirect", Some(301), lang).contains("301"));
        }
    }
}
