//! Receipts: a buyer gets a mail that leads to what they paid.
//!
//! The page of the receipt is the buyer's anyway; the mail has its address. A payment's buyer gets
//! few of them in a day, by whichever way they are asked for.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::clients;
use crate::mail::content::{Content, Receipt};
use crate::mail::{self, Kind, NewMail};
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Scope, TransactionId};
use crate::platform::messages::Lang;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, find, lock};

pub mod api;

/// How many receipts of a payment are sent within a day.
pub const MOST: usize = 3;
const DAY: Duration = Duration::from_hours(24);

/// Writes a mail with the receipt to the buyer.
pub async fn send(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: TransactionId,
) -> Result<Transaction> {
    // Two that are sent at once are counted one after the other.
    lock(tx, scope, id).await?;
    let payment = find(tx, scope, id).await?;
    let paid_at = paid_at(&payment)?;
    expect_buyer(tx, scope, &payment).await?;
    expect_few(tx, scope, id).await?;
    let item = payment.items.first().map(|item| item.name.clone());
    let receipt = Receipt {
        seller: merchants::find(tx, scope.merchant).await?.name,
        sold: item.or_else(|| payment.description.clone()),
        amount_cents: payment.paid.unwrap_or(Cents::ZERO).get(),
        paid_at,
        url: terms.receipt_url(scope, &payment),
    };
    let mail = NewMail {
        to: &payment.customer.email,
        lang: Lang::default(),
        content: Content::Receipt(receipt),
        link: None,
    };
    mail::write_for(tx, scope, id.0, mail).await?;
    Ok(payment)
}

/// When a payment was paid that has a receipt to send.
fn paid_at(payment: &Transaction) -> Result<Timestamp> {
    let is_paid = payment.status == Status::Paid;
    payment.paid_at.filter(|_| is_paid).ok_or_else(|| {
        let message = "Only a paid transaction has a receipt to send.".to_owned();
        Error::State { current: payment.status.to_string(), message }
    })
}

/// Refuses to write to a buyer who was erased.
async fn expect_buyer(tx: &Tx, scope: Scope, payment: &Transaction) -> Result<()> {
    if clients::customer(tx, scope, payment.client).await?.is_some() {
        return Ok(());
    }
    let message = "Its customer was deleted, so no mail is sent to them.".to_owned();
    Err(Error::State { current: payment.status.to_string(), message })
}

async fn expect_few(tx: &Tx, scope: Scope, id: TransactionId) -> Result<()> {
    let now = scope.now(tx);
    let sent = mail::written_since(tx, Kind::Receipt, id.0, now.minus(DAY)).await?;
    let Some(first) = sent.first().filter(|_| sent.len() >= MOST) else { return Ok(()) };
    let retry_after_seconds = first.plus(DAY).since(now).as_secs().max(1);
    Err(Error::TooMany { retry_after_seconds, limit: u64::try_from(MOST).ok() })
}
