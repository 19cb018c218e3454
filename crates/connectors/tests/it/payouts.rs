//! Payouts by Efí.

use brazil::document::Document;
use brazil::txid::is_end_to_end_id;
use ledger::cents::Cents;
use rails::conformance::a_reference_is_one_payout;
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutRequest, PayoutState, SentPayout};
use serde_json::{Value, json};

use crate::harness::{Bank, Door, always, payout};

async fn follows(bank: &Bank, outcome: Value) {
    bank.admin("/__payout", outcome).await;
}

/// The state of a payout at its bank.
async fn found(bank: &Bank, order: &PayoutRequest) -> Option<PayoutState> {
    let found = bank.payouts().find(order, None).await.expect("answers");
    found.map(|sent| sent.state)
}

/// Rich enough for every payout of a test.
async fn open() -> Bank {
    let bank = Bank::efi().await;
    bank.admin("/__balance", json!({ "cents": 100_000_000 })).await;
    // Efí pays from no key without an address for its notices.
    let door = Door::open().await;
    bank.connected.connection.register(&door.address).await.expect("registers");
    bank
}

#[tokio::test]
async fn a_payout_is_sent_once_for_each_reference() {
    let bank = open().await;
    a_reference_is_one_payout(&*bank.payouts(), &payout("w1", 5_000)).await;
    let state = found(&bank, &payout("w1", 5_000)).await;
    let Some(PayoutState::Paid { end_to_end_id }) = state else { panic!("{state:?}") };
    assert!(is_end_to_end_id(&end_to_end_id), "{end_to_end_id}");
    assert_eq!(bank.state().await["payouts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_payout_of_another_amount_under_a_known_reference_is_never_taken_for_ours() {
    let bank = open().await;
    bank.payouts().send(&payout("w1", 5_000)).await.expect("is taken");
    let other = bank.payouts().send(&payout("w1", 5_001)).await;
    assert!(matches!(other, Err(ProviderError::Unknown(_))), "{other:?}");
}

#[tokio::test]
async fn a_payout_whose_answer_is_lost_is_unknown_and_then_found() {
    let bank = open().await;
    for (reference, fault) in [("w1", "cut_after"), ("w2", "html"), ("w3", "cut_in_half")] {
        bank.fault("payout.create", json!({ "fault": fault, "times": 1 })).await;
        let lost = bank.payouts().send(&payout(reference, 5_000)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{fault}: {lost:?}");
        let found = found(&bank, &payout(reference, 5_000)).await;
        assert!(matches!(found, Some(PayoutState::Paid { .. })), "{fault}: {found:?}");
    }
    bank.fault("payout.create", json!({ "fault": "status", "status": 503, "times": 1 })).await;
    let lost = bank.payouts().send(&payout("w4", 5_000)).await;
    assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
    assert_eq!(found(&bank, &payout("w4", 5_000)).await, None);
}

#[tokio::test]
async fn a_payout_that_the_rail_rejects_is_refused_in_our_words() {
    let bank = open().await;
    let table = [
        ("AC03", PayoutFailureCode::InvalidKey),
        ("AC06", PayoutFailureCode::AccountBlocked),
        ("AC07", PayoutFailureCode::AccountClosed),
        ("AM02", PayoutFailureCode::LimitExceeded),
        ("AB09", PayoutFailureCode::RailTimeout),
        ("BE01", PayoutFailureCode::KeyOwnerMismatch),
        ("DS04", PayoutFailureCode::RejectedByBank),
    ];
    for (code, expected) in table {
        follows(&bank, json!({ "outcome": "refuse", "code": code })).await;
        bank.payouts().send(&payout(code, 100)).await.expect("is taken");
        let state = found(&bank, &payout(code, 100)).await;
        assert_eq!(state, Some(PayoutState::Refused(expected)), "{code}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_the_operators_account_refuses_no_payout() {
    let unregistered = Bank::efi().await;
    let poor = open().await;
    poor.admin("/__balance", json!({ "cents": 1 })).await;
    let elsewhere = open().await;
    elsewhere.admin("/__settings", json!({ "keys": ["another@example.com"] })).await;
    let unheard = open().await;
    let rejects = |name: &str, text: &str| {
        let status = 400;
        json!({ "outcome": "reject", "status": status, "name": name, "text": text })
    };
    follows(&unheard, rejects("algo_novo", "Algo novo")).await;
    let blocked = open().await;
    let text = "O documento desta conta tem bloqueios que impedem a emissão";
    follows(&blocked, rejects("documento_bloqueado", text)).await;
    for (case, bank) in [unregistered, poor, elsewhere, unheard, blocked].iter().enumerate() {
        let answer = bank.payouts().send(&payout("w1", 5_000)).await;
        assert!(matches!(answer, Err(ProviderError::Misconfigured(_))), "{case}: {answer:?}");
    }
}

#[tokio::test]
async fn a_payout_that_is_refused_at_once_because_of_its_payee_is_refused() {
    let bank = open().await;
    let table = [
        ("chave_invalida", "A chave do favorecido é inválida", PayoutFailureCode::InvalidKey),
        ("chave_nao_pertence_ao_documento", "a", PayoutFailureCode::KeyOwnerMismatch),
        ("pagamento_negado", "a", PayoutFailureCode::RejectedByBank),
    ];
    for (number, (name, text, expected)) in table.into_iter().enumerate() {
        let rejects = json!({ "outcome": "reject", "status": 422, "name": name, "text": text });
        follows(&bank, rejects).await;
        let answer = bank.payouts().send(&payout(&format!("w{number}"), 5_000)).await;
        assert_eq!(answer, Ok(PayoutState::Refused(expected).into()), "{name}");
    }
}

#[tokio::test]
async fn a_key_that_belongs_to_another_person_than_the_payee_is_not_paid() {
    let bank = open().await;
    bank.admin("/__settings", json!({ "holders": { "ana@example.com": "52998224725" } })).await;
    let holder = |text: &str| Some(Document::parse(text).expect("is a document"));
    let stranger = PayoutRequest { holder: holder("111.444.777-35"), ..payout("w1", 5_000) };
    let refused = SentPayout::from(PayoutState::Refused(PayoutFailureCode::KeyOwnerMismatch));
    assert_eq!(bank.payouts().send(&stranger).await, Ok(refused));
    let owner = PayoutRequest { holder: holder("529.982.247-25"), ..payout("w2", 5_000) };
    assert_eq!(bank.payouts().send(&owner).await, Ok(PayoutState::Processing.into()));
}

#[tokio::test]
async fn a_known_payout_that_cannot_be_asked_about_is_unknown_and_never_unsent() {
    let bank = open().await;
    bank.payouts().send(&payout("w1", 5_000)).await.expect("is taken");
    for fault in [json!({ "fault": "too_many" }), json!({ "fault": "proxy_html" })] {
        bank.fault("payout.get", fault).await;
        let again = bank.payouts().send(&payout("w1", 5_000)).await;
        assert!(matches!(again, Err(ProviderError::Unknown(_))), "{again:?}");
    }
}

#[tokio::test]
async fn a_payout_that_comes_back_is_reported_with_its_returns() {
    let bank = open().await;
    follows(&bank, json!({ "outcome": "return", "parts_cents": [2_000, 3_000] })).await;
    bank.payouts().send(&payout("w1", 5_000)).await.expect("is taken");
    let notice = Notice { subject: Subject::Payout, id: "w1".to_owned() };
    let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
    let returned: Vec<_> = reported
        .iter()
        .filter_map(|event| match event {
            Event::PayoutReturned { amount, .. } => Some(amount.get()),
            _ => None,
        })
        .collect();
    assert_eq!(returned, [2_000, 3_000], "{reported:?}");
}

#[tokio::test]
async fn sent_payouts_are_read_by_their_window() {
    let bank = open().await;
    for reference in ["w1", "w2"] {
        bank.payouts().send(&payout(reference, 5_000)).await.expect("is taken");
    }
    let (from, to) = always();
    let page = bank.connected.connection.read_window(Window::SentPix, from, to, None).await;
    let events = page.expect("answers").events;
    let reported: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Payout(report) => {
                Some((report.reference.as_deref()?, report.amount.map(Cents::get)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(reported.len(), 2, "{reported:?}");
    for reference in ["w1", "w2"] {
        assert!(reported.contains(&(reference, Some(5_000))), "{reported:?}");
    }
}
