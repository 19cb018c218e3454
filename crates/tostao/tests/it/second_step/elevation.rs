//! What asks for the password or a code again, and for how long an answer counts.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};

use super::{Device, EMAIL, PATH, STEP, remove, sign_in, signed_in};
use crate::audit::entries;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, every_permission, id};
use crate::harness::{TestApp, rate_limited};
use crate::members::{invite, member, person};
use crate::payout_keys;

const ELEVATE: &str = "/api/auth/elevate";
const MINUTES: Duration = Duration::from_mins(10);
const NOTHING: &str = "00000000-0000-7000-8000-000000000001";
const BIA: &str = "bia@example.com";

async fn elevate(who: &Client, proof: Value) -> Reply {
    who.post(ELEVATE, proof).await
}

/// Invites another person each time.
async fn try_to_invite(who: &Client, number: u8) -> Reply {
    let email = format!("pessoa{number}@example.com");
    who.post("/api/invitations", json!({ "email": email, "role": "VIEWER" })).await
}

fn new_key(environment: &str) -> Value {
    let permissions = every_permission();
    json!({ "name": "a", "environment": environment, "permissions": permissions })
}

#[story::test]
async fn a_code_counts_for_ten_minutes_as_a_sign_in_does(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    test.pass(MINUTES.saturating_sub(Duration::from_secs(1)));
    try_to_invite(&shop.owner, 0).await.expect(201);
    test.pass(Duration::from_secs(1));
    let refused = try_to_invite(&shop.owner, 1).await;
    refused.expect_refusal(403, "ELEVATION_REQUIRED");
    let elevated = elevate(&shop.owner, json!({ "code": device.code(test, 0) })).await.expect(200);
    assert_eq!(elevated["elevatedUntil"], "2026-11-21T12:20:00.000Z");
    try_to_invite(&shop.owner, 1).await.expect(201);

    let session = sign_in(test, EMAIL, Some(&device.backup_codes[0])).await.expect(200);
    let owner = signed_in(test, &session);
    test.pass(MINUTES);
    try_to_invite(&owner, 2).await.expect_refusal(403, "ELEVATION_REQUIRED");
    elevate(&owner, json!({ "code": device.backup_codes[1] })).await.expect(200);
    try_to_invite(&owner, 2).await.expect(201);
    let with: Vec<_> = entries(&owner, "session.elevated").await;
    let with: Vec<_> = with.iter().map(|entry| &entry["details"]["with"]).collect();
    assert_eq!(with, ["backup_code", "app"]);
    // Renewing the session proves nothing.
    test.pass(MINUTES);
    let refresh = json!({ "refreshToken": session["refreshToken"] });
    let renewed = test.anyone().post("/api/auth/refresh", refresh).await.expect(200);
    let refused = try_to_invite(&signed_in(test, &renewed), 3).await;
    refused.expect_refusal(403, "ELEVATION_REQUIRED");
}

#[story::test]
async fn a_password_alone_elevates_no_session_of_a_person_with_a_second_step(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    test.pass(MINUTES);
    let password = json!({ "password": PASSWORD });
    elevate(&shop.owner, password).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    let wrong = json!({ "password": PASSWORD, "code": device.wrong_code(test) });
    elevate(&shop.owner, wrong).await.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    let other = json!({ "password": "a guess", "code": device.code(test, 0) });
    elevate(&shop.owner, other).await.expect_refusal(401, "INVALID_CREDENTIALS");
    try_to_invite(&shop.owner, 0).await.expect_refusal(403, "ELEVATION_REQUIRED");
    let both = json!({ "password": PASSWORD, "totp": device.code(test, 0) });
    elevate(&shop.owner, both).await.expect(200);
    try_to_invite(&shop.owner, 0).await.expect(201);
}

#[story::test]
async fn a_password_from_before_the_second_step_elevates_one_session_no_longer(
    test: &TestApp,
    shop: Shop,
) {
    let before = signed_in(test, &sign_in(test, EMAIL, None).await.expect(200));
    try_to_invite(&before, 0).await.expect(201);
    Device::enrolled(test, &shop.owner).await;
    try_to_invite(&before, 1).await.expect_refusal(403, "ELEVATION_REQUIRED");
    try_to_invite(&shop.owner, 1).await.expect(201);
}

#[story::test(rate_limited)]
async fn codes_are_limited_as_sign_ins_are(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let wrong = async || {
        let wrong = elevate(&shop.owner, json!({ "code": device.wrong_code(test) })).await;
        wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    };
    for _ in 0..4 {
        wrong().await;
    }
    elevate(&shop.owner, json!({ "code": device.code(test, 1) })).await.expect(200);
    wrong().await;
    let refused = elevate(&shop.owner, json!({ "code": device.code(test, 1) })).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    let says = [refused.header("ratelimit-limit"), refused.header("retry-after")];
    assert_eq!(says, [Some("6"), Some("900")]);
}

#[story::test]
async fn what_proves_nothing_elevates_nothing(test: &TestApp, shop: Shop) {
    test.pass(MINUTES);
    let refused = elevate(&shop.owner, json!({})).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["password"]);
    let wrong = elevate(&shop.owner, json!({ "password": "a guess" })).await;
    wrong.expect_refusal(401, "INVALID_CREDENTIALS");
    // A person without a second step has no code.
    let code = elevate(&shop.owner, json!({ "code": "123456" })).await;
    code.expect_refusal(409, "INVALID_STATE_TRANSITION");
    elevate(&shop.owner, json!({ "password": PASSWORD })).await.expect(200);
    let device = Device::enrolled(test, &shop.owner).await;
    test.pass(MINUTES.saturating_sub(STEP));
    let session = sign_in(test, EMAIL, Some(&device.backup_codes[0])).await.expect(200);
    let owner = signed_in(test, &session);
    test.pass(MINUTES);
    for (code, refusal) in [
        (device.wrong_code(test), "TWO_FACTOR_CODE_INVALID"),
        (device.backup_codes[0].clone(), "TWO_FACTOR_CODE_INVALID"),
        (" ".to_owned(), "TWO_FACTOR_REQUIRED"),
    ] {
        elevate(&owner, json!({ "code": code })).await.expect_refusal(401, refusal);
    }
    try_to_invite(&owner, 0).await.expect_refusal(403, "ELEVATION_REQUIRED");
    elevate(&owner, json!({ "code": device.backup_codes[1] })).await.expect(200);
    try_to_invite(&owner, 0).await.expect(201);
    owner.post("/api/auth/logout", json!({})).await.expect(200);
    let ended = elevate(&owner, json!({ "password": PASSWORD })).await;
    ended.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn five_wrong_codes_end_a_session_and_pause_no_code_of_its_person(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    test.pass(STEP);
    let session = sign_in(test, EMAIL, Some(&device.code(test, 0))).await.expect(200);
    let stolen = signed_in(test, &session);
    let wrong = device.wrong_code(test);
    let renew = |code: &str| stolen.post("/api/two-factor/backup-codes", json!({ "code": code }));
    let replies = join_all((0..16).map(|_| renew(&wrong))).await;
    let tried = replies.iter().filter(|reply| reply.text.contains("TWO_FACTOR_CODE_INVALID"));
    assert_eq!(tried.count(), 4, "at once, too");
    assert!(replies.iter().all(|reply| reply.status == 401));
    stolen.get("/api/auth/me").await.expect(401);
    let entry = &entries(&shop.owner, "session.ended_by_codes").await;
    assert_eq!((entry.len(), &entry[0]["details"]["codes"]), (1, &json!(5)));
    // Many other sessions' worth of them pause nothing.
    for _ in 0..4 {
        elevate(&shop.owner, json!({ "code": wrong })).await.expect(401);
    }
    test.pass(STEP);
    elevate(&shop.owner, json!({ "code": device.code(test, 0) })).await.expect(200);
    test.pass(STEP);
    sign_in(test, EMAIL, Some(&device.code(test, 0))).await.expect(200);
}

#[story::test]
async fn elevating_a_session_elevates_no_other(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "MANAGER").await;
    let second = signed_in(test, &sign_in(test, EMAIL, None).await.expect(200));
    test.pass(MINUTES);
    elevate(&second, json!({ "password": PASSWORD })).await.expect(200);
    try_to_invite(&second, 0).await.expect(201);
    for other in [&shop.owner, &bia] {
        try_to_invite(other, 1).await.expect_refusal(403, "ELEVATION_REQUIRED");
    }
}

#[story::test]
async fn changes_of_the_team_and_of_the_second_step_ask_everybody(test: &TestApp, shop: Shop) {
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let member = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let open = invite(&shop.owner, "caio@example.com", "VIEWER").await;
    let open = format!("/api/invitations/{}", id(&open));
    test.pass(MINUTES);
    let (patch, post, delete) = (Method::PATCH, Method::POST, Method::DELETE);
    let confirm = format!("{PATH}/confirm");
    let asked = [
        (&patch, &*member, json!({ "role": "SUPPORT" })),
        (&delete, &*member, json!(null)),
        (&post, "/api/invitations", json!({ "email": "davi@example.com", "role": "VIEWER" })),
        (&delete, &*open, json!(null)),
        (&post, PATH, json!({ "password": PASSWORD })),
        (&post, &*confirm, json!({ "code": "123456" })),
    ];
    let send = async |(method, path, body): &(&Method, &str, Value)| {
        let (kind, body) = match body {
            Value::Null => (None, String::new()),
            body => (Some("application/json"), body.to_string()),
        };
        shop.owner.send((*method).clone(), path, kind, body).await
    };
    for request in &asked {
        send(request).await.expect_refusal(403, "ELEVATION_REQUIRED");
    }
    let leaving = bia.delete(&member).await;
    leaving.expect_refusal(403, "ELEVATION_REQUIRED");
    for read in ["/api/members", "/api/invitations", PATH] {
        shop.owner.get(read).await.expect(200);
    }
    // The role is asked for first.
    let refused = bia.post("/api/invitations", asked[2].2.clone()).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    elevate(&shop.owner, json!({ "password": PASSWORD })).await.expect(200);
    for request in &asked {
        let reply = send(request).await;
        assert_ne!(reply.status, 403, "{} {}: {}", request.0, request.1, reply.text);
    }
    remove(&shop.owner, PASSWORD, "123456").await.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

/// What moves or opens real money, or names where it or its events go, as far as people do it; a
/// program that has a person's access token may, too.
async fn real_money(who: &Client, real_key: &str, hook: &str) -> Vec<Reply> {
    let money = json!({ "amountCents": 1_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let refund = json!({ "reason": "Devolvido", "refundPixKey": "ana@example.com" });
    let back = json!({ "refundPixKey": "ana@example.com" });
    let url = json!({ "url": "https://example.com/other" });
    let hooks = "/api/webhooks/subscriptions";
    let first = "/api/v1/webhooks/subscriptions";
    let payment = format!("/api/v1/transactions/{NOTHING}");
    vec![
        who.post("/api/credentials", new_key("production")).await,
        who.post(&format!("/api/credentials/{real_key}/rotate"), json!({})).await,
        who.post("/api/withdraws", money).await,
        who.post(&format!("{hooks}/{hook}/rotate-secret"), json!({})).await,
        who.post(&format!("{payment}/refund"), refund).await,
        who.post(&format!("{payment}/unmatched/{NOTHING}/return"), back).await,
        who.post(hooks, hook_at("https://example.com/second")).await,
        who.post(first, hook_at("https://example.com/first")).await,
        who.put(&format!("{hooks}/{hook}"), url.clone()).await,
        who.patch(&format!("{first}/{hook}"), url).await,
    ]
}

/// The same acts where they name nothing new: money goes back where it came from.
async fn nothing_named(who: &Client, hook: &str) -> Vec<Reply> {
    let payment = format!("/api/v1/transactions/{NOTHING}");
    vec![
        who.post(&format!("{payment}/refund"), json!({ "reason": "Devolvido" })).await,
        who.post(&format!("{payment}/unmatched/{NOTHING}/return"), json!({})).await,
        who.put(&format!("/api/webhooks/subscriptions/{hook}"), json!({ "events": ["*"] })).await,
    ]
}

fn hook_at(url: &str) -> Value {
    json!({ "url": url, "events": ["*"] })
}

#[story::test]
async fn for_real_money_people_with_a_second_step_alone_are_asked_and_keys_never(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    let made = shop.owner.post("/api/credentials", new_key("production")).await.expect(201);
    let (credential, key) = (id(&made["data"]), made["data"]["key"].as_str().expect("is shown"));
    let key = test.anyone().with("api-key", key);
    let hook = hook_at("https://example.com/hook");
    let hook = key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    let hook = id(&hook["data"]);
    payout_keys::add(&shop.owner, "ana@example.com").await;
    payout_keys::make_usable(test).await;
    test.pass(MINUTES);
    for reply in real_money(&shop.owner, credential, hook).await {
        reply.expect_refusal(403, "ELEVATION_REQUIRED");
    }
    for reply in nothing_named(&shop.owner, hook).await {
        assert_ne!(reply.status, 403, "{}", reply.text);
    }
    // Simulated money asks for nothing, and keys have nothing to prove.
    let made = shop.owner.post("/api/credentials", new_key("development")).await.expect(201);
    let rotate = format!("/api/credentials/{}/rotate", id(&made["data"]));
    shop.owner.post(&rotate, json!({})).await.expect(200);
    let simulated = real_money(&shop.owner.with("x-dev-mode", "true"), NOTHING, hook).await;
    for reply in &simulated[1..] {
        assert_ne!(reply.status, 403, "{}", reply.text);
    }
    for reply in &real_money(&key, NOTHING, hook).await[2..] {
        assert_ne!(reply.status, 403, "{}", reply.text);
    }
    elevate(&shop.owner, json!({ "code": device.code(test, 0) })).await.expect(200);
    for reply in real_money(&shop.owner, credential, hook).await {
        assert_ne!(reply.status, 403, "{}", reply.text);
    }
}

#[story::test]
async fn an_access_token_of_a_person_without_a_second_step_works_as_ever(
    test: &TestApp,
    shop: Shop,
) {
    let made = shop.owner.post("/api/credentials", new_key("production")).await.expect(201);
    test.pass(MINUTES);
    for reply in real_money(&shop.owner, id(&made["data"]), NOTHING).await {
        assert_ne!(reply.status, 403, "{}", reply.text);
    }
}
