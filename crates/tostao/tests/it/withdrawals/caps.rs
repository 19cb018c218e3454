//! Caps: how much leaves in a day and in a night of São Paulo.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tostao::platform::config::{Settings, Switch};

use super::{path, process, try_withdraw};
use crate::harness::TestApp;
use crate::harness::shop::{PASSWORD, Shop};

fn capped(settings: &mut Settings) {
    settings.withdrawal_caps_in_development = Switch::On;
    settings.withdrawal_daily_cap_cents = 5_000;
    settings.withdrawal_night_cap_cents = 1_000;
}

fn cents(amount: i64) -> Value {
    json!({ "amountCents": amount })
}

fn capped_by_day(settings: &mut Settings) {
    capped(settings);
    settings.withdrawal_night_cap_cents = 1_000_000;
}

#[story::test(capped_by_day)]
async fn a_day_has_a_cap_and_midnight_in_sao_paulo_begins_a_new_one(test: &TestApp, shop: Shop) {
    shop.earn(20_000).await;
    try_withdraw(&shop.key, cents(3_000)).await.expect(201);
    try_withdraw(&shop.key, cents(2_001)).await.expect_refusal(400, "DAILY_LIMIT_EXCEEDED");
    try_withdraw(&shop.key, cents(2_000)).await.expect(201);
    // The story begins at nine in the morning there.
    test.pass(Duration::from_secs(15 * 3_600 - 1));
    try_withdraw(&shop.key, cents(100)).await.expect_refusal(400, "DAILY_LIMIT_EXCEEDED");
    test.pass(Duration::from_secs(1));
    try_withdraw(&shop.key, cents(5_000)).await.expect(201);
}

#[story::test(capped)]
async fn what_has_failed_does_not_count(test: &TestApp, shop: Shop) {
    shop.earn(20_000).await;
    let first = try_withdraw(&shop.key, cents(5_000)).await.expect(201)["data"].clone();
    try_withdraw(&shop.key, cents(100)).await.expect_refusal(400, "DAILY_LIMIT_EXCEEDED");
    shop.key.post(&path(&first, "/cancel"), json!({})).await.expect(200);
    let second = try_withdraw(&shop.key, cents(5_000)).await.expect(201)["data"].clone();
    process(&test.admin().await, &second, json!({})).await.expect(200);
    test.run_jobs().await;
    try_withdraw(&shop.key, cents(100)).await.expect_refusal(400, "DAILY_LIMIT_EXCEEDED");
}

#[story::test(capped)]
async fn a_persons_night_has_a_cap_across_midnight(test: &TestApp, shop: Shop) {
    shop.earn(20_000).await;
    // To 19:59:59.
    test.pass(Duration::from_secs(11 * 3_600 - 1));
    try_withdraw(&shop.key, cents(2_000)).await.expect(201);
    test.pass(Duration::from_secs(1));
    try_withdraw(&shop.key, cents(600)).await.expect(201);
    test.pass(Duration::from_hours(5));
    try_withdraw(&shop.key, cents(401)).await.expect_refusal(400, "NIGHT_LIMIT_EXCEEDED");
    try_withdraw(&shop.key, cents(400)).await.expect(201);
    // To six in the morning.
    test.pass(Duration::from_hours(5));
    try_withdraw(&shop.key, cents(2_000)).await.expect(201);
}

#[story::test(capped)]
async fn a_companys_night_has_no_cap_of_its_own(test: &TestApp) {
    let account = json!({
        "name": "Empresa", "email": "empresa@example.com", "password": PASSWORD,
        "document": "11.222.333/0001-81",
    });
    test.anyone().post("/api/auth/register", account).await.expect(201);
    let shop = test.shop_again("Empresa").await;
    shop.earn(20_000).await;
    test.pass(Duration::from_hours(12));
    try_withdraw(&shop.key, cents(5_000)).await.expect(201);
}

#[story::test]
async fn simulated_money_has_no_caps_by_default(test: &TestApp, shop: Shop) {
    shop.earn(20_000_000).await;
    test.pass(Duration::from_hours(12));
    for _ in 0..2 {
        try_withdraw(&shop.key, cents(10_000_000)).await.expect(201);
    }
}

#[story::test(capped)]
async fn many_at_once_do_not_pass_the_cap_together(shop: Shop) {
    shop.earn(100_000).await;
    let answers = join_all((0..32).map(|_| try_withdraw(&shop.key, cents(1_000)))).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 5);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.expect_refusal(400, "DAILY_LIMIT_EXCEEDED");
    }
}

#[story::test(capped)]
async fn a_request_made_before_is_answered_although_the_cap_is_reached(shop: Shop) {
    shop.earn(20_000).await;
    let keyed = json!({
        "amountCents": 5_000, "idempotencyKey": "0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6",
    });
    try_withdraw(&shop.key, keyed.clone()).await.expect(201);
    try_withdraw(&shop.key, keyed).await.expect(200);
}
