//! Deeds by which money goes back, or is contested.

use sandbox::fault_injection::{Operation, Outage};
use sandbox::refunds::Outcome;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::model::actions::{TRANSACTIONS, choose, send, simulate, withdraw_all};
use crate::model::payouts::KEYS;
use crate::model::reference::{Method, Sale};
use crate::model::refunds::RefundMethod;
use crate::model::world::World;

/// The merchant gives money back: all of it, a part, or more than there is.
pub async fn refund(world: &mut World, test: &TestApp) {
    let released = if world.rng.chance(30) { world.reference.last_released() } else { None };
    let Some(index) = released.or_else(|| choose(world, "PAID")) else { return };
    let sale = world.reference.sales[index].clone();
    let left = sale.left();
    let part = match world.rng.within(1, 10) {
        1..=4 => None,
        5 => Some(left + 1),
        _ => Some(world.rng.within(1, left.max(1))),
    };
    let refusal = world.reference.refusal(index, part.unwrap_or(left));
    let restock = world.rng.chance(60);
    let mut body = json!({ "amountCents": part, "reason": "Desistiu.", "restock": restock });
    let method = if sale.method == Method::Boleto {
        let (key, bank) = world.rng.pick(&KEYS);
        (body["refundPixKey"], body["pixKeyType"]) = (json!(key), json!("email"));
        RefundMethod::Payout(bank)
    } else {
        if refusal.is_none() && world.rng.chance(20) {
            delay_refund(world, test, index).await;
        }
        RefundMethod::SameRail(refusal.is_none().then(|| plan_outage(world, test)).flatten())
    };
    let path = format!("{TRANSACTIONS}/{}/refund", sale.id.expect("was chosen by it"));
    let duplicates = world.rng.chance(30);
    let reply = send(world, test, &path, &body, duplicates).await;
    if let Some((status, code)) = refusal {
        reply.expect_refusal(status, code);
        return;
    }
    assert_eq!(reply.expect(201)["refund"]["status"], "PENDING");
    world.reference.refund(index, part.unwrap_or(left), method, restock);
}

/// The bank is configured to refuse a sale's refund.
pub async fn refuse_refunds(world: &mut World, test: &TestApp) {
    let Some(index) = choose(world, "PAID") else { return };
    let Sale { status, method, .. } = world.reference.sales[index];
    let reply = simulate(world, test, index, json!({ "outcome": "REFUND_FAILED" })).await;
    if status == "PAID" && [Method::Pix, Method::Card].contains(&method) {
        reply.expect(200);
        world.reference.refuse_refunds(index);
    } else {
        reply.expect(409);
    }
}

/// A buyer contests a payment, or somebody decides about that.
pub async fn contest(world: &mut World, test: &TestApp) {
    let opens = world.rng.chance(50);
    let Some(index) = choose(world, if opens { "PAID" } else { "DISPUTED" }) else { return };
    if opens && world.rng.chance(50) {
        withdraw_all(world, test).await;
    }
    let (status, left) = (world.reference.sales[index].status, world.reference.sales[index].left());
    let outcome = match opens {
        true => "DISPUTED",
        false if status == "DISPUTED" && world.rng.chance(50) => "PAID",
        false => "CHARGED_BACK",
    };
    let reply = simulate(world, test, index, json!({ "outcome": outcome })).await;
    match (status, outcome) {
        ("PAID", "DISPUTED") if left > 0 => {
            reply.expect(200);
            world.reference.contest(index);
        }
        ("DISPUTED", "PAID" | "CHARGED_BACK") => {
            reply.expect(200);
            world.reference.decide_dispute(index, outcome == "PAID");
        }
        (status, outcome) => drop(reply.expect(if status == outcome { 200 } else { 409 })),
    }
}

/// Providers are unreachable for the status of a charge or a refund, until they are back.
pub fn shut_or_open(world: &mut World, test: &TestApp) {
    let (sandbox, is_shut) = (test.app.providers.sandbox(), &mut world.reference.is_shut);
    if *is_shut {
        sandbox.open(Operation::Find);
    } else {
        sandbox.shut(Operation::Find);
    }
    *is_shut = !*is_shut;
}

/// Has the provider take its time for a sale's next refund.
async fn delay_refund(world: &mut World, test: &TestApp, index: usize) {
    let sale = &world.reference.sales[index];
    let id = sale.id.clone().expect("was chosen by it");
    let charge = if sale.method == Method::Card {
        id.replace('-', "")
    } else {
        let shown = world.shop(test).get(&format!("{TRANSACTIONS}/{id}")).await.expect(200);
        let name: &Value = &shown["transaction"]["pix"]["endToEndId"];
        name.as_str().expect("was paid").to_owned()
    };
    let armed = test.app.providers.sandbox().arm_refund(&charge, Outcome::Late).await;
    armed.expect("is armed");
    world.reference.sales[index].back.armed = Some(Outcome::Late);
}

/// The first order of a refund goes wrong now and then.
fn plan_outage(world: &mut World, test: &TestApp) -> Option<Outage> {
    let wrong = [Outage::Refuses, Outage::LosesTheAnswer, Outage::NeverArrives];
    let outage = world.rng.chance(30).then(|| world.rng.pick(&wrong))?;
    test.app.providers.sandbox().fail_next(Operation::Refund, outage);
    Some(outage)
}
