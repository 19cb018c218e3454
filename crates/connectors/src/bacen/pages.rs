//! Lists in pages, which the standard counts from 0.

use db::time::Timestamp;
use rails::connection::Page;
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;

use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error};

const PER_PAGE: &str = "100";
const FIRST: &str = "0";

#[derive(Deserialize)]
struct Listed {
    parametros: Parameters,
    /// Each list has a name of its own.
    #[serde(default, alias = "pix", alias = "infracoes")]
    entries: Vec<Box<RawValue>>,
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
    /// A page of a list of what happened in a window of time; `read` adds what an entry says.
    pub async fn page(
        &self,
        call: Call,
        (from, to): (Timestamp, Timestamp),
        cursor: Option<&str>,
        read: impl Fn(&RawValue, &mut Page),
    ) -> Result<Page, ProviderError> {
        let wanted = cursor.unwrap_or(FIRST);
        let call = call
            .query("inicio", &from.to_string())
            .query("fim", &to.to_string())
            .query("paginacao.paginaAtual", wanted)
            .query("paginacao.itensPorPagina", PER_PAGE);
        let listed: Listed = self.ask(call).await.map_err(provider_error)?;
        let Paging { page, pages } = listed.parametros.paginacao;
        // A bank that ignores the number would be asked for ever, or its pages skipped.
        if page.to_string() != wanted {
            return Err(contradiction("another page was asked for"));
        }
        let next = page.saturating_add(1);
        let next = (next < pages).then(|| next.to_string());
        let mut whole = Page { next, ..Page::default() };
        for entry in &listed.entries {
            read(entry, &mut whole);
        }
        Ok(whole)
    }
}
