//! A contract with a provider: what its messages are about, what happened, and whether it works.
//!
//! Whatever arrives from outside is a hint. A [`Notice`] names an object, and nothing is booked
//! from it: the provider is asked about that object, and its answer, a list of [`Event`]s, is
//! booked. Reconciliation asks for windows of time and books by the same function, so a lost notice
//! costs minutes and a forged one nothing.

use std::fmt;

use db::text_enum;
use db::time::Timestamp;
use http::HeaderMap;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::boleto::BoletoConfirmation;
use crate::card::ChargeResult;
use crate::error::ProviderError;
use crate::payout::PayoutReport;
use crate::pix::PixConfirmation;
use crate::profile::RailKind;
use crate::provider::{Call, Provider};
use crate::refund::RefundState;
use crate::settlement::Settlement;

/// What a message is about, as far as it says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Notice {
    pub subject: Subject,
    /// The object's id: ours or the provider's, as its kind says.
    pub id: String,
}

/// The kind of object that a notice names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A PIX that arrived, by its end-to-end id.
    ReceivedPix,
    /// A PIX charge, by its txid.
    PixCharge,
    /// A boleto, by the provider's token or number for it.
    Boleto,
    /// A card charge, by the acquirer's id.
    CardCharge,
    /// One that its buyer contests, or contested before: its chargebacks are asked about, too.
    ContestedCharge,
    /// A payout, by our reference or the bank's own code, whichever it is asked by.
    Payout,
}

/// What happened at a provider, in its own words when asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A PIX arrived.
    PixReceived(PixConfirmation),
    /// A refund of a PIX changed its state.
    PixRefund {
        /// Our reference of the refund.
        reference: String,
        end_to_end_id: String,
        amount: Cents,
        state: RefundState,
    },
    /// The central bank's return mechanism (MED) took money back.
    PixTakenBack {
        end_to_end_id: String,
        /// The id of the return.
        return_id: String,
        amount: Cents,
        at: Timestamp,
    },
    /// A payer's bank reports a PIX as fraud, or the report changed its state.
    PixReported(Infraction),
    /// A boleto was paid by its barcode.
    BoletoPaid(BoletoConfirmation),
    /// A payout changed its state.
    Payout(PayoutReport),
    /// Money of a payout came back after it was paid, in whole or in part.
    PayoutReturned { reference: String, return_id: String, amount: Cents, at: Timestamp },
    /// A card charge, as far as it is decided.
    CardCharge {
        reference: String,
        /// The acquirer's id, by which settlements name the charge.
        charge_id: String,
        /// What was captured if it is approved, and otherwise what was asked for; to be compared
        /// with the charge.
        amount: Cents,
        result: ChargeResult,
    },
    /// Money of a card charge went back to the buyer.
    CardRefund {
        charge_reference: String,
        /// All that was refunded so far: an acquirer need not know single refunds.
        amount: Cents,
        at: Timestamp,
    },
    /// A buyer contests a card charge at the card's issuer, or the issuer has decided.
    Chargeback {
        charge_reference: String,
        dispute_id: String,
        /// All that is contested of the charge and was not given again or, where it was won, all
        /// that was given again.
        amount: Cents,
        at: Timestamp,
        state: ChargebackState,
    },
    /// A part of what an acquirer owes for its charges.
    Settlement(Settlement),
}

/// A report to the central bank that a PIX was fraud (*notificação de infração*), from which a
/// return may follow. Until it is decided, the bank blocks the money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Infraction {
    /// The bank's id of the report.
    pub id: String,
    pub end_to_end_id: String,
    /// What is reported of the payment.
    pub amount: Cents,
    pub state: InfractionState,
    pub opened_at: Timestamp,
    pub changed_at: Timestamp,
}

text_enum! {
    /// How far a report of fraud is.
    pub enum InfractionState as "InfractionState" {
        /// Not decided yet.
        Open = "OPEN",
        /// The payer is right; the return that follows takes the money.
        Accepted = "ACCEPTED",
        /// The payment stands.
        Rejected = "REJECTED",
    }
}

text_enum! {
    /// How far a chargeback is.
    pub enum ChargebackState {
        /// The acquirer has taken the money back.
        Open = "open",
        /// The money is the merchant's again.
        Won = "won",
        /// The money stays with the buyer.
        Lost = "lost",
    }
}

text_enum! {
    /// A list of a provider that reconciliation reads in windows of time.
    pub enum Window {
        ReceivedPix = "received_pix",
        SentPix = "sent_pix",
        /// Reports that a PIX was fraud, by the time when they were opened.
        Infractions = "infractions",
        Boletos = "boletos",
        Cards = "cards",
        /// What an acquirer owes, by the time of its last change.
        Payables = "payables",
    }
}

/// What happened, as a provider answers a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    pub events: Vec<Event>,
    /// Entries that cannot be read, as their JSON: kept for an administrator, never skipped.
    pub unreadable: Vec<String>,
    /// Objects that something happened to, of which a list does not say enough: each is asked about
    /// by itself.
    pub questions: Vec<Notice>,
    /// Where the next page begins; none after the last one.
    pub next: Option<String>,
}

/// What a connection's test found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// The permissions that the provider granted.
    pub granted: Vec<String>,
    /// What is missing for this connection's rails; the address of notices apart.
    pub missing: Vec<Lack>,
    /// The address that the provider sends its notices to.
    pub notices_to: Option<String>,
}

/// What a provider has not granted, or does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// A permission of the application, by the provider's name of it.
    Permission(String),
    PublicKey,
}

impl fmt::Display for Lack {
    /// As operators read it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permission(name) => write!(out, "the application has no permission {name}"),
            Self::PublicKey => out.write_str("the public key is not accepted"),
        }
    }
}

/// What the operator's account at a bank holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// What can be paid out now.
    pub available: Cents,
    /// What is there and cannot, such as money that a court or a report of fraud blocks.
    pub blocked: Cents,
}

/// A contract of the operator with a provider.
pub trait Connection: Provider {
    /// Reads what a message is about. Nothing is asked, and nothing in it is believed but names.
    fn read_notices(&self, headers: &HeaderMap, body: &[u8]) -> Result<Vec<Notice>, ProviderError>;

    /// Asks the provider about what a notice names; the answer is one page.
    fn look_into<'a>(&'a self, notice: &'a Notice) -> Call<'a, Page>;

    /// The lists that reconciliation reads.
    fn windows(&self) -> &[Window];

    /// Reads a page of what happened from one instant up to another one.
    fn read_window<'a>(
        &'a self,
        window: Window,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&'a str>,
    ) -> Call<'a, Page>;

    /// Whether the provider kept failing on a rail, so that nothing is sent to it for the moment.
    fn is_left_alone(&self, rail: RailKind) -> bool;

    /// Asks what the operator has to know, with the token at hand, if there is one.
    fn check(&self) -> Call<'_, Health>;

    /// The balance of the operator's account; `None` if the provider does not say.
    fn balance(&self) -> Call<'_, Option<Balance>>;

    /// Whether the address of notices is registered by a call; an operator enters it otherwise.
    fn can_register(&self) -> bool {
        true
    }

    /// Registers the address that notices are sent to.
    fn register<'a>(&'a self, door: &'a str) -> Call<'a, ()>;
}
