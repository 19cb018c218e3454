//! Charging cards: every test card's verdict, once for each reference.

use std::sync::Arc;
use std::time::Duration;

use ledger::cents::Cents;
use rails::card::{
    CardChargeRequest, CardProvider, CardSource, ChargeResult, DeclineCode, StoreCardRequest,
    StoreOutcome, StoredCard,
};
use rails::error::ProviderError;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::test_cards::{Scenario, TEST_CARDS};
use tostao::platform::ids::Mode;

use super::{card_buyer, token, token_that};
use crate::harness::{TestApp, story, story_with_restart};

fn acquirer(test: &TestApp) -> Arc<dyn CardProvider> {
    test.app.providers.card(Mode::Development).expect("is there")
}

const AMOUNT: Cents = Cents::new(10_000);

fn order(reference: &str, source: CardSource) -> CardChargeRequest {
    CardChargeRequest {
        reference: reference.to_owned(),
        source,
        amount: AMOUNT,
        installments: 3,
        statement: "LOJA".to_owned(),
        buyer: card_buyer(),
        items: Vec::new(),
        ip: None,
        authentication: None,
    }
}

/// An order by a fresh token of the first card that does this.
async fn order_that(test: &TestApp, reference: &str, scenario: Scenario) -> CardChargeRequest {
    order(reference, CardSource::Token(token_that(test, scenario).await))
}

fn storing(token: String) -> StoreCardRequest {
    StoreCardRequest { reference: "stored".to_owned(), token, buyer: card_buyer() }
}

async fn kept(test: &TestApp, scenario: Scenario) -> StoredCard {
    let token = token_that(test, scenario).await;
    match acquirer(test).store_card(&storing(token)).await.expect("answers") {
        StoreOutcome::Stored(card) => card,
        StoreOutcome::Declined(code) => panic!("declined: {code}"),
    }
}

fn is_unknown<T: std::fmt::Debug>(answer: &Result<T, ProviderError>) -> bool {
    matches!(answer, Err(ProviderError::Unknown(_)))
}

fn is_refused<T: std::fmt::Debug>(answer: &Result<T, ProviderError>) -> bool {
    matches!(answer, Err(ProviderError::Refused { .. } | ProviderError::UnusableToken))
}

#[story::test]
async fn every_test_card_gets_the_verdict_of_its_number(test: &TestApp) {
    for card in TEST_CARDS {
        let source = CardSource::Token(token(&test.anyone(), card).await);
        let answer = acquirer(test).authorize(&order(card.number, source)).await;
        let found = acquirer(test).find(card.number, AMOUNT).await.expect("answers");
        let found = found.expect("was charged");
        match card.scenario {
            Scenario::ApprovesLate => assert_eq!(found, ChargeResult::Processing),
            scenario => match scenario.decline() {
                Some(code) => assert_eq!(found, ChargeResult::Declined { code }),
                None => assert!(matches!(found, ChargeResult::Approved { .. }), "{card:?}"),
            },
        }
        if card.scenario.loses_the_answer() {
            assert!(is_unknown(&answer), "{card:?}");
        } else {
            assert_eq!(answer.expect("is there"), found, "{card:?}");
        }
    }
}

#[story::test]
async fn the_same_reference_again_gets_the_same_result_and_charges_nothing(test: &TestApp) {
    for scenario in [Scenario::Approves, Scenario::Declines(DeclineCode::InsufficientFunds)] {
        let order = order_that(test, scenario.name(), scenario).await;
        let first = acquirer(test).authorize(&order).await.expect("answers");
        assert_eq!(acquirer(test).authorize(&order).await.expect("answers"), first);
        let other = order_that(test, scenario.name(), Scenario::Approves).await;
        assert_eq!(acquirer(test).authorize(&other).await.expect("answers"), first);
        let dearer = CardChargeRequest { amount: Cents::new(10_001), ..order };
        assert!(is_refused(&acquirer(test).authorize(&dearer).await));
    }
}

#[story::test]
async fn a_token_pays_once(test: &TestApp) {
    let first = order_that(test, "first", Scenario::Approves).await;
    acquirer(test).authorize(&first).await.expect("answers");
    let second = CardChargeRequest { reference: "second".into(), ..first.clone() };
    assert!(is_refused(&acquirer(test).authorize(&second).await));
    assert_eq!(acquirer(test).find("second", AMOUNT).await.expect("answers"), None);
    let CardSource::Token(token) = first.source else { panic!("it was a token") };
    assert_eq!(acquirer(test).inspect_token(&token).await.expect("answers"), None);
    assert!(is_refused(&acquirer(test).store_card(&storing(token)).await));
}

#[story::test]
async fn a_token_that_two_charges_ask_for_at_once_pays_one_of_them(test: &TestApp) {
    let one = order_that(test, "one", Scenario::Approves).await;
    let other = CardChargeRequest { reference: "other".into(), ..one.clone() };
    let acquirer = acquirer(test);
    let (one, other) = tokio::join!(acquirer.authorize(&one), acquirer.authorize(&other));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
}

#[story::test]
async fn an_expired_or_invented_token_pays_nothing(test: &TestApp) {
    let late = order_that(test, "late", Scenario::Approves).await;
    test.pass(Duration::from_secs(15 * 60));
    assert!(is_refused(&acquirer(test).authorize(&late).await));
    let invented = order("invented", CardSource::Token("tok_sandbox_abc".into()));
    assert!(is_refused(&acquirer(test).authorize(&invented).await));
    let stored = order("stored", CardSource::Stored("no id".into()));
    assert!(is_refused(&acquirer(test).authorize(&stored).await));
}

#[story::test]
async fn a_charge_whose_answer_was_lost_can_be_asked_for(test: &TestApp) {
    let declined = ChargeResult::Declined { code: DeclineCode::CardDeclined };
    for (scenario, approved) in
        [(Scenario::LosesTheApproval, true), (Scenario::LosesTheDecline, false)]
    {
        let order = order_that(test, scenario.name(), scenario).await;
        assert!(is_unknown(&acquirer(test).authorize(&order).await));
        let found =
            acquirer(test).find(scenario.name(), AMOUNT).await.expect("answers").expect("is");
        assert_eq!(matches!(found, ChargeResult::Approved { .. }), approved);
        assert_eq!(found == declined, !approved);
        assert_eq!(acquirer(test).authorize(&order).await.expect("answers"), found);
    }
}

#[story::test]
async fn an_order_fails_as_configured(test: &TestApp) {
    let rows = [
        (Outage::Refuses, false, false),
        (Outage::LosesTheAnswer, true, true),
        (Outage::NeverArrives, true, false),
    ];
    for (outage, unknown, done) in rows {
        let reference = format!("{outage:?}");
        let order = order_that(test, &reference, Scenario::Approves).await;
        test.app.providers.sandbox().fail_next(Operation::Authorize, outage);
        let answer = acquirer(test).authorize(&order).await;
        assert_eq!((is_unknown(&answer), is_refused(&answer)), (unknown, !unknown));
        let found = acquirer(test).find(&reference, order.amount).await.expect("answers");
        assert_eq!(found.is_some(), done, "{outage:?}");
        acquirer(test).authorize(&order).await.expect("works again");
    }
    test.app.providers.sandbox().fail_next(Operation::Find, Outage::NeverArrives);
    assert!(is_unknown(&acquirer(test).find("Refuses", AMOUNT).await));
}

#[story::test]
async fn a_slow_charge_is_decided_after_half_a_minute(test: &TestApp) {
    let order = order_that(test, "slow", Scenario::ApprovesLate).await;
    let first = acquirer(test).authorize(&order).await.expect("answers");
    assert_eq!(first, ChargeResult::Processing);
    test.pass(Duration::from_secs(29));
    let found = acquirer(test).find("slow", AMOUNT).await.expect("answers");
    assert_eq!(found, Some(ChargeResult::Processing));
    test.pass(Duration::from_secs(1));
    let found = acquirer(test).find("slow", AMOUNT).await.expect("answers");
    assert!(matches!(found, Some(ChargeResult::Approved { .. })), "{found:?}");
}

#[test]
fn the_acquirer_remembers_after_a_restart() {
    story_with_restart(
        async |test| {
            let order = order_that(test, "before", Scenario::LosesTheApproval).await;
            assert!(is_unknown(&acquirer(test).authorize(&order).await));
            (order, kept(test, Scenario::Approves).await)
        },
        async |test, (order, card)| {
            let found = acquirer(test).find("before", AMOUNT).await.expect("answers");
            let again = acquirer(test).authorize(&order).await.expect("answers");
            assert_eq!(found, Some(again));
            let next = CardChargeRequest {
                reference: "next".into(),
                source: CardSource::Stored(card.id),
                ..order
            };
            let next = acquirer(test).authorize(&next).await.expect("answers");
            assert!(matches!(next, ChargeResult::Approved { .. }));
        },
    );
}

#[story::test]
async fn a_kept_card_can_be_charged_again_and_again(test: &TestApp) {
    let card = kept(test, Scenario::Approves).await;
    assert_eq!(card.details.last4, "4242");
    test.pass(Duration::from_secs(30 * 24 * 3600));
    for month in ["first", "second"] {
        let order = order(month, CardSource::Stored(card.id.clone()));
        let verdict = acquirer(test).authorize(&order).await.expect("answers");
        assert!(matches!(verdict, ChargeResult::Approved { .. }), "{verdict:?}");
    }
}

#[story::test]
async fn the_same_token_keeps_the_same_card(test: &TestApp) {
    let order = storing(token_that(test, Scenario::Approves).await);
    test.app.providers.sandbox().fail_next(Operation::Keep, Outage::LosesTheAnswer);
    assert!(is_unknown(&acquirer(test).store_card(&order).await));
    let first = acquirer(test).store_card(&order).await.expect("answers");
    assert_eq!(acquirer(test).store_card(&order).await.expect("answers"), first);
}

#[story::test]
async fn a_card_that_would_be_declined_is_not_kept_unless_it_is_the_one_that_fails_later(
    test: &TestApp,
) {
    let token = token_that(test, Scenario::Declines(DeclineCode::ExpiredCard)).await;
    let answer = acquirer(test).store_card(&storing(token)).await.expect("answers");
    assert_eq!(answer, StoreOutcome::Declined(DeclineCode::ExpiredCard));
    let card = kept(test, Scenario::DeclinesOnceKept).await;
    let order = order("later", CardSource::Stored(card.id));
    let verdict = acquirer(test).authorize(&order).await.expect("answers");
    assert_eq!(verdict, ChargeResult::Declined { code: DeclineCode::CardDeclined });
}

#[test]
fn real_money_has_no_acquirer_until_one_is_configured() {
    story(async |test| {
        let providers = &test.app.providers;
        let refused = providers.card(Mode::Production).err().expect("is refused");
        assert_eq!(refused.code().status(), 503);
        let refused = providers.boleto(Mode::Production).err().expect("is refused");
        assert_eq!(refused.code().status(), 503);
    });
}
