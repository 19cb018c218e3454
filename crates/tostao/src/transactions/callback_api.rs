//! Callbacks by which banks report incoming payments.

use axum::extract::State;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::platform::error::Result;
use crate::providers::boleto::BoletoReceipt;
use crate::providers::callback::Callback;
use crate::providers::pix::PixReceipt;
use crate::transactions::arrival::Arrival;
use crate::transactions::receive::{Charge, Received, receive};
use crate::transactions::terms::Terms;

/// POST /providers/{provider}/pix
///
/// Answers after the commit; a bank that hears nothing calls again, and is understood.
pub async fn pix(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    deliver_pix(&app, &callback).await.map(|()| StatusCode::OK)
}

/// POST /providers/{provider}/boleto
///
/// The same for slips that were paid by their barcode.
pub async fn boleto(State(app): State<App>, callback: Callback) -> Result<StatusCode> {
    deliver_boleto(&app, &callback).await.map(|()| StatusCode::OK)
}

/// Accepts PIX confirmations, whatever their origin.
pub async fn deliver_pix(app: &App, callback: &Callback) -> Result<()> {
    let provider = app.providers.pix_named(&callback.provider);
    let apply = |provider, receipt: PixReceipt| {
        let arrival = Arrival::from(&receipt);
        take_in(app, provider, arrival, receipt.txid, |txid| Charge::Txid(txid))
    };
    callback.apply_each(provider, apply).await
}

/// Accepts boleto confirmations, whatever their origin.
pub async fn deliver_boleto(app: &App, callback: &Callback) -> Result<()> {
    let provider = app.providers.boleto_named(&callback.provider);
    let apply = |provider, receipt: BoletoReceipt| {
        let arrival = Arrival::from(&receipt);
        take_in(app, provider, arrival, receipt.our_number, |number| Charge::Slip(number))
    };
    callback.apply_each(provider, apply).await
}

async fn take_in(
    app: &App,
    provider: &'static str,
    arrival: Arrival,
    name: String,
    charge: fn(&str) -> Charge<'_>,
) -> Result<()> {
    let (terms, mode, of) = (Terms::of(app), app.providers.mode_of(provider), name.clone());
    let unit =
        async move |tx: &Tx| receive(tx, &terms, (provider, mode), charge(&of), &arrival).await;
    if app.transact(unit).await? == Received::Unknown {
        tracing::warn!(provider, name, "money arrived that no charge can take and is kept");
    }
    Ok(())
}
