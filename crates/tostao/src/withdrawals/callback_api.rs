//! Callbacks by which banks report the results of payouts.

use std::future::ready;
use std::sync::Arc;

use axum::extract::State;
use db::tx::Tx;
use http::StatusCode;
use rails::entries::{Entry, Unreadable};
use rails::payout::PayoutReport;
use uuid::Uuid;

use crate::app::App;
use crate::platform::error::Result;
use crate::platform::telemetry::{refund_ended, withdrawal_ended};
use crate::providers::callback::Callback;
use crate::providers::orders::{OutcomeCounter, Reconciled, named_by_bank};
use crate::transactions::{self, refunds, returns};
use crate::withdrawals::settle;
use crate::withdrawals::terms::WithdrawalTerms;

/// The effect of a report on the order that it is about, if we know it.
type ReportEffect = Option<(Reconciled, OutcomeCounter)>;

/// POST /providers/{provider}/payouts
///
/// Responds after the commit. A bank that gets no response calls again, which has no effect.
pub async fn payouts(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    deliver(&app, &callback).await.map(|()| StatusCode::OK)
}

/// Accepts a confirmation, whatever its origin.
pub async fn deliver(app: &App, callback: &Callback) -> Result<()> {
    let provider = app.providers.sandbox_payouts_named(&callback.provider);
    let apply = |entry| take_in(app, &callback.provider, entry);
    callback.apply_each(provider, apply, |_| ready(Ok(()))).await
}

/// An unreadable entry is logged and skipped: its payout stays pending, and the bank is polled.
async fn take_in(app: &App, provider: &Arc<str>, entry: Entry<PayoutReport>) -> Result<()> {
    let report = match entry {
        Ok(report) => report,
        Err(Unreadable { reference, .. }) => {
            // What is no reference of ours may be about a person.
            let reference = Uuid::try_parse(&reference).ok().map(|_| reference);
            tracing::error!(%provider, reference, "a bank's report of a payout cannot be read");
            return Ok(());
        }
    };
    if !apply(app, provider, &report).await? {
        let reference = report.reference;
        tracing::warn!(%provider, reference, "a bank reported an unknown payout");
    }
    Ok(())
}

/// Applies a bank's report about a payout, which may be a withdrawal, a refund or a return; false
/// if none of them was ordered from it under this reference.
pub async fn apply(app: &App, provider: &Arc<str>, report: &PayoutReport) -> Result<bool> {
    let (of_payments, terms) =
        (transactions::terms::PaymentTerms::of(app), WithdrawalTerms::of(app));
    let (report, bank) = (report.clone(), provider.clone());
    let unit = async move |tx: &Tx| -> Result<ReportEffect> {
        let report = with_reference(tx, &bank, &report).await?;
        if let Some(withdrawal) = settle::receive(tx, &terms, &bank, &report).await? {
            return Ok(Some((withdrawal, withdrawal_ended as OutcomeCounter)));
        }
        let order = match refunds::settle::receive(tx, &of_payments, &bank, &report).await? {
            None => returns::receive(tx, &of_payments, &bank, &report).await?,
            refund => refund,
        };
        Ok(order.map(|order| (order, refund_ended as OutcomeCounter)))
    };
    let effect = app.transact(unit).await?;
    if let Some((reconciled, count)) = &effect {
        reconciled.count(*count);
    }
    Ok(effect.is_some())
}

/// The report with our reference, where the bank names the order by its own code alone.
async fn with_reference(tx: &Tx, provider: &str, report: &PayoutReport) -> Result<PayoutReport> {
    let mut report = report.clone();
    if let (None, Some(code)) = (&report.reference, &report.bank_code) {
        report.reference = named_by_bank(tx, provider, code).await?;
    }
    Ok(report)
}
