//! Callbacks by which banks report incoming payments.

use axum::extract::{Request, State};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::http::path::At;
use crate::providers::{ProviderError, undecided};
use crate::transactions::arrival::Arrival;
use crate::transactions::receive::{Charge, Received, receive};
use crate::transactions::terms::Terms;

/// POST /providers/{provider}/pix
///
/// Answers after the commit; a bank that hears nothing calls again, and is understood.
pub async fn pix(
    State(app): State<App>,
    At(provider): At<String>,
    request: Request,
) -> Result<StatusCode> {
    let headers = request.headers().clone();
    let body = read(request, BODY_BYTES_MAX).await?;
    deliver_pix(&app, &provider, &headers, &body).await?;
    Ok(StatusCode::OK)
}

/// POST /providers/{provider}/boleto
///
/// The same for slips that were paid by their barcode.
pub async fn boleto(
    State(app): State<App>,
    At(provider): At<String>,
    request: Request,
) -> Result<StatusCode> {
    let headers = request.headers().clone();
    let body = read(request, BODY_BYTES_MAX).await?;
    deliver_boleto(&app, &provider, &headers, &body).await?;
    Ok(StatusCode::OK)
}

/// Accepts PIX confirmations, whatever their origin.
pub async fn deliver_pix(
    app: &App,
    provider: &str,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<()> {
    let provider = app.providers.pix_named(provider).ok_or(Error::NotFound("Provider"))?;
    let receipts =
        provider.read_confirmation(headers, body).await.map_err(ProviderError::unreadable)?;
    let arrivals = receipts.into_iter().map(|receipt| (Arrival::from(&receipt), receipt.txid));
    take_in(app, provider.name(), arrivals, |txid| Charge::Txid(txid)).await
}

/// Accepts boleto confirmations, whatever their origin.
pub async fn deliver_boleto(
    app: &App,
    provider: &str,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<()> {
    let provider = app.providers.boleto_named(provider).ok_or(Error::NotFound("Provider"))?;
    let receipts =
        provider.read_confirmation(headers, body).await.map_err(ProviderError::unreadable)?;
    let arrivals =
        receipts.into_iter().map(|receipt| (Arrival::from(&receipt), receipt.our_number));
    take_in(app, provider.name(), arrivals, |number| Charge::Slip(number)).await
}

/// Applies a batch, each confirmation in a unit of its own, so one failure does not block the
/// others.
async fn take_in(
    app: &App,
    provider: &'static str,
    arrivals: impl Iterator<Item = (Arrival, String)>,
    charge: fn(&str) -> Charge<'_>,
) -> Result<()> {
    let mut failed = None;
    let mode = app.providers.mode_of(provider);
    for (arrival, name) in arrivals {
        let (terms, of) = (Terms::of(app), name.clone());
        let unit = async move |tx: &db::tx::Tx| {
            receive(tx, &terms, (provider, mode), charge(&of), &arrival).await
        };
        match app.transact(unit).await {
            Ok(Received::Unknown) => {
                tracing::warn!(provider, name, "money arrived that no charge can take and is kept");
            }
            Ok(Received::Paid | Received::SetAside | Received::Already) => {}
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| Err(undecided(error)))
}
