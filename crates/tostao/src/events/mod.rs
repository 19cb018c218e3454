//! Every event, and the outbox: an event is a row of the unit that made it true.
//!
//! The payload is rendered in that unit, so it tells what was true at the commit. Its deliveries
//! are rows and jobs of the same unit; after the commit nothing else is needed.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::advances::view::AdvanceView;
use crate::carts::view::CartView;
use crate::error::{Error, Result};
use crate::events::names::Name;
use crate::events::payloads::{
    AffiliatePayload, BalancePayload, CommissionPayload, CommissionSale, CouponPayload,
    LinkReference, PaymentLinkPayload, ProductPayload, ProgramPayload, ToldPayment,
    WithdrawalPayload,
};
use crate::ids::{EventId, Scope};
use crate::subscriptions::view::{SubscriberView, SubscriptionView};
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::refunds::view::RefundView;
use crate::transactions::view::{CustomerView, TransactionView};
use crate::webhooks;

pub mod names;
pub mod payloads;

mod store;

/// Something that happened; what it serializes to is the envelope's `data`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "an event lives as long as its unit")]
pub enum Event {
    /// The data of `transaction.created`, `.failed`, `.cancelled`, `.expired` and `.updated`.
    #[schemars(title = "TransactionEventData")]
    Transaction {
        #[serde(skip)]
        name: EventName,
        transaction: Box<TransactionView>,
        customer: CustomerView,
    },
    /// The data of `transaction.paid`.
    #[schemars(title = "TransactionPaidEventData")]
    #[serde(rename_all = "camelCase")]
    TransactionPaid {
        transaction: Box<TransactionView>,
        customer: CustomerView,
        payment_link: Option<LinkReference>,
    },
    /// The data of `transaction.refunded`.
    #[schemars(title = "TransactionRefundedEventData")]
    TransactionRefunded {
        transaction: Box<TransactionView>,
        customer: CustomerView,
        reason: String,
        refund: Box<RefundView>,
        /// Whether less than the whole payment has been refunded.
        partial: bool,
    },
    /// The data of events about a dispute.
    #[schemars(title = "TransactionDisputeEventData")]
    TransactionDispute {
        #[serde(skip)]
        name: EventName,
        transaction: Box<TransactionView>,
        customer: CustomerView,
        dispute: DisputeView,
    },
    /// The data of `payment_link.created`, `.updated`, `.deleted` and `.expired`.
    #[schemars(title = "PaymentLinkEventData")]
    #[serde(rename_all = "camelCase")]
    PaymentLink {
        #[serde(skip)]
        name: EventName,
        payment_link: PaymentLinkPayload,
    },
    /// The data of `payment_link.paid`.
    #[schemars(title = "PaymentLinkPaidEventData")]
    #[serde(rename_all = "camelCase")]
    PaymentLinkPaid {
        payment_link: PaymentLinkPayload,
        transaction: Box<TransactionView>,
        customer: CustomerView,
    },
    /// The data of events about a product.
    #[schemars(title = "ProductEventData")]
    Product {
        #[serde(skip)]
        name: EventName,
        product: ProductPayload,
    },
    /// The data of `coupon.created`, `.exhausted` and `.expired`.
    #[schemars(title = "CouponEventData")]
    Coupon {
        #[serde(skip)]
        name: EventName,
        coupon: CouponPayload,
    },
    /// The data of `coupon.used`.
    #[schemars(title = "CouponUsedEventData")]
    #[serde(rename_all = "camelCase")]
    CouponUsed { coupon: CouponPayload, transaction: Box<TransactionView>, discount_amount: Cents },
    /// The data of events about a withdrawal.
    #[schemars(title = "WithdrawalEventData")]
    Withdrawal {
        #[serde(skip)]
        name: EventName,
        withdrawal: Box<WithdrawalPayload>,
    },
    /// The data of events about an advance.
    #[schemars(title = "AdvanceEventData")]
    Advance {
        #[serde(skip)]
        name: EventName,
        advance: Box<AdvanceView>,
    },
    /// The data of events about a commission, for the seller and the affiliate.
    #[schemars(title = "CommissionEventData")]
    Commission {
        #[serde(skip)]
        name: EventName,
        commission: CommissionPayload,
        affiliate: AffiliatePayload,
        program: ProgramPayload,
        transaction: CommissionSale,
    },
    /// The data of events about a cart abandonment.
    #[schemars(title = "CartAbandonmentEventData")]
    #[serde(rename_all = "camelCase")]
    Cart {
        #[serde(skip)]
        name: EventName,
        cart_abandonment: Box<CartView>,
        payment_link: PaymentLinkPayload,
    },
    /// The data of `balance.updated`.
    #[schemars(title = "BalanceEventData")]
    Balance {
        #[serde(skip)]
        owner: Uuid,
        balance: BalancePayload,
        reason: &'static str,
    },
    /// The data of events about a subscription.
    #[schemars(title = "SubscriptionEventData")]
    Subscription {
        #[serde(skip)]
        name: EventName,
        subscription: Box<SubscriptionView>,
        customer: SubscriberView,
        /// The transaction that caused the event, if one did.
        #[serde(skip_serializing_if = "Option::is_none")]
        transaction: Option<ToldPayment>,
    },
}

/// A name inside an event, where the name is not part of the payload.
#[derive(Debug, Clone, Copy)]
pub struct EventName(pub Name);

/// An event in the outbox.
#[derive(Debug, Clone)]
pub struct Occurrence {
    pub id: EventId,
    pub name: Name,
    /// The object it is about.
    pub object: Uuid,
    /// The object's version: of two events about one object, the greater is the newer.
    pub sequence: i64,
    /// The envelope's `data`, as JSON.
    pub data: String,
    /// Made up to try a webhook out; it did not happen.
    pub sample: bool,
    pub created_at: Timestamp,
}

impl Default for EventName {
    fn default() -> Self {
        Self(Name::TransactionUpdated)
    }
}

impl Event {
    /// Its name.
    pub fn name(&self) -> Name {
        match self {
            Self::Transaction { name, .. }
            | Self::TransactionDispute { name, .. }
            | Self::PaymentLink { name, .. }
            | Self::Product { name, .. }
            | Self::Coupon { name, .. }
            | Self::Withdrawal { name, .. }
            | Self::Advance { name, .. }
            | Self::Cart { name, .. }
            | Self::Subscription { name, .. }
            | Self::Commission { name, .. } => name.0,
            Self::TransactionRefunded { .. } => Name::TransactionRefunded,
            Self::TransactionPaid { .. } => Name::TransactionPaid,
            Self::PaymentLinkPaid { .. } => Name::PaymentLinkPaid,
            Self::CouponUsed { .. } => Name::CouponUsed,
            Self::Balance { .. } => Name::BalanceUpdated,
        }
    }

    /// The object it is about.
    fn object(&self) -> Uuid {
        match self {
            Self::Transaction { transaction, .. }
            | Self::TransactionPaid { transaction, .. }
            | Self::TransactionRefunded { transaction, .. }
            | Self::TransactionDispute { transaction, .. } => transaction.id.0,
            Self::PaymentLink { payment_link, .. } | Self::PaymentLinkPaid { payment_link, .. } => {
                payment_link.link.id.0
            }
            Self::Product { product, .. } => product.id.0,
            Self::Coupon { coupon, .. } | Self::CouponUsed { coupon, .. } => coupon.id.0,
            Self::Withdrawal { withdrawal, .. } => withdrawal.id.0,
            Self::Advance { advance, .. } => advance.id.0,
            Self::Cart { cart_abandonment, .. } => cart_abandonment.id.0,
            Self::Commission { commission, .. } => commission.id.0,
            Self::Balance { owner, .. } => *owner,
            Self::Subscription { subscription, .. } => subscription.id.0,
        }
    }
}

impl Occurrence {
    /// Renders an event as of now; `sequence` is the object's version.
    pub fn render(tx: &Tx, scope: Scope, sequence: i64, event: &Event) -> Result<Self> {
        Ok(Self {
            id: EventId::new(tx),
            name: event.name(),
            object: event.object(),
            sequence,
            data: serde_json::to_string(event)?,
            sample: false,
            created_at: scope.now(tx),
        })
    }
}

/// Writes an event down, with its deliveries; `sequence` is the object's version.
pub async fn emit(tx: &Tx, scope: Scope, sequence: i64, event: &Event) -> Result<()> {
    let occurrence = Occurrence::render(tx, scope, sequence, event)?;
    keep(tx, scope, &occurrence).await?;
    webhooks::fan_out(tx, scope, &occurrence).await
}

/// Writes an event down and tells nobody.
pub async fn keep(tx: &Tx, scope: Scope, occurrence: &Occurrence) -> Result<()> {
    store::insert(tx, scope, occurrence).await
}

/// Finds an event.
pub async fn find(tx: &Tx, scope: Scope, id: EventId) -> Result<Occurrence> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Event"))
}

/// So many events after an id, each with its data.
pub async fn after(
    tx: &Tx,
    scope: Scope,
    after: Uuid,
    most: i64,
) -> Result<Vec<(EventId, String)>> {
    store::after(tx, scope, after, most).await
}

/// Replaces what an event tells.
pub async fn rewrite(tx: &Tx, scope: Scope, id: EventId, data: &str) -> Result<()> {
    store::rewrite(tx, scope, id, data).await
}

/// Whether anything happened in a scope before the first id of an instant.
pub async fn any_before(tx: &Tx, scope: Scope, first: Uuid) -> Result<bool> {
    store::any_before(tx, scope, first).await
}

/// Forgets what happened before the first id of an instant; answers how many events.
pub async fn forget(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    store::forget(tx, scope, first, most).await
}
