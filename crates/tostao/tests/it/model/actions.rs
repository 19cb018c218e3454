//! What merchants, buyers, banks and time do: each action is done to the
//! product and to the reference model.
//!
//! A new kind of action needs a function here, a line in [`any`], and what it means in the model.

use std::collections::VecDeque;

use db::time::Timestamp;
use futures_util::future::join_all;
use rails::card::DeclineCode;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::refunds::Outcome;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::model::advances;
use crate::model::affiliates::take_out;
use crate::model::payouts::{KEYS, Payout};
use crate::model::reference::{AVAILABLE, DAY, Fate, HOUR, MINUTE, Method, SECOND, Sale};
use crate::model::refunds::Back;
use crate::model::returns::{contest, refund, refuse_refunds, shut_or_open};
use crate::model::world::World;
use crate::sandbox::token_that;

pub const TRANSACTIONS: &str = "/api/v1/transactions";
const WITHDRAWALS: &str = "/api/withdraws";
const PRICES: [i64; 2] = [5_000, 2_500];

/// Does something.
pub async fn any(world: &mut World, test: &TestApp) {
    world.actions += 1;
    match world.rng.within(1, 100) {
        1..=26 => sell(world, test).await,
        27..=45 => pay(world, test).await,
        46..=48 => cancel(world, test).await,
        49..=52 => decide(world, test).await,
        53..=55 => accept(world, test).await,
        56..=58 => take_out(world, test).await,
        59..=60 => advances::ask(world, test).await,
        61..=66 => withdraw(world, test).await,
        67..=73 => process(world, test).await,
        74..=81 => refund(world, test).await,
        82..=83 => refuse_refunds(world, test).await,
        84..=88 => contest(world, test).await,
        89..=90 => shut_or_open(world, test),
        91..=95 => advance(world, test).await,
        96..=97 => {
            let span = world.rng.within(31, 120) * SECOND;
            world.pass(test, span);
        }
        _ => refill(world, test).await,
    }
}

/// A buyer wants something, by any method, once or as twins under one key.
async fn sell(world: &mut World, test: &TestApp) {
    let method = world.rng.pick(&[Method::Pix, Method::Pix, Method::Boleto, Method::Card]);
    // A seller who owes tries to have sales pay an affiliate instead of the debt.
    let owes = world.reference.holds(AVAILABLE) < 0;
    let good = match world.rng.within(if owes { 3 } else { 1 }, if owes { 4 } else { 6 }) {
        1 => Some((0, 1)),
        2 | 3 => Some((1, world.rng.within(1, 3))),
        _ => None,
    };
    let coupon = world.rng.chance(25).then(|| world.rng.place(3));
    let price = match good {
        Some((good, count)) => PRICES[good] * count,
        None => world.rng.within(1, 20_000),
    };
    let due = price - discount(coupon, price);
    let sent = matches!(good, Some((1, _))) && (owes || world.rng.chance(60));
    let on_link = matches!(good, Some((0, _)));
    let many = method == Method::Card && !on_link && due >= 6_000;
    let installments = if many { world.rng.pick(&[1, 3]) } else { 1 };
    let seconds = world.rng.within(60, 100_000);
    let mut sale = Sale { good, coupon, sent, ..blank(world, method, due, installments) };
    let mut body = basket(world, good, coupon, price);
    if sent {
        body["affiliateCode"] = json!(world.code);
    }
    let outage = plan_outage(world, test, &sale, method);
    let scenario = means(world, test, &mut body, method, (installments, seconds)).await;
    let duplicates = outage.is_none() && world.rng.chance(25);
    let reply = send(world, test, TRANSACTIONS, &body, duplicates).await;
    if !world.reference.has_room(good, coupon) {
        assert!([400, 409].contains(&reply.status), "{}", reply.text);
        return;
    }
    if outage.is_some() && method != Method::Card {
        assert!([409, 503].contains(&reply.status), "{}", reply.text);
        return;
    }
    if let Some(scenario) = scenario.filter(|_| sale.method == Method::Card) {
        sale.fate = fate(scenario, outage);
        sale.back = Back::none(scenario.refund());
    }
    let says_no = matches!(scenario, Some(Scenario::Declines(_))) && outage.is_none();
    let declined = sale.method == Method::Card && (says_no || outage == Some(Outage::Refuses));
    let shown = reply.expect(if declined { 402 } else { 201 });
    let shown = &shown["transaction"];
    sale.id = shown["id"].as_str().map(str::to_owned);
    let expires_at = shown["expiresAt"].as_str();
    sale.expires_at = expires_at.map(|at| Timestamp::parse(at).expect("is an instant").micros());
    let index = world.reference.create(sale);
    if declined {
        world.reference.close(index, "FAILED");
    }
}

fn blank(world: &World, method: Method, amount: i64, installments: i64) -> Sale {
    Sale {
        id: None,
        method: if amount == 0 { Method::Free } else { method },
        amount,
        installments,
        good: None,
        coupon: None,
        sent: false,
        commission: None,
        got: 0,
        fate: None,
        expires_at: None,
        status: if method == Method::Card && amount > 0 { "PROCESSING" } else { "PENDING" },
        late: false,
        oversold: false,
        released: false,
        created_by_server_at: world.reference.server_now,
        paid_at: 0,
        parts: Vec::new(),
        back: Back::none(Outcome::AtOnce),
        aside: VecDeque::new(),
    }
}

/// Who wants what.
fn basket(world: &World, good: Option<(usize, i64)>, coupon: Option<usize>, price: i64) -> Value {
    let mut body = json!({
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
        "couponCode": coupon.map(|coupon| world.reference.coupons[coupon].code),
    });
    match good {
        Some((0, _)) => body["paymentLinkId"] = json!(world.goods[0]),
        Some((_, count)) => {
            body["items"] = json!([{ "productId": world.goods[1], "quantity": count }]);
        }
        None => body["amountCents"] = json!(price),
    }
    body
}

/// Completes a body by how it is paid; answers what the card does.
async fn means(
    world: &mut World,
    test: &TestApp,
    body: &mut Value,
    method: Method,
    (installments, seconds): (i64, i64),
) -> Option<Scenario> {
    match method {
        Method::Boleto => {
            body["method"] = json!("BOLETO");
            None
        }
        Method::Card => {
            let scenario = world.rng.pick(&[
                Scenario::Approves,
                Scenario::Approves,
                Scenario::Approves,
                Scenario::Declines(DeclineCode::InsufficientFunds),
                Scenario::LosesTheApproval,
                Scenario::LosesTheDecline,
                Scenario::ApprovesLate,
                Scenario::RefundsLate,
                Scenario::RefusesRefunds,
            ]);
            body["method"] = json!("CREDIT_CARD");
            body["cardToken"] = json!(token_that(test, scenario).await);
            body["installments"] = json!(installments);
            Some(scenario)
        }
        Method::Pix | Method::Free => {
            body["method"] = json!("PIX");
            body["expiresIn"] = json!(seconds);
            None
        }
    }
}

/// A provider fails now and then; only where nothing else can keep it from being asked.
fn plan_outage(world: &mut World, test: &TestApp, sale: &Sale, method: Method) -> Option<Outage> {
    if sale.good.is_some() || sale.coupon.is_some() || !world.rng.chance(10) {
        return None;
    }
    let outage = world.rng.pick(&[Outage::Refuses, Outage::LosesTheAnswer, Outage::NeverArrives]);
    let operation = match method {
        Method::Boleto => Operation::IssueBoleto,
        Method::Card => Operation::Authorize,
        Method::Pix | Method::Free => Operation::IssuePix,
    };
    test.app.providers.sandbox().fail_next(operation, outage);
    Some(outage)
}

/// What the acquirer will say of a charge whose answer was not heard.
fn fate(scenario: Scenario, outage: Option<Outage>) -> Option<Fate> {
    match (outage, scenario) {
        (Some(Outage::Refuses), _) => Some(Fate::Declined),
        (Some(Outage::NeverArrives), _) => Some(Fate::NeverArrived),
        (_, Scenario::LosesTheApproval) => Some(Fate::Approved),
        (_, Scenario::LosesTheDecline | Scenario::Declines(_)) => Some(Fate::Declined),
        (_, Scenario::ApprovesLate) => Some(Fate::ApprovedLate),
        (None, _) => None,
        (Some(Outage::LosesTheAnswer), _) => Some(Fate::Approved),
    }
}

/// A buyer pays: exactly, short, over, twice, or so that the bank calls late.
async fn pay(world: &mut World, test: &TestApp) {
    let Some(index) = choose(world, "PENDING") else { return };
    let sale = world.reference.sales[index].clone();
    let amount = match world.rng.within(1, 10) {
        1 if sale.amount > 1 => sale.amount - 1,
        2 => sale.amount + world.rng.within(1, 500),
        _ => sale.amount,
    };
    let body = json!({
        "outcome": "PAID",
        "paidAmountCents": (amount > 0).then_some(amount),
        "times": world.rng.within(1, 2),
    });
    if sale.status == "DISPUTED" {
        // Who pays what is contested lets it stand.
        simulate(world, test, index, body).await.expect(200);
        world.reference.decide_dispute(index, true);
        return;
    }
    if sale.method == Method::Free {
        simulate(world, test, index, body).await.expect(409);
        return;
    }
    if sale.method == Method::Card {
        let is_good = ["PAID", "PROCESSING"].contains(&sale.status);
        simulate(world, test, index, body).await.expect(if is_good { 200 } else { 409 });
        if sale.status == "PROCESSING" {
            world.reference.confirm(index);
        }
        return;
    }
    if world.rng.chance(15) {
        // No two calls are due at the same time, so that their order is known.
        let delay = 61 + world.actions % 100_000;
        let late = json!({
            "outcome": "PAID", "paidAmountCents": amount, "delaySeconds": delay, "times": 1,
        });
        simulate(world, test, index, late).await.expect(200);
        world.reference.pay_later(index, amount, delay * SECOND);
        return;
    }
    simulate(world, test, index, body).await.expect(200);
    world.reference.receive(index, amount);
}

/// The merchant takes a sale back.
async fn cancel(world: &mut World, test: &TestApp) {
    let Some(index) = choose(world, "PENDING") else { return };
    let sale = world.reference.sales[index].clone();
    let path = format!("{TRANSACTIONS}/{}/cancel", sale.id.expect("was chosen by it"));
    let reply = world.shop(test).post(&path, json!({})).await;
    match sale.status {
        "PENDING" => {
            reply.expect(200);
            world.reference.close(index, "CANCELLED");
        }
        "CANCELLED" => drop(reply.expect(200)),
        _ => drop(reply.expect(409)),
    }
}

/// A sale ends as a developer wants it.
async fn decide(world: &mut World, test: &TestApp) {
    let (outcome, from, end) =
        world.rng.pick(&[("EXPIRED", "PENDING", "EXPIRED"), ("FAILED", "PROCESSING", "FAILED")]);
    let Some(index) = choose(world, from) else { return };
    let sale = world.reference.sales[index].clone();
    let fails = outcome == "FAILED" && sale.method != Method::Card;
    let reply = simulate(world, test, index, json!({ "outcome": outcome })).await;
    if sale.status == from && !fails {
        reply.expect(200);
        world.reference.close(index, end);
    } else {
        reply.expect(if sale.status == end && !fails { 200 } else { 409 });
    }
}

/// The merchant takes money that was set aside.
async fn accept(world: &mut World, test: &TestApp) {
    let with_more: Vec<usize> = (0..world.reference.sales.len())
        .filter(|index| !world.reference.sales[*index].aside.is_empty())
        .collect();
    if with_more.is_empty() {
        return;
    }
    let index = world.rng.pick(&with_more);
    let sale = world.reference.sales[index].id.clone().expect("money names its sale");
    let path = format!("{TRANSACTIONS}/{sale}/unmatched");
    let listed = world.shop(test).get(&path).await.expect(200);
    let first = listed["data"][0]["id"].as_str().expect("has an id").to_owned();
    for _ in 0..world.rng.within(1, 2) {
        let path = format!("{path}/{first}/accept");
        world.shop(test).post(&path, json!({})).await.expect(200);
    }
    world.reference.accept(index);
}

/// The merchant takes out all that they can, before somebody contests a sale.
pub async fn withdraw_all(world: &mut World, test: &TestApp) {
    let amount = world.reference.holds(AVAILABLE) - world.reference.reserved();
    if !(100..=10_000_000).contains(&amount) {
        return;
    }
    let (key, bank) = KEYS[0];
    let body = json!({ "amountCents": amount, "pixKey": key, "pixKeyType": "email" });
    let made = world.shop(test).post(WITHDRAWALS, body).await.expect(201);
    let made = made["data"]["id"].as_str().expect("has an id").to_owned();
    world.reference.withdraw(Payout::new(made, amount, bank));
}

/// The merchant wants money out.
async fn withdraw(world: &mut World, test: &TestApp) {
    let (key, bank) = world.rng.pick(&KEYS);
    let held = world.reference.holds(AVAILABLE) - world.reference.reserved();
    let share = if world.rng.chance(25) { 1 } else { 4 };
    let most = (held / share).clamp(200, 10_000_000);
    let amount =
        if world.rng.chance(10) { held.max(100) + 1 } else { world.rng.within(most / 2, most) };
    if amount > 10_000_000 {
        return;
    }
    let body = json!({ "amountCents": amount, "pixKey": key, "pixKeyType": "email" });
    let duplicates = world.rng.chance(30);
    let reply = send(world, test, WITHDRAWALS, &body, duplicates).await;
    if amount > held {
        reply.expect_refusal(400, "INSUFFICIENT_BALANCE");
        return;
    }
    let made = reply.expect(201)["data"]["id"].as_str().expect("has an id").to_owned();
    world.reference.withdraw(Payout::new(made, amount, bank));
}

/// An administrator or the merchant decides about a withdrawal, maybe after somebody else.
async fn process(world: &mut World, test: &TestApp) {
    let newest = world.reference.payouts.len();
    if newest == 0 {
        return;
    }
    let index = newest - 1 - world.rng.place(newest.min(8));
    let payout = world.reference.payouts[index].clone();
    let action = world.rng.pick(&["approve", "approve", "approve", "reject", "cancel"]);
    let reply = if action == "cancel" {
        let path = format!("{WITHDRAWALS}/{}/cancel", payout.id);
        world.shop(test).post(&path, json!({})).await
    } else {
        let path = format!("{WITHDRAWALS}/{}/process", payout.id);
        world.admin(test).await.post(&path, json!({ "action": action })).await
    };
    if payout.claimed {
        reply.expect(if action == "cancel" && payout.cancelled { 200 } else { 409 });
        return;
    }
    if action == "approve" && world.reference.holds(AVAILABLE) < 0 {
        reply.expect_refusal(409, "INVALID_STATE_TRANSITION");
        return;
    }
    reply.expect(200);
    if action == "approve" {
        world.reference.approve(index);
    } else {
        world.reference.payouts[index].cancelled = action == "cancel";
        world.reference.end_payout(index, false);
    }
}

/// A developer lets time pass.
async fn advance(world: &mut World, test: &TestApp) {
    let span = world.rng.pick(&[MINUTE, 20 * MINUTE, 2 * HOUR, DAY, 3 * DAY, 31 * DAY]);
    let body = json!({ "seconds": span / SECOND });
    world.shop(test).post("/api/dev/clock/advance", body).await.expect(200);
    world.reference.now += span;
}

/// The merchant has more to sell, and gives more coupons out.
async fn refill(world: &mut World, test: &TestApp) {
    let more = world.rng.within(1, 8);
    let place = world.rng.place(4);
    if place < 2 {
        let good = &mut world.reference.goods[place];
        let quantity = good.quantity.expect("all of them are counted") + more;
        good.quantity = Some(quantity);
        let (what, emitted) = if good.is_link {
            ("payment-links", "payment_link.updated")
        } else {
            ("products", "product.updated")
        };
        world.reference.emitted.push(emitted);
        let path = format!("/api/v1/{what}/{}", world.goods[place]);
        world.shop(test).patch(&path, json!({ "stockQuantity": quantity })).await.expect(200);
        return;
    }
    let coupon = &mut world.reference.coupons[place - 2];
    let limit = coupon.limit.expect("is limited").max(coupon.taken) + more;
    coupon.limit = Some(limit);
    let path = format!("/api/v1/coupons/{}", world.coupons[place - 2]);
    world.shop(test).patch(&path, json!({ "usageLimit": limit })).await.expect(200);
}

/// Sends a request; twins share a key, arrive at once and hear the same, and so does a third.
pub async fn send(
    world: &World,
    test: &TestApp,
    path: &str,
    body: &Value,
    duplicates: bool,
) -> Reply {
    let shop = world.shop(test);
    if !duplicates {
        return shop.post(path, body.clone()).await;
    }
    let shop = shop.with("idempotency-key", &format!("deed {}", world.actions));
    let both: [Client; 2] = [shop.clone(), shop.clone()];
    let answers = join_all(both.iter().map(|duplicate| duplicate.post(path, body.clone()))).await;
    let third = shop.post(path, body.clone()).await;
    let first = answers.iter().find(|answer| !is_in_progress(answer)).unwrap_or(&third).clone();
    for answer in answers.iter().chain([&third]) {
        // Until an acquirer has decided, a repeated request is to wait.
        if !(is_in_progress(answer) && first.json()["transaction"]["status"] == "PROCESSING") {
            assert_eq!(answer.status, first.status, "{}", answer.text);
            assert_eq!(reply_of(answer), reply_of(&first));
        }
    }
    first
}

fn is_in_progress(reply: &Reply) -> bool {
    reply.status == 409 && reply.json()["code"] == "IDEMPOTENCY_KEY_IN_PROGRESS"
}

/// An answer's body but for what names the request.
fn reply_of(reply: &Reply) -> Value {
    let mut body = reply.json();
    for field in ["requestId", "timestamp"] {
        body.as_object_mut().expect("is an object").remove(field);
    }
    body
}

/// Has something happen to a sale.
pub async fn simulate(world: &World, test: &TestApp, index: usize, body: Value) -> Reply {
    let sale = world.reference.sales[index].id.as_deref().expect("was chosen by it");
    world.shop(test).post(&format!("{TRANSACTIONS}/{sale}/simulate"), body).await
}

/// One of the newest sales, more often of a status; none whose id was never returned.
pub fn choose(world: &mut World, status: &str) -> Option<usize> {
    let sales = &world.reference.sales;
    let known: Vec<usize> =
        (0..sales.len()).rev().take(60).filter(|index| sales[*index].id.is_some()).collect();
    let wanted: Vec<usize> =
        known.iter().copied().filter(|index| sales[*index].status == status).collect();
    let among = if world.rng.chance(75) && !wanted.is_empty() { wanted } else { known };
    (!among.is_empty()).then(|| world.rng.pick(&among))
}

fn discount(coupon: Option<usize>, price: i64) -> i64 {
    match coupon {
        Some(0) => (price * 1_250 + 5_000) / 10_000,
        Some(1) => price,
        Some(_) => price.min(500),
        None => 0,
    }
}
