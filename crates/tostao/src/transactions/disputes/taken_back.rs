//! Money that a bank took back for fraud: of a sale, of what was set aside beside one, or of both.
//!
//! | What the PIX paid | Taken | Result |
//! |---|---|---|
//! | a sale | all that is left | the dispute about it is opened and lost |
//! | a sale | a part | a refund |
//! | a sale, and its excess was set aside | all that is left, and excess or a part of it | both |
//! | a sale of which nothing is left | its excess, or a part of it | that is returned |
//! | a sale that an administrator had decided is lost | what was lost | nothing: it is booked |
//! | what was set aside or accepted | all of it, or a part | that is returned |
//! | what is being returned | all of it, or a part | it waits for the end of that |
//! | any | anything else | false; what is left of a sale is held |
//!
//! What is false is a difference. When an administrator closes that, what was taken of money that
//! awaits a decision is booked, and its rest can be decided on. The same is true of what left by a
//! refund that was not ordered here.

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::audit::ActorContext;
use crate::platform::error::{Error, Result, overflow};
use crate::platform::ids::{RefundId, ReturnId, Scope, TransactionId};
use crate::transactions::disputes::{
    Dispute, Status, infractions, lock_paid, lose, not_yet, open, store, win,
};
use crate::transactions::receive::{is_received, receive_once};
use crate::transactions::refunds::{self, refundable_amount};
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unmatched::{FOUND_TAKEN, Status as AsideStatus};
use crate::transactions::{Transaction, returns, store as payments, unknown, unmatched};

/// What a bank took back for fraud.
struct Taken<'a> {
    terms: &'a PaymentTerms,
    provider: &'a str,
    end_to_end_id: &'a str,
    return_id: &'a str,
    amount: Cents,
}

/// A refund of a PIX that a bank made, as the difference about it has it.
#[derive(Debug, Clone, Copy)]
pub struct FoundRefund<'a> {
    pub end_to_end_id: &'a str,
    /// The reference of the order at the bank, ours or not.
    pub order: &'a str,
    pub rail_id: &'a str,
    pub amount: Cents,
}

/// Books that the bank took a payment's money back for fraud: where that is all that is left of
/// the payment, and no refund of it is under way, the dispute about it is opened and lost; a part
/// is a refund, and an open dispute ends with the rest being the merchant's, unless another report
/// of fraud still holds it. What was set aside of the same PIX goes with all that is left, and what
/// arrived beside a payment, by itself. False where another amount was taken, the rest of a payment
/// being held then, or there is no such money. An error where that cannot be known yet, because the
/// PIX is not booked, although it names a charge, or more was taken than is left while a refund is
/// under way.
pub async fn take_back(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (txid, end_to_end_id): (&str, &str),
    (return_id, amount): (&str, Cents),
) -> Result<bool> {
    let charge = lock_paid(tx, provider, (txid, end_to_end_id)).await?;
    let is_charged = charge.is_some();
    let taken = Taken { terms, provider, end_to_end_id, return_id, amount };
    // A second payment of the same code is no part of the sale.
    let sale = charge.filter(|charge| charge.transaction.paid_by() == Some(end_to_end_id));
    // Of a charge that another PIX paid, or none, this one is money beside it once it is booked.
    let is_beside = is_charged && sale.is_none();
    let is_booked = match sale {
        Some(sale) => book_of_sale(tx, &taken, sale.scope, &sale.transaction).await?,
        None => book_beside(tx, &taken, amount).await?,
    };
    if is_booked {
        infractions::note_return(tx, provider, end_to_end_id, (return_id, amount)).await?;
    } else if is_beside && !is_received(tx, provider, end_to_end_id).await? {
        return Err(not_yet("is not booked"));
    }
    Ok(is_booked)
}

/// Holds what is left of the sale that a PIX paid, of which an administrator finds out whether it
/// was taken back.
pub async fn hold_sale(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    end_to_end_id: &str,
) -> Result<()> {
    let found = payments::lock_by_pix(tx, provider, end_to_end_id).await?;
    let Some(payments::LockedCharge { scope, transaction, .. }) = found else { return Ok(()) };
    if transaction.status == PaymentStatus::Paid && !refundable_amount(&transaction).is_zero() {
        open(tx, scope, terms, transaction.id).await?;
    }
    Ok(())
}

/// Locks the money of a PIX, so that nothing is decided about it until a difference about it is
/// stored: a decision sees that, or was made before. Returns the payment that the PIX paid, or
/// beside which it was set aside.
pub async fn lock_money(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
) -> Result<Option<(Scope, TransactionId)>> {
    if let Some(paid) = payments::lock_by_pix(tx, provider, end_to_end_id).await? {
        return Ok(Some((paid.scope, paid.transaction.id)));
    }
    let aside = unmatched::lock_by_pix(tx, provider, end_to_end_id).await?;
    if aside.is_none() {
        unknown::taken::lock_by_pix(tx, provider, end_to_end_id).await?;
    }
    Ok(aside)
}

/// Books what a bank took of money that awaits a decision, when an administrator closes the
/// difference about it: of what was set aside, what is beyond the sale's own money; or of money of
/// no charge. Repeating it has no effect. An error while that money is on its way back.
pub async fn take_found(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    provider: &str,
    (end_to_end_id, return_id): (&str, &str),
    amount: Cents,
) -> Result<()> {
    // Locked first, as in every unit.
    let sale = payments::lock_by_pix(tx, provider, end_to_end_id).await?;
    if !receive_once(tx, provider, &format!("{FOUND_TAKEN}{return_id}")).await? {
        return Ok(());
    }
    let of_sale = match sale {
        Some(sale) => left_of_sale(tx, provider, sale.scope, &sale.transaction).await?,
        None => Cents::ZERO,
    };
    match amount.minus(of_sale).filter(|more| *more > Cents::ZERO) {
        Some(more) => leave(tx, terms, by, provider, (end_to_end_id, return_id), more).await,
        None => Ok(()),
    }
}

/// Books what has left of money that awaits a decision by a refund of its PIX that was not ordered
/// here, or had failed, when an administrator closes the difference about it: of what was set
/// aside, or of money of no charge. That money is no merchant's yet, so it goes first, whatever is
/// left of a sale. Nothing of a refund of the sale, or of a return that may yet end so. Repeating
/// it has no effect. An error while that money is on its way back otherwise.
pub async fn refund_found(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    provider: &str,
    found: &FoundRefund<'_>,
) -> Result<()> {
    let FoundRefund { end_to_end_id, order, rail_id, amount } = *found;
    // Locked first, as in every unit.
    payments::lock_by_pix(tx, provider, end_to_end_id).await?;
    if let Ok(order) = Uuid::try_parse(order)
        && (refunds::owner(tx, RefundId(order)).await?.is_some()
            || returns::is_pending(tx, ReturnId(order)).await?)
    {
        return Ok(());
    }
    if !receive_once(tx, provider, &format!("found refunded {end_to_end_id} {order}")).await? {
        return Ok(());
    }
    leave(tx, terms, by, provider, (end_to_end_id, rail_id), amount).await
}

/// Books that so much at most of the money of a PIX that awaits a decision is back with its payer.
async fn leave(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    provider: &str,
    (end_to_end_id, rail_id): (&str, &str),
    most: Cents,
) -> Result<()> {
    let Some(aside) = unmatched::find_by_pix(tx, provider, end_to_end_id).await? else {
        let taken = (end_to_end_id, rail_id);
        return unknown::taken::take_back(tx, terms, by, provider, taken, most).await;
    };
    match aside.status {
        AsideStatus::Open => {}
        AsideStatus::Returning => {
            let current = aside.status.name().to_owned();
            let message = unmatched::ON_ITS_WAY_BACK.to_owned();
            return Err(Error::State { current, message });
        }
        AsideStatus::Accepted | AsideStatus::Returned => return Ok(()),
    }
    let taken = most.min(aside.amount);
    let names = (end_to_end_id, rail_id);
    if taken.is_zero() || unmatched::take_back(tx, terms, provider, names, taken).await? {
        return Ok(());
    }
    Err(tx.collision("the money was decided on by another unit").into())
}

/// What of the money of a PIX is its sale's own: what is left of the sale, or was lost and is not
/// known to be taken.
async fn left_of_sale(tx: &Tx, provider: &str, scope: Scope, sale: &Transaction) -> Result<Cents> {
    match sale.status {
        PaymentStatus::Paid | PaymentStatus::Disputed => Ok(refundable_amount(sale)),
        PaymentStatus::ChargedBack => match whole_loss(tx, scope, sale.id).await? {
            Some(lost) if !is_received(tx, provider, &reference_of_loss(&lost)).await? => {
                Ok(lost.amount)
            }
            _ => Ok(Cents::ZERO),
        },
        _ => Ok(Cents::ZERO),
    }
}

/// Books an amount of what was taken as what was set aside or accepted of the PIX.
async fn book_beside(tx: &Tx, taken: &Taken<'_>, amount: Cents) -> Result<bool> {
    let Taken { terms, provider, end_to_end_id, return_id, .. } = *taken;
    // On the heap, as it is rare.
    let taken_back = unmatched::take_back(tx, terms, provider, (end_to_end_id, return_id), amount);
    Box::pin(taken_back).await
}

/// Books what was taken of the PIX that paid a sale.
async fn book_of_sale(
    tx: &Tx,
    taken: &Taken<'_>,
    scope: Scope,
    before: &Transaction,
) -> Result<bool> {
    let Taken { terms, provider, return_id, amount, .. } = *taken;
    match before.status {
        PaymentStatus::Paid | PaymentStatus::Disputed => {}
        PaymentStatus::ChargedBack => return book_of_lost_sale(tx, taken, scope, before.id).await,
        _ => return book_beside(tx, taken, amount).await,
    }
    let left = refundable_amount(before);
    // A refund that is under way may yet fail, and leave something of the payment.
    if amount > left && !before.refunding.is_zero() {
        return Err(not_yet("is being refunded"));
    }
    if amount > left {
        let more = amount.minus(left).ok_or_else(overflow)?;
        let is_whole = book_beside(tx, taken, more).await?;
        if !left.is_zero() {
            open(tx, scope, terms, before.id).await?;
        }
        if is_whole && !left.is_zero() {
            lose_returned_sale(tx, scope, terms, (provider, before.id)).await?;
        }
        return Ok(is_whole);
    }
    if amount == left && before.refunding.is_zero() {
        open(tx, scope, terms, before.id).await?;
        lose_returned_sale(tx, scope, terms, (provider, before.id)).await?;
        return Ok(true);
    }
    if before.status == PaymentStatus::Paid {
        refunds::request::take_back(tx, scope, terms, before, amount, return_id).await?;
        return Ok(true);
    }
    let open = store::find_open(tx, scope, before.id).await?;
    let paid = win(tx, scope, terms, before.id).await?;
    refunds::request::take_back(tx, scope, terms, &paid, amount, return_id).await?;
    if let Some(ended) = open {
        infractions::hold_for_others(tx, scope, terms, before.id, (ended.id, amount)).await?;
    }
    Ok(true)
}

/// Books what was taken of a payment that was lost: once what the lost dispute was about, which an
/// administrator may have decided before, and with it or by itself what was set aside.
async fn book_of_lost_sale(
    tx: &Tx,
    taken: &Taken<'_>,
    scope: Scope,
    of: TransactionId,
) -> Result<bool> {
    let Some(lost) = whole_loss(tx, scope, of).await? else {
        return book_beside(tx, taken, taken.amount).await;
    };
    let name = reference_of_loss(&lost);
    if is_received(tx, taken.provider, &name).await? {
        return book_beside(tx, taken, taken.amount).await;
    }
    let is_of_it = match taken.amount.minus(lost.amount) {
        Some(more) if more.is_zero() => true,
        Some(more) if more > Cents::ZERO => book_beside(tx, taken, more).await?,
        _ => false,
    };
    if is_of_it {
        return receive_once(tx, taken.provider, &name).await;
    }
    // A part may be of what was lost, which is not known to be taken.
    let aside = unmatched::find_by_pix(tx, taken.provider, taken.end_to_end_id).await?;
    match aside {
        Some(aside) if aside.amount == taken.amount => book_beside(tx, taken, taken.amount).await,
        _ => Ok(false),
    }
}

/// Loses the open dispute about all that is left of a payment, whose money its bank took.
async fn lose_returned_sale(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    (provider, of): (&str, TransactionId),
) -> Result<()> {
    lose(tx, scope, terms, of).await?;
    if let Some(lost) = whole_loss(tx, scope, of).await? {
        receive_once(tx, provider, &reference_of_loss(&lost)).await?;
    }
    Ok(())
}

/// The newest dispute by which all that was left of a payment was lost.
async fn whole_loss(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<Dispute>> {
    let disputes = store::list(tx, scope, of).await?;
    Ok(disputes.into_iter().rfind(|it| it.status == Status::Lost && !it.is_part))
}

/// By which it is remembered that the money of a lost dispute was taken.
fn reference_of_loss(dispute: &Dispute) -> String {
    format!("lost by {}", dispute.id)
}
