//! Questions about sent Pix.

use serde_json::{Value, json};

use super::payout::{Payout, Return};
use crate::bacen::page::Window;
use crate::call::{Answer, Call};
use crate::clock::instant;
use crate::money;
use crate::reply::Reply;
use crate::world::World;

pub fn get_by_id(world: &mut World, call: &Call) -> Answer {
    let id = call.segments.last().map_or("", String::as_str);
    let payout = world.efi_payouts.all.iter().find(|payout| payout.id == id);
    payout.map(|payout| Reply::json(200, &json(payout))).ok_or_else(|| unknown("idEnvio"))
}

pub fn get_by_e2e(world: &mut World, call: &Call) -> Answer {
    let e2e = call.segments.last().map_or("", String::as_str);
    let payout = world.efi_payouts.all.iter().find(|payout| payout.e2e == e2e);
    payout.map(|payout| Reply::json(200, &json(payout))).ok_or_else(|| unknown("e2eId"))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let window = Window::read(call)?;
    let wanted = |payout: &&Payout| {
        let status = call.parameter("status").is_none_or(|it| it == payout.status.name());
        window.holds(payout.asked_at) && status
    };
    let items = world.efi_payouts.all.iter().filter(wanted).map(json).collect();
    Ok(Reply::json(200, &window.answer("pix", items)))
}

pub fn json(payout: &Payout) -> Value {
    let mut value = json!({
        "endToEndId": payout.e2e,
        "idEnvio": payout.id,
        "valor": money::text(payout.cents),
        "chave": payout.payer_key,
        "status": payout.status.name(),
        "horario": { "solicitacao": instant(payout.asked_at) },
        "favorecido": { "chave": payout.payee_key },
    });
    if let Some(at) = payout.settled_at {
        value["horario"]["liquidacao"] = json!(instant(at));
    }
    if let Some(note) = &payout.note {
        value["infoPagador"] = json!(note);
    }
    if let Some(code) = &payout.error {
        let motive = "Ordem de pagamento não realizada";
        value["gnExtras"] = json!({ "erro": { "codigo": code, "motivo": motive } });
    }
    if !payout.returns.is_empty() {
        value["devolucoes"] = payout.returns.iter().map(Return::json).collect();
    }
    value
}

fn unknown(by: &str) -> Reply {
    let text = format!("Pix enviado não encontrado para o {by} informado.");
    Reply::problem(404, "PixEnviadoNaoEncontrado", "Não Encontrado", &text)
}
