//! Reading, capturing and giving back charges.

use serde_json::{Value, json};

use super::account::{emit, not_found};
use super::{idempotency, orders, outcome, payables};
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::world::World;

pub fn get(world: &mut World, call: &Call) -> Answer {
    let account = &world.pagarme;
    let charge = account.charge(call.segment(3)).ok_or_else(|| not_found("Charge"))?;
    Ok(Reply::json(200, &account.charge_json(charge)))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let account = &world.pagarme;
    let wanted = |charge: &&super::account::Charge| {
        call.parameter("code").is_none_or(|code| code == charge.code)
            && call.parameter("order_id").is_none_or(|order| order == charge.order)
            && call.parameter("status").is_none_or(|status| status == charge.status)
    };
    let charges = account.charges.iter().rev().filter(wanted);
    let charges: Vec<Value> = charges.map(|charge| account.charge_json(charge)).collect();
    Ok(Reply::json(200, &orders::page(call, charges)))
}

pub fn capture(world: &mut World, call: &Call) -> Answer {
    idempotency::once(world, call, |world, call| {
        let id = call.segment(3).to_owned();
        let charge = world.pagarme.charge(&id).ok_or_else(|| not_found("Charge"))?;
        if charge.last.status != "authorized_pending_capture" {
            return Err(failed("This charge can not be captured."));
        }
        let cents = call.at("/amount").map_or(Some(charge.cents), Value::as_i64);
        let cents = cents.filter(|cents| (1..=charge.cents).contains(cents));
        let cents = cents.ok_or_else(|| failed("The amount is invalid."))?;
        outcome::settle(world, &id, cents);
        let account = &world.pagarme;
        Ok(Reply::json(200, &json!(account.charge(&id).map(|it| account.charge_json(it)))))
    })
}

/// Wholly or in part; there is no refund object, only what was canceled so far.
pub fn cancel(world: &mut World, call: &Call) -> Answer {
    idempotency::once(world, call, |world, call| {
        let id = call.segment(3).to_owned();
        let now = world.now();
        let charge = world.pagarme.charge(&id).ok_or_else(|| not_found("Charge"))?;
        let is_open = charge.last.status == "authorized_pending_capture";
        let left = if is_open { charge.cents } else { charge.paid_cents - charge.canceled_cents };
        let can_be = is_open || matches!(charge.status, "paid" | "underpaid" | "overpaid");
        let cents = call.at("/amount").map_or(Some(left), Value::as_i64);
        let cents = cents.filter(|cents| *cents > 0 && *cents <= left);
        let (Some(cents), true) = (cents, can_be) else {
            return Err(failed("This charge can not be canceled by this amount."));
        };
        if cents > world.settings.pagarme_refund_cents_max && !is_open {
            return Err(failed("The balance does not cover this."));
        }
        let transaction = format!("tran_{}", world.ids.alphanumeric(16));
        let Some(charge) = world.pagarme.charge_mut(&id) else { return Err(not_found("Charge")) };
        charge.canceled_cents += cents;
        charge.updated_at = now;
        if let Some(reference) = call.text_at("/operation_reference") {
            charge.references.push(reference.to_owned());
        }
        let is_whole = cents == left;
        let status = match (is_open, is_whole) {
            (true, _) => "voided",
            (false, true) => "refunded",
            (false, false) => "partial_refunded",
        };
        if is_whole {
            charge.status = "canceled";
            charge.canceled_at = Some(now);
        }
        charge.last.id = transaction;
        charge.last.status = status;
        charge.last.is_success = true;
        charge.last.cents = cents;
        charge.last.operation = "cancel";
        charge.last.at = now;
        if !is_open {
            payables::take_back(world, &id, cents, "refund");
        }
        emit(world, if is_whole { "charge.refunded" } else { "charge.partial_canceled" }, &id);
        let account = &world.pagarme;
        Ok(Reply::json(200, &json!(account.charge(&id).map(|it| account.charge_json(it)))))
    })
}

/// Valid, but not possible in this state.
fn failed(message: &str) -> Reply {
    Reply::json(412, &json!({ "message": message }))
}
