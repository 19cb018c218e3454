//! The keys to withdraw to: who adds them, from when on they are usable, and who hears of them.

use std::time::Duration;

use db::tx::Tx;
use serde_json::{Value, json};

use crate::audit;
use crate::dashboard::{join, token};
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::smtp::story_with_mail;
use crate::harness::{TestApp, rate_limited};
use crate::second_step::{Device, STEP};

const PATH: &str = "/api/payout-keys";
const KEY: &str = "financas@example.com";
const UNKNOWN: &str = "01931b2c-0000-7000-8000-000000000000";

/// The same person in test mode.
fn in_development(client: &Client) -> Client {
    client.with("x-dev-mode", "true")
}

async fn try_add(client: &Client, key: &str) -> Reply {
    let body = json!({ "label": "Conta da empresa", "pixKey": key, "pixKeyType": "email" });
    client.post(PATH, body).await
}

/// Adds a key to withdraw to; answers it.
pub async fn add(client: &Client, key: &str) -> Value {
    try_add(client, key).await.expect(201)["data"].clone()
}

/// Makes every key usable, as it is a day later.
pub async fn make_usable(test: &TestApp) {
    let usable = "update payout_keys set usable_from = created_at";
    let unit = test.app.transact(async move |tx: &Tx| Ok(tx.exec(usable, &[]).await?));
    unit.await.expect("is done");
}

#[story::test]
async fn a_key_of_production_is_usable_a_day_after_it_was_added(test: &TestApp, shop: Shop) {
    let added = add(&shop.owner, "Financas@Example.com").await;
    let expected = json!({
        "id": added["id"], "label": "Conta da empresa", "pixKeyType": "email", "pixKey": KEY,
        "usableFrom": "2026-11-22T12:00:00.000Z", "createdAt": "2026-11-21T12:00:00.000Z",
    });
    assert_eq!(added, expected);
    assert_eq!(shop.owner.list(PATH).await, std::slice::from_ref(&added));
    let entry = audit::only(&shop.owner, "payout_key.created").await;
    assert_eq!((&entry["subjectId"], &entry["environment"]), (&added["id"], &json!("production")));
    assert_eq!(entry["details"]["pixKey"], "f***@example.com");

    let simulated = in_development(&shop.owner);
    test.pass(Duration::from_mins(1));
    let tried = add(&simulated, KEY).await;
    assert_eq!(tried["usableFrom"], tried["createdAt"]);
    assert_eq!(simulated.list(PATH).await, [tried]);
    assert_eq!(shop.owner.list(PATH).await, [added]);
}

#[test]
fn the_owner_gets_a_mail_about_a_key_of_production() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        add(&in_development(&shop.owner), KEY).await;
        let added = add(&shop.owner, KEY).await;
        test.run_jobs().await;
        let [mail] = shop.owner.list("/api/mails").await.try_into().expect("is one");
        let about = (&mail["kind"], &mail["subjectId"]);
        assert_eq!(about, (&json!("payout_key_added"), &added["id"]));
        let text = server.take_one().text();
        assert!(text.contains("a chave PIX f***@example.com foi salva"), "{text}");
        assert!(text.contains("a partir de 22/11/2026") && text.contains("/forgot"), "{text}");
        assert!(text.contains("/dashboard/prod/balance/keys") && !text.contains(KEY), "{text}");
    });
}

#[story::test]
async fn a_key_is_saved_once_in_a_mode_and_at_most_twenty_are(shop: Shop) {
    let owner = in_development(&shop.owner);
    add(&owner, KEY).await;
    let known = try_add(&owner, KEY).await;
    known.expect_refusal(409, "ALREADY_EXISTS");
    add(&shop.owner, KEY).await;
    for number in 1..20 {
        add(&owner, &format!("conta{number}@example.com")).await;
    }
    let refused = try_add(&owner, "mais@example.com").await;
    refused.expect_refusal(409, "ALREADY_EXISTS");
    assert_ne!(refused.json()["message"], known.json()["message"]);
    let keys = owner.list(PATH).await;
    assert_eq!(keys.len(), 20);
    owner.delete(&format!("{PATH}/{}", id(&keys[0]))).await.expect(200);
    add(&owner, "mais@example.com").await;
}

#[story::test]
async fn every_wrong_field_of_a_key_is_named(shop: Shop) {
    let owner = in_development(&shop.owner);
    let wrong = json!({ "label": " ", "pixKey": "ana", "pixKeyType": "email" });
    let refused = owner.post(PATH, wrong).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["label", "pixKey"]);
    let wrong = json!({ "label": "Conta", "pixKey": "ana@example.com", "pixKeyType": "cpf" });
    assert_eq!(owner.post(PATH, wrong).await.expect_refusal(400, "INVALID_PIX_KEY"), ["pixKey"]);
    assert_eq!(owner.list(PATH).await, [] as [Value; 0]);
}

#[story::test]
async fn a_repeated_request_adds_one_key(shop: Shop) {
    let once = in_development(&shop.owner).with("idempotency-key", "one");
    assert_eq!(add(&once, KEY).await, add(&once, KEY).await);
    assert_eq!(once.list(PATH).await.len(), 1);
}

#[story::test]
async fn people_whose_role_lets_them_withdraw_change_keys_and_no_api_key_does(
    test: &TestApp,
    shop: Shop,
) {
    let added = add(&in_development(&shop.owner), KEY).await;
    let path = format!("{PATH}/{}", id(&added));
    try_add(&shop.key, "mais@example.com").await.expect_refusal(401, "UNAUTHORIZED");
    shop.key.delete(&path).await.expect_refusal(401, "UNAUTHORIZED");
    assert_eq!(shop.key.list(PATH).await, [added]);
    for (role, status) in [("FINANCE", 201), ("DEVELOPER", 201), ("SUPPORT", 403), ("VIEWER", 403)]
    {
        let email = format!("{}@example.com", role.to_lowercase());
        join(test, &shop, &email, role).await;
        let member = token(test, &email).await;
        let reply = try_add(&member, &format!("conta.{email}")).await;
        assert_eq!(reply.status, status, "{role}: {}", reply.text);
        if status == 403 {
            assert_eq!(reply.json()["requiredPermission"], "withdrawals:write");
            member.delete(&path).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
        }
    }
    let real = token(test, "developer@example.com").await.with("x-dev-mode", "false");
    try_add(&real, KEY).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
}

#[story::test]
async fn another_accounts_key_and_one_of_the_other_mode_are_unknown(shop: Shop, other: Shop) {
    let owner = in_development(&shop.owner);
    let theirs = add(&in_development(&other.owner), KEY).await;
    let real = add(&shop.owner, KEY).await;
    let unknown = owner.delete(&format!("{PATH}/{UNKNOWN}")).await;
    unknown.expect_refusal(404, "NOT_FOUND");
    for of_others in [&theirs, &real] {
        let refused = owner.delete(&format!("{PATH}/{}", id(of_others))).await;
        refused.expect_refusal(404, "NOT_FOUND");
        assert_eq!(refused.json()["message"], unknown.json()["message"]);
    }
    assert_eq!(owner.list(PATH).await, [] as [Value; 0]);
    shop.owner.delete(&format!("{PATH}/{}", id(&real))).await.expect(200);
    let entry = audit::only(&shop.owner, "payout_key.deleted").await;
    assert_eq!(entry["subjectId"], real["id"]);
    assert_eq!(in_development(&other.owner).list(PATH).await.len(), 1);
}

#[story::test]
async fn a_person_with_a_second_step_gives_a_code_to_change_keys_of_production(
    test: &TestApp,
    shop: Shop,
) {
    let device = Device::enrolled(test, &shop.owner).await;
    test.pass(STEP);
    let code = device.code(test, 0);
    let login = json!({ "email": "loja@example.com", "password": PASSWORD, "code": code });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    let access = session["accessToken"].as_str().expect("gives a token");
    let owner = test.anyone().with("authorization", &format!("Bearer {access}"));
    let added = add(&owner, KEY).await;
    test.pass(Duration::from_mins(10));
    try_add(&owner, "mais@example.com").await.expect_refusal(403, "ELEVATION_REQUIRED");
    let refused = owner.delete(&format!("{PATH}/{}", id(&added))).await;
    refused.expect_refusal(403, "ELEVATION_REQUIRED");
    add(&in_development(&owner), KEY).await;
}

#[story::test]
async fn keys_and_people_without_a_second_step_withdraw_real_money_to_any_key(shop: Shop) {
    let to = json!({ "amountCents": 1_000, "pixKey": KEY, "pixKeyType": "email" });
    let key = shop.key_for("production", &["withdrawals:write"]).await;
    for program in [&key, &shop.owner] {
        // No bank is connected; what a page would refuse is not asked of programs.
        program.post("/api/withdraws", to.clone()).await.expect_refusal(503, "UNAVAILABLE");
    }
}

#[story::test]
async fn a_person_with_a_second_step_withdraws_real_money_to_payout_keys_alone(
    test: &TestApp,
    shop: Shop,
) {
    let to = |key: &str| json!({ "amountCents": 1_000, "pixKey": key, "pixKeyType": "email" });
    let withdraw = async |who: &Client, key: &str| who.post("/api/withdraws", to(key)).await;
    let key = shop.key_for("production", &["withdrawals:write"]).await;
    let device = Device::enrolled(test, &shop.owner).await;
    add(&shop.owner, KEY).await;
    for unusable in [KEY, "outra@example.com"] {
        let refused = withdraw(&shop.owner, unusable).await;
        refused.expect_refusal(403, "PAYOUT_KEY_NOT_USABLE");
    }
    // No bank is connected, so what is not refused before finds none.
    withdraw(&key, KEY).await.expect_refusal(503, "UNAVAILABLE");
    test.pass(Duration::from_hours(24));
    let code = device.code(test, 0);
    let login = json!({ "email": "loja@example.com", "password": PASSWORD, "code": code });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    let access = session["accessToken"].as_str().expect("gives a token");
    let owner = test.anyone().with("authorization", &format!("Bearer {access}"));
    withdraw(&owner, KEY).await.expect_refusal(503, "UNAVAILABLE");
    let refused = withdraw(&owner, "outra@example.com").await;
    refused.expect_refusal(403, "PAYOUT_KEY_NOT_USABLE");
    let simulated = withdraw(&in_development(&owner), "outra@example.com").await;
    simulated.expect_refusal(400, "INSUFFICIENT_BALANCE");
}

#[story::test(rate_limited)]
async fn adding_and_deleting_keys_is_limited(shop: Shop) {
    let owner = in_development(&shop.owner);
    for _ in 0..14 {
        let added = add(&owner, KEY).await;
        owner.delete(&format!("{PATH}/{}", id(&added))).await.expect(200);
    }
    let mut statuses = Vec::new();
    for number in 0..4 {
        statuses.push(try_add(&owner, &format!("conta{number}@example.com")).await.status);
    }
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
}

#[story::test]
async fn the_keys_of_a_closed_account_are_deleted(test: &TestApp, shop: Shop, other: Shop) {
    add(&shop.owner, KEY).await;
    add(&in_development(&shop.owner), KEY).await;
    add(&other.owner, KEY).await;
    let closing = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", closing).await.expect(200);
    test.run_jobs().await;
    let sql = "select cast(count(*) as text) from payout_keys";
    assert_eq!(Engine::open(test).await.rows(sql).await, [["1"]]);
}
