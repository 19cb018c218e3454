//! Simulated outcomes, for development data only.
//!
//! A simulated payment goes the whole way: the sandbox bank writes its confirmation and sends it to
//! the endpoint that real banks call. It can pay another amount, call late, or call more than once.

use std::time::Duration;

use db::tx::Tx;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, Covers};
use rails::card::{ChargeResult, DeclineCode};
use rails::pix::PixConfirmation;
use sandbox::SANDBOX;
use sandbox::bank::SandboxBank;
use sandbox::refunds::Outcome as RefundOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Scope, TransactionId};
use crate::providers::callback::Callback;
use crate::transactions::callback_api::{deliver_boleto, deliver_pix};
use crate::transactions::charge::{decide, reference};
use crate::transactions::close::expire;
use crate::transactions::jobs::{DeliverSandboxConfirmation, SimulatedPayment};
use crate::transactions::refunds::refundable_amount;
use crate::transactions::status::{Status, Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, disputes, find};

/// The outcome to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SimulatedOutcome {
    /// The payment is made or, if it is disputed, the dispute is won.
    Paid,
    Failed,
    Expired,
    /// The buyer disputes the payment.
    Disputed,
    /// The dispute is lost.
    ChargedBack,
    /// The pending refund fails or, if there is none, the next one.
    RefundFailed,
}

impl SimulatedOutcome {
    /// Every outcome.
    pub const ALL: [Self; 6] = [
        Self::Paid,
        Self::Failed,
        Self::Expired,
        Self::Disputed,
        Self::ChargedBack,
        Self::RefundFailed,
    ];
}

/// The outcome to simulate, and the bank's behavior.
#[derive(Debug, Clone, Copy)]
pub struct Simulation {
    pub outcome: SimulatedOutcome,
    /// What the payer pays, if not the amount.
    pub amount: Option<Cents>,
    /// How many times the bank calls.
    pub calls: u32,
    /// How long after the payment the bank calls.
    pub delay: Duration,
}

/// The outcomes that can be simulated about a payment in its present state.
pub fn possible(payment: &Transaction) -> Vec<SimulatedOutcome> {
    let becomes = |trigger| matches!(payment.status.after(trigger), Transition::Becomes(_));
    let is_card = payment.card.is_some();
    let comes_by_code = payment.pix.is_some() || payment.made_boleto().is_some();
    let goes_back = is_card || payment.pix.as_ref().is_some_and(|pix| pix.end_to_end_id.is_some());
    let can = |outcome: &SimulatedOutcome| match outcome {
        SimulatedOutcome::Paid if is_card => becomes(Trigger::Pay) || becomes(Trigger::WinDispute),
        SimulatedOutcome::Paid => comes_by_code,
        SimulatedOutcome::Failed => is_card && becomes(Trigger::Fail),
        SimulatedOutcome::Expired => becomes(Trigger::Expire),
        SimulatedOutcome::Disputed => {
            becomes(Trigger::Dispute) && !refundable_amount(payment).is_zero()
        }
        SimulatedOutcome::ChargedBack => becomes(Trigger::LoseDispute),
        SimulatedOutcome::RefundFailed => payment.status == Status::Paid && goes_back,
    };
    SimulatedOutcome::ALL.into_iter().filter(can).collect()
}

/// Simulates the outcome; returns the payment as it then is.
///
/// A payer who repeats it with the same seed pays once, and the payment is reported twice.
pub async fn simulate(
    app: &App,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
    seed: Option<[u8; 32]>,
) -> Result<Transaction> {
    let before = app.read(async move |tx| find(tx, scope, id).await).await?;
    match simulation.outcome {
        SimulatedOutcome::Paid if before.status == Status::Disputed => {
            contest(app, scope, id, simulation.outcome).await?;
        }
        SimulatedOutcome::Disputed | SimulatedOutcome::ChargedBack => {
            contest(app, scope, id, simulation.outcome).await?;
        }
        SimulatedOutcome::RefundFailed => refuse_refunds(app, &before).await?,
        SimulatedOutcome::Paid if before.card.is_some() => {
            let authorization_code = "SIMULATED".to_owned();
            decide(app, scope, id, ChargeResult::Approved { authorization_code }).await?;
        }
        SimulatedOutcome::Failed if before.card.is_some() => {
            let code = DeclineCode::CardDeclined;
            decide(app, scope, id, ChargeResult::Declined { code }).await?;
        }
        SimulatedOutcome::Paid => pay(app, scope, id, simulation, seed).await?,
        SimulatedOutcome::Expired => {
            let terms = PaymentTerms::of(app);
            app.transact(async move |tx| expire(tx, scope, &terms, id).await).await?;
        }
        SimulatedOutcome::Failed => return Err(Error::conflict(before.status, Status::Failed)),
    }
    app.read(async move |tx| Ok(find(tx, scope, id).await?.at(scope.now(tx)))).await
}

/// Opens or decides a dispute.
async fn contest(
    app: &App,
    scope: Scope,
    id: TransactionId,
    outcome: SimulatedOutcome,
) -> Result<()> {
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| match outcome {
        SimulatedOutcome::Disputed => disputes::open(tx, scope, &terms, id).await,
        SimulatedOutcome::ChargedBack => disputes::lose(tx, scope, &terms, id).await,
        _ => disputes::win(tx, scope, &terms, id).await,
    })
    .await
    .map(drop)
}

/// Makes the bank refuse refunds; a payout's outcome is encoded in its PIX key.
async fn refuse_refunds(app: &App, paid: &Transaction) -> Result<()> {
    if paid.status != Status::Paid {
        return Err(Error::conflict(paid.status, Status::Refunded));
    }
    let pix = paid.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone());
    let card = paid.card.as_ref().map(|_| reference(paid.id));
    let Some(charge) = pix.or(card) else {
        let message = "It goes back to a PIX key; take one that the sandbox refuses.".to_owned();
        return Err(Error::State { current: paid.status.to_string(), message });
    };
    let sandbox = app.providers.simulating()?.sandbox();
    let armed = sandbox.arm_refund(&charge, RefundOutcome::Refused).await;
    armed.map_err(|error| Error::Unavailable(error.to_string()))
}

async fn pay(
    app: &App,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
    seed: Option<[u8; 32]>,
) -> Result<()> {
    let payment = app.read(async move |tx| payment(tx, scope, id, simulation, seed).await).await?;
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

/// Delivers the sandbox bank's callback, through the endpoint that every bank uses.
pub async fn call(app: &App, payment: &SimulatedPayment) -> Result<()> {
    let sandbox = app.providers.simulating()?.sandbox();
    match payment.clone() {
        SimulatedPayment::Pix { txid, end_to_end_id, amount, paid_at } => {
            let receipt = PixConfirmation { txid, end_to_end_id, amount, paid_at };
            let (headers, body) = sandbox.confirmation(&[receipt]);
            deliver_pix(app, &Callback { provider: SANDBOX.into(), headers, body }).await
        }
        SimulatedPayment::Boleto { our_number: bank_code, payment_id, amount, paid_at } => {
            let reference = bank_code.clone();
            let receipt = BoletoConfirmation {
                bank_code,
                reference,
                payment_id,
                amount,
                paid_at,
                covers: Covers::Payment,
            };
            let (headers, body) = sandbox.boleto_confirmation(&[receipt]);
            deliver_boleto(app, &Callback { provider: SANDBOX.into(), headers, body }).await
        }
    }
}

/// What the payer does: a boleto is paid by its barcode, everything else by its PIX code.
async fn payment(
    tx: &Tx,
    scope: Scope,
    id: TransactionId,
    simulation: Simulation,
    seed: Option<[u8; 32]>,
) -> Result<SimulatedPayment> {
    let transaction = find(tx, scope, id).await?;
    let paid_at = scope.now(tx);
    let amount = simulation.amount.unwrap_or(transaction.amount);
    if let Some(boleto) = &transaction.boleto {
        let payment_id = SandboxBank::payment_id(seed.map_or_else(|| tx.random(), start));
        return Ok(SimulatedPayment::Boleto {
            our_number: boleto.bank_code.clone(),
            payment_id,
            amount,
            paid_at,
        });
    }
    let Some(pix) = &transaction.pix else {
        let message = "It was free, so there is nothing to pay.".to_owned();
        return Err(Error::State { current: transaction.status.to_string(), message });
    };
    // The id contains a minute, which must not change between two tries either.
    let named_at = if seed.is_some() { transaction.created_at } else { paid_at };
    let suffix = seed.map_or_else(|| tx.random(), start);
    let end_to_end_id = SandboxBank::end_to_end_id(named_at, suffix);
    Ok(SimulatedPayment::Pix { txid: pix.txid.clone(), end_to_end_id, amount, paid_at })
}

fn start<const N: usize>(seed: [u8; 32]) -> [u8; N] {
    std::array::from_fn(|index| seed[index])
}

async fn call_later(
    tx: &Tx,
    scope: Scope,
    payment: &SimulatedPayment,
    simulation: Simulation,
) -> Result<()> {
    let due = scope.due(scope.now(tx).plus(simulation.delay));
    for _ in 0..simulation.calls {
        queue::job::push(
            tx,
            tx.new_id(),
            due,
            &DeliverSandboxConfirmation { payment: payment.clone() },
        )
        .await?;
    }
    Ok(())
}
