//! A PIX that may have paid a boleto: its bank may report that payment as the boleto's, too.
//!
//! | Boletos of its amount at its bank | Matching or returning it |
//! |---|---|
//! | one was booked as paid at about its time, and no PIX of that one is known | must be resolved |
//! | one could be paid, and its payment may yet be reported | the same |
//! | was said to be other money, and none was booked as paid since | is allowed |
//! | none | is allowed |
//!
//! An administrator compares them at the bank. A duplicate ends what is kept: the boleto is booked,
//! and is refunded as the PIX that it is, so it ends nothing that its bank has sent back. Separate
//! money awaits its next decision. No administrator decides about a PIX that may have paid a boleto
//! of their own.

use db::tx::Tx;

use crate::audit::decision::Decision;
use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::books;
use crate::books::movements::Movement;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId, UnmatchedId};
use crate::transactions::boletos::{self, Candidates, NamelessPix, totals};
use crate::transactions::deciding::decide_about;
use crate::transactions::incoming_payment::Rail;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unknown::{
    Resolution, Status, UnknownPayment, assign, expect_open, lock, show, store, taken,
};
use crate::transactions::{Transaction, find, store as payments};

/// What an administrator found.
#[derive(Debug, Clone, Copy)]
pub enum Finding {
    /// It is the payment of this boleto.
    Duplicate(TransactionId),
    Separate,
}

/// Stores what a PIX was found to be; repeating it is not an error.
///
/// Rows are locked in the order of every unit: the payment, the money, the accounts last.
pub async fn resolve(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
    (finding, note): (Finding, &str),
) -> Result<UnknownPayment> {
    // If the money does not exist, the error must not reveal whether the charge does.
    show(tx, mode, id).await?;
    match finding {
        Finding::Duplicate(of) => is_duplicate(tx, mode, by, id, (of, note)).await,
        Finding::Separate => is_separate(tx, mode, by, id, note).await,
    }
}

/// Applies money that came before the txid was known that it named: a bank that makes boletos later
/// says it with the boleto. What the bank has sent back awaits an administrator.
pub async fn adopt(
    tx: &Tx,
    terms: &PaymentTerms,
    scope: Scope,
    of: &Transaction,
    txid: &str,
) -> Result<()> {
    if !merchants::is_open(tx, scope.merchant).await? {
        return Ok(());
    }
    for id in store::open_named(tx, scope.mode, &of.provider, txid).await? {
        if taken::is_sent_back(tx, &show(tx, scope.mode, id).await?).await? {
            continue;
        }
        assign(tx, terms, scope.mode, &ActorContext::system(), id, of.id).await?;
    }
    Ok(())
}

/// Refuses to decide otherwise about a PIX that may have paid a boleto.
pub async fn expect_no_boleto(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    money: &UnknownPayment,
) -> Result<()> {
    let candidates = candidates(tx, mode, by, money).await?;
    candidates.expect_not_own(tx, by)?;
    let message = match candidates {
        Candidates { paid: Some(first), .. } => format!(
            "A boleto of this amount was paid at the same bank at about its time, and the bank may \
             have reported that payment as this PIX, too: transaction {first}. Compare them at the \
             bank, and resolve it."
        ),
        Candidates { awaited_until: Some(day), .. } => format!(
            "A boleto of this amount can be paid at the same bank, which may yet report this PIX \
             as its payment. Wait until {day}, or compare them at the bank and resolve it."
        ),
        _ => return Ok(()),
    };
    Err(state(money, message))
}

/// Ends what is kept, because it is booked as the boleto's payment.
async fn is_duplicate(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
    (of, note): (TransactionId, &str),
) -> Result<UnknownPayment> {
    let unknown_charge = || Error::field("transactionId", "UNKNOWN_TRANSACTION", "is no charge");
    let scope = payments::scope_of(tx, mode, of).await?.ok_or_else(unknown_charge)?;
    let decided = decide_about(tx, scope, of, by).await?;
    payments::lock(tx, scope, of).await?;
    let before = lock(tx, mode, id).await?;
    if before.resolution == Some(Resolution::Duplicate) && before.transaction == Some(of) {
        return Ok(before);
    }
    expect_open(&before, Status::Matched)?;
    candidates(tx, mode, by, &before).await?.expect_not_own(tx, by)?;
    taken::expect_not_sent_back(tx, &before).await?;
    if !may_have_paid(mode, &before)
        || !boletos::is_perhaps_paid_by(tx, before.nameless_pix(), of).await?
    {
        let message = "The charge is no boleto that was paid with this amount at the same bank at \
                       about its time, and of which no PIX is known.";
        return Err(state(&before, message.to_owned()));
    }
    let boleto = find(tx, scope, of).await?;
    totals::identify(tx, scope, &boleto, &before.incoming_payment()).await?;
    let matched = UnknownPayment {
        status: Status::Matched,
        transaction: Some(of),
        failure_reason: None,
        resolution: Some(Resolution::Duplicate),
        note: Some(note.to_owned()),
        decided,
        ..before
    };
    keep(tx, mode, by, &matched, Some(scope.merchant)).await?;
    let (platform, amount) = (Scope::platform(mode), matched.amount);
    books::record(tx, Movement::payment_matched(id, platform, amount)).await?;
    Ok(matched)
}

/// Lets the money be returned.
async fn is_separate(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    id: UnmatchedId,
    note: &str,
) -> Result<UnknownPayment> {
    let before = lock(tx, mode, id).await?;
    let candidates = candidates(tx, mode, by, &before).await?;
    if before.resolution == Some(Resolution::Separate) && candidates.is_empty() {
        if before.note.as_deref() == Some(note) {
            return Ok(before);
        }
        let message = "It was found to be other money before, with another note, which stays.";
        return Err(state(&before, message.to_owned()));
    }
    expect_open(&before, Status::Open)?;
    if candidates.is_empty() {
        let message = "No boleto of this amount was paid, or could be paid, at the same bank at \
                       about that time. Match it or return it.";
        return Err(state(&before, message.to_owned()));
    }
    candidates.expect_not_own(tx, by)?;
    let decided = Decision::about(Scope::platform(mode).merchant, by, tx.now())?;
    let (resolution, note) = (Some(Resolution::Separate), Some(note.to_owned()));
    let separate = UnknownPayment { resolution, note, decided, ..before };
    keep(tx, mode, by, &separate, None).await?;
    Ok(separate)
}

/// The boletos that the money may have paid and that it was not compared with yet.
async fn candidates(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    money: &UnknownPayment,
) -> Result<Candidates> {
    if !may_have_paid(mode, money) {
        return Ok(Candidates::default());
    }
    let own = match by.actor {
        Actor::Administrator(own) => Some(own),
        _ => None,
    };
    let is_compared = money.resolution == Some(Resolution::Separate);
    let decided_at = money.decided.as_ref().filter(|_| is_compared).map(|decided| decided.at);
    boletos::perhaps_paid_by(tx, money.nameless_pix(), own, decided_at).await
}

/// Whether money may have paid a boleto: what names a charge of a closed account, or came by no
/// PIX, has paid none, and in development a payment is reported once.
fn may_have_paid(mode: Mode, money: &UnknownPayment) -> bool {
    !mode.is_development() && money.rail == Rail::Pix && money.closed.is_none()
}

/// Stores a decision and its entry in the audit log; the caller holds the row lock.
async fn keep(
    tx: &Tx,
    mode: Mode,
    by: &ActorContext,
    resolved: &UnknownPayment,
    about: Option<MerchantId>,
) -> Result<()> {
    store::change(tx, mode, resolved).await?;
    let entry = Entry::about(Action::UnmatchedResolved, about);
    let entry = entry.in_mode(mode).on(resolved.id.0);
    let outcome = resolved.resolution.map_or("", Resolution::name);
    let entry = entry.with("outcome", outcome);
    let entry = entry.with("note", resolved.note.as_deref().unwrap_or_default());
    audit::record(tx, by, entry).await
}

fn state(money: &UnknownPayment, message: String) -> Error {
    Error::State { current: money.status.to_string(), message }
}

impl Candidates {
    const fn is_empty(&self) -> bool {
        self.paid.is_none() && self.awaited_until.is_none()
    }

    /// Refuses the decision of an administrator who has a boleto among them.
    fn expect_not_own(&self, tx: &Tx, by: &ActorContext) -> Result<()> {
        match by.actor {
            Actor::Administrator(own) if self.is_own => {
                Decision::about(own, by, tx.now()).map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl UnknownPayment {
    fn nameless_pix(&self) -> NamelessPix<'_> {
        NamelessPix {
            provider: &self.provider,
            amount: self.amount,
            paid_at: self.paid_at,
            received_at: self.received_at,
        }
    }
}
