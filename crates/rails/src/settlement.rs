//! What an acquirer owes for card charges, part by part, to be compared with our receivables.

use db::text_enum;
use jiff::civil::Date;
use ledger::cents::Cents;

/// A part of what an acquirer owes, or takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The acquirer's id of the part.
    pub id: String,
    /// The acquirer's id of the charge; none for what is about no charge.
    pub charge_id: Option<String>,
    pub kind: SettlementKind,
    /// Before the fee; negative where the acquirer takes money back.
    pub amount: Cents,
    /// All that the acquirer keeps of it.
    pub fee: Cents,
    /// The installment of the charge, counted from 1.
    pub installment: Option<i64>,
    pub due_on: Date,
    /// Whether the acquirer has paid it out.
    pub is_paid: bool,
    /// Whether the acquirer pays it out earlier than it owes it, for a fee.
    pub is_anticipated: bool,
}

text_enum! {
    /// Why a part is owed.
    pub enum SettlementKind {
        /// An installment of a charge.
        Credit = "credit",
        Refund = "refund",
        /// A refund that failed later.
        RefundReversal = "refund_reversal",
        Chargeback = "chargeback",
        /// A chargeback that was decided for the merchant.
        ChargebackReversal = "chargeback_reversal",
    }
}
