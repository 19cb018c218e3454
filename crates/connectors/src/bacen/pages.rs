//! Lists in pages, which the standard counts from 0.

use db::time::Timestamp;
use rails::connection::{Event, Page};
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;

use crate::bacen::session::Session;
use crate::failures::provider_error;

const PER_PAGE: &str = "100";
const FIRST: &str = "0";

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
    /// A page of a list of what happened in a window of time; `read` reads an entry, if it can.
    pub async fn page(
        &self,
        call: Call,
        (from, to): (Timestamp, Timestamp),
        cursor: Option<&str>,
        read: impl Fn(&RawValue) -> Option<Vec<Event>>,
    ) -> Result<Page, ProviderError> {
        let call = call
            .query("inicio", &from.to_string())
            .query("fim", &to.to_string())
            .query("paginacao.paginaAtual", cursor.unwrap_or(FIRST))
            .query("paginacao.itensPorPagina", PER_PAGE);
        let listed: Listed = self.ask(call).await.map_err(provider_error)?;
        let Paging { page, pages } = listed.parametros.paginacao;
        let next = page.saturating_add(1);
        let next = (next < pages).then(|| next.to_string());
        let mut whole = Page { events: Vec::new(), unreadable: Vec::new(), next };
        for entry in &listed.pix {
            match read(entry) {
                Some(events) => whole.events.extend(events),
                None => whole.unreadable.push(entry.get().to_owned()),
            }
        }
        Ok(whole)
    }
}
