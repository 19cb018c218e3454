//! Deleting all development data of a merchant.

use axum::extract::State;
use db::database::in_background;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::development::{self, ResetPermissions};
use crate::housekeeping::BATCH;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::context::Context;
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
    let scope = caller.scope.expect_development()?;
    app.check_rate_limit(&context, &HEAVY, scope)?;
    app.repeat_once(once.key(scope, &body.raw), async {
        // A page cached before may be shown until it expires, also if the deletion is interrupted;
        // a page cached during the deletion may show deleted data.
        app.pages.invalidate(scope.merchant);
        let step = || app.transact(async move |tx| development::step(tx, scope, BATCH).await);
        while !in_background(step()).await? {}
        app.pages.invalidate(scope.merchant);
        Ok(Ok200(Message { message: "The development data was deleted." }))
    })
    .await
}
