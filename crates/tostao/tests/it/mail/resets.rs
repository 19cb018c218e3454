//! Setting a new password by a link in a mail.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use db::database::Dialect;
use db::tx::Tx;
use futures_util::future::{Either, join, select};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tostao::people::administrators;

use super::{NEW_PASSWORD, RESETS, confirm, forget, reset_token, standing, try_sign_in};
use crate::audit;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::smtp::{Arrived, SmtpServer, story_with_mail};
use crate::harness::{TestApp, rate_limited};

const LOJA: &str = "loja@example.com";
const TEN_MINUTES: Duration = Duration::from_mins(10);
const HALF_AN_HOUR: Duration = Duration::from_secs(30 * 60);
const MOMENT: Duration = Duration::from_millis(1);

/// Asks for a new password and gets the mail.
async fn mailed(test: &TestApp, server: &SmtpServer, email: &str) -> Arrived {
    forget(test, email).await;
    server.take_one()
}

#[test]
fn a_link_sets_a_new_password_once_and_ends_every_session() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let token = reset_token(&mailed(test, &server, " Loja@Example.com ").await);
        confirm(test, &token).await.expect(200);
        shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
        try_sign_in(test, LOJA, PASSWORD).await.expect_refusal(401, "INVALID_CREDENTIALS");
        try_sign_in(test, LOJA, NEW_PASSWORD).await.expect(200);
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
        test.run_jobs().await;
        let notice = server.take_one();
        assert_eq!(notice.header("Subject"), "Sua senha foi trocada");
        assert!(notice.text().contains("https://api.example.com/forgot"), "{}", notice.text());
    });
}

#[test]
fn the_audit_log_says_who_asked_for_a_link_and_that_it_was_used() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let token = reset_token(&mailed(test, &server, LOJA).await);
        confirm(test, &token).await.expect(200);
        let session = try_sign_in(test, LOJA, NEW_PASSWORD).await.expect(200);
        let bearer = format!("Bearer {}", session["accessToken"].as_str().expect("is given"));
        let owner = test.anyone().with("authorization", &bearer);
        let asked = audit::only(&owner, "password.reset_requested").await;
        assert_eq!(asked["actor"]["kind"], "anonymous");
        assert_eq!(asked["clientAddress"], "127.0.0.1");
        let changed = audit::only(&owner, "password.changed").await;
        assert_eq!(changed["actor"]["kind"], "owner");
        assert_eq!(changed["details"], json!({ "by": "link", "sessionsEnded": 1 }));
    });
}

#[test]
fn a_link_works_for_half_an_hour() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let token = reset_token(&mailed(test, &server, LOJA).await);
        test.pass(HALF_AN_HOUR);
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
        let token = reset_token(&mailed(test, &server, LOJA).await);
        test.pass(HALF_AN_HOUR.saturating_sub(MOMENT));
        confirm(test, &token).await.expect(200);
    });
}

#[test]
fn a_new_link_ends_the_one_before() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let first = reset_token(&mailed(test, &server, LOJA).await);
        test.pass(TEN_MINUTES);
        let second = reset_token(&mailed(test, &server, LOJA).await);
        confirm(test, &first).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
        confirm(test, &second).await.expect(200);
    });
}

#[test]
fn a_link_of_the_last_ten_minutes_stays_when_another_one_is_asked_for() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let stranger = test.anyone().from("203.0.113.9");
        let token = reset_token(&mailed(test, &server, LOJA).await);
        let (mut waited, minute) = (Duration::ZERO, Duration::from_mins(1));
        while waited < TEN_MINUTES.saturating_sub(minute) {
            test.pass(minute);
            waited += minute;
            let (theirs, own) = (json!({ "email": "LOJA@example.com" }), json!({ "email": LOJA }));
            let again =
                [stranger.post(RESETS, theirs).await, test.anyone().post(RESETS, own).await];
            assert_eq!(again[0].expect(200), again[1].expect(200));
            test.run_jobs().await;
            assert!(server.take().is_empty());
        }
        test.pass(minute.saturating_sub(MOMENT));
        forget(test, LOJA).await;
        assert!(server.take().is_empty());
        confirm(test, &token).await.expect(200);
        // A link that was used is replaced at once.
        test.run_jobs().await;
        server.take();
        mailed(test, &server, LOJA).await;
    });
}

#[story::test]
async fn a_link_that_was_replaced_before_it_left_is_never_sent(test: &TestApp, shop: Shop) {
    for _ in 0..3 {
        forget(test, LOJA).await;
        test.pass(TEN_MINUTES);
    }
    let taken_back = "password_reset CANCELLED";
    assert_eq!(standing(test).await, [taken_back, taken_back, "password_reset WAITING"]);
    drop(shop);
}

#[test]
fn of_two_uses_at_once_one_sets_the_password() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let token = reset_token(&mailed(test, &server, LOJA).await);
        let (one, other) = join(confirm(test, &token), confirm(test, &token)).await;
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 410], "{} {}", one.text, other.text);
    });
}

#[test]
fn a_password_that_is_changed_otherwise_ends_the_link() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let token = reset_token(&mailed(test, &server, LOJA).await);
        let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW_PASSWORD });
        shop.owner.post("/api/auth/password", change).await.expect(200);
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
    });
}

#[test]
fn the_link_of_a_person_who_was_removed_does_nothing() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let wanted = json!({ "email": "bia@example.com", "role": "VIEWER" });
        shop.owner.post("/api/invitations", wanted).await.expect(201);
        test.run_jobs().await;
        let link = server.take_one().link("https://api.example.com/invitations/");
        let token = link.rsplit('/').next().expect("has a token");
        let accepted = json!({ "token": token, "name": "Bia", "password": PASSWORD });
        test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
        let token = reset_token(&mailed(test, &server, "bia@example.com").await);
        let members = shop.owner.list("/api/members").await;
        let bia = members.iter().find(|one| one["email"] == "bia@example.com").expect("is one");
        let path = format!("/api/members/{}", bia["id"].as_str().expect("has one"));
        shop.owner.delete(&path).await.expect(200);
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
        // What was written to them is gone, with their sessions and the proof of their address, and
        // the address has no person any more.
        assert_eq!(standing(test).await, ["invitation SENT"]);
        let proofs = Engine::open(test).await.rows("select 'one' from proved_addresses").await;
        assert!(proofs.is_empty());
        forget(test, "bia@example.com").await;
        assert!(server.take().is_empty());
    });
}

#[test]
fn an_unknown_address_gets_the_same_answer_and_no_mail() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let anyone = test.anyone().with("x-request-id", "same-request");
        let mut answers = Vec::new();
        for email in [LOJA, "unknown@example.com"] {
            answers.push(anyone.post(RESETS, json!({ "email": email })).await);
        }
        let [known, unknown] = answers.try_into().expect("are two");
        known.expect(200);
        assert_eq!((known.status, &known.text), (unknown.status, &unknown.text));
        assert_eq!(known.headers.len(), unknown.headers.len());
        // Neither was looked for yet, so that both take equally long.
        assert!(standing(test).await.is_empty());
        test.run_jobs().await;
        assert_eq!(server.take_one().to, LOJA);
        let waiting = Engine::open(test).await.rows("select kind from jobs").await;
        assert_eq!(waiting, [[""; 0]; 0]);
    });
}

#[test]
fn an_administrators_password_is_not_set_by_mail() {
    story_with_mail(async |test, server| {
        let admin = test.admin().await;
        let email = admin.get("/api/auth/me").await.expect(200)["user"]["email"].clone();
        forget(test, email.as_str().expect("has one")).await;
        assert!(server.take().is_empty());
        assert!(standing(test).await.is_empty());
    });
}

#[story::test]
async fn bad_fields_are_named_and_anything_else_is_no_open_link(test: &TestApp) {
    let anyone = test.anyone();
    let refused = anyone.post(RESETS, json!({ "email": "x" })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["email"]);
    let path = format!("{RESETS}/confirm");
    let short = json!({ "token": "x", "newPassword": "short" });
    let refused = anyone.post(&path, short).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["newPassword"]);
    for token in ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        confirm(test, token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
    }
}

#[story::test(rate_limited)]
async fn a_caller_asks_for_a_mailbox_six_times_an_hour_and_uses_up_no_others_limit(test: &TestApp) {
    let ask = async |from: &str, email: &str| {
        test.anyone().from(from).post(RESETS, json!({ "email": email })).await
    };
    for number in 0..6 {
        ask("203.0.113.1", &format!("loja+{number}@example.com")).await.expect(200);
    }
    test.pass(Duration::from_mins(1));
    let refused = ask("203.0.113.1", "LOJA@example.com").await;
    refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.header("retry-after"), Some("3540"));
    ask("203.0.113.1", "ana@example.com").await.expect(200);
    ask("203.0.113.2", LOJA).await.expect(200);
    test.pass(Duration::from_mins(59));
    ask("203.0.113.1", LOJA).await.expect(200);
}

#[story::test(rate_limited)]
async fn one_caller_asks_six_times_a_minute(test: &TestApp) {
    for number in 0..6 {
        let body = json!({ "email": format!("ana{number}@example.com") });
        test.anyone().post(RESETS, body).await.expect(200);
    }
    let again = test.anyone().post(RESETS, json!({ "email": "bia@example.com" })).await;
    again.expect_refusal(429, "RATE_LIMITED");
}

/// Waits until a unit waits for another one's row, where units run side by side.
async fn until_one_waits(engine: &Engine) {
    let waiting = "select 1 from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'";
    while engine.dialect() == Dialect::Postgres && engine.rows(waiting).await.is_empty() {
        yield_now().await;
    }
}

#[story::test]
async fn a_link_that_is_made_while_its_person_becomes_an_administrator_sets_no_password(
    test: &TestApp,
    shop: Shop,
) {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant = id(&me["user"]).parse().expect("is an id");
    test.anyone().post(RESETS, json!({ "email": LOJA })).await.expect(200);
    let (granted, goes_on) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (says, waits) = (granted.clone(), goes_on.clone());
    let engine = Engine::open(test).await;
    let runs_beside_others = engine.dialect() == Dialect::Postgres;
    let grant = test.app.transact(async move |tx: &Tx| {
        administrators::grant(tx, merchant, "a hash").await?;
        says.add_permits(1);
        if runs_beside_others {
            drop(waits.acquire().await);
        }
        Ok(())
    });
    let link = async {
        drop(granted.acquire().await);
        let jobs = pin!(test.run_jobs());
        let waiting = pin!(until_one_waits(&engine));
        let raced = select(jobs, waiting).await;
        goes_on.add_permits(1);
        if let Either::Right(((), jobs)) = raced {
            jobs.await;
        }
    };
    let (grant, ()) = join(grant, link).await;
    grant.expect("is granted");
    let links = engine.rows("select 1 from password_resets").await;
    assert!(links.is_empty(), "a link is left that sets the password of an administrator");
}
