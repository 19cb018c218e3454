//! Pix that the account sends, and its balance.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::problem::{self, invalid};
use crate::bacen::book::{Bank, Webhook};
use crate::call::{Answer, Call};
use crate::clock::local;
use crate::efi::payout::Outcome;
use crate::money;
use crate::notices::Content;
use crate::reply::Reply;
use crate::route::Dialect;
use crate::world::World;

#[derive(Debug, Default)]
pub struct Transfers {
    pub all: Vec<Transfer>,
    pub outcomes: VecDeque<Outcome>,
    pub webhook: Option<Webhook>,
}

#[derive(Debug, Clone)]
pub struct Transfer {
    pub idempotency_key: Option<String>,
    pub code: String,
    pub e2e: String,
    pub cents: i64,
    pub key: String,
    pub body: Value,
    pub asked_at: Timestamp,
    pub history: Vec<(&'static str, Timestamp)>,
    pub error: Option<String>,
    pub returned_cents: Vec<i64>,
}

impl Transfer {
    fn status(&self) -> &'static str {
        self.history.last().map_or("CRIADO", |(status, _)| status)
    }

    fn is_paid(&self) -> bool {
        matches!(self.status(), "PAGO" | "PIX_PAGO")
    }

    fn json(&self) -> Value {
        let errors: Vec<Value> = self.error.iter().map(|code| error_json(code)).collect();
        let history = self.history.iter().map(|(status, at)| {
            json!({ "status": status, "dataHoraEvento": local(*at).replace(' ', "T") })
        });
        json!({
            "transacaoPix": {
                "codigoSolicitacao": self.code,
                "endToEnd": self.e2e,
                "valor": money::number(self.cents),
                "chave": self.key,
                "status": self.status(),
                "erros": errors,
                "dataHoraSolicitacao": local(self.asked_at).replace(' ', "T"),
                "dataHoraMovimento": self.history.last()
                    .map(|(_, at)| local(*at).replace(' ', "T")),
            },
            "historico": history.collect::<Vec<_>>(),
        })
    }
}

impl Transfers {
    pub fn json(&self) -> Value {
        let transfers = self.all.iter().map(|transfer| {
            let mut value = transfer.json();
            value["idempotency_key"] = json!(transfer.idempotency_key);
            value["returned_cents"] = json!(transfer.returned_cents);
            value
        });
        transfers.collect()
    }
}

/// The same key twice is one payment: the first answer comes again.
pub fn create(world: &mut World, call: &Call) -> Answer {
    let key = call.header("x-id-idempotente").map(str::to_owned);
    let before = key.as_ref().and_then(|key| {
        world.transfers.all.iter().find(|it| it.idempotency_key.as_ref() == Some(key))
    });
    if let Some(before) = before {
        if Some(&before.body) != call.json.as_ref() {
            let detail = "A chave de idempotência já foi usada com outro conteúdo.";
            return Err(problem::reply(409, "Conflito", detail));
        }
        return Ok(Reply::json(200, &created(before)));
    }
    let (cents, pix_key) = read(call)?;
    let outcome = world.transfers.outcomes.pop_front().unwrap_or(Outcome::Pay);
    if let Outcome::Reject { status, name, text } = &outcome {
        return Err(problem::reply(*status, name, text));
    }
    if cents > world.inter_pix.balance_cents {
        return Err(problem::reply(400, "Requisição inválida", "Saldo insuficiente."));
    }
    let now = world.now();
    let transfer = Transfer {
        idempotency_key: key,
        code: world.ids.uuid(),
        e2e: world.ids.end_to_end('E', Bank::Inter.ispb(), now),
        cents,
        key: pix_key,
        body: call.json.clone().unwrap_or_default(),
        asked_at: now,
        history: vec![("CRIADO", now)],
        error: None,
        returned_cents: Vec::new(),
    };
    let code = transfer.code.clone();
    let mut reply = created(&transfer);
    world.inter_pix.balance_cents -= cents;
    world.transfers.all.push(transfer);
    if outcome == Outcome::Process {
        change(world, &code, "AGUARDANDO_APROVACAO", None);
        reply["tipoRetorno"] = json!("APROVACAO");
    }
    follow(world, &code, outcome);
    Ok(Reply::json(200, &reply))
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let code = call.segment(3);
    let transfer = world.transfers.all.iter().find(|transfer| transfer.code == code);
    let unknown = || problem::reply(404, "Não encontrado", "Pagamento não encontrado.");
    Ok(Reply::json(200, &transfer.ok_or_else(unknown)?.json()))
}

pub fn balance(world: &mut World, _: &Call) -> Answer {
    let book = &world.inter_pix;
    let value = json!({
        "disponivel": money::number(book.balance_cents - book.blocked_cents),
        "bloqueadoCheque": 0,
        "bloqueadoJudicialmente": 0,
        "bloqueadoAdministrativo": money::number(book.blocked_cents),
        "limite": 0,
    });
    Ok(Reply::json(200, &value))
}

/// Lets an outcome happen to a payout. Returns whether there is one of this code.
pub fn follow(world: &mut World, code: &str, outcome: Outcome) -> bool {
    if !world.transfers.all.iter().any(|transfer| transfer.code == code) {
        return false;
    }
    match outcome {
        Outcome::Pay => change(world, code, "PAGO", None),
        Outcome::Refuse { code: error } => change(world, code, "FALHA", Some(error)),
        Outcome::Process | Outcome::Reject { .. } => {}
        Outcome::Return { parts_cents } => {
            change(world, code, "PAGO", None);
            let transfer = world.transfers.all.iter_mut().find(|it| it.code == code);
            if let Some(transfer) = transfer {
                world.inter_pix.balance_cents += parts_cents.iter().sum::<i64>();
                transfer.returned_cents.extend(parts_cents);
            }
        }
        Outcome::Contradict => {
            change(world, code, "FALHA", Some("AC03".to_owned()));
            change(world, code, "PAGO", None);
        }
    }
    true
}

fn change(world: &mut World, code: &str, status: &'static str, error: Option<String>) {
    let now = world.now();
    let Some(transfer) = world.transfers.all.iter_mut().find(|it| it.code == code) else { return };
    let failed_before = transfer.error.is_some();
    transfer.history.push((status, now));
    transfer.error = error;
    let cents = transfer.cents;
    match (failed_before, transfer.error.is_some()) {
        (false, true) => world.inter_pix.balance_cents += cents,
        (true, false) => world.inter_pix.balance_cents -= cents,
        _ => {}
    }
    notify(world, code);
}

fn notify(world: &mut World, code: &str) {
    let transfers = &world.transfers;
    let transfer = transfers.all.iter().find(|transfer| transfer.code == code);
    let (Some(transfer), Some(hook)) = (transfer, &transfers.webhook) else { return };
    let url = hook.url.clone();
    let errors: Vec<Value> = transfer.error.iter().map(|code| error_json(code)).collect();
    let body = json!([{
        "codigoSolicitacao": transfer.code,
        "endToEnd": transfer.e2e,
        "valor": money::text(transfer.cents),
        "status": transfer.status(),
        "tipoMovimentacao": "PIX",
        "erros": errors,
        "dataHoraSolicitacao": local(transfer.asked_at).replace(' ', "T"),
        "dataHoraMovimento": transfer.history.last().map(|(_, at)| local(*at).replace(' ', "T")),
    }]);
    world.notices.emit(Dialect::Inter, "payout", &url, &Content::Json(body));
}

fn created(transfer: &Transfer) -> Value {
    let mut value = json!({
        "tipoRetorno": "PROCESSADO",
        "codigoSolicitacao": transfer.code,
        "dataPagamento": crate::clock::day(transfer.asked_at),
        "dataOperacao": crate::clock::day(transfer.asked_at),
    });
    if transfer.is_paid() {
        value["endToEndId"] = json!(transfer.e2e);
    }
    value
}

fn error_json(code: &str) -> Value {
    json!({ "codigoErro": code, "descricaoErro": "Pagamento não realizado." })
}

fn read(call: &Call) -> Result<(i64, String), Reply> {
    // Money is a number in this body; the SDK of the bank writes it as text, which is taken, too.
    let cents = match call.at("/valor") {
        Some(Value::Number(number)) => money::parse_number(number),
        Some(Value::String(text)) => text.parse().ok().and_then(|it| money::parse_number(&it)),
        _ => None,
    };
    let cents = cents.filter(|cents| *cents > 0).ok_or_else(|| invalid("valor", "é inválido"))?;
    if call.text_at("/destinatario/tipo") != Some("CHAVE") {
        return Err(invalid("destinatario.tipo", "deve ser CHAVE"));
    }
    let key = call.text_at("/destinatario/chave").filter(|key| !key.is_empty());
    let key = key.ok_or_else(|| invalid("destinatario.chave", "é obrigatório"))?;
    Ok((cents, key.to_owned()))
}
