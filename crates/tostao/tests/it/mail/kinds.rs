//! What there is a mail about, and that mail of development never leaves.

use std::time::Duration;

use serde_json::{Value, json};

use super::{NEW_PASSWORD, standing, try_sign_in};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::smtp::story_with_mail;
use crate::webhooks::{emit, subscribe};
use crate::withdrawals::{GOOD, process, withdraw};

const HOUR: Duration = Duration::from_secs(3_600);
const LOJA: &str = "loja@example.com";

/// The developer's side of somebody who is signed in.
fn in_development(client: &Client) -> Client {
    client.with("x-dev-mode", "true")
}

/// The newest mail of an account in development, with its text.
async fn newest(owner: &Client) -> Value {
    let owner = in_development(owner);
    let mails = owner.list("/api/mails").await;
    let path = format!("/api/mails/{}", id(mails.first().expect("is one")));
    owner.get(&path).await.expect(200)["data"].clone()
}

#[test]
fn mail_of_development_is_read_here_and_never_leaves() {
    story_with_mail(async |test, server| {
        let (shop, admin) = (test.shop("Loja").await, test.admin().await);
        shop.earn(5_000).await;
        let paid = withdraw(&shop, 4_000, GOOD).await;
        process(&admin, &paid, json!({})).await.expect(200);
        test.run_jobs().await;
        let mail = newest(&shop.owner).await;
        assert_eq!(
            (&mail["kind"], &mail["status"]),
            (&json!("withdrawal_completed"), &json!("KEPT"))
        );
        assert_eq!((&mail["to"], &mail["subjectId"]), (&json!(LOJA), &paid["id"]));
        assert_eq!(mail["subject"], "Saque de R$\u{a0}40,00 pago");
        let text = mail["text"].as_str().expect("is kept");
        assert!(text.contains("R$\u{a0}39,20 foram para a chave PIX a***@example.com"), "{text}");
        assert!(mail["html"].as_str().is_some_and(|html| html.starts_with("<!doctype html>")));
        for _ in 0..10 {
            test.run_jobs_after(HOUR).await;
        }
        assert!(server.take().is_empty());
        assert!(server.commands().is_empty());
        assert_eq!(standing(test).await, ["withdrawal_completed KEPT"]);
    });
}

#[story::test]
async fn a_withdrawal_that_was_not_paid_is_mailed_unless_its_merchant_cancelled_it(
    test: &TestApp,
    shop: Shop,
) {
    shop.earn(5_000).await;
    let admin = test.admin().await;
    let cancelled = withdraw(&shop, 1_000, GOOD).await;
    let path = format!("/api/withdraws/{}/cancel", id(&cancelled));
    shop.key.post(&path, json!({})).await.expect(200);
    assert!(standing(test).await.is_empty());
    let rejected = withdraw(&shop, 1_000, GOOD).await;
    process(&admin, &rejected, json!({ "action": "reject" })).await.expect(200);
    let mail = newest(&shop.owner).await;
    assert_eq!(mail["subject"], "Saque de R$\u{a0}10,00 não foi pago");
    assert_eq!(mail["subjectId"], rejected["id"]);
    assert_eq!(standing(test).await, ["withdrawal_failed KEPT"]);
}

#[story::test]
async fn a_webhook_that_is_switched_off_is_mailed_once(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[410, 410]);
    shop.product(json!({})).await;
    emit(test, &shop).await;
    let mail = newest(&shop.owner).await;
    assert_eq!((&mail["kind"], &mail["subjectId"]), (&json!("webhook_disabled"), &hook["id"]));
    let said = mail["text"].as_str().expect("is kept");
    assert!(said.contains("410 Gone"), "{said}");
    // Its host is the merchant's choice, and no program makes a link of it.
    assert!(said.contains("127. 0. 0. 1") && !said.contains("127.0.0.1"), "{said}");
    assert_eq!(standing(test).await, ["webhook_disabled KEPT"]);
}

#[story::test]
async fn a_sign_in_on_a_device_and_from_a_network_that_are_new_is_mailed(
    test: &TestApp,
    shop: Shop,
) {
    drop(shop);
    test.pass(2 * HOUR);
    let sign_in = async |client: Client| {
        let login = json!({ "email": LOJA, "password": PASSWORD });
        client.post("/api/auth/login", login).await.expect(200);
        standing(test).await.len()
    };
    let phone = test.anyone().with("x-device-id", "a name of more than sixteen letters");
    let table = [
        ("the network of the first sign-in", test.anyone(), 0),
        ("a new device in it", phone.clone(), 0),
        ("that device elsewhere", phone.from("203.0.113.5"), 0),
        ("the network that it was in", test.anyone().from("203.0.113.5"), 0),
        ("neither known", test.anyone().from("198.51.100.7"), 1),
        ("known by now", test.anyone().from("198.51.100.7"), 1),
    ];
    for (what, client, mails) in table {
        assert_eq!(sign_in(client).await, mails, "{what}");
    }
    assert_eq!(standing(test).await, ["new_device WAITING"]);
}

#[story::test]
async fn who_has_just_opened_an_account_has_no_new_device(test: &TestApp) {
    let account = json!({ "name": "Loja", "email": LOJA, "password": PASSWORD });
    test.anyone().post("/api/auth/register", account).await.expect(201);
    try_sign_in(test, LOJA, PASSWORD).await.expect(200);
    assert!(standing(test).await.is_empty());
}

#[story::test]
async fn a_changed_password_is_mailed_and_one_that_stays_is_not(test: &TestApp, shop: Shop) {
    let change = |current: &str| json!({ "currentPassword": current, "newPassword": NEW_PASSWORD });
    let refused = shop.owner.post("/api/auth/password", change("wrong one")).await;
    refused.expect_refusal(401, "INVALID_CREDENTIALS");
    assert!(standing(test).await.is_empty());
    shop.owner.post("/api/auth/password", change(PASSWORD)).await.expect(200);
    assert_eq!(standing(test).await, ["password_changed WAITING"]);
}
