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
use crate::failures::provider_error;

const PER_PAGE: u32 = 100;
/// Where the first page begins: pages are counted from 0.
const FIRST: &str = "0";

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

#[derive(Deserialize)]
struct Listed {
    parametros: Parameters,
    #[serde(default)]
    pix: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Parameters {
    paginacao: Paging,
}

#[derive(Deserialize)]
struct Paging {
    #[serde(rename = "paginaAtual")]
    page: u64,
    #[serde(rename = "quantidadeDePaginas")]
    pages: u64,
}

impl Session {
    /// What is known of a received payment: itself and its refunds; empty if it is unknown.
    pub async fn received(&self, end_to_end_id: &str) -> Result<Vec<Event>, ProviderError> {
        let call = Call::get("find_received_pix", &self.path("/pix")).segment(end_to_end_id);
        match self.ask::<Box<RawValue>>(call).await {
            Ok(pix) => events(&pix).map_err(|text| {
                let bytes = text.len();
                ProviderError::Unknown(format!("a payment of {bytes} bytes cannot be read"))
            }),
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
        let call = Call::get("list_received_pix", &self.path("/pix"))
            .query("inicio", &from.to_string())
            .query("fim", &to.to_string())
            .query("paginacao.paginaAtual", cursor.unwrap_or(FIRST))
            .query("paginacao.itensPorPagina", &PER_PAGE.to_string());
        let listed: Listed = self.ask(call).await.map_err(provider_error)?;
        let Paging { page, pages } = listed.parametros.paginacao;
        let next = (page.saturating_add(1) < pages).then(|| (page + 1).to_string());
        let mut read = Page { events: Vec::new(), unreadable: Vec::new(), next };
        for pix in &listed.pix {
            match events(pix) {
                Ok(events) => read.events.extend(events),
                Err(text) => read.unreadable.push(text),
            }
        }
        Ok(read)
    }
}

/// What an entry says; the entry itself if it cannot be read.
fn events(entry: &RawValue) -> Result<Vec<Event>, String> {
    let unreadable = || entry.get().to_owned();
    let pix: Pix = serde_json::from_str(entry.get()).map_err(|_| unreadable())?;
    let received = confirmation(&pix).ok_or_else(unreadable)?;
    let mut events = vec![Event::PixReceived(received)];
    for refund in &pix.refunds {
        events.extend(event(&pix.end_to_end_id, refund).ok_or_else(unreadable)?);
    }
    Ok(events)
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
