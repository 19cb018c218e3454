//! What reaches the merchant, and in which order.

use fakepsp::fake::Options;
use serde_json::{Value, json};

use crate::harness::{Bank, KEY, TXID};
use crate::receiver::Receiver;

async fn listening(statuses: &[u16]) -> (Bank, Receiver) {
    let receiver = Receiver::start(statuses).await;
    let bank = Bank::with(Options { notice_tries: 3, ..Options::default() }).await;
    bank.listen(&receiver.url()).await;
    (bank, receiver)
}

async fn fates(bank: &Bank) -> Vec<String> {
    let notices = bank.get("/__notices").await;
    let fate = |it: &Value| it["fate"].as_str().unwrap().to_owned();
    notices.as_array().unwrap().iter().map(fate).collect()
}

#[tokio::test]
async fn a_received_pix_and_its_refund_are_posted_to_the_address_with_its_suffix() {
    let (bank, receiver) = listening(&[200]).await;

    let e2e = bank.paid("10.00").await;
    let path = format!("/v2/pix/{e2e}/devolucao/r1");
    bank.efi("PUT", &path, json!({ "valor": "4.00" })).await;
    bank.fake.settle().await;

    assert_eq!(receiver.posted()[0].path, "/hook");
    let notices = receiver.notices();
    let arrived = &notices[0]["pix"][0];
    assert_eq!((&arrived["endToEndId"], &arrived["txid"]), (&json!(e2e), &json!(TXID)));
    assert_eq!((&arrived["chave"], &arrived["valor"]), (&json!(KEY), &json!("10.00")));
    assert!(arrived["gnExtras"]["pagador"].is_object());
    let refunded = &notices[1]["pix"][0]["devolucoes"][0];
    assert_eq!((&refunded["id"], &refunded["status"]), (&json!("r1"), &json!("DEVOLVIDO")));
}

#[tokio::test]
async fn an_address_that_ends_in_ignorar_gets_no_suffix() {
    let receiver = Receiver::start(&[200]).await;
    let bank = Bank::start().await;
    bank.listen(&format!("{}?hmac=1&ignorar=", receiver.url())).await;

    bank.paid("10.00").await;
    bank.fake.settle().await;

    assert_eq!(receiver.posted()[1].path, "/hook?hmac=1&ignorar=");
}

#[tokio::test]
async fn a_pix_without_a_txid_is_not_notified() {
    let (bank, receiver) = listening(&[200]).await;

    bank.admin("/__pay", json!({ "dialect": "efi", "key": KEY, "amount_cents": 100 })).await;
    bank.fake.settle().await;

    assert_eq!(receiver.notices().len(), 0);
}

#[tokio::test]
async fn a_notice_is_tried_again_until_it_is_taken() {
    // The first answer is for the registration.
    let (bank, receiver) = listening(&[200, 503, 429, 200]).await;

    bank.paid("10.00").await;
    bank.fake.settle().await;

    assert_eq!(receiver.notices().len(), 3);
    assert_eq!(fates(&bank).await, ["delivered"]);
    assert_eq!(bank.get("/__notices").await[0]["tries"], json!(["503", "429", "200"]));
}

#[tokio::test]
async fn a_notice_is_given_up_after_so_many_tries() {
    let (bank, receiver) = listening(&[200, 500]).await;

    bank.paid("10.00").await;
    bank.fake.settle().await;

    assert_eq!(receiver.notices().len(), 3);
    assert_eq!(fates(&bank).await, ["given_up"]);
}

#[tokio::test]
async fn notices_are_repeated_lost_reordered_and_sent_again() {
    let (bank, receiver) = listening(&[200]).await;
    bank.charge(TXID, "10.00").await;
    let pay = |cents: u32| {
        let body = json!({ "dialect": "efi", "charge": TXID, "amount_cents": cents, "late": true });
        bank.admin("/__pay", body)
    };
    bank.admin("/__notify", json!({ "repeat": 2 })).await;
    pay(1).await;
    bank.admin("/__notify", json!({ "repeat": 1, "lose": 1 })).await;
    pay(2).await;
    bank.admin("/__notify", json!({ "reorder": 2 })).await;
    pay(3).await;
    pay(4).await;
    bank.admin("/__notify", json!({ "hold": true })).await;
    pay(5).await;
    bank.admin("/__notify", json!({ "release": "in_order", "settle": true })).await;
    bank.admin("/__notify", json!({ "again": 1, "settle": true })).await;

    let amounts: Vec<Value> =
        receiver.notices().iter().map(|notice| notice["pix"][0]["valor"].clone()).collect();
    assert_eq!(amounts, ["0.01", "0.01", "0.04", "0.03", "0.05", "0.05"]);
    assert_eq!(fates(&bank).await.iter().filter(|fate| *fate == "lost").count(), 1);
}

#[tokio::test]
async fn a_forged_notice_is_posted_as_it_is() {
    let (bank, receiver) = listening(&[200]).await;
    let body = json!({ "pix": [{ "endToEndId": "E1", "txid": TXID, "valor": "1.00" }] });
    let url = format!("{}/pix", receiver.url());
    let forge = json!({ "dialect": "efi", "url": url, "body": body });

    bank.admin("/__notify", json!({ "forge": forge, "settle": true })).await;

    assert_eq!(receiver.notices(), [body]);
}

#[tokio::test]
async fn efi_sends_a_notice_once_more_when_it_is_asked_to() {
    let (bank, receiver) = listening(&[200]).await;
    bank.admin("/__notify", json!({ "lose": true })).await;
    let e2e = bank.paid("10.00").await;
    bank.admin("/__notify", json!({ "lose": false, "settle": true })).await;
    assert_eq!(receiver.notices().len(), 0);

    let again = json!({ "tipo": "PIX_RECEBIDO", "e2eids": [e2e] });
    let answer = bank.efi("POST", "/v2/gn/webhook/reenviar", again).await;
    bank.fake.settle().await;

    assert_eq!(answer.status, 202);
    assert_eq!(receiver.notices()[0]["pix"][0]["endToEndId"], json!(e2e));
}
