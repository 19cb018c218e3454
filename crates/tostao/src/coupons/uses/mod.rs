//! Uses of coupons: each belongs to one payment and follows its status.
//!
//! ```text
//! RESERVED ──paid──▶ USED ──refunded──▶ FREED
//!    │                ▲
//!    └──not paid──▶ RELEASED ──paid late──┘
//! ```
//!
//! A reservation counts against every limit, so two buyers never get the last use. A late payment
//! takes its use again whatever the limits say: the discount was promised, and paid.

use brazil::document::Document;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::coupons::events::CouponPayload;
use crate::coupons::{self, Coupon, Discount, invalid, publish_change};
use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::fields::without_alias;
use crate::platform::ids::{CouponId, Scope, TransactionId};
use crate::webhooks;

mod store;

/// What identifies a buyer, whatever name they give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuyerIdentity {
    document: Option<String>,
    email: String,
    card_fingerprint: Option<String>,
}

/// A payment's use of a coupon.
#[derive(Debug, Clone, Copy)]
struct Use {
    coupon: CouponId,
    discount: Cents,
    /// Whether it was released once.
    released: bool,
}

impl BuyerIdentity {
    /// Identifies a buyer by their document, their address without an alias, and their card.
    pub fn new(document: Option<&Document>, email: &str, card_fingerprint: Option<&str>) -> Self {
        Self {
            document: document.map(|document| document.as_str().to_owned()),
            email: without_alias(email),
            card_fingerprint: card_fingerprint.map(str::to_owned),
        }
    }
}

/// Erases the buyer's identity from a payment's use.
pub async fn blank(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<()> {
    store::blank(tx, scope, transaction).await
}

/// Reserves a quoted discount for a payment that is being created.
///
/// The first statement locks the coupon until this unit ends, so the buyer's own uses can be
/// counted after it.
pub async fn reserve(
    tx: &Tx,
    scope: Scope,
    discount: &Discount,
    transaction: TransactionId,
    buyer: &BuyerIdentity,
) -> Result<()> {
    let reserved = coupons::store::reserve(tx, scope, discount.coupon.id).await?;
    let coupon = reserved.ok_or_else(invalid)?;
    if !has_use_left(tx, scope, &coupon, buyer).await? {
        return Err(invalid());
    }
    store::insert(tx, scope, transaction, coupon.id, discount.amount, buyer).await
}

/// Whether a buyer may use the coupon once more.
pub async fn has_use_left(
    tx: &Tx,
    scope: Scope,
    coupon: &Coupon,
    buyer: &BuyerIdentity,
) -> Result<bool> {
    let Some(limit) = coupon.per_user_limit else { return Ok(true) };
    Ok(store::count(tx, scope, coupon.id, buyer).await? < limit)
}

/// Records the redemption of a payment that came, in time or late; publishes what `event_of`
/// makes of it.
///
/// Does nothing if the payment uses no coupon, or was counted before.
pub async fn record_redemption<E: Payload>(
    tx: &Tx,
    scope: Scope,
    transaction: TransactionId,
    event_of: impl FnOnce(CouponPayload, Cents) -> E,
) -> Result<()> {
    let Some(used) = store::mark_paid(tx, scope, transaction).await? else { return Ok(()) };
    let late = i64::from(used.released);
    let coupon = coupons::store::record_paid_use(tx, scope, used.coupon, late).await?;
    let exhausted = coupon.usage_limit == Some(coupon.paid_count);
    let event = event_of(coupon.payload(scope.now(tx)), used.discount);
    webhooks::publish(tx, scope, coupon.version - i64::from(exhausted), &event).await?;
    if exhausted {
        publish_change(tx, scope, Name::CouponExhausted, &coupon, coupon.version).await?;
    }
    Ok(())
}

/// Releases the reservation, because the payment will not come; doing it twice is not an error.
pub async fn release(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<()> {
    let Some(released) = store::release(tx, scope, transaction).await? else { return Ok(()) };
    coupons::store::give_back(tx, scope, released.coupon, 0).await
}

/// Frees the use of a payment that was refunded in full; doing it twice is not an error.
pub async fn free_slot(tx: &Tx, scope: Scope, transaction: TransactionId) -> Result<()> {
    let Some(freed) = store::free(tx, scope, transaction).await? else { return Ok(()) };
    coupons::store::give_back(tx, scope, freed.coupon, 1).await
}
