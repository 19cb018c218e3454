//! Immediate charges.

use serde_json::{Value, json};

use super::book::{Bank, Cob, Shape, Status};
use super::page::Window;
use super::receive::{self, Payment};
use super::refusal::{
    AMOUNT_IS_ZERO, BAD_CNPJ, BAD_CPF, COB_IS_NOT_ACTIVE, COB_IS_UNKNOWN, EXPIRY_IS_ZERO,
    KEY_IS_NOT_OURS, TXID_IS_USED, malformed,
};
use crate::call::{Answer, Call};
use crate::documents::{is_cnpj, is_cpf};
use crate::money;
use crate::reply::Reply;
use crate::world::World;

const EXPIRES_IN_DEFAULT: i64 = 86_400;
const KEY_MAX: usize = 77;
const NOTE_MAX: usize = 140;
/// Efí's test environment pays charges up to this at once.
const AUTOPAID_MAX_CENTS: i64 = 1_000;

pub fn create(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let txid = bank.part(call, 2).to_owned();
    if !is_txid(&txid) {
        return Err(malformed(call, ".params.txid", "deve ter de 26 a 35 letras e números"));
    }
    store(world, call, bank, &txid)
}

/// The bank chooses the txid.
pub fn create_unnamed(world: &mut World, call: &Call) -> Answer {
    let txid = world.ids.hex(32);
    store(world, call, Bank::of(call), &txid)
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let unknown = COB_IS_UNKNOWN.at(world.settings.efi_not_found);
    let book = world.book(bank);
    let cob = book.charges.get(bank.part(call, 2)).ok_or_else(|| unknown.reply(call))?;
    Ok(Reply::json(200, &book.cob_json(cob, Shape::Inside)))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let window = Window::read(call)?;
    let book = world.book(bank);
    let wanted = |cob: &&Cob| {
        let status = call.parameter("status").is_none_or(|it| it == bank.status(cob.status));
        window.holds(cob.created_at) && status
    };
    let mut cobs: Vec<&Cob> = book.charges.values().filter(wanted).collect();
    cobs.sort_by_key(|cob| cob.created_at);
    let items = cobs.into_iter().map(|cob| {
        let mut value = book.cob_json(cob, Shape::Whole);
        // The central bank's schema demands this in lists and nowhere says what it is; Efí's
        // refuses it.
        if bank.speaks_standard(call) {
            value["idCob"] = json!(cob.location_id);
        }
        value
    });
    let items = items.collect();
    Ok(Reply::json(200, &window.answer("cobs", items)))
}

pub fn update(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let txid = bank.part(call, 2).to_owned();
    let unknown = COB_IS_UNKNOWN.at(world.settings.efi_not_found);
    let mut cob = world.book(bank).charges.get(&txid).cloned();
    let cob = cob.as_mut().ok_or_else(|| unknown.reply(call))?;
    let body = call.at("").and_then(Value::as_object);
    let body = body.ok_or_else(|| malformed(call, ".body", "não é um objeto"))?;
    if cob.status != Status::Active {
        return Err(COB_IS_NOT_ACTIVE.reply(call));
    }
    let asks_removal = match call.at("/status") {
        None => false,
        Some(Value::String(text)) if text == "REMOVIDA_PELO_USUARIO_RECEBEDOR" => true,
        Some(_) => return Err(malformed(call, ".body.status", "valor não permitido")),
    };
    if asks_removal && body.len() > 1 {
        return Err(COB_IS_NOT_ACTIVE.reply(call));
    }
    if asks_removal {
        cob.status = Status::RemovedByUser;
    }
    revise(world, call, cob)?;
    cob.revision += 1;
    let reply = Reply::json(200, &cob.json(bank));
    world.book(bank).charges.insert(txid, cob.clone());
    Ok(reply)
}

/// The code as text, and what a browser could draw.
pub fn qrcode(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let wanted = bank.part(call, 2);
    let found = |cob: &&Cob| cob.location_id.to_string() == wanted;
    let cob = world.book(bank).charges.values().find(found);
    let cob = cob.ok_or_else(|| bank.dialect().not_found())?;
    let link = format!("https://pix.sejaefi.com.br/cob/pagar/{}", cob.txid);
    let value = json!({
        "qrcode": cob.copy_and_paste(),
        "imagemQrcode": "data:image/svg+xml;base64,PHN2Zy8+",
        "linkVisualizacao": link,
    });
    Ok(Reply::json(200, &value))
}

fn store(world: &mut World, call: &Call, bank: Bank, txid: &str) -> Answer {
    let mut cob = Cob {
        txid: txid.to_owned(),
        created_at: world.now(),
        expires_in: EXPIRES_IN_DEFAULT,
        revision: 0,
        location_id: 0,
        location: String::new(),
        status: Status::Active,
        cents: 0,
        key: String::new(),
        debtor: None,
        note: None,
        extras: None,
    };
    for field in ["valor", "chave", "calendario"] {
        if call.at(&format!("/{field}")).is_none() {
            return Err(malformed(call, &format!(".body.{field}"), "é obrigatório"));
        }
    }
    revise(world, call, &mut cob)?;
    if world.book(bank).charges.contains_key(txid) {
        return Err(TXID_IS_USED.reply(call));
    }
    let token = world.ids.hex(32);
    let book = world.book(bank);
    cob.location_id = book.next_location;
    cob.location = bank.location(&token);
    book.next_location += 1;
    let (cents, reply) = (cob.cents, Reply::json(201, &cob.json(bank)));
    book.charges.insert(txid.to_owned(), cob);
    if bank == Bank::Efi && world.settings.efi_homologation && cents <= AUTOPAID_MAX_CENTS {
        receive::pay_charge(world, bank, &Payment::of(txid, cents));
    }
    Ok(reply)
}

/// Takes over what the body holds of the fields that may be revised.
fn revise(world: &World, call: &Call, cob: &mut Cob) -> Result<(), Reply> {
    if let Some(value) = call.at("/valor") {
        let text = value.get("original").and_then(Value::as_str);
        let cents = text.and_then(money::parse);
        cob.cents = cents.ok_or_else(|| {
            malformed(call, ".body.valor.original", r"deve seguir \d{1,10}\.\d{2}")
        })?;
        if cob.cents == 0 {
            return Err(AMOUNT_IS_ZERO.reply(call));
        }
    }
    if let Some(value) = call.at("/chave") {
        let key = value.as_str().filter(|key| key.chars().count() <= KEY_MAX);
        key.ok_or_else(|| malformed(call, ".body.chave", "deve ser texto"))?
            .clone_into(&mut cob.key);
        if !world.owns(&cob.key) {
            return Err(KEY_IS_NOT_OURS.reply(call));
        }
    }
    if let Some(value) = call.at("/calendario") {
        let wrong = || malformed(call, ".body.calendario", "expiracao deve ser um inteiro");
        let calendar = value.as_object().ok_or_else(wrong)?;
        if let Some(seconds) = calendar.get("expiracao") {
            cob.expires_in = seconds.as_i64().ok_or_else(wrong)?;
            if cob.expires_in <= 0 {
                return Err(EXPIRY_IS_ZERO.reply(call));
            }
        }
    }
    if let Some(debtor) = call.at("/devedor") {
        cob.debtor = Some(checked_debtor(call, debtor)?);
    }
    if let Some(note) = call.at("/solicitacaoPagador") {
        let note = note.as_str().filter(|note| note.chars().count() <= NOTE_MAX);
        let wrong = || malformed(call, ".body.solicitacaoPagador", "deve ter até 140 caracteres");
        cob.note = Some(note.ok_or_else(wrong)?.to_owned());
    }
    if let Some(extras) = call.at("/infoAdicionais") {
        let pair = |extra: &Value| extra["nome"].is_string() && extra["valor"].is_string();
        let fits = extras.as_array().is_some_and(|list| list.len() <= 50 && list.iter().all(pair));
        if !fits {
            return Err(malformed(call, ".body.infoAdicionais", "deve ter até 50 pares"));
        }
        cob.extras = Some(extras.clone());
    }
    Ok(())
}

/// A name comes with exactly one document.
fn checked_debtor(call: &Call, debtor: &Value) -> Result<Value, Reply> {
    let text = |name: &str| debtor.get(name).map(|value| value.as_str().unwrap_or_default());
    let has_name = text("nome").is_some_and(|name| !name.is_empty());
    let (cpf, cnpj) = (text("cpf"), text("cnpj"));
    if !has_name || cpf.is_some() == cnpj.is_some() {
        return Err(malformed(call, ".body.devedor", "precisa de nome e de cpf ou cnpj"));
    }
    // A schema cannot know check digits, so its attacker's documents are only counted.
    let is_judged = !crate::tokens::is_attacker(call);
    if is_judged && cpf.is_some_and(|cpf| !is_cpf(cpf)) {
        return Err(BAD_CPF.reply(call));
    }
    if is_judged && cnpj.is_some_and(|cnpj| !is_cnpj(cnpj)) {
        return Err(BAD_CNPJ.reply(call));
    }
    Ok(debtor.clone())
}

fn is_txid(text: &str) -> bool {
    (26..=35).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
