//! What a person gets a mail about, so that they learn what somebody else does with their sign-in.

use std::time::Duration;

use serde_json::json;
use tostao::people::administrators;

use super::{Device, EMAIL, PATH, STEP, remove, sign_in};
use crate::audit::entries;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::smtp::story_with_mail;
use crate::mail::standing;

const DAY: Duration = Duration::from_hours(24);

#[story::test]
async fn each_change_of_a_second_step_is_mailed_to_its_person(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    assert_eq!(standing(test).await, ["two_factor_enabled WAITING"]);
    let code = json!({ "code": device.code(test, 1) });
    shop.owner.post(&format!("{PATH}/backup-codes"), code).await.expect(201);
    test.pass(STEP * 3);
    remove(&shop.owner, PASSWORD, &device.code(test, 0)).await.expect(200);
    Device::enrolled(test, &shop.owner).await;
    let remove = async |tx: &_| administrators::remove_second_step(tx, EMAIL).await;
    test.app.transact(remove).await.expect("is removed");
    let mails = [
        "two_factor_enabled WAITING",
        "backup_codes_replaced WAITING",
        "two_factor_disabled WAITING",
        "two_factor_enabled WAITING",
        "two_factor_disabled WAITING",
    ];
    assert_eq!(standing(test).await, mails);
    let to = Engine::open(test).await.rows("select distinct recipient from mails").await;
    assert_eq!(to.concat(), [EMAIL]);
}

#[test]
fn the_mails_say_what_was_done_and_what_to_do_about_it() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let device = Device::enrolled(test, &shop.owner).await;
        for _ in 0..5 {
            let wrong = sign_in(test, EMAIL, Some(&device.wrong_code(test))).await;
            wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        }
        test.run_jobs().await;
        let mails = server.take();
        let subjects: Vec<_> = mails.iter().map(|mail| mail.header("Subject")).collect();
        assert_eq!(subjects, ["Verificação em duas etapas ligada", "Códigos errados na sua conta"]);
        for mail in &mails {
            let text = mail.text();
            assert!(text.contains("https://api.example.com/forgot"), "{text}");
            assert!(!text.contains(&device.backup_codes[0]), "{text}");
        }
        let text = mails[1].text();
        assert!(text.contains("digitou 5 códigos errados"), "{text}");
    });
}

#[story::test]
async fn a_right_password_without_a_right_code_is_in_the_audit_log(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let stranger = test.anyone().from("203.0.113.9");
    for code in [json!(null), json!(device.wrong_code(test))] {
        let login = json!({ "email": EMAIL, "password": PASSWORD, "code": code });
        assert_eq!(stranger.post("/api/auth/login", login).await.status, 401);
    }
    let login = json!({ "email": EMAIL, "password": "a guess", "code": "123456" });
    assert_eq!(stranger.post("/api/auth/login", login).await.status, 401);
    let found = entries(&shop.owner, "sign_in.password_only").await;
    let lacks: Vec<_> = found.iter().map(|entry| &entry["details"]["code"]).collect();
    assert_eq!(lacks, ["wrong", "missing"]);
    for entry in &found {
        assert_eq!(entry["clientAddress"], "203.0.113.9");
        assert_eq!(entry["actor"], json!({ "kind": "anonymous", "id": null }));
    }
    sign_in(test, EMAIL, Some(&device.code(test, 1))).await.expect(200);
    assert_eq!(entries(&shop.owner, "sign_in.password_only").await.len(), 2);
}

#[story::test]
async fn several_wrong_codes_in_a_day_are_mailed_once(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let wrong = async |times: usize| {
        for _ in 0..times {
            let refused = sign_in(test, EMAIL, Some(&device.wrong_code(test))).await;
            refused.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        }
        let mailed = standing(test).await;
        mailed.iter().filter(|mail| mail.starts_with("two_factor_refused")).count()
    };
    assert_eq!(wrong(4).await, 0);
    assert_eq!(wrong(1).await, 1);
    assert_eq!(wrong(5).await, 1);
    test.pass(DAY);
    assert_eq!(wrong(4).await, 1);
    assert_eq!(wrong(1).await, 2);
}
