//! The state of Inter's slips, which are made some time after they were asked for.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::bacen::book::Webhook;
use crate::brcode;
use crate::clock::{day, local};
use crate::money;
use crate::notices::Content;
use crate::route::Dialect;
use crate::slip::Numbers;
use crate::world::World;

#[derive(Debug, Default)]
pub struct Titles {
    pub all: Vec<Title>,
    pub webhook: Option<Webhook>,
}

#[derive(Debug, Clone)]
pub struct Title {
    pub code: String,
    pub our_number: String,
    /// The bank's own number of the slip.
    pub bank_number: String,
    pub cents: i64,
    pub due_on: Date,
    pub payer: Value,
    pub created_at: Timestamp,
    pub changed_at: Timestamp,
    pub status: &'static str,
    pub received_cents: Option<i64>,
    pub origin: Option<&'static str>,
    pub payments: u32,
    pub reason: Option<String>,
    pub numbers: Numbers,
    pub txid: String,
    pub location: String,
    /// How often the merchant has asked for it.
    pub asks: u32,
}

impl Titles {
    pub fn find(&self, wanted: &str) -> Option<&Title> {
        let is_it = |title: &&Title| title.code == wanted || title.our_number == wanted;
        self.all.iter().find(is_it)
    }

    pub fn json(&self) -> Value {
        self.all
            .iter()
            .map(|title| {
                let mut value = title.json();
                value["payments"] = json!(title.payments);
                value["txid"] = json!(title.txid);
                value
            })
            .collect()
    }
}

impl Title {
    pub fn is_made(&self) -> bool {
        !matches!(self.status, "EM_PROCESSAMENTO" | "FALHA_EMISSAO")
    }

    pub fn copy_and_paste(&self) -> String {
        brcode::dynamic(&self.location, "EMPRESA DE TESTE", "BELO HORIZONTE")
    }

    /// Money is a JSON number here, and text in notices.
    pub fn json(&self) -> Value {
        let mut charge = json!({
            "codigoSolicitacao": self.code,
            "seuNumero": self.our_number,
            "dataEmissao": day(self.created_at),
            "dataVencimento": self.due_on.to_string(),
            "valorNominal": money::number(self.cents),
            "tipoCobranca": "SIMPLES",
            "situacao": self.status,
            "dataSituacao": day(self.changed_at),
            "arquivada": false,
            "descontos": [],
            "pagador": self.payer,
        });
        if let Some(cents) = self.received_cents {
            charge["valorTotalRecebido"] = money::number(cents);
        }
        if let Some(origin) = self.origin {
            charge["origemRecebimento"] = json!(origin);
        }
        if let Some(reason) = &self.reason {
            charge["motivoCancelamento"] = json!(reason);
        }
        let mut value = json!({ "cobranca": charge });
        if self.is_made() {
            value["boleto"] = json!({
                "nossoNumero": self.bank_number,
                "codigoBarras": self.numbers.bars,
                "linhaDigitavel": self.numbers.line,
            });
            value["pix"] = json!({ "txid": self.txid, "pixCopiaECola": self.copy_and_paste() });
        }
        value
    }
}

/// Says what became of a slip, in an array of one.
pub fn notify(world: &mut World, code: &str) {
    let titles = &world.titles;
    let (Some(title), Some(hook)) = (titles.find(code), &titles.webhook) else { return };
    let url = hook.url.clone();
    let body = json!([{
        "codigoSolicitacao": title.code,
        "seuNumero": title.our_number,
        "situacao": title.status,
        "dataHoraSituacao": local(title.changed_at).replace(' ', "T"),
        "valorTotalRecebido": title.received_cents.map(money::text),
        "origemRecebimento": title.origin,
        "nossoNumero": title.bank_number,
        "codigoBarras": title.numbers.bars,
        "linhaDigitavel": title.numbers.line,
        "txid": title.txid,
        "pixCopiaECola": title.copy_and_paste(),
    }]);
    world.notices.emit(Dialect::Inter, "slip", &url, &Content::Json(body));
}
