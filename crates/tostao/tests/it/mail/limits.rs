//! How many mails a mailbox gets in a day, from all accounts and callers together.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::housekeeping;

use super::{NEW_PASSWORD, confirm, forget, invite, reset_token, standing};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::smtp::story_with_mail;

const LOJA: &str = "loja@example.com";
const DAY: Duration = Duration::from_hours(24);
const MOMENT: Duration = Duration::from_millis(1);

async fn try_invite(shop: &Shop, email: &str) -> Reply {
    let wanted = json!({ "email": email, "role": "VIEWER" });
    shop.owner.post("/api/invitations", wanted).await
}

/// Asks for a new password so many times, each time once the link before is not left alone.
async fn ask_every_ten_minutes(test: &TestApp, times: usize) {
    for _ in 0..times {
        forget(test, LOJA).await;
        test.pass(Duration::from_mins(10));
    }
}

/// Sets the password so many times, each of which its person gets a mail about.
async fn change_password(shop: &Shop, from: &str, times: usize) {
    let mut passwords = [from, "another horse battery"].into_iter().cycle();
    let mut current = passwords.next();
    for _ in 0..times {
        let next = passwords.next();
        let change = json!({ "currentPassword": current, "newPassword": next });
        shop.owner.post("/api/auth/password", change).await.expect(200);
        current = next;
    }
}

#[story::test]
async fn a_mailbox_gets_ten_invitations_a_day_from_all_accounts_and_by_all_its_spellings(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    for number in 0..10 {
        let by = if number % 2 == 0 { &shop } else { &other };
        invite(&by.owner, &format!("Bia+{number}@example.com")).await;
    }
    for by in [&shop, &other] {
        let refused = try_invite(by, "bia@example.com").await;
        refused.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(refused.header("retry-after"), Some("86400"));
    }
    // Nothing of the refused ones is left, and other mailboxes get theirs.
    assert_eq!(shop.owner.list("/api/invitations").await.len(), 5);
    invite(&shop.owner, "ana@example.com").await;
    test.pass(DAY.saturating_sub(MOMENT));
    let shop = test.shop_again("Loja").await;
    try_invite(&shop, "bia@example.com").await.expect_refusal(429, "RATE_LIMITED");
    test.pass(MOMENT);
    invite(&shop.owner, "bia@example.com").await;
}

#[story::test]
async fn a_mail_that_is_taken_back_before_it_leaves_does_not_count(shop: Shop) {
    // Each invitation ends the one before.
    for _ in 0..15 {
        invite(&shop.owner, "bia@example.com").await;
    }
}

#[test]
fn a_mail_that_has_left_counts_although_its_invitation_was_replaced() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        for _ in 0..10 {
            invite(&shop.owner, "bia@example.com").await;
            test.run_jobs().await;
        }
        try_invite(&shop, "bia@example.com").await.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(server.take().len(), 10);
    });
}

#[story::test]
async fn counts_of_mails_are_deleted_after_their_day_and_hold_no_address(
    test: &TestApp,
    shop: Shop,
) {
    invite(&shop.owner, "bia@example.com").await;
    let counts = async || {
        let sql = "select share || ' ' || cast(mails as text) from mail_recipients";
        Engine::open(test).await.rows(sql).await
    };
    assert_eq!(counts().await, [["invitations 1"]]);
    test.pass(DAY);
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert!(counts().await.is_empty());
}

#[test]
fn links_that_strangers_ask_for_use_up_nothing_of_a_persons_own_mails() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        ask_every_ten_minutes(test, 21).await;
        let shop = test.shop_again("Loja").await;
        let mut links = server.take();
        assert_eq!(links.len(), 20);
        // The last link that was sent still works, until the password is changed.
        let token = reset_token(&links.pop().expect("is one"));
        change_password(&shop, PASSWORD, 1).await;
        test.run_jobs().await;
        assert_eq!(server.take_one().header("Subject"), "Sua senha foi trocada");
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
    });
}

#[test]
fn a_link_stays_open_when_no_other_one_may_be_sent() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        ask_every_ten_minutes(test, 21).await;
        let token = reset_token(&server.take().pop().expect("is one"));
        confirm(test, &token).await.expect(200);
    });
}

#[test]
fn an_address_that_is_not_proved_gets_twenty_notices_a_day_and_a_proved_one_gets_more() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        change_password(&shop, PASSWORD, 22).await;
        test.run_jobs().await;
        assert_eq!(server.take().len(), 20);
        let mut all = standing(test).await;
        assert_eq!(all.split_off(20), ["password_changed FAILED recipient_limit"; 2]);
        assert_eq!(all, ["password_changed SENT"; 20]);
        forget(test, LOJA).await;
        confirm(test, &reset_token(&server.take_one())).await.expect(200);
        test.run_jobs().await;
        assert_eq!(server.take_one().header("Subject"), "Sua senha foi trocada");
        let login = json!({ "email": LOJA, "password": NEW_PASSWORD });
        let session = test.anyone().post("/api/auth/login", login).await.expect(200);
        let bearer = format!("Bearer {}", session["accessToken"].as_str().expect("is given"));
        let owner = test.anyone().with("authorization", &bearer);
        change_password(&Shop { owner, ..shop }, NEW_PASSWORD, 20).await;
        test.run_jobs().await;
        assert_eq!(server.take().len(), 20);
    });
}

#[test]
fn a_notice_that_was_not_sent_is_listed_with_its_reason() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        change_password(&shop, PASSWORD, 20).await;
        let key = shop.key_for("production", &["products:write", "webhooks:write"]).await;
        let receiver = Receiver::start().await;
        receiver.answer(&[410]);
        let hook = json!({ "url": receiver.url, "events": ["product.created"] });
        key.post("/api/webhooks/subscriptions", hook).await.expect(201);
        let product = json!({ "name": "Caneca", "price": 100 });
        key.post("/api/v1/products", product).await.expect(201);
        test.run_jobs().await;
        assert_eq!(server.take().len(), 21, "the mail about the key has a share of its own");
        let listed = shop.owner.list("/api/mails?kind=webhook_disabled").await;
        let [mail] = listed.try_into().expect("is one");
        let outcome = [&mail["kind"], &mail["status"], &mail["lastError"], &mail["attempts"]];
        let expected = json!(["webhook_disabled", "FAILED", "recipient_limit", 0]);
        assert_eq!(json!(outcome), expected);
        assert_eq!(mail["endedAt"], mail["createdAt"]);
        assert_eq!(mail["lastAttemptAt"], Value::Null);
    });
}
