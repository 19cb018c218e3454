//! Money that is not what was asked for, or comes when nothing is asked for any more.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::pass;
use super::scene::Scene;
use super::{available, charge, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

/// The unmatched money of a charge, in cents.
async fn set_aside(scene: &Scene, charge: &Value) -> Vec<Value> {
    let path = format!("/api/v1/transactions/{}/unmatched", id(charge));
    let unmatched = scene.shop.owner.list(&path).await;
    unmatched.iter().map(|it| it["amount"].clone()).collect()
}

#[story::test]
async fn a_cent_less_settles_nothing_and_a_cent_more_settles_and_is_set_aside(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (less, more) = (charge(&scene.shop, 1_000).await, charge(&scene.shop, 1_000).await);
    for (charge, cents) in [(&less, 999), (&more, 1_001)] {
        let paid = scene.bank.pays(charge, json!({ "amount_cents": cents })).await;
        scene.bank.notify(test, &paid).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &less).await, "PENDING");
    assert_eq!(set_aside(&scene, &less).await, [999]);
    assert_eq!(status(&scene.shop, &more).await, "PAID");
    assert_eq!(set_aside(&scene, &more).await, [1]);
    assert_eq!(available(&scene.shop).await, 1_000);
}

#[story::test]
async fn a_second_payment_of_a_charge_is_set_aside(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, _) = scene.sell(test, 1_000).await;
    let again = scene.bank.pays(&charge, json!({ "late": true })).await;
    scene.bank.notify(test, &again).await.expect(200);
    test.run_jobs().await;
    assert_eq!(set_aside(&scene, &charge).await, [1_000]);
    assert_eq!(available(&scene.shop).await, 1_000);
}

#[story::test]
async fn a_payment_after_the_end_of_its_charge_settles_it_once_and_nothing_is_dropped(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (expired, removed) = (charge(&scene.shop, 1_000).await, charge(&scene.shop, 2_000).await);
    let path = format!("/api/v1/transactions/{}/cancel", id(&removed));
    scene.shop.owner.post(&path, json!({})).await.expect(200);
    pass(test, &scene.bank, Duration::from_hours(48)).await;
    pass(test, &scene.bank, Duration::from_mins(15)).await;
    assert_eq!(status(&scene.shop, &expired).await, "EXPIRED");
    assert_eq!(status(&scene.shop, &removed).await, "CANCELLED");
    let at_bank = scene.bank.has("/efi/pix/charges").await;
    let at_bank = at_bank.as_array().expect("is a list");
    for charge in [&expired, &removed] {
        let made = at_bank.iter().find(|it| it["txid"] == charge["pix"]["txid"]);
        assert_eq!(made.expect("was made")["status"], "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    }
    for (charge, cents) in [(&expired, 1_000), (&removed, 2_000)] {
        for late in [cents - 1, cents, cents] {
            scene.bank.pays(charge, json!({ "late": true, "amount_cents": late })).await;
            pass(test, &scene.bank, Duration::from_mins(8)).await;
        }
        assert_eq!(status(&scene.shop, charge).await, "PAID");
        let mut aside = set_aside(&scene, charge).await;
        aside.sort_by_key(Value::as_i64);
        assert_eq!(aside, [cents - 1, cents]);
    }
    assert_eq!(available(&scene.shop).await, 3_000);
}
