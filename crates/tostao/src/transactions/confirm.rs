//! What "paid" means, from top to bottom.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::books;
use crate::books::movements::Movement;
use crate::error::Result;
use crate::events::payloads::BalancePayload;
use crate::events::{self, Event};
use crate::ids::Scope;
use crate::payment_links;
use crate::products;
use crate::providers::pix::PixReceipt;
use crate::transactions::jobs::Expire;
use crate::transactions::status::Status;
use crate::transactions::terms::Terms;
use crate::transactions::{CHANGED, Transaction, store};

/// Records that a payment was paid in full.
///
/// The caller has made sure that the status allows it; the row count makes sure again.
pub async fn confirm(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    before: &Transaction,
    receipt: &PixReceipt,
) -> Result<Transaction> {
    let late = before.status != Status::Pending;
    let paid = Transaction {
        version: before.version + 1,
        status: Status::Paid,
        paid: Some(before.amount),
        fee: terms.pix_fee.on(before.amount)?,
        paid_late: late,
        paid_at: Some(scope.now(tx)),
        updated_at: scope.now(tx),
        pix: before.pix.clone().map(|pix| {
            let end_to_end_id = Some(receipt.end_to_end_id.clone());
            crate::transactions::Pix { end_to_end_id, ..pix }
        }),
        ..before.clone()
    };
    if !store::pay(tx, scope, before, &paid).await? {
        return Err(tx.collision("the payment changed while it was being confirmed").into());
    }
    if let Some(at) = before.expires_at.filter(|_| !late) {
        queue::job::cancel::<Expire>(tx, before.id.0, scope.due(at).at).await?;
    }
    let (of, amount, fee) = (paid.id, before.amount, paid.fee);
    books::record(tx, Movement::PaymentCaptured { of, scope, amount, fee }).await?;
    tx.notify(CHANGED, paid.id.0);
    tell_paid(tx, scope, terms, &paid).await?;
    count_sale(tx, scope, terms, &paid).await?;
    tell_balance(tx, scope, "transaction.paid").await?;
    Ok(paid)
}

async fn tell_paid(tx: &Tx, scope: Scope, terms: &Terms, paid: &Transaction) -> Result<()> {
    let event = Event::TransactionPaid {
        transaction: Box::new(paid.payload(scope, terms)),
        customer: paid.customer_payload(),
        payment_link: paid.link.clone(),
    };
    events::emit(tx, scope, paid.version, &event).await
}

/// Counts the sale where it was made; a late one takes stock only if there is some.
///
/// The link is taken before the products, here as everywhere, so that two units never deadlock.
async fn count_sale(tx: &Tx, scope: Scope, terms: &Terms, paid: &Transaction) -> Result<()> {
    if let Some(link) = &paid.link {
        let link = if paid.paid_late {
            payment_links::count_late_sale(tx, scope, link.id).await?.0
        } else {
            payment_links::count_sale(tx, scope, link.id).await?
        };
        let event = Event::PaymentLinkPaid {
            payment_link: payment_links::payload(&terms.checkout_url, &link),
            transaction: Box::new(paid.payload(scope, terms)),
            customer: paid.customer_payload(),
        };
        events::emit(tx, scope, link.version, &event).await?;
    }
    if paid.paid_late {
        products::take_late(tx, scope, &paid.items).await?;
    } else {
        products::take(tx, scope, &paid.items).await?;
    }
    Ok(())
}

/// Tells what the merchant holds now.
pub async fn tell_balance(tx: &Tx, scope: Scope, reason: &'static str) -> Result<()> {
    let holdings = books::holdings(tx, scope).await?;
    let balance =
        BalancePayload { available_balance: holdings.available, pending_balance: holdings.pending };
    let event = Event::Balance { owner: scope.merchant.0, balance, reason };
    events::emit(tx, scope, holdings.sequence, &event).await
}

/// Books money that no open charge accounts for, and notes it beside the payment it named.
pub async fn set_aside(
    tx: &Tx,
    scope: Scope,
    transaction: &Transaction,
    receipt: &PixReceipt,
    amount: Cents,
    reason: &'static str,
) -> Result<bool> {
    let id = tx.new_id();
    if !store::insert_unmatched(tx, scope, transaction, id, receipt, amount, reason).await? {
        return Ok(false);
    }
    books::record(tx, Movement::PaymentUnmatched { of: id, scope, amount }).await?;
    Ok(true)
}
