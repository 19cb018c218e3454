//! Received payments (`/pix`): one by its end-to-end id, or all of a window of time.

use brazil::txid::is_end_to_end_id;
use db::time::Timestamp;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::pix::PixConfirmation;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::money;
use crate::bacen::refunds::{Refund, event};
use crate::bacen::session::Session;
use crate::failures::provider_error;

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
    refunds: Vec<Box<RawValue>>,
}

impl Session {
    /// What is known of a received payment: itself and its refunds; nothing if it is unknown.
    pub async fn received(&self, end_to_end_id: &str) -> Result<Page, ProviderError> {
        let call = Call::get("find_received_pix", &self.path("/pix")).segment(end_to_end_id);
        let mut page = Page::default();
        match self.ask::<Box<RawValue>>(call).await {
            Ok(pix) => read(&pix, &mut page),
            Err(Failure::NotFound { .. }) => {}
            Err(failure) => return Err(provider_error(failure)),
        }
        Ok(page)
    }

    /// A page of the payments received in a window, and of their refunds.
    pub async fn received_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&str>,
    ) -> Result<Page, ProviderError> {
        let call = Call::get("list_received_pix", &self.path("/pix"));
        self.page(call, (from, to), cursor, read).await
    }
}

/// Adds what an entry says. A refund that cannot be read does not hide its payment.
fn read(entry: &RawValue, page: &mut Page) {
    let pix = serde_json::from_str::<Pix>(entry.get()).ok();
    let Some((pix, received)) = pix.and_then(|pix| confirmation(&pix).map(|it| (pix, it))) else {
        page.unreadable.push(entry.get().to_owned());
        return;
    };
    page.events.push(Event::PixReceived(received));
    for refund in &pix.refunds {
        let read = serde_json::from_str::<Refund>(refund.get()).ok();
        match read.and_then(|refund| event(&pix.end_to_end_id, &refund)) {
            Some(event) => page.events.extend(event),
            None => page.unreadable.push(refund.get().to_owned()),
        }
    }
}

/// The payment of an entry, if its ids and its amount are sound.
pub fn confirmation(pix: &Pix) -> Option<PixConfirmation> {
    let named = pix.txid.is_empty() || is_name(&pix.txid);
    let amount = money(&pix.valor)?;
    (named && is_end_to_end_id(&pix.end_to_end_id)).then(|| PixConfirmation {
        txid: pix.txid.clone(),
        end_to_end_id: pix.end_to_end_id.clone(),
        amount,
        paid_at: pix.horario,
    })
}
