//! Callbacks by which banks report incoming payments.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use db::tx::Tx;
use http::StatusCode;
use rails::boleto::BoletoConfirmation;
use rails::entries::{Entry, Unreadable};
use rails::pix::PixConfirmation;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;
use crate::providers::callback::Callback;
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::receive::{ChargeReference, Received, is_received, receive};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{owners, unknown};

/// POST /providers/{provider}/pix
///
/// Responds after the commit. A bank that gets no response calls again, which has no effect.
pub async fn pix(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    deliver_pix(&app, &callback).await.map(|()| StatusCode::OK)
}

/// POST /providers/{provider}/boleto
///
/// The same for boletos that were paid by their barcode.
pub async fn boleto(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    deliver_boleto(&app, &callback).await.map(|()| StatusCode::OK)
}

/// Accepts PIX confirmations, whatever their origin.
pub async fn deliver_pix(app: &App, callback: &Callback) -> Result<()> {
    let provider = app.providers.sandbox_named(&callback.provider);
    let apply = |entry: Entry<PixConfirmation>| {
        let entry = entry.map(|receipt| (IncomingPayment::from(&receipt), receipt.txid));
        apply_payment(app, &callback.provider, Rail::Pix, entry, |txid| ChargeReference::Txid(txid))
    };
    let accept = |reports| accept_reports(app, &callback.provider, Rail::Pix, reports);
    callback.apply_each(provider, apply, accept).await
}

/// Accepts boleto confirmations, whatever their origin.
pub async fn deliver_boleto(app: &App, callback: &Callback) -> Result<()> {
    let provider = app.providers.sandbox_named(&callback.provider);
    let apply = |entry: Entry<BoletoConfirmation>| {
        let entry = entry.map(|receipt| (IncomingPayment::from(&receipt), receipt.bank_code));
        apply_payment(app, &callback.provider, Rail::Boleto, entry, |code| {
            ChargeReference::Boleto(code)
        })
    };
    let accept = |reports| accept_reports(app, &callback.provider, Rail::Boleto, reports);
    callback.apply_each(provider, apply, accept).await
}

async fn apply_payment(
    app: &App,
    provider: &Arc<str>,
    rail: Rail,
    entry: Entry<(IncomingPayment, String)>,
    charge: fn(&str) -> ChargeReference<'_>,
) -> Result<()> {
    let (incoming, name) = match entry {
        Ok(readable) => readable,
        Err(unreadable) => return keep_unreadable(app, provider, rail, unreadable).await,
    };
    receive_payment(app, provider, incoming, name, charge).await.map(drop)
}

/// Books a payment that a provider has reported or, when asked, confirmed; safe to repeat.
pub async fn receive_payment(
    app: &App,
    provider: &Arc<str>,
    incoming: IncomingPayment,
    name: String,
    charge: fn(&str) -> ChargeReference<'_>,
) -> Result<Received> {
    let reported = (provider.clone(), incoming.payment_id.clone());
    if app.recent_reports.get(&reported).is_some() && is_applied(app, reported.clone()).await? {
        return Ok(Received::Already);
    }
    let mode = app.providers.mode_of(provider);
    let (terms, of, bank) = (PaymentTerms::of(app), name.clone(), provider.clone());
    let merchant = merchant_of(app, provider, &name, charge).await?;
    let unit =
        async move |tx: &Tx| receive(tx, &terms, (&bank, mode), charge(&of), &incoming).await;
    let received = match merchant {
        Some(merchant) => app.transact_for(merchant, unit).await?,
        None => app.transact(unit).await?,
    };
    app.recent_reports.note(reported, ());
    if received == Received::Unknown {
        tracing::warn!(%provider, name, "a payment matches no charge and awaits review");
    }
    Ok(received)
}

/// Whether a report was applied before, so that a repetition need not wait for the writer to find
/// out the same.
async fn is_applied(app: &App, (provider, payment_id): (Arc<str>, String)) -> Result<bool> {
    app.lookup(async move |tx| is_received(tx, &provider, &payment_id).await).await
}

/// Whose charge is named, if that is worth knowing before the unit that locks it; a charge of late
/// is known without asking the database.
async fn merchant_of(
    app: &App,
    provider: &Arc<str>,
    name: &str,
    charge: fn(&str) -> ChargeReference<'_>,
) -> Result<Option<MerchantId>> {
    if !app.database.has_lanes() {
        return Ok(None);
    }
    if let ChargeReference::Txid(txid) = charge(name)
        && let Some(merchant) = app.recent_charges.get(txid)
    {
        return Ok(Some(merchant));
    }
    let (bank, name) = (provider.clone(), name.to_owned());
    app.lookup(async move |tx| owners::of_named(tx, &bank, charge(&name)).await).await
}

/// The bank is asked to send the message again until the report can be read, or an administrator
/// has closed it.
async fn keep_unreadable(
    app: &App,
    provider: &Arc<str>,
    rail: Rail,
    unreadable: Unreadable,
) -> Result<()> {
    let mode = app.providers.mode_of(provider);
    let provider = provider.clone();
    let unit =
        async move |tx: &Tx| unknown::keep_unreadable(tx, mode, &provider, rail, &unreadable).await;
    if app.transact(unit).await? {
        return Err(Error::Unavailable("a payment of the message cannot be read yet".into()));
    }
    Ok(())
}

async fn accept_reports(
    app: &App,
    provider: &Arc<str>,
    rail: Rail,
    reports: BTreeSet<String>,
) -> Result<()> {
    let provider = provider.clone();
    let unit = async move |tx: &Tx| unknown::accept_reports(tx, &provider, rail, &reports).await;
    app.transact(unit).await
}
