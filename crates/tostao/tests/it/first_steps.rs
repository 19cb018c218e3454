//! The first steps of accounts: kept when they are taken, and shown to administrators alone.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::housekeeping;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::webhooks::subscribe;

const HOOKS: &str = "/api/webhooks/subscriptions";
const SUMMARY: &str = "/api/admin/first-steps";
const ACCOUNTS: &str = "/api/admin/first-steps/accounts";
const STEPS: [&str; 4] = ["apiKeyAt", "paymentLinkAt", "paymentAt", "webhookAt"];
const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// How many minutes after its opening an account took each step; `null` for those not taken.
pub async fn minutes(admin: &Client, name: &str) -> [Option<i64>; 4] {
    let accounts = admin.list(ACCOUNTS).await;
    let account = accounts.iter().find(|account| account["name"] == name).expect("is listed");
    let seconds = |at: &Value| {
        let at: jiff::Timestamp = at.as_str()?.parse().expect("is an instant");
        Some(at.as_second())
    };
    let opened = seconds(&account["createdAt"]).expect("was opened");
    STEPS.map(|step| Some((seconds(&account[step])? - opened) / 60))
}

/// What the summary says of each step: how many reached it, stopped there, and the median seconds.
async fn summary(admin: &Client) -> (Value, Vec<(i64, i64, Option<i64>)>) {
    let data = admin.get(SUMMARY).await.expect(200)["data"].clone();
    let count = |value: &Value| value.as_i64().expect("is a number");
    let step = |step: &Value| {
        (count(&step["reached"]), count(&step["stopped"]), step["medianSeconds"].as_i64())
    };
    let steps = data["steps"].as_array().expect("are steps").iter().map(step).collect();
    (json!([data["accounts"], data["notStarted"]]), steps)
}

/// Has a webhook delivered.
async fn deliver(test: &TestApp, shop: &Shop, receiver: &Receiver) {
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    shop.product(json!({})).await;
    test.run_jobs().await;
}

#[story::test]
async fn each_step_is_kept_when_it_is_first_taken(test: &TestApp, receiver: Receiver) {
    let account = json!({ "name": "Loja", "email": "loja@example.com", "password": PASSWORD });
    test.anyone().post("/api/auth/register", account).await.expect(201);
    assert_eq!(minutes(&test.admin().await, "Loja").await, [None; 4]);
    test.pass(MINUTE);
    let shop = test.shop_again("Loja").await;
    test.pass(MINUTE);
    shop.link(4_990).await;
    test.pass(MINUTE);
    let charge = shop.charge(1_000).await;
    assert_eq!(minutes(&test.admin().await, "Loja").await, [Some(1), Some(2), None, None]);
    test.pass(MINUTE);
    shop.pay(&charge).await;
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    shop.product(json!({})).await;
    test.run_jobs().await;
    let admin = test.admin().await;
    assert_eq!(minutes(&admin, "Loja").await, [Some(1), Some(2), Some(4), None]);
    test.pass(MINUTE);
    shop.product(json!({})).await;
    test.run_jobs().await;
    let taken = [Some(1), Some(2), Some(4), Some(5)];
    assert_eq!(minutes(&admin, "Loja").await, taken);

    test.pass(MINUTE);
    test.shop_again("Loja").await;
    shop.link(4_990).await;
    shop.sell(2_000).await;
    shop.product(json!({})).await;
    test.run_jobs().await;
    assert_eq!(minutes(&test.admin().await, "Loja").await, taken);
}

#[story::test]
async fn steps_stay_when_deliveries_and_development_data_are_deleted(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    shop.link(4_990).await;
    shop.sell(1_000).await;
    deliver(test, &shop, &receiver).await;
    assert_eq!(minutes(&test.admin().await, "Loja").await, [Some(0); 4]);
    test.pass(DAY * 31);
    housekeeping::run(&test.app).await.expect("housekeeping works");
    let hooks = shop.key.list(HOOKS).await;
    let log = format!("{HOOKS}/{}/deliveries", id(&hooks[0]));
    assert_eq!(shop.key.total(&log).await, 0);
    assert_eq!(minutes(&test.admin().await, "Loja").await, [Some(0); 4]);
    shop.start_over().await;
    shop.sell(1_000).await;
    deliver(test, &shop, &receiver).await;
    assert_eq!(minutes(&test.admin().await, "Loja").await, [Some(0); 4]);
}

#[story::test]
async fn development_and_production_are_apart(test: &TestApp, shop: Shop) {
    shop.link(4_990).await;
    let admin = test.admin().await;
    let real = admin.with("x-dev-mode", "false");
    assert_eq!(minutes(&admin, "Loja").await, [Some(0), Some(0), None, None]);
    assert_eq!(minutes(&real, "Loja").await, [None; 4]);
    test.pass(MINUTE);
    let key = shop.key_for("production", &["paymentLinks:write"]).await;
    test.pass(MINUTE);
    let link = json!({ "title": "Caneca", "amountCents": 4_990 });
    key.post("/api/v1/payment-links", link).await.expect(201);
    assert_eq!(minutes(&admin, "Loja").await, [Some(0), Some(0), None, None]);
    assert_eq!(minutes(&real, "Loja").await, [Some(1), Some(2), None, None]);
    let none = (0, 0, None);
    let stopped = vec![(1, 0, Some(60)), (1, 1, Some(120)), none, none];
    assert_eq!(summary(&real).await, (json!([1, 0]), stopped));
}

/// Ana takes every step at 1, 2, 3 and 10 minutes, Bia all but the webhook at 0, 4 and 8, and Cia
/// makes a key at once and a link after 9 minutes. Dora takes none.
#[story::test]
async fn the_summary_has_medians_and_where_accounts_stop(test: &TestApp, receiver: Receiver) {
    for name in ["Ana", "Dora"] {
        let email = format!("{}@example.com", name.to_lowercase());
        let account = json!({ "name": name, "email": email, "password": PASSWORD });
        test.anyone().post("/api/auth/register", account).await.expect(201);
    }
    let (bia, cia) = (test.shop("Bia").await, test.shop("Cia").await);
    test.pass(MINUTE);
    let ana = test.shop_again("Ana").await;
    // The clock of a developer is not the one that a person waits by.
    ana.key.post("/api/dev/clock/advance", json!({ "seconds": 86_400 })).await.expect(200);
    test.pass(MINUTE);
    ana.link(1_000).await;
    test.pass(MINUTE);
    ana.sell(1_000).await;
    test.pass(MINUTE);
    bia.link(1_000).await;
    test.pass(MINUTE * 4);
    bia.sell(1_000).await;
    test.pass(MINUTE);
    cia.link(1_000).await;
    test.pass(MINUTE);
    deliver(test, &ana, &receiver).await;
    let admin = test.admin().await;
    assert_eq!(minutes(&admin, "Ana").await, [Some(1), Some(2), Some(3), Some(10)]);
    // Keys at 0, 0 and 60 s; links at 120, 240 and 540 s; payments at 180 and 480 s.
    let steps = vec![(3, 0, Some(0)), (3, 1, Some(240)), (2, 1, Some(330)), (1, 1, Some(600))];
    assert_eq!(summary(&admin).await, (json!([4, 1]), steps));
    let names = admin.list(ACCOUNTS).await;
    let names: Vec<_> = names.iter().map(|account| account["name"].clone()).collect();
    assert_eq!(names, ["Cia", "Bia", "Dora", "Ana"]);
}

#[story::test]
async fn closed_accounts_and_those_from_before_are_not_counted(test: &TestApp, shop: Shop) {
    let other = test.shop("Outra").await;
    let admin = test.admin().await;
    assert_eq!(summary(&admin).await.0, json!([2, 0]));
    let close = json!({ "password": PASSWORD });
    other.owner.post("/api/auth/account/close", close).await.expect(200);
    assert_eq!(summary(&admin).await.0, json!([1, 0]));
    let engine = Engine::open(test).await;
    let left = engine.rows("select cast(count(*) as text) from first_steps").await;
    assert_eq!(left, [["4"]], "two of the shop and two of the administrator");
    engine.rows("delete from first_steps").await;
    shop.link(1_000).await;
    shop.sell(1_000).await;
    let none = vec![(0, 0, None); 4];
    assert_eq!(summary(&admin).await, (json!([0, 0]), none));
    assert!(admin.list(ACCOUNTS).await.is_empty());
}

#[story::test]
async fn merchants_do_not_read_them(test: &TestApp, shop: Shop) {
    for path in [SUMMARY, ACCOUNTS] {
        shop.owner.get(path).await.expect_refusal(403, "ADMIN_REQUIRED");
        shop.key.get(path).await.expect_refusal(401, "UNAUTHORIZED");
        test.anyone().get(path).await.expect_refusal(401, "UNAUTHORIZED");
    }
}
