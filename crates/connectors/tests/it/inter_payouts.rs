//! Payouts by Inter, which is asked about them only by its own code.

use std::time::Duration;

use brazil::txid::is_end_to_end_id;
use ledger::cents::Cents;
use rails::conformance::a_reference_is_one_payout;
use rails::connection::{Event, Notice, Subject};
use rails::error::ProviderError;
use rails::payout::{
    PayoutFailureCode, PayoutReport, PayoutRequest, PayoutState, SENT_AGAIN_WITHIN, SentPayout,
    find_or_send,
};
use rails::provider::ARRIVES_WITHIN;
use serde_json::{Value, json};

use crate::harness::{Bank, payout};

const AT_ONCE: Duration = Duration::from_secs(1);

/// References are UUIDs without hyphens, as all of ours are.
fn order(number: u32) -> PayoutRequest {
    payout(&format!("0192f0c4a5b67c8d9e0f{number:012}"), 5_000)
}

async fn follows(bank: &Bank, outcome: Value) {
    let mut asked = json!({ "dialect": "inter" });
    let fields = asked.as_object_mut().expect("is an object");
    fields.extend(outcome.as_object().expect("is an object").clone());
    bank.admin("/__payout", asked).await;
}

/// Sends a payout; returns the bank's code.
async fn sent(bank: &Bank, order: &PayoutRequest) -> String {
    let sent = bank.payouts().send(order).await.expect("is taken");
    assert_eq!(sent.state, PayoutState::Processing);
    sent.bank_code.expect("has a code")
}

async fn found(bank: &Bank, order: &PayoutRequest, code: &str) -> Option<PayoutState> {
    let found = bank.payouts().find(order, Some(code)).await.expect("answers");
    found.map(|sent| sent.state)
}

async fn resent(
    bank: &Bank,
    order: &PayoutRequest,
    age: Duration,
) -> Result<Option<SentPayout>, ProviderError> {
    find_or_send(&*bank.payouts(), order, None, age).await
}

/// How many payouts the bank has.
async fn known(bank: &Bank) -> Option<usize> {
    bank.state().await["payouts"].as_array().map(Vec::len)
}

#[tokio::test]
async fn a_payout_is_sent_once_for_each_reference() {
    let bank = Bank::inter().await;
    a_reference_is_one_payout(&*bank.payouts(), &order(1)).await;
    assert_eq!(known(&bank).await, Some(1));
    let code = sent(&bank, &order(1)).await;
    let state = found(&bank, &order(1), &code).await;
    let Some(PayoutState::Paid { end_to_end_id }) = state else { panic!("{state:?}") };
    assert!(is_end_to_end_id(&end_to_end_id), "{end_to_end_id}");
}

#[tokio::test]
async fn the_order_has_its_amount_as_a_number_and_our_reference_as_a_uuid() {
    let bank = Bank::inter().await;
    let odd = PayoutRequest { amount: Cents::new(12_345_678_901), ..order(1) };
    bank.admin("/__balance", json!({ "dialect": "inter", "cents": 100_000_000_000_i64 })).await;
    sent(&bank, &odd).await;
    let path = "/__log?operation=inter.payout.create";
    let (_, log) = bank.fake.admin("GET", path, &Value::Null).await.expect("answers");
    let key = "0192f0c4-a5b6-7c8d-9e0f-000000000001";
    assert_eq!(log[0]["headers"]["x-id-idempotente"], key);
    let payee = json!({ "tipo": "CHAVE", "chave": "ana@example.com" });
    let body: Value = serde_json::from_str(r#"{"valor":123456789.01}"#).expect("is JSON");
    assert_eq!(log[0]["body"]["valor"], body["valor"]);
    assert_eq!(log[0]["body"]["destinatario"], payee);
}

#[tokio::test]
async fn a_reference_that_is_no_uuid_sends_nothing() {
    let bank = Bank::inter().await;
    let answer = bank.payouts().send(&payout("w1", 5_000)).await;
    assert!(matches!(answer, Err(ProviderError::Misconfigured(_))), "{answer:?}");
    assert_eq!(bank.calls("payout.create").await, 0);
}

#[tokio::test]
async fn a_payout_whose_answer_is_lost_is_asked_about_by_the_same_order_and_sent_once() {
    let bank = Bank::inter().await;
    let faults = [
        json!({ "fault": "cut_after", "times": 1 }),
        json!({ "fault": "html", "times": 1 }),
        json!({ "fault": "cut_in_half", "times": 1 }),
        json!({ "fault": "status", "status": 500, "processed": true, "times": 1 }),
        json!({ "fault": "status", "status": 502, "processed": true, "times": 1 }),
        json!({ "fault": "status", "status": 503, "processed": true, "times": 1 }),
        json!({ "fault": "status", "status": 504, "processed": true, "times": 1 }),
    ];
    for (number, fault) in (1..).zip(faults) {
        bank.fault("payout.create", fault.clone()).await;
        let lost = bank.payouts().send(&order(number)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{fault}: {lost:?}");
        let taken = resent(&bank, &order(number), AT_ONCE).await.expect("answers");
        let code = taken.and_then(|sent| sent.bank_code).expect("has a code");
        let state = found(&bank, &order(number), &code).await;
        assert!(matches!(state, Some(PayoutState::Paid { .. })), "{fault}: {state:?}");
    }
    assert_eq!(known(&bank).await, Some(7));
}

#[tokio::test]
async fn an_order_that_did_not_arrive_is_sent_by_the_question() {
    let bank = Bank::inter().await;
    let faults = [
        json!({ "fault": "cut_before", "times": 1 }),
        json!({ "fault": "status", "status": 503, "times": 1 }),
    ];
    for (number, fault) in (1..).zip(faults) {
        bank.fault("payout.create", fault.clone()).await;
        let lost = bank.payouts().send(&order(number)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{fault}: {lost:?}");
        let taken = resent(&bank, &order(number), AT_ONCE).await.expect("answers");
        assert!(taken.is_some_and(|sent| sent.bank_code.is_some()), "{fault}");
    }
    assert_eq!(known(&bank).await, Some(2));
}

#[tokio::test]
async fn after_an_hour_a_payout_without_a_code_is_unknown_and_never_sent_again() {
    let bank = Bank::inter().await;
    bank.fault("payout.create", json!({ "fault": "cut_after", "times": 1 })).await;
    bank.payouts().send(&order(1)).await.expect_err("is lost");
    for _ in 0..2 {
        let late = resent(&bank, &order(1), SENT_AGAIN_WITHIN).await;
        assert!(matches!(late, Err(ProviderError::Unknown(_))), "{late:?}");
    }
    assert_eq!(bank.calls("payout.create").await, 1);
}

#[tokio::test]
async fn a_payout_with_a_code_is_asked_about_and_never_sent_again() {
    let bank = Bank::inter().await;
    let code = sent(&bank, &order(1)).await;
    let ask = |code: &'static str| {
        let payouts = bank.payouts();
        async move { find_or_send(&*payouts, &order(1), Some(code), AT_ONCE).await }
    };
    let known = find_or_send(&*bank.payouts(), &order(1), Some(&code), AT_ONCE).await;
    assert!(known.expect("answers").is_some());
    assert_eq!(ask("0b9f0a5e-6e0e-4a5e-9f35-0123456789ab").await, Ok(None));
    bank.fault("payout.get", json!({ "fault": "status", "status": 503, "times": 1 })).await;
    let unanswered = ask("0b9f0a5e-6e0e-4a5e-9f35-0123456789ab").await;
    assert!(matches!(unanswered, Err(ProviderError::Unknown(_))), "{unanswered:?}");
    assert_eq!(bank.calls("payout.create").await, 1);
}

#[tokio::test]
async fn a_payout_of_another_amount_under_a_known_reference_or_code_is_never_taken_for_ours() {
    let bank = Bank::inter().await;
    let code = sent(&bank, &order(1)).await;
    let dearer = PayoutRequest { amount: Cents::new(5_001), ..order(1) };
    let other = bank.payouts().send(&dearer).await;
    assert!(matches!(other, Err(ProviderError::Unknown(_))), "{other:?}");
    let other = bank.payouts().find(&dearer, Some(&code)).await;
    assert!(matches!(other, Err(ProviderError::Unknown(_))), "{other:?}");
}

#[tokio::test]
async fn a_token_that_ends_early_is_replaced_once_and_the_payout_sent_once() {
    let bank = Bank::inter().await;
    sent(&bank, &order(1)).await;
    bank.admin("/__fault", json!({ "fault": "expire_tokens" })).await;
    sent(&bank, &order(2)).await;
    assert_eq!(bank.calls("token").await, 2);
    assert_eq!(known(&bank).await, Some(2));
}

#[tokio::test]
async fn a_request_that_the_bank_does_not_process_is_not_sent_and_refuses_nothing() {
    let bank = Bank::inter().await;
    for fault in ["unauthorized", "proxy_html"] {
        bank.fault("payout.create", json!({ "fault": fault, "times": 2 })).await;
        let answer = bank.payouts().send(&order(1)).await;
        assert!(matches!(answer, Err(ProviderError::Misconfigured(_))), "{fault}: {answer:?}");
        bank.fake.admin("DELETE", "/__fault", &Value::Null).await.expect("answers");
    }
    assert_eq!(known(&bank).await, Some(0));
    // Refused credentials are left alone for a while.
    let bank = Bank::inter().await;
    let too_many = json!({ "fault": "too_many", "retry_after": 3, "times": 1 });
    bank.fault("payout.create", too_many).await;
    let busy = bank.payouts().send(&order(1)).await;
    let Err(ProviderError::NotSent { retry_after, .. }) = busy else { panic!("{busy:?}") };
    assert_eq!(retry_after, Some(Duration::from_secs(3)));
    assert_eq!(known(&bank).await, Some(0));
}

#[tokio::test]
async fn a_payout_that_the_rail_rejects_is_refused_in_our_words() {
    let bank = Bank::inter().await;
    let table = [
        ("AC03", PayoutFailureCode::InvalidKey),
        ("AC06", PayoutFailureCode::AccountBlocked),
        ("AC07", PayoutFailureCode::AccountClosed),
        ("AM02", PayoutFailureCode::LimitExceeded),
        ("AB03", PayoutFailureCode::RailTimeout),
        ("AB09", PayoutFailureCode::RailTimeout),
        ("AB11", PayoutFailureCode::RailTimeout),
        ("BE01", PayoutFailureCode::KeyOwnerMismatch),
        ("DS04", PayoutFailureCode::RejectedByBank),
        ("FRAD", PayoutFailureCode::RejectedByBank),
    ];
    for (number, (code, expected)) in (1..).zip(table) {
        follows(&bank, json!({ "outcome": "refuse", "code": code })).await;
        let bank_code = sent(&bank, &order(number)).await;
        let state = found(&bank, &order(number), &bank_code).await;
        assert_eq!(state, Some(PayoutState::Refused(expected)), "{code}");
    }
}

#[tokio::test]
async fn a_payout_that_a_person_must_approve_is_in_process_until_it_is_approved() {
    let bank = Bank::inter().await;
    follows(&bank, json!({ "outcome": "process" })).await;
    let code = sent(&bank, &order(1)).await;
    assert_eq!(found(&bank, &order(1), &code).await, Some(PayoutState::Processing));
    follows(&bank, json!({ "outcome": "pay", "id": code })).await;
    let state = found(&bank, &order(1), &code).await;
    assert!(matches!(state, Some(PayoutState::Paid { .. })), "{state:?}");
}

#[tokio::test]
async fn what_is_wrong_with_the_operators_account_refuses_no_payout() {
    let poor = Bank::inter().await;
    poor.admin("/__balance", json!({ "dialect": "inter", "cents": 1 })).await;
    let blocked = Bank::inter().await;
    let rejects = json!({
        "outcome": "reject", "status": 400, "name": "Conta bloqueada", "text": "Bloqueio judicial",
    });
    follows(&blocked, rejects).await;
    let limited = Bank::inter().await;
    let rejects = json!({
        "outcome": "reject", "status": 422, "name": "Limite excedido", "text": "Limite diário",
    });
    follows(&limited, rejects).await;
    for (case, bank) in [poor, blocked, limited].iter().enumerate() {
        let answer = resent(bank, &order(1), ARRIVES_WITHIN).await;
        assert!(matches!(answer, Err(ProviderError::Misconfigured(_))), "{case}: {answer:?}");
        assert_eq!(known(bank).await, Some(0));
    }
}

#[tokio::test]
async fn a_notice_is_looked_into_by_the_banks_code_and_reports_the_amount() {
    let bank = Bank::inter().await;
    let code = sent(&bank, &order(1)).await;
    let notice = json!([{ "codigoSolicitacao": code, "status": "FALHA", "valor": "9.99" }]);
    let notices = bank
        .connected
        .connection
        .read_notices(&http::HeaderMap::new(), notice.to_string().as_bytes());
    let notices = notices.expect("is a message");
    assert_eq!(notices, [Notice { subject: Subject::Payout, id: code.clone() }]);
    let page = bank.connected.connection.look_into(&notices[0]).await.expect("answers");
    let [Event::Payout(PayoutReport { reference: None, bank_code, amount, state })] = &*page.events
    else {
        panic!("{page:?}")
    };
    assert_eq!((bank_code, *amount), (&Some(code), Some(Cents::new(5_000))));
    assert!(matches!(state, PayoutState::Paid { .. }), "{state:?}");
    let foreign = Notice { subject: Subject::Payout, id: "c1".to_owned() };
    let page = bank.connected.connection.look_into(&foreign).await.expect("answers");
    assert_eq!((page.events, page.unreadable), (vec![], vec![]));
}
