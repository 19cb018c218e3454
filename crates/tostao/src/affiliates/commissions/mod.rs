//! Commissions: an affiliate's share of a paid payment.
//!
//! ```text
//! PENDING ──its day comes──▶ PAID ──refunded, lost──▶ PAID, and a CLAWBACK beside it
//!    └──refunded, lost──▶ CANCELLED, or a lower amount
//! ```
//!
//! It is taken from the merchant's share when the payment is booked, and is pending with the
//! affiliate. The sale of a merchant in debt repays that debt first: the part of the commission
//! that it cannot cover is *unfunded*, and the merchant adds it from later sales before the
//! commission is `release`d. A refund or a dispute holds its part of the commission until it is
//! decided, and a commission that is partly held is not released. `clawbacks` implements that.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::affiliates::attribution::{self, CommissionTerms, Kind};
use crate::affiliates::commissions::events::{
    AffiliatePayload, CommissionChanged, CommissionPayload, CommissionSale, ProgramPayload,
};
use crate::affiliates::commissions::list::Filter;
use crate::affiliates::links;
use crate::affiliates::programs;
use crate::affiliates::terms::CommissionType;
use crate::books;
use crate::books::movements::{AffiliateShare, Movement};
use crate::events::names::Name;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::page::Listed;
use crate::platform::ids::{
    AffiliateLinkId, AffiliateProgramId, CommissionId, MerchantId, ProductId, Scope, TransactionId,
};
use crate::store::remaining;
use crate::webhooks;

pub mod api;
pub mod clawbacks;
pub mod events;
pub mod export;
pub mod export_api;
pub mod jobs;
pub mod list;
pub mod release;
pub mod seller;
mod store;
pub mod sums;
pub mod view;

text_enum! {
    /// What a commission originates from.
    pub enum CommissionOrigin as "CommissionOrigin" {
        Sale = "SALE",
        /// A renewal of a subscription.
        Renewal = "RENEWAL",
        /// A clawback of a released commission.
        Clawback = "CLAWBACK",
    }
}

text_enum! {
    /// Why a commission is held past its availability date.
    pub enum HeldReason as "CommissionHeldReason" {
        /// The seller owes the platform, or has not yet funded all of the commission.
        SellerDebt = "SELLER_DEBT",
    }
}

text_enum! {
    /// The status of a commission.
    pub enum Status as "CommissionStatus" {
        /// Not yet available.
        Pending = "PENDING",
        /// Released.
        Paid = "PAID",
        /// Cancelled; nothing remains.
        Cancelled = "CANCELLED",
    }
}

/// An affiliate's commission on a payment.
#[derive(Debug, Clone)]
pub struct Commission {
    pub id: CommissionId,
    /// Incremented by every change; orders the commission's events.
    pub version: i64,
    pub kind: CommissionOrigin,
    pub status: Status,
    pub program: AffiliateProgramId,
    pub link: AffiliateLinkId,
    pub affiliate: MerchantId,
    pub transaction: TransactionId,
    pub product: ProductId,
    pub code: String,
    /// When the buyer clicked; `None` if they gave the code.
    pub clicked_at: Option<Timestamp>,
    pub attributed_at: Timestamp,
    pub base: Cents,
    pub commission_type: CommissionType,
    pub commission_value: i64,
    /// The original commission on the sale.
    pub earned: Cents,
    /// The current value, or the value when it was cancelled; negative for a clawback.
    pub amount: Cents,
    /// The part that went back to the buyer.
    pub returned: Cents,
    /// The part held by refunds and disputes.
    pub held: Cents,
    /// The part that the sale could not cover because the merchant owed the platform.
    pub unfunded: Cents,
    pub held_reason: Option<HeldReason>,
    /// The part of a clawback that the affiliate still owes the merchant.
    pub owed: Cents,
    /// The part that went to the merchant at the release, for clawbacks.
    pub repaid: Cents,
    pub sale: Cents,
    pub method: String,
    pub available_at: Timestamp,
    pub paid_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub cancel_reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A paid payment.
#[derive(Debug, Clone, Copy)]
pub struct Sale {
    pub transaction: TransactionId,
    pub amount: Cents,
    /// The merchant's share, from which the commission is paid.
    pub share: Cents,
    /// The merchant's debt to the platform; the sale repays it before any commission.
    pub debt: Cents,
    pub method: &'static str,
    pub available_at: Timestamp,
}

/// A new commission and its affiliate.
#[derive(Debug, Clone)]
pub struct NewCommission {
    commission: Commission,
    affiliate: Scope,
}

/// Creates the commission of a paid payment, if one was promised and its affiliate has not closed
/// their account; the caller books the money and emits the event.
pub async fn open(tx: &Tx, scope: Scope, sale: &Sale) -> Result<Option<NewCommission>> {
    let Some(promise) = attribution::find(tx, scope, sale.transaction).await? else {
        return Ok(None);
    };
    let amount = promise.amount.min(sale.share);
    if amount <= Cents::ZERO || !merchants::is_open(tx, promise.affiliate).await? {
        return Ok(None);
    }
    let commission = Commission::pending(CommissionId::new(tx), scope.now(tx), sale, promise);
    let left = sale.share.minus(sale.debt).unwrap_or(Cents::ZERO).max(Cents::ZERO);
    let unfunded = amount.minus(left).unwrap_or(amount).max(Cents::ZERO);
    let held_reason = (!unfunded.is_zero()).then_some(HeldReason::SellerDebt);
    let commission = Commission { earned: amount, amount, unfunded, held_reason, ..commission };
    store::insert(tx, scope, &commission).await?;
    let converted = i64::from(commission.kind == CommissionOrigin::Sale);
    links::count(tx, scope, commission.link, converted, amount, Cents::ZERO).await?;
    release::push(tx, scope, &commission).await?;
    let affiliate = merchants::scope(tx, commission.affiliate, scope.mode).await?;
    Ok(Some(NewCommission { commission, affiliate }))
}

/// The affiliate who has a commission on a payment.
pub async fn affiliate_of(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<MerchantId>> {
    let commission = store::find_sale(tx, scope, of).await?;
    Ok(commission.map(|commission| commission.affiliate))
}

/// The commission on a payment, unless it was cancelled.
pub async fn id_of(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<CommissionId>> {
    Ok(store::find_sale(tx, scope, of).await?.map(|commission| commission.id))
}

/// Lists an affiliate's commissions from all merchants, newest first.
pub async fn list_own(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Commission>> {
    let rows = store::list_own(tx, scope, filter).await?;
    let total = store::count_own(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |commission| commission.id.0))
}

/// A page of that list, whose matches are not counted.
pub async fn page_own(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Commission>> {
    let rows = store::list_own(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |commission| commission.id.0))
}

/// Lists the commissions of a merchant's program, newest first.
pub async fn list_of(
    tx: &Tx,
    scope: Scope,
    program: AffiliateProgramId,
    filter: &Filter,
) -> Result<Listed<Commission>> {
    programs::find(tx, scope, program).await?;
    let filter = Filter { program: Some(program), ..filter.clone() };
    let rows = store::list_of(tx, scope, &filter).await?;
    let total = store::count_of(tx, scope, &filter).await?;
    Ok(filter.page.listed(rows, total, |commission| commission.id.0))
}

/// A page of that list, whose matches are not counted.
pub async fn page_of(
    tx: &Tx,
    scope: Scope,
    program: AffiliateProgramId,
    filter: &Filter,
) -> Result<Listed<Commission>> {
    programs::find(tx, scope, program).await?;
    let filter = Filter { program: Some(program), ..filter.clone() };
    let rows = store::list_of(tx, scope, &filter).await?;
    Ok(filter.page.uncounted(rows, |commission| commission.id.0))
}

/// What a merchant still has to add to the commissions of their sales.
pub async fn unfunded(tx: &Tx, scope: Scope) -> Result<Cents> {
    store::unfunded(tx, scope).await
}

/// What a merchant owes for clawbacks as an affiliate.
pub async fn owed(tx: &Tx, scope: Scope) -> Result<Cents> {
    store::owed(tx, scope).await
}

/// What refunds and disputes hold of a merchant's commissions as an affiliate.
pub async fn contested(tx: &Tx, scope: Scope) -> Result<Cents> {
    let held = sums::of_holds(tx, Some(scope)).await?;
    Ok(Cents::new(held.values().map(|[held]| held).sum()))
}

/// Deletes commissions of a scope, as a merchant and as an affiliate, for the reset of development
/// data; returns how many rows.
///
/// What affiliates still hold of a merchant's sales returns to where it came from.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let mut cleared = clawbacks::clear(tx, scope, most).await?;
    let given = store::clear_given(tx, scope, remaining(most, cleared)).await?;
    cleared += u64::try_from(given.len()).unwrap_or(0);
    for (merchant, amount) in given {
        if !amount.is_zero() {
            let (of, affiliate) = (tx.new_id(), Scope { merchant, ..scope });
            let movement = Movement::commission_cleared(of, scope, affiliate, amount);
            books::record_as_seen(tx, movement).await?;
        }
    }
    Ok(cleared + store::clear_had(tx, scope, remaining(most, cleared)).await?)
}

impl NewCommission {
    /// What is taken from the merchant's share now.
    pub fn share(&self) -> AffiliateShare {
        let Commission { amount, unfunded, .. } = self.commission;
        let funded = amount.minus(unfunded).unwrap_or(Cents::ZERO);
        AffiliateShare { affiliate: self.affiliate, amount: funded, released: false }
    }

    /// Emits the event to both sides.
    pub async fn publish(&self, tx: &Tx, scope: Scope) -> Result<()> {
        publish_change(tx, scope, self.affiliate, Name::CommissionCreated, &self.commission).await
    }
}

impl Commission {
    fn pending(id: CommissionId, now: Timestamp, sale: &Sale, promise: CommissionTerms) -> Self {
        Self {
            id,
            version: 1,
            kind: promise.kind.into(),
            status: Status::Pending,
            program: promise.program,
            link: promise.link,
            affiliate: promise.affiliate,
            transaction: sale.transaction,
            product: promise.product,
            code: promise.code,
            clicked_at: promise.clicked_at,
            attributed_at: promise.decided_at,
            base: promise.base,
            commission_type: promise.terms.kind,
            commission_value: promise.terms.value,
            earned: promise.amount,
            amount: promise.amount,
            returned: Cents::ZERO,
            held: Cents::ZERO,
            unfunded: Cents::ZERO,
            held_reason: None,
            owed: Cents::ZERO,
            repaid: Cents::ZERO,
            sale: sale.amount,
            method: sale.method.to_owned(),
            available_at: sale.available_at,
            paid_at: None,
            cancelled_at: None,
            cancel_reason: None,
            created_at: now,
            updated_at: now,
        }
    }

    fn payload(&self) -> CommissionPayload {
        CommissionPayload {
            id: self.id,
            amount: self.amount,
            status: self.status.name(),
            kind: self.kind.name(),
            base_amount: self.base,
            available_at: self.available_at,
            paid_at: self.paid_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

impl From<Kind> for CommissionOrigin {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Sale => Self::Sale,
            Kind::Renewal => Self::Renewal,
        }
    }
}

async fn publish_change(
    tx: &Tx,
    scope: Scope,
    affiliate: Scope,
    name: Name,
    commission: &Commission,
) -> Result<()> {
    let who = merchants::find(tx, affiliate.merchant).await?;
    let event = |transaction| CommissionChanged {
        name,
        commission: commission.payload(),
        affiliate: AffiliatePayload {
            id: who.id,
            name: who.name.clone(),
            code: commission.code.clone(),
        },
        program: ProgramPayload {
            id: commission.program,
            product_id: commission.product,
            commission_type: commission.commission_type.name(),
            commission_value: commission.commission_value,
        },
        transaction,
    };
    let sale = store::find_payment(tx, scope, commission).await?;
    let unnamed = CommissionSale { external_id: None, ..sale.clone() };
    webhooks::publish(tx, scope, commission.version, &event(sale)).await?;
    webhooks::publish(tx, affiliate, commission.version, &event(unnamed)).await?;
    books::emit_balance_updated(tx, affiliate, name.text()).await
}
