//! Which mails a person wants: at their page and in the API, and that no other mail is written.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, join, next, token};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{PASSWORD, Shop};
use crate::mail::standing;
use crate::members::person;
use crate::webhooks::{emit, subscribe};
use crate::withdrawals::{GOOD, process, withdraw};

const NOTICES: &str = "/account/notifications";
const PREFERENCES: &str = "/api/mail-preferences";
const HOUR: Duration = Duration::from_hours(1);

/// Switches a kind on or off.
async fn switch(owner: &Client, kind: &str, active: bool) {
    let change = json!({ "preferences": [{ "kind": kind, "active": active }] });
    owner.patch(PREFERENCES, change).await.expect(200);
}

/// What the API says of a kind.
async fn preference(client: &Client, kind: &str) -> Value {
    let all = client.list(PREFERENCES).await;
    all.into_iter().find(|one| one["kind"] == kind).expect("is listed")
}

/// Has a withdrawal of the shop paid.
async fn pay_out(test: &TestApp, shop: &Shop) {
    shop.earn(5_000).await;
    let paid = withdraw(shop, 4_000, GOOD).await;
    process(&test.admin().await, &paid, json!({})).await.expect(200);
    test.run_jobs().await;
}

#[story::test]
async fn an_optional_mail_is_switched_off_once_however_often_the_form_is_sent(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(NOTICES).await;
    assert!(page.says("<input id=\"withdrawal_completed\" name=\"withdrawal_completed\""));
    assert!(!page.says("name=\"withdrawal_failed\"") && page.says("Sempre: o dinheiro"));
    let mut fields: Vec<(String, String)> = [
        ("webhook_failing", "true"),
        ("webhook_recovered", "true"),
        ("late_money", "true"),
        ("attempt", page.hidden("attempt").expect("has an attempt")),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(NOTICES, &fields).await), NOTICES);
    }
    let entry = audit::only(&shop.owner, "mail_preferences.changed").await;
    assert_eq!(entry["details"]["changed"], "-withdrawal_completed");
    assert_eq!(preference(&shop.owner, "withdrawal_completed").await["active"], false);
    fields.push(("withdrawal_completed".to_owned(), "true".to_owned()));
    let used = Page::of(browser.post_typed(NOTICES, &fields).await, 422);
    assert!(used.says("role=\"alert\""), "{}", used.text);
    pay_out(test, &shop).await;
    assert!(standing(test).await.is_empty());
    switch(&shop.owner, "withdrawal_completed", true).await;
    pay_out(test, &shop).await;
    assert_eq!(standing(test).await, ["withdrawal_completed KEPT"]);
}

#[story::test]
async fn boxes_come_back_as_they_were_ticked_when_the_session_has_ended(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let boxes = |page: &Page| -> Vec<String> {
        let names = page.form().into_iter().map(|(name, _)| name);
        names.filter(|name| name != "attempt").collect()
    };
    let drawn = browser.page(NOTICES).await;
    let typed: Vec<_> = drawn
        .filled(&[("payment_received", "true")])
        .into_iter()
        .filter(|(name, _)| name != "withdrawal_completed")
        .collect();
    test.pass(HOUR / 2);
    let asked = Page::of(browser.post_typed(NOTICES, &typed).await, 403);
    let back = asked.hidden("next").expect("is a hidden field");
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", back)];
    let form = browser.land(browser.post("/sign-in", &fields).await).await;
    assert!(form.says("O formulário está como você o preencheu."), "{}", form.text);
    let ticked = boxes(&form);
    assert!(ticked.contains(&"payment_received".to_owned()), "{ticked:?}");
    assert!(!ticked.contains(&"withdrawal_completed".to_owned()), "{ticked:?}");
    assert_eq!(ticked.len(), boxes(&drawn).len());
    // Nothing was saved.
    assert_eq!(boxes(&browser.page(NOTICES).await), boxes(&drawn));
}

#[story::test]
async fn a_mail_that_is_always_written_has_its_reason_and_no_switch(shop: Shop) {
    for (kind, reason) in [
        ("password_reset", "asked_for"),
        ("password_changed", "sign_in"),
        ("new_device", "sign_in"),
        ("two_factor_enabled", "sign_in"),
        ("two_factor_disabled", "sign_in"),
        ("backup_codes_replaced", "sign_in"),
        ("two_factor_refused", "sign_in"),
        ("invitation", "asked_for"),
        ("withdrawal_failed", "money"),
        ("webhook_disabled", "stopped"),
        ("api_key_created", "money"),
    ] {
        let shown = preference(&shop.owner, kind).await;
        let stands = (&shown["optional"], &shown["active"], &shown["reason"]);
        assert_eq!(stands, (&json!(false), &json!(true), &json!(reason)), "{kind}");
        let change = json!({ "preferences": [{ "kind": kind, "active": false }] });
        let refused = shop.owner.patch(PREFERENCES, change).await;
        let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
        assert_eq!(fields, ["preferences[0].kind"], "{kind}");
    }
    let none = shop.owner.patch(PREFERENCES, json!({ "preferences": [] })).await;
    assert_eq!(none.expect_refusal(400, "VALIDATION_ERROR"), ["preferences"]);
    shop.key.get(PREFERENCES).await.expect_refusal(401, "UNAUTHORIZED");
    assert!(audit::entries(&shop.owner, "mail_preferences.changed").await.is_empty());
}

#[story::test]
async fn a_mail_about_a_key_is_said_to_protect_the_money(test: &TestApp, shop: Shop) {
    let page = Browser::signed_in(test, EMAIL).await.page(NOTICES).await;
    let said = ["protege o acesso ao seu dinheiro", "o dinheiro não foi para onde devia"];
    let counts = said.map(|why| page.text.matches(&format!("Sempre: {why}.")).count());
    assert_eq!(counts, [4, 1]);
    let listed = shop.owner.list(PREFERENCES).await;
    let about_money = listed.iter().filter(|one| one["reason"] == "money").count();
    assert_eq!(about_money, counts.iter().sum::<usize>());
}

#[story::test]
async fn only_who_opened_the_account_chooses_the_mails_about_it(test: &TestApp, shop: Shop) {
    join(test, &shop, "bia@example.com", "MANAGER").await;
    let bia = format!("/api/members/{}", person(&shop.owner, "bia@example.com").await);
    shop.owner.patch(&bia, json!({ "role": "OWNER" })).await.expect(200);
    let theirs = test.shop("Outra").await;
    let bia = token(test, "bia@example.com").await;
    let shown = preference(&bia, "withdrawal_completed").await;
    assert_eq!((&shown["optional"], &shown["recipient"]), (&json!(false), &json!("owner")));
    let change = json!({ "preferences": [{ "kind": "late_money", "active": false }] });
    let refused = bia.patch(PREFERENCES, change).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let browser = Browser::signed_in(test, "bia@example.com").await;
    let page = browser.page(NOTICES).await;
    assert!(page.says("Quem abriu a conta escolhe.") && !page.says("type=\"checkbox\""));
    switch(&shop.owner, "late_money", false).await;
    assert_eq!(preference(&theirs.owner, "late_money").await["active"], true);
}

#[story::test]
async fn a_payment_is_mailed_to_an_owner_who_asked_for_it_alone(test: &TestApp, shop: Shop) {
    assert_eq!(preference(&shop.owner, "payment_received").await["active"], false);
    shop.earn(1_000).await;
    assert!(standing(test).await.is_empty());
    switch(&shop.owner, "payment_received", true).await;
    shop.earn(2_000).await;
    assert_eq!(standing(test).await, ["payment_received KEPT"]);
    switch(&shop.owner, "payment_received", false).await;
    shop.earn(3_000).await;
    assert_eq!(standing(test).await, ["payment_received KEPT"]);
    let owner = shop.owner.with("x-dev-mode", "true");
    let mail = owner.list("/api/mails").await.remove(0);
    assert_eq!(mail["subject"], "Pagamento de R$\u{a0}20,00 recebido");
    let path = format!("/api/mails/{}", mail["id"].as_str().expect("is an id"));
    let kept = owner.get(&path).await.expect(200)["data"]["text"].clone();
    let kept = kept.as_str().expect("is kept");
    assert!(kept.contains("https://api.example.com/dashboard/dev/transactions/"), "{kept}");
    assert!(kept.contains("https://api.example.com/account/notifications"), "{kept}");
}

#[story::test]
async fn money_that_comes_after_its_payment_has_ended_is_mailed_once(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    assert!(standing(test).await.is_empty());
    let again = json!({ "outcome": "PAID", "paidAmountCents": 1_000 });
    shop.simulate(&charge, again.clone()).await;
    assert_eq!(standing(test).await, ["late_money KEPT"]);
    switch(&shop.owner, "late_money", false).await;
    shop.simulate(&charge, again).await;
    assert_eq!(standing(test).await, ["late_money KEPT"]);
}

#[story::test]
async fn a_webhook_that_fails_for_an_hour_is_mailed_once_and_so_is_its_recovery(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    assert!(standing(test).await.is_empty());
    test.pass(HOUR);
    // The first event is tried again beside the next one.
    receiver.answer(&[500, 500]);
    emit(test, &shop).await;
    assert_eq!(standing(test).await, ["webhook_failing KEPT"]);
    receiver.answer(&[500]);
    emit(test, &shop).await;
    assert_eq!(standing(test).await, ["webhook_failing KEPT"]);
    for _ in 0..2 {
        emit(test, &shop).await;
        let both = ["webhook_failing KEPT", "webhook_recovered KEPT"];
        assert_eq!(standing(test).await, both);
    }
}

#[story::test]
async fn a_webhook_whose_mails_are_switched_off_fails_in_silence(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    switch(&shop.owner, "webhook_failing", false).await;
    switch(&shop.owner, "webhook_recovered", false).await;
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    test.pass(HOUR);
    receiver.answer(&[500, 500]);
    emit(test, &shop).await;
    emit(test, &shop).await;
    assert!(standing(test).await.is_empty());
}
