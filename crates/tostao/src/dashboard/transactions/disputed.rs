//! The disputes of a payment in words.

use crate::dashboard::parts::{State, Tone};
use crate::platform::messages::Lang;
use crate::transactions::disputes::{Dispute, Kind, Status};

/// A dispute of the payment.
pub struct DisputeRow {
    pub state: State,
    pub amount: String,
    /// Who contests it, and by what right.
    pub kind: &'static str,
    /// What its state means for the money.
    pub meaning: &'static str,
    pub when: String,
}

/// A dispute as the page of its payment shows it.
pub fn row(dispute: &Dispute, lang: Lang) -> DisputeRow {
    let (tone, word, meaning) = match dispute.status {
        _ if dispute.is_replaced => {
            (Tone::Off, lang.dispute_replaced(), lang.dispute_replaced_note())
        }
        Status::Open => (Tone::Wait, lang.dispute_open(), lang.dispute_open_note()),
        Status::Won => (Tone::Good, lang.dispute_won(), lang.dispute_won_note()),
        Status::Lost => (Tone::Bad, lang.dispute_lost(), lang.dispute_lost_note()),
    };
    let opened = lang.date_time(dispute.opened_at.micros());
    let when = match dispute.decided_at {
        Some(at) => lang.dispute_from_to(opened, lang.date_time(at.micros())),
        None => lang.dispute_since(opened),
    };
    DisputeRow {
        state: State { tone, word },
        amount: lang.money(dispute.amount.get()),
        kind: kind(dispute.kind, lang),
        meaning,
        when,
    }
}

/// Why a buyer gets money back against the merchant's will.
pub fn kind(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::Chargeback => lang.dispute_chargeback(),
        Kind::Med => lang.dispute_med(),
    }
}
