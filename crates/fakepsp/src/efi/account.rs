//! Balance, fraud reports, and notices once more.

use serde_json::{Value, json};

use super::payout;
use crate::bacen::book::Bank;
use crate::bacen::page::Window;
use crate::bacen::receive;
use crate::bacen::refusal::malformed;
use crate::call::{Answer, Call};
use crate::money;
use crate::reply::Reply;
use crate::world::World;

const RESENT_MAX: usize = 1_000;

pub fn balance(world: &mut World, call: &Call) -> Answer {
    let (balance, blocked) = (world.efi_pix.balance_cents, world.efi_pix.blocked_cents);
    let mut value = json!({ "saldo": money::text(balance - blocked) });
    if call.parameter("bloqueios") == Some("true") {
        let med = money::text(blocked);
        value["bloqueios"] = json!({ "judicial": "0.00", "med": med, "total": med });
    }
    Ok(Reply::json(200, &value))
}

pub fn infractions(world: &mut World, call: &Call) -> Answer {
    let window = Window::read(call)?;
    let book = &world.efi_pix;
    let inside = book.infractions.iter().filter(|it| window.holds(it.opened_at));
    let items = inside.map(|infraction| {
        let received_at = book.find(&infraction.e2e).map(|received| received.at);
        receive::infraction_json(infraction, received_at)
    });
    let items: Vec<Value> = items.collect();
    Ok(Reply::json(200, &window.answer("infracoes", items)))
}

pub fn defend(world: &mut World, call: &Call) -> Answer {
    let text = call.text_at("/justificativa");
    if call.text_at("/analise") != Some("rejeitado") || text.is_none() {
        return Err(malformed(call, ".body", "analise e justificativa são obrigatórias"));
    }
    let now = world.now();
    let id = call.segment(3);
    let infraction = world.efi_pix.infractions.iter_mut().find(|it| it.id == id);
    let unknown = || {
        Reply::problem(404, "InfracaoNaoEncontrada", "Não Encontrado", "Infração não encontrada.")
    };
    let infraction = infraction.ok_or_else(unknown)?;
    if infraction.status != "ABERTA" {
        let text = "A defesa para essa infração já foi criada.";
        return Err(Reply::problem(409, "InfracaoOperacaoInvalida", "Operação Inválida", text));
    }
    infraction.status = "EM_DEFESA";
    infraction.defence = text.map(str::to_owned);
    infraction.updated_at = now;
    Ok(Reply::empty(201))
}

/// Sends notices of up to a thousand Pix once more.
pub fn resend(world: &mut World, call: &Call) -> Answer {
    let ids = call.at("/e2eids").and_then(Value::as_array);
    let ids = ids.filter(|ids| (1..=RESENT_MAX).contains(&ids.len()));
    let ids = ids.ok_or_else(|| malformed(call, ".body.e2eids", "deve ter de 1 a 1000 itens"))?;
    let ids: Vec<String> = ids.iter().filter_map(|id| Some(id.as_str()?.to_owned())).collect();
    match call.text_at("/tipo") {
        Some("PIX_RECEBIDO" | "DEVOLUCAO_ENVIADA") => {
            for e2e in &ids {
                receive::notify(world, Bank::Efi, e2e, "resent");
            }
        }
        Some("PIX_ENVIADO" | "DEVOLUCAO_RECEBIDA") => {
            let sent = world.efi_payouts.all.iter().filter(|payout| ids.contains(&payout.e2e));
            let sent: Vec<String> = sent.map(|payout| payout.id.clone()).collect();
            for id in &sent {
                payout::notify(world, id, "resent");
            }
        }
        _ => return Err(malformed(call, ".body.tipo", "valor não permitido")),
    }
    Ok(Reply::empty(202))
}
