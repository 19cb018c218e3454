//! Received payments (`/pix`): one by its end-to-end id, or all of a window of time.

use brazil::money::parse_decimal;
use brazil::txid::is_end_to_end_id;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::pix::PixConfirmation;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::refunds::{Refund, event};
use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error};

/// A received payment as the bank answers it.
#[derive(Debug, Deserialize)]
pub struct Pix {
    #[serde(rename = "endToEndId")]
    pub end_to_end_id: String,
    /// Missing where the payer entered a key instead of a code.
    #[serde(default)]
    pub txid: String,
    pub valor: String,
    pub horario: Timestamp,
    #[serde(default, rename = "devolucoes")]
    pub refunds: Vec<Refund>,
}

impl Session {
    /// What is known of a received payment: itself and its refunds; empty if it is unknown.
    pub async fn received(&self, end_to_end_id: &str) -> Result<Vec<Event>, ProviderError> {
        let call = Call::get("find_received_pix", &self.path("/pix")).segment(end_to_end_id);
        match self.ask::<Box<RawValue>>(call).await {
            Ok(pix) => events(&pix).ok_or_else(|| contradiction("the payment cannot be read")),
            Err(Failure::NotFound) => Ok(Vec::new()),
            Err(failure) => Err(provider_error(failure)),
        }
    }

    /// A page of the payments received in a window, and of their refunds.
    pub async fn received_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&str>,
    ) -> Result<Page, ProviderError> {
        let call = Call::get("list_received_pix", &self.path("/pix"));
        self.page(call, (from, to), cursor, events).await
    }
}

/// What an entry says, if it can be read.
fn events(entry: &RawValue) -> Option<Vec<Event>> {
    let pix: Pix = serde_json::from_str(entry.get()).ok()?;
    let received = confirmation(&pix)?;
    let mut events = vec![Event::PixReceived(received)];
    for refund in &pix.refunds {
        events.extend(event(&pix.end_to_end_id, refund)?);
    }
    Some(events)
}

/// The payment of an entry, if its ids and its amount are sound.
pub fn confirmation(pix: &Pix) -> Option<PixConfirmation> {
    let named = pix.txid.is_empty() || is_name(&pix.txid);
    let amount = parse_decimal(&pix.valor).map(Cents::new)?;
    (named && is_end_to_end_id(&pix.end_to_end_id) && amount > Cents::ZERO).then(|| {
        PixConfirmation {
            txid: pix.txid.clone(),
            end_to_end_id: pix.end_to_end_id.clone(),
            amount,
            paid_at: pix.horario,
        }
    })
}
