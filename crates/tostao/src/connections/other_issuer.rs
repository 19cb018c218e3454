//! Payments of charges that another connection issued: both have the same account, so each reports
//! the same money. The connection that issued a charge books it; the other one keeps a difference,
//! of which one for each connection is open at a time.

use std::sync::Arc;

use db::tx::Tx;

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference, Status};
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::providers::connections::registry::LiveConnection;
use crate::transactions::incoming_payment::IncomingPayment;
use crate::transactions::owners;
use crate::transactions::receive::{ChargeReference, receive_once};

/// Whether another connection issued the charge of a payment, which is not booked here then.
pub async fn is_of_other(
    app: &App,
    live: &LiveConnection,
    incoming: &IncomingPayment,
    (name, charge): (&str, fn(&str) -> ChargeReference<'_>),
) -> Result<bool> {
    let others = others(app, live);
    let reported: (Arc<str>, String) = (live.name.as_str().into(), incoming.payment_id.clone());
    // With one connection there is nothing to find, and what is known was found out before.
    if others.is_empty() || app.recent_reports.get(&reported).is_some() {
        return Ok(false);
    }
    let (own, named) = (live.name.clone(), name.to_owned());
    let found = async move |tx: &Tx| issuer(tx, &own, &others, charge(&named)).await;
    let Some(issuer) = app.lookup(found).await? else { return Ok(false) };
    let payment_id = incoming.payment_id.as_str();
    tracing::warn!(
        connection = live.name,
        issuer,
        payment_id,
        "a payment is of another connection's charge"
    );
    let difference = NewDifference::new(live.id, Kind::OtherConnection, issuer.clone())
        .of(incoming.amount)
        .with("connection", issuer)
        .with("paymentId", payment_id)
        .with("charge", name)
        .with("at", incoming.paid_at.to_string());
    let (provider, connection, id) = (live.name.clone(), live.id, incoming.payment_id.clone());
    let unit = async move |tx: &Tx| {
        // From here on the payment is known to this connection, and is never booked by it.
        if receive_once(tx, &provider, &id).await? && !is_open(tx, connection, &difference).await? {
            differences::insert(tx, &difference).await?;
        }
        Ok(())
    };
    app.transact(unit).await?;
    app.recent_reports.note(reported, ());
    Ok(true)
}

/// The other connections that issue charges that are paid by PIX or as boletos; those that this
/// server cannot use may have issued some.
fn others(app: &App, live: &LiveConnection) -> Vec<String> {
    let registry = app.providers.registry();
    let issues = |other: &&Arc<LiveConnection>| {
        let serves = &other.connected;
        other.id != live.id && (serves.pix.is_some() || serves.boleto.is_some())
    };
    let others = registry.all().filter(issues).map(|other| other.name.clone());
    others.chain(registry.unusable().map(str::to_owned)).collect()
}

/// Which of the other connections issued a charge.
async fn issuer(
    tx: &Tx,
    own: &str,
    others: &[String],
    charge: ChargeReference<'_>,
) -> Result<Option<String>> {
    if let ChargeReference::Txid(txid) = charge {
        let issuer = owners::issuer_of_txid(tx, txid).await?;
        return Ok(issuer.filter(|issuer| others.contains(issuer)));
    }
    // Two banks may name a boleto alike.
    if owners::of_named(tx, own, charge).await?.is_some() {
        return Ok(None);
    }
    for other in others {
        if owners::of_named(tx, other, charge).await?.is_some() {
            return Ok(Some(other.clone()));
        }
    }
    Ok(None)
}

/// Whether the difference with the same other connection is open.
async fn is_open(tx: &Tx, connection: ConnectionId, new: &NewDifference) -> Result<bool> {
    let named = (connection, Kind::OtherConnection, &*new.reference);
    let known = differences::find_named(tx, named).await?;
    Ok(known.is_some_and(|known| known.status == Status::Open))
}
