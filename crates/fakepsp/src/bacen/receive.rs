//! Money that arrives by PIX and money that the bank takes back, with the notices about both.

use serde_json::{Value, json};

use super::book::{Bank, Infraction, PixBook, Received, Refund, RefundStatus, Shape, Status};
use crate::clock::instant;
use crate::money;
use crate::notices::Content;
use crate::world::World;

/// Where all payers have their accounts.
pub const PAYERS_BANK: &str = "60746948";

/// A payer's transfer.
#[derive(Debug, Clone)]
pub struct Payment {
    /// Absent for a transfer to the key alone.
    pub txid: Option<String>,
    pub key: Option<String>,
    pub cents: i64,
    pub note: Option<String>,
}

impl Payment {
    pub fn of(txid: &str, cents: i64) -> Self {
        Self { txid: Some(txid.to_owned()), key: None, cents, note: None }
    }
}

/// Pays a charge and completes it, if it is still active. Returns the end-to-end id.
pub fn pay_charge(world: &mut World, bank: Bank, payment: &Payment) -> String {
    let now = world.now();
    let e2e = world.ids.end_to_end('E', PAYERS_BANK, now);
    let book = world.book(bank);
    let cob = payment.txid.as_ref().and_then(|txid| book.charges.get_mut(txid));
    let mut key = payment.key.clone().unwrap_or_default();
    if let Some(cob) = cob {
        key.clone_from(&cob.key);
        if cob.status == Status::Active {
            cob.status = Status::Done;
        }
    }
    book.balance_cents += payment.cents;
    book.received.push(Received {
        e2e: e2e.clone(),
        txid: payment.txid.clone(),
        cents: payment.cents,
        key,
        at: now,
        note: payment.note.clone(),
        payer: json!({
            "nome": "Pagador de Teste",
            "cpf": "***.456.789-**",
            "codigoBanco": PAYERS_BANK,
        }),
        refunds: Vec::new(),
    });
    notify(world, bank, &e2e, "received");
    e2e
}

/// Settles a refund that was in process, or makes one after all that had failed.
pub fn settle(world: &mut World, bank: Bank, e2e: &str, id: &str, done: bool) -> bool {
    let now = world.now();
    let book = world.book(bank);
    let Some(refund) = refund_mut(book, e2e, id) else { return false };
    let is_open = match refund.status {
        RefundStatus::Processing => true,
        RefundStatus::Failed => done,
        RefundStatus::Done => false,
    };
    if !is_open {
        return false;
    }
    refund.status = if done { RefundStatus::Done } else { RefundStatus::Failed };
    refund.settled_at = done.then_some(now);
    refund.reason = (!done).then(|| "Saldo insuficiente para realizar a devolução.".to_owned());
    let cents = refund.cents;
    if done {
        book.balance_cents -= cents;
    }
    notify(world, bank, e2e, "refunded");
    true
}

/// Opens a fraud report and blocks the money.
pub fn open_infraction(world: &mut World, bank: Bank, e2e: &str, cents: i64) -> Option<String> {
    let now = world.now();
    let id = world.ids.uuid();
    let protocol = world.ids.digits(6).parse().unwrap_or(1);
    let book = world.book(bank);
    let left = book.find(e2e)?.left_cents();
    book.blocked_cents += cents.min(left);
    book.infractions.push(Infraction {
        id: id.clone(),
        protocol,
        e2e: e2e.to_owned(),
        cents,
        status: "ABERTA",
        defence: None,
        opened_at: now,
        updated_at: now,
    });
    Some(id)
}

/// Ends a fraud report; says which Pix it is about, and how much of it. A rejection may be revised.
pub fn close_infraction(
    world: &mut World,
    bank: Bank,
    id: &str,
    status: &'static str,
) -> Option<(String, i64)> {
    let now = world.now();
    let book = world.book(bank);
    let is_undone = |it: &&mut Infraction| it.id == id && it.status != "ACEITA";
    let infraction = book.infractions.iter_mut().find(is_undone)?;
    infraction.status = status;
    infraction.updated_at = now;
    let (e2e, cents) = (infraction.e2e.clone(), infraction.cents);
    book.blocked_cents = (book.blocked_cents - cents).max(0);
    Some((e2e, cents))
}

/// Opens a rejected fraud report again, as of the instant at which it was opened first.
pub fn reopen_infraction(world: &mut World, bank: Bank, id: &str) -> bool {
    let book = world.book(bank);
    let is_rejected = |it: &&mut Infraction| it.id == id && it.status == "REJEITADA";
    let Some(infraction) = book.infractions.iter_mut().find(is_rejected) else { return false };
    infraction.status = "ABERTA";
    infraction.updated_at = infraction.opened_at;
    book.blocked_cents += infraction.cents;
    true
}

/// Ends a fraud report and takes the money back.
pub fn accept_infraction(world: &mut World, bank: Bank, id: &str) -> bool {
    let closed = close_infraction(world, bank, id, "ACEITA");
    closed.is_some_and(|(e2e, cents)| take_back(world, bank, &e2e, (cents, "MED_FRAUDE"), None))
}

/// A refund that the payee did not order by the API, under an id of its own if none is given.
pub fn take_back(
    world: &mut World,
    bank: Bank,
    e2e: &str,
    (cents, nature): (i64, &str),
    rtr: Option<String>,
) -> bool {
    let now = world.now();
    let rtr = rtr.unwrap_or_else(|| world.ids.end_to_end('D', bank.ispb(), now));
    let id = world.ids.hex(32);
    let book = world.book(bank);
    let Some(received) = book.received.iter_mut().find(|it| it.e2e == e2e) else { return false };
    received.refunds.push(Refund {
        id,
        rtr,
        cents,
        asked_at: now,
        settled_at: Some(now),
        status: RefundStatus::Done,
        nature: Some(nature.to_owned()),
        reason: None,
    });
    book.balance_cents -= cents;
    notify(world, bank, e2e, "taken_back");
    true
}

/// Says what is known of a Pix to the key's webhook, as after every change of it.
pub fn notify(world: &mut World, bank: Bank, e2e: &str, kind: &str) {
    let book = world.book(bank);
    let Some(received) = book.find(e2e) else { return };
    // A Pix without a txid is not notified.
    if received.txid.is_none() {
        return;
    }
    let Some(hook) = book.webhooks.get(&received.key) else { return };
    let url = pix_address(&hook.url);
    let body = json!({ "pix": [notice(bank, received)] });
    world.notices.emit(bank.dialect(), kind, &url, &Content::Json(body));
}

/// The bank appends a part to the address, unless its end says that it is to be ignored.
pub fn pix_address(url: &str) -> String {
    if url.contains("ignorar=") {
        return url.to_owned();
    }
    format!("{}/pix", url.trim_end_matches('/'))
}

fn notice(bank: Bank, received: &Received) -> Value {
    let mut value = received.json(Shape::Whole);
    if bank == Bank::Efi && received.refunds.is_empty() {
        value["gnExtras"] = json!({ "pagador": received.payer, "tarifa": "0.00" });
    }
    value
}

fn refund_mut<'book>(book: &'book mut PixBook, e2e: &str, id: &str) -> Option<&'book mut Refund> {
    let received = book.received.iter_mut().find(|received| received.e2e == e2e)?;
    received.refunds.iter_mut().find(|refund| refund.id == id)
}

/// A fraud report as Efí lists it.
pub fn infraction_json(infraction: &Infraction, received_at: Option<jiff::Timestamp>) -> Value {
    let person = json!({
        "nomeParticipante": "BANCO DE TESTE", "conta": 10_001,
        "nome": "Pagador de Teste", "documento": "12345678909",
    });
    let due = infraction.opened_at + jiff::SignedDuration::from_hours(7 * 24);
    let mut value = json!({
        "idInfracao": infraction.id,
        "endToEndId": infraction.e2e,
        "protocolo": infraction.protocol,
        "dataTransacao": instant(received_at.unwrap_or(infraction.opened_at)),
        "valor": money::number(infraction.cents),
        "status": infraction.status,
        "razao": "Solicitacao de devolução",
        "tipoSituacao": "golpe",
        "identificadorTicket": [94],
        "dadosAnalise": {
            "abertura": instant(infraction.opened_at),
            "prazoFinalizacao": instant(due),
        },
        "origem": person,
        "destino": person,
        "criadoEm": instant(infraction.opened_at),
        "atualizadoEm": instant(infraction.updated_at),
    });
    if let Some(defence) = &infraction.defence {
        value["defesa"] = json!(defence);
    }
    value
}
