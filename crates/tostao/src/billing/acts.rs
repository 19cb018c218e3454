//! What people do to a subscription that makes a payment, or takes one back.
//!
//! Each answers with the subscription as it then is. A payment that fails is no failure of the act:
//! the subscription shows it.

use db::tx::Tx;

use crate::app::App;
use crate::billing::{charge, charge_resuming, current, keep_card, take_back};
use crate::error::Result;
use crate::ids::{Scope, SubscriptionId};
use crate::subscriptions::charges::With;
use crate::subscriptions::lifecycle::{self, Cancellation, expect_retryable, resuming_costs};
use crate::subscriptions::status::Status;
use crate::subscriptions::{Cause, Subscription, find};
use crate::transactions::terms::Terms;

/// Ends a subscription and takes back the payment that it awaited.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: SubscriptionId,
    how: &Cancellation,
) -> Result<Subscription> {
    let changed = lifecycle::cancel(tx, scope, id, how).await?;
    let Some(needless) = changed.needless else { return Ok(changed.subscription) };
    take_back(tx, scope, terms, needless).await?;
    find(tx, scope, id).await
}

/// Goes on after a pause; after what was paid for, with a payment for a period that begins with the
/// pause's end.
pub async fn resume(app: &App, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    let paused = current(app, scope, id).await?;
    let at = paused.pause_ends(scope.at(app.now()));
    if paused.status != Status::Paused || !resuming_costs(&paused, at) {
        return app.transact(async move |tx| lifecycle::resume(tx, scope, id).await).await;
    }
    charge_resuming(app, scope, paused, at).await?;
    current(app, scope, id).await
}

/// Keeps another card, and charges what is owed to it at once.
pub async fn change_card(
    app: &App,
    scope: Scope,
    id: SubscriptionId,
    token: &str,
) -> Result<Subscription> {
    let before = current(app, scope, id).await?;
    before.expect_alive()?;
    let card = keep_card(app, scope, token).await?;
    if before.status != Status::PastDue || before.charge.is_some() {
        let put = app.transact(async move |tx| lifecycle::put_card(tx, scope, id, &card).await);
        return put.await;
    }
    let after = before.with_card(&card);
    let with = With::Card { version: before.version, card: Box::new(card) };
    charge(app, scope, &after, Cause::Card, with).await?;
    current(app, scope, id).await
}

/// Tries a failed payment again now; one that is awaited is not doubled.
pub async fn retry(app: &App, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    let before = current(app, scope, id).await?;
    expect_retryable(&before)?;
    if before.charge.is_some() {
        return Ok(before);
    }
    let with = With::Nothing { version: before.version };
    charge(app, scope, &before, Cause::Manual, with).await?;
    current(app, scope, id).await
}
