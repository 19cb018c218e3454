//! Certificates that end, or that are not the right ones: nothing is refused for them, the operator
//! reads which it is, and a new one works without a restart.

use std::time::Duration;

use serde_json::json;
use tostao::connections::reload;
use tostao::providers::connections as stored;

use super::payments::pass;
use super::scene::{Scene, pem};
use super::{Bank, charge, try_charge};
use crate::harness::TestApp;
use crate::harness::shop::id;

/// Has the connection hold a certificate that was good when it was entered.
async fn hold(test: &TestApp, bank: &Bank, certificate: String) {
    let of = id(&bank.connection).parse().expect("is an id");
    let secrets = test.app.secrets.clone();
    let unit = async move |tx: &db::tx::Tx| {
        let before = stored::lock(tx, of).await?;
        let mut values = stored::values(tx, &secrets, &before).await?;
        values.insert("certificate".to_owned(), certificate.clone());
        let as_it_was = before.certificate.clone();
        stored::replace_values(tx, &secrets, before, &values, as_it_was.as_ref()).await
    };
    test.app.transact(unit).await.expect("is stored");
    reload(&test.app).await.expect("reads the connections");
}

#[story::test]
async fn a_certificate_of_the_bank_that_is_not_good_is_named_and_no_request_is_sent(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (charge_before, _) = scene.sell(test, 10_000).await;
    for (mode, word) in [("expired", "has expired"), ("other_name", "is for another name")] {
        // A connection that is open stays so.
        scene.bank.rotates(test, json!({ "client_secret": "the next one" })).await;
        scene.bank.at("/__tls", json!({ "server": mode })).await;
        let calls = scene.bank.calls("*").await;
        let path = scene.approved(test, 1_000).await;
        try_charge(&scene.shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
        test.run_jobs().await;
        let problem = scene.bank.fails_its_test(test).await;
        assert!(problem.contains(&format!("the certificate of the service {word}")), "{problem}");
        assert_eq!(scene.withdrawal_status(&path).await, "PENDING", "{mode}");
        assert_eq!(scene.bank.calls("*").await, calls, "{mode}");
        scene.bank.at("/__tls", json!({})).await;
        scene.refund(&charge_before, 100).await;
        pass(test, &scene.bank, Duration::from_mins(15)).await;
        pass(test, &scene.bank, Duration::from_mins(15)).await;
        assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED", "{mode}");
        charge(&scene.shop, 1_000).await;
    }
    assert_eq!(scene.bank.count("/efi/payouts").await, 2);
}

#[story::test]
async fn a_certificate_of_ours_that_is_not_good_fails_nothing_and_a_new_one_works_at_once(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (sold, _) = scene.sell(test, 100_000).await;
    let authority = scene.bank.fake.authority();
    let (good, expired) = (pem(&authority.client), pem(&authority.client_expired));
    let (foreign, revoked) = (pem(&authority.client_foreign), pem(&authority.client_revoked));
    let table = [
        ("alert", &expired, "our certificate has expired"),
        ("alert", &revoked, "our certificate is revoked"),
        ("alert", &foreign, "does not know the authority of our certificate"),
        ("html", &expired, "client certificate"),
        ("close", &expired, ""),
    ];
    for (count, (refusal, certificate, word)) in (1..).zip(table) {
        scene.bank.at("/__tls", json!({ "refusal": refusal })).await;
        hold(test, &scene.bank, certificate.clone()).await;
        let path = scene.approved(test, 1_000).await;
        scene.refund(&sold, 100).await;
        try_charge(&scene.shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
        test.run_jobs().await;
        let problem = scene.bank.fails_its_test(test).await;
        assert!(problem.contains(word), "{refusal}: {problem}");
        assert_eq!(scene.withdrawal_status(&path).await, "PENDING", "{refusal}");
        assert!(!scene.refunds(&sold).await.contains(&"FAILED".to_owned()), "{refusal}");
        scene.bank.rotates(test, json!({ "certificate": good })).await;
        charge(&scene.shop, 1_000).await;
        pass(test, &scene.bank, Duration::from_mins(15)).await;
        pass(test, &scene.bank, Duration::from_mins(15)).await;
        assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED", "{refusal}");
        assert_eq!(scene.bank.count("/efi/payouts").await, count, "{refusal}");
    }
    assert_eq!(scene.refunds(&sold).await, ["COMPLETED"; 5]);
}

#[story::test]
async fn a_page_of_a_proxy_refuses_no_order(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 10_000).await;
    for operation in ["payout.create", "refund.create", "cob.create"] {
        scene.bank.fault(operation, json!({ "fault": "proxy_html", "times": 2 })).await;
    }
    let path = scene.approved(test, 1_000).await;
    scene.refund(&sold, 100).await;
    for _ in 0..2 {
        try_charge(&scene.shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
    }
    test.run_jobs().await;
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    assert_eq!(scene.refunds(&sold).await, ["PENDING"]);
    for _ in 0..3 {
        pass(test, &scene.bank, Duration::from_mins(1)).await;
    }
    charge(&scene.shop, 1_000).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&sold).await, ["COMPLETED"]);
    assert_eq!(
        (scene.bank.count("/efi/payouts").await, scene.bank.refunds_of(&paid).await),
        (1, 1)
    );
}
