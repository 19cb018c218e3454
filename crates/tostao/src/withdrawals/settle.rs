//! Applies a bank's report about an order.
//!
//! | The withdrawal | The bank says | Result |
//! |---|---|---|
//! | in flight | it is being processed | stored: the bank knows the order |
//! | in flight | paid | completed |
//! | in flight | refused | failed; the money is returned |
//! | in flight | order unknown, for a day and ever since it was sent | failed, the same |
//! | ended | the same again | nothing |
//! | ended | otherwise | stored as a contradiction, to be investigated |
//!
//! Silence has no effect: an order that may have been sent stays in flight until the bank reports.

use std::time::Duration;

use db::tx::Tx;

use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, WithdrawalId};
use crate::platform::telemetry;
use crate::providers::payout::{PayoutRefusal, PayoutReport, PayoutState};
use crate::withdrawals::status::{FailureReason, Status};
use crate::withdrawals::terms::Terms;
use crate::withdrawals::{Withdrawal, announce, store};

/// An order that its bank does not know a day after it was sent has not arrived, and will not: no
/// bank accepts an order that has been in flight for so long.
const LOST_AFTER: Duration = Duration::from_hours(24);

/// The metric's label for a withdrawal whose bank contradicts its earlier report.
const CONTRADICTED: &str = "CONTRADICTED";

/// The effect of a bank's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learnt {
    /// The withdrawal has ended now.
    Ended(Status),
    /// It had already ended as the bank says.
    Already,
    /// It is still pending.
    Waits,
    /// It had ended with a different result.
    Contradicted,
    /// No withdrawal has this reference.
    Unknown,
}

/// Applies a bank's own report; safe to repeat.
pub async fn receive(
    tx: &Tx,
    terms: &Terms,
    provider: &str,
    report: &PayoutReport,
) -> Result<Learnt> {
    let found = store::take_by_reference(tx, &report.reference).await?;
    let ours = found.filter(|(_, withdrawal)| withdrawal.is_ordered_from(provider));
    let Some((scope, withdrawal)) = ours else { return Ok(Learnt::Unknown) };
    learn(tx, scope, terms, withdrawal, &report.state).await
}

/// Finds an approved withdrawal by its id alone.
pub async fn find_sent(tx: &Tx, id: WithdrawalId) -> Result<Option<(Scope, Withdrawal)>> {
    store::find_by_reference(tx, &Withdrawal::reference(id)).await
}

/// Applies an order's state.
pub async fn learn(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    withdrawal: Withdrawal,
    state: &PayoutState,
) -> Result<Learnt> {
    match (withdrawal.status, state) {
        (Status::Pending, PayoutState::Processing) => {
            store::acknowledge(tx, scope, withdrawal.id).await?;
            Ok(Learnt::Waits)
        }
        (Status::Pending, PayoutState::Paid { end_to_end_id }) => {
            complete(tx, scope, terms, &withdrawal, end_to_end_id).await
        }
        (Status::Pending, PayoutState::Refused(refusal)) => {
            fail(tx, scope, terms, &withdrawal, *refusal).await
        }
        (Status::Completed | Status::Failed, state) => {
            if withdrawal.ended_as(state) {
                return Ok(Learnt::Already);
            }
            contradict(tx, scope, &withdrawal, state).await
        }
    }
}

/// Applies the reply that the bank does not know an order.
pub async fn learn_of_nothing(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    withdrawal: Withdrawal,
) -> Result<Learnt> {
    if withdrawal.status != Status::Pending {
        return Ok(Learnt::Already);
    }
    if withdrawal.acknowledged_at.is_some() {
        // That the bank no longer knows the order is its fault, and no proof that it did not pay.
        tracing::error!(withdrawal = %withdrawal.id, "the bank has forgotten a payout it knew");
        return Ok(Learnt::Waits);
    }
    let sent_at = withdrawal.sent_at.filter(|at| scope.now(tx).since(*at) >= LOST_AFTER);
    match sent_at {
        Some(_) => fail(tx, scope, terms, &withdrawal, PayoutRefusal::RailTimeout).await,
        None => Ok(Learnt::Waits),
    }
}

/// Returns the money of a failed withdrawal and emits its event.
pub async fn end(tx: &Tx, scope: Scope, terms: &Terms, failed: Withdrawal) -> Result<Withdrawal> {
    let (of, amount) = (failed.id, failed.amount);
    books::record(tx, Movement::WithdrawalFailed { of, scope, amount }).await?;
    announce(tx, scope, terms, Name::WithdrawalFailed, &failed).await?;
    Ok(failed)
}

async fn complete(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    withdrawal: &Withdrawal,
    end_to_end_id: &str,
) -> Result<Learnt> {
    let paid = store::complete(tx, scope, withdrawal.id, end_to_end_id).await?;
    let paid = paid.ok_or_else(|| tx.collision("the withdrawal ended while it was completed"))?;
    let (of, net, fee) = (paid.id, paid.net(), paid.fee);
    books::record(tx, Movement::WithdrawalCompleted { of, scope, net, fee }).await?;
    announce(tx, scope, terms, Name::WithdrawalCompleted, &paid).await?;
    Ok(Learnt::Ended(paid.status))
}

async fn fail(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    withdrawal: &Withdrawal,
    refusal: PayoutRefusal,
) -> Result<Learnt> {
    let reason = FailureReason::Bank(refusal);
    let failed = store::fail_claimed(tx, scope, withdrawal, reason).await?;
    let failed = failed.ok_or_else(|| tx.collision("the withdrawal changed while it failed"))?;
    let failed = end(tx, scope, terms, failed).await?;
    Ok(Learnt::Ended(failed.status))
}

async fn contradict(
    tx: &Tx,
    scope: Scope,
    withdrawal: &Withdrawal,
    state: &PayoutState,
) -> Result<Learnt> {
    let said = match state {
        PayoutState::Processing => "PROCESSING".to_owned(),
        PayoutState::Paid { end_to_end_id } => format!("PAID {end_to_end_id}"),
        PayoutState::Refused(refusal) => refusal.code().to_owned(),
    };
    tracing::error!(
        withdrawal = %withdrawal.id, merchant = %scope.merchant, status = %withdrawal.status, said,
        "the bank contradicts how a withdrawal has ended"
    );
    store::contradict(tx, scope, withdrawal.id, &said).await?;
    Ok(Learnt::Contradicted)
}

impl Learnt {
    /// Counts a new result, once the unit is committed.
    pub fn count(self) {
        match self {
            Self::Ended(status) => telemetry::withdrawal_ended(status.name()),
            Self::Contradicted => telemetry::withdrawal_ended(CONTRADICTED),
            Self::Already | Self::Waits | Self::Unknown => {}
        }
    }
}

impl Withdrawal {
    fn is_ordered_from(&self, provider: &str) -> bool {
        self.order.as_ref().is_some_and(|order| order.provider == provider)
    }

    fn ended_as(&self, state: &PayoutState) -> bool {
        match state {
            PayoutState::Processing => true,
            PayoutState::Paid { end_to_end_id } => {
                self.end_to_end_id.as_ref() == Some(end_to_end_id)
            }
            PayoutState::Refused(_) => self.status == Status::Failed,
        }
    }
}
