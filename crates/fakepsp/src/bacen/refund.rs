//! Refunds that the payee asks for.

use jiff::SignedDuration;

use super::book::{Bank, Received, Refund, RefundOutcome, RefundStatus};
use super::receive;
use super::refusal::{
    PIX_IS_UNKNOWN, REFUND_ID_IS_USED, REFUND_IS_TOO_LATE, REFUND_IS_TOO_MUCH, REFUND_IS_UNKNOWN,
    malformed,
};
use crate::call::{Answer, Call};
use crate::money;
use crate::reply::Reply;
use crate::world::World;

const DAYS_MAX: i64 = 90;

/// Always answers `EM_PROCESSAMENTO`; the outcome follows by notice.
pub fn create(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let (e2e, id) = (bank.part(call, 2).to_owned(), bank.part(call, 4).to_owned());
    let cents = asked_cents(call, bank, &id)?;
    let now = world.now();
    let rtr = world.ids.end_to_end('D', bank.ispb(), now);
    let unknown = PIX_IS_UNKNOWN.at(world.settings.efi_not_found);
    let book = world.book(bank);
    let is_used = |received: &Received| received.refunds.iter().any(|refund| refund.id == id);
    let received = book.received.iter_mut().find(|received| received.e2e == e2e);
    let received = received.ok_or_else(|| unknown.reply(call))?;
    if is_used(received) {
        return Err(REFUND_ID_IS_USED.reply(call));
    }
    if cents > received.left_cents() {
        return Err(REFUND_IS_TOO_MUCH.reply(call));
    }
    if now.duration_since(received.at) > SignedDuration::from_hours(24 * DAYS_MAX) {
        return Err(REFUND_IS_TOO_LATE.reply(call));
    }
    let refund = Refund {
        id: id.clone(),
        rtr,
        cents,
        asked_at: now,
        settled_at: None,
        status: RefundStatus::Processing,
        nature: None,
        reason: None,
    };
    let reply = Reply::json(201, &refund.json());
    received.refunds.push(refund);
    // One cent is refused in Efí's test environment, so that the refusal can be tested there.
    let is_refused_there = bank == Bank::Efi && cents == 1;
    let outcome = book.refund_outcomes.pop_front();
    let default = if is_refused_there { RefundOutcome::Refuse } else { RefundOutcome::Pay };
    match outcome.unwrap_or(default) {
        RefundOutcome::Pay => receive::settle(world, bank, &e2e, &id, true),
        RefundOutcome::Refuse => receive::settle(world, bank, &e2e, &id, false),
        RefundOutcome::Process => false,
    };
    Ok(reply)
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let status = world.settings.efi_not_found;
    let received = world.book(bank).find(bank.part(call, 2));
    let received = received.ok_or_else(|| PIX_IS_UNKNOWN.at(status).reply(call))?;
    let refund = received.refunds.iter().find(|refund| refund.id == bank.part(call, 4));
    let refund = refund.ok_or_else(|| REFUND_IS_UNKNOWN.at(status).reply(call))?;
    Ok(Reply::json(200, &refund.json()))
}

/// Efí's schema knows `valor` alone and refuses every other field.
fn asked_cents(call: &Call, bank: Bank, id: &str) -> Result<i64, Reply> {
    let fits = (1..=35).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !fits {
        return Err(malformed(call, ".params.id", "deve ter de 1 a 35 letras e números"));
    }
    let body = call.at("").and_then(serde_json::Value::as_object);
    let body = body.ok_or_else(|| malformed(call, ".body", "não é um objeto"))?;
    let known: &[&str] = match bank {
        Bank::Efi if !bank.speaks_standard(call) => &["valor"],
        _ => &["valor", "natureza", "descricao"],
    };
    if let Some(field) = body.keys().find(|field| !known.contains(&field.as_str())) {
        return Err(malformed(call, &format!(".body.{field}"), "campo não permitido"));
    }
    let cents = call.text_at("/valor").and_then(money::parse).filter(|cents| *cents > 0);
    cents.ok_or_else(|| malformed(call, ".body.valor", r"deve seguir \d{1,10}\.\d{2}"))
}
