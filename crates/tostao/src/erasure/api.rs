//! Deleting a client through the API.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::erasure::{self, Forgotten};
use crate::platform::error::Result;
use crate::platform::http::path::At;
use crate::platform::http::reply::Done;
use crate::platform::ids::ClientId;
use crate::platform::permissions::CustomersWrite;
use crate::transactions::terms::Terms;

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
    At(id): At<ClientId>,
) -> Result<Done<Deleted>> {
    let (scope, terms) = (caller.scope, Terms::of(&app));
    let unit = async move |tx: &db::tx::Tx| erasure::forget(tx, scope, &terms, id).await;
    let Forgotten { retained_until } = app.transact(unit).await?;
    Ok(Done(Deleted { message: "Client deleted.", retained_until }))
}
