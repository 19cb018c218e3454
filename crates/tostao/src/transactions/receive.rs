//! Money arrived: a bank's confirmation meets the charge it names.
//!
//! | the charge | the amount | what follows |
//! |---|---|---|
//! | may be paid | enough | paid; what is over is set aside |
//! | may be paid | too little | all of it is set aside; the charge stays |
//! | was paid by this very payment | any | told twice: nothing |
//! | may not be paid any more | any | all of it is set aside |
//!
//! What is set aside is in `unmatched`: it is never lost, and never taken for a sale.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::error::Result;
use crate::providers::pix::PixReceipt;
use crate::transactions::close::expire_if_overdue;
use crate::transactions::confirm::confirm;
use crate::transactions::status::{Trigger, Verdict};
use crate::transactions::terms::Terms;
use crate::transactions::unmatched::{Reason, set_aside};
use crate::transactions::{Transaction, store};

/// What a confirmation led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    Paid,
    SetAside,
    /// Told before.
    Already,
    /// No charge has this txid.
    Unknown,
}

/// Takes one confirmation in; safe to be told any number of times.
pub async fn receive(
    tx: &Tx,
    terms: &Terms,
    provider: &str,
    receipt: &PixReceipt,
) -> Result<Received> {
    let found = store::find_by_txid(tx, provider, &receipt.txid).await?;
    let Some((scope, transaction)) = found else { return Ok(Received::Unknown) };
    if is_known(&transaction, receipt) {
        return Ok(Received::Already);
    }
    let in_time = transaction.expires_at.is_some_and(|at| receipt.paid_at <= at);
    let transaction = if in_time {
        transaction
    } else {
        expire_if_overdue(tx, scope, terms, transaction).await?
    };
    let payable = matches!(transaction.status.after(Trigger::Pay), Verdict::Becomes(_));
    let over = receipt.amount.minus(transaction.amount).filter(|over| *over >= Cents::ZERO);
    let reason = match over {
        _ if !payable => Reason::PaidTwice,
        None => Reason::TooLittle,
        Some(over) => {
            let paid = confirm(tx, scope, terms, &transaction, receipt).await?;
            if !over.is_zero() {
                set_aside(tx, scope, terms, &paid, receipt, over, Reason::TooMuch).await?;
            }
            return Ok(Received::Paid);
        }
    };
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    let new = set_aside(tx, scope, terms, &transaction, receipt, receipt.amount, reason).await?;
    Ok(if new { Received::SetAside } else { Received::Already })
}

fn is_known(transaction: &Transaction, receipt: &PixReceipt) -> bool {
    let paid_by = transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.as_ref());
    paid_by == Some(&receipt.end_to_end_id)
}
