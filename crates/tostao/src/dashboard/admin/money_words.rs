//! Unknown money and differences in words.

use crate::connections::differences::{Difference, Kind, Status as DifferenceStatus};
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::refusal_words::refusal;
use crate::platform::messages::Lang;
use crate::transactions::incoming_payment::Rail;
use crate::transactions::unknown::{Status, UnknownPayment};

/// What unknown money is called.
pub fn name(money: &UnknownPayment, lang: Lang) -> String {
    if money.is_report() {
        return lang.admin_report().to_owned();
    }
    let amount = lang.money(money.amount.get());
    if money.rail == Rail::Boleto {
        lang.admin_boleto_of(amount)
    } else {
        lang.admin_pix_of(amount)
    }
}

/// The state of unknown money.
pub fn state(status: Status, lang: Lang) -> State {
    let (tone, word) = match status {
        Status::Open => (Tone::Wait, lang.admin_money_open()),
        Status::Matched => (Tone::Good, lang.admin_money_matched()),
        Status::Returning => (Tone::Wait, lang.admin_money_returning()),
        Status::Returned => (Tone::Off, lang.admin_money_returned()),
        Status::Dismissed => (Tone::Off, lang.admin_money_dismissed()),
    };
    State { tone, word }
}

/// Why unknown money stands as it does, and what comes next.
pub fn why(money: &UnknownPayment, lang: Lang) -> String {
    match (money.status, &money.failure_reason) {
        (Status::Open, _) if money.is_report() => lang.admin_report_why().to_owned(),
        (Status::Open, Some(reason)) => lang.admin_money_came_back(refusal(reason, lang)),
        (Status::Open, None) => lang.admin_money_open_why().to_owned(),
        (Status::Matched, _) => lang.admin_money_matched_why().to_owned(),
        (Status::Returning, _) => lang.admin_money_returning_why().to_owned(),
        (Status::Returned, _) => lang.admin_money_returned_why().to_owned(),
        (Status::Dismissed, _) => lang.admin_money_dismissed_why().to_owned(),
    }
}

/// The facts of unknown money.
pub fn facts(money: &UnknownPayment, lang: Lang) -> Vec<(&'static str, String)> {
    let facts = [
        (lang.admin_provider(), Some(money.provider.clone())),
        (lang.admin_reference(), Some(money.reference.clone())),
        (lang.admin_payment_id(), Some(money.payment_id.clone())),
        (lang.withdrawal_paid_at(), Some(lang.date_time(money.paid_at.micros()))),
        (lang.admin_received_at(), Some(lang.date_time(money.received_at.micros()))),
        (lang.admin_transaction(), money.transaction.map(|id| id.to_string())),
        (lang.admin_closed_account(), money.closed.map(|id| id.to_string())),
        (lang.admin_note(), money.note.clone()),
        (lang.admin_report_text(), money.unreadable_report.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What a difference is.
pub fn kind(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::UnknownRefund => lang.admin_diff_refund(),
        Kind::UnknownPayout => lang.admin_diff_payout(),
        Kind::PayoutReturned => lang.admin_diff_payout_returned(),
        Kind::TakenBack => lang.admin_diff_taken_back(),
        Kind::OtherConnection => lang.admin_diff_other_connection(),
        Kind::CardCharge => lang.admin_diff_card(),
        Kind::Chargeback => lang.admin_diff_chargeback(),
        Kind::Payable => lang.admin_diff_payable(),
        Kind::EndlessList => lang.admin_diff_endless(),
        Kind::Infraction => lang.admin_diff_infraction(),
        Kind::Balance => lang.admin_diff_balance(),
        Kind::NotTakenIn => lang.admin_diff_not_taken_in(),
        Kind::UnreadableEntry => lang.admin_diff_unreadable(),
    }
}

/// The state of a difference.
pub fn difference(status: DifferenceStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        DifferenceStatus::Open => (Tone::Wait, lang.admin_diff_open()),
        DifferenceStatus::Resolved => (Tone::Off, lang.admin_diff_resolved()),
    };
    State { tone, word }
}

/// Why a difference stands as it does, and what closing it does.
pub fn why_of_difference(found: &Difference, lang: Lang) -> &'static str {
    match (found.status, found.kind) {
        (DifferenceStatus::Open, Kind::TakenBack) => lang.admin_diff_taken_back_why(),
        (DifferenceStatus::Open, Kind::UnknownRefund) => lang.admin_diff_refund_why(),
        (DifferenceStatus::Open, _) => lang.admin_diff_open_why(),
        (DifferenceStatus::Resolved, _) => lang.admin_diff_resolved_why(),
    }
}

/// The facts of a difference; what the provider reports of it stands as it came.
pub fn facts_of_difference(found: &Difference, lang: Lang) -> Vec<(&'static str, String)> {
    let details = serde_json::to_string_pretty(&found.details).unwrap_or_default();
    let facts = [
        (lang.admin_connection(), Some(found.connection_name.clone())),
        (lang.admin_reference(), Some(found.reference.clone())),
        (lang.home_amount(), found.amount.map(|amount| lang.money(amount.get()))),
        (lang.admin_found_at(), Some(lang.date_time(found.found_at.micros()))),
        (lang.admin_account_id(), found.merchant.map(|id| id.to_string())),
        (lang.admin_note(), found.note.clone()),
        (lang.admin_details(), Some(details).filter(|_| !found.details.is_empty())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
