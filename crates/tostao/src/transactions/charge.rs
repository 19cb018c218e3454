//! Charging a card: the acquirer is called between two units.
//!
//! ```text
//! unit: PROCESSING, key reserved ──▶ acquirer ──▶ unit: PAID or FAILED, response stored
//!                                        └ no answer: stays PROCESSING, `ResolveCharge` asks again
//! ```
//!
//! An unknown outcome is not a failure: the acquirer is queried by our own reference, and the
//! result is never guessed. A concurrent request with the same key waits for that result.

use std::net::IpAddr;
use std::time::Duration;

use db::text_enum;
use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{WORK, push_in};
use rails::card::{CardChargeRequest, CardItem, CardSource, ChargeResult};
use rails::error::ProviderError;
use rails::provider::ARRIVES_WITHIN;
use sandbox::SANDBOX;
use uuid::Uuid;

use crate::app::App;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::merchants;
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, Scope, TransactionId};
use crate::platform::lanes::of_connection;
use crate::products::Item;
use crate::providers::orders::of_order;
use crate::transactions::close::fail;
use crate::transactions::confirm::{AccountLocks, confirm};
use crate::transactions::create::insert;
use crate::transactions::deciding::decide_about;
use crate::transactions::failure::FailureReason;
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::issue::{Issued, account_closed};
use crate::transactions::jobs::ResolveCharge;
use crate::transactions::request::{NewTransaction, PaymentInstrument};
use crate::transactions::status::{Status, Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Address, Transaction, find, store};

/// The acquirer has answered by then; otherwise it is asked for the charge's outcome.
const RESOLVED_AFTER: Duration = Duration::from_secs(60);

/// Failure reason of a payment whose charge the acquirer did not accept.
const REFUSED: &str = FailureReason::RefusedByAcquirer.name();
/// Failure reason of a payment whose charge did not reach the acquirer, for certain.
const NOT_REACHED: &str = FailureReason::AcquirerUnavailable.name();
/// Failure reason of a charge or a refund that an administrator resolved as failed.
pub const RESOLVED: &str = FailureReason::ResolvedByAdministrator.name();
/// Failure reason of a payment whose token had just been used by another or had just expired.
pub const UNUSABLE_TOKEN: &str = FailureReason::CardTokenUnusable.name();

text_enum! {
    /// How a charge that its acquirer leaves undecided is resolved.
    pub enum Outcome as "ChargeOutcome" {
        /// Nothing was captured, or all of it was refunded at the acquirer.
        Failed = "FAILED",
    }
}

/// A card charge that is stored but not sent yet.
#[derive(Debug, Clone)]
pub struct PendingCharge {
    pub transaction: Transaction,
    source: CardSource,
    statement: String,
    /// What is sold, where there are no products.
    description: Option<String>,
    /// Kept in memory only.
    buyer_ip: Option<IpAddr>,
}

/// The acquirer's reply to a charge.
enum AcquirerReply {
    Verdict(ChargeResult),
    /// The acquirer did not accept the charge and did nothing; the reason is a stable code.
    Refused(&'static str),
}

/// Stores a card charge before it is sent, so its outcome is always resolved.
///
/// If the account is being closed, either the closing sees this charge, which keeps the account
/// open, or the account is closed before anything is charged.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<PendingCharge> {
    let source = match &new.instrument {
        PaymentInstrument::Card { token: Some(token), .. } => CardSource::Token(token.clone()),
        PaymentInstrument::Stored(card) => CardSource::Stored(card.id.clone()),
        PaymentInstrument::Card { token: None, .. }
        | PaymentInstrument::Pix { .. }
        | PaymentInstrument::Boleto { .. } => {
            return Err(Error::Internal(anyhow::anyhow!("only a card is charged at an acquirer")));
        }
    };
    if !merchants::is_open(tx, scope.merchant).await? {
        return Err(account_closed());
    }
    let transaction = insert(tx, scope, terms, new, issued).await?;
    let (merchant, mode) = (scope.merchant, scope.mode);
    let resolve = ResolveCharge { merchant, mode, id: transaction.id, sent_at: Some(tx.now()) };
    push_job(tx, scope, &transaction.provider, &resolve, RESOLVED_AFTER).await?;
    let statement = merchants::find(tx, scope.merchant).await?.name;
    let description = match &transaction.link {
        Some(link) => Some(payment_links::find(tx, scope, link.id).await?.title),
        None => transaction.description.clone(),
    };
    let buyer_ip = new.buyer_ip;
    Ok(PendingCharge { transaction, source, statement, description, buyer_ip })
}

/// Sends the charge to the acquirer and stores its reply.
pub async fn submit(app: &App, scope: Scope, order: PendingCharge) -> Result<Transaction> {
    let id = order.transaction.id;
    match authorize(app, order).await? {
        AcquirerReply::Verdict(verdict) => decide(app, scope, id, verdict).await,
        AcquirerReply::Refused(reason) => refuse(app, scope, id, reason).await,
    }
}

/// Reads a payment; `None` while its charge has no outcome.
pub async fn decided(app: &App, scope: Scope, id: TransactionId) -> Result<Option<Transaction>> {
    let found = app.read(async move |tx| find(tx, scope, id).await).await?;
    Ok(Some(found).filter(|found| found.status != Status::Processing))
}

/// Stores the acquirer's reply; a repeated reply is not an error.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: TransactionId,
    verdict: &ChargeResult,
) -> Result<Transaction> {
    let before = find(tx, scope, id).await?;
    match verdict {
        ChargeResult::Processing | ChargeResult::CapturedOtherwise { .. } => Ok(before),
        ChargeResult::Declined { code } => {
            fail(tx, scope, terms, before, Some(*code), code.name()).await
        }
        ChargeResult::Approved { authorization_code } => match before.status.after(Trigger::Pay) {
            Transition::Becomes(_) => {
                let incoming = IncomingPayment {
                    rail: Rail::Card,
                    payment_id: authorization_code.clone(),
                    amount: before.amount,
                    paid_at: scope.now(tx),
                };
                confirm(tx, scope, terms, &before, &incoming, AccountLocks::Last).await
            }
            Transition::Already => Ok(before),
            Transition::Refused => Err(Error::conflict(before.status, Status::Paid)),
        },
    }
}

/// Finds the card charge that an acquirer names; `None` if it is none of this acquirer's.
pub async fn find_charged(
    tx: &Tx,
    provider: &str,
    reference: &str,
) -> Result<Option<(Scope, Transaction)>> {
    let Ok(id) = Uuid::try_parse(reference).map(TransactionId) else { return Ok(None) };
    let Some(scope) = store::scope_of(tx, Mode::Production, id).await? else { return Ok(None) };
    store::lock(tx, scope, id).await?;
    let found = find(tx, scope, id).await?;
    let is_its = found.provider == provider && found.card.is_some();
    Ok(is_its.then_some((scope, found)))
}

/// Applies an acquirer's own report about a charge; false if it is about none of ours, about
/// another amount, or contradicts how the charge has ended.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    reference: &str,
    (amount, result): (Cents, &ChargeResult),
) -> Result<bool> {
    let Some((scope, charge)) = find_charged(tx, provider, reference).await? else {
        return Ok(false);
    };
    let agrees = match result {
        _ if amount != charge.amount => false,
        ChargeResult::CapturedOtherwise { .. } => false,
        ChargeResult::Processing => true,
        ChargeResult::Approved { .. } => charge.status != Status::Failed,
        // A charge that was refunded or charged back had been approved.
        ChargeResult::Declined { .. } => {
            matches!(charge.status, Status::Processing | Status::Failed)
        }
    };
    if agrees && charge.status == Status::Processing {
        settle(tx, scope, terms, charge.id, result).await?;
    }
    Ok(agrees)
}

/// Resolves a charge of real money that its acquirer leaves undecided, as an administrator says;
/// repeating it is not an error.
///
/// It is never resolved as paid: nothing is booked that the acquirer does not confirm.
pub async fn resolve(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    id: TransactionId,
    (outcome, note): (Outcome, &str),
) -> Result<Transaction> {
    let missing = || Error::NotFound("Transaction");
    let scope = store::scope_of(tx, Mode::Production, id).await?.ok_or_else(missing)?;
    store::lock(tx, scope, id).await?;
    let before = find(tx, scope, id).await?;
    if before.failure_reason.as_deref() == Some(RESOLVED) {
        return Ok(before);
    }
    if before.status != Status::Processing {
        return Err(Error::conflict(before.status, Status::Failed));
    }
    decide_about(tx, scope, id, by).await?;
    if scope.now(tx).since(before.created_at) < ARRIVES_WITHIN {
        let message = "It may still be on its way to the acquirer. Try again in ten minutes.";
        return Err(Error::State { current: before.status.to_string(), message: message.into() });
    }
    let resolved = match outcome {
        Outcome::Failed => fail(tx, scope, terms, before, None, RESOLVED).await?,
    };
    let entry = Entry::about(Action::ChargeResolved, Some(scope.merchant));
    let entry = entry.in_mode(scope.mode).on(id.0);
    let entry = entry.with("outcome", outcome.name()).with("note", note);
    audit::record(tx, by, entry).await?;
    Ok(resolved)
}

/// Schedules a query to the acquirer for a charge's outcome, after a delay, in the lane of its
/// connection.
pub async fn push_job(
    tx: &Tx,
    scope: Scope,
    provider: &str,
    job: &ResolveCharge,
    after: Duration,
) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(after));
    Ok(push_in(tx, &of_charges(provider), tx.new_id(), due, job).await?)
}

/// The lane of calls to an acquirer: its connection's, so that one that hangs delays nothing else.
pub fn of_charges(provider: &str) -> String {
    if provider == SANDBOX { WORK.to_owned() } else { of_connection(provider) }
}

/// Our reference for a charge at the acquirer.
pub fn reference(id: TransactionId) -> String {
    id.0.simple().to_string()
}

async fn authorize(app: &App, order: PendingCharge) -> Result<AcquirerReply> {
    let PendingCharge { transaction, source, statement, description, buyer_ip } = order;
    let provider = &transaction.provider;
    let provider = of_order(app.providers.card_named(provider), provider)?;
    let is_buyer_waiting = matches!(source, CardSource::Token(_));
    let address = transaction.address.as_ref().map(Address::for_rails);
    let order = CardChargeRequest {
        reference: reference(transaction.id),
        source,
        amount: transaction.amount,
        installments: transaction.installments,
        statement,
        buyer: transaction.customer.as_card_buyer(address),
        items: sold(&transaction, description),
        ip: buyer_ip,
        authentication: None,
    };
    match provider.authorize(&order).await {
        Ok(verdict) => Ok(AcquirerReply::Verdict(verdict)),
        Err(error) => {
            tracing::warn!(transaction = %transaction.id, "{error}");
            Ok(match error {
                ProviderError::Refused { .. } => AcquirerReply::Refused(REFUSED),
                ProviderError::UnusableToken => AcquirerReply::Refused(UNUSABLE_TOKEN),
                // A renewal is tried again instead, once it is known that nothing arrived: an
                // outage of the acquirer must not count against the subscriber.
                error if is_buyer_waiting && error.is_certainly_not_sent() => {
                    AcquirerReply::Refused(NOT_REACHED)
                }
                _ => AcquirerReply::Verdict(ChargeResult::Processing),
            })
        }
    }
}

/// What is sold: products, or what stands for them where there are none.
fn sold(transaction: &Transaction, description: Option<String>) -> Vec<CardItem> {
    let product = |item: &Item| CardItem {
        description: item.name.clone(),
        amount: item.unit_price,
        quantity: item.quantity,
    };
    let items = transaction.items.iter().map(product);
    match description {
        Some(description) if transaction.items.is_empty() => {
            vec![CardItem { description, amount: transaction.amount, quantity: 1 }]
        }
        _ => items.collect(),
    }
}

/// Records that the acquirer did not accept the charge, so that it will have no effect.
async fn refuse(
    app: &App,
    scope: Scope,
    id: TransactionId,
    reason: &'static str,
) -> Result<Transaction> {
    let terms = PaymentTerms::of(app);
    let failed = app.transact(async move |tx| {
        let before = find(tx, scope, id).await?;
        fail(tx, scope, &terms, before, None, reason).await
    });
    failed.await
}

/// Stores the acquirer's reply, in a unit of its own.
pub async fn decide(
    app: &App,
    scope: Scope,
    id: TransactionId,
    verdict: ChargeResult,
) -> Result<Transaction> {
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| settle(tx, scope, &terms, id, &verdict).await).await
}
