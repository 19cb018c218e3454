//! One attempt to pay, however often its form is sent.
//!
//! ```text
//! form ──▶ payment ──corrected, or renewed──▶ payment ──…──▶ payment
//!            └ ended                            └ ended         └ the one to pay
//! ```
//!
//! The same form leads to the same payment while it can be paid. A form that says something else
//! makes another one in its place: the one before is cancelled by the unit that writes the new one
//! down, so that what it held back can be sold, nobody pays twice, and a refusal takes nothing
//! from the buyer. Once one of them is paid, every form of the attempt leads there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::idempotency::{Claim, Replayable, Ticket};
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::reply::Created;
use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::api::current;
use crate::transactions::create::{NewTransaction, Picture, create};
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction, status_token};

/// How many payments one line may have: nobody corrects a form more often.
const LINE_MAX: usize = 50;

/// What a page needs of a payment it made.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Issued {
    pub id: TransactionId,
    pub token: String,
}

/// Issues the payment that a form asks for, or finds the one that it made.
pub async fn issue_once(
    app: &App,
    scope: Scope,
    attempt: &str,
    slug: &str,
    new: &NewTransaction,
) -> Result<Issued> {
    let first = beginning(scope, attempt, slug);
    walk(app, scope, first, slug, new, |made| is_asked_for(made, new)).await
}

/// The coupon of which an attempt holds a use, by a payment that is not paid yet: whatever takes
/// that payment's place takes the use over.
pub async fn coupon_held(
    app: &App,
    scope: Scope,
    attempt: &str,
    slug: &str,
) -> Result<Option<String>> {
    let mut ticket = beginning(scope, attempt, slug);
    for _ in 0..LINE_MAX {
        let Some(id) = made_before(app, ticket).await? else { return Ok(None) };
        let made = current(app, scope, id).await?;
        match made.status {
            Status::Pending => return Ok(made.coupon_code),
            Status::Expired | Status::Cancelled | Status::Failed => {}
            _ => return Ok(None),
        }
        ticket = successor(scope, made.id, slug);
    }
    Ok(None)
}

/// Issues the payment that comes after one that ended, or finds the one that did.
pub async fn issue_after(
    app: &App,
    scope: Scope,
    ended: TransactionId,
    slug: &str,
    new: &NewTransaction,
) -> Result<Issued> {
    walk(app, scope, successor(scope, ended, slug), slug, new, |_| true).await
}

/// Goes along the line to the payment that is wanted, or makes it at the end.
async fn walk(
    app: &App,
    scope: Scope,
    first: Option<Ticket>,
    slug: &str,
    new: &NewTransaction,
    is_wanted: impl Fn(&Transaction) -> bool,
) -> Result<Issued> {
    let (mut ticket, mut new) = (first, new.clone());
    for _ in 0..LINE_MAX {
        let made = match made_with(app, scope, ticket.clone(), &new).await? {
            Made::Now(issued) => return Ok(issued),
            Made::Before(id) => current(app, scope, id).await?,
            Made::Twin => continue,
        };
        match made.status {
            Status::Pending if !is_wanted(&made) => new.replaces = Some(made.id),
            Status::Expired | Status::Cancelled | Status::Failed => new.replaces = None,
            _ => return Ok(named(app, scope, made.id)),
        }
        ticket = successor(scope, made.id, slug);
    }
    let message = "This form was changed too often. Open the link again.";
    Err(Error::refused(Refusal::ConcurrentUpdate, message))
}

/// What a ticket stands for.
enum Made {
    /// Just now, by this form as it is.
    Now(Issued),
    /// By an earlier form.
    Before(TransactionId),
    /// By another form at this moment; it must be asked again.
    Twin,
}

async fn made_with(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: &NewTransaction,
) -> Result<Made> {
    if let Some(id) = made_before(app, ticket.clone()).await? {
        return Ok(Made::Before(id));
    }
    match (issue(app, scope, ticket, new.clone()).await, new.replaces) {
        (Ok(answer), _) if answer.is_replayed() => Ok(Made::Before(answer.read::<Issued>()?.id)),
        (Ok(answer), _) => Ok(Made::Now(answer.read()?)),
        // It was paid before it could be replaced.
        (Err(Error::State { .. }), Some(old)) => Ok(Made::Now(named(app, scope, old))),
        (Err(Error::Refused(Refusal::IdempotencyKeyInProgress, _)), _) => Ok(Made::Twin),
        (Err(error), _) => Err(error),
    }
}

/// What an earlier form has made under a ticket.
async fn made_before(app: &App, ticket: Option<Ticket>) -> Result<Option<TransactionId>> {
    match app.claim::<Created<Issued>>(ticket).await? {
        Claim::Free => Ok(None),
        Claim::Answered(answer) => Ok(Some(answer.read::<Issued>()?.id)),
        Claim::Running(id) => Ok(Some(TransactionId(id))),
    }
}

async fn issue(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
) -> Result<Replayable<Created<Issued>>> {
    // The page draws its code when it is shown, so nothing is prepared here.
    create(app, scope, ticket, new, Picture::None, |terms, scope, transaction, _| {
        let token = status_token::write(&terms.secrets, scope, transaction.id);
        Ok(Created(Issued { id: transaction.id, token }))
    })
    .await
}

fn named(app: &App, scope: Scope, id: TransactionId) -> Issued {
    Issued { id, token: status_token::write(&app.secrets, scope, id) }
}

/// The ticket of the first payment of an attempt.
fn beginning(scope: Scope, attempt: &str, slug: &str) -> Option<Ticket> {
    Ticket::of_form(scope, "POST /pay/{slug}", attempt, slug)
}

/// The ticket of the payment that comes after another one, which has only one such.
fn successor(scope: Scope, id: TransactionId, slug: &str) -> Option<Ticket> {
    Ticket::of_form(scope, "POST /pay/{slug}/t/{id}/renew", &id.to_string(), slug)
}

fn is_asked_for(made: &Transaction, new: &NewTransaction) -> bool {
    let code = |code: &Option<String>| code.as_deref().map(str::to_lowercase);
    let same_method = made.method == Method::Free || made.method == new.means.method().into();
    same_method
        && (&made.customer, &made.address) == (&new.customer, &new.address)
        && code(&made.coupon_code) == code(&new.coupon_code)
}
