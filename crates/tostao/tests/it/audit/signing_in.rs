//! What signing in, sessions, passwords and verifications leave in the audit log.

use std::time::Duration;

use super::account;
use serde_json::{Value, json};
use tostao::audit::refused;
use tostao::people::administrators::{self, LastAdministratorPolicy};
use tostao::people::api::open_account;
use tostao::platform::ids::MerchantId;
use tostao::platform::role::Role;

use crate::audit::{entries, of_all_accounts, only};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{PASSWORD, Shop};

const EMAIL: &str = "loja@example.com";
const ELSEWHERE: &str = "198.51.100.7";

/// Signs in from another address; answers the refresh token.
async fn sign_in_elsewhere(test: &TestApp) -> Value {
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let session = test.anyone().from(ELSEWHERE).post("/api/auth/login", login).await.expect(200);
    json!({ "refreshToken": session["refreshToken"] })
}

/// The session that is not the caller's.
async fn other_session(owner: &Client) -> Value {
    let listed = owner.get("/api/auth/sessions").await.expect(200);
    let sessions = listed["data"].as_array().expect("is a list");
    sessions.iter().find(|session| session["current"] == false).expect("is one")["id"].clone()
}

#[story::test]
async fn a_sign_in_leaves_an_entry_and_refused_ones_are_counted_together(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let own = account(&shop.owner).await;
    let entry = only(&shop.owner, "sign_in.succeeded").await;
    assert_eq!(entry["actor"], json!({ "kind": "owner", "id": own }));
    assert_eq!(entry["details"], json!({ "secondStep": "none" }));
    assert_eq!(
        (&entry["clientAddress"], &entry["environment"]),
        (&json!("127.0.0.1"), &json!(null))
    );

    let stranger = test.anyone().from(ELSEWHERE);
    for email in [EMAIL, EMAIL, EMAIL, "nobody@example.com"] {
        let login = json!({ "email": email, "password": "a guess" });
        let refused = stranger.post("/api/auth/login", login).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    assert!(entries(&shop.owner, "sign_in.refused").await.is_empty());
    test.pass(Duration::from_mins(5));
    refused::write_due(&test.app.refusals, &test.app.database).await.expect("are written");
    let entry = only(&shop.owner, "sign_in.refused").await;
    assert_eq!((&entry["count"], &entry["clientAddress"]), (&json!(3), &json!(ELSEWHERE)));
    assert_eq!(entry["actor"], json!({ "kind": "anonymous", "id": null }));
    let all = of_all_accounts(&test.admin().await, "sign_in.refused").await;
    assert_eq!(all.iter().filter(|entry| entry["userId"] == json!(null)).count(), 1);
}

#[story::test]
async fn a_refresh_token_that_is_used_twice_leaves_an_entry(test: &TestApp, shop: Shop) {
    let token = sign_in_elsewhere(test).await;
    let session = other_session(&shop.owner).await;
    test.anyone().post("/api/auth/refresh", token.clone()).await.expect(200);
    let thief = test.anyone().from(ELSEWHERE);
    for _ in 0..2 {
        thief.post("/api/auth/refresh", token.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    }
    let entry = only(&shop.owner, "session.refresh_reused").await;
    assert_eq!((&entry["subjectId"], &entry["clientAddress"]), (&session, &json!(ELSEWHERE)));
}

#[story::test]
async fn ending_sessions_and_changing_the_password_leave_entries_without_the_password(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    sign_in_elsewhere(test).await;
    let session = other_session(&shop.owner).await;
    let path = format!("/api/auth/sessions/{}", session.as_str().expect("is an id"));
    shop.owner.delete(&path).await.expect(200);
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    let entry = only(&shop.owner, "session.revoked").await;
    assert_eq!(entry["subjectId"], session);

    sign_in_elsewhere(test).await;
    shop.owner.delete("/api/auth/sessions").await.expect(200);
    let revoked = entries(&shop.owner, "session.revoked").await;
    assert_eq!(revoked.len(), 2);
    assert!(revoked.iter().all(|entry| entry["details"] == json!({ "sessionsEnded": 1 })));

    let new = "another battery staple";
    let body = json!({ "currentPassword": PASSWORD, "newPassword": new });
    shop.owner.post("/api/auth/password", body).await.expect(200);
    let entry = only(&shop.owner, "password.changed").await;
    let own = account(&shop.owner).await;
    assert_eq!(entry["actor"], json!({ "kind": "owner", "id": own }));
    let all = shop.owner.get("/api/audit?limit=100").await.text;
    assert!(!all.contains(new) && !all.contains(PASSWORD), "{all}");
}

#[story::test]
async fn signing_out_leaves_an_entry(test: &TestApp, shop: Shop) {
    let token = sign_in_elsewhere(test).await;
    let session = other_session(&shop.owner).await;
    let renewed = test.anyone().post("/api/auth/refresh", token).await.expect(200);
    let token = renewed["accessToken"].as_str().expect("gives a token");
    let other = test.anyone().from(ELSEWHERE).with("authorization", &format!("Bearer {token}"));
    other.post("/api/auth/logout", json!({})).await.expect(200);
    let entry = only(&shop.owner, "session.ended").await;
    assert_eq!((&entry["subjectId"], &entry["clientAddress"]), (&session, &json!(ELSEWHERE)));
    assert_eq!(entry["actor"]["kind"], "owner");
}

#[story::test]
async fn a_verification_and_its_withdrawal_each_leave_an_entry(shop: Shop, admin: Client) {
    let path = format!("/api/admin/merchants/{}/verify", account(&shop.owner).await);
    admin.post(&path, json!({})).await.expect(200);
    admin.post(&path, json!({ "verified": false })).await.expect(200);
    for action in ["merchant.verified", "merchant.verification_withdrawn"] {
        let entry = only(&shop.owner, action).await;
        assert_eq!(entry["actor"], json!({ "kind": "administrator", "id": null }));
        let [entry] = of_all_accounts(&admin, action).await.try_into().expect("is one");
        assert_eq!(entry["actor"]["id"], account(&admin).await.as_str());
    }
}

#[story::test]
async fn what_the_command_line_does_about_an_administrator_leaves_entries(test: &TestApp) {
    let admin = test.admin().await;
    let email = "second@example.com";
    let second = open_account(&test.app, "Second", email, PASSWORD, Role::Admin).await;
    let MerchantId(second) = second.expect("is opened").id;
    let unit = async move |tx: &_| {
        administrators::set_password(tx, MerchantId(second), "a hash").await?;
        administrators::revoke(tx, email, LastAdministratorPolicy::Keep).await
    };
    test.app.transact(unit).await.expect("is done");
    for action in ["password.changed", "administrator.revoked"] {
        let [entry] = of_all_accounts(&admin, action).await.try_into().expect("is one");
        assert_eq!(entry["userId"], second.to_string());
        assert_eq!(entry["actor"], json!({ "kind": "command_line", "id": null }));
    }
}
