//! What leaves an entry, and what it says.

use serde_json::{Value, json};

use crate::audit::{entries, of_all_accounts, only};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::logs::{lines_with, watch};
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};

async fn account(shop: &Shop) -> Value {
    shop.owner.get("/api/auth/me").await.expect(200)["user"].clone()
}

#[story::test]
async fn making_rotating_and_revoking_a_key_each_leave_an_entry_without_the_key(shop: Shop) {
    let owner = shop.owner.with("x-request-id", "made-by-the-owner");
    let body = json!({
        "name": "Ana Souza", "environment": "production", "permissions": ["products:read"],
    });
    let made = owner.post("/api/credentials", body).await.expect(201)["data"].clone();
    let path = format!("/api/credentials/{}", id(&made));
    let grace = json!({ "gracePeriodSeconds": 60 });
    let rotated = owner.post(&format!("{path}/rotate"), grace).await.expect(200);
    owner.delete(&path).await.expect(200);
    owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");

    let account = account(&shop).await;
    let actions = ["api_key.created", "api_key.rotated", "api_key.revoked"];
    let details = [
        json!({ "permissions": ["products:read"] }),
        json!({ "gracePeriodSeconds": 60 }),
        json!({}),
    ];
    for (action, details) in actions.into_iter().zip(details) {
        let mut found = entries(&owner, action).await;
        found.retain(|entry| entry["subjectId"] == made["id"]);
        let [entry] = found.try_into().expect("is one");
        let expected = json!({
            "id": entry["id"], "action": action, "userId": id(&account),
            "environment": "production", "actor": { "kind": "owner", "id": id(&account) },
            "subjectId": id(&made), "clientAddress": "127.0.0.1",
            "requestId": "made-by-the-owner", "count": 1, "details": details,
            "createdAt": "2026-11-21T12:00:00.000Z",
        });
        assert_eq!(entry, expected);
    }
    let all = owner.get("/api/audit?limit=100").await.text;
    let keys = [&made["key"], &rotated["data"]["key"], &made["name"]];
    for secret in keys.map(|key| key.as_str().expect("is shown once")) {
        assert!(!all.contains(secret), "{all}");
    }
}

#[story::test]
async fn a_repeated_request_leaves_one_entry(shop: Shop) {
    let before = entries(&shop.owner, "api_key.created").await.len();
    let owner = shop.owner.with("idempotency-key", "once");
    let body = json!({
        "name": "Key", "environment": "development", "permissions": ["products:read"],
    });
    owner.post("/api/credentials", body.clone()).await.expect(201);
    owner.post("/api/credentials", body).await.expect(201);
    assert_eq!(entries(&shop.owner, "api_key.created").await.len(), before + 1);
}

#[story::test]
async fn a_webhooks_new_secret_is_accounted_for_by_the_key_that_asked(shop: Shop) {
    let body = json!({ "url": "https://example.com/hook", "events": ["*"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", body).await.expect(201);
    let path = format!("/api/webhooks/subscriptions/{}/rotate-secret", id(&hook["data"]));
    let rotated = shop.key.post(&path, json!({})).await.expect(200);
    let keys = shop.owner.get("/api/credentials").await.expect(200);

    let entry = only(&shop.owner, "webhook.secret_rotated").await;
    assert_eq!(entry["actor"], json!({ "kind": "key", "id": id(&keys["data"][0]) }));
    assert_eq!(
        (&entry["subjectId"], &entry["environment"]),
        (&hook["data"]["id"], &json!("development"))
    );
    assert_eq!(entry["details"], json!({ "gracePeriodSeconds": 86_400 }));
    let secret = rotated["data"]["secret"].as_str().expect("is shown once");
    assert!(!entry.to_string().contains(secret));
}

#[story::test]
async fn a_webhook_that_is_switched_off_is_accounted_for_by_the_server(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let body = json!({ "url": receiver.url, "events": ["*"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", body).await.expect(201);
    receiver.answer(&[410]);
    shop.product(json!({})).await;
    test.run_jobs().await;
    test.run_jobs().await;
    let entry = only(&shop.owner, "webhook.disabled").await;
    assert_eq!(entry["actor"], json!({ "kind": "system", "id": null }));
    assert_eq!(entry["subjectId"], hook["data"]["id"]);
    let events = shop.key.get("/api/webhooks/events").await.expect(200);
    let event = &events["data"][0]["id"];
    assert_eq!(entry["details"], json!({ "eventId": event, "reason": "gone" }));
    assert_eq!((&entry["clientAddress"], &entry["requestId"]), (&json!(null), &json!(null)));
}

#[story::test]
async fn a_webhook_that_gets_another_url_or_events_again_is_accounted_for(
    test: &TestApp,
    shop: Shop,
) {
    let body = json!({ "url": "https://example.com/hook?secret=abc", "events": ["*"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", body).await.expect(201);
    let hook = hook["data"].clone();
    let first = format!("/api/v1/webhooks/subscriptions/{}", id(&hook));
    let second = format!("/api/webhooks/subscriptions/{}", id(&hook));
    let elsewhere = json!({ "url": "https://elsewhere.example/hook?secret=abc" });
    let dry = shop.key.patch(&format!("{first}?dryRun=true"), elsewhere.clone()).await;
    dry.expect(200);
    assert!(entries(&shop.owner, "webhook.url_changed").await.is_empty());
    shop.key.patch(&first, elsewhere.clone()).await.expect(200);
    // The same again is no change.
    shop.key.put(&second, elsewhere).await.expect(200);
    let entry = only(&shop.owner, "webhook.url_changed").await;
    let hosts = json!({ "from": "example.com", "to": "elsewhere.example" });
    assert_eq!((&entry["details"], &entry["subjectId"]), (&hosts, &hook["id"]));
    shop.key.put(&second, json!({ "url": "https://elsewhere.example/" })).await.expect(200);
    assert_eq!(entries(&shop.owner, "webhook.url_changed").await.len(), 2);

    shop.key.patch(&first, json!({ "isActive": false })).await.expect(200);
    assert!(entries(&shop.owner, "webhook.enabled").await.is_empty());
    for _ in 0..2 {
        shop.key.post(&format!("{first}/enable"), json!({})).await.expect(200);
    }
    let entry = only(&shop.owner, "webhook.enabled").await;
    assert_eq!((&entry["actor"]["kind"], &entry["subjectId"]), (&json!("key"), &hook["id"]));
    shop.key.put(&second, json!({ "status": "INACTIVE" })).await.expect(200);
    shop.key.put(&second, json!({ "status": "ACTIVE" })).await.expect(200);
    assert_eq!(entries(&shop.owner, "webhook.enabled").await.len(), 2);

    let since = json!({ "since": test.app.now().to_string() });
    let begun = shop.key.post(&format!("{first}/recover"), since).await.expect(201);
    let entry = only(&shop.owner, "webhook.recovery_started").await;
    let span = json!({ "since": begun["data"]["since"], "until": begun["data"]["until"] });
    assert_eq!((&entry["details"], &entry["subjectId"]), (&span, &hook["id"]));
}

#[story::test]
async fn an_administrator_made_on_the_server_is_accounted_for(admin: Client) {
    let [entry] =
        of_all_accounts(&admin, "administrator.created").await.try_into().expect("is one");
    let me = admin.get("/api/auth/me").await.expect(200);
    assert_eq!(entry["userId"], me["user"]["id"]);
    assert_eq!(entry["actor"], json!({ "kind": "command_line", "id": null }));
}

#[story::test]
async fn every_entry_is_a_line_of_the_log_once_it_is_kept(shop: Shop) {
    let request = "a-request-with-a-line-of-its-own";
    watch(&[request]);
    let owner = shop.owner.with("x-request-id", request);
    let body = json!({
        "name": "Key", "environment": "production", "permissions": ["products:read"],
    });
    let made = owner.post("/api/credentials", body.clone()).await.expect(201);
    let lines = lines_with(request);
    let mut audited = lines.iter().filter(|line| line.contains(" audit: "));
    let line = audited.next().expect("is there");
    assert_eq!(audited.count(), 0);
    let account = account(&shop).await;
    for reported in [
        "An API key was made.",
        "action=\"api_key.created\"",
        &format!("merchant={}", id(&account)),
        "mode=\"production\"",
        "actor=\"owner\"",
        &format!("actor_id={}", id(&account)),
        &format!("subject={}", id(&made["data"])),
        "client_address=\"127.0.0.1\"",
    ] {
        assert!(line.contains(reported), "{reported}: {line}");
    }
    let key = made["data"]["key"].as_str().expect("is shown once");
    assert!(!line.contains(key));
}
