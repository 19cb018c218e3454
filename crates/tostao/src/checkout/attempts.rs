//! One attempt to pay, however often its form is submitted.
//!
//! ```text
//! form ──▶ payment ──corrected, or renewed──▶ payment ──…──▶ payment
//!            └ ended                            └ ended         └ the one to pay
//! ```
//!
//! The same form leads to the same payment while that can be paid. A changed form creates another
//! payment in its place: the unit that inserts the new one cancels the one before, so that its
//! reserved stock can be sold, the buyer cannot pay twice, and a refused form leaves the earlier
//! payment intact. Once one of them is paid, every form of the attempt leads to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::idempotency::{IdempotencyKey, KeyState, Replayable};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::reply::Created;
use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::create::CreateTransaction;
use crate::transactions::quote::refuses_coupon;
use crate::transactions::request::NewTransaction;
use crate::transactions::status::Status;
use crate::transactions::terms::NO_LINK;
use crate::transactions::{Method, Transaction, current, find, status_token};

/// How many payments one attempt may have; no buyer corrects a form more often.
const PAYMENTS_MAX: usize = 50;

/// What a page needs of a payment it made.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CreatedPayment {
    pub id: TransactionId,
    pub token: String,
}

/// Creates the payment that a form asks for, or finds the one that it created.
pub async fn issue_once(
    app: &App,
    scope: Scope,
    attempt: &str,
    slug: &str,
    new: &NewTransaction,
) -> Result<CreatedPayment> {
    let first = first_key(scope, attempt, slug);
    follow_chain(app, scope, first, slug, new, |made| matches_form(made, new)).await
}

/// The coupon that an attempt already uses, through a payment that is not paid yet; the payment
/// that replaces it takes the use over.
pub async fn coupon_held(
    app: &App,
    scope: Scope,
    attempt: &str,
    slug: &str,
) -> Result<Option<String>> {
    let mut key = first_key(scope, attempt, slug);
    for _ in 0..PAYMENTS_MAX {
        let Some(id) = find_created(app, key).await? else { return Ok(None) };
        let made = current(app, scope, id).await?;
        match made.status {
            Status::Pending => return Ok(made.coupon_code),
            status if is_over(status) => {}
            _ => return Ok(None),
        }
        key = next_key(scope, made.id, slug);
    }
    Ok(None)
}

/// Creates the payment that follows an ended one, or finds the one that does.
pub async fn issue_after(
    app: &App,
    scope: Scope,
    ended: TransactionId,
    slug: &str,
    new: &NewTransaction,
) -> Result<CreatedPayment> {
    follow_chain(app, scope, next_key(scope, ended, slug), slug, new, |_| true).await
}

/// Whether only the seller can offer an ended payment again, because its coupon is no longer valid:
/// it has no form on which the buyer could go on without the coupon.
pub async fn is_coupon_lost(app: &App, scope: Scope, ended: &Transaction) -> Result<bool> {
    let is_renewed_elsewhere = ended.link.is_some() || ended.period.is_some();
    if is_renewed_elsewhere || ended.coupon_code.is_none() || !is_over(ended.status) {
        return Ok(false);
    }
    // A payment that followed it may hold the coupon's last use, and is the one to pay.
    let mut last = ended.id;
    for _ in 0..PAYMENTS_MAX {
        let Some(id) = find_created(app, next_key(scope, last, NO_LINK)).await? else { break };
        if !is_over(current(app, scope, id).await?.status) {
            return Ok(false);
        }
        last = id;
    }
    let new = NewTransaction::again(ended, scope.today(app.now()));
    app.read(async move |tx| {
        // A payment that is expiring just now still has its use, which is released any moment.
        let is_expiring = find(tx, scope, last).await?.status == Status::Pending;
        Ok(!is_expiring && refuses_coupon(tx, scope, &new).await?)
    })
    .await
}

/// Follows the chain of payments to the matching one, or creates it at the end.
async fn follow_chain(
    app: &App,
    scope: Scope,
    first: Option<IdempotencyKey>,
    slug: &str,
    new: &NewTransaction,
    is_match: impl Fn(&Transaction) -> bool,
) -> Result<CreatedPayment> {
    let (mut key, mut new) = (first, new.clone());
    for _ in 0..PAYMENTS_MAX {
        let made = match create_or_find(app, scope, key.clone(), &new).await? {
            AttemptState::Created(issued) => return Ok(issued),
            AttemptState::Existing(id) => current(app, scope, id).await?,
            AttemptState::InProgress => continue,
        };
        match made.status {
            Status::Pending if !is_match(&made) => new.replaces = Some(made.id),
            status if is_over(status) => new.replaces = None,
            _ => return Ok(existing(app, scope, made.id)),
        }
        key = next_key(scope, made.id, slug);
    }
    let message = "This form was changed too often. Open the link again.";
    Err(Error::refused(ErrorCode::ConcurrentUpdate, message))
}

/// The state of an idempotency key.
enum AttemptState {
    /// Created just now, by this form.
    Created(CreatedPayment),
    /// Created by an earlier form.
    Existing(TransactionId),
    /// Another request with this key is running; look again.
    InProgress,
}

async fn create_or_find(
    app: &App,
    scope: Scope,
    key: Option<IdempotencyKey>,
    new: &NewTransaction,
) -> Result<AttemptState> {
    if let Some(id) = find_created(app, key.clone()).await? {
        return Ok(AttemptState::Existing(id));
    }
    match (issue(app, scope, key, new.clone()).await, new.replaces) {
        (Ok(response), _) if response.is_replayed() => {
            Ok(AttemptState::Existing(response.read::<CreatedPayment>()?.id))
        }
        (Ok(response), _) => Ok(AttemptState::Created(response.read()?)),
        // It was paid before it could be replaced.
        (Err(Error::State { .. }), Some(old)) => {
            Ok(AttemptState::Created(existing(app, scope, old)))
        }
        (Err(Error::Refused(ErrorCode::IdempotencyKeyInProgress, _)), _) => {
            Ok(AttemptState::InProgress)
        }
        (Err(error), _) => Err(error),
    }
}

/// The payment that an earlier form created under a key.
async fn find_created(app: &App, key: Option<IdempotencyKey>) -> Result<Option<TransactionId>> {
    match app.key_state(key).await? {
        KeyState::Free(()) => Ok(None),
        KeyState::Completed(response) => Ok(Some(response.read::<CreatedPayment>()?.id)),
        KeyState::Running(id) => Ok(Some(TransactionId(id))),
    }
}

async fn issue(
    app: &App,
    scope: Scope,
    key: Option<IdempotencyKey>,
    new: NewTransaction,
) -> Result<Replayable<Created<CreatedPayment>>> {
    let (secrets, operation) = (app.secrets.clone(), CreateTransaction { scope, new, by: None });
    app.run_once(key, operation, move |transaction| {
        let token = status_token::write(&secrets, scope, transaction.id);
        Created(CreatedPayment { id: transaction.id, token })
    })
    .await
}

fn existing(app: &App, scope: Scope, id: TransactionId) -> CreatedPayment {
    CreatedPayment { id, token: status_token::write(&app.secrets, scope, id) }
}

/// Whether another payment may take its place.
fn is_over(status: Status) -> bool {
    matches!(status, Status::Expired | Status::Cancelled | Status::Failed)
}

/// The key of the first payment of an attempt.
fn first_key(scope: Scope, attempt: &str, slug: &str) -> Option<IdempotencyKey> {
    IdempotencyKey::of_form(scope, "POST /pay/{slug}", attempt, slug)
}

/// The key of the payment that follows another one; each has at most one successor.
fn next_key(scope: Scope, id: TransactionId, slug: &str) -> Option<IdempotencyKey> {
    IdempotencyKey::of_form(scope, "POST /pay/{slug}/t/{id}/renew", &id.to_string(), slug)
}

fn matches_form(made: &Transaction, new: &NewTransaction) -> bool {
    let code = |code: &Option<String>| code.as_deref().map(str::to_lowercase);
    let same_method = made.method == Method::Free || made.method == new.instrument.method().into();
    same_method
        && (&made.customer, &made.address) == (&new.customer, &new.address)
        && code(&made.coupon_code) == code(&new.coupon_code)
}
