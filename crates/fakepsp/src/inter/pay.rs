//! Payers of Inter's slips.

use serde_json::{Value, json};

use super::slips::notify;
use crate::world::World;

/// Pays a slip by its bars or its PIX code, or gives it a status without money.
pub fn slip(
    world: &mut World,
    wanted: &str,
    cents: Option<i64>,
    times: u32,
    by: &str,
) -> Result<Value, String> {
    let now = world.now();
    let is_it = |it: &&mut super::slips::Title| it.code == wanted || it.our_number == wanted;
    let title = world.titles.all.iter_mut().find(is_it).ok_or("there is no such slip")?;
    title.changed_at = now;
    let code = title.code.clone();
    let status = match by {
        "boleto" | "pix" => "RECEBIDO",
        "marked" => "MARCADO_RECEBIDO",
        "expired" => "EXPIRADO",
        "late" => "ATRASADO",
        "failed" => "FALHA_EMISSAO",
        "protest" => "PROTESTO",
        _ => return Err(format!("no slip is paid by {by}")),
    };
    title.status = status;
    if status != "RECEBIDO" {
        notify(world, &code);
        return Ok(json!({ "codigoSolicitacao": code }));
    }
    let cents = cents.unwrap_or(title.cents);
    title.origin = Some(if by == "pix" { "PIX" } else { "BOLETO" });
    for _ in 0..times {
        if let Some(title) = world.titles.all.iter_mut().find(|title| title.code == code) {
            title.payments += 1;
            title.received_cents = Some(title.received_cents.unwrap_or(0) + cents);
        }
        world.inter_pix.balance_cents += cents;
        notify(world, &code);
    }
    Ok(json!({ "codigoSolicitacao": code }))
}
