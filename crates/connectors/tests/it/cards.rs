//! Charges, refunds and stored cards by Pagar.me.

use ledger::cents::Cents;
use rails::card::{
    CardBuyer, CardChargeRequest, CardItem, CardRefundRequest, CardSource, ChargeResult,
    DeclineCode, StoreOutcome, StoredCard, ThreeDSecure,
};
use rails::conformance::{
    a_reference_is_one_card_charge, a_reference_is_one_card_refund, a_reference_is_one_stored_card,
};
use rails::connection::Event;
use rails::error::ProviderError;
use rails::refund::RefundState;
use serde_json::{Value, json};

use crate::acquirer::{Acquirer, DECLINED, GOOD, REFERENCE, SLOW, buyer, charge, refund, storing};

/// Faults that lose the answer to what was done.
const AMOUNT: Cents = Cents::new(10_000);
const LOST: [&str; 3] = ["cut_after", "cut_in_half", "html"];

fn is_unknown<T>(answer: &Result<T, ProviderError>) -> bool {
    matches!(answer, Err(ProviderError::Unknown(_)))
}

fn is_approved(result: &ChargeResult) -> bool {
    matches!(result, ChargeResult::Approved { .. })
}

fn is_done(state: &RefundState) -> bool {
    matches!(state, RefundState::Done { .. })
}

async fn kept(acquirer: &Acquirer, reference: &str) -> StoredCard {
    let order = storing(reference, acquirer.token(GOOD).await);
    match acquirer.cards().store_card(&order).await.expect("is stored") {
        StoreOutcome::Stored(card) => card,
        StoreOutcome::Declined(code) => panic!("declined: {code}"),
    }
}

#[tokio::test]
async fn a_card_is_charged_once_for_each_reference() {
    let acquirer = Acquirer::open().await;
    let order = acquirer.order(REFERENCE, GOOD).await;
    a_reference_is_one_card_charge(&*acquirer.cards(), &order).await;
    let found = acquirer.cards().find(REFERENCE, order.amount).await;
    assert!(is_approved(&found.expect("answers").expect("is known")));
    assert_eq!(acquirer.bank.state().await["orders"], 1);
}

#[tokio::test]
async fn an_order_names_the_reference_the_buyer_the_items_and_the_authentication() {
    let acquirer = Acquirer::open().await;
    let order = CardChargeRequest {
        authentication: Some(ThreeDSecure {
            indicator: "05".to_owned(),
            cryptogram: "AAAB".to_owned(),
            transaction_id: "d1".to_owned(),
            version: "2.2.0".to_owned(),
        }),
        ..acquirer.order(REFERENCE, GOOD).await
    };
    acquirer.cards().authorize(&order).await.expect("is charged");
    let requests = acquirer.requests("order.create").await;
    let [request] = &*requests else { panic!("{requests:?}") };
    assert_eq!(request["headers"]["idempotency-key"], REFERENCE);
    let body = &request["body"];
    assert_eq!((&body["code"], &body["closed"]), (&json!(REFERENCE), &json!(true)));
    assert_eq!(body["ip"], "203.0.113.7");
    assert_eq!(body["customer"]["document"], "52998224725");
    assert_eq!(body["customer"]["phones"]["mobile_phone"]["area_code"], "11");
    assert_eq!(body["customer"]["address"]["line_1"], "1, Praça da Sé, Sé");
    let item = json!({ "code": "1", "description": "Curso", "amount": 5_000, "quantity": 2 });
    assert_eq!(body["items"], json!([item]));
    let payment = &body["payments"][0];
    assert_eq!(payment["amount"], 10_000);
    let card = &payment["credit_card"];
    assert_eq!(
        (&card["installments"], &card["operation_type"]),
        (&json!(3), &json!("auth_and_capture"))
    );
    assert_eq!(card["statement_descriptor"], "Loja da Praca");
    assert_eq!(card["authentication"]["threed_secure"]["eci"], "05");
}

#[tokio::test]
async fn items_whose_total_is_not_the_amount_are_one_item_of_the_amount() {
    let acquirer = Acquirer::open().await;
    let few =
        vec![CardItem { description: "Curso".to_owned(), amount: Cents::new(9_000), quantity: 1 }];
    for (reference, items, description) in
        [("c1", few, "Curso"), ("c2", Vec::new(), "Loja da Praça Central")]
    {
        let order = CardChargeRequest { items, ..acquirer.order(reference, GOOD).await };
        let result = acquirer.cards().authorize(&order).await.expect("is charged");
        assert!(is_approved(&result), "{result:?}");
        let item = json!({
            "code": "1", "description": description, "amount": 10_000, "quantity": 1,
        });
        let sent = acquirer.requests("order.create").await;
        assert_eq!(sent.last().expect("is sent")["body"]["items"], json!([item]));
    }
}

#[tokio::test]
async fn a_declined_card_is_declined_in_our_words() {
    let acquirer = Acquirer::open().await;
    let table = [
        ("51", DeclineCode::InsufficientFunds),
        ("05", DeclineCode::DoNotHonor),
        ("57", DeclineCode::DoNotHonor),
        ("62", DeclineCode::DoNotHonor),
        ("61", DeclineCode::VelocityExceeded),
        ("65", DeclineCode::VelocityExceeded),
        ("54", DeclineCode::ExpiredCard),
        ("41", DeclineCode::LostCard),
        ("43", DeclineCode::StolenCard),
        ("N7", DeclineCode::IncorrectCvc),
        ("82", DeclineCode::IncorrectCvc),
        ("83", DeclineCode::IncorrectCvc),
        ("14", DeclineCode::CardDeclined),
        ("", DeclineCode::CardDeclined),
    ];
    for (raw, code) in table {
        acquirer.bank.admin("/__settings", json!({ "pagarme_decline_code": raw })).await;
        let order = acquirer.order(&format!("c{raw}"), DECLINED).await;
        let result = acquirer.cards().authorize(&order).await;
        assert_eq!(result, Ok(ChargeResult::Declined { code }), "{raw}");
    }
}

#[tokio::test]
async fn a_charge_that_the_antifraud_holds_is_processing_until_it_decides() {
    let acquirer = Acquirer::open().await;
    acquirer.bank.admin("/__settings", json!({ "pagarme_analyzes": true })).await;
    for (reference, by) in [("c1", "approved"), ("c2", "reproved")] {
        let order = acquirer.order(reference, GOOD).await;
        let held = acquirer.cards().authorize(&order).await;
        assert_eq!(held, Ok(ChargeResult::Processing));
        let charge = acquirer.charge_id(reference).await;
        let decide = json!({ "dialect": "pagarme", "charge": charge, "by": by });
        acquirer.bank.admin("/__pay", decide).await;
        let found =
            acquirer.cards().find(reference, AMOUNT).await.expect("answers").expect("is known");
        match by {
            "approved" => assert!(is_approved(&found), "{found:?}"),
            _ => assert_eq!(found, ChargeResult::Declined { code: DeclineCode::CardDeclined }),
        }
    }
}

#[tokio::test]
async fn a_charge_in_process_is_found_once_the_acquirer_has_decided() {
    let acquirer = Acquirer::open().await;
    let order = acquirer.order(REFERENCE, SLOW).await;
    assert_eq!(acquirer.cards().authorize(&order).await, Ok(ChargeResult::Processing));
    let charge = acquirer.charge_id(REFERENCE).await;
    acquirer.bank.admin("/__pay", json!({ "dialect": "pagarme", "charge": charge })).await;
    let found = acquirer.cards().find(REFERENCE, order.amount).await;
    assert!(is_approved(&found.expect("answers").expect("is known")));
}

#[tokio::test]
async fn a_charge_of_other_money_than_was_asked_for_is_never_approved() {
    let acquirer = Acquirer::open().await;
    for (reference, cents) in [("less", 9_999), ("more", 10_001)] {
        let order = acquirer.order(reference, SLOW).await;
        acquirer.cards().authorize(&order).await.expect("is in process");
        let charge = acquirer.charge_id(reference).await;
        let pay = json!({ "dialect": "pagarme", "charge": charge, "amount_cents": cents });
        acquirer.bank.admin("/__pay", pay).await;
        let found = acquirer.cards().find(reference, order.amount).await;
        let otherwise = ChargeResult::CapturedOtherwise { amount: Cents::new(cents) };
        assert_eq!(found, Ok(Some(otherwise)));
        // The report names the other amount, too.
        let page = acquirer.looked_into(&charge).await;
        let [Event::CardCharge { amount, .. }] = &*page.events else { panic!("{page:?}") };
        assert_eq!((amount.get(), page.unreadable.len()), (cents, 0), "{reference}");
    }
}

#[tokio::test]
async fn a_charge_whose_answer_is_lost_is_found_by_our_reference_and_made_once() {
    let acquirer = Acquirer::open().await;
    for (number, fault) in LOST.into_iter().enumerate() {
        let order = acquirer.order(&format!("{REFERENCE:.31}{number}"), GOOD).await;
        acquirer.bank.fault("order.create", json!({ "fault": fault, "times": 1 })).await;
        let result = acquirer.cards().authorize(&order).await.expect(fault);
        assert!(is_approved(&result), "{fault}: {result:?}");
        let known = acquirer.cards().find(&order.reference, order.amount).await;
        assert_eq!(known, Ok(Some(result)), "{fault}");
    }
    assert_eq!(acquirer.bank.state().await["orders"], 3);
}

#[tokio::test]
async fn a_charge_that_cannot_be_asked_about_is_unknown_and_later_found() {
    let acquirer = Acquirer::open().await;
    let order = acquirer.order(REFERENCE, GOOD).await;
    acquirer.bank.fault("order.create", json!({ "fault": "cut_after", "times": 1 })).await;
    let silent = json!({ "fault": "status", "status": 503, "times": 1 });
    acquirer.bank.fault("order.list", silent).await;
    let lost = acquirer.cards().authorize(&order).await;
    assert!(is_unknown(&lost), "{lost:?}");
    let found = acquirer.cards().find(REFERENCE, AMOUNT).await.expect("answers").expect("is known");
    assert!(is_approved(&found), "{found:?}");
}

#[tokio::test]
async fn what_is_known_of_a_request_that_was_not_processed() {
    let acquirer = Acquirer::open().await;
    let order = acquirer.order(REFERENCE, GOOD).await;
    let authorize_with = async |fault: Value| {
        acquirer.bank.fault("order.create", fault).await;
        acquirer.cards().authorize(&order).await
    };
    for fault in [
        json!({ "fault": "cut_before", "times": 1 }),
        json!({ "fault": "status", "status": 500, "times": 1 }),
        json!({ "fault": "status", "status": 503, "times": 1 }),
    ] {
        let answer = authorize_with(fault.clone()).await;
        assert!(is_unknown(&answer), "{fault}: {answer:?}");
    }
    for fault in ["proxy_html", "unauthorized"] {
        let answer = authorize_with(json!({ "fault": fault, "times": 1 })).await;
        assert!(matches!(answer, Err(ProviderError::Misconfigured(_))), "{fault}: {answer:?}");
    }
    let busy = authorize_with(json!({ "fault": "too_many", "retry_after": 3, "times": 1 })).await;
    assert!(matches!(busy, Err(ProviderError::NotSent { .. })), "{busy:?}");
    assert_eq!(acquirer.cards().find(REFERENCE, AMOUNT).await, Ok(None));
}

#[tokio::test]
async fn a_token_is_looked_at_and_is_unusable_once_it_is_used_or_expired() {
    let acquirer = Acquirer::open().await;
    let token = acquirer.token(GOOD).await;
    let details = acquirer.cards().inspect_token(&token).await.expect("answers");
    let details = details.expect("is good");
    assert_eq!((&*details.last4, details.exp_month, details.exp_year), ("0010", 12, 2030));
    let order = charge("c1", CardSource::Token(token.clone()));
    acquirer.cards().authorize(&order).await.expect("looking does not use it up");
    assert_eq!(acquirer.cards().inspect_token(&token).await, Ok(None));
    let again = acquirer.cards().authorize(&charge("c2", CardSource::Token(token))).await;
    assert_eq!(again, Err(ProviderError::UnusableToken));
    let late = acquirer.order("c3", GOOD).await;
    acquirer.bank.admin("/__clock", json!({ "advance_seconds": 60 })).await;
    assert_eq!(acquirer.cards().authorize(&late).await, Err(ProviderError::UnusableToken));
}

#[tokio::test]
async fn a_refund_is_made_once_for_each_reference() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    a_reference_is_one_card_refund(&*acquirer.cards(), &refund(3_000, 0)).await;
    a_reference_is_one_card_refund(&*acquirer.cards(), &refund(7_000, 3_000)).await;
    let charge = &acquirer.bank.state().await["charges"][0];
    assert_eq!(
        (&charge["status"], &charge["canceled_amount"]),
        (&json!("canceled"), &json!(10_000))
    );
    let sent = acquirer.requests("charge.cancel").await;
    let keys: Vec<_> = sent.iter().map(|it| it["headers"]["idempotency-key"].clone()).collect();
    assert_eq!(keys, [refund(3_000, 0).reference, refund(7_000, 3_000).reference]);
    let references = sent.iter().map(|it| it["body"]["operation_reference"].clone());
    assert_eq!(references.collect::<Vec<_>>(), keys);
    let found = acquirer.cards().find(REFERENCE, AMOUNT).await.expect("answers").expect("is known");
    assert!(is_approved(&found), "a refunded charge was approved: {found:?}");
}

#[tokio::test]
async fn the_total_of_a_charges_refunds_is_what_the_acquirer_has() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let total = async || acquirer.cards().refunded_total(REFERENCE).await;
    assert_eq!(total().await, Ok(Some(Cents::ZERO)));
    acquirer.cards().refund(&refund(3_000, 0)).await.expect("is made");
    assert_eq!(total().await, Ok(Some(Cents::new(3_000))));
    let elsewhere = acquirer.cards().refunded_total("other").await;
    assert!(matches!(elsewhere, Err(ProviderError::Misconfigured(_))), "{elsewhere:?}");
}

#[tokio::test]
async fn a_refusal_of_a_refund_that_is_tried_again_is_not_repeated_from_an_earlier_attempt() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    acquirer.bank.admin("/__settings", json!({ "pagarme_refund_cents_max": 0 })).await;
    let order = refund(1_000, 0);
    for _ in 0..2 {
        let refused = acquirer.cards().refund(&order).await;
        assert!(matches!(refused, Err(ProviderError::Misconfigured(_))), "{refused:?}");
        acquirer.bank.admin("/__settings", json!({ "pagarme_refund_cents_max": 10_000 })).await;
    }
    let again = CardRefundRequest { attempt: "another".to_owned(), ..order };
    let made = acquirer.cards().refund(&again).await.expect("is made");
    assert!(is_done(&made), "{made:?}");
}

#[tokio::test]
async fn a_refund_whose_answer_is_lost_is_seen_in_the_total_and_made_once() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    for (number, fault) in (0..).zip(LOST) {
        acquirer.bank.fault("charge.cancel", json!({ "fault": fault, "times": 1 })).await;
        let order = refund(1_000, number * 1_000);
        let state = acquirer.cards().refund(&order).await.expect(fault);
        assert!(is_done(&state), "{fault}: {state:?}");
        assert_eq!(acquirer.cards().refund(&order).await, Ok(state), "{fault}");
    }
    assert_eq!(acquirer.bank.state().await["charges"][0]["canceled_amount"], 3_000);
}

#[tokio::test]
async fn a_refund_that_did_not_arrive_is_unknown_to_the_acquirer_and_can_be_sent_again() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let order = refund(4_000, 0);
    acquirer.bank.fault("charge.cancel", json!({ "fault": "cut_before", "times": 1 })).await;
    let lost = acquirer.cards().refund(&order).await;
    assert!(is_unknown(&lost), "{lost:?}");
    assert_eq!(acquirer.cards().find_refund(&order).await, Ok(None));
    let made = acquirer.cards().refund(&order).await.expect("is made");
    assert!(is_done(&made), "{made:?}");
}

#[tokio::test]
async fn a_refund_is_refused_only_if_the_charge_cannot_be_refunded() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let much = acquirer.cards().refund(&refund(10_001, 0)).await;
    assert!(matches!(much, Err(ProviderError::Refused { .. })), "{much:?}");
    let unheard = CardRefundRequest { charge_reference: "other".to_owned(), ..refund(1_000, 0) };
    let elsewhere = acquirer.cards().refund(&unheard).await;
    assert!(matches!(elsewhere, Err(ProviderError::Misconfigured(_))), "{elsewhere:?}");
    let charge = acquirer.charge_id(REFERENCE).await;
    acquirer.bank.admin("/__chargeback", json!({ "charge": charge })).await;
    let order = CardRefundRequest { reference: "late".to_owned(), ..refund(2_000, 0) };
    let contested = acquirer.cards().refund(&order).await;
    assert!(matches!(contested, Err(ProviderError::Refused { .. })), "{contested:?}");
}

#[tokio::test]
async fn what_is_wrong_with_the_operators_account_refuses_no_refund_and_declines_no_card() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    // The acquirer repeats the answer 412 to its key, whatever is asked for.
    let impossible = refund(10_001, 0);
    let much = acquirer.cards().refund(&impossible).await;
    assert!(matches!(much, Err(ProviderError::Refused { .. })), "{much:?}");
    let possible = acquirer.cards().refund(&refund(1_000, 0)).await;
    assert!(matches!(possible, Err(ProviderError::Misconfigured(_))), "{possible:?}");
    let order = acquirer.order(&impossible.reference, GOOD).await;
    let charge = acquirer.cards().authorize(&order).await;
    assert!(matches!(charge, Err(ProviderError::Misconfigured(_))), "{charge:?}");
}

#[tokio::test]
async fn a_refund_in_the_acquirers_dashboard_is_never_taken_for_ours() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    acquirer.cards().refund(&refund(1_000, 0)).await.expect("is made");
    let unaware = CardRefundRequest { reference: "another".to_owned(), ..refund(2_000, 0) };
    let answer = acquirer.cards().refund(&unaware).await;
    assert!(is_unknown(&answer), "{answer:?}");
    assert_eq!(acquirer.bank.state().await["charges"][0]["canceled_amount"], 1_000);
}

#[tokio::test]
async fn a_card_is_stored_once_for_each_reference_and_charged_by_its_id() {
    let acquirer = Acquirer::open().await;
    let order = storing("s1", acquirer.token(GOOD).await);
    a_reference_is_one_stored_card(&*acquirer.cards(), &order).await;
    let card = kept(&acquirer, "s2").await;
    let typed = acquirer.cards().inspect_token(&acquirer.token(GOOD).await).await;
    assert_eq!(typed, Ok(Some(card.details.clone())), "a card is the same, typed or stored");
    let result = acquirer.cards().authorize(&charge("c1", CardSource::Stored(card.id))).await;
    assert!(is_approved(result.as_ref().expect("is charged")), "{result:?}");
    assert_eq!(acquirer.bank.state().await["cards"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_card_whose_answer_is_lost_is_found_among_its_customers_cards() {
    let acquirer = Acquirer::open().await;
    for fault in LOST {
        acquirer.bank.fault("card.create", json!({ "fault": fault, "times": 1 })).await;
        let card = kept(&acquirer, fault).await;
        let source = CardSource::Stored(card.id);
        let order = charge(&format!("of_{fault}"), source);
        let result = acquirer.cards().authorize(&order).await;
        assert!(is_approved(result.as_ref().expect(fault)), "{fault}: {result:?}");
    }
}

#[tokio::test]
async fn a_card_that_was_not_stored_is_not_taken_for_another_of_its_customer() {
    let acquirer = Acquirer::open().await;
    kept(&acquirer, "s1").await;
    acquirer.bank.fault("card.create", json!({ "fault": "cut_before", "times": 1 })).await;
    let other = storing("s2", acquirer.token(SLOW).await);
    let lost = acquirer.cards().store_card(&other).await;
    assert!(is_unknown(&lost), "{lost:?}");
    let fault = json!({ "fault": "cut_after", "times": 1 });
    acquirer.bank.fault("customer.create", fault).await;
    let unsent = acquirer.cards().store_card(&other).await;
    assert!(matches!(unsent, Err(ProviderError::NotSent { .. })), "{unsent:?}");
    let stored = acquirer.cards().store_card(&other).await.expect("is stored");
    let StoreOutcome::Stored(card) = stored else { panic!("{stored:?}") };
    assert_eq!(card.details.last4, "0036");
}

#[tokio::test]
async fn a_used_token_stores_no_card_and_an_unknown_card_is_charged_nothing() {
    let acquirer = Acquirer::open().await;
    let order = acquirer.charged("c1").await;
    let CardSource::Token(token) = order.source else { panic!("is a token") };
    let used = acquirer.cards().store_card(&storing("s1", token)).await;
    assert_eq!(used, Err(ProviderError::UnusableToken));
    for id in ["", "card_1", "cus_1/card_1", "../card_1"] {
        let source = CardSource::Stored(id.to_owned());
        let answer = acquirer.cards().authorize(&charge("c2", source)).await;
        assert!(matches!(answer, Err(ProviderError::Refused { .. })), "{id}: {answer:?}");
    }
    let card = kept(&acquirer, "s2").await;
    let (_, foreign) = card.id.split_once('/').expect("names a customer");
    let source = CardSource::Stored(format!("cus_other/{foreign}"));
    let answer = acquirer.cards().authorize(&charge("c3", source)).await;
    assert!(matches!(answer, Err(ProviderError::Refused { .. })), "{answer:?}");
}

#[tokio::test]
async fn a_buyer_without_a_document_or_a_phone_is_named_without_them() {
    let acquirer = Acquirer::open().await;
    let mut order = acquirer.order(REFERENCE, GOOD).await;
    order.buyer = CardBuyer { document: None, phone: None, address: None, ..buyer() };
    acquirer.cards().authorize(&order).await.expect("is charged");
    let sent = acquirer.requests("order.create").await;
    let named = json!({ "name": "Ana Souza", "email": "ana@example.com", "type": "individual" });
    assert_eq!(sent[0]["body"]["customer"], named);
}
