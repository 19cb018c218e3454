//! Money given back by PIX and to cards.

use std::sync::Arc;
use std::time::Duration;

use ledger::cents::Cents;
use rails::card::{CardChargeRequest, CardProvider, CardRefundRequest, CardSource};
use rails::error::ProviderError;
use rails::pix::{PixProvider, PixReturnRequest};
use rails::refund::{RefundFailureCode, RefundState};
use sandbox::fault_injection::{Operation, Outage};
use sandbox::refunds::Outcome;
use sandbox::test_cards::Scenario;
use tostao::platform::ids::Mode;

use super::{card_buyer, token_that};
use crate::harness::TestApp;

const CHARGED: i64 = 10_000;

fn acquirer(test: &TestApp) -> Arc<dyn CardProvider> {
    test.app.providers.card(Mode::Development).expect("is there")
}

fn bank(test: &TestApp) -> Arc<dyn PixProvider> {
    test.app.providers.pix(Mode::Development).expect("is there")
}

/// Charges the first card that does this, under its scenario's word.
async fn charge(test: &TestApp, scenario: Scenario) -> String {
    let order = CardChargeRequest {
        reference: scenario.name().to_owned(),
        source: CardSource::Token(token_that(test, scenario).await),
        amount: Cents::new(CHARGED),
        installments: 1,
        statement: "LOJA".to_owned(),
        buyer: card_buyer(),
        items: Vec::new(),
        ip: None,
        authentication: None,
    };
    acquirer(test).authorize(&order).await.expect("answers");
    order.reference
}

async fn give_back(test: &TestApp, reference: &str, charge: &str, cents: i64) -> RefundState {
    let order = card_refund(reference, charge, cents);
    acquirer(test).refund(&order).await.expect("answers")
}

fn card_refund(reference: &str, charge: &str, cents: i64) -> CardRefundRequest {
    CardRefundRequest {
        reference: reference.to_owned(),
        charge_reference: charge.to_owned(),
        amount: Cents::new(cents),
        refunded_before: Cents::ZERO,
        attempt: reference.to_owned(),
    }
}

fn pix_refund(reference: &str) -> PixReturnRequest {
    PixReturnRequest {
        reference: reference.to_owned(),
        end_to_end_id: "E00000000202611211200abcDEF12345".to_owned(),
        amount: Cents::new(CHARGED),
    }
}

fn refused(reason: &str) -> RefundState {
    RefundState::Refused { reason: RefundFailureCode::parse(reason).expect("is a reason") }
}

#[story::test]
async fn a_pix_goes_back_once_for_each_reference(test: &TestApp) {
    let done = bank(test).refund(&pix_refund("r1")).await.expect("answers");
    let RefundState::Done { rail_id, .. } = &done else { panic!("{done:?}") };
    assert!(rail_id.starts_with("D00000000") && rail_id.len() == 32, "{rail_id}");
    assert_eq!(bank(test).refund(&pix_refund("r1")).await.expect("answers"), done);
    assert_eq!(bank(test).find_refund(&pix_refund("r1")).await.expect("answers"), Some(done));
    assert_eq!(bank(test).find_refund(&pix_refund("r2")).await.expect("answers"), None);
    let other = PixReturnRequest { amount: Cents::new(1), ..pix_refund("r1") };
    let answer = bank(test).refund(&other).await;
    assert!(matches!(answer, Err(ProviderError::Refused { .. })), "{answer:?}");
}

#[story::test]
async fn a_refund_of_one_rail_is_unknown_on_the_other(test: &TestApp) {
    bank(test).refund(&pix_refund("r1")).await.expect("answers");
    assert_eq!(
        acquirer(test).find_refund(&card_refund("r1", "c1", CHARGED)).await.expect("answers"),
        None
    );
}

#[story::test]
async fn a_configured_refund_follows_its_configuration_and_the_next_one_the_default(
    test: &TestApp,
) {
    let end_to_end_id = pix_refund("").end_to_end_id;
    let arm = async |outcome| {
        test.app.providers.sandbox().arm_refund(&end_to_end_id, outcome).await.expect("arms");
    };
    arm(Outcome::AtOnce).await;
    arm(Outcome::Refused).await;
    let first = bank(test).refund(&pix_refund("r1")).await.expect("answers");
    assert_eq!(first, refused("refused_by_issuer"));
    let again = bank(test).refund(&pix_refund("r1")).await.expect("answers");
    assert_eq!(again, refused("refused_by_issuer"));
    arm(Outcome::Late).await;
    let late = bank(test).refund(&pix_refund("r2")).await.expect("answers");
    assert_eq!(late, RefundState::Processing);
    let next = bank(test).refund(&pix_refund("r3")).await.expect("answers");
    assert!(matches!(next, RefundState::Done { .. }), "{next:?}");
}

#[story::test]
async fn a_late_refund_is_done_after_a_minute(test: &TestApp) {
    let charge = charge(test, Scenario::RefundsLate).await;
    let state = give_back(test, "r1", &charge, CHARGED).await;
    assert_eq!(state, RefundState::Processing);
    test.pass(Duration::from_secs(59));
    let state =
        acquirer(test).find_refund(&card_refund("r1", &charge, CHARGED)).await.expect("answers");
    assert_eq!(state, Some(RefundState::Processing));
    test.pass(Duration::from_secs(1));
    let state = acquirer(test)
        .find_refund(&card_refund("r1", &charge, CHARGED))
        .await
        .expect("answers")
        .expect("is");
    assert!(matches!(state, RefundState::Done { .. }), "{state:?}");
    assert_eq!(give_back(test, "r1", &charge, CHARGED).await, state);
}

#[story::test]
async fn a_card_gets_back_no_more_than_was_taken_from_it(test: &TestApp) {
    let charge = charge(test, Scenario::Approves).await;
    for (reference, cents, done) in
        [("r1", 6_000, true), ("r2", 4_001, false), ("r3", 4_000, true), ("r4", 1, false)]
    {
        let state = give_back(test, reference, &charge, cents).await;
        let is_done = matches!(state, RefundState::Done { .. });
        assert_eq!(is_done, done, "{reference}: {state:?}");
        assert_eq!(state == refused("exceeds_charge"), !done, "{reference}: {state:?}");
    }
}

#[story::test]
async fn refunds_of_one_charge_at_once_never_exceed_it(test: &TestApp) {
    let charge = charge(test, Scenario::Approves).await;
    let (one, other) = tokio::join!(
        give_back(test, "r1", &charge, CHARGED),
        give_back(test, "r2", &charge, CHARGED)
    );
    let done = [one, other].into_iter().filter(|s| matches!(s, RefundState::Done { .. }));
    assert_eq!(done.count(), 1);
}

#[story::test]
async fn what_was_never_taken_is_not_given_back(test: &TestApp) {
    let order = CardChargeRequest {
        reference: "declined".into(),
        source: CardSource::Token(token_that(test, Scenario::DeclinesOnceKept).await),
        amount: Cents::new(CHARGED),
        installments: 1,
        statement: "LOJA".into(),
        buyer: card_buyer(),
        items: Vec::new(),
        ip: None,
        authentication: None,
    };
    acquirer(test).authorize(&order).await.expect("answers");
    let undecided = charge(test, Scenario::ApprovesLate).await;
    let refusing = charge(test, Scenario::RefusesRefunds).await;
    let rows = [
        ("unknown", "charge_not_found"),
        ("declined", "charge_not_approved"),
        (undecided.as_str(), "charge_not_approved"),
        (refusing.as_str(), "refused_by_issuer"),
    ];
    for (charge, reason) in rows {
        let state = give_back(test, charge, charge, 1).await;
        assert_eq!(state, refused(reason), "{charge}");
        let order = card_refund(charge, charge, 1);
        let found = acquirer(test).find_refund(&order).await.expect("answers");
        assert_eq!(found, Some(state), "{charge}");
    }
}

#[story::test]
async fn a_refund_fails_as_configured(test: &TestApp) {
    let charge = charge(test, Scenario::Approves).await;
    let rows = [
        (Outage::Refuses, false, false),
        (Outage::LosesTheAnswer, true, true),
        (Outage::NeverArrives, true, false),
    ];
    for (outage, unknown, done) in rows {
        let reference = format!("{outage:?}");
        test.app.providers.sandbox().fail_next(Operation::Refund, outage);
        let order = card_refund(&reference, &charge, 100);
        let answer = acquirer(test).refund(&order).await;
        assert_eq!(matches!(answer, Err(ProviderError::Unknown(_))), unknown, "{answer:?}");
        let found = acquirer(test).find_refund(&order).await.expect("answers");
        assert_eq!(found.is_some(), done, "{outage:?}");
    }
}

#[story::test]
async fn a_disabled_sandbox_answers_nothing_until_it_is_enabled(test: &TestApp) {
    bank(test).refund(&pix_refund("r1")).await.expect("answers");
    let sandbox = test.app.providers.sandbox();
    sandbox.shut(Operation::Find);
    for _ in 0..2 {
        let silence = bank(test).find_refund(&pix_refund("r1")).await;
        assert!(matches!(silence, Err(ProviderError::Unknown(_))), "{silence:?}");
    }
    bank(test).refund(&pix_refund("r2")).await.expect("answers");
    sandbox.open(Operation::Find);
    assert!(bank(test).find_refund(&pix_refund("r1")).await.expect("answers").is_some());
}
