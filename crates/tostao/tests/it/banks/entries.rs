//! A bank's message is read entry by entry: none is lost, and none blocks the others.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use sandbox::bank::SandboxBank;
use serde_json::{Value, json};
use tostao::housekeeping;
use tostao::platform::secrets::{Purpose, Secrets};

use super::txid;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::database::SECRET;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

const UNMATCHED: &str = "/api/admin/unmatched";
const GOOD: &str = "E12345678202611211200abcDEF12345";

/// Has the sandbox bank send a message that it signed.
async fn send(test: &TestApp, door: &str, message: &Value) -> Reply {
    send_bytes(test, door, message.to_string().into_bytes()).await
}

/// The same of what may not even be text.
async fn send_bytes(test: &TestApp, door: &str, body: Vec<u8>) -> Reply {
    let signature = STANDARD.encode(Secrets::derive(SECRET).sign(Purpose::SandboxBank, &body));
    let bank = test.anyone().with("x-sandbox-signature", &signature);
    bank.post_bytes(&format!("/providers/sandbox/{door}"), body).await
}

/// An entry about a PIX of R$ 10.00.
fn pix(end_to_end_id: &str, txid: &str) -> Value {
    let paid_at = "2026-11-21T12:00:00.000Z";
    json!({ "endToEndId": end_to_end_id, "txid": txid, "valor": "10.00", "horario": paid_at })
}

/// What waits for an administrator, oldest first.
async fn waiting(admin: &Client) -> Vec<Value> {
    in_status(admin, "OPEN").await
}

async fn in_status(admin: &Client, status: &str) -> Vec<Value> {
    let path = format!("{UNMATCHED}?status={status}&limit=100");
    let list = admin.get(&path).await.expect(200);
    let mut rows = list["data"].as_array().expect("is a list").clone();
    rows.reverse();
    rows
}

/// An administrator's decision on an entry.
async fn decide(admin: &Client, entry: &Value, decision: &str, body: Value) -> Reply {
    admin.post(&format!("{UNMATCHED}/{}/{decision}", id(entry)), body).await
}

#[story::test]
async fn an_unreadable_entry_is_kept_and_those_beside_it_are_booked(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let (first, last) = (shop.charge(1_000).await, shop.charge(1_000).await);
    let wrong = json!({ "endToEndId": GOOD, "txid": txid(&first), "valor": "ten" });
    let other = GOOD.replace("abc", "xyz");
    let batch = [pix(GOOD, txid(&first)), wrong.clone(), pix(&other, txid(&last))];
    for _ in 0..2 {
        let sent = send(test, "pix", &json!({ "pix": batch })).await;
        sent.expect_refusal(503, "UNAVAILABLE");
        let said = "Some of this request may not have been processed. Send it again.";
        assert_eq!(
            (&sent.json()["message"], sent.header("retry-after")),
            (&json!(said), Some("1"))
        );
    }
    assert_eq!(shop.available().await, 2_000);
    let kept = waiting(&admin).await;
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = &kept[0];
    let report = kept["unreadableReport"].as_str().expect("is kept");
    assert_eq!(serde_json::from_str::<Value>(report).expect("is JSON"), wrong);
    assert_eq!((&kept["rail"], &kept["amount"]), (&json!("PIX"), &json!(0)));
    assert_eq!(kept["reference"], first["pix"]["txid"]);

    let boleto = json!({ "nossoNumero": 5, "valorPago": "1.00" });
    send(test, "boleto", &json!({ "boletos": [boleto] })).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(waiting(&admin).await[1]["rail"], "BOLETO");
    // Once the bank has reported it correctly, it is matched, and that books nothing.
    let body = json!({ "transactionId": id(&first) });
    let matched = decide(&admin, kept, "match", body).await.expect(200);
    assert_eq!(matched["data"]["status"], "MATCHED");
    send(test, "pix", &json!({ "pix": batch })).await.expect(200);
    assert_eq!(shop.transaction(&first).await["unmatchedAmount"], 0);
    let path = format!("/api/v1/transactions/{}/unmatched", id(&first));
    assert_eq!(shop.key.get(&path).await.expect(200)["data"], json!([]));
    assert_eq!(shop.available().await, 2_000);
}

#[story::test]
async fn a_report_that_belongs_to_no_charge_is_dismissed_and_its_message_accepted(test: &TestApp) {
    let admin = test.admin().await;
    let message = json!({ "pix": [{ "valor": "ten" }] });
    send(test, "pix", &message).await.expect_refusal(503, "UNAVAILABLE");
    let report = waiting(&admin).await.remove(0);
    let with_key = admin.with("idempotency-key", "one");
    let first = decide(&with_key, &report, "dismiss", json!({})).await.expect(200);
    let dismissed = &first["data"];
    assert_eq!(
        (&dismissed["status"], &dismissed["transactionId"]),
        (&json!("DISMISSED"), &json!(null))
    );
    assert!(dismissed["decidedBy"].is_string() && dismissed["decidedAt"].is_string());
    assert_eq!(dismissed["decidedFrom"], "127.0.0.1");
    test.pass(Duration::from_secs(1));
    for again in [&with_key, &admin] {
        assert_eq!(decide(again, &report, "dismiss", json!({})).await.expect(200), first);
    }
    let log = admin.get("/api/admin/audit?action=unmatched.dismissed").await.expect(200);
    assert_eq!(
        (&log["pagination"]["total"], &log["data"][0]["subjectId"]),
        (&json!(1), &report["id"])
    );

    send(test, "pix", &message).await.expect(200);
    for (status, expected) in [("OPEN", 0), ("RETURNED", 0), ("DISMISSED", 1)] {
        assert_eq!(in_status(&admin, status).await.len(), expected, "{status}");
    }
    let charge = test.shop("Loja").await.charge(1_000).await;
    let matched = decide(&admin, &report, "match", json!({ "transactionId": id(&charge) })).await;
    matched.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let back = decide(&admin, &report, "return", json!({})).await;
    back.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

#[story::test]
async fn what_cannot_be_read_of_one_message_is_kept_once_and_a_hundred_at_a_time(
    test: &TestApp,
    shop: Shop,
    admin: Client,
) {
    let charge = shop.charge(1_000).await;
    let mut entries = vec![json!("twice"); 200];
    entries.extend((1..=100).map(|number| json!(number)));
    entries.push(pix(GOOD, txid(&charge)));
    let message = json!({ "pix": entries });
    send(test, "pix", &message).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(admin.total(&format!("{UNMATCHED}?status=OPEN")).await, 100);
    assert_eq!(shop.available().await, 1_000);
    for report in &waiting(&admin).await {
        decide(&admin, report, "dismiss", json!({})).await.expect(200);
    }
    send(test, "pix", &message).await.expect_refusal(503, "UNAVAILABLE");
    let last = waiting(&admin).await;
    assert_eq!(last.len(), 1, "{last:?}");
    decide(&admin, &last[0], "dismiss", json!({})).await.expect(200);
    send(test, "pix", &message).await.expect(200);
    // The same text about another rail is another report.
    let boletos = json!({ "boletos": ["twice"] });
    send(test, "boleto", &boletos).await.expect_refusal(503, "UNAVAILABLE");
}

#[story::test]
async fn a_decision_answers_for_one_message_and_the_same_text_later_opens_another_entry(
    test: &TestApp,
    admin: Client,
) {
    let one = json!({ "pix": [{ "valor": "ten" }] });
    let both = json!({ "pix": [{ "valor": "ten" }, { "valor": "six" }] });
    send(test, "pix", &one).await.expect_refusal(503, "UNAVAILABLE");
    let first = waiting(&admin).await.remove(0);
    let dismissed = decide(&admin, &first, "dismiss", json!({})).await.expect(200);
    // A message that is refused for another entry does not use up the decision.
    for _ in 0..2 {
        send(test, "pix", &both).await.expect_refusal(503, "UNAVAILABLE");
    }
    let [six] = waiting(&admin).await.try_into().expect("is one");
    decide(&admin, &six, "dismiss", json!({})).await.expect(200);
    send(test, "pix", &both).await.expect(200);

    for _ in 0..2 {
        send(test, "pix", &one).await.expect_refusal(503, "UNAVAILABLE");
    }
    let [again] = waiting(&admin).await.try_into().expect("is one");
    assert_eq!(again["paymentId"], first["paymentId"]);
    assert_ne!(again["id"], first["id"]);
    assert_eq!(decide(&admin, &first, "dismiss", json!({})).await.expect(200), dismissed);
    decide(&admin, &again, "dismiss", json!({})).await.expect(200);
    let answers = join_all((0..2).map(|_| send(test, "pix", &one))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 503]);
}

#[story::test]
async fn money_is_never_dismissed(test: &TestApp) {
    let (admin, shop) = (test.admin().await, test.shop("Loja").await);
    send(test, "pix", &json!({ "pix": [pix(GOOD, "nobodys")] })).await.expect(200);
    let money = waiting(&admin).await.remove(0);
    let body = json!({ "transactionId": id(&shop.charge(1_000).await) });
    for decided in [false, true] {
        let refused = decide(&admin, &money, "dismiss", json!({})).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert_eq!(waiting(&admin).await.is_empty(), decided);
        decide(&admin, &money, "match", body.clone()).await.expect(200);
    }
}

#[story::test]
async fn an_unreadable_report_is_blanked_ninety_days_after_the_decision(test: &TestApp) {
    let message = json!({ "pix": [{ "nome": "Ana" }, { "nome": "Bia" }] });
    send(test, "pix", &message).await.expect_refusal(503, "UNAVAILABLE");
    let [closed, open] = waiting(&test.admin().await).await.try_into().expect("are two");
    let closed = decide(&test.admin().await, &closed, "dismiss", json!({})).await.expect(200);
    let closed = &closed["data"];
    for (passes, blanked) in
        [(Duration::from_hours(90 * 24), false), (Duration::from_millis(1), true)]
    {
        test.pass(passes);
        housekeeping::run(&test.app).await.expect("runs");
        let mut expected = closed.clone();
        if blanked {
            expected["unreadableReport"] = Value::Null;
        }
        assert_eq!(in_status(&test.admin().await, "DISMISSED").await, [expected]);
    }
    let admin = test.admin().await;
    assert_eq!(waiting(&admin).await, std::slice::from_ref(&open));
    decide(&admin, closed, "dismiss", json!({})).await.expect(200);
    decide(&admin, &open, "dismiss", json!({})).await.expect(200);
    send(test, "pix", &message).await.expect(200);
}

#[story::test]
async fn a_payment_without_an_id_of_its_own_is_never_taken_for_another(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charges = [shop.charge(1_000).await, shop.charge(1_000).await];
    let mut seen = 0;
    for name in [
        "",
        " ",
        "E1",
        &GOOD[1..],
        &GOOD.replace('E', "D"),
        &format!("{GOOD}0"),
        &GOOD.replace("202611211200", "202613211200"),
        &GOOD.replace('a', "-"),
        &GOOD.replace("1234567", "\u{661}\u{662}\u{663}4567"),
        &GOOD.replace('a', "\u{0}"),
    ] {
        for charge in &charges {
            let sent = send(test, "pix", &json!({ "pix": [pix(name, txid(charge))] })).await;
            sent.expect_refusal(503, "UNAVAILABLE");
            assert_eq!(shop.transaction(charge).await["status"], "PENDING", "{name}");
            seen += 1;
        }
        assert_eq!(waiting(&admin).await.len(), seen, "{name}");
    }
    for name in ["", " ", "a b", "\u{0}", "sha256:1", &"a".repeat(256)] {
        let boleto = json!({
            "nossoNumero": "12345670000000042", "seuNumero": "order1", "idPagamento": name,
            "valorPago": "3.00", "horario": "2026-11-21T12:00:00.000Z",
        });
        let sent = send(test, "boleto", &json!({ "boletos": [boleto] })).await;
        sent.expect_refusal(503, "UNAVAILABLE");
        seen += 1;
    }
    let kept = waiting(&admin).await;
    assert_eq!(kept.len(), seen);
    assert!(kept.iter().all(|row| row["unreadableReport"].is_string() && row["amount"] == 0));
    send(test, "pix", &json!({ "pix": [pix(GOOD, txid(&charges[0]))] })).await.expect(200);
    assert_eq!(shop.transaction(&charges[0]).await["status"], "PAID");
}

#[story::test]
async fn a_pix_without_a_txid_is_money_with_an_unknown_reference(test: &TestApp, admin: Client) {
    let mut to_a_key = pix(GOOD, "");
    to_a_key.as_object_mut().expect("is an object").remove("txid");
    send(test, "pix", &json!({ "pix": [to_a_key] })).await.expect(200);
    let kept = waiting(&admin).await.remove(0);
    assert_eq!((&kept["amount"], &kept["reference"]), (&json!(1_000), &json!("")));
    assert_eq!((&kept["paymentId"], &kept["unreadableReport"]), (&json!(GOOD), &json!(null)));
}

#[story::test]
async fn a_list_is_no_object_in_a_banks_message_either(test: &TestApp, shop: Shop, admin: Client) {
    let charge = shop.charge(1_000).await;
    let by_position = json!([GOOD, txid(&charge), "10.00", "2026-11-21T12:00:00.000Z"]);
    send(test, "pix", &json!({ "pix": [by_position] })).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
    assert_eq!(waiting(&admin).await.len(), 1);
    let batch = json!([[pix(GOOD, txid(&charge))]]);
    send(test, "pix", &batch).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
}

#[story::test]
async fn a_long_batch_is_taken_in_and_a_mebibyte_is_the_limit(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    let mut batch = vec![json!({ "padding": "a".repeat(300 * 1024) })];
    for number in 0..32 {
        let name = SandboxBank::end_to_end_id(test.app.now(), [number; 11]);
        batch.push(pix(&name, txid(&charge)));
    }
    send(test, "pix", &json!({ "pix": batch })).await.expect_refusal(503, "UNAVAILABLE");
    let charge = shop.transaction(&charge).await;
    assert_eq!(charge["unmatchedAmount"], 31_000);
    let report = waiting(&admin).await.remove(0);
    assert_eq!(report["unreadableReport"].as_str().map(str::len), Some(4_096));

    let table = [(1_024 * 1_024, 503), (1_024 * 1_024 + 1, 413)];
    for (bytes, status) in table {
        let padding = "a".repeat(bytes - json!({ "padding": "" }).to_string().len());
        let answer = send(test, "pix", &json!({ "padding": padding })).await;
        assert_eq!(answer.status, status, "{bytes}");
    }
}

#[story::test]
async fn what_a_payer_typed_keeps_no_payment_from_being_booked(test: &TestApp, shop: Shop) {
    let deep = [[b'['; 200], [b']'; 200]].concat();
    let typed: [&[u8]; 5] = [b"\"\\ud800\"", b"\"\xe9\"", b"1e999", b"\"\x01\n\"", &deep];
    for (number, typed) in (0..).zip(typed) {
        let charge = shop.charge(1_000).await;
        let name = SandboxBank::end_to_end_id(test.app.now(), [number; 11]);
        let entry = pix(&name, txid(&charge)).to_string();
        let body = [br#"{"pix":[{"infoPagador":"#, typed, b",", &entry.as_bytes()[1..], b"]}"];
        send_bytes(test, "pix", body.concat()).await.expect(200);
        assert_eq!(shop.transaction(&charge).await["status"], "PAID", "{typed:?}");
    }
}

#[story::test]
async fn a_repeated_name_is_never_read_as_one_of_its_values(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let charge = shop.charge(1_000).await;
    let entry = pix(GOOD, txid(&charge)).to_string();
    let twice = format!(r#"{{"pix":[{entry}],"pix":[]}}"#);
    send_bytes(test, "pix", twice.into_bytes()).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(waiting(&admin).await.len(), 0);
    let twice = format!(r#"{{"pix":[{{"valor":"9.00",{}]}}"#, &entry[1..]);
    send_bytes(test, "pix", twice.into_bytes()).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(waiting(&admin).await[0]["reference"], charge["pix"]["txid"]);
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
}
