//! The PIX keys that people name for real money to go back to, of which the owner gets a mail.

use rails::boleto::Covers;
use serde_json::{Value, json};
use tostao::transactions::boletos::charge_reference;
use tostao::transactions::incoming_payment::Rail;
use tostao::transactions::receive::Received;

use super::boleto_scene::{BoletoScene, Profile};
use super::boletos::{payment, report};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, id};
use crate::mail::{NEW_PASSWORD, standing};
use crate::second_step::Device;

const KEY: &str = "ana@example.com";

/// A boleto that was paid by its barcode, twice.
async fn paid(test: &TestApp) -> (BoletoScene, Value) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    scene.bank.route("payout", id(&scene.bank.connection)).await.expect(200);
    let charge = scene.order().await;
    let number = scene.codes().await.pop().expect("is registered");
    for (payment_id, becomes) in [("B1", Received::Paid), ("B2", Received::SetAside)] {
        let paid = payment(test, Rail::Boleto, payment_id);
        let boleto = (&*number, charge_reference(Covers::Payment));
        assert_eq!(report(test, boleto, paid).await, becomes);
    }
    (scene, charge)
}

/// Refunds a part of a payment to a key, or tries to.
async fn try_refund(by: &Client, charge: &Value, cents: i64) -> Reply {
    let path = format!("/api/v1/transactions/{}/refund", id(charge));
    let wanted = json!({ "amountCents": cents, "reason": "Devolvido.", "refundPixKey": KEY });
    by.post(&path, wanted).await
}

async fn refund(by: &Client, charge: &Value, cents: i64) {
    try_refund(by, charge, cents).await.expect(201);
}

/// What the mails about such keys are about.
async fn mailed(owner: &Client) -> Vec<Value> {
    let mails = owner.list("/api/mails").await.into_iter();
    let about = mails.filter(|mail| mail["kind"] == "payee_named");
    about.map(|mail| mail["subjectId"].clone()).collect()
}

#[story::test]
async fn the_owner_gets_a_mail_where_a_person_names_a_key(test: &TestApp) {
    let (scene, charge) = paid(test).await;
    let owner = test.shop_again("Loja").await.owner;
    refund(&scene.shop.owner, &charge, 100).await;
    assert!(mailed(&owner).await.is_empty(), "an API key is no person");
    let about = &charge["id"];
    refund(&owner, &charge, 200).await;
    assert_eq!(mailed(&owner).await, std::slice::from_ref(about));

    Device::enrolled(test, &owner).await;
    refund(&owner, &charge, 300).await;
    assert_eq!(mailed(&owner).await, [about.clone(), about.clone()]);
    let beside = format!("/api/v1/transactions/{}/unmatched", id(&charge));
    let [aside] = owner.list(&beside).await.try_into().expect("is one");
    let back = format!("{beside}/{}/return", id(&aside));
    for _ in 0..2 {
        owner.post(&back, json!({ "refundPixKey": KEY })).await.expect(200);
    }
    assert_eq!(mailed(&owner).await, [about, about, about].map(Clone::clone), "once for each");
    test.prove_books().await;
}

#[story::test]
async fn a_refund_to_a_key_that_a_person_names_is_refused_where_the_owner_would_get_no_mail(
    test: &TestApp,
) {
    let (scene, charge) = paid(test).await;
    let owner = test.shop_again("Loja").await.owner;
    let passwords = [(PASSWORD, NEW_PASSWORD), (NEW_PASSWORD, PASSWORD)];
    for (current, next) in passwords.into_iter().cycle().take(21) {
        let body = json!({ "currentPassword": current, "newPassword": next });
        owner.post("/api/auth/password", body).await.expect(200);
    }
    let used_up = "password_changed FAILED recipient_limit";
    assert_eq!(standing(test).await.last().expect("is one"), used_up);
    // Other mails to the owner use up nothing of these.
    for _ in 0..100 {
        refund(&owner, &charge, 1).await;
    }
    let refused = try_refund(&owner, &charge, 5_000).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.header("retry-after"), Some("86400"));
    let all = standing(test).await;
    let named: Vec<_> = all.iter().filter(|mail| mail.starts_with("payee_named")).collect();
    assert_eq!(named, ["payee_named WAITING"; 100]);
    let refunds = format!("/api/v1/transactions/{}/refunds", id(&charge));
    assert_eq!(owner.list(&refunds).await.len(), 100, "nothing of what was refused is left");
    refund(&scene.shop.owner, &charge, 5_000).await;
    test.prove_books().await;
}
