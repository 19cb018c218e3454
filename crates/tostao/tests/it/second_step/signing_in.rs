//! Signing in with a second step, and guessing.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tostao::audit::refused;

use super::{Device, EMAIL, STEP, sign_in, state};
use crate::audit::{entries, only};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const DAY: Duration = Duration::from_hours(24);

#[story::test]
async fn a_person_with_a_second_step_signs_in_with_a_code(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    for none in [None, Some(""), Some(" ")] {
        sign_in(test, EMAIL, none).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    }
    let code = device.code(test, 1);
    let spaced = format!(" {} {}", &code[..3], &code[3..]);
    sign_in(test, EMAIL, Some(&spaced)).await.expect(200);
    let named = |entry: &Value| entry["details"]["secondStep"].clone();
    let signed_in = entries(&shop.owner, "sign_in.succeeded").await;
    let how: Vec<_> = signed_in.iter().map(named).collect();
    assert_eq!(how, [json!("app"), json!("none")]);
}

#[story::test]
async fn a_wrong_password_reveals_nothing_of_a_second_step(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    test.shop("Outra").await;
    let code = device.code(test, 1);
    let tried = async |email: &str, code: Option<&str>| {
        let login = json!({ "email": email, "password": "a guess", "code": code });
        let refused = test.anyone().post("/api/auth/login", login).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
        let mut body = refused.json();
        body["requestId"] = json!(null);
        body
    };
    let plain = tried("outra@example.com", None).await;
    for (email, code) in
        [(EMAIL, None), (EMAIL, Some(&*code)), (EMAIL, Some("000000")), ("x@example.com", None)]
    {
        assert_eq!(tried(email, code).await, plain);
    }
    // The code was not even looked at.
    sign_in(test, EMAIL, Some(&code)).await.expect(200);
}

#[story::test]
async fn a_code_is_accepted_once_and_none_before_it(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let confirmed = device.code(test, 0);
    let refused = sign_in(test, EMAIL, Some(&confirmed)).await;
    refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    test.pass(STEP * 3);
    let (early, late) = (device.code(test, 0), device.code(test, 1));
    sign_in(test, EMAIL, Some(&late)).await.expect(200);
    for used in [late, early] {
        let refused = sign_in(test, EMAIL, Some(&used)).await;
        refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    }
}

#[story::test]
async fn the_clock_of_a_device_may_differ_by_one_step(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    for (steps, accepted) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
        test.pass(STEP * 10);
        let reply = sign_in(test, EMAIL, Some(&device.code(test, steps))).await;
        if accepted {
            reply.expect(200);
        } else {
            reply.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        }
    }
}

#[story::test]
async fn of_sign_ins_at_once_with_one_code_one_succeeds(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    for code in [device.code(test, 1), device.backup_codes[0].clone()] {
        let replies = join_all((0..4).map(|_| sign_in(test, EMAIL, Some(&code)))).await;
        let succeeded = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(succeeded, 1);
        for refused in replies.iter().filter(|reply| reply.status != 200) {
            refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        }
    }
}

#[story::test]
async fn each_backup_code_is_accepted_once_however_it_is_typed(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let code = &device.backup_codes[3];
    sign_in(test, EMAIL, Some(&code.replace('-', " ").to_uppercase())).await.expect(200);
    assert_eq!(state(&shop.owner).await["backupCodesLeft"], 9);
    let again = sign_in(test, EMAIL, Some(code)).await;
    again.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    let newest = &entries(&shop.owner, "sign_in.succeeded").await[0];
    assert_eq!(newest["details"], json!({ "secondStep": "backup_code" }));
    sign_in(test, EMAIL, Some(&device.backup_codes[4])).await.expect(200);
}

#[story::test]
async fn after_ten_wrong_codes_in_a_day_only_backup_codes_are_accepted(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let device = Device::enrolled(test, &shop.owner).await;
    let others = Device::enrolled(test, &other.owner).await;
    // They count together, of whatever kind they are.
    for (_, wrong) in (0..10).zip([device.wrong_code(test), "a-a".to_owned()].iter().cycle()) {
        let refused = sign_in(test, EMAIL, Some(wrong)).await;
        refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        test.pass(STEP);
    }
    let right = sign_in(test, EMAIL, Some(&device.code(test, 0))).await;
    right.expect_refusal(429, "RATE_LIMITED");
    let left = DAY.saturating_sub(STEP * 10).as_secs().to_string();
    assert_eq!(right.header("retry-after"), Some(left.as_str()));
    assert_eq!(right.header("ratelimit-limit"), Some("10"));
    sign_in(test, EMAIL, Some("wrong")).await.expect_refusal(429, "RATE_LIMITED");
    sign_in(test, EMAIL, Some(&device.backup_codes[0])).await.expect(200);
    sign_in(test, "outra@example.com", Some(&others.code(test, 0))).await.expect(200);
    test.pass(DAY.saturating_sub(STEP * 10 + Duration::from_secs(1)));
    let early = sign_in(test, EMAIL, Some(&device.code(test, 0))).await;
    early.expect_refusal(429, "RATE_LIMITED");
    test.pass(Duration::from_secs(1));
    sign_in(test, EMAIL, Some(&device.code(test, 0))).await.expect(200);
    let wrong = sign_in(test, EMAIL, Some(&device.wrong_code(test))).await;
    wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
}

#[story::test]
async fn no_code_is_tried_beyond_the_bound_by_trying_many_at_once(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let wrong = device.wrong_code(test);
    let replies = join_all((0..16).map(|_| sign_in(test, EMAIL, Some(&wrong)))).await;
    let mut tried = replies.iter().filter(|reply| reply.status == 401).count();
    // Some of them found no turn for their password.
    while sign_in(test, EMAIL, Some(&wrong)).await.status == 401 {
        tried += 1;
    }
    assert_eq!(tried, 10);
}

#[story::test]
async fn wrong_codes_are_counted_among_the_refused_sign_ins(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    sign_in(test, EMAIL, None).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    for _ in 0..2 {
        let wrong = sign_in(test, EMAIL, Some(&device.wrong_code(test))).await;
        wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    }
    test.pass(Duration::from_mins(5));
    refused::write_due(&test.app.refusals, &test.app.database).await.expect("are written");
    assert_eq!(only(&shop.owner, "sign_in.refused").await["count"], 2);
}
