//! The events of payments, refunds and disputes.

use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::coupons::events::CouponPayload;
use crate::events::Payload;
use crate::events::names::Name;
use crate::payment_links::events::{PaymentLinkPayload, PaymentLinkReference};
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::refunds::view::RefundView;
use crate::transactions::view::{CustomerView, TransactionView};

/// The data of `transaction.created`, `.failed`, `.cancelled`, `.expired` and `.updated`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TransactionEventData")]
pub struct TransactionChanged {
    #[serde(skip)]
    pub name: Name,
    pub transaction: Box<TransactionView>,
    pub customer: CustomerView,
}

/// The data of `transaction.paid`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TransactionPaidEventData")]
pub struct TransactionPaid {
    pub transaction: Box<TransactionView>,
    pub customer: CustomerView,
    pub payment_link: Option<PaymentLinkReference>,
}

/// The data of `transaction.refunded`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TransactionRefundedEventData")]
pub struct TransactionRefunded {
    pub transaction: Box<TransactionView>,
    pub customer: CustomerView,
    pub reason: String,
    pub refund: Box<RefundView>,
    /// Whether less than the whole payment has been refunded.
    pub partial: bool,
}

/// The data of events about a dispute.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TransactionDisputeEventData")]
pub struct DisputeChanged {
    #[serde(skip)]
    pub name: Name,
    pub transaction: Box<TransactionView>,
    pub customer: CustomerView,
    pub dispute: DisputeView,
}

/// The data of `payment_link.paid`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentLinkPaidEventData")]
pub struct PaymentLinkPaid {
    pub payment_link: PaymentLinkPayload,
    pub transaction: Box<TransactionView>,
    pub customer: CustomerView,
}

/// The data of `coupon.used`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CouponUsedEventData")]
pub struct CouponUsed {
    pub coupon: CouponPayload,
    pub transaction: Box<TransactionView>,
    pub discount_amount: Cents,
}

impl Payload for TransactionChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.transaction.id.0
    }
}

impl Payload for TransactionPaid {
    fn name(&self) -> Name {
        Name::TransactionPaid
    }

    fn object(&self) -> Uuid {
        self.transaction.id.0
    }
}

impl Payload for TransactionRefunded {
    fn name(&self) -> Name {
        Name::TransactionRefunded
    }

    fn object(&self) -> Uuid {
        self.transaction.id.0
    }
}

impl Payload for DisputeChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.transaction.id.0
    }
}

impl Payload for PaymentLinkPaid {
    fn name(&self) -> Name {
        Name::PaymentLinkPaid
    }

    fn object(&self) -> Uuid {
        self.payment_link.link.id.0
    }
}

impl Payload for CouponUsed {
    fn name(&self) -> Name {
        Name::CouponUsed
    }

    fn object(&self) -> Uuid {
        self.coupon.id.0
    }
}
