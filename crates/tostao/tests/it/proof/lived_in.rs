//! A database in which everything has happened that moves money.

use serde_json::json;
use tostao::housekeeping::keep_figures;

use crate::advances::{approved, sell as sell_by_card};
use crate::affiliates::Scene;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;
use crate::referrals::{code, invited};
use crate::refunds::refund;

/// Lets everything happen, and leaves something of each kind undecided.
pub async fn live(test: &TestApp) -> Scene {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let guest = invited(test, "Carla", &code(shop).await).await;
    let first = scene.sell(json!({})).await;
    days_pass(shop, 8).await;
    // The commission is released by now, so this becomes a clawback.
    refund(shop, &first, json!({ "amountCents": 5_000 })).await;
    for cents in [30_000, 20_000, 10_000] {
        guest.sell(cents).await;
    }
    let lost = shop.sell(4_000).await;
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        shop.simulate(&lost, json!({ "outcome": outcome })).await;
    }
    withdraw(test, shop, 3_000).await;
    test.run_jobs().await;
    set_aside(shop).await;
    let boleto = shop.boleto(7_000).await;
    shop.pay(&boleto).await;
    sell_by_card(test, shop, 30_000, 3).await;
    approved(test, shop, 20_000).await;
    leave_undecided(test, &scene).await;
    keep_figures(&test.app, None, i64::MAX).await.expect("days are kept");
    scene
}

/// What waits for somebody when the proof is made.
async fn leave_undecided(test: &TestApp, scene: &Scene) {
    let shop = &scene.shop;
    let contested = sell_by_card(test, shop, 9_000, 2).await;
    shop.simulate(&contested, json!({ "outcome": "DISPUTED" })).await;
    scene.sell(json!({})).await;
    let going_back = scene.sell(json!({})).await;
    refund(shop, &going_back, json!({ "amountCents": 2_500 })).await;
    shop.withdraw(1_500).await;
}

async fn withdraw(test: &TestApp, shop: &Shop, cents: i64) {
    let path = format!("/api/withdraws/{}/process", id(&shop.withdraw(cents).await));
    test.admin().await.post(&path, json!({})).await.expect(200);
}

/// Money beside two payments, of which one is accepted.
async fn set_aside(shop: &Shop) {
    let more = json!({ "outcome": "PAID", "paidAmountCents": 1_300 });
    let less = json!({ "outcome": "PAID", "paidAmountCents": 700 });
    shop.simulate(&shop.charge(1_000).await, more).await;
    let short = shop.charge(1_000).await;
    shop.simulate(&short, less).await;
    let path = format!("/api/v1/transactions/{}/unmatched", id(&short));
    let waiting = shop.key.get(&path).await.expect(200)["data"][0].clone();
    shop.key.post(&format!("{path}/{}/accept", id(&waiting)), json!({})).await.expect(200);
}
