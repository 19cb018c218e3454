//! An advance as its merchant, an administrator and receivers of events see it.

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::advances::slices::Slice;
use crate::advances::status::Status;
use crate::advances::{Advance, Offer};
use crate::audit::decided::DecidedView;
use crate::decimal::Decimal;
use crate::ids::{AdvanceId, MerchantId, Mode, TransactionId};

/// An advance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceView {
    pub id: AdvanceId,
    /// Whose it is.
    pub user_id: MerchantId,
    /// What the receivables give for it.
    pub amount_cents: Cents,
    /// What it costs; known once it is approved.
    pub fee_cents: Option<Cents>,
    /// What was paid out: the amount less the fee; known once it is approved.
    pub net_amount_cents: Option<Cents>,
    /// Percent a month, of the day on which it was asked for.
    pub monthly_rate_percent: Decimal,
    /// What is still to come back of it.
    pub outstanding_cents: Cents,
    /// What the balance had to give back, because no receivable took the place of a lost one.
    pub debited_cents: Cents,
    /// Why it was asked for.
    pub reason: Option<String>,
    pub status: Status,
    /// What it is paid out on, soonest due first; empty before it is approved.
    pub receivables: Vec<SliceView>,
    /// What the administrator who rejected it said.
    pub rejection_reason: Option<String>,
    pub dev_mode: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub approved_at: Option<Timestamp>,
    pub rejected_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    /// When all of it was back.
    pub settled_at: Option<Timestamp>,
}

/// An advance with who decided about it, for administrators.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminAdvanceView {
    #[serde(flatten)]
    advance: AdvanceView,
    #[serde(flatten)]
    decided: DecidedView,
}

/// What an advance gets of one receivable.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SliceView {
    pub transaction_id: TransactionId,
    /// Which part of the payment, from 1.
    #[schemars(range(min = 1))]
    pub installment: i64,
    /// What of it is pledged, or was when it settled; 0 once a refund or a dispute took it.
    pub amount_cents: Cents,
    /// The day of São Paulo on which it settles.
    #[schemars(extend("format" = "date"))]
    pub due_date: String,
    /// From the day on which it was pledged to that day.
    #[schemars(range(min = 0))]
    pub days: i64,
    /// What was charged for it: nothing if it took another one's place.
    pub fee_cents: Cents,
}

/// What an advance would be if it were paid out now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferView {
    amount_cents: Cents,
    fee_cents: Cents,
    /// What would be paid out: the amount less the fee.
    net_amount_cents: Cents,
    /// Percent a month.
    monthly_rate_percent: Decimal,
    /// What it would be paid out on, soonest due first.
    receivables: Vec<SliceView>,
}

impl AdvanceView {
    /// Shows an advance.
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
            receivables: advance.slices.iter().map(SliceView::new).collect(),
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
    /// Shows an advance to an administrator.
    pub fn new(mode: Mode, advance: &Advance) -> Self {
        let decided = DecidedView::new(advance.decided.clone());
        Self { advance: AdvanceView::new(mode, advance), decided }
    }
}

impl SliceView {
    fn new(slice: &Slice) -> Self {
        Self {
            transaction_id: slice.transaction,
            installment: slice.installment,
            amount_cents: slice.amount,
            due_date: sao_paulo_date(slice.due_at.micros()).to_string(),
            days: slice.days,
            fee_cents: slice.fee,
        }
    }
}

impl OfferView {
    /// Shows an offer.
    pub fn new(offer: &Offer) -> Self {
        Self {
            amount_cents: offer.amount,
            fee_cents: offer.fee,
            net_amount_cents: offer.amount.minus(offer.fee).unwrap_or(Cents::ZERO),
            monthly_rate_percent: offer.rate.percent(),
            receivables: offer.slices.iter().map(SliceView::new).collect(),
        }
    }
}
