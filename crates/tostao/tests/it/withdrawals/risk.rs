//! What an administrator sees of an account before they decide about its withdrawal.

use std::time::Duration;

use serde_json::{Value, json};

use super::{GOOD, process, withdraw};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};
use crate::second_step::Device;

async fn risk(admin: &Client, withdrawal: &Value) -> Value {
    let path = format!("/api/admin/withdraws/{}/risk", id(withdrawal));
    admin.get(&path).await.expect(200)["data"].clone()
}

#[story::test]
async fn an_administrator_sees_what_is_known_of_the_account(
    test: &TestApp,
    shop: Shop,
    admin: Client,
) {
    shop.sell(10_000).await;
    let first = withdraw(&shop, 1_000, GOOD).await;
    let known = risk(&admin, &first).await;
    assert_eq!(known["withdrawal"]["id"], first["id"]);
    assert_eq!((&known["accountName"], &known["accountAgeDays"]), (&json!("Loja"), &json!(0)));
    assert_eq!((&known["soldCents"], &known["withdrawnCents"]), (&json!(10_000), &json!(0)));
    assert_eq!(known["pixKeyPaidBefore"], false);
    assert_eq!(known["apiKeyChangedAt"], "2026-11-21T12:00:00.000Z");
    for unchanged in ["passwordChangedAt", "secondStepChangedAt", "teamChangedAt"] {
        assert_eq!(known[unchanged], json!(null), "{unchanged}");
    }
    process(&admin, &first, json!({})).await.expect(200);
    test.run_jobs().await;
    Device::enrolled(test, &shop.owner).await;
    let known = risk(&admin, &withdraw(&shop, 2_000, GOOD).await).await;
    assert_eq!((&known["withdrawnCents"], &known["pixKeyPaidBefore"]), (&json!(920), &json!(true)));
    assert_eq!(known["secondStepChangedAt"], "2026-11-21T12:00:00.000Z");
    let other = withdraw(&shop, 1_000, "outra@example.com").await;
    assert_eq!(risk(&admin, &other).await["pixKeyPaidBefore"], false);
}

#[story::test]
async fn ages_are_of_the_servers_clock_whatever_the_administrators_says(
    test: &TestApp,
    shop: Shop,
    admin: Client,
) {
    shop.sell(10_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let days = json!({ "seconds": 40 * 24 * 3_600 });
    admin.post("/api/dev/clock/advance", days).await.expect(200);
    let known = risk(&admin, &withdrawal).await;
    assert_eq!((&known["accountAgeDays"], &known["soldCents"]), (&json!(0), &json!(10_000)));
    assert_eq!(known["apiKeyChangedAt"], "2026-11-21T12:00:00.000Z");
    test.pass(Duration::from_hours(40 * 24));
    let known = risk(&test.admin().await, &withdrawal).await;
    assert_eq!((&known["accountAgeDays"], &known["soldCents"]), (&json!(40), &json!(0)));
    assert_eq!(known["apiKeyChangedAt"], json!(null), "it was longer ago");
}

#[story::test]
async fn only_administrators_see_it_and_in_its_mode(shop: Shop, admin: Client) {
    shop.sell(10_000).await;
    let path = format!("/api/admin/withdraws/{}/risk", id(&withdraw(&shop, 1_000, GOOD).await));
    shop.owner.get(&path).await.expect_refusal(403, "ADMIN_REQUIRED");
    let real = admin.with("x-dev-mode", "false");
    real.get(&path).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn withdrawals_that_wait_are_listed_oldest_first(test: &TestApp, shop: Shop, admin: Client) {
    const WAITING: &str = "/api/admin/withdraws/waiting";
    shop.sell(10_000).await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        test.pass(Duration::from_mins(1));
        asked.push(withdraw(&shop, 1_000, GOOD).await);
    }
    let listed = admin.list(WAITING).await;
    let ids = |rows: &[Value]| rows.iter().map(|row| id(row).to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&listed), ids(&asked));
    let first = admin.get(&format!("{WAITING}?limit=2")).await.expect(200);
    let cursor = first["pagination"]["nextCursor"].as_str().expect("goes on");
    let rest = admin.list(&format!("{WAITING}?limit=2&cursor={cursor}")).await;
    assert_eq!(ids(&rest), ids(&asked[2..]));
    process(&admin, &asked[0], json!({})).await.expect(200);
    assert_eq!(admin.total(WAITING).await, 2);
}
