//! Sessions as their owner sees and ends them, and passwords that are changed.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::housekeeping;

use crate::dashboard;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::{TestApp, rate_limited};
use crate::members;

const EMAIL: &str = "loja@example.com";
const NEW: &str = "another battery staple";

/// Signs in from an address; answers who may then call, and the refresh token.
async fn sign_in_from(test: &TestApp, address: &str) -> (Client, Value) {
    let anyone = test.anyone().from(address);
    let login = json!({ "email": EMAIL, "password": PASSWORD });
    let session = anyone.post("/api/auth/login", login).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    let owner = anyone.with("authorization", &format!("Bearer {token}"));
    (owner, json!({ "refreshToken": session["refreshToken"] }))
}

async fn listed(owner: &Client) -> Vec<Value> {
    owner.list("/api/auth/sessions").await
}

fn change(current: &str, new: &str) -> Value {
    json!({ "currentPassword": current, "newPassword": new })
}

#[story::test]
async fn a_new_password_ends_every_other_session_and_keeps_the_one_that_set_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (thief, thiefs_token) = sign_in_from(test, "198.51.100.7").await;
    shop.owner.post("/api/auth/password", change(PASSWORD, NEW)).await.expect(200);
    shop.owner.get("/api/auth/me").await.expect(200);
    thief.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    test.anyone().post("/api/auth/refresh", thiefs_token).await.expect_refusal(401, "UNAUTHORIZED");
    shop.key.get("/api/v1/transactions").await.expect(200);
    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        let login = json!({ "email": EMAIL, "password": password });
        test.anyone().post("/api/auth/login", login).await.expect(status);
    }
}

#[story::test]
async fn a_refresh_token_copied_before_a_new_password_is_worth_nothing_after_it(test: &TestApp) {
    test.shop("Loja").await;
    let (owner, copied) = sign_in_from(test, "198.51.100.7").await;
    let changed = owner.post("/api/auth/password", change(PASSWORD, NEW)).await.expect(200);
    let next = json!({ "refreshToken": changed["refreshToken"] });
    let renewed = test.anyone().post("/api/auth/refresh", next).await.expect(200);
    let token = renewed["accessToken"].as_str().expect("gives a token");
    let owner = test.anyone().with("authorization", &format!("Bearer {token}"));
    owner.get("/api/auth/me").await.expect(200);
    test.anyone().post("/api/auth/refresh", copied).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test(rate_limited)]
async fn a_wrong_old_password_changes_nothing_and_counts_as_an_attempt_to_sign_in(test: &TestApp) {
    let shop = test.shop("Loja").await;
    for _ in 0..5 {
        let refused = shop.owner.post("/api/auth/password", change("a guess", NEW)).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    // Opening the shop has signed in once.
    let refused = shop.owner.post("/api/auth/password", change("a guess", NEW)).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.header("ratelimit-limit"), Some("6"));
    test.pass(Duration::from_secs(3_600));
    sign_in_from(test, "127.0.0.1").await;
}

#[story::test]
async fn a_new_password_keeps_the_rules_of_the_first_one(test: &TestApp, shop: Shop) {
    for bad in ["short", "        ", "password1", "PassWord1", " password1 ", "12345678"] {
        let refused = shop.owner.post("/api/auth/password", change(PASSWORD, bad)).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, ["newPassword"], "{bad}");
        let account = json!({ "name": "a", "email": "a@example.com", "password": bad });
        let refused = test.anyone().post("/api/auth/register", account).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["password"], "{bad}");
    }
    let account = json!({ "name": "a", "email": "a@example.com", "password": "qwertyuiop" });
    let refused = test.anyone().post("/api/auth/register", account).await;
    assert_eq!(refused.json()["errors"][0]["code"], "COMMON_PASSWORD");
    sign_in_from(test, "127.0.0.1").await;
}

#[story::test]
async fn sessions_show_where_they_started_and_when_they_were_last_refreshed(test: &TestApp) {
    let shop = test.shop("Loja").await;
    test.pass(Duration::from_secs(600));
    let (_, token) = sign_in_from(test, "2001:db8:1:2:3:4:5:6").await;
    test.pass(Duration::from_secs(120));
    test.anyone().post("/api/auth/refresh", token).await.expect(200);
    test.shop("Outra").await;
    let sessions = listed(&shop.owner).await;
    let seen: Vec<_> = sessions
        .iter()
        .map(|session| {
            let field = |name: &str| session[name].as_str().unwrap_or_default().to_owned();
            let current = session["current"].as_bool().expect("is there");
            (field("network"), field("createdAt"), field("lastUsedAt"), current)
        })
        .collect();
    let row = |network: &str, created: &str, used: &str, current| {
        let at = |time: &str| format!("2026-11-21T{time}.000Z");
        (network.to_owned(), at(created), at(used), current)
    };
    let expected = [
        row("2001:db8:1:2::", "12:10:00", "12:12:00", false),
        row("127.0.0.1", "12:00:00", "12:00:00", true),
    ];
    assert_eq!(seen, expected);
}

#[story::test]
async fn a_session_is_ended_by_its_owner_at_once_and_only_once(test: &TestApp, shop: Shop) {
    let (lost, token) = sign_in_from(test, "198.51.100.7").await;
    let path = format!("/api/auth/sessions/{}", id(&listed(&shop.owner).await[0]));
    test.shop("Outra").await.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    lost.get("/api/auth/me").await.expect(200);
    shop.owner.delete(&path).await.expect(200);
    lost.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    test.anyone().post("/api/auth/refresh", token).await.expect_refusal(401, "UNAUTHORIZED");
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(listed(&shop.owner).await.len(), 1);
}

#[story::test]
async fn where_a_person_signed_in_is_forgotten_with_the_person(test: &TestApp, shop: Shop) {
    let bia = members::member(test, &shop, "bia@example.com", "VIEWER").await;
    bia.get("/api/auth/me").await.expect(200);
    dashboard::Browser::signed_in(test, "bia@example.com").await;
    let person = members::person(&shop.owner, "bia@example.com").await;
    let sessions = async || {
        let sql = "select coalesce(address, network) from sessions";
        Engine::open(test).await.rows(sql).await.len()
    };
    assert_eq!(sessions().await, 3);
    shop.owner.delete(&format!("/api/members/{person}")).await.expect(200);
    assert_eq!(sessions().await, 1);
    bia.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn a_browsers_session_is_forgotten_thirty_days_after_it_ended(test: &TestApp) {
    test.shop("Loja").await;
    let browser = dashboard::Browser::signed_in(test, EMAIL).await;
    assert_eq!(browser.post("/sign-out", &[]).await.status, 303);
    assert!(!browser.is_in().await);
    let kept = async || {
        housekeeping::run(&test.app).await.expect("is tidied up");
        let sql = "select address from sessions where kind = 'BROWSER'";
        Engine::open(test).await.rows(sql).await.len()
    };
    test.pass(Duration::from_hours(30 * 24).saturating_sub(Duration::from_millis(1)));
    assert_eq!(kept().await, 1);
    test.pass(Duration::from_millis(1));
    assert_eq!(kept().await, 0);
}

#[story::test]
async fn all_other_sessions_end_at_once(test: &TestApp, shop: Shop, other: Shop) {
    let (lost, _) = sign_in_from(test, "198.51.100.7").await;
    let (stolen, _) = sign_in_from(test, "203.0.113.9").await;
    shop.owner.delete("/api/auth/sessions").await.expect(200);
    for ended in [lost, stolen] {
        ended.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    }
    other.owner.get("/api/auth/me").await.expect(200);
    assert_eq!(listed(&shop.owner).await.len(), 1);
}
