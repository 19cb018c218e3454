//! Unknown payments: money that arrived under an identifier that no charge has, or for a charge of
//! a closed account.
//!
//! ```text
//! OPEN ──match──▶ MATCHED                        it pays that charge
//!   ├──resolve──▶ MATCHED                        it was reported twice: it paid that boleto
//!   ├───return──▶ RETURNING ──done──▶ RETURNED   it was returned to its payer
//!   │                 └─────refused──▶ OPEN
//!   └──dismiss──▶ DISMISSED                      an entry that cannot be read and pays nothing
//! ```
//!
//! A bank does not repeat a report once it is acknowledged, so such money is stored and booked at
//! once: on the platform's suspense account, because it belongs to no merchant yet. Administrators
//! decide, and every decision is stored with who made it, when, and from which address. A repeated
//! decision has no effect. Money for a closed account is returned at once if its rail can do that.
//! What its bank took back of it becomes RETURNED when an administrator closes the difference about
//! that: a part of it as a row of its own, and the rest awaits its decision.
//!
//! An entry of a bank's message that cannot be read is stored here as well, and nothing is booked
//! for it: the bank reports the payment again, correctly, and money that was booked without its
//! identifier would be booked twice. Until it is matched or dismissed, its bank is asked to send it
//! again. A decision answers for one message: the same text after that message was accepted is
//! another report. The entry may name a payer, so it is blanked some time after the decision.

use std::collections::BTreeSet;
use std::time::Duration;

use brazil::pix_key::PixKey;
use db::hex::hex;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::entries::Unreadable;

use crate::audit::decision::Decision;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::books;
use crate::books::movements::Movement;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId, UnmatchedId};
use crate::platform::secrets::sha256;
use crate::store::Sums;
use crate::transactions::confirm::AccountLocks;
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::receive::{ChargeReference, settle};
use crate::transactions::returns::{self, ReturnOutcome, ReturnRequest};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, boletos, deciding, find, store as payments};

pub mod admin_api;
pub mod resolve;
pub mod taken;

mod store;

/// For how long an entry that cannot be read is kept after the decision.
const REPORTS_KEPT: Duration = Duration::from_hours(90 * 24);
/// How the id of an entry that cannot be read begins; a payment's own id has no colon.
const REPORT: &str = "sha256:";
/// What is kept of an entry that cannot be read.
const REPORT_LENGTH_MAX: usize = 4_096;

text_enum! {
    /// The status of an unknown payment.
    pub enum Status as "UnknownPaymentStatus" {
        /// Awaiting a decision, or the return failed.
        Open = "OPEN",
        /// Matched to a transaction.
        Matched = "MATCHED",
        /// Being returned.
        Returning = "RETURNING",
        /// Returned to the payer.
        Returned = "RETURNED",
        /// A report that cannot be read, closed without a transaction.
        Dismissed = "DISMISSED",
    }
}

text_enum! {
    /// What a PIX was found to be that may have paid a boleto.
    pub enum Resolution as "UnknownPaymentResolution" {
        /// It paid the boleto, whose bank reported that twice.
        Duplicate = "DUPLICATE",
        /// It is other money.
        Separate = "SEPARATE",
    }
}

/// An unknown payment.
#[derive(Debug, Clone)]
pub struct UnknownPayment {
    pub id: UnmatchedId,
    pub provider: String,
    pub rail: Rail,
    /// The charge that it named: a txid, or what a bank names a boleto by.
    pub reference: String,
    /// Its own identifier at its origin.
    pub payment_id: String,
    pub amount: Cents,
    pub status: Status,
    pub paid_at: Timestamp,
    pub received_at: Timestamp,
    pub transaction: Option<TransactionId>,
    /// The closed account, if it is for a charge of one.
    pub closed: Option<MerchantId>,
    /// Why it could not be returned.
    pub failure_reason: Option<String>,
    /// What it was found to be, if it may have paid a boleto, and why.
    pub resolution: Option<Resolution>,
    pub note: Option<String>,
    /// The last decision, an administrator's or the server's own.
    pub decided: Option<Decision>,
    /// The start of the bank's entry, if it cannot be read, until it is blanked.
    pub unreadable_report: Option<String>,
}

/// Which unknown payments to list.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
}

/// Stores money that no charge can take, because there is none or its account is `closed`; false if
/// it was stored before.
///
/// Only the payer has a claim to money for a closed account, so it is returned automatically where
/// its rail needs no key for that, and its bank has not sent it back.
pub async fn keep(
    tx: &Tx,
    mode: Mode,
    provider: &str,
    reference: &str,
    incoming: &IncomingPayment,
    closed: Option<MerchantId>,
) -> Result<bool> {
    let scope = Scope::platform(mode);
    let unknown = UnknownPayment::new(tx, mode, provider, reference, incoming);
    let unknown = UnknownPayment { closed, ..unknown };
    if !store::insert(tx, mode, &unknown).await? {
        return Ok(false);
    }
    let (of, amount) = (unknown.id, unknown.amount);
    books::record(tx, Movement::payment_unmatched(of, scope, amount)).await?;
    let returnable = returns::supports_return(scope.now(tx), &unknown.money());
    if closed.is_some()
        && returnable
        && !amount.is_zero()
        && !taken::is_sent_back(tx, &unknown).await?
    {
        let never = || Err(Error::Internal(anyhow::anyhow!("a PIX goes back where it came from")));
        return_to_payer(tx, mode, &ActorContext::system(), of, None, never).await?;
    }
    Ok(true)
}

/// Stores an entry that cannot be read, unless it was stored before; returns whether it awaits a
/// decision.
pub async fn keep_unreadable(
    tx: &Tx,
    mode: Mode,
    provider: &str,
    rail: Rail,
    entry: &Unreadable,
) -> Result<bool> {
    let payment_id = report_id(rail, &entry.text);
    let paid_at = Scope::platform(mode).now(tx);
    let incoming = IncomingPayment { rail, payment_id, amount: Cents::ZERO, paid_at };
    let unknown = UnknownPayment::new(tx, mode, provider, &entry.reference, &incoming);
    let report = entry.text.chars().take(REPORT_LENGTH_MAX).collect();
    let unknown = UnknownPayment { unreadable_report: Some(report), ..unknown };
    if store::insert(tx, mode, &unknown).await? {
        let id = unknown.id;
        tracing::error!(provider, %id, "a bank's report of a payment cannot be read and is kept");
        return Ok(true);
    }
    // A concurrent message may have released the id since the insert.
    let released = || tx.collision("a report was released while it was stored");
    let is_open = store::is_open(tx, provider, &unknown.payment_id).await?.ok_or_else(released)?;
    if !is_open {
        tracing::warn!(provider, "a bank repeats a report that cannot be read and was decided on");
    }
    Ok(is_open)
}

/// Ends what the decisions on a message's reports answer for, because the message is accepted; then
/// the same text is another report.
///
/// A concurrent message with the same text is sent again.
pub async fn accept_reports(
    tx: &Tx,
    provider: &str,
    rail: Rail,
    reports: &BTreeSet<String>,
) -> Result<()> {
    for text in reports {
        if !store::release(tx, provider, &report_id(rail, text)).await? {
            let message = "another message with the same report was accepted";
            return Err(Error::Unavailable(message.into()));
        }
    }
    Ok(())
}

/// Lists a mode's unknown payments, newest first.
pub async fn list(tx: &Tx, mode: Mode, filter: &Filter) -> Result<Listed<UnknownPayment>> {
    let rows = store::list(tx, mode, filter).await?;
    let total = store::count(tx, mode, filter.status).await?;
    Ok(filter.page.listed(rows, total, |unknown| unknown.id.0))
}

/// Finds an unknown payment.
pub async fn show(tx: &Tx, mode: Mode, id: UnmatchedId) -> Result<UnknownPayment> {
    store::find(tx, mode, id).await?.ok_or_else(missing)
}

/// Counts those that await a decision.
pub async fn count_open(tx: &Tx, mode: Mode) -> Result<i64> {
    store::count(tx, mode, Some(Status::Open)).await
}

/// Sums of the platform's unknown payments for the reconciliation: what awaits a decision, all that
/// was not matched, and all. No merchant has any.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<3>> {
    if of.is_some_and(|scope| scope.merchant != Scope::platform(scope.mode).merchant) {
        return Ok(Sums::new());
    }
    let mut sums = store::sums(tx).await?;
    sums.retain(|(_, book), _| of.is_none_or(|scope| *book == scope.mode.book()));
    Ok(sums)
}

/// Applies the money to a charge that it did not name; repeating it is not an error. A PIX that may
/// be the money of a boleto is not applied, until an administrator finds that it is not.
///
/// Rows are locked in the order of every unit: the payment, the money, the accounts last.
pub async fn assign(
    tx: &Tx,
    terms: &PaymentTerms,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
    to: TransactionId,
) -> Result<UnknownPayment> {
    // If the money does not exist, the error must not reveal whether the charge does.
    show(tx, mode, id).await?;
    let unknown_charge = || Error::field("transactionId", "UNKNOWN_TRANSACTION", "is no charge");
    let scope = payments::scope_of(tx, mode, to).await?.ok_or_else(unknown_charge)?;
    let decided = deciding::decide_about(tx, scope, to, by).await?;
    let decided = decided.or_else(|| Some(Decision::by_server(tx.now())));
    payments::lock(tx, scope, to).await?;
    let is_open = merchants::is_open(tx, scope.merchant).await?;
    let before = lock(tx, mode, id).await?;
    if before.status == Status::Matched && before.transaction == Some(to) {
        return Ok(before);
    }
    expect_open(&before, Status::Matched)?;
    taken::expect_not_sent_back(tx, &before).await?;
    let transaction = find(tx, scope, to).await?;
    // A bank that says the txid later says it of this charge, so there is nothing to compare.
    if !is_named(&before, &transaction) {
        resolve::expect_no_boleto(tx, mode, by, &before).await?;
    }
    expect_fit(&before, &transaction)?;
    if !is_open {
        let message = "The charge's account is closed; send the money back.".to_owned();
        return Err(Error::State { current: transaction.status.to_string(), message });
    }
    let matched = UnknownPayment {
        status: Status::Matched,
        transaction: Some(to),
        failure_reason: None,
        decided,
        ..before
    };
    decide(tx, mode, by, Action::UnmatchedMatched, &matched).await?;
    if !matched.is_report() {
        let incoming = matched.incoming_payment();
        if let Some(new) = not_booked(tx, scope, &transaction, &matched, incoming).await? {
            settle(tx, scope, terms, transaction, &new, AccountLocks::Last).await?;
        }
        let (platform, amount) = (Scope::platform(mode), matched.amount);
        books::record(tx, Movement::payment_matched(id, platform, amount)).await?;
    }
    Ok(matched)
}

/// What of the money is not booked as this charge's yet: if it names the charge, its bank may have
/// reported it as a boleto's as well.
async fn not_booked(
    tx: &Tx,
    scope: Scope,
    charge: &Transaction,
    money: &UnknownPayment,
    incoming: IncomingPayment,
) -> Result<Option<IncomingPayment>> {
    if !is_named(money, charge) {
        return Ok(Some(incoming));
    }
    let named = ChargeReference::Txid(&money.reference);
    let of = Some((scope, charge));
    boletos::totals::not_booked(tx, &charge.provider, of, (named, &incoming)).await
}

/// Whether money is a PIX that names a charge.
fn is_named(money: &UnknownPayment, charge: &Transaction) -> bool {
    let txid = charge.pix.as_ref().map(|pix| &pix.txid);
    money.rail == Rail::Pix && txid == Some(&money.reference)
}

/// Sends the money back to its payer; repeating it is not an error.
///
/// What its bank has sent back, or says so, is not returned a second time. A PIX that may be the
/// money of a boleto stays, until an administrator finds that it is not.
pub async fn return_to_payer(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
    key: Option<&PixKey>,
    payouts: impl FnOnce() -> Result<String>,
) -> Result<UnknownPayment> {
    let before = lock(tx, mode, id).await?;
    if matches!(before.status, Status::Returning | Status::Returned) {
        return Ok(before);
    }
    expect_open(&before, Status::Returning)?;
    if before.amount.is_zero() {
        let message = "It is of nothing, so there is nothing to send back.".to_owned();
        return Err(Error::State { current: before.status.name().to_owned(), message });
    }
    taken::expect_not_sent_back(tx, &before).await?;
    resolve::expect_no_boleto(tx, mode, by, &before).await?;
    let decided = Decision::about(Scope::platform(mode).merchant, by, tx.now())?;
    let decided = decided.or_else(|| Some(Decision::by_server(tx.now())));
    let returning =
        UnknownPayment { status: Status::Returning, failure_reason: None, decided, ..before };
    decide(tx, mode, by, Action::UnmatchedReturned, &returning).await?;
    returns::begin(tx, Scope::platform(mode), returning.money(), key, payouts).await?;
    Ok(returning)
}

/// Closes an entry that cannot be read and is about no charge; repeating it is not an error.
pub async fn dismiss(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
) -> Result<UnknownPayment> {
    let before = lock(tx, mode, id).await?;
    if before.status == Status::Dismissed {
        return Ok(before);
    }
    expect_open(&before, Status::Dismissed)?;
    if !before.is_report() {
        let message = "It is money, which is never dismissed; match it or send it back.".to_owned();
        return Err(Error::State { current: before.status.to_string(), message });
    }
    let decided = Decision::about(Scope::platform(mode).merchant, by, tx.now())?;
    let dismissed = UnknownPayment { status: Status::Dismissed, decided, ..before };
    decide(tx, mode, by, Action::UnmatchedDismissed, &dismissed).await?;
    Ok(dismissed)
}

/// Blanks unreadable entries that were decided on long ago; returns how many.
pub async fn blank_reports(tx: &Tx, most: i64) -> Result<u64> {
    store::blank_reports(tx, tx.now().minus(REPORTS_KEPT), most).await
}

/// Applies a return's result; money that was refused awaits a decision again.
pub async fn apply_return_outcome(
    tx: &Tx,
    mode: Mode,
    id: UnmatchedId,
    outcome: &ReturnOutcome,
) -> Result<()> {
    let before = lock(tx, mode, id).await?;
    let after = match outcome {
        ReturnOutcome::Completed => UnknownPayment { status: Status::Returned, ..before },
        ReturnOutcome::Failed { reason } => {
            UnknownPayment { status: Status::Open, failure_reason: Some(reason.clone()), ..before }
        }
    };
    store::change(tx, mode, &after).await
}

async fn lock(tx: &Tx, mode: Mode, id: UnmatchedId) -> Result<UnknownPayment> {
    store::lock(tx, mode, id).await?.ok_or_else(missing)
}

/// Stores a decision and its entry in the audit log; the caller holds the row lock.
async fn decide(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    action: Action,
    decided: &UnknownPayment,
) -> Result<()> {
    store::change(tx, mode, decided).await?;
    let entry = Entry::about(action, None).in_mode(mode).on(decided.id.0);
    audit::record(tx, by, entry).await
}

fn expect_open(before: &UnknownPayment, next: Status) -> Result<()> {
    if before.status == Status::Open {
        return Ok(());
    }
    Err(Error::conflict(before.status.name(), next.name()))
}

/// Money is matched only to a charge that could have been paid by its rail, so that it can be
/// refunded by the same rail.
fn expect_fit(money: &UnknownPayment, charge: &Transaction) -> Result<()> {
    let takes = match money.rail {
        Rail::Pix => charge.pix.is_some(),
        Rail::Boleto => charge.boleto.is_some(),
        Rail::Card | Rail::Free => false,
    };
    if takes && charge.provider == money.provider {
        return Ok(());
    }
    let message = "The charge is not one that this money can pay; send it back.".to_owned();
    Err(Error::State { current: charge.status.to_string(), message })
}

/// The id of a report that cannot be read, instead of a payment's own.
fn report_id(rail: Rail, text: &str) -> String {
    let named = format!("{} {text}", rail.name());
    format!("{REPORT}{}", hex(&sha256(named.as_bytes())))
}

fn missing() -> Error {
    Error::NotFound("Unmatched payment")
}

impl UnknownPayment {
    fn new(
        tx: &Tx,
        mode: Mode,
        provider: &str,
        reference: &str,
        incoming: &IncomingPayment,
    ) -> Self {
        Self {
            id: UnmatchedId::new(tx),
            provider: provider.to_owned(),
            rail: incoming.rail,
            reference: reference.to_owned(),
            payment_id: incoming.payment_id.clone(),
            amount: incoming.amount,
            status: Status::Open,
            paid_at: incoming.paid_at,
            received_at: Scope::platform(mode).now(tx),
            transaction: None,
            closed: None,
            failure_reason: None,
            resolution: None,
            note: None,
            decided: None,
            unreadable_report: None,
        }
    }

    /// Whether it is an entry that cannot be read, for which nothing is booked, and no money.
    pub fn is_report(&self) -> bool {
        self.payment_id.starts_with(REPORT)
    }

    fn money(&self) -> ReturnRequest<'_> {
        ReturnRequest {
            of: self.id,
            transaction: None,
            provider: &self.provider,
            payment_id: &self.payment_id,
            rail: self.rail,
            amount: self.amount,
            arrived_at: self.paid_at,
        }
    }

    fn incoming_payment(&self) -> IncomingPayment {
        IncomingPayment {
            rail: self.rail,
            payment_id: self.payment_id.clone(),
            amount: self.amount,
            paid_at: self.paid_at,
        }
    }
}
