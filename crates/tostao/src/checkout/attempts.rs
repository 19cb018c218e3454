//! One attempt to pay, however often its form is sent.
//!
//! ```text
//! form ──▶ payment ──corrected, or renewed──▶ payment ──…──▶ payment
//!            └ ended                            └ ended         └ the one to pay
//! ```
//!
//! The same form leads to the same payment while it can be paid. A form that says something else
//! makes another one, and the one before it is cancelled first, so that what it held back can be
//! sold and nobody pays twice. Once one of them is paid, every form of the attempt leads there.

use crate::app::App;
use crate::checkout::pages::{Issued, issue};
use crate::error::{Error, Result};
use crate::http::idempotency::Ticket;
use crate::ids::{Scope, TransactionId};
use crate::transactions::Transaction;
use crate::transactions::api::current;
use crate::transactions::close::cancel;
use crate::transactions::create::NewTransaction;
use crate::transactions::status::Status;

/// The ticket of the payment that comes after another one, which has only one such.
pub fn successor(scope: Scope, id: TransactionId, slug: &str) -> Option<Ticket> {
    Ticket::of_form(scope, "POST /pay/{slug}/t/{id}/renew", &id.to_string(), slug)
}

/// Issues the payment that a form asks for, or finds the one that it made.
pub async fn issue_once(
    app: &App,
    scope: Scope,
    attempt: &str,
    slug: &str,
    new: &NewTransaction,
) -> Result<Issued> {
    let mut ticket = Ticket::of_form(scope, "POST /pay/{slug}", attempt, slug);
    loop {
        let issued = issue(app, scope, ticket, new.clone()).await?;
        let made = current(app, scope, issued.id).await?;
        if is_awaited(&made, new) || !is_given_up(app, scope, made).await? {
            return Ok(issued);
        }
        ticket = successor(scope, issued.id, slug);
    }
}

fn is_awaited(made: &Transaction, new: &NewTransaction) -> bool {
    let asked_for = (&made.customer, &made.address, made.method)
        == (&new.customer, &new.address, new.means.method().into());
    asked_for && made.status == Status::Pending
}

/// Cancels a payment that is no longer wanted; false if it is too late for that.
async fn is_given_up(app: &App, scope: Scope, made: Transaction) -> Result<bool> {
    match made.status {
        Status::Expired | Status::Cancelled | Status::Failed => return Ok(true),
        Status::Pending => {}
        _ => return Ok(false),
    }
    let terms = app.terms.clone();
    let given_up = app.transact(async move |tx| cancel(tx, scope, &terms, made.id).await).await;
    match given_up {
        Ok(_) => Ok(true),
        // Something happened to it just now: it was paid, or its time is over.
        Err(Error::State { current, .. }) => Ok(current == Status::Expired.name()),
        Err(error) => Err(error),
    }
}
