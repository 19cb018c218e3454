//! Deleting all development data of a merchant.

use axum::extract::State;
use db::database::in_background;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::development::{self, ResetPermissions};
use crate::housekeeping::BATCH;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::http::reply::{Message, Ok200};

/// POST /api/dev/reset
///
/// Deletes what was made with development keys: products, links, payments, buyers and events.
/// Keys and webhook subscriptions stay; the balance is zero and the clock the machine's again.
pub async fn reset(
    State(app): State<App>,
    Context(context): Context,
    caller: Caller<ResetPermissions>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<Message>>> {
    let ticket =
        Ticket::of_program(caller.scope, once.key(caller.scope, &body.raw), DryRun::default());
    ask_to_reset(&app, &context, ticket).await
}

/// Deletes the development data, as a program or a person asks.
pub async fn ask_to_reset(
    app: &App,
    context: &RequestContext,
    ticket: Ticket,
) -> Result<Replayable<Ok200<Message>>> {
    let Ticket { scope, key, by, .. } = ticket;
    let scope = scope.expect_development()?;
    app.check_rate_limit(context, &HEAVY, scope)?;
    app.repeat_once(key, async {
        // First, so that it is known of a deletion that is interrupted, too.
        app.transact(async move |tx| {
            note(tx, scope, by.as_ref(), Action::DevelopmentReset, scope.merchant.0).await
        })
        .await?;
        let step = || {
            let pages = app.pages.clone();
            app.transact(async move |tx| {
                let is_done = development::step(tx, scope, BATCH).await?;
                // A page cached during the deletion may show what a later step deletes.
                pages.invalidate_once_committed(tx, scope.merchant);
                Ok(is_done)
            })
        };
        while !in_background(step()).await? {}
        Ok(Ok200(Message { message: "The development data was deleted." }))
    })
    .await
}
