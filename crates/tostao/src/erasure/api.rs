//! Deleting a client through the API.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::erasure::{self, Erased};
use crate::idempotency::Replayable;
use crate::idempotency::dry_run::DryRun;
use crate::platform::error::Result;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::ClientId;
use crate::platform::permissions::CustomersWrite;
use crate::transactions::terms::PaymentTerms;

/// The confirmation of the deleted customer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteCustomerResponse")]
pub struct Deleted {
    message: &'static str,
    /// Until when the data of paid transactions is retained as the law requires; null if there are
    /// none.
    retained_until: Option<Timestamp>,
}

/// DELETE /api/clients/{id}
///
/// Subscriptions that still run are cancelled.
pub async fn delete(
    State(app): State<App>,
    caller: Caller<CustomersWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<ClientId>,
) -> Result<Replayable<Ok200<Deleted>>> {
    ask(&app, Ticket::of_program(caller.scope, None, dry_run), id).await
}

/// Erases a client: the way in of programs and of people.
pub async fn ask(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: ClientId,
) -> Result<Replayable<Ok200<Deleted>>> {
    let terms = PaymentTerms::of(app);
    app.change_once(dry_run, scope, key, async move |tx| {
        let Erased { retained_until } = erasure::erase_client(tx, scope, &terms, id).await?;
        note(tx, scope, by.as_ref(), Action::CustomerErased, id.0).await?;
        Ok(Ok200(Deleted { message: "Client deleted.", retained_until }))
    })
    .await
}
