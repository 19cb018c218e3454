//! Advances: card installments paid out before their due date.
//!
//! `status` is the state machine, `terms` the price, `collateral` the receivables that are the
//! collateral. `decisions` approves, rejects and cancels: the approval pledges receivables and pays
//! out. From then on each of them that settles repays its pledged part to the platform (`jobs`). If
//! a refund or a dispute takes collateral, `lost_collateral` pledges another receivable in its
//! place, or else debits the merchant.

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::try_join_all;
use ledger::cents::Cents;

use crate::advances::collateral::{CollateralPart, Limit, cut, fee};
use crate::advances::events::AdvanceChanged;
use crate::advances::list::Filter;
use crate::advances::status::Status;
use crate::advances::terms::{AdvanceTerms, MonthlyRateBps};
use crate::advances::view::AdvanceView;
use crate::audit::decision::Decision;
use crate::events::names::Name;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::Listed;
use crate::platform::ids::{AdvanceId, MerchantId, Mode, Scope};
use crate::receivables::{Receivable, pledges};
use crate::store::Sums;
use crate::webhooks;

pub mod admin_api;
pub mod api;
pub mod collateral;
pub mod decisions;
pub mod events;
pub mod jobs;
pub mod list;
pub mod lost_collateral;
pub mod status;
mod store;
pub mod terms;
pub mod view;

/// Money paid out on receivables before their due date, or requested.
#[derive(Debug, Clone)]
pub struct Advance {
    pub id: AdvanceId,
    pub merchant: MerchantId,
    /// Incremented by every change; orders the advance's events.
    pub version: i64,
    pub status: Status,
    /// The gross amount from the receivables; the fee is deducted from it.
    pub amount: Cents,
    /// The rate on the day of the request.
    pub rate: MonthlyRateBps,
    /// Known once it is approved.
    pub fee: Option<Cents>,
    /// The amount not repaid yet.
    pub outstanding: Cents,
    /// The amount debited from the balance.
    pub debited: Cents,
    pub reason: Option<String>,
    pub rejection_reason: Option<String>,
    /// The receivables that are its collateral, soonest due first; none before it is approved.
    pub collateral: Vec<CollateralPart>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub approved_at: Option<Timestamp>,
    pub rejected_at: Option<Timestamp>,
    pub cancelled_at: Option<Timestamp>,
    pub settled_at: Option<Timestamp>,
    /// The administrator who approved or rejected it.
    pub decided: Option<Decision>,
}

/// An advance request.
#[derive(Debug, Clone)]
pub struct NewAdvance {
    pub amount: Cents,
    pub reason: Option<String>,
}

/// The terms of an advance if it were paid out now.
#[derive(Debug, Clone)]
pub struct AdvanceQuote {
    pub amount: Cents,
    pub rate: MonthlyRateBps,
    pub fee: Cents,
    pub collateral: Vec<CollateralPart>,
}

/// Returns how much could be advanced now.
pub async fn limit(tx: &Tx, scope: Scope, terms: AdvanceTerms) -> Result<Limit> {
    Limit::of(&pledges::free(tx, scope).await?, terms)
}

/// Returns the terms of an advance if it were paid out now.
pub async fn quote(
    tx: &Tx,
    scope: Scope,
    terms: AdvanceTerms,
    amount: Cents,
) -> Result<AdvanceQuote> {
    let parts = pledges::free(tx, scope).await?;
    offered(&parts, terms, amount, terms.rate, scope.now(tx))
}

/// The terms of a requested advance if it were approved now; `None` if it was decided, or if the
/// receivables are not enough any more.
pub async fn requested_quote(
    tx: &Tx,
    scope: Scope,
    terms: AdvanceTerms,
    advance: &Advance,
) -> Result<Option<AdvanceQuote>> {
    if advance.status != Status::Pending {
        return Ok(None);
    }
    let parts = pledges::free(tx, scope).await?;
    match offered(&parts, terms, advance.amount, advance.rate, scope.now(tx)) {
        Ok(quote) => Ok(Some(quote)),
        Err(Error::Refused(ErrorCode::InsufficientReceivables, _)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Requests an advance; the approval checks whether the receivables are enough.
pub async fn request(
    tx: &Tx,
    scope: Scope,
    terms: AdvanceTerms,
    new: &NewAdvance,
) -> Result<Advance> {
    let advance = Advance::pending(tx, scope, terms.rate, new);
    if !store::insert(tx, scope, &advance).await? {
        return Err(already_open());
    }
    publish_change(tx, scope, Name::AdvanceCreated, &advance).await?;
    Ok(advance)
}

/// Finds an advance.
pub async fn find(tx: &Tx, scope: Scope, id: AdvanceId) -> Result<Advance> {
    let found = store::find(tx, scope, id).await?.ok_or_else(missing)?;
    with_collateral(tx, scope.mode, found).await
}

/// Lists a merchant's advances, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Advance>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    let listed = filter.page.listed(rows, total, |advance| advance.id.0);
    with_all_collateral(tx, scope.mode, listed).await
}

/// The advance that has not ended; a merchant has one at most.
pub async fn open(tx: &Tx, scope: Scope) -> Result<Option<AdvanceId>> {
    store::open(tx, scope).await
}

/// Sums of advances for the reconciliation: what is outstanding, the fees, and the receivables'
/// amounts for them.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    store::sums(tx, of).await
}

/// Sums of what advances get of receivables, and of the fees for it.
pub async fn sums_of_collateral(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums_of_collateral(tx, of).await
}

/// The terms of an advance at a rate, as of a given time, on receivables that have to be enough.
fn offered(
    parts: &[Receivable],
    terms: AdvanceTerms,
    amount: Cents,
    rate: MonthlyRateBps,
    at: Timestamp,
) -> Result<AdvanceQuote> {
    Limit::of(parts, terms)?.expect(amount)?;
    let collateral = cut(parts, amount, rate, at)?;
    Ok(AdvanceQuote { amount, rate, fee: fee(&collateral)?, collateral })
}

/// Reads the collateral of an advance.
async fn with_collateral(tx: &Tx, mode: Mode, advance: Advance) -> Result<Advance> {
    let collateral = match advance.approved_at {
        Some(_) => store::collateral(tx, mode, &advance).await?,
        None => Vec::new(),
    };
    Ok(Advance { collateral, ..advance })
}

async fn with_all_collateral(
    tx: &Tx,
    mode: Mode,
    listed: Listed<Advance>,
) -> Result<Listed<Advance>> {
    let rows = listed.rows.into_iter().map(|advance| with_collateral(tx, mode, advance));
    let rows = try_join_all(rows).await?;
    Ok(Listed { rows, total: listed.total, next: listed.next })
}

async fn publish_change(tx: &Tx, scope: Scope, name: Name, advance: &Advance) -> Result<()> {
    let view = Box::new(AdvanceView::new(scope.mode, advance));
    let event = AdvanceChanged { name, advance: view };
    webhooks::publish(tx, scope, advance.version, &event).await
}

/// Refuses a second advance while one has not ended.
pub fn already_open() -> Error {
    let message = "Another advance waits for a decision or for its receivables.";
    Error::refused(ErrorCode::AdvanceAlreadyOpen, message)
}

fn missing() -> Error {
    Error::NotFound("Advance")
}

impl Advance {
    fn pending(tx: &Tx, scope: Scope, rate: MonthlyRateBps, new: &NewAdvance) -> Self {
        Self {
            id: AdvanceId::new(tx),
            merchant: scope.merchant,
            version: 1,
            status: Status::Pending,
            amount: new.amount,
            rate,
            fee: None,
            outstanding: Cents::ZERO,
            debited: Cents::ZERO,
            reason: new.reason.clone(),
            rejection_reason: None,
            collateral: Vec::new(),
            created_at: scope.now(tx),
            updated_at: scope.now(tx),
            approved_at: None,
            rejected_at: None,
            cancelled_at: None,
            settled_at: None,
            decided: None,
        }
    }
}
