//! The door where banks tell how payouts ended.

use axum::extract::{Path, Request, State};
use bytes::Bytes;
use db::tx::Tx;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::error::{Error, Refusal, Result};
use crate::http::body::{BODY_BYTES_MAX, read};
use crate::providers::ProviderError;
use crate::providers::payout::PayoutReport;
use crate::transactions::refunds::settle;
use crate::withdrawals::settle::{Learnt, receive};

/// POST /providers/{provider}/payouts
///
/// Answers after the commit; a bank that hears nothing calls again, and is understood.
pub async fn payouts(
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
    let provider = app.providers.payouts_named(provider).ok_or(Error::NotFound("Provider"))?;
    let reports = provider.read_confirmation(headers, body).await.map_err(|error| match error {
        ProviderError::NotAuthentic => Error::Unauthenticated(Refusal::Unauthorized),
        ProviderError::Refused(message) => Error::refused(Refusal::InvalidJson, message),
        ProviderError::Unknown(message) => Error::Unavailable(message),
    })?;
    let mut failed = None;
    for report in reports {
        let (terms, name) = (app.withdrawal_terms.clone(), provider.name());
        let reference = report.reference.clone();
        let told = report.clone();
        let unit = async move |tx: &Tx| receive(tx, &terms, name, &told).await;
        match app.transact(unit).await {
            Ok(Learnt::Unknown) => {
                if !is_refund(app, report).await? {
                    tracing::warn!(provider = name, reference, "a bank told of an unknown payout");
                }
            }
            Ok(Learnt::Ended | Learnt::Waits | Learnt::Contradicted) => {}
            // One that fails must not keep the others of its batch out.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Whether a payout gives a payer his money back; takes in what its bank says.
async fn is_refund(app: &App, report: PayoutReport) -> Result<bool> {
    let terms = app.terms.clone();
    app.transact(async move |tx| settle::receive(tx, &terms, &report).await).await
}
