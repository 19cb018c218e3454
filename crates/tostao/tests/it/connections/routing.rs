//! Where new charges go, and what becomes of those under way.

use std::time::Duration;

use serde_json::json;
use tostao::connections::reload;

use super::orders::paid;
use super::payments::pass;
use super::{Bank, CONNECTIONS, administrator, available, charge, read, real, status, try_charge};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn without_a_route_a_real_charge_is_refused_and_never_simulated(test: &TestApp, shop: Shop) {
    try_charge(&shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
    let bank = Bank::connected(test).await;
    try_charge(&shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
    bank.route("pix", id(&bank.connection)).await.expect(200);
    let issued = charge(&shop, 1_000).await;
    let code = issued["pix"]["brCode"].as_str().expect("has a code");
    assert!(code.to_lowercase().contains("br.gov.bcb.pix"), "{code}");
    assert_eq!(bank.calls("cob.create").await, 1);
}

#[story::test]
async fn a_rail_goes_to_a_connection_that_serves_it_with_real_money(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let refused = bank.route("card", id(&bank.connection)).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["connectionId"]);
    let nothing = bank.admin.put("/api/admin/connection-routes/pix", json!({})).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["connectionId"]);
    bank.route("steam", id(&bank.connection)).await.expect_refusal(404, "NOT_FOUND");
    // An address of its own may be a test system's, as that of a fake is.
    let real = json!({ "connectionId": id(&bank.connection) });
    let refused = bank.admin.put("/api/admin/connection-routes/pix", real).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["acceptTestMoney"]);
    bank.route("pix", id(&bank.connection)).await.expect(200);
    bank.admin.delete("/api/admin/connection-routes/steam").await.expect_refusal(404, "NOT_FOUND");
    let none = bank.admin.delete("/api/admin/connection-routes/pix").await.expect(200);
    assert_eq!(none["data"][0]["routes"], json!([]), "{none}");
}

#[story::test]
async fn a_disabled_connection_takes_nothing_new_and_finishes_what_it_has(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let before = charge(&shop, 1_000).await;
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    let disabled = bank.admin.post(&format!("{path}/disable"), json!({})).await.expect(200);
    assert_eq!(disabled["data"]["routes"], json!([]));
    let refused = try_charge(&shop, 1_000).await;
    refused.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(refused.json()["message"], "No PIX provider is connected for production.");
    bank.route("pix", id(&bank.connection)).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let paid = bank.pays(&before, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &before).await, "PAID");
    bank.admin.post(&format!("{path}/enable"), json!({})).await.expect(200);
    bank.route("pix", id(&bank.connection)).await.expect(200);
    charge(&shop, 1_000).await;
}

#[story::test]
async fn a_renewal_by_pix_that_waits_for_a_route_is_made_within_a_minute_of_one(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, bank) = (real(shop).await, Bank::routed(test).await);
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let plan = shop.owner.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    let body = json!({
        "planId": id(&plan), "paymentMethod": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
    });
    test.anyone().post("/api/subscriptions/checkout", body).await.expect(201);
    let charges = async || shop.owner.list("/api/v1/transactions").await;
    let first = read(&shop, &charges().await[0]).await;
    let paid = bank.pays(&first, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    let path = "/api/admin/connection-routes/pix";
    administrator(test).await.delete(path).await.expect(200);
    pass(test, &bank, Duration::from_hours(24 * 31)).await;
    for _ in 0..10 {
        pass(test, &bank, Duration::from_hours(1)).await;
    }
    assert_eq!(charges().await.len(), 1);
    let route = json!({ "connectionId": id(&bank.connection), "acceptTestMoney": true });
    administrator(test).await.put(path, route).await.expect(200);
    pass(test, &bank, Duration::from_mins(1)).await;
    assert_eq!(charges().await.len(), 2);
}

#[story::test]
async fn values_are_replaced_only_by_those_that_work(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let path = format!("{CONNECTIONS}/{}/rotate", id(&bank.connection));
    let wrong = json!({ "values": { "client_secret": "wrong" } });
    bank.admin.post(&path, wrong).await.expect_refusal(409, "CONNECTION_REFUSED");
    charge(&shop, 1_000).await;
    let other = json!({ "values": { "client_secret": "the next one" } });
    bank.admin.post(&path, other).await.expect(200);
    for field in ["pix_key", "paying_key", "address", "charges_address"] {
        let another = json!({ "values": { field: "https://localhost:1" } });
        let refused = bank.admin.post(&path, another).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, [format!("values.{field}")], "{}", refused.text);
    }
    charge(&shop, 1_000).await;
}

#[story::test]
async fn rotating_to_the_application_of_another_connection_is_refused(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let second = bank.second().await;
    let path = format!("{CONNECTIONS}/{}/rotate", id(&second));
    let theirs = json!({ "values": { "client_id": "the client" } });
    let refused = bank.admin.post(&path, theirs).await;
    let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
    assert_eq!(fields, ["values.client_id"], "{}", refused.text);
    let own = json!({ "values": { "client_id": "the second client", "client_secret": "new" } });
    bank.admin.post(&path, own).await.expect(200);
}

#[test]
fn a_server_that_starts_finds_the_connections_and_their_charges() {
    crate::harness::story_with_restart(
        async |test| {
            let (bank, shop) = (Bank::routed(test).await, test.shop("Loja").await);
            let charge = charge(&shop, 1_000).await;
            // A client holds the product that is stopped.
            (bank.fake, bank.connection, charge)
        },
        async |test, (fake, connection, charge)| {
            let bank = Bank { fake, connection, admin: administrator(test).await };
            reload(&test.app).await.expect("reads the connections");
            let shop = test.shop_again("Loja").await;
            let paid = bank.pays(&charge, json!({})).await;
            bank.notify(test, &paid).await.expect(200);
            test.run_jobs().await;
            assert_eq!(read(&shop, &charge).await["status"], "PAID");
            assert_eq!(available(&shop).await, 1_000);
        },
    );
}

#[story::test]
async fn the_bank_is_given_our_address_for_notices_once_a_rail_goes_to_it(test: &TestApp) {
    let bank = Bank::connected(test).await;
    assert_eq!(bank.calls("webhook.put").await, 0);
    bank.route("pix", id(&bank.connection)).await.expect(200);
    test.run_jobs().await;
    assert!(bank.calls("webhook.put").await > 0);
}

#[story::test]
async fn a_payout_that_certainly_was_not_sent_is_as_if_it_had_never_been_sent(
    test: &TestApp,
    shop: Shop,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    let (sold, _) = paid(test, &bank, &shop, 10_000).await;
    assert_eq!(sold["status"], "PENDING");
    let wanted = json!({ "amountCents": 5_000, "pixKey": "a@example.com", "pixKeyType": "email" });
    let withdrawal = shop.owner.post("/api/withdraws", wanted).await.expect(201)["data"].clone();
    let path = format!("/api/withdraws/{}", id(&withdrawal));
    // Efí pays from no key without an address for notices: nothing is done, whatever the order.
    bank.admin.post(&format!("{path}/process"), json!({})).await.expect(200);
    test.run_jobs().await;
    let sent = "select cast(count(*) as text) from withdrawals where sent_at is not null";
    assert_eq!(Engine::open(test).await.rows(sent).await, [["0"]]);
    pass(test, &bank, Duration::from_hours(30)).await;
    let admin = administrator(test).await;
    let shown = admin.get(&path).await;
    assert!(!shown.text.contains("RAIL_TIMEOUT"), "{}", shown.text);
}
