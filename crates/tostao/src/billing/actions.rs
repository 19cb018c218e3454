//! Cancelling a subscription with the payment that it awaits, and changing its card.
//!
//! Each returns the subscription as it then is. A declined payment is not an error here; it shows
//! in the returned subscription. A payment is locked before its subscription, as when it is
//! confirmed.

use db::tx::Tx;
use rails::card::StoredCard;

use crate::app::App;
use crate::billing::{charge, current, store_card};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::lifecycle::{self, Cancellation};
use crate::subscriptions::status::Status;
use crate::subscriptions::{ChargeReason, Subscription, find};
use crate::transactions;
use crate::transactions::close::cancel_if_pending;
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::terms::PaymentTerms;

/// Cancels a subscription and the payment that it awaited.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: SubscriptionId,
    how: &Cancellation,
) -> Result<Subscription> {
    if let Some(awaited) = find(tx, scope, id).await?.charge {
        transactions::lock(tx, scope, awaited.transaction).await?;
    }
    let changed = lifecycle::cancel(tx, scope, id, how).await?;
    let Some(needless) = changed.needless else { return Ok(changed.subscription) };
    cancel_if_pending(tx, scope, terms, needless).await?;
    find(tx, scope, id).await
}

/// Stores another card, and charges what is owed to it at once.
pub async fn change_card(
    app: &App,
    scope: Scope,
    id: SubscriptionId,
    token: &str,
) -> Result<Subscription> {
    let before = current(app, scope, id).await?;
    before.expect_alive()?;
    let card = store_card(app, scope, &before.customer, token).await?;
    if before.status != Status::PastDue {
        let put = app.transact(async move |tx| lifecycle::set_card(tx, scope, id, &card).await);
        return put.await;
    }
    let Some(awaited) = before.charge else {
        let after = before.with_card(&card);
        let with = SubscriptionChange::Card { version: before.version, card: Box::new(card) };
        charge(app, scope, &after, ChargeReason::Card, with).await?;
        return current(app, scope, id).await;
    };
    let terms = PaymentTerms::of(app);
    let put = app.transact(async move |tx| {
        put_past_due(tx, scope, &terms, id, &card, awaited.transaction).await
    });
    let after = put.await?;
    if after.charge.is_none() {
        let with = SubscriptionChange::Unchanged { version: after.version };
        match charge(app, scope, &after, ChargeReason::Card, with).await {
            // The schedule has charged it meanwhile.
            Ok(_) | Err(Error::Refused(ErrorCode::ConcurrentUpdate, _)) => {}
            Err(error) => return Err(error),
        }
    }
    current(app, scope, id).await
}

/// Stores a card for a past-due payment, and cancels the PIX code that is waiting to be paid for
/// it; a charge that an acquirer is processing is awaited instead.
async fn put_past_due(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: SubscriptionId,
    card: &StoredCard,
    awaited: TransactionId,
) -> Result<Subscription> {
    transactions::lock(tx, scope, awaited).await?;
    let code = transactions::find(tx, scope, awaited).await?;
    if code.status != PaymentStatus::Pending {
        return lifecycle::set_card(tx, scope, id, card).await;
    }
    let after = lifecycle::set_card_instead_of_code(tx, scope, id, card, awaited).await?;
    cancel_if_pending(tx, scope, terms, awaited).await?;
    Ok(after)
}
