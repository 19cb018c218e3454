//! The addresses that banks and acquirers send their notices to.
//!
//! The path's last part is secret and names the connection. What arrives is a hint: it is written
//! down as questions to ask, and answered at once.

use std::sync::Arc;

use axum::extract::State;
use db::tx::Tx;
use http::StatusCode;
use rails::error::ProviderError;

use crate::app::App;
use crate::connections::jobs;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::path::PathParam;
use crate::platform::telemetry;
use crate::providers::callback::Callback;
use crate::providers::connections::registry::LiveConnection;
use crate::transactions;

/// GET /providers/{door}
///
/// A provider may try an address before it sends anything to it.
pub async fn probe(
    State(app): State<App>,
    PathParam(door): PathParam<String>,
) -> Result<StatusCode> {
    app.providers.behind(&door).map(|_| StatusCode::OK).ok_or(Error::NotFound("Provider"))
}

/// POST /providers/{door}
pub async fn notices(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    let live = app.providers.behind(&callback.provider).ok_or(Error::NotFound("Provider"))?;
    write_down(&app, &live, &callback).await
}

/// POST /providers/{door}/pix
///
/// The central bank's standard has this part added to every address. The sandbox has the same
/// path, and proves what it sends.
pub async fn pix(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    match app.providers.behind(&callback.provider) {
        Some(live) => write_down(&app, &live, &callback).await,
        None => transactions::callback_api::pix(State(app), callback).await,
    }
}

/// Writes down what is to be asked, in one unit.
async fn write_down(
    app: &App,
    live: &Arc<LiveConnection>,
    callback: &Callback,
) -> Result<StatusCode> {
    let read = live.connected.connection.read_notices(&callback.headers, &callback.body);
    let notices = read.map_err(|error| refusal(live, &error))?;
    telemetry::notice(&live.name, if notices.is_empty() { "empty" } else { "received" });
    if !notices.is_empty() {
        let live = live.clone();
        let unit = async move |tx: &Tx| {
            for notice in &notices {
                jobs::look_into(tx, (live.id, &live.name), notice.clone()).await?;
            }
            Ok(())
        };
        app.transact(unit).await?;
    }
    Ok(StatusCode::OK)
}

fn refusal(live: &LiveConnection, error: &ProviderError) -> Error {
    telemetry::notice(&live.name, "refused");
    tracing::warn!(connection = live.name, %error, "a notice cannot be read");
    match error {
        ProviderError::NotAuthentic => Error::Unauthenticated(ErrorCode::Unauthorized),
        _ => Error::refused(ErrorCode::InvalidJson, "The message names nothing."),
    }
}
