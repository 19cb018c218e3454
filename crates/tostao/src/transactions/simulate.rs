//! Simulated outcomes, for development data only.
//!
//! A simulated payment goes the whole way: the sandbox bank writes its confirmation and sends it
//! through the door where real banks call. It can be told to pay another amount, to call late, or
//! to call more than once.

use std::time::Duration;

use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::{Scope, TransactionId};
use crate::providers::boleto::BoletoReceipt;
use crate::providers::card::{CardVerdict, DeclineCode};
use crate::providers::pix::PixReceipt;
use crate::providers::sandbox::SandboxBank;
use crate::transactions::callback_api::{deliver_boleto, deliver_pix};
use crate::transactions::charge::decide;
use crate::transactions::close::expire;
use crate::transactions::jobs::{BankCalls, Payment};
use crate::transactions::status::Status;
use crate::transactions::{Transaction, find};

/// The name of the sandbox bank in the addresses of the doors.
const SANDBOX: &str = "sandbox";

/// What is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    Paid,
    Failed,
    Expired,
}

/// What is to happen, and how the bank behaves.
#[derive(Debug, Clone, Copy)]
pub struct Simulation {
    pub outcome: Outcome,
    /// What the payer pays, if not the amount.
    pub amount: Option<Cents>,
    /// How many times the bank calls.
    pub calls: u32,
    /// How long after the payment the bank calls.
    pub delay: Duration,
}

/// Makes it happen; answers with the payment as it then is.
pub async fn simulate(
    app: &App,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
) -> Result<Transaction> {
    let before = app.read(async move |tx| find(tx, scope, id).await).await?;
    match simulation.outcome {
        Outcome::Paid if before.card.is_some() => {
            let authorization_code = "SIMULATED".to_owned();
            decide(app, scope, id, CardVerdict::Approved { authorization_code }).await?;
        }
        Outcome::Failed if before.card.is_some() => {
            let code = DeclineCode::CardDeclined;
            decide(app, scope, id, CardVerdict::Declined { code }).await?;
        }
        Outcome::Paid => pay(app, scope, id, simulation).await?,
        Outcome::Expired => {
            let terms = app.terms.clone();
            app.transact(async move |tx| expire(tx, scope, &terms, id).await).await?;
        }
        Outcome::Failed => return Err(Error::conflict(before.status, Status::Failed)),
    }
    app.read(async move |tx| Ok(find(tx, scope, id).await?.seen_at(scope.now(tx)))).await
}

async fn pay(app: &App, scope: Scope, id: TransactionId, simulation: Simulation) -> Result<()> {
    let payment = app.read(async move |tx| payment(tx, scope, id, simulation).await).await?;
    if !simulation.delay.is_zero() {
        return app
            .transact(async move |tx| call_later(tx, scope, &payment, simulation).await)
            .await;
    }
    for _ in 0..simulation.calls {
        call(app, &payment).await?;
    }
    Ok(())
}

/// Lets the sandbox bank call, through the door that every bank uses.
pub async fn call(app: &App, payment: &Payment) -> Result<()> {
    let sandbox = app.providers.sandbox();
    match payment.clone() {
        Payment::Pix { txid, end_to_end_id, amount, paid_at } => {
            let receipt = PixReceipt { txid, end_to_end_id, amount, paid_at };
            let (headers, body) = sandbox.confirmation(&[receipt]);
            deliver_pix(app, SANDBOX, &headers, &body).await
        }
        Payment::Slip { our_number, payment_id, amount, paid_at } => {
            let reference = our_number.clone();
            let receipt = BoletoReceipt { our_number, reference, payment_id, amount, paid_at };
            let (headers, body) = sandbox.boleto_confirmation(&[receipt]);
            deliver_boleto(app, SANDBOX, &headers, &body).await
        }
    }
}

/// What the payer does: a slip is paid by its barcode, everything else by its PIX code.
async fn payment(
    tx: &Tx,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
) -> Result<Payment> {
    let transaction = find(tx, scope, id).await?;
    let paid_at = scope.now(tx);
    let amount = simulation.amount.unwrap_or(transaction.amount);
    if let Some(slip) = &transaction.slip {
        let (our_number, payment_id) = (slip.number.clone(), SandboxBank::payment_id(tx.random()));
        return Ok(Payment::Slip { our_number, payment_id, amount, paid_at });
    }
    let pix = transaction.pix.as_ref().ok_or(Error::NotFound("PIX code"))?;
    let end_to_end_id = SandboxBank::end_to_end_id(paid_at, tx.random());
    Ok(Payment::Pix { txid: pix.txid.clone(), end_to_end_id, amount, paid_at })
}

async fn call_later(
    tx: &Tx,
    scope: Scope,
    payment: &Payment,
    simulation: Simulation,
) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(simulation.delay));
    for _ in 0..simulation.calls {
        queue::job::push(tx, tx.new_id(), due, &BankCalls { payment: payment.clone() }).await?;
    }
    Ok(())
}
