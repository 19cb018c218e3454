//! Background jobs of subscriptions.

use std::time::Duration;

use db::tx::Tx;
use queue::job::{Claimed, Due, again_once, backoff_from, finish, push_once_in};
use rails::profile::RailKind;

use crate::app::App;
use crate::billing::{charge, resuming};
use crate::jobs::{RunJob, end};
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::SubscriptionId;
use crate::providers::connections::{READ_EVERY, is_just_in_use};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::jobs::RunDueAction;
use crate::subscriptions::lifecycle::{advance, resuming_costs};
use crate::subscriptions::schedule::{self, DueAction, NextAction};
use crate::subscriptions::{ChargeReason, Method, Subscription, find};
use crate::transactions::charge::of_charges;

/// How soon a renewal that waits for its provider is tried again; each time twice as late.
const WAITS_FOR_PROVIDER: Duration = Duration::from_mins(15);
/// And how late at most: a provider that is enabled again, or PIX that is routed again, wakes them.
const WAITS_FOR_PROVIDER_MAX: Duration = Duration::from_hours(4);

impl RunJob for RunDueAction {
    const ABOUT: &'static [&'static str] = &["Subscription"];

    /// Runs the one action that is due; the next one has a job of its own by then.
    ///
    /// If a worker dies in between, the row still says what is left to do. A payment that cannot be
    /// stored just now fails the job: it retries later, and ends when nothing is due.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            Ok((scope, find(tx, scope, id).await?, scope.now(tx)))
        });
        let (scope, subscription, now) = found.await?;
        let due = schedule::next(&subscription).filter(|due| due.at <= now);
        if due.is_some_and(|due| costs(&subscription, due))
            && let Some(lane) = lane_of(&subscription).filter(|lane| **lane != *job.lane)
        {
            return move_to(app, job, lane, Self { merchant, mode, id }).await;
        }
        let by = charges_by(&subscription);
        let charged = match due {
            Some(NextAction { what: DueAction::Charge, .. }) => {
                let with = SubscriptionChange::Unchanged { version: subscription.version };
                charge(app, scope, &subscription, ChargeReason::Schedule, with).await
            }
            Some(NextAction { what: DueAction::Resume, at })
                if resuming_costs(&subscription, at) =>
            {
                let (resumed, with) = resuming(app, scope, subscription, at).await?;
                charge(app, scope, &resumed, ChargeReason::Schedule, with).await
            }
            Some(_) => {
                return app
                    .transact(async move |tx| {
                        advance(tx, scope, id).await?;
                        finish(tx, &job).await?;
                        Ok(())
                    })
                    .await;
            }
            None => return end(app, job).await,
        };
        match charged {
            // What the operator has taken out of use counts against no subscriber.
            Err(Error::NotConfigured(why)) => wait_for_provider(app, job, (id, by), &why).await,
            charged => {
                charged?;
                end(app, job).await
            }
        }
    }
}

/// Whether an action makes a payment.
fn costs(subscription: &Subscription, due: NextAction) -> bool {
    match due.what {
        DueAction::Charge => true,
        DueAction::Resume => resuming_costs(subscription, due.at),
        _ => false,
    }
}

/// The lane of calls to the acquirer that keeps the card; none without a card.
fn lane_of(subscription: &Subscription) -> Option<String> {
    let card = subscription.card.as_ref()?;
    (subscription.method == Method::CreditCard).then(|| of_charges(&card.provider))
}

/// The rail of a subscription's charges, and the connection that keeps its card.
fn charges_by(subscription: &Subscription) -> (RailKind, Option<String>) {
    match subscription.method {
        Method::Pix => (RailKind::Pix, None),
        Method::CreditCard => {
            let keeper = subscription.card.as_ref().map(|card| card.provider.clone());
            (RailKind::Card, keeper)
        }
    }
}

/// Tries a renewal again after a wait that grows, however often its subscription changes meanwhile.
///
/// What wakes those that wait passes over one that is being tried.
async fn wait_for_provider(
    app: &App,
    job: Claimed,
    (subscription, (rail, keeper)): (SubscriptionId, (RailKind, Option<String>)),
    why: &str,
) -> Result<()> {
    if job.attempt == 1 {
        tracing::warn!(%subscription, why, "a renewal waits for its provider");
    }
    app.transact(async move |tx: &Tx| {
        let wait = if is_just_in_use(tx, rail, keeper.as_deref()).await? {
            READ_EVERY * 2
        } else {
            provider_wait(job.attempt)
        };
        Ok(again_once(tx, &job, tx.now().plus(wait)).await.map(drop)?)
    })
    .await
}

fn provider_wait(attempt: i64) -> Duration {
    backoff_from(WAITS_FOR_PROVIDER, WAITS_FOR_PROVIDER_MAX, attempt)
}

/// Has the action run in the lane of its acquirer: one that hangs delays nothing else.
async fn move_to(app: &App, job: Claimed, lane: String, action: RunDueAction) -> Result<()> {
    app.transact(async move |tx| {
        let due = Due { at: tx.now(), clock: None };
        push_once_in(tx, &lane, action.id.0, due, &action).await?;
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::provider_wait;

    #[test]
    fn the_wait_for_a_provider_doubles_up_to_some_hours() {
        let table = [(0, 15), (1, 15), (2, 30), (4, 120), (5, 240), (6, 240), (i64::MAX, 240)];
        for (attempt, minutes) in table {
            assert_eq!(provider_wait(attempt).as_secs(), minutes * 60, "attempt {attempt}");
        }
    }
}
