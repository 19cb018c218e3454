//! A PIX that may have paid a boleto: its bank may report that payment as the boleto's, too.
//!
//! | Boletos of its amount at its bank | Returning it |
//! |---|---|
//! | one was paid within 24 hours of it, and no PIX of that one is known | needs a decision |
//! | one could be paid, and the PIX is less than 24 hours old | the same |
//! | none | needs none |
//!
//! An administrator compares them at the bank. A duplicate ends what is kept: the boleto is booked,
//! and is refunded as the PIX that it is. Separate money awaits its next decision.

use db::tx::Tx;

use crate::audit::decision::Decision;
use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::books;
use crate::books::movements::Movement;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId, UnmatchedId};
use crate::transactions::boletos::{self, Candidates, totals};
use crate::transactions::incoming_payment::Rail;
use crate::transactions::unknown::{
    Resolution, Status, UnknownPayment, expect_open, lock, show, store,
};
use crate::transactions::{find, store as payments};

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

/// Refuses to return a PIX that may have paid a boleto.
pub async fn expect_no_boleto(tx: &Tx, mode: Mode, money: &UnknownPayment) -> Result<()> {
    if money.resolution == Some(Resolution::Separate) {
        return Ok(());
    }
    let Candidates { paid, unpaid } = candidates(tx, mode, money).await?;
    let message = match paid.first() {
        Some((_, first)) => format!(
            "A boleto of this amount was paid at the same bank within 24 hours of it, and the bank \
             may have reported that payment as this PIX, too: transaction {first}. Compare them \
             at the bank, and resolve it."
        ),
        None if unpaid.is_empty() => return Ok(()),
        None => "A boleto of this amount can be paid at the same bank, which may yet report this \
                 PIX as its payment. Return it 24 hours after it was paid, or compare them at the \
                 bank and resolve it."
            .to_owned(),
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
    let decided = Decision::about(scope.merchant, by, tx.now())?;
    payments::lock(tx, scope, of).await?;
    let before = lock(tx, mode, id).await?;
    if before.resolution == Some(Resolution::Duplicate) && before.transaction == Some(of) {
        return Ok(before);
    }
    expect_open(&before, Status::Matched)?;
    if !candidates(tx, mode, &before).await?.paid.iter().any(|(_, boleto)| *boleto == of) {
        let message = "The charge is no boleto that was paid with this amount at the same bank \
                       within 24 hours of it, and of which no PIX is known.";
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
    if before.resolution == Some(Resolution::Separate) {
        return Ok(before);
    }
    expect_open(&before, Status::Open)?;
    let candidates = candidates(tx, mode, &before).await?;
    if candidates.is_empty() {
        let message = "No boleto of this amount was paid, or could be paid, at the same bank at \
                       about that time. Match it or return it.";
        return Err(state(&before, message.to_owned()));
    }
    let merchant = candidates.own(by).unwrap_or(Scope::platform(mode).merchant);
    let decided = Decision::about(merchant, by, tx.now())?;
    let (resolution, note) = (Some(Resolution::Separate), Some(note.to_owned()));
    let separate = UnknownPayment { resolution, note, decided, ..before };
    keep(tx, mode, by, &separate, None).await?;
    Ok(separate)
}

/// The boletos that the money may have paid: money that names a charge, or came by no PIX, has paid
/// none, and in development a payment is reported once.
async fn candidates(tx: &Tx, mode: Mode, money: &UnknownPayment) -> Result<Candidates> {
    if mode.is_development() || money.rail != Rail::Pix || money.closed.is_some() {
        return Ok(Candidates::default());
    }
    boletos::perhaps_paid_by(tx, &money.provider, money.amount, money.paid_at).await
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
    fn is_empty(&self) -> bool {
        self.paid.is_empty() && self.unpaid.is_empty()
    }

    /// The acting administrator's own account, if one of the boletos is theirs.
    fn own(&self, by: &ActorContext) -> Option<MerchantId> {
        let Actor::Administrator(own) = by.actor else { return None };
        let mut merchants = self.paid.iter().map(|(merchant, _)| merchant).chain(&self.unpaid);
        merchants.any(|merchant| *merchant == own).then_some(own)
    }
}
