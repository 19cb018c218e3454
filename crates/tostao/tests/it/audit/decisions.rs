//! Who decides about withdrawals and advances, and what is kept of it.

use super::account;
use serde_json::{Value, json};
use tostao::people::api::open_account;
use tostao::platform::config::Switch;
use tostao::platform::role::Role;

use crate::advances::{path as advance_path, request, sell};
use crate::audit::{of_all_accounts, only};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::withdrawals::{GOOD, process, read, withdraw};

const NOON: &str = "2026-11-21T12:00:00.000Z";

/// An administrator who sells, too, as the merchant they are.
async fn selling_administrator(test: &TestApp) -> Shop {
    test.admin().await;
    test.shop_again("Admin").await
}

/// Another administrator.
async fn second(test: &TestApp) -> Client {
    let email = "second@example.com";
    open_account(&test.app, "Second", email, PASSWORD, Role::Admin).await.expect("is opened");
    let login = json!({ "email": email, "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    test.anyone().with("authorization", &format!("Bearer {token}")).with("x-dev-mode", "true")
}

/// What an administrator's list says of who decided.
async fn decided(admin: &Client, list: &str) -> Value {
    let shown = admin.get(list).await.expect(200)["data"][0].clone();
    json!([shown["decidedBy"], shown["decidedAt"], shown["decidedFrom"]])
}

#[story::test]
async fn no_administrator_decides_about_their_own_withdrawal(test: &TestApp) {
    let shop = selling_administrator(test).await;
    shop.earn(5_000).await;
    let withdrawal = withdraw(&shop, 4_000, GOOD).await;
    let (own, other) = (test.admin().await, second(test).await);
    for action in ["approve", "reject"] {
        let refused = process(&own, &withdrawal, json!({ "action": action })).await;
        refused.expect_refusal(403, "SELF_APPROVAL");
    }
    assert_eq!(read(&shop, &withdrawal).await["processedAt"], json!(null));
    assert!(of_all_accounts(&own, "withdrawal.approved").await.is_empty());
    process(&other, &withdrawal, json!({})).await.expect(200);
    process(&own, &withdrawal, json!({})).await.expect_refusal(403, "SELF_APPROVAL");
    let path = format!("/api/admin/withdraws/{}/resolve", id(&withdrawal));
    let resolved = own.post(&path, json!({ "outcome": "not_paid" })).await;
    resolved.expect_refusal(403, "SELF_APPROVAL");
}

#[story::test]
async fn no_administrator_verifies_themselves(test: &TestApp, admin: Client) {
    let path = format!("/api/admin/merchants/{}/verify", account(&admin).await);
    admin.post(&path, json!({})).await.expect_refusal(403, "SELF_APPROVAL");
    second(test).await.post(&path, json!({})).await.expect(200);
}

#[story::test]
async fn no_administrator_decides_about_their_own_advance(test: &TestApp) {
    let shop = selling_administrator(test).await;
    sell(test, &shop, 10_000, 1).await;
    let advance = request(&shop, 1_000).await;
    let (own, other) = (test.admin().await, second(test).await);
    for deed in ["approve", "reject"] {
        let refused = own.post(&advance_path(&advance, deed), json!({})).await;
        refused.expect_refusal(403, "SELF_APPROVAL");
    }
    let approved = other.post(&advance_path(&advance, "approve"), json!({})).await.expect(200);
    assert_eq!(approved["data"]["status"], "APPROVED");
}

#[story::test]
async fn a_decided_withdrawal_keeps_who_decided_when_and_from_where_for_administrators_alone(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    shop.earn(5_000).await;
    let admin = test.admin().await;
    let own = account(&admin).await;
    for action in ["approve", "reject"] {
        let withdrawal = withdraw(&shop, 1_000, GOOD).await;
        let list = "/api/admin/withdraws";
        assert_eq!(decided(&admin, list).await, json!([null, null, null]));
        let reply = process(&admin, &withdrawal, json!({ "action": action })).await.expect(200);
        assert_eq!(reply["data"]["decidedBy"], own.as_str());
        assert_eq!(decided(&admin, list).await, json!([own, NOON, "127.0.0.1"]));
        let shown = read(&shop, &withdrawal).await;
        let at = if action == "approve" { "processedAt" } else { "failedAt" };
        assert_eq!((&shown[at], &shown["decidedBy"]), (&json!(NOON), &json!(null)));
        assert!(!shown.to_string().contains(&own), "{shown}");
    }
}

#[story::test]
async fn a_decided_advance_keeps_who_decided_when_and_from_where_for_administrators_alone(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    sell(test, &shop, 10_000, 1).await;
    let admin = test.admin().await;
    let own = account(&admin).await;
    for deed in ["reject", "approve"] {
        let advance = request(&shop, 1_000).await;
        let list = "/api/admin/advances";
        assert_eq!(decided(&admin, list).await, json!([null, null, null]));
        admin.post(&advance_path(&advance, deed), json!({})).await.expect(200);
        let seen = decided(&admin, list).await;
        let shown = shop.key.get(&format!("/api/advances/{}", id(&advance))).await.expect(200);
        let when = if deed == "approve" { "approvedAt" } else { "rejectedAt" };
        assert_eq!(seen, json!([own, shown["data"][when], "127.0.0.1"]));
        assert!(!shown.to_string().contains(&own), "{shown}");
    }
}

#[story::test]
async fn every_decision_leaves_an_entry_that_shows_merchants_what_and_administrators_who(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    shop.earn(5_000).await;
    let admin = test.admin().await.with("x-request-id", "decided-it");
    let own = account(&admin).await;
    for (action, body) in [
        ("withdrawal.approved", json!({ "action": "approve" })),
        ("withdrawal.rejected", json!({ "action": "reject", "failureReason": "Ana." })),
    ] {
        let withdrawal = withdraw(&shop, 1_000, GOOD).await;
        process(&admin, &withdrawal, body).await.expect(200);
        let entry = only(&shop.owner, action).await;
        assert_eq!(entry["actor"], json!({ "kind": "administrator", "id": null }));
        let unseen = (&entry["clientAddress"], &entry["requestId"], &entry["details"]);
        assert_eq!(unseen, (&json!(null), &json!(null), &json!({})));
        assert_eq!(
            (&entry["subjectId"], &entry["environment"]),
            (&withdrawal["id"], &json!("development"))
        );
        let [seen] = of_all_accounts(&admin, action).await.try_into().expect("is one");
        assert_eq!(seen["actor"], json!({ "kind": "administrator", "id": own }));
        assert_eq!(
            (&seen["clientAddress"], &seen["requestId"]),
            (&json!("127.0.0.1"), &json!("decided-it"))
        );
    }
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let cancel = format!("/api/withdraws/{}/cancel", id(&withdrawal));
    shop.key.post(&cancel, json!({})).await.expect(200);
    shop.key.post(&cancel, json!({})).await.expect(200);
    assert_eq!(only(&shop.owner, "withdrawal.cancelled").await["actor"]["kind"], "key");
    sell(test, &shop, 10_000, 1).await;
    for (deed, action) in [
        ("reject", "advance.rejected"),
        ("cancel", "advance.cancelled"),
        ("approve", "advance.approved"),
    ] {
        let advance = request(&shop, 1_000).await;
        let who = if deed == "cancel" { &shop.key } else { &admin };
        who.post(&advance_path(&advance, deed), json!({})).await.expect(200);
        assert_eq!(only(&shop.owner, action).await["subjectId"], advance["id"]);
    }
}

#[story::test(|settings| settings.auto_payouts = Switch::On)]
async fn immediate_approval_records_no_decision(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    withdraw(&shop, 4_000, GOOD).await;
    let admin = test.admin().await;
    let shown = decided(&admin, "/api/admin/withdraws").await;
    assert_eq!(shown, json!([null, null, null]));
    let entry = only(&shop.owner, "withdrawal.approved").await;
    assert_eq!(entry["actor"], json!({ "kind": "system", "id": null }));
}
