//! Receivables: a part for each installment, and what is taken back from them.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::account::{Hook, Payable, not_found};
use crate::call::{Answer, Call};
use crate::notices::Content;
use crate::reply::Reply;
use crate::route::Dialect;
use crate::settings::Payables;
use crate::world::World;

const PAGE_SIZE: usize = 10;
const DAYS_BETWEEN: i64 = 30;

/// Splits a charge into its installments; the first takes the cents that are left over.
pub fn make(world: &mut World, charge: &str) {
    let now = world.now();
    let rate = world.settings.pagarme_fee_basis_points;
    let is_anticipated = world.settings.pagarme_payables == Payables::Anticipated;
    let Some(charge) = world.pagarme.charge(charge).cloned() else { return };
    let count = i64::from(charge.installments.max(1));
    let fee = (charge.paid_cents * rate + 5_000) / 10_000;
    for installment in 1..=charge.installments.max(1) {
        let number = i64::from(installment);
        let part = |whole: i64| whole / count + if number == 1 { whole % count } else { 0 };
        let id = world.ids.digits(10);
        let days = if is_anticipated { 1 } else { DAYS_BETWEEN * number };
        world.pagarme.payables.push(Payable {
            id,
            is_anticipated,
            charge: charge.id.clone(),
            kind: "credit",
            status: "waiting_funds",
            cents: part(charge.paid_cents),
            fee_cents: part(fee),
            installment,
            pays_at: now + SignedDuration::from_hours(24 * days),
            created_at: now,
            updated_at: now,
        });
    }
}

pub fn take_back(world: &mut World, charge: &str, cents: i64, kind: &'static str) {
    counter(world, charge, -cents, kind);
}

pub fn give_again(world: &mut World, charge: &str, cents: i64) {
    counter(world, charge, cents, "chargeback_refund");
}

fn counter(world: &mut World, charge: &str, cents: i64, kind: &'static str) {
    let now = world.now();
    let id = world.ids.digits(10);
    world.pagarme.payables.push(Payable {
        id,
        is_anticipated: false,
        charge: charge.to_owned(),
        kind,
        status: "waiting_funds",
        cents,
        fee_cents: 0,
        installment: 1,
        pays_at: now,
        created_at: now,
        updated_at: now,
    });
}

/// What is due by now was paid.
pub fn list(world: &mut World, call: &Call) -> Answer {
    let now = world.now();
    for payable in &mut world.pagarme.payables {
        if payable.status == "waiting_funds" && payable.pays_at <= now {
            payable.status = "paid";
            payable.updated_at = now;
        }
    }
    let bound = |name: &str| call.parameter(name).and_then(|it| it.parse::<Timestamp>().ok());
    let within = |at: Timestamp, name: &str| {
        bound(&format!("{name}_since")).is_none_or(|since| at >= since)
            && bound(&format!("{name}_until")).is_none_or(|until| at <= until)
    };
    let equal = |name: &str, value: &str| call.parameter(name).is_none_or(|it| it == value);
    let wanted = |payable: &&Payable| {
        equal("charge_id", &payable.charge)
            && equal("status", payable.status)
            && equal("type", payable.kind)
            && within(payable.created_at, "created")
            && within(payable.updated_at, "updated")
            && within(payable.pays_at, "payment_date")
    };
    let payables: Vec<Value> =
        world.pagarme.payables.iter().filter(wanted).map(Payable::json).collect();
    let size = call.parameter("size").and_then(|it| it.parse().ok()).unwrap_or(PAGE_SIZE).max(1);
    let first = call.parameter("forward_cursor").and_then(|it| it.parse().ok()).unwrap_or(0_usize);
    let next = first.saturating_add(size);
    let cursor = (next < payables.len()).then(|| next.to_string());
    let cursor = if world.settings.pagarme_payables == Payables::Looping {
        Some(first.to_string())
    } else {
        cursor
    };
    let on_page: Vec<Value> = payables.into_iter().skip(first).take(size).collect();
    let value = json!({ "data": on_page, "paging": { "forward_cursor": cursor } });
    Ok(Reply::json(200, &value))
}

pub fn hooks(world: &mut World, call: &Call) -> Answer {
    let hooks = world.pagarme.hooks.iter().rev();
    let shown = |hook: &Hook| {
        let mut value = hook.body.clone();
        value["url"] = json!(hook.url);
        value
    };
    let hooks: Vec<Value> = hooks.map(shown).collect();
    Ok(Reply::json(200, &super::orders::page(call, hooks)))
}

/// Sends a notice once more, as the dashboard can.
pub fn retry(world: &mut World, call: &Call) -> Answer {
    let id = call.segment(3);
    let hook = world.pagarme.hooks.iter().find(|hook| hook.id == id).cloned();
    let Hook { body, .. } = hook.ok_or_else(|| not_found("Hook"))?;
    if let Some(url) = world.settings.pagarme_webhook.clone() {
        world.notices.emit(Dialect::Pagarme, "resent", &url, &Content::Json(body.clone()));
    }
    Ok(Reply::json(200, &body))
}
