//! Windows of time and their pages.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::refusal::{WINDOW_IS_REVERSED, malformed};
use crate::call::Call;
use crate::reply::Reply;

const ITEMS_DEFAULT: usize = 100;
const ITEMS_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Window {
    begin: Timestamp,
    end: Timestamp,
    parameters: Value,
    page: usize,
    size: usize,
}

impl Window {
    /// Reads what every list demands, and echoes it in `parametros`.
    pub fn read(call: &Call) -> Result<Self, Reply> {
        let instant = |name: &str| {
            let text = call.parameter(name)?;
            Some((text.to_owned(), text.parse::<Timestamp>().ok()?))
        };
        let (Some((begin_text, begin)), Some((end_text, end))) =
            (instant("inicio"), instant("fim"))
        else {
            return Err(malformed(call, ".query", "inicio e fim são obrigatórios (RFC 3339)"));
        };
        if end < begin {
            return Err(WINDOW_IS_REVERSED.reply(call));
        }
        let number = |name: &str, default: usize| match call.parameter(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| malformed(call, ".query", name)),
        };
        let page = number("paginacao.paginaAtual", 0)?;
        let size = number("paginacao.itensPorPagina", ITEMS_DEFAULT)?;
        if !(1..=ITEMS_MAX).contains(&size) {
            return Err(malformed(call, ".query", "paginacao.itensPorPagina"));
        }
        let parameters = json!({ "inicio": begin_text, "fim": end_text });
        Ok(Self { begin, end, parameters, page, size })
    }

    pub fn holds(&self, at: Timestamp) -> bool {
        self.begin <= at && at <= self.end
    }

    /// One page of the items, and `parametros` with the count of all.
    pub fn answer(mut self, name: &str, items: Vec<Value>) -> Value {
        let count = items.len();
        let first = self.page.saturating_mul(self.size);
        let on_page: Vec<Value> = items.into_iter().skip(first).take(self.size).collect();
        self.parameters["paginacao"] = json!({
            "paginaAtual": self.page,
            "itensPorPagina": self.size,
            "quantidadeDePaginas": count.div_ceil(self.size).max(1),
            "quantidadeTotalDeItens": count,
        });
        json!({ "parametros": self.parameters, name: on_page })
    }
}
