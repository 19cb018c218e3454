//! The simulated bank and acquirer, as our own adapters and a buyer's page meet them.

mod boletos;
mod cards;
mod refunds;
mod tokens;

use rails::card::CardBuyer;
use sandbox::test_cards::{Scenario, TEST_CARDS, TestCard};
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, merged};

pub const DOOR: &str = "/sandbox/card-tokens";

/// A buyer of whom little is known.
pub fn card_buyer() -> CardBuyer {
    CardBuyer {
        name: "FULANO DE TAL".to_owned(),
        email: "fulano@example.com".to_owned(),
        document: None,
        phone: None,
        address: None,
    }
}

/// The first published card that does this.
pub fn card_that(scenario: Scenario) -> &'static TestCard {
    let found = TEST_CARDS.iter().find(|card| card.scenario == scenario);
    found.expect("some card does")
}

/// A card as a buyer types it, with other fields where a test wants them.
pub fn typed(card: &TestCard, more: &Value) -> Value {
    let cvv = "123456"[..card.brand.cvv_length()].to_owned();
    let body = json!({
        "number": card.number, "expMonth": 12, "expYear": 2030, "cvv": cvv,
        "holderName": "FULANO DE TAL",
    });
    merged(body, more)
}

/// A token for a card.
pub async fn token(buyer: &Client, card: &TestCard) -> String {
    let made = buyer.post(DOOR, typed(card, &json!({}))).await.expect(201);
    made["cardToken"].as_str().expect("is text").to_owned()
}

/// A token for the first card that does this.
pub async fn token_that(test: &TestApp, scenario: Scenario) -> String {
    token(&test.anyone(), card_that(scenario)).await
}

/// What pays by a card that does this.
pub async fn card_sale(test: &TestApp, cents: i64, scenario: Scenario) -> Value {
    let token = token_that(test, scenario).await;
    json!({ "amountCents": cents, "method": "CREDIT_CARD", "cardToken": token })
}

/// Sells by a card that does this, in so many installments; answers the payment.
pub async fn sell_by_card(
    test: &TestApp,
    shop: &Shop,
    scenario: Scenario,
    cents: i64,
    installments: i64,
) -> Value {
    let sale = card_sale(test, cents, scenario).await;
    shop.charge_with(merged(sale, &json!({ "installments": installments }))).await
}
