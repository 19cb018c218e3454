//! What becomes of charges after their order: paid, failed, disputed.

use serde::Deserialize;
use serde_json::{Value, json};

use super::account::emit;
use super::payables;
use crate::world::World;

/// A chargeback, and how it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispute {
    #[default]
    Open,
    /// Contested, and the part that takes the money is listed later, when it is `Open`.
    Unlisted,
    Won,
    Lost,
}

/// Captures a charge and makes its receivables.
pub fn settle(world: &mut World, id: &str, cents: i64) {
    let now = world.now();
    let authorization = world.ids.digits(6);
    let Some(charge) = world.pagarme.charge_mut(id) else { return };
    charge.status = match cents {
        _ if cents < charge.cents && charge.last.status == "with_error" => "underpaid",
        _ if cents > charge.cents => "overpaid",
        _ => "paid",
    };
    charge.paid_cents = cents;
    charge.paid_at = Some(now);
    charge.updated_at = now;
    charge.last.status = "captured";
    charge.last.is_success = true;
    charge.last.cents = cents;
    charge.last.return_code = Some("00".to_owned());
    charge.last.authorization.get_or_insert(authorization);
    charge.last.at = now;
    let kind = match charge.status {
        "underpaid" => "charge.underpaid",
        "overpaid" => "charge.overpaid",
        _ => "charge.paid",
    };
    payables::make(world, id);
    emit(world, "order.paid", id);
    emit(world, kind, id);
}

pub fn fail(world: &mut World, id: &str) {
    emit(world, "order.payment_failed", id);
    emit(world, "charge.payment_failed", id);
}

/// Ends a charge that the acquirer left in process: by its own card, or by the amount that came; or
/// one that the antifraud holds, which `reproved` fails.
pub fn confirm(
    world: &mut World,
    id: &str,
    cents: Option<i64>,
    by: Option<&str>,
) -> Result<Value, String> {
    let now = world.now();
    let charge = world.pagarme.charge_mut(id).ok_or("there is no such charge")?;
    if charge.last.status == "analyzing" {
        return analyzed(world, id, by != Some("reproved"));
    }
    if charge.status != "processing" {
        return Err(format!("the charge is {}, not processing", charge.status));
    }
    if charge.card.card.number == "4000000000000044" && cents.is_none() {
        charge.status = "failed";
        charge.updated_at = now;
        fail(world, id);
        return Ok(json!({ "status": "failed" }));
    }
    let cents = cents.unwrap_or(charge.cents);
    settle(world, id, cents);
    Ok(json!({ "status": "paid" }))
}

fn analyzed(world: &mut World, id: &str, is_approved: bool) -> Result<Value, String> {
    let now = world.now();
    let charge = world.pagarme.charge_mut(id).ok_or("there is no such charge")?;
    let cents = charge.cents;
    if is_approved {
        emit(world, "charge.antifraud_approved", id);
        settle(world, id, cents);
        return Ok(json!({ "status": "paid" }));
    }
    charge.status = "failed";
    charge.updated_at = now;
    charge.last.status = "not_authorized";
    charge.last.is_antifraud_refusal = true;
    emit(world, "charge.antifraud_reproved", id);
    fail(world, id);
    Ok(json!({ "status": "failed" }))
}

/// The card's holder objects, and the acquirer takes the money or gives it again.
pub fn dispute(
    world: &mut World,
    id: &str,
    cents: Option<i64>,
    outcome: Dispute,
) -> Result<Value, String> {
    let now = world.now();
    let charge = world.pagarme.charge_mut(id).ok_or("there is no such charge")?;
    let cents = cents.unwrap_or(charge.paid_cents - charge.canceled_cents);
    charge.updated_at = now;
    charge.last.at = now;
    match outcome {
        Dispute::Open | Dispute::Unlisted => {
            charge.status = "chargedback";
            charge.last.status = "chargedback";
            if outcome == Dispute::Open {
                payables::take_back(world, id, cents, "chargeback");
            }
            emit(world, "charge.chargedback", id);
        }
        Dispute::Won => {
            charge.status = "paid";
            charge.last.status = "captured";
            payables::give_again(world, id, cents);
            emit(world, "charge.paid", id);
        }
        Dispute::Lost => emit(world, "charge.chargedback", id),
    }
    Ok(json!({}))
}
