//! Deleting a client through the API.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
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
    let (scope, terms) = (caller.scope, PaymentTerms::of(&app));
    app.change_once(dry_run, scope, None, async move |tx| {
        let Erased { retained_until } = erasure::erase_client(tx, scope, &terms, id).await?;
        Ok(Ok200(Deleted { message: "Client deleted.", retained_until }))
    })
    .await
}
