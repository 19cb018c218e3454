//! The door where a typed card becomes a token.

use std::time::Duration;

use db::database::Dialect;
use sandbox::test_cards::{Scenario, TEST_CARDS, TestCard};
use serde_json::{Value, json};
use tostao::platform::ids::Mode;

use super::{DOOR, card_that, token, token_that, typed};
use crate::harness::engine::Engine;
use crate::harness::{TestApp, logs, rate_limited};

/// Everything the database holds, as far as text can be looked for in it.
async fn everything(test: &TestApp) -> String {
    let engine = Engine::open(test).await;
    match engine.dialect() {
        Dialect::Sqlite => {
            let path = test.app.settings.storage.sqlite_path().expect("is a file");
            let log = format!("{}-wal", path.display());
            let files = [std::fs::read(path).expect("is read"), std::fs::read(log).expect("too")];
            String::from_utf8_lossy(&files.concat()).into_owned()
        }
        Dialect::Postgres => {
            let tables = "select quote_ident(table_name) from information_schema.tables
                           where table_schema = 'public'";
            let mut found = String::new();
            for table in engine.rows(tables).await {
                let rows = format!("select cast(t as text) from {} t", table[0]);
                found.extend(engine.rows(&rows).await.into_iter().flatten());
            }
            found
        }
    }
}

/// A number that passes the check of card numbers, and stands in no table of test cards.
fn unpublished() -> String {
    let mut numbers = (0..10).map(|check| format!("4{}{check}", "3".repeat(14)));
    numbers.find(|number| brazil::luhn::is_card_number(number)).expect("one of ten passes")
}

#[story::test]
async fn every_published_card_gets_a_token_and_no_two_are_alike(test: &TestApp) {
    let mut tokens = std::collections::HashSet::new();
    for card in TEST_CARDS {
        let made = test.anyone().post(DOOR, typed(card, &json!({}))).await.expect(201);
        assert_eq!(made["brand"], card.brand.name());
        assert_eq!(made["last4"], card.last4());
        assert!(tokens.insert(made["cardToken"].to_string()));
    }
}

#[story::test]
async fn a_number_may_be_typed_in_groups(test: &TestApp) {
    let card = card_that(Scenario::Approves);
    let grouped: Vec<&str> = (0..4).map(|group| &card.number[group * 4..][..4]).collect();
    let body = typed(card, &json!({ "number": grouped.join(" ") }));
    assert_eq!(test.anyone().post(DOOR, body).await.expect(201)["last4"], card.last4());
}

#[story::test]
async fn a_card_that_cannot_be_used_is_refused_field_by_field(test: &TestApp) {
    let visa = card_that(Scenario::Approves);
    let is_amex = |card: &&TestCard| card.brand.cvv_length() == 4;
    let amex = TEST_CARDS.iter().find(is_amex).expect("there is one");
    let real = unpublished();
    let rows: &[(&TestCard, Value, &[&str])] = &[
        (visa, json!({ "number": real }), &["number"]),
        (visa, json!({ "number": "4242424242424241" }), &["number"]),
        (visa, json!({ "number": "4242" }), &["number"]),
        (visa, json!({ "number": "" }), &["number"]),
        (visa, json!({ "number": "cartão" }), &["number"]),
        (visa, json!({ "number": 42 }), &["number"]),
        (visa, json!({ "expMonth": 0 }), &["expMonth"]),
        (visa, json!({ "expMonth": 13 }), &["expMonth"]),
        (visa, json!({ "expYear": 30 }), &["expYear"]),
        (visa, json!({ "expYear": 2025 }), &["expYear"]),
        (visa, json!({ "expYear": 2077 }), &["expYear"]),
        (visa, json!({ "expYear": 2026, "expMonth": 10 }), &["expYear"]),
        (visa, json!({ "cvv": "12" }), &["cvv"]),
        (visa, json!({ "cvv": "1234" }), &["cvv"]),
        (visa, json!({ "cvv": "12a" }), &["cvv"]),
        (amex, json!({ "cvv": "123" }), &["cvv"]),
        (visa, json!({ "holderName": " " }), &["holderName"]),
        (visa, json!({ "number": "", "cvv": "" }), &["number", "cvv"]),
    ];
    for (card, change, fields) in rows {
        let refused = test.anyone().post(DOOR, typed(card, change)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), *fields, "{change}");
        for secret in [card.number, real.as_str()] {
            assert!(!refused.text.contains(secret), "{}", refused.text);
        }
    }
    let missing = test.anyone().post(DOOR, json!({})).await;
    assert_eq!(missing.expect_refusal(400, "VALIDATION_ERROR"), ["number"]);
    let good = json!({ "expYear": 2026, "expMonth": 11 });
    test.anyone().post(DOOR, typed(visa, &good)).await.expect(201);
}

#[story::test]
async fn the_reader_of_a_refused_number_learns_which_numbers_are_taken(test: &TestApp) {
    let real = unpublished();
    let visa = card_that(Scenario::Approves);
    let refused = test.anyone().post(DOOR, typed(visa, &json!({ "number": real }))).await;
    let error = &refused.expect(400)["errors"][0];
    assert_eq!(error["code"], "NOT_A_TEST_CARD");
    assert!(error["message"].as_str().expect("is text").contains("published test number"));
}

#[story::test]
async fn neither_the_database_nor_the_log_ever_holds_a_number_a_security_code_or_a_token(
    test: &TestApp,
) {
    let card = card_that(Scenario::Approves);
    logs::watch(&[DOOR, card.number, "tok_sandbox_", "FULANO DE TAL", "\"739\""]);
    let code = json!({ "cvv": "739" });
    let made = test.anyone().post(DOOR, typed(card, &code)).await.expect(201);
    let token = made["cardToken"].as_str().expect("is text");
    let wrong = json!({ "cvv": "739", "expMonth": 13 });
    test.anyone().post(DOOR, typed(card, &wrong)).await.expect(400);
    let acquirer = test.app.providers.card(Mode::Development).expect("is there");
    acquirer.inspect_token(token).await.expect("answers").expect("is known");
    let stored = everything(test).await;
    assert!(stored.contains("approves"), "the search finds what is stored");
    assert!(!logs::lines_with(DOOR).is_empty(), "the search finds what is logged");
    for secret in [card.number, token, "FULANO DE TAL"] {
        assert!(!stored.contains(secret), "{secret} is stored");
        assert_eq!(logs::lines_with(secret), [] as [&str; 0]);
    }
    assert_eq!(logs::lines_with("\"739\""), [] as [&str; 0]);
}

#[story::test]
async fn the_same_card_has_the_same_fingerprint_for_every_buyer(test: &TestApp) {
    let acquirer = test.app.providers.card(Mode::Development).expect("is there");
    let print = async |card: &TestCard| {
        let token = token(&test.anyone(), card).await;
        acquirer.inspect_token(&token).await.expect("answers").expect("is known").fingerprint
    };
    let [first, second, ..] = TEST_CARDS else { panic!("there are two") };
    assert_eq!(print(first).await, print(first).await);
    assert_ne!(print(first).await, print(second).await);
}

#[story::test]
async fn a_token_is_good_for_fifteen_minutes(test: &TestApp) {
    let acquirer = test.app.providers.card(Mode::Development).expect("is there");
    let token = token_that(test, Scenario::Approves).await;
    test.pass(Duration::from_secs(15 * 60 - 1));
    let details = acquirer.inspect_token(&token).await.expect("answers").expect("is good");
    assert_eq!((details.last4.as_str(), details.exp_month, details.exp_year), ("4242", 12, 2030));
    test.pass(Duration::from_secs(1));
    assert_eq!(acquirer.inspect_token(&token).await.expect("answers"), None);
    assert_eq!(acquirer.inspect_token("tok_sandbox_unknown").await.expect("answers"), None);
}

#[story::test]
async fn housekeeping_deletes_expired_tokens(test: &TestApp) {
    token_that(test, Scenario::Approves).await;
    assert_eq!(tostao::housekeeping::run(&test.app).await.expect("runs"), 0);
    test.pass(Duration::from_secs(15 * 60));
    assert_eq!(tostao::housekeeping::run(&test.app).await.expect("runs"), 1);
}

#[story::test(rate_limited)]
async fn the_door_takes_a_hundred_and_twenty_cards_a_minute_from_one_address(test: &TestApp) {
    let body = typed(card_that(Scenario::Approves), &json!({}));
    for _ in 0..120 {
        test.anyone().post(DOOR, body.clone()).await.expect(201);
    }
    test.anyone().post(DOOR, body).await.expect_refusal(429, "RATE_LIMITED");
}
