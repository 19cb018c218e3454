//! The state of one account's PIX side, and how it is written as JSON.

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::clock::instant;
use crate::money;
use crate::route::Dialect;
use crate::{brcode, tokens};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bank {
    Efi,
    Inter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Active,
    Done,
    RemovedByUser,
}

#[derive(Debug, Clone)]
pub struct Cob {
    pub txid: String,
    pub created_at: Timestamp,
    pub expires_in: i64,
    pub revision: u32,
    pub location_id: u64,
    pub location: String,
    pub status: Status,
    pub cents: i64,
    pub key: String,
    pub debtor: Option<Value>,
    pub note: Option<String>,
    pub extras: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct Received {
    pub e2e: String,
    pub txid: Option<String>,
    pub cents: i64,
    pub key: String,
    pub at: Timestamp,
    pub note: Option<String>,
    pub payer: Value,
    pub refunds: Vec<Refund>,
}

#[derive(Debug, Clone)]
pub struct Refund {
    pub id: String,
    pub rtr: String,
    pub cents: i64,
    pub asked_at: Timestamp,
    pub settled_at: Option<Timestamp>,
    pub status: RefundStatus,
    /// Only what the bank itself took back has a nature that is worth a word.
    pub nature: Option<String>,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundStatus {
    Processing,
    Done,
    Failed,
}

/// What the next refunds come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundOutcome {
    Pay,
    Refuse,
    Process,
}

#[derive(Debug, Clone)]
pub struct Webhook {
    pub url: String,
    pub created_at: Timestamp,
}

/// A fraud report against a received Pix.
#[derive(Debug, Clone)]
pub struct Infraction {
    pub id: String,
    pub protocol: u64,
    pub e2e: String,
    pub cents: i64,
    pub status: &'static str,
    pub defence: Option<String>,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug)]
pub struct PixBook {
    pub bank: Bank,
    pub charges: BTreeMap<String, Cob>,
    pub received: Vec<Received>,
    pub webhooks: BTreeMap<String, Webhook>,
    pub infractions: Vec<Infraction>,
    pub refund_outcomes: VecDeque<RefundOutcome>,
    pub balance_cents: i64,
    pub blocked_cents: i64,
    pub next_location: u64,
}

impl Bank {
    pub fn of(call: &Call) -> Self {
        if Dialect::of(call) == Some(Dialect::Inter) { Self::Inter } else { Self::Efi }
    }

    pub fn dialect(self) -> Dialect {
        match self {
            Self::Efi => Dialect::Efi,
            Self::Inter => Dialect::Inter,
        }
    }

    pub fn ispb(self) -> &'static str {
        match self {
            Self::Efi => "09089356",
            Self::Inter => "00416968",
        }
    }

    /// A part of the path, counted as if it began with `/v2/`.
    pub fn part(self, call: &Call, index: usize) -> &str {
        call.segment(index + usize::from(self == Self::Inter))
    }

    pub fn status(self, status: Status) -> &'static str {
        match (status, self) {
            (Status::Active, _) => "ATIVA",
            (Status::Done, _) => "CONCLUIDA",
            (Status::RemovedByUser, Self::Efi) => "REMOVIDA_PELO_USUARIO_RECEBEDOR",
            (Status::RemovedByUser, Self::Inter) => "REMOVIDO_PELO_USUARIO_RECEBEDOR",
        }
    }

    /// A location has no scheme.
    pub fn location(self, token: &str) -> String {
        match self {
            Self::Efi => format!("qrcodespix.sejaefi.com.br/v2/{token}"),
            Self::Inter => format!("spi-qrcode.bancointer.com.br/spi/pj/v2/{token}"),
        }
    }

    /// Whether errors are the central bank's, because its schema judges them.
    pub fn speaks_standard(self, call: &Call) -> bool {
        self == Self::Inter || tokens::is_attacker(call)
    }
}

impl PixBook {
    pub fn new(bank: Bank) -> Self {
        Self {
            bank,
            charges: BTreeMap::new(),
            received: Vec::new(),
            webhooks: BTreeMap::new(),
            infractions: Vec::new(),
            refund_outcomes: VecDeque::new(),
            balance_cents: 100_000_000,
            blocked_cents: 0,
            next_location: 1,
        }
    }

    pub fn find(&self, e2e: &str) -> Option<&Received> {
        self.received.iter().find(|received| received.e2e == e2e)
    }

    /// The whole charge, with the Pix that came for it.
    pub fn cob_json(&self, cob: &Cob, shape: Shape) -> Value {
        let mut value = cob.json(self.bank);
        let of_it = |received: &&Received| received.txid.as_deref() == Some(cob.txid.as_str());
        let paid: Vec<Value> =
            self.received.iter().filter(of_it).map(|received| received.json(shape)).collect();
        if !paid.is_empty() {
            value["pix"] = json!(paid);
        }
        value
    }

    pub fn json(&self) -> Value {
        let charges = self.charges.values().map(|cob| self.cob_json(cob, Shape::Inside));
        json!({
            "charges": charges.collect::<Vec<_>>(),
            "received": self.received.iter().map(|it| it.json(Shape::Whole)).collect::<Vec<_>>(),
            "webhooks": self.webhooks.iter().map(|(key, hook)| (key.clone(), json!(hook.url)))
                .collect::<serde_json::Map<_, _>>(),
            "infractions": self.infractions.len(),
            "balance_cents": self.balance_cents,
            "blocked_cents": self.blocked_cents,
        })
    }
}

impl Cob {
    /// An expired charge stays `ATIVA`: there is no status for it.
    pub fn is_payable(&self, now: Timestamp) -> bool {
        let ends = self.created_at.checked_add(SignedDuration::from_secs(self.expires_in));
        self.status == Status::Active && ends.is_ok_and(|ends| now <= ends)
    }

    pub fn copy_and_paste(&self) -> String {
        brcode::dynamic(&self.location, "EFISA", "SAOPAULO")
    }

    /// `loc.txid` is not in the central bank's text, but its schema demands it.
    pub fn json(&self, bank: Bank) -> Value {
        let mut value = json!({
            "calendario": { "criacao": instant(self.created_at), "expiracao": self.expires_in },
            "txid": self.txid,
            "revisao": self.revision,
            "loc": {
                "id": self.location_id,
                "location": self.location,
                "tipoCob": "cob",
                "criacao": instant(self.created_at),
                "txid": self.txid,
            },
            "location": self.location,
            "status": bank.status(self.status),
            "valor": { "original": money::text(self.cents) },
            "chave": self.key,
            "pixCopiaECola": self.copy_and_paste(),
        });
        let optional = [
            ("devedor", self.debtor.clone()),
            ("solicitacaoPagador", self.note.clone().map(Value::String)),
            ("infoAdicionais", self.extras.clone()),
        ];
        for (name, field) in optional {
            if let Some(field) = field {
                value[name] = field;
            }
        }
        value
    }
}

/// A Pix inside its charge has no key; one in a list of charges or alone has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Inside,
    Whole,
}

impl Received {
    pub fn json(&self, shape: Shape) -> Value {
        let mut value = json!({
            "endToEndId": self.e2e,
            "valor": money::text(self.cents),
            "horario": instant(self.at),
        });
        if shape == Shape::Whole {
            value["chave"] = json!(self.key);
        }
        if let Some(txid) = &self.txid {
            value["txid"] = json!(txid);
        }
        if let Some(note) = &self.note {
            value["infoPagador"] = json!(note);
        }
        if !self.refunds.is_empty() {
            value["devolucoes"] = self.refunds.iter().map(Refund::json).collect();
        }
        value
    }

    /// What is neither returned nor about to be.
    pub fn left_cents(&self) -> i64 {
        let gone = self.refunds.iter().filter(|refund| refund.status != RefundStatus::Failed);
        self.cents - gone.map(|refund| refund.cents).sum::<i64>()
    }
}

impl Refund {
    pub fn json(&self) -> Value {
        let mut value = json!({
            "id": self.id,
            "rtrId": self.rtr,
            "valor": money::text(self.cents),
            "horario": { "solicitacao": instant(self.asked_at) },
            "status": self.status.name(),
        });
        if let Some(settled_at) = self.settled_at {
            value["horario"]["liquidacao"] = json!(instant(settled_at));
        }
        if let Some(nature) = &self.nature {
            value["natureza"] = json!(nature);
        }
        if let Some(reason) = &self.reason {
            value["motivo"] = json!(reason);
        }
        value
    }
}

impl RefundStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Processing => "EM_PROCESSAMENTO",
            Self::Done => "DEVOLVIDO",
            Self::Failed => "NAO_REALIZADO",
        }
    }
}
