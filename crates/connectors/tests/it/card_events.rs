//! What Pagar.me reports of cards, by notices and by lists, and what a connection with it needs.

use connectors::pagarme::Pagarme;
use http::HeaderMap;
use jiff::civil::date;
use ledger::cents::Cents;
use rails::card::{CardSource, ChargeResult, StoreOutcome};
use rails::connection::{ChargebackState, Event, Lack, Notice, Subject, Window};
use rails::error::ProviderError;
use rails::profile::{Environment, Profile};
use rails::settlement::SettlementKind;
use serde_json::json;

use crate::acquirer::{Acquirer, GOOD, Inbox, REFERENCE, charge, given, refund, storing};
use crate::harness::always;

/// What an event says, in few words.
fn said(event: &Event) -> (&'static str, &str, i64) {
    match event {
        Event::CardCharge { reference, result: ChargeResult::Approved { .. }, .. } => {
            ("approved", reference, 0)
        }
        Event::CardCharge { reference, .. } => ("not approved", reference, 0),
        Event::CardRefund { charge_reference, amount, .. } => {
            ("refunded", charge_reference, amount.get())
        }
        Event::Chargeback { charge_reference, amount, state, .. } => {
            (state.name(), charge_reference, amount.get())
        }
        Event::Settlement(part) => (part.kind.name(), "", part.amount.get()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_charge_is_read_by_its_notice_and_by_its_window() {
    let acquirer = Acquirer::open().await;
    let amount = acquirer.charged(REFERENCE).await.amount;
    let result = acquirer.cards().find(REFERENCE, amount).await;
    let result = result.expect("answers").expect("is known");
    let charge_id = acquirer.charge_id(REFERENCE).await;
    let page = acquirer.looked_into(&charge_id).await;
    let event = Event::CardCharge { reference: REFERENCE.to_owned(), charge_id, amount, result };
    assert_eq!(page.events, [event]);
    assert_eq!(acquirer.listed(Window::Cards).await, page.events);
    assert_eq!(acquirer.looked_into("ch_unknown").await.events, []);
}

#[tokio::test]
async fn a_window_of_many_charges_is_read_page_by_page() {
    let acquirer = Acquirer::open().await;
    let order = storing("s1", acquirer.token(GOOD).await);
    let stored = acquirer.cards().store_card(&order).await.expect("is stored");
    let StoreOutcome::Stored(card) = stored else { panic!("{stored:?}") };
    for number in 0..60 {
        let order = charge(&format!("c{number}"), CardSource::Stored(card.id.clone()));
        acquirer.cards().authorize(&order).await.expect("is charged");
    }
    let events = acquirer.listed(Window::Cards).await;
    let mut references: Vec<_> = events.iter().map(|event| said(event).1).collect();
    references.sort_unstable();
    references.dedup();
    assert_eq!((events.len(), references.len()), (60, 60));
}

#[tokio::test]
async fn a_refund_is_reported_with_all_that_was_refunded_so_far() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let charge_id = acquirer.charge_id(REFERENCE).await;
    for (order, total) in [(refund(3_000, 0), 3_000), (refund(7_000, 3_000), 10_000)] {
        acquirer.cards().refund(&order).await.expect("is made");
        let events = acquirer.looked_into(&charge_id).await.events;
        let reported: Vec<_> = events.iter().map(said).collect();
        assert_eq!(reported, [("approved", REFERENCE, 0), ("refunded", REFERENCE, total)]);
    }
}

#[tokio::test]
async fn a_chargeback_is_an_event_with_what_is_contested() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    acquirer.cards().refund(&refund(3_000, 0)).await.expect("is made");
    let charge_id = acquirer.charge_id(REFERENCE).await;
    acquirer.bank.admin("/__chargeback", json!({ "charge": charge_id })).await;
    let events = acquirer.looked_into(&charge_id).await.events;
    let [Event::CardCharge { .. }, Event::CardRefund { .. }, chargeback] = &*events else {
        panic!("{events:?}")
    };
    let Event::Chargeback { charge_reference, dispute_id, amount, state, .. } = chargeback else {
        panic!("{chargeback:?}")
    };
    assert_eq!((&**charge_reference, dispute_id), (REFERENCE, &charge_id));
    assert_eq!((*amount, *state), (Cents::new(7_000), ChargebackState::Open));
}

#[tokio::test]
async fn a_chargeback_of_a_part_is_about_what_was_taken_and_its_end_about_what_was_given_again() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let charge = acquirer.charge_id(REFERENCE).await;
    let part = json!({ "charge": charge, "amount_cents": 3_000 });
    acquirer.bank.admin("/__chargeback", part).await;
    let (approved, contested) = (("approved", REFERENCE, 0), ("open", REFERENCE, 3_000));
    let looked_into = acquirer.looked_into(&charge).await.events;
    assert_eq!(looked_into.iter().map(said).collect::<Vec<_>>(), [approved, contested]);
    let listed = acquirer.listed(Window::Cards).await;
    assert_eq!(listed.iter().map(said).collect::<Vec<_>>(), [approved, approved, contested]);
    let won = json!({ "charge": charge, "amount_cents": 1_000, "outcome": "won" });
    acquirer.bank.admin("/__chargeback", won).await;
    let events = acquirer.listed(Window::Payables).await;
    let of_charge = |event: &&Event| !matches!(event, Event::Settlement(_));
    let reported: Vec<_> = events.iter().filter(of_charge).map(said).collect();
    assert_eq!(reported, [("approved", REFERENCE, 0), ("won", REFERENCE, 1_000)]);
}

#[tokio::test]
async fn parts_without_an_end_are_not_added_up() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let charge = acquirer.charge_id(REFERENCE).await;
    acquirer.bank.admin("/__chargeback", json!({ "charge": charge })).await;
    acquirer.bank.admin("/__settings", json!({ "pagarme_payables": "looping" })).await;
    let notice = Notice { subject: Subject::CardCharge, id: charge };
    let answer = acquirer.connection().look_into(&notice).await;
    assert!(matches!(answer, Err(ProviderError::Unknown(_))), "{answer:?}");
    assert_eq!(acquirer.requests("payables").await.len(), 10);
}

#[tokio::test]
async fn a_chargeback_whose_notices_are_lost_is_read_with_the_payables_until_it_is_won() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    let charge = acquirer.charge_id(REFERENCE).await;
    acquirer.bank.admin("/__chargeback", json!({ "charge": charge })).await;
    let events = acquirer.listed(Window::Payables).await;
    let of_charge = |event: &&Event| !matches!(event, Event::Settlement(_));
    let reported: Vec<_> = events.iter().filter(of_charge).map(said).collect();
    assert_eq!(reported, [("approved", REFERENCE, 0), ("open", REFERENCE, 10_000)]);
    acquirer.bank.admin("/__chargeback", json!({ "charge": charge, "outcome": "won" })).await;
    let events = acquirer.listed(Window::Payables).await;
    let reported: Vec<_> = events.iter().filter(of_charge).map(said).collect();
    assert_eq!(reported, [("approved", REFERENCE, 0), ("won", REFERENCE, 10_000)]);
}

#[tokio::test]
async fn what_the_acquirer_owes_is_read_part_by_part() {
    let acquirer = Acquirer::open().await;
    acquirer.charged(REFERENCE).await;
    acquirer.cards().refund(&refund(3_000, 0)).await.expect("is made");
    let charge_id = acquirer.charge_id(REFERENCE).await;
    let events = acquirer.listed(Window::Payables).await;
    let parts: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Settlement(part) => Some(part),
            _ => None,
        })
        .collect();
    let shown = parts.iter().map(|it| (it.kind, it.amount.get(), it.fee.get(), it.due_on));
    let credit = SettlementKind::Credit;
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            (credit, 3_334, 118, date(2026, 12, 23)),
            (credit, 3_333, 116, date(2027, 1, 22)),
            (credit, 3_333, 116, date(2027, 2, 21)),
            (SettlementKind::Refund, -3_000, 0, date(2026, 11, 23)),
        ]
    );
    assert!(parts.iter().all(|part| part.charge_id.as_ref() == Some(&charge_id)));
    assert_eq!(parts[1].installment, Some(2));
    assert!(parts[3].is_paid && !parts[0].is_paid);
}

#[tokio::test]
async fn a_notice_names_its_charge_signed_or_not_and_a_forged_one_is_refused() {
    let acquirer = Acquirer::open().await;
    let inbox = Inbox::of(&acquirer, "good").await;
    acquirer.charged(REFERENCE).await;
    let (signed, body) = inbox.next().await;
    let id = acquirer.charge_id(REFERENCE).await;
    let named = Ok(vec![Notice { subject: Subject::CardCharge, id: id.clone() }]);
    let read = |headers: &HeaderMap, body: &[u8]| acquirer.connection().read_notices(headers, body);
    // Before the keys are known, a signature proves as much as none.
    assert_eq!(read(&signed, &body), named);
    acquirer.looked_into(&id).await;
    assert_eq!(read(&signed, &body), named);
    assert_eq!(read(&HeaderMap::new(), &body), named);
    let other = [&*body, b" "].concat();
    assert_eq!(read(&signed, &other), Err(ProviderError::NotAuthentic));
    for header in ["", "alg=none; kid=fakepsp-1; signature=", "alg=RS256; kid=fakepsp-1"] {
        let name = "x-webhook-asymmetric-signature";
        let forged = [(name.parse().expect("is a name"), header.parse().expect("is a value"))];
        let answer = read(&HeaderMap::from_iter(forged), &body);
        assert_eq!(answer, Err(ProviderError::NotAuthentic), "{header}");
    }
}

#[tokio::test]
async fn a_notice_that_another_key_signed_is_refused() {
    let acquirer = Acquirer::open().await;
    acquirer.connection().check().await.expect("answers");
    let inbox = Inbox::of(&acquirer, "wrong").await;
    acquirer.charged(REFERENCE).await;
    let (forged, body) = inbox.next().await;
    let answer = acquirer.connection().read_notices(&forged, &body);
    assert_eq!(answer, Err(ProviderError::NotAuthentic));
}

#[tokio::test]
async fn the_keys_of_notices_are_fetched_once_until_one_is_missing() {
    let acquirer = Acquirer::open().await;
    for _ in 0..3 {
        acquirer.looked_into("ch_unknown").await;
    }
    let name = "x-webhook-asymmetric-signature";
    let header = "alg=RS256; kid=other; signature=AAAA";
    let headers = [(name.parse().expect("is a name"), header.parse().expect("is a value"))];
    let body = br#"{"id":"hook_1","type":"charge.paid","data":{"id":"ch_1"}}"#;
    let hint = acquirer.connection().read_notices(&HeaderMap::from_iter(headers), body);
    assert_eq!(hint.map(|notices| notices.len()), Ok(1));
    acquirer.looked_into("ch_unknown").await;
    let path = "/__log?operation=*";
    let log = acquirer.bank.fake.admin("GET", path, &serde_json::Value::Null).await;
    let log = log.expect("answers").1.to_string();
    assert_eq!(log.matches("jwks.json").count(), 2);
}

#[tokio::test]
async fn a_check_tries_both_keys() {
    let acquirer = Acquirer::open().await;
    let door = "https://pay.example.com/providers/0a1b";
    let fault = json!({ "fault": "unauthorized", "times": 1 });
    acquirer.bank.fault("token.get", fault.clone()).await;
    let health = acquirer.connection().check().await.expect("answers");
    assert_eq!((health.missing, health.notices_to), (vec![Lack::PublicKey], None));
    acquirer.connection().register(door).await.expect("there is nothing to do");
    acquirer.bank.fault("hook.list", fault).await;
    let refused = acquirer.connection().check().await;
    assert!(matches!(refused, Err(ProviderError::Misconfigured(_))), "{refused:?}");
}

#[tokio::test]
async fn a_check_shows_where_the_last_notice_was_sent() {
    let acquirer = Acquirer::open().await;
    let inbox = Inbox::of(&acquirer, "none").await;
    acquirer.charged(REFERENCE).await;
    inbox.next().await;
    let seen = acquirer.connection().check().await.expect("answers").notices_to;
    let seen = seen.expect("is shown");
    let mut entered = given(&acquirer.bank.fake);
    entered.door.clone_from(&seen);
    let connected = Pagarme.connect(&entered).expect("can be made");
    let health = connected.connection.check().await.expect("answers");
    assert_eq!((health.missing, health.notices_to), (Vec::new(), Some(seen)));
}

#[tokio::test]
async fn a_secret_key_that_is_not_accepted_is_a_matter_of_the_operators() {
    let acquirer = Acquirer::open().await;
    let mut entered = given(&acquirer.bank.fake);
    entered.values.insert("secret_key".to_owned(), "sk_wrong".to_owned());
    let cards = Pagarme.connect(&entered).expect("can be made").card.expect("serves cards");
    let refused = cards.authorize(&acquirer.order(REFERENCE, GOOD).await).await;
    assert!(matches!(refused, Err(ProviderError::Misconfigured(_))), "{refused:?}");
    assert_eq!(acquirer.bank.state().await["orders"], 0);
}

#[tokio::test]
async fn a_key_in_the_wrong_field_or_of_the_other_environment_is_refused_by_its_name() {
    let acquirer = Acquirer::open().await;
    let (production, sandbox) = (Environment::Production, Environment::Sandbox);
    let table = [
        (production, "secret_key", ""),
        (production, "secret_key", "pk_1"),
        (production, "public_key", "sk_1"),
        (production, "public_key", "pk_1&x=y"),
        (production, "secret_key", "sk_test_1"),
        (production, "public_key", "pk_test_1"),
        (sandbox, "secret_key", "sk_1"),
        (production, "address", "http://api.example.com"),
        (production, "notice_keys_address", "localhost"),
        (production, "authority", "no PEM"),
    ];
    for (environment, field, value) in table {
        let mut entered = given(&acquirer.bank.fake);
        entered.environment = environment;
        entered.values.insert(field.to_owned(), value.to_owned());
        let refused = Pagarme.connect(&entered).err().expect("is refused");
        assert_eq!(refused.field, field, "{value}: {refused}");
    }
}

#[tokio::test]
async fn cards_are_typed_at_the_acquirers_own_address_with_the_public_key_alone() {
    let acquirer = Acquirer::open().await;
    let tokenizer = acquirer.cards().tokenizer();
    assert!(tokenizer.api.ends_with("/core/v5/tokens?appId=pk_1"), "{}", tokenizer.api);
    assert_eq!(tokenizer.form, None);
    let token = acquirer.token(GOOD).await;
    acquirer.cards().inspect_token(&token).await.expect("answers").expect("is good");
    for request in acquirer.requests("token.*").await {
        assert_eq!(request["headers"]["authorization"], json!(null));
    }
}

#[tokio::test]
async fn a_page_of_many_contested_charges_is_one_call_and_as_many_questions() {
    let acquirer = Acquirer::open().await;
    for number in 0..20 {
        let reference = format!("c{number}");
        acquirer.charged(&reference).await;
        let charge = acquirer.charge_id(&reference).await;
        acquirer.bank.admin("/__chargeback", json!({ "charge": charge })).await;
    }
    let (from, to) = always();
    for (window, operation) in [(Window::Payables, "payables"), (Window::Cards, "order.list")] {
        let calls = async || {
            let [first, second] = ["payables", "charge.get"];
            acquirer.requests(first).await.len() + acquirer.requests(second).await.len()
        };
        let (before, listed) = (calls().await, acquirer.requests(operation).await.len());
        let page = acquirer.connection().read_window(window, from, to, None).await;
        let questions = page.expect("answers").questions;
        let is_of_payables = usize::from(operation == "payables");
        assert_eq!(calls().await, before + is_of_payables, "{operation}");
        assert_eq!(acquirer.requests(operation).await.len(), listed + 1, "{operation}");
        assert_eq!(questions.len(), 20);
        assert!(questions.iter().all(|asked| asked.subject == Subject::ContestedCharge));
    }
}
