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
use crate::harness::shop::id;
use crate::second_step::Device;

const KEY: &str = "ana@example.com";

/// Refunds a part of a payment to a key.
async fn refund(by: &Client, charge: &Value, cents: i64) {
    let path = format!("/api/v1/transactions/{}/refund", id(charge));
    let wanted = json!({ "amountCents": cents, "reason": "Devolvido.", "refundPixKey": KEY });
    by.post(&path, wanted).await.expect(201);
}

/// What the mails about such keys are about.
async fn mailed(owner: &Client) -> Vec<Value> {
    let mails = owner.list("/api/mails").await.into_iter();
    let about = mails.filter(|mail| mail["kind"] == "payee_named");
    about.map(|mail| mail["subjectId"].clone()).collect()
}

#[story::test]
async fn the_owner_gets_a_mail_where_a_person_with_a_second_step_names_a_key(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    scene.bank.route("payout", id(&scene.bank.connection)).await.expect(200);
    let charge = scene.order().await;
    let number = scene.codes().await.pop().expect("is registered");
    for (payment_id, becomes) in [("B1", Received::Paid), ("B2", Received::SetAside)] {
        let paid = payment(test, Rail::Boleto, payment_id);
        let boleto = (&*number, charge_reference(Covers::Payment));
        assert_eq!(report(test, boleto, paid).await, becomes);
    }
    let owner = test.shop_again("Loja").await.owner;
    refund(&scene.shop.owner, &charge, 100).await;
    refund(&owner, &charge, 200).await;
    assert!(mailed(&owner).await.is_empty(), "these withdraw to any key");

    Device::enrolled(test, &owner).await;
    refund(&owner, &charge, 300).await;
    let about = &charge["id"];
    assert_eq!(mailed(&owner).await, std::slice::from_ref(about));
    let beside = format!("/api/v1/transactions/{}/unmatched", id(&charge));
    let [aside] = owner.list(&beside).await.try_into().expect("is one");
    let back = format!("{beside}/{}/return", id(&aside));
    for _ in 0..2 {
        owner.post(&back, json!({ "refundPixKey": KEY })).await.expect(200);
    }
    assert_eq!(mailed(&owner).await, [about.clone(), about.clone()], "once for each");
    test.prove_books().await;
}
