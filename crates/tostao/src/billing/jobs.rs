//! Background jobs of subscriptions.

use queue::job::{Claimed, finish};

use crate::app::App;
use crate::billing::{charge, resuming};
use crate::jobs::{RunJob, end};
use crate::merchants;
use crate::platform::error::Result;
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::jobs::RunDueAction;
use crate::subscriptions::lifecycle::{advance, resuming_costs};
use crate::subscriptions::schedule::{self, DueAction, NextAction};
use crate::subscriptions::{ChargeReason, find};

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
        match schedule::next(&subscription).filter(|due| due.at <= now) {
            Some(NextAction { what: DueAction::Charge, .. }) => {
                let with = SubscriptionChange::Unchanged { version: subscription.version };
                charge(app, scope, &subscription, ChargeReason::Schedule, with).await?;
            }
            Some(NextAction { what: DueAction::Resume, at })
                if resuming_costs(&subscription, at) =>
            {
                let (resumed, with) = resuming(app, scope, subscription, at).await?;
                charge(app, scope, &resumed, ChargeReason::Schedule, with).await?;
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
            None => {}
        }
        end(app, job).await
    }
}
