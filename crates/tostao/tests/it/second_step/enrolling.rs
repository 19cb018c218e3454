//! How a person gets a second step, and gets rid of it.

use std::time::Duration;

use db::database::Dialect;
use db::hex::hex;
use http::Method;
use serde_json::json;
use tostao::audit::refused;
use tostao::people::administrators;
use tostao::platform::error::Error;

use super::{Device, EMAIL, PATH, STEP, codes, remove, sign_in, signed_in, state};
use crate::audit::{entries, only};
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::{TestApp, rate_limited};

const CONFIRM: &str = "/api/two-factor/confirm";
const BACKUP_CODES: &str = "/api/two-factor/backup-codes";

#[story::test]
async fn a_second_step_begins_with_the_first_code_of_its_app(test: &TestApp, shop: Shop) {
    let none = json!({ "enabled": false, "enabledAt": null, "backupCodesLeft": 0 });
    assert_eq!(state(&shop.owner).await, none);
    let begin = json!({ "password": PASSWORD });
    let added = shop.owner.post(PATH, begin.clone()).await.expect(201)["data"].clone();
    let secret = added["secret"].as_str().expect("is shown");
    let expected = format!(
        "otpauth://totp/Tost%C3%A3o:{EMAIL}?secret={secret}&issuer=Tost%C3%A3o&algorithm=SHA1&\
         digits=6&period=30"
    );
    assert_eq!((secret.len(), &added["otpauthUrl"]), (32, &json!(expected)));
    assert!(added["qrCodeBase64"].as_str().expect("is drawn").starts_with("iVBORw0KGgo"));
    let device = Device::with(secret);
    let wrong = json!({ "code": device.wrong_code(test) });
    let refused = shop.owner.post(CONFIRM, wrong).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    assert_eq!(state(&shop.owner).await, none);
    sign_in(test, EMAIL, None).await.expect(200);

    let right = json!({ "code": device.code(test, 0) });
    let confirmed = shop.owner.post(CONFIRM, right.clone()).await.expect(200);
    let codes = codes(&confirmed);
    assert_eq!((codes.len(), codes[0].len()), (10, 19));
    let at = "2026-11-21T12:00:00.000Z";
    let on = json!({ "enabled": true, "enabledAt": at, "backupCodesLeft": 10 });
    assert_eq!(state(&shop.owner).await, on);
    sign_in(test, EMAIL, None).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    shop.owner.post(CONFIRM, right).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    shop.owner.post(PATH, begin).await.expect_refusal(409, "ALREADY_EXISTS");
    let entry = only(&shop.owner, "two_factor.enabled").await;
    assert_eq!(entry["actor"]["kind"], "owner");
    let log = shop.owner.get("/api/audit?limit=100").await.text;
    assert!(!log.contains(secret) && !log.contains(&codes[0]), "{log}");
}

#[story::test]
async fn a_code_without_a_secret_is_refused(shop: Shop) {
    let code = json!({ "code": "123456" });
    shop.owner.post(CONFIRM, code).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let renewed = shop.owner.post(BACKUP_CODES, json!({})).await;
    renewed.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let removed = remove(&shop.owner, PASSWORD, "123456").await;
    removed.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

#[story::test]
async fn a_second_step_begins_with_the_password_of_the_moment(test: &TestApp, shop: Shop) {
    let missing = shop.owner.post(PATH, json!({})).await;
    assert_eq!(missing.expect_refusal(400, "VALIDATION_ERROR"), ["password"]);
    let wrong = shop.owner.post(PATH, json!({ "password": "a guess" })).await;
    wrong.expect_refusal(401, "INVALID_CREDENTIALS");
    let waiting = Engine::open(test).await.rows("select 'one' from second_steps").await;
    assert!(waiting.is_empty());
    test.pass(Duration::from_mins(5));
    refused::write_due(&test.app.refusals, &test.app.database).await.expect("are written");
    only(&shop.owner, "sign_in.refused").await;
}

#[story::test(rate_limited)]
async fn guesses_at_the_password_of_a_second_step_are_limited_as_sign_ins_are(shop: Shop) {
    // The sign-in of the session is the first of six.
    for _ in 0..5 {
        let wrong = shop.owner.post(PATH, json!({ "password": "a guess" })).await;
        wrong.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    let right = shop.owner.post(PATH, json!({ "password": PASSWORD })).await;
    right.expect_refusal(429, "RATE_LIMITED");
}

#[story::test]
async fn a_second_step_is_confirmed_in_the_session_that_began_it(test: &TestApp, shop: Shop) {
    let other = signed_in(test, &sign_in(test, EMAIL, None).await.expect(200));
    let device = Device::added(&shop.owner).await;
    let code = json!({ "code": device.code(test, 0) });
    let refused = other.post(CONFIRM, code.clone()).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    shop.owner.post(CONFIRM, code).await.expect(200);
}

#[story::test]
async fn a_secret_that_was_not_confirmed_gives_way_to_the_next(test: &TestApp, shop: Shop) {
    let (first, second) = (Device::added(&shop.owner).await, Device::added(&shop.owner).await);
    let confirm = |code| shop.owner.post(CONFIRM, json!({ "code": code }));
    let refused = confirm(first.code(test, 0)).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    confirm(second.code(test, 0)).await.expect(200);
}

#[story::test]
async fn sessions_from_before_stay_good(test: &TestApp, shop: Shop) {
    let before = sign_in(test, EMAIL, None).await.expect(200);
    Device::enrolled(test, &shop.owner).await;
    for session in [&shop.owner, &signed_in(test, &before)] {
        session.get("/api/auth/me").await.expect(200);
    }
    let refresh = json!({ "refreshToken": before["refreshToken"] });
    test.anyone().post("/api/auth/refresh", refresh).await.expect(200);
}

#[story::test]
async fn the_secret_is_stored_sealed_and_codes_are_stored_hashed(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let engine = Engine::open(test).await;
    let stored = engine.rows(match engine.dialect() {
        Dialect::Sqlite => {
            "select lower(hex(secret)) from second_steps
             union all select lower(hex(code_hash)) from backup_codes"
        }
        Dialect::Postgres => {
            "select encode(secret, 'hex') from second_steps
             union all select encode(code_hash, 'hex') from backup_codes"
        }
    });
    let stored = stored.await.concat();
    assert_eq!(stored.len(), 11);
    let plain = device.backup_codes[0].replace('-', "");
    for shown in [&device.app.secret[..], plain.as_bytes(), plain.to_uppercase().as_bytes()] {
        let shown = hex(shown);
        assert!(stored.iter().all(|value| !value.contains(&shown)), "{shown}");
    }
}

#[story::test]
async fn new_backup_codes_void_the_earlier_ones(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let code = json!({ "code": device.code(test, 1) });
    let renewed = shop.owner.post(BACKUP_CODES, code).await.expect(201);
    let early = sign_in(test, EMAIL, Some(&device.backup_codes[0])).await;
    early.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    sign_in(test, EMAIL, Some(&codes(&renewed)[0])).await.expect(200);
    assert_eq!(state(&shop.owner).await["backupCodesLeft"], 9);
    only(&shop.owner, "two_factor.backup_codes_replaced").await;
}

#[story::test]
async fn new_backup_codes_take_a_code_of_the_app(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let renew = |body| shop.owner.post(BACKUP_CODES, body);
    renew(json!({})).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    let unsaid = shop.owner.send(Method::POST, BACKUP_CODES, None, String::new()).await;
    unsaid.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    for code in [&device.backup_codes[0], &device.wrong_code(test)] {
        let refused = renew(json!({ "code": code })).await;
        refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    }
    // With a backup code somebody signs in, and gets no others.
    let session = sign_in(test, EMAIL, Some(&device.backup_codes[0])).await.expect(200);
    let finder = signed_in(test, &session);
    let codes = json!({ "code": device.backup_codes[1] });
    let refused = finder.post(BACKUP_CODES, codes).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    assert_eq!(state(&shop.owner).await["backupCodesLeft"], 9);
    renew(json!({ "totp": device.code(test, 1) })).await.expect(201);
}

#[story::test]
async fn a_code_may_be_named_totp(test: &TestApp, shop: Shop) {
    let device = Device::added(&shop.owner).await;
    let confirm = json!({ "totp": device.code(test, 0) });
    shop.owner.post(CONFIRM, confirm).await.expect(200);
    let login = json!({ "email": EMAIL, "password": PASSWORD, "totp": device.code(test, 1) });
    test.anyone().post("/api/auth/login", login).await.expect(200);
    test.pass(STEP * 2);
    let removal = json!({ "password": PASSWORD, "totp": device.code(test, 0) }).to_string();
    let kind = Some("application/json");
    shop.owner.send(Method::DELETE, PATH, kind, removal).await.expect(200);
}

#[story::test]
async fn removing_a_second_step_takes_the_password_and_a_code(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let code = device.code(test, 1);
    let refused = remove(&shop.owner, "not the password", &code).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    let refused = remove(&shop.owner, PASSWORD, &device.wrong_code(test)).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    remove(&shop.owner, PASSWORD, " ").await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    assert_eq!(state(&shop.owner).await["enabled"], true);
    for (lacks, field) in [("{}", "password"), (r#"{"password":"x"}"#, "code")] {
        let kind = Some("application/json");
        let refused = shop.owner.send(Method::DELETE, PATH, kind, lacks.to_owned()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    }

    remove(&shop.owner, PASSWORD, &code).await.expect(200);
    assert_eq!(state(&shop.owner).await["enabled"], false);
    sign_in(test, EMAIL, None).await.expect(200);
    only(&shop.owner, "two_factor.disabled").await;
    // Another device takes the place of the first.
    test.pass(STEP);
    let next = Device::enrolled(test, &shop.owner).await;
    let refused = sign_in(test, EMAIL, Some(&device.code(test, 1))).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    sign_in(test, EMAIL, Some(&next.code(test, 1))).await.expect(200);
}

/// What the operator's command does.
async fn operator_removes(test: &TestApp, email: &'static str) -> Result<(), Error> {
    let remove = async move |tx: &_| administrators::remove_second_step(tx, email).await;
    test.app.transact(remove).await
}

#[story::test]
async fn the_operator_removes_the_second_step_of_a_lost_device(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    Device::enrolled(test, &shop.owner).await;
    let invitation = crate::members::invite(&other.owner, EMAIL, "VIEWER").await;
    let acceptance = crate::members::acceptance(&invitation);
    test.anyone().post("/api/invitations/accept", acceptance).await.expect(200);
    operator_removes(test, " Loja@Example.com").await.expect("is removed");
    shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    let session = sign_in(test, EMAIL, None).await.expect(200);
    let owner = signed_in(test, &session);
    for account in [&owner, &other.owner] {
        let entry = only(account, "two_factor.disabled").await;
        assert_eq!(entry["actor"], json!({ "kind": "command_line", "id": null }));
        assert_eq!(entry["details"]["sessionsEnded"], 1);
    }
    let again = operator_removes(test, EMAIL).await.expect_err("there is none");
    assert!(again.message().contains("loja@example.com has no second step"), "{again}");
    let unknown = operator_removes(test, "x@example.com").await.expect_err("is unknown");
    assert!(unknown.message().contains("no person has this e-mail"), "{unknown}");
    assert_eq!(entries(&owner, "two_factor.disabled").await.len(), 1);
}
