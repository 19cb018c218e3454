//! Why a payment is in its state, in words: the cause, what comes next and when, and what the
//! merchant can do.
//!
//! Every status and every reason is matched by name, so a new one does not compile without its
//! sentences in both languages.

use db::time::Timestamp;
use rails::card::DeclineCode;

use crate::platform::messages::Lang;
use crate::transactions::failure::FailureReason;
use crate::transactions::refunds::{refundable_amount, window};
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

pub mod links;
pub mod subscriptions;
#[cfg(test)]
mod tests;

/// The sentences about a payment's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// What has led to the state, the most important first.
    pub causes: Vec<String>,
    /// What comes next, and when.
    pub next: String,
    /// What the merchant can do.
    pub action: String,
}

/// Explains the state of a payment as it is at an instant of its scope's clock.
pub fn of(payment: &Transaction, now: Timestamp, lang: Lang) -> Why {
    let at = |at: Option<Timestamp>| lang.date_time(at.unwrap_or(payment.updated_at).micros());
    let mut why = match payment.status {
        Status::Pending => pending(payment, lang),
        Status::Processing => Why {
            causes: vec![lang.why_processing().to_owned()],
            next: lang.why_processing_next().to_owned(),
            action: lang.why_processing_action().to_owned(),
        },
        Status::Paid => paid(payment, now, lang),
        Status::Failed => failed(payment, lang),
        Status::Expired => closed(lang.why_expired(at(payment.expired_at)), lang),
        Status::Cancelled => {
            let at = at(payment.cancelled_at);
            let cause = match reason(payment) {
                Some(FailureReason::Replaced) => lang.why_replaced(at),
                Some(
                    FailureReason::RefusedByAcquirer
                    | FailureReason::AcquirerUnavailable
                    | FailureReason::ResolvedByAdministrator
                    | FailureReason::CardTokenUnusable
                    | FailureReason::NeverArrived
                    | FailureReason::BoletoNotMade,
                )
                | None => lang.why_cancelled(at),
            };
            closed(cause, lang)
        }
        Status::Refunded => Why {
            causes: vec![lang.why_refunded(at(payment.refunded_at))],
            next: lang.why_refunded_next().to_owned(),
            action: lang.why_wait().to_owned(),
        },
        Status::Disputed => Why {
            causes: vec![lang.why_disputed().to_owned()],
            next: lang.why_disputed_next().to_owned(),
            action: lang.why_disputed_action().to_owned(),
        },
        Status::ChargedBack => Why {
            causes: vec![lang.why_charged_back().to_owned()],
            next: lang.why_charged_back_next().to_owned(),
            action: lang.why_wait().to_owned(),
        },
    };
    if !payment.unmatched.is_zero() {
        why.causes.push(lang.why_unmatched(lang.money(payment.unmatched.get())));
        lang.why_decide().clone_into(&mut why.action);
    }
    why
}

fn pending(payment: &Transaction, lang: Lang) -> Why {
    let deadline = payment.expires_at.map(|at| lang.date_time(at.micros()));
    let expires =
        deadline.as_ref().map_or(lang.why_never_expires().to_owned(), |at| lang.why_expires_at(at));
    let (cause, next) = match payment.method {
        Method::Pix => (lang.why_waits_pix(), expires),
        Method::Boleto if payment.made_boleto().is_none() => {
            (lang.why_waits_for_slip(), lang.why_slip_takes_seconds().to_owned())
        }
        Method::Boleto => {
            let next = deadline.map_or(expires, |at| lang.why_slip_is_confirmed_later(at));
            (lang.why_waits_boleto(), next)
        }
        Method::CreditCard => (lang.why_waits_card(), expires),
        Method::Free => (lang.why_waits_free(), expires),
    };
    let action = lang.why_send_link_or_cancel().to_owned();
    Why { causes: vec![cause.to_owned()], next, action }
}

fn paid(payment: &Transaction, now: Timestamp, lang: Lang) -> Why {
    let paid_at = payment.paid_at.unwrap_or(payment.updated_at);
    let at = lang.date_time(paid_at.micros());
    let by_slip = payment.boleto.as_ref().is_some_and(|boleto| boleto.payment_id.is_some());
    let (cause, next) = match payment.method {
        Method::Pix => (lang.why_paid_pix(at), lang.why_settled_at_once()),
        Method::Boleto if by_slip => (lang.why_paid_boleto(at), lang.why_settles_later()),
        Method::Boleto => (lang.why_paid_slip_by_pix(at), lang.why_settled_at_once()),
        Method::CreditCard => (lang.why_paid_card(at), lang.why_settles_later()),
        Method::Free => (lang.why_paid_free(at), lang.why_nothing_settles()),
    };
    let mut causes = vec![cause];
    if payment.oversold {
        causes.push(lang.why_oversold().to_owned());
    } else if payment.paid_late {
        causes.push(lang.why_paid_late().to_owned());
    }
    if !payment.refunding.is_zero() {
        causes.push(lang.why_refund_under_way(lang.money(payment.refunding.get())));
    }
    if !payment.refunded.is_zero() {
        causes.push(lang.why_refunded_in_part(lang.money(payment.refunded.get())));
    }
    let until = paid_at.plus(window(payment.method));
    let shown = lang.date_time(until.micros());
    let action = if refundable_amount(payment).is_zero() {
        lang.why_nothing_to_refund().to_owned()
    } else if now > until {
        lang.why_no_longer_refundable(shown)
    } else {
        lang.why_refundable_until(shown)
    };
    Why { causes, next: next.to_owned(), action }
}

fn failed(payment: &Transaction, lang: Lang) -> Why {
    let (cause, action) = match payment.decline_code {
        Some(code) => {
            let again =
                if code.is_hard() { lang.why_try_other_card() } else { lang.why_try_same_card() };
            (declined(code, lang).to_owned(), again)
        }
        None => (refused(payment, lang), lang.why_issue_again()),
    };
    let next = lang.why_failed_next().to_owned();
    Why { causes: vec![cause], next, action: action.to_owned() }
}

/// Why an issuer declined a card.
fn declined(code: DeclineCode, lang: Lang) -> &'static str {
    match code {
        DeclineCode::CardDeclined => lang.why_card_declined(),
        DeclineCode::InsufficientFunds => lang.why_insufficient_funds(),
        DeclineCode::DoNotHonor => lang.why_do_not_honor(),
        DeclineCode::VelocityExceeded => lang.why_velocity_exceeded(),
        DeclineCode::IncorrectCvc => lang.why_incorrect_cvc(),
        DeclineCode::ExpiredCard => lang.why_expired_card(),
        DeclineCode::LostCard => lang.why_lost_card(),
        DeclineCode::StolenCard => lang.why_stolen_card(),
    }
}

/// Why a payment failed that no issuer declined; reasons of earlier releases are shown as they are.
fn refused(payment: &Transaction, lang: Lang) -> String {
    refused_for(payment.failure_reason.as_deref().unwrap_or("–"), lang)
}

/// Why a payment was not made, by the code of its decline or failure.
pub fn failure(code: &str, lang: Lang) -> String {
    DeclineCode::parse(code)
        .map_or_else(|| refused_for(code, lang), |code| declined(code, lang).to_owned())
}

fn refused_for(code: &str, lang: Lang) -> String {
    let Some(reason) = FailureReason::parse(code) else {
        return lang.why_failed_otherwise(code);
    };
    let text = match reason {
        FailureReason::RefusedByAcquirer => lang.why_acquirer_refused(),
        FailureReason::AcquirerUnavailable => lang.why_acquirer_unavailable(),
        FailureReason::ResolvedByAdministrator => lang.why_resolved_as_failed(),
        FailureReason::CardTokenUnusable => lang.why_token_unusable(),
        FailureReason::NeverArrived => lang.why_never_arrived(),
        FailureReason::BoletoNotMade => lang.why_slip_not_made(),
        FailureReason::Replaced => return lang.why_failed_otherwise(reason.name()),
    };
    text.to_owned()
}

fn closed(cause: String, lang: Lang) -> Why {
    Why {
        causes: vec![cause],
        next: lang.why_late_money_is_booked().to_owned(),
        action: lang.why_issue_again().to_owned(),
    }
}

fn reason(payment: &Transaction) -> Option<FailureReason> {
    payment.failure_reason.as_deref().and_then(FailureReason::parse)
}
