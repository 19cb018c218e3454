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
use crate::providers::pix::PixReceipt;
use crate::providers::sandbox::SandboxBank;
use crate::transactions::callback_api::deliver;
use crate::transactions::close::expire;
use crate::transactions::jobs::BankCalls;
use crate::transactions::status::Status;
use crate::transactions::{Transaction, find};

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
    match simulation.outcome {
        Outcome::Paid => pay(app, scope, id, simulation).await?,
        Outcome::Expired => {
            let terms = app.terms.clone();
            app.transact(async move |tx| expire(tx, scope, &terms, id).await).await?;
        }
        Outcome::Failed => {
            let status = app.read(async move |tx| Ok(find(tx, scope, id).await?.status)).await?;
            return Err(Error::conflict(status, Status::Failed));
        }
    }
    app.read(async move |tx| Ok(find(tx, scope, id).await?.seen_at(scope.now(tx)))).await
}

async fn pay(app: &App, scope: Scope, id: TransactionId, simulation: Simulation) -> Result<()> {
    let receipt = app.read(async move |tx| receipt(tx, scope, id, simulation).await).await?;
    if !simulation.delay.is_zero() {
        return app
            .transact(async move |tx| call_later(tx, scope, &receipt, simulation).await)
            .await;
    }
    for _ in 0..simulation.calls {
        let (headers, body) = app.providers.sandbox().confirmation(std::slice::from_ref(&receipt));
        deliver(app, "sandbox", &headers, &body).await?;
    }
    Ok(())
}

async fn receipt(
    tx: &Tx,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
) -> Result<PixReceipt> {
    let transaction = find(tx, scope, id).await?;
    let pix = transaction.pix.as_ref().ok_or(Error::NotFound("PIX code"))?;
    let paid_at = scope.now(tx);
    Ok(PixReceipt {
        txid: pix.txid.clone(),
        end_to_end_id: SandboxBank::end_to_end_id(paid_at, tx.random()),
        amount: simulation.amount.unwrap_or(transaction.amount),
        paid_at,
    })
}

async fn call_later(
    tx: &Tx,
    scope: Scope,
    receipt: &PixReceipt,
    simulation: Simulation,
) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(simulation.delay));
    for _ in 0..simulation.calls {
        let call = BankCalls {
            txid: receipt.txid.clone(),
            end_to_end_id: receipt.end_to_end_id.clone(),
            amount: receipt.amount,
            paid_at: receipt.paid_at,
        };
        queue::job::push(tx, tx.new_id(), due, &call).await?;
    }
    Ok(())
}
