//! Callbacks by which banks report the results of payouts.

use axum::extract::{Request, State};
use bytes::Bytes;
use db::tx::Tx;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::http::path::At;
use crate::providers::{ProviderError, undecided};
use crate::transactions::{self, orders, refunds, returns};
use crate::withdrawals::settle::{Learnt, receive};
use crate::withdrawals::terms::Terms;

/// What a bank's report is about.
enum Told {
    Withdrawal(Learnt),
    Order(orders::Learnt),
}

/// POST /providers/{provider}/payouts
///
/// Answers after the commit; a bank that hears nothing calls again, and is understood.
pub async fn payouts(
    State(app): State<App>,
    At(provider): At<String>,
    request: Request,
) -> Result<StatusCode> {
    let headers = request.headers().clone();
    let body = read(request, BODY_BYTES_MAX).await?;
    deliver(&app, &provider, &headers, &body).await?;
    Ok(StatusCode::OK)
}

/// Accepts a confirmation, whatever its origin.
pub async fn deliver(app: &App, provider: &str, headers: &HeaderMap, body: &Bytes) -> Result<()> {
    let provider = app.providers.payouts_named(provider).ok_or(Error::NotFound("Provider"))?;
    let reports = provider.read_confirmation(headers, body).await;
    let reports = reports.map_err(ProviderError::unreadable)?;
    let mut failed = None;
    for report in reports {
        let (app_terms, terms) = (transactions::terms::Terms::of(app), Terms::of(app));
        let (name, reference) = (provider.name(), report.reference.clone());
        let unit = async move |tx: &Tx| match receive(tx, &terms, name, &report).await? {
            // A payout that is not a withdrawal may be a refund or a return.
            Learnt::Unknown => {
                let learnt = match refunds::settle::receive(tx, &app_terms, name, &report).await? {
                    None => returns::receive(tx, &app_terms, name, &report).await?,
                    learnt => learnt,
                };
                Ok(learnt.map(Told::Order))
            }
            learnt => Ok(Some(Told::Withdrawal(learnt))),
        };
        match app.transact(unit).await {
            Ok(Some(Told::Withdrawal(learnt))) => learnt.count(),
            Ok(Some(Told::Order(learnt))) => learnt.count(),
            Ok(None) => {
                tracing::warn!(provider = name, reference, "a bank told of an unknown payout");
            }
            // One failure must not block the rest of its batch.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| Err(undecided(error)))
}
