//! Movements and withdrawals in words.

use db::time::Timestamp;
use ledger::cents::Cents;
use ledger::statement::Leg;

use crate::advances::Advance;
use crate::advances::status::Status as AdvanceStatus;
use crate::books::api::AccountName;
use crate::books::movements::MovementKind as Kind;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::refusal_words::{is_about_the_key, refusal};
use crate::figures::explanation::BalanceFigure;
use crate::platform::messages::Lang;
use crate::withdrawals::Withdrawal;
use crate::withdrawals::status::{FailureReason, Reported, Status};

/// An account of the merchant.
pub fn account(account: AccountName, lang: Lang) -> &'static str {
    match account {
        AccountName::Available => lang.balance_available(),
        AccountName::Pending => lang.balance_pending(),
        AccountName::Refunding => lang.balance_refunding(),
        AccountName::Withdrawing => lang.balance_withdrawing(),
        AccountName::Disputed => lang.balance_disputed(),
        AccountName::Suspense => lang.balance_suspense(),
        AccountName::Advanced => lang.balance_advanced(),
    }
}

/// A figure of the balance.
pub fn figure(figure: BalanceFigure, lang: Lang) -> &'static str {
    match figure {
        BalanceFigure::Available => lang.balance_available(),
        BalanceFigure::Pending => lang.balance_pending(),
        BalanceFigure::Held => lang.balance_held(),
    }
}

/// What an entry is; one of a kind that a later release has made is shown as the API names it.
pub fn entry(leg: &Leg, account: AccountName, lang: Lang) -> &str {
    match Kind::parse(&leg.kind) {
        Some(Kind::PaymentCaptured) if leg.amount < Cents::ZERO => lang.moved_share(),
        Some(Kind::PaymentCaptured) if account == AccountName::Pending => {
            lang.moved_sale_or_commission()
        }
        Some(kind) => movement(kind, lang),
        None => &leg.kind,
    }
}

/// The movements of a kind together: those of a sale are its amount less what went off it.
pub fn movements(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::PaymentCaptured => lang.moved_sales(),
        kind => movement(kind, lang),
    }
}

/// A kind of movement.
pub fn movement(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::PaymentCaptured => lang.moved_sale(),
        Kind::CommissionReleased => lang.moved_commission(),
        Kind::ReceivableSettled => lang.moved_receivable(),
        Kind::AdvanceApproved => lang.moved_advance(),
        Kind::AdvanceDebited => lang.moved_advance_debited(),
        Kind::PaymentUnmatched => lang.moved_unmatched(),
        Kind::PaymentMatched => lang.moved_matched(),
        Kind::ReturnRequested => lang.moved_return(),
        Kind::ReturnCompleted => lang.moved_return_done(),
        Kind::ReturnFailed => lang.moved_return_failed(),
        Kind::SuspenseReleased => lang.moved_accepted(),
        Kind::RefundRequested => lang.moved_refund(),
        Kind::RefundCompleted => lang.moved_refund_done(),
        Kind::RefundFailed => lang.moved_refund_failed(),
        Kind::DisputeOpened => lang.moved_dispute(),
        Kind::DisputeWon => lang.moved_dispute_won(),
        Kind::DisputeLost => lang.moved_dispute_lost(),
        Kind::WithdrawalRequested => lang.moved_withdrawal(),
        Kind::WithdrawalCompleted => lang.moved_withdrawal_done(),
        Kind::WithdrawalFailed => lang.moved_withdrawal_failed(),
        Kind::WithdrawalReturned => lang.moved_withdrawal_returned(),
        Kind::ReferralEarned => lang.moved_referral_earned(),
        Kind::ReferralReleased => lang.moved_referral_released(),
        Kind::ReferralTakenBack => lang.moved_referral_taken_back(),
        Kind::ReferralWithdrawn => lang.moved_referral(),
        Kind::DevelopmentCleared => lang.moved_cleared(),
        Kind::CommissionCleared => lang.moved_commission_cleared(),
    }
}

/// The state of an advance.
pub fn advance(status: AdvanceStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        AdvanceStatus::Pending => (Tone::Wait, lang.withdrawal_waits()),
        AdvanceStatus::Approved => (Tone::Good, lang.advance_paid_out()),
        AdvanceStatus::Rejected => (Tone::Bad, lang.advance_rejected()),
        AdvanceStatus::Cancelled => (Tone::Off, lang.payment_cancelled()),
        AdvanceStatus::Settled => (Tone::Off, lang.advance_settled()),
    };
    State { tone, word }
}

/// Why an advance stands as it does, and what comes next.
pub fn advance_why(advance: &Advance, lang: Lang) -> String {
    match advance.status {
        AdvanceStatus::Pending => lang.advance_waits_why().to_owned(),
        AdvanceStatus::Approved => lang.advance_paid_out_why(lang.money(advance.outstanding.get())),
        AdvanceStatus::Rejected => match advance.rejection_reason.as_deref() {
            Some(reason) => lang.advance_rejected_why(reason.trim_end_matches('.')),
            None => lang.advance_rejected_unsaid_why().to_owned(),
        },
        AdvanceStatus::Cancelled => lang.advance_cancelled_why().to_owned(),
        AdvanceStatus::Settled => lang.advance_settled_why().to_owned(),
    }
}

/// The name of a stored status of withdrawals, for the list's filter.
pub fn status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Pending => lang.withdrawal_waits(),
        Status::Completed => lang.withdrawal_paid(),
        Status::Failed => lang.withdrawal_failed(),
    }
}

/// The state of a withdrawal.
pub fn state(withdrawal: &Withdrawal, lang: Lang) -> State {
    let (tone, word) = match withdrawal.status {
        Status::Pending if withdrawal.processed_at.is_some() => {
            (Tone::Wait, lang.withdrawal_sending())
        }
        Status::Pending => (Tone::Wait, lang.withdrawal_waits()),
        Status::Completed => (Tone::Good, lang.withdrawal_paid()),
        Status::Failed if is_cancelled(withdrawal) => (Tone::Off, lang.payment_cancelled()),
        Status::Failed => (Tone::Bad, lang.withdrawal_failed()),
    };
    State { tone, word }
}

fn is_cancelled(withdrawal: &Withdrawal) -> bool {
    withdrawal.failure_reason.as_deref() == Some(FailureReason::CancelledByMerchant.name())
}

/// Why a withdrawal stands as it does, and what comes next.
pub fn why(withdrawal: &Withdrawal, lang: Lang) -> String {
    let rejected = FailureReason::RejectedByAdmin.name();
    match withdrawal.status {
        Status::Pending if withdrawal.sent_at.is_some() => lang.withdrawal_sent_why().to_owned(),
        Status::Pending if withdrawal.processed_at.is_some() => {
            lang.withdrawal_sending_why().to_owned()
        }
        Status::Pending => lang.withdrawal_waits_why().to_owned(),
        Status::Completed if !withdrawal.returned.is_zero() => {
            lang.withdrawal_returned_why(lang.money(withdrawal.returned.get()))
        }
        Status::Completed => lang.withdrawal_paid_why().to_owned(),
        Status::Failed if is_cancelled(withdrawal) => lang.withdrawal_cancelled_why().to_owned(),
        Status::Failed => match withdrawal.failure_reason.as_deref() {
            Some(reason) if reason == rejected => match withdrawal.failure_message.as_deref() {
                Some(message) => lang.withdrawal_rejected_why(message.trim_end_matches('.')),
                None => lang.withdrawal_rejected_unsaid_why().to_owned(),
            },
            Some(reason) => refused(reason, lang),
            None => lang.withdrawal_refused_unsaid_why().to_owned(),
        },
    }
}

fn refused(code: &str, lang: Lang) -> String {
    let said = refusal(code, lang);
    if is_about_the_key(code) {
        lang.withdrawal_refused_key_why(said)
    } else {
        lang.withdrawal_refused_why(said)
    }
}

/// What a bank has reported that contradicts a withdrawal.
pub fn reported(said: &str, lang: Lang) -> String {
    let (word, of) = said.split_once(' ').unwrap_or((said, ""));
    match Reported::parse(word) {
        Some(Reported::Processing) => lang.reported_processing().to_owned(),
        Some(Reported::NotFound) => lang.reported_not_found().to_owned(),
        Some(Reported::Paid) => lang.reported_paid(of),
        None => lang.reported_refused(refusal(said, lang)),
    }
}

/// The facts of a withdrawal.
pub fn facts(withdrawal: &Withdrawal, lang: Lang) -> Vec<(&'static str, String)> {
    let money = |cents: Cents| Some(lang.money(cents.get()));
    let time = |at: Option<Timestamp>| at.map(|at| lang.date_time(at.micros()));
    let is_failed = withdrawal.status == Status::Failed;
    let facts = [
        (lang.withdraw_amount(), money(withdrawal.amount)),
        (lang.withdrawal_fee(), money(withdrawal.fee)),
        (lang.withdrawal_arrives(), money(withdrawal.net()).filter(|_| !is_failed)),
        (lang.withdraw_key(), Some(withdrawal.key.as_str().to_owned())),
        (lang.withdraw_description(), withdrawal.description.clone()),
        (lang.withdrawal_asked_at(), time(Some(withdrawal.created_at))),
        (lang.withdrawal_approved_at(), time(withdrawal.processed_at)),
        (lang.withdrawal_paid_at(), time(withdrawal.completed_at)),
        (lang.withdrawal_failed_at(), time(withdrawal.failed_at)),
        (lang.withdrawal_end_to_end(), withdrawal.end_to_end_id.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Kind, Lang, movement};

    #[test]
    fn every_kind_of_movement_has_its_own_name() {
        for lang in [Lang::PtBr, Lang::En] {
            let names: BTreeSet<_> = Kind::ALL.iter().map(|kind| movement(*kind, lang)).collect();
            assert_eq!(names.len(), Kind::ALL.len(), "{names:?}");
        }
    }
}
