//! An advance as the merchant, an administrator and receivers of events see it.

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::advances::collateral::CollateralPart;
use crate::advances::status::Status;
use crate::advances::{Advance, AdvanceQuote};
use crate::audit::decision::DecidedView;
use crate::platform::decimal::Decimal;
use crate::platform::ids::{AdvanceId, MerchantId, Mode, TransactionId};

/// An advance on receivables.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Advance")]
pub struct AdvanceView {
    pub id: AdvanceId,
    /// The account of the merchant.
    pub user_id: MerchantId,
    /// The amount taken from receivables.
    pub amount_cents: Cents,
    /// The fee; set once the advance is approved.
    pub fee_cents: Option<Cents>,
    /// The amount paid out, after the fee; set once the advance is approved.
    pub net_amount_cents: Option<Cents>,
    /// The monthly rate in percent, as of the day of the request.
    pub monthly_rate_percent: Decimal,
    /// The amount that is not yet repaid.
    pub outstanding_cents: Cents,
    /// The amount debited from the balance, because no other receivable could replace a lost one.
    pub debited_cents: Cents,
    /// The reason that the merchant gave.
    pub reason: Option<String>,
    pub status: Status,
    /// The receivables that secure the advance, soonest due first; empty until it is approved.
    pub receivables: Vec<CollateralView>,
    /// The reason that the administrator gave.
    pub rejection_reason: Option<String>,
    pub dev_mode: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub approved_at: Option<Timestamp>,
    pub rejected_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    /// When the advance was fully repaid.
    pub settled_at: Option<Timestamp>,
}

/// An advance with its decision, as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdminAdvance")]
pub struct AdminAdvanceView {
    #[serde(flatten)]
    advance: AdvanceView,
    #[serde(flatten)]
    decided: DecidedView,
}

/// A receivable that secures an advance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdvanceReceivable")]
pub struct CollateralView {
    pub transaction_id: TransactionId,
    /// The installment number, from 1.
    #[schemars(range(min = 1))]
    pub installment: i64,
    /// The pledged amount in cents, as of settlement if settled; 0 once lost to a refund or
    /// dispute.
    pub amount_cents: Cents,
    /// The settlement date in São Paulo.
    #[schemars(extend("format" = "date"))]
    pub due_date: String,
    /// The number of days from the pledge to the due date.
    #[schemars(range(min = 0))]
    pub days: i64,
    /// The fee in cents; zero if it replaced another receivable.
    pub fee_cents: Cents,
}

/// The terms of an advance if it were paid out now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdvanceQuote")]
pub struct AdvanceQuoteView {
    amount_cents: Cents,
    fee_cents: Cents,
    /// The amount that would be paid out, after the fee.
    net_amount_cents: Cents,
    /// The monthly rate in percent.
    monthly_rate_percent: Decimal,
    /// The receivables that would secure the advance, soonest due first.
    receivables: Vec<CollateralView>,
}

impl AdvanceView {
    /// Builds the view of an advance.
    pub fn new(mode: Mode, advance: &Advance) -> Self {
        Self {
            id: advance.id,
            user_id: advance.merchant,
            amount_cents: advance.amount,
            fee_cents: advance.fee,
            net_amount_cents: advance.fee.and_then(|fee| advance.amount.minus(fee)),
            monthly_rate_percent: advance.rate.percent(),
            outstanding_cents: advance.outstanding,
            debited_cents: advance.debited,
            reason: advance.reason.clone(),
            status: advance.status,
            receivables: advance.collateral.iter().map(CollateralView::new).collect(),
            rejection_reason: advance.rejection_reason.clone(),
            dev_mode: mode.is_development(),
            created_at: advance.created_at,
            updated_at: advance.updated_at,
            approved_at: advance.approved_at,
            rejected_at: advance.rejected_at,
            cancelled_at: advance.cancelled_at,
            settled_at: advance.settled_at,
        }
    }
}

impl AdminAdvanceView {
    /// Builds an administrator's view of an advance.
    pub fn new(mode: Mode, advance: &Advance) -> Self {
        let decided = DecidedView::new(advance.decided.clone());
        Self { advance: AdvanceView::new(mode, advance), decided }
    }
}

impl CollateralView {
    fn new(pledged: &CollateralPart) -> Self {
        Self {
            transaction_id: pledged.transaction,
            installment: pledged.installment,
            amount_cents: pledged.amount,
            due_date: sao_paulo_date(pledged.due_at.micros()).to_string(),
            days: pledged.days,
            fee_cents: pledged.fee,
        }
    }
}

impl AdvanceQuoteView {
    /// Builds the view of a quote.
    pub fn new(quote: &AdvanceQuote) -> Self {
        Self {
            amount_cents: quote.amount,
            fee_cents: quote.fee,
            net_amount_cents: quote.amount.minus(quote.fee).unwrap_or(Cents::ZERO),
            monthly_rate_percent: quote.rate.percent(),
            receivables: quote.collateral.iter().map(CollateralView::new).collect(),
        }
    }
}
