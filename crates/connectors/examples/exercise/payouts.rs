//! Payouts: sent once, paid, and unknown where the bank does not answer.

use std::sync::Arc;

use brazil::pix_key::{PixKey, PixKeyType};
use brazil::txid::is_end_to_end_id;
use ledger::cents::Cents;
use rails::conformance;
use rails::connection::{Event, Window};
use rails::error::ProviderError;
use rails::payout::{PayoutRequest, PayoutState};

use crate::bank::Bank;

fn payout(bank: &Bank) -> PayoutRequest {
    PayoutRequest {
        reference: bank.reference(),
        amount: Cents::new(5_000),
        key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
        holder: None,
        description: Some("Saque".to_owned()),
        test_clock: None,
    }
}

/// How many orders the bank has, under whatever ids.
async fn orders(bank: &Bank) -> usize {
    let state = bank.state().await;
    state[bank.dialect]["payouts"].as_array().expect("is a list").len()
}

pub async fn a_reference_is_one_payout(bank: Arc<Bank>) {
    conformance::a_reference_is_one_payout(&*bank.payouts(), &payout(&bank)).await;
}

/// It is sent twice, as by a worker that forgot it.
pub async fn a_payout_is_paid_once(bank: Arc<Bank>) {
    let (order, before) = (payout(&bank), orders(&bank).await);
    bank.payouts().send(&order).await.expect("is taken");
    let sent = bank.payouts().send(&order).await.expect("is the same order");
    assert!(!matches!(sent.state, PayoutState::Refused(_)), "{sent:?}");
    let found = bank.payouts().find(&order, sent.bank_code.as_deref()).await.expect("answers");
    let state = found.expect("is known").state;
    let PayoutState::Paid { end_to_end_id } = &state else { panic!("{state:?}") };
    assert!(is_end_to_end_id(end_to_end_id), "{end_to_end_id}");
    assert_eq!(orders(&bank).await, before + 1);
}

pub async fn a_server_error_is_unknown(bank: Arc<Bank>) {
    bank.fault(&format!("{}.payout.create", bank.dialect), "status").await;
    let before = orders(&bank).await;
    let lost = bank.payouts().send(&payout(&bank)).await;
    assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
    assert_eq!(orders(&bank).await, before);
}

pub async fn sent_payouts_are_listed(bank: Arc<Bank>) {
    let order = payout(&bank);
    bank.payouts().send(&order).await.expect("is taken");
    let events = bank.listed(Window::SentPix).await;
    let is_ours = |event: &&Event| match event {
        Event::Payout(report) => report.reference.as_ref() == Some(&order.reference),
        _ => false,
    };
    assert_eq!(events.iter().filter(is_ours).count(), 1, "{events:?}");
}
