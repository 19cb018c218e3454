//! Cards: charged once, declined, stored, refunded, and listed.

use std::sync::Arc;

use brazil::document::Document;
use http::HeaderMap;
use ledger::cents::Cents;
use rails::card::{
    CardBuyer, CardChargeRequest, CardItem, CardRefundRequest, CardSource, ChargeResult,
    DeclineCode, StoreCardRequest, StoreOutcome,
};
use rails::conformance;
use rails::connection::{Event, Window};
use serde::Deserialize;
use serde_json::{Value, json};
use upstream::call::Call;

use crate::bank::Bank;
use crate::boletos::address;

/// Approves every charge.
const GOOD: &str = "4000000000000010";
/// Declines every charge, by default because there is no money.
const DECLINED: &str = "4000000000000028";
const CENTS: i64 = 10_000;

#[derive(Deserialize)]
struct Token {
    id: String,
}

/// Sends a card from a browser to the place that the connection names.
async fn token(bank: &Bank, number: &str) -> String {
    let api = bank.cards().tokenizer().api;
    let (origin, path) = api.split_at(api.find("/core").expect("is a path of the API"));
    let card = json!({
        "number": number, "holder_name": "Ana Souza", "exp_month": 12, "exp_year": 2040,
        "cvv": "123",
    });
    let call = Call::post("tokenize", path).json(&json!({ "type": "card", "card": card }));
    let answer = bank.browser(origin).call(call).await.result.expect("answers");
    answer.json::<Token>().expect("is a token").id
}

fn buyer() -> CardBuyer {
    CardBuyer {
        name: "Ana Souza".to_owned(),
        email: "ana@example.com".to_owned(),
        document: Some(Document::parse("529.982.247-25").expect("is a document")),
        phone: Some("+5511987654321".to_owned()),
        address: Some(address()),
    }
}

fn charge(bank: &Bank, source: CardSource) -> CardChargeRequest {
    CardChargeRequest {
        reference: bank.reference(),
        source,
        amount: Cents::new(CENTS),
        installments: 3,
        statement: "Loja".to_owned(),
        buyer: buyer(),
        items: vec![CardItem {
            description: "Curso".to_owned(),
            amount: Cents::new(CENTS),
            quantity: 1,
        }],
        ip: Some([203, 0, 113, 7].into()),
        authentication: None,
    }
}

async fn typed(bank: &Bank, number: &str) -> CardChargeRequest {
    charge(bank, CardSource::Token(token(bank, number).await))
}

/// The acquirer's charges of a reference.
async fn charges(bank: &Bank, reference: &str) -> Vec<Value> {
    let state = bank.state().await;
    let charges = state["pagarme"]["charges"].as_array().expect("is a list").iter();
    charges.filter(|charge| charge["code"] == reference).cloned().collect()
}

pub async fn a_reference_is_one_charge(bank: Arc<Bank>) {
    let order = typed(&bank, GOOD).await;
    let CardSource::Token(token) = &order.source else { panic!("is typed") };
    let details = bank.cards().inspect_token(token).await.expect("answers").expect("is good");
    assert_eq!(details.last4, "0010");
    conformance::a_reference_is_one_card_charge(&*bank.cards(), &order).await;
    assert_eq!(charges(&bank, &order.reference).await.len(), 1);
}

/// The acquirer's status is 200 for a declined card, too.
pub async fn a_declined_card_is_declined(bank: Arc<Bank>) {
    let order = typed(&bank, DECLINED).await;
    let result = bank.cards().authorize(&order).await;
    assert_eq!(result, Ok(ChargeResult::Declined { code: DeclineCode::InsufficientFunds }));
}

pub async fn a_card_is_stored_and_charged(bank: Arc<Bank>) {
    let token = token(&bank, GOOD).await;
    let order = StoreCardRequest { reference: bank.reference(), token, buyer: buyer() };
    let stored = bank.cards().store_card(&order).await.expect("is stored");
    let StoreOutcome::Stored(card) = stored else { panic!("{stored:?}") };
    conformance::a_reference_is_one_stored_card(&*bank.cards(), &order).await;
    let lost = StoreCardRequest { token: self::token(&bank, GOOD).await, ..order };
    bank.fault("pagarme.card.create", "cut_after").await;
    let found = bank.cards().store_card(&lost).await.expect("is looked up");
    assert!(matches!(found, StoreOutcome::Stored(_)), "{found:?}");
    let order = charge(&bank, CardSource::Stored(card.id));
    let result = bank.cards().authorize(&order).await;
    assert!(matches!(result, Ok(ChargeResult::Approved { .. })), "{result:?}");
}

pub async fn a_reference_is_one_refund(bank: Arc<Bank>) {
    let order = typed(&bank, GOOD).await;
    bank.cards().authorize(&order).await.expect("is charged");
    let reference = bank.reference();
    let refund = CardRefundRequest {
        attempt: reference.clone(),
        reference,
        charge_reference: order.reference.clone(),
        amount: Cents::new(3_000),
        refunded_before: Cents::new(0),
    };
    conformance::a_reference_is_one_card_refund(&*bank.cards(), &refund).await;
    let [charge] = &*charges(&bank, &order.reference).await else { panic!("is charged once") };
    assert_eq!(charge["canceled_amount"], 3_000);
}

pub async fn a_notice_and_the_lists_agree(bank: Arc<Bank>) {
    let order = typed(&bank, GOOD).await;
    bank.cards().authorize(&order).await.expect("is charged");
    let [charge] = &*charges(&bank, &order.reference).await else { panic!("is charged once") };
    let message = json!({
        "id": "hook_1", "type": "charge.paid", "data": { "id": charge["id"], "amount": 999_900 },
    });
    let message = message.to_string();
    let notices = bank.connection().read_notices(&HeaderMap::new(), message.as_bytes());
    let [notice] = &*notices.expect("is a message") else { panic!("names the charge") };
    let page = bank.connection().look_into(notice).await.expect("answers");
    let [Event::CardCharge { reference, .. }] = &*page.events else { panic!("{page:?}") };
    assert_eq!(*reference, order.reference);
    assert!(bank.listed(Window::Cards).await.contains(&page.events[0]));
    let is_part = |event: &Event| match event {
        Event::Settlement(part) => part.charge_id.as_deref() == charge["id"].as_str(),
        _ => false,
    };
    let parts = bank.listed(Window::Payables).await.into_iter().filter(is_part).count();
    assert_eq!(parts, 3, "an order of three installments is owed in three parts");
}
