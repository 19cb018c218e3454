//! The tables of providers' words in docs/connectors.md, as the connectors read them.

use rails::card::ChargeResult;
use rails::connection::InfractionState;
use rails::payout::PayoutState;
use rails::refund::RefundState;

#[path = "../../tostao/tests/it/documented.rs"]
mod documented;

/// What a word means here.
pub trait Means {
    fn meaning(&self) -> &'static str;
}

impl Means for RefundState {
    fn meaning(&self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Done { .. } => "done",
            Self::Refused { .. } => "refused",
        }
    }
}

impl Means for PayoutState {
    fn meaning(&self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Paid { .. } => "paid",
            Self::Refused(_) => "refused",
        }
    }
}

impl Means for InfractionState {
    fn meaning(&self) -> &'static str {
        match self {
            Self::Open => "open: the money is held",
            Self::Accepted => "accepted: a return follows",
            Self::Rejected => "rejected: the money is released",
        }
    }
}

impl Means for ChargeResult {
    fn meaning(&self) -> &'static str {
        match self {
            Self::Approved { .. } => "approved",
            Self::Declined { .. } => "declined",
            Self::CapturedOtherwise { .. } => "another amount: an administrator decides",
            Self::Processing => "processing",
        }
    }
}

/// Compares a table of words and their meanings; a word without one is kept open.
///
/// # Panics
///
/// If the document differs and is not to be written.
pub fn check<M: Means>(name: &str, words: impl IntoIterator<Item = (String, Option<M>)>) {
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for (word, state) in words {
        let meaning = state.as_ref().map_or("unknown: it stays open", Means::meaning);
        match rows.iter_mut().find(|(known, _)| *known == meaning) {
            Some((_, words)) => words.push(word),
            None => rows.push((meaning, vec![word])),
        }
    }
    let row =
        |(meaning, words): (&str, Vec<String>)| format!("| {} | {meaning} |", words.join(", "));
    let rows: Vec<_> = rows.into_iter().map(row).collect();
    let table = format!("| Word | Means |\n|---|---|\n{}\n", rows.join("\n"));
    documented::check("connectors", name, &table);
}
