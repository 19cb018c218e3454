//! Pix that the account sends.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bacen::book::Bank;
use crate::bacen::receive::{PAYERS_BANK, pix_address};
use crate::bacen::refusal::{KEY_IS_NOT_OURS, malformed};
use crate::call::{Answer, Call};
use crate::clock::instant;
use crate::money;
use crate::notices::Content;
use crate::reply::Reply;
use crate::route::Dialect;
use crate::world::World;

#[derive(Debug, Clone)]
pub struct Payout {
    pub id: String,
    pub e2e: String,
    pub cents: i64,
    pub payer_key: String,
    pub note: Option<String>,
    pub payee_key: String,
    pub asked_at: Timestamp,
    pub settled_at: Option<Timestamp>,
    pub status: Status,
    pub error: Option<String>,
    pub returns: Vec<Return>,
}

#[derive(Debug, Clone)]
pub struct Return {
    pub rtr: String,
    pub cents: i64,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Processing,
    Done,
    Failed,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Processing => "EM_PROCESSAMENTO",
            Self::Done => "REALIZADO",
            Self::Failed => "NAO_REALIZADO",
        }
    }
}

/// What the next payouts come to, at Efí and at Inter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Pay,
    /// Not carried out, with a code such as AC03.
    Refuse {
        #[serde(default = "wrong_account")]
        code: String,
    },
    /// Stays in process until the test says more.
    Process,
    /// Paid, and then comes back in parts.
    Return {
        parts_cents: Vec<i64>,
    },
    /// First not carried out, then carried out after all.
    Contradict,
    /// Refused in the answer to the request; nothing is created.
    Reject {
        status: u16,
        name: String,
        text: String,
    },
}

fn wrong_account() -> String {
    "AC03".to_owned()
}

#[derive(Debug, Default)]
pub struct Payouts {
    pub all: Vec<Payout>,
    pub outcomes: VecDeque<Outcome>,
}

/// What a well-formed request asks for.
struct Order {
    cents: i64,
    payer_key: String,
    note: Option<String>,
    payee_key: String,
    document: Option<String>,
}

pub fn create(world: &mut World, call: &Call) -> Answer {
    let id = call.segments.last().cloned().unwrap_or_default();
    let order = read(call, &id)?;
    if !world.owns(&order.payer_key) {
        return Err(KEY_IS_NOT_OURS.reply(call));
    }
    if world.efi_payouts.all.iter().any(|payout| payout.id == id) {
        let text = "O id de envio informado já foi utilizado em outro pagamento";
        return Err(Reply::named(409, "id_envio_duplicado", text));
    }
    if !world.efi_pix.webhooks.contains_key(&order.payer_key) {
        let text = "A chave do pagador precisa de um webhook associado";
        return Err(Reply::named(400, "webhook_nao_cadastrado", text));
    }
    let holder = world.settings.holders.get(&order.payee_key);
    if holder.is_some_and(|holder| order.document.as_ref().is_some_and(|it| it != holder)) {
        let text = "O cpf do favorecido é diferente do documento em posse da chave";
        return Err(Reply::named(400, "chave_nao_pertence_ao_documento", text));
    }
    let outcome = world.efi_payouts.outcomes.pop_front();
    let outcome = outcome.unwrap_or_else(|| default(world, order.cents));
    if let Outcome::Reject { status, name, text } = &outcome {
        return Err(Reply::named(*status, name, text));
    }
    if order.cents > world.efi_pix.balance_cents - world.efi_pix.blocked_cents {
        return Err(Reply::named(400, "saldo_insuficiente", "Saldo insuficiente na conta"));
    }
    let now = world.now();
    let payout = Payout {
        e2e: world.ids.end_to_end('E', Bank::Efi.ispb(), now),
        id: id.clone(),
        cents: order.cents,
        payer_key: order.payer_key,
        note: order.note,
        payee_key: order.payee_key,
        asked_at: now,
        settled_at: None,
        status: Status::Processing,
        error: None,
        returns: Vec::new(),
    };
    let reply = Reply::json(
        201,
        &json!({
            "idEnvio": payout.id,
            "endToEndId": payout.e2e,
            "valor": money::text(payout.cents),
            "horario": { "solicitacao": instant(now) },
            "status": payout.status.name(),
        }),
    );
    world.efi_pix.balance_cents -= payout.cents;
    world.efi_payouts.all.push(payout);
    follow(world, &id, outcome);
    Ok(reply)
}

/// Lets an outcome happen to a payout. Returns whether there is one with this id.
pub fn follow(world: &mut World, id: &str, outcome: Outcome) -> bool {
    if !world.efi_payouts.all.iter().any(|payout| payout.id == id) {
        return false;
    }
    match outcome {
        Outcome::Pay => end(world, id, None),
        Outcome::Refuse { code } => end(world, id, Some(code)),
        Outcome::Process | Outcome::Reject { .. } => {}
        Outcome::Return { parts_cents } => {
            end(world, id, None);
            for cents in parts_cents {
                give_back(world, id, cents);
            }
        }
        Outcome::Contradict => {
            end(world, id, Some(wrong_account()));
            end(world, id, None);
        }
    }
    true
}

fn end(world: &mut World, id: &str, error: Option<String>) {
    let now = world.now();
    let Some(payout) = world.efi_payouts.all.iter_mut().find(|it| it.id == id) else { return };
    let before = payout.status;
    payout.status = if error.is_some() { Status::Failed } else { Status::Done };
    payout.settled_at = error.is_none().then_some(now);
    payout.error = error;
    let (after, cents) = (payout.status, payout.cents);
    match (before == Status::Failed, after == Status::Failed) {
        (false, true) => world.efi_pix.balance_cents += cents,
        (true, false) => world.efi_pix.balance_cents -= cents,
        _ => {}
    }
    notify(world, id, "payout");
}

fn give_back(world: &mut World, id: &str, cents: i64) {
    let now = world.now();
    let rtr = world.ids.end_to_end('D', PAYERS_BANK, now);
    let Some(payout) = world.efi_payouts.all.iter_mut().find(|it| it.id == id) else { return };
    if payout.status == Status::Done {
        payout.returns.push(Return { rtr, cents, at: now });
        world.efi_pix.balance_cents += cents;
        notify(world, id, "payout_returned");
    }
}

pub fn notify(world: &mut World, id: &str, kind: &str) {
    let Some(payout) = world.efi_payouts.all.iter().find(|it| it.id == id) else { return };
    let Some(hook) = world.efi_pix.webhooks.get(&payout.payer_key) else { return };
    let (url, body) = (pix_address(&hook.url), json!({ "pix": [notice(payout)] }));
    world.notices.emit(Dialect::Efi, kind, &url, &Content::Json(body));
}

fn notice(payout: &Payout) -> Value {
    let mut value = json!({
        "endToEndId": payout.e2e,
        "chave": payout.payer_key,
        "tipo": "SOLICITACAO",
        "status": payout.status.name(),
        "valor": money::text(payout.cents),
        "horario": payout.settled_at.map(instant),
        "gnExtras": { "idEnvio": payout.id },
    });
    if let Some(code) = &payout.error {
        value["gnExtras"]["erro"] = json!({
            "codigo": code,
            "origem": "PSP do usuário recebedor",
            "motivo": "Ordem de pagamento não realizada",
        });
    }
    if !payout.returns.is_empty() {
        value["devolucoes"] = payout.returns.iter().map(Return::json).collect();
    }
    value
}

impl Return {
    pub fn json(&self) -> Value {
        json!({
            "rtrId": self.rtr,
            "valor": money::text(self.cents),
            "horario": instant(self.at),
        })
    }
}

/// Efí's test environment decides by the amount.
fn default(world: &World, cents: i64) -> Outcome {
    let denied = || Outcome::Reject {
        status: 422,
        name: "pagamento_negado".to_owned(),
        text: "Pagamento negado por análises".to_owned(),
    };
    match cents {
        _ if !world.settings.efi_homologation => Outcome::Pay,
        400 => Outcome::Return { parts_cents: vec![200, 200] },
        500 => Outcome::Return { parts_cents: vec![500] },
        ..=1_000 => Outcome::Pay,
        1_001..=2_000 => Outcome::Refuse { code: wrong_account() },
        _ => denied(),
    }
}

/// Every key that the schema does not know is refused.
fn read(call: &Call, id: &str) -> Result<Order, Reply> {
    let fits = (1..=35).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !fits {
        return Err(malformed(call, ".params.idEnvio", "deve ter de 1 a 35 letras e números"));
    }
    let known: [(&str, &[&str]); 3] = [
        ("", &["valor", "pagador", "favorecido"]),
        ("/pagador", &["chave", "infoPagador"]),
        ("/favorecido", &["chave", "cpf", "cnpj"]),
    ];
    for (pointer, fields) in known {
        let path = format!(".body{}", pointer.replace('/', "."));
        let object = call.at(pointer).and_then(Value::as_object);
        let object = object.ok_or_else(|| malformed(call, &path, "é obrigatório"))?;
        if let Some(field) = object.keys().find(|field| !fields.contains(&field.as_str())) {
            return Err(malformed(call, &format!("{path}.{field}"), "campo não permitido"));
        }
    }
    let text = |pointer: &str| call.text_at(pointer).map(str::to_owned);
    let demanded =
        |pointer: &str| text(pointer).ok_or_else(|| malformed(call, pointer, "deve ser texto"));
    let cents = demanded("/valor")?;
    let cents = money::parse(&cents).filter(|cents| *cents > 0);
    let wrong = || Reply::named(400, "valor_invalido", "Campo valor deve ser maior que zero");
    Ok(Order {
        cents: cents.ok_or_else(wrong)?,
        payer_key: demanded("/pagador/chave")?,
        note: text("/pagador/infoPagador"),
        payee_key: demanded("/favorecido/chave")?,
        document: text("/favorecido/cpf").or_else(|| text("/favorecido/cnpj")),
    })
}
