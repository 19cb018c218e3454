//! Disputes: a buyer contests a payment, at their bank or their card's issuer.
//!
//! ```text
//! OPEN ──the payment stands──▶ WON     the money is the merchant's again
//!   └────the buyer is right──▶ LOST    the money is the buyer's
//! ```
//!
//! The merchant is not asked: what is contested is held at once, which is all that is left of the
//! payment, or a part of it. A part that is lost is a refund of it, and the payment stands. Where
//! the acquirer later reports another amount, a dispute about it takes the place of the open one,
//! which is stored as won and emits nothing. The affiliate's part is held as far as their account
//! covers it; the merchant bears the rest: first unsettled receivables, then available balance,
//! which may become negative. Receivables that were pledged to an advance are replaced by others
//! or repaid from the available balance.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::advances::lost_collateral::debit;
use crate::affiliates::commissions::clawbacks::ClawbackReason;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::books;
use crate::books::movements::{AffiliateShare, Movement};
use crate::events::names::Name;
use crate::platform::error::{Error, Result, overflow};
use crate::platform::ids::{DisputeId, Mode, Scope, TransactionId};
use crate::store::Sums;
use crate::transactions::deciding::decide_about;
use crate::transactions::disputes::view::DisputeView;
use crate::transactions::events::DisputeChanged;
use crate::transactions::refunds::{self, refundable_amount};
use crate::transactions::status::{Status as PaymentStatus, Transition, Trigger};
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;
use crate::transactions::{CHANGED, Method, Transaction, find, holds};
use crate::webhooks;

pub mod admin_api;
pub mod chargebacks;
pub mod infractions;
pub mod taken_back;
pub mod view;

mod store;

text_enum! {
    /// The status of a dispute.
    pub enum Status as "DisputeStatus" {
        /// Under review; the amount is held.
        Open = "OPEN",
        /// Won; the amount is released to the merchant.
        Won = "WON",
        /// Lost; the amount is returned to the buyer.
        Lost = "LOST",
    }
}

text_enum! {
    /// The kind of a dispute.
    pub enum Kind as "DisputeKind" {
        /// A chargeback by the card's issuer.
        Chargeback = "CHARGEBACK",
        /// The central bank's refund mechanism for fraud (*Mecanismo Especial de Devolução*).
        Med = "MED",
    }
}

text_enum! {
    /// How a dispute ends.
    pub enum Outcome as "DisputeOutcome" {
        /// The payment stands.
        Won = "WON",
        /// The buyer is right.
        Lost = "LOST",
    }
}

/// A dispute about a payment.
#[derive(Debug, Clone)]
pub struct Dispute {
    pub id: DisputeId,
    pub transaction: TransactionId,
    pub kind: Kind,
    pub status: Status,
    pub amount: Cents,
    /// Whether it is about less than was left of the payment when it was opened.
    pub is_part: bool,
    /// Whether a dispute about another amount took its place, which is no decision.
    pub is_replaced: bool,
    pub opened_at: Timestamp,
    pub decided_at: Option<Timestamp>,
}

/// Opens a dispute and holds what is left of the payment; repeating it is not an error.
pub async fn open(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
) -> Result<Transaction> {
    open_about(tx, scope, terms, of, None).await
}

/// Opens a dispute about a part of what is left of a payment, or about all of it.
async fn open_about(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    part: Option<Cents>,
) -> Result<Transaction> {
    let before = find(tx, scope, of).await?;
    let Some(next) = becomes(&before, Trigger::Dispute, PaymentStatus::Disputed)? else {
        return Ok(before);
    };
    let most = refundable_amount(&before);
    let amount = part.map_or(most, |part| part.min(most));
    let left = most.minus(amount).ok_or_else(overflow)?;
    if amount.is_zero() {
        let message = "Nothing is left of it that could be contested.".to_owned();
        return Err(Error::State { current: before.status.to_string(), message });
    }
    let after = move_to(tx, scope, &before, next).await?;
    let id = DisputeId::new(tx);
    let (dispute, commission) = hold(tx, scope, &after, id, (amount, left)).await?;
    publish(tx, scope, terms, Name::TransactionDisputed, (&after, &dispute), commission).await?;
    Ok(after)
}

/// Stores an open dispute about an amount of a payment, of which so much is left beside, and holds
/// the amount; returns what the affiliate gives of it, too.
async fn hold(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    id: DisputeId,
    (amount, left): (Cents, Cents),
) -> Result<(Dispute, Option<AffiliateShare>)> {
    let kind = if of.method == Method::CreditCard { Kind::Chargeback } else { Kind::Med };
    let dispute = Dispute {
        id,
        transaction: of.id,
        kind,
        status: Status::Open,
        amount,
        is_part: !left.is_zero(),
        is_replaced: false,
        opened_at: of.updated_at,
        decided_at: None,
    };
    store::insert(tx, scope, &dispute).await?;
    let (commission, own) = holds::hold_commission(tx, scope, of, id.0, (amount, left)).await?;
    let (from, debt) = holds::hold(tx, scope, of, id.0, (own, Cents::ZERO)).await?;
    books::record_as_seen(tx, Movement::dispute_opened(id, scope, from, commission)).await?;
    debit(tx, scope, debt, id.0).await?;
    Ok((dispute, commission))
}

/// Replaces the open dispute about a payment by one about another amount, which is no more than is
/// left of it: what is held returns first, and the new amount is held.
async fn replace(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: &Transaction,
    amount: Cents,
) -> Result<DisputeId> {
    let left = refundable_amount(before).minus(amount).ok_or_else(overflow)?;
    let after = move_to(tx, scope, before, before.status).await?;
    let by = DisputeId::new(tx);
    let replaced = store::decide(tx, scope, before.id, Status::Won, Some(by)).await?;
    let released = release(tx, scope, &after, &replaced).await?;
    let (dispute, commission) = hold(tx, scope, &after, by, (amount, left)).await?;
    let moved = commission.or(released);
    publish(tx, scope, terms, Name::TransactionDisputed, (&after, &dispute), moved).await?;
    Ok(dispute.id)
}

/// Releases what a dispute held; returns what the affiliate gets back of it.
async fn release(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    ended: &Dispute,
) -> Result<Option<AffiliateShare>> {
    let (to, commission) = holds::release(tx, scope, of, ended.id.0, ended.amount).await?;
    books::record(tx, Movement::dispute_won(ended.id, scope, to, commission)).await?;
    Ok(commission)
}

/// Decides for the merchant: the payment stands, and the held money is returned to them.
pub async fn win(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
) -> Result<Transaction> {
    let before = find(tx, scope, of).await?;
    let Some(next) = becomes(&before, Trigger::WinDispute, PaymentStatus::Paid)? else {
        return Ok(before);
    };
    let after = move_to(tx, scope, &before, next).await?;
    let dispute = store::decide(tx, scope, of, Status::Won, None).await?;
    let commission = release(tx, scope, &after, &dispute).await?;
    publish(tx, scope, terms, Name::TransactionDisputeWon, (&after, &dispute), commission).await?;
    Ok(after)
}

/// Finds and locks the payment that a PIX paid or else, as nothing may be booked of it yet, the one
/// that it names.
async fn lock_paid(
    tx: &Tx,
    provider: &str,
    (txid, end_to_end_id): (&str, &str),
) -> Result<Option<payments::LockedCharge>> {
    match payments::lock_by_pix(tx, provider, end_to_end_id).await? {
        None => payments::lock_by_txid(tx, provider, txid).await,
        paid => Ok(paid),
    }
}

/// Decides for the buyer: the payment is charged back or, where a part of it is contested, that
/// part is refunded.
pub async fn lose(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
) -> Result<Transaction> {
    let before = find(tx, scope, of).await?;
    let Some(next) = becomes(&before, Trigger::LoseDispute, PaymentStatus::ChargedBack)? else {
        return Ok(before);
    };
    if store::find_open(tx, scope, of).await?.is_some_and(|open| open.is_part) {
        return lose_part(tx, scope, terms, &before).await;
    }
    let after = move_to(tx, scope, &before, next).await?;
    let dispute = store::decide(tx, scope, of, Status::Lost, None).await?;
    let (of, amount) = (dispute.id, dispute.amount);
    holds::claw_back(tx, scope, &after, of.0, amount, ClawbackReason::DisputeLost).await?;
    books::record(tx, Movement::dispute_lost(of, scope, amount)).await?;
    publish(tx, scope, terms, Name::TransactionChargedBack, (&after, &dispute), None).await?;
    Ok(after)
}

/// Refunds the contested part of a payment, which is paid again with the rest.
///
/// What the dispute held returns first, so that the refund takes it as every other one does.
async fn lose_part(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: &Transaction,
) -> Result<Transaction> {
    let after = move_to(tx, scope, before, PaymentStatus::Paid).await?;
    let lost = store::decide(tx, scope, before.id, Status::Lost, None).await?;
    release(tx, scope, &after, &lost).await?;
    let name = lost.id.to_string();
    let refund = refunds::request::take_back(tx, scope, terms, &after, lost.amount, &name).await?;
    store::lost_by(tx, scope, &lost, refund).await?;
    find(tx, scope, before.id).await
}

/// Resolves a dispute about real money as an administrator says; repeating it is not an error.
pub async fn resolve(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    id: TransactionId,
    (outcome, note): (Outcome, &str),
) -> Result<Dispute> {
    let missing = || Error::NotFound("Transaction");
    let scope = payments::scope_of(tx, Mode::Production, id).await?.ok_or_else(missing)?;
    payments::lock(tx, scope, id).await?;
    let before = find(tx, scope, id).await?;
    let wanted = match outcome {
        Outcome::Won => Status::Won,
        Outcome::Lost => Status::Lost,
    };
    if before.status != PaymentStatus::Disputed {
        let last = store::list(tx, scope, id).await?.pop();
        let message = "No dispute about it is open.".to_owned();
        let repeated = last.filter(|last| last.status == wanted);
        let current = before.status.to_string();
        return repeated.ok_or(Error::State { current, message });
    }
    decide_about(tx, scope, id, by).await?;
    match outcome {
        Outcome::Won => win(tx, scope, terms, id).await?,
        Outcome::Lost => lose(tx, scope, terms, id).await?,
    };
    let resolved = store::list(tx, scope, id).await?.pop().ok_or_else(missing)?;
    let entry = Entry::about(Action::DisputeResolved, Some(scope.merchant));
    let entry = entry.in_mode(Mode::Production).on(resolved.id.0);
    let entry = entry.with("outcome", outcome.name()).with("note", note);
    audit::record(tx, by, entry).await?;
    Ok(resolved)
}

/// Lists the disputes about a payment, oldest first.
pub async fn of(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Dispute>> {
    store::list(tx, scope, of).await
}

/// Sums of disputes for the reconciliation: what open ones hold, what lost ones cost, and how many
/// there are of each.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    store::sums(tx, of).await
}

fn not_yet(state: &str) -> Error {
    Error::Unavailable(format!("what was taken back of a payment waits: the payment {state}"))
}

/// The payment's next status; `None` if the report is a repetition.
fn becomes(
    before: &Transaction,
    trigger: Trigger,
    wanted: PaymentStatus,
) -> Result<Option<PaymentStatus>> {
    match before.status.after(trigger) {
        Transition::Becomes(next) => Ok(Some(next)),
        Transition::Already => Ok(None),
        Transition::Refused => Err(Error::conflict(before.status, wanted)),
    }
}

async fn move_to(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    next: PaymentStatus,
) -> Result<Transaction> {
    let after = Transaction {
        version: before.version + 1,
        status: next,
        updated_at: scope.now(tx),
        ..before.clone()
    };
    if !store::move_to(tx, scope, before, &after).await? {
        return Err(tx.collision("the payment changed while it was contested").into());
    }
    Ok(after)
}

async fn publish(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    name: Name,
    (after, dispute): (&Transaction, &Dispute),
    commission: Option<AffiliateShare>,
) -> Result<()> {
    let transaction = Box::new(TransactionView::new(terms, scope, after));
    let event = DisputeChanged {
        name,
        customer: transaction.customer.clone(),
        transaction,
        dispute: DisputeView::new(dispute),
    };
    tx.notify(CHANGED, after.id.0);
    webhooks::publish(tx, scope, after.version, &event).await?;
    holds::emit_balance_updated(tx, scope, commission, name.text()).await
}
