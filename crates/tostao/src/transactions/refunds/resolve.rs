//! Administrators resolve a refund of real money that stays pending, by what its provider says
//! elsewhere, such as in an acquirer's dashboard.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, RefundId};
use crate::providers::orders::{LOST_AFTER, MAY_ARRIVE_FOR, ProviderStatus};
use crate::transactions::charge::RESOLVED;
use crate::transactions::deciding::decide_about;
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::refunds::settle::settle;
use crate::transactions::refunds::{Refund, Status, store};
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;

text_enum! {
    /// How a refund ended.
    pub enum Outcome as "RefundOutcome" {
        /// The money is back with its payer.
        Completed = "COMPLETED",
        /// The money was not refunded, and will not be.
        Failed = "FAILED",
    }
}

/// Refuses to fail an order that its provider may still carry out: its money would be there twice.
fn expect_no_longer_arriving(refund: &Refund, now: Timestamp) -> Result<()> {
    let wait = if refund.acknowledged_at.is_some() { LOST_AFTER } else { MAY_ARRIVE_FOR };
    if refund.sent_at.is_none_or(|at| now.since(at) >= wait) {
        return Ok(());
    }
    let wait = if refund.acknowledged_at.is_some() { "a day" } else { "70 minutes" };
    let message =
        format!("Its order may still be carried out. Decide {wait} after it was sent, or later.");
    Err(Error::State { current: refund.status.to_string(), message })
}

/// Resolves a pending refund as an administrator says; repeating it is not an error.
pub async fn resolve(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    id: RefundId,
    (outcome, note): (Outcome, &str),
) -> Result<Refund> {
    let found = store::find_by_id(tx, Mode::Production, id).await?;
    let (scope, of) = found.ok_or(Error::NotFound("Refund"))?;
    payments::lock(tx, scope, of).await?;
    let before = store::find(tx, scope, of, id).await?;
    let (wanted, status) = match outcome {
        Outcome::Completed => {
            let rail_id = Refund::reference(id);
            (Status::Completed, ProviderStatus::Done { rail_id })
        }
        Outcome::Failed => {
            (Status::Failed, ProviderStatus::Refused { reason: RESOLVED.to_owned() })
        }
    };
    if before.status == wanted {
        return Ok(before);
    }
    if before.status != Status::Pending {
        return Err(Error::conflict(before.status.name(), wanted.name()));
    }
    decide_about(tx, scope, of, by).await?;
    match outcome {
        Outcome::Failed => expect_no_longer_arriving(&before, scope.now(tx))?,
        // A payment has one id in the whole PIX system, which only its bank knows.
        Outcome::Completed if before.method != RefundMethod::Card => {
            let message = "Its bank's lists report it when it is made.".to_owned();
            return Err(Error::State { current: before.status.to_string(), message });
        }
        Outcome::Completed => {}
    }
    settle(tx, scope, terms, of, id, &status).await?;
    let entry = Entry::about(Action::RefundResolved, Some(scope.merchant));
    let entry = entry.in_mode(scope.mode).on(id.0);
    let entry = entry.with("outcome", outcome.name()).with("note", note);
    audit::record(tx, by, entry).await?;
    store::find(tx, scope, of, id).await
}
