//! The door where banks tell that money arrived.

use axum::extract::{Path, Request, State};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::error::{Error, Refusal, Result};
use crate::http::body::{BODY_BYTES_MAX, read};
use crate::providers::ProviderError;
use crate::telemetry;
use crate::transactions::Method;
use crate::transactions::receive::{Received, receive};
use crate::transactions::status::Status;

/// POST /providers/{provider}/pix
///
/// Answers after the commit; a bank that hears nothing calls again, and is understood.
pub async fn pix(
    State(app): State<App>,
    Path(provider): Path<String>,
    request: Request,
) -> Result<StatusCode> {
    let headers = request.headers().clone();
    let body = read(request, BODY_BYTES_MAX).await?;
    deliver(&app, &provider, &headers, &body).await?;
    Ok(StatusCode::OK)
}

/// Takes a confirmation in, wherever it came from.
pub async fn deliver(app: &App, provider: &str, headers: &HeaderMap, body: &Bytes) -> Result<()> {
    let provider = app.providers.pix_named(provider).ok_or(Error::NotFound("Provider"))?;
    let receipts =
        provider.read_confirmation(headers, body).await.map_err(|error| match error {
            ProviderError::NotAuthentic => Error::Unauthenticated(Refusal::Unauthorized),
            ProviderError::Refused(message) => Error::refused(Refusal::InvalidJson, message),
            ProviderError::Unknown(message) => Error::Unavailable(message),
        })?;
    let mut failed = None;
    for receipt in receipts {
        let (terms, name, txid) = (app.terms.clone(), provider.name(), receipt.txid.clone());
        let unit = async move |tx: &db::tx::Tx| receive(tx, &terms, name, &receipt).await;
        match app.transact(unit).await {
            Ok(Received::Paid) => {
                telemetry::payment_reached(Method::Pix.name(), Status::Paid.name());
            }
            Ok(Received::Unknown) => {
                tracing::warn!(provider = name, txid, "money arrived for an unknown charge");
            }
            Ok(Received::SetAside | Received::Already) => {}
            // One that fails must not keep the others of its batch out.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), Err)
}
