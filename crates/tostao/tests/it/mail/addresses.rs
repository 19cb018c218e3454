//! Another address to sign in with: the link that confirms it, and the one that stops it.

use std::time::Duration;

use db::database::Dialect;
use futures_util::future::join;
use http::Method;
use serde_json::{Value, json};
use tostao::housekeeping;

use super::{BASE, NEW_PASSWORD, reset_token, standing, try_sign_in};
use crate::audit::{entries, only};
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::smtp::{Arrived, SmtpServer, story_with_mail};
use crate::harness::{TestApp, rate_limited};
use crate::second_step::Device;

const PATH: &str = "/api/auth/email";
const LOJA: &str = "loja@example.com";
const NEW: &str = "nova@example.com";
const OTHER: &str = "outra@example.com";
const DAY: Duration = Duration::from_hours(24);
const MOMENT: Duration = Duration::from_millis(1);

async fn ask(owner: &Client, email: &str) -> Reply {
    owner.post(PATH, json!({ "email": email, "password": PASSWORD })).await
}

/// The token of the link in a mail.
fn token(mail: &Arrived) -> String {
    let link = mail.link(&format!("{BASE}/email-change/"));
    let token = link[BASE.len() + "/email-change/".len()..].trim_end_matches("/stop");
    token.to_owned()
}

/// The tokens of the links that went to the new address and to the old one.
async fn tokens(test: &TestApp, server: &SmtpServer) -> (String, String) {
    test.run_jobs().await;
    let mails = server.take();
    let to = |address: &str| mails.iter().rfind(|mail| mail.to == address).expect("got one");
    (token(to(NEW)), token(to(LOJA)))
}

async fn confirm(test: &TestApp, token: &str) -> Reply {
    test.anyone().post(&format!("{PATH}/confirm"), json!({ "token": token })).await
}

async fn stop(test: &TestApp, token: &str) -> Reply {
    test.anyone().post(&format!("{PATH}/stop"), json!({ "token": token })).await
}

async fn pending(owner: &Client) -> Value {
    owner.get(PATH).await.expect(200)["data"]["pendingChange"].clone()
}

/// Who may call with a session.
fn bearer(test: &TestApp, session: &Value) -> Client {
    let token = session["accessToken"].as_str().expect("is given");
    test.anyone().with("authorization", &format!("Bearer {token}"))
}

#[test]
fn a_link_at_the_new_address_replaces_it_a_day_later_and_once() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        let asked = ask(&owner, " Nova@Example.com ").await.expect(200);
        let expected = json!({
            "email": NEW, "requestedAt": "2026-11-21T12:00:00.000Z",
            "possibleAt": "2026-11-22T12:00:00.000Z", "expiresAt": "2026-11-23T12:00:00.000Z",
        });
        assert_eq!((&asked["data"], pending(&owner).await), (&expected, expected.clone()));
        let (link, _) = tokens(test, &server).await;
        let early = confirm(test, &link).await;
        early.expect_refusal(409, "INVALID_STATE_TRANSITION");
        test.pass(DAY.saturating_sub(MOMENT));
        confirm(test, &link).await.expect(409);
        test.pass(MOMENT);
        confirm(test, &link).await.expect(200);
        confirm(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        try_sign_in(test, LOJA, PASSWORD).await.expect_refusal(401, "INVALID_CREDENTIALS");
        let session = try_sign_in(test, NEW, PASSWORD).await.expect(200);
        assert_eq!(
            (&session["user"]["email"], &session["person"]["email"]),
            (&json!(NEW), &json!(NEW))
        );
        test.run_jobs().await;
        let notice = server.take_one();
        assert_eq!((&*notice.to, &*notice.header("Subject")), (LOJA, "O seu e-mail foi trocado"));
        let owner = bearer(test, &session);
        for action in ["email.change_requested", "email.changed"] {
            assert_eq!(only(&owner, action).await["actor"]["kind"], "owner", "{action}");
        }
        let log = owner.get("/api/audit?limit=100").await.text;
        assert!(!log.contains(NEW) && !log.contains(LOJA), "{log}");
    });
}

#[test]
fn the_link_works_for_a_day() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        ask(&owner, NEW).await.expect(200);
        let (link, _) = tokens(test, &server).await;
        test.pass(DAY * 2);
        confirm(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        housekeeping::run(&test.app).await.expect("is tidied up");
        let left = Engine::open(test).await.rows("select 'one' from email_changes").await;
        assert!(left.is_empty());
    });
}

#[test]
fn with_a_second_step_of_more_than_a_day_and_its_code_the_link_works_at_once() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        let device = Device::enrolled(test, &owner).await;
        ask(&owner, NEW).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
        let with = |code: String| json!({ "email": NEW, "password": PASSWORD, "code": code });
        let wrong = owner.post(PATH, with(device.wrong_code(test))).await;
        wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        assert_eq!(pending(&owner).await, Value::Null);
        owner.post(PATH, with(device.code(test, 1))).await.expect(200);
        let (early, _) = tokens(test, &server).await;
        confirm(test, &early).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
        test.pass(Duration::from_hours(25));
        let login = json!({ "email": LOJA, "password": PASSWORD, "code": device.code(test, 0) });
        let session = test.anyone().post("/api/auth/login", login).await.expect(200);
        let owner = bearer(test, &session);
        owner.post(PATH, with(device.code(test, 1))).await.expect(200);
        let (link, _) = tokens(test, &server).await;
        confirm(test, &link).await.expect(200);
        let refused = try_sign_in(test, NEW, PASSWORD).await;
        refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    });
}

#[test]
fn the_old_address_stops_the_change_and_ends_every_session() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        let other = bearer(test, &try_sign_in(test, LOJA, PASSWORD).await.expect(200));
        ask(&owner, NEW).await.expect(200);
        test.run_jobs().await;
        let mails = server.take();
        let notice = mails.iter().find(|mail| mail.to == LOJA).expect("is one");
        let text = notice.text();
        assert!(text.contains("nova@ example. com") && text.contains("/forgot"), "{text}");
        let confirming = mails.iter().find(|mail| mail.to == NEW).expect("is one");
        let (link, stopping) = (token(confirming), token(notice));
        confirm(test, &stopping).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        stop(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        stop(test, &stopping).await.expect(200);
        stop(test, &stopping).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        for ended in [&owner, &other] {
            ended.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
        }
        test.pass(DAY);
        confirm(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        let owner = bearer(test, &try_sign_in(test, LOJA, PASSWORD).await.expect(200));
        let entry = only(&owner, "email.change_stopped").await;
        assert_eq!(entry["details"], json!({ "by": "link", "sessionsEnded": 2 }));
    });
}

#[test]
fn an_address_of_another_person_gets_the_same_answer_and_a_link_that_says_no() {
    story_with_mail(async |test, server| {
        let (shop, _) = (test.shop("Loja").await, test.shop("Nova").await);
        let taken = ask(&shop.owner, NEW).await.expect(200);
        let (link, _) = tokens(test, &server).await;
        let free = ask(&shop.owner, OTHER).await.expect(200);
        let shown = |answer: &Value| answer.to_string().replace(NEW, OTHER);
        assert_eq!(shown(&taken), shown(&free));
        // The other change has ended this one.
        confirm(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
        test.pass(Duration::from_mins(10));
        ask(&shop.owner, NEW).await.expect(200);
        test.run_jobs().await;
        let link = token(server.take().iter().find(|mail| mail.to == NEW).expect("is one"));
        test.pass(DAY);
        confirm(test, &link).await.expect_refusal(409, "ALREADY_EXISTS");
        for email in [LOJA, NEW] {
            try_sign_in(test, email, PASSWORD).await.expect(200);
        }
    });
}

#[test]
fn of_two_people_who_confirm_one_address_at_once_one_gets_it() {
    story_with_mail(async |test, server| {
        let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
        let mut links = Vec::new();
        for owner in [&shop.owner, &other.owner] {
            ask(owner, NEW).await.expect(200);
            test.run_jobs().await;
            links.push(token(server.take().iter().find(|mail| mail.to == NEW).expect("is one")));
        }
        test.pass(DAY);
        let (holder, watcher) = (Engine::open(test).await, Engine::open(test).await);
        let (first, second) = if holder.dialect() == Dialect::Sqlite {
            join(confirm(test, &links[0]), confirm(test, &links[1])).await
        } else {
            // The first person has the address and is not committed when the second one asks.
            holder.rows("begin").await;
            let held = format!("select id::text from merchants where email = '{LOJA}' for update");
            holder.rows(&held).await;
            let meanwhile = async {
                watcher.until_waiting(1).await;
                let release = async {
                    watcher.until_waiting(2).await;
                    holder.rows("commit").await;
                };
                join(confirm(test, &links[1]), release).await.0
            };
            join(confirm(test, &links[0]), meanwhile).await
        };
        first.expect(200);
        second.expect_refusal(409, "ALREADY_EXISTS");
        try_sign_in(test, OTHER, PASSWORD).await.expect(200);
    });
}

#[test]
fn what_else_decides_about_the_sign_in_ends_the_change() {
    let password = json!({ "currentPassword": PASSWORD, "newPassword": NEW_PASSWORD });
    let table = [
        (Method::POST, "/api/auth/password", password),
        (Method::POST, "/api/auth/logout", json!({})),
        (Method::DELETE, PATH, json!({})),
        (Method::POST, "/api/auth/account/close", json!({ "password": PASSWORD })),
    ];
    for (method, path, body) in table {
        story_with_mail(async |test, server| {
            let owner = test.shop("Loja").await.owner;
            ask(&owner, NEW).await.expect(200);
            let (link, _) = tokens(test, &server).await;
            let (kind, body) = match method {
                Method::POST => (Some("application/json"), body.to_string()),
                _ => (None, String::new()),
            };
            owner.send(method, path, kind, body).await.expect(200);
            test.pass(DAY);
            let over = confirm(test, &link).await;
            assert_eq!(over.status, 410, "{path}: {}", over.text);
        });
    }
}

#[test]
fn a_second_step_that_is_turned_on_ends_the_change() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        ask(&owner, NEW).await.expect(200);
        let (link, _) = tokens(test, &server).await;
        Device::enrolled(test, &owner).await;
        assert_eq!(pending(&owner).await, Value::Null);
        test.pass(DAY);
        confirm(test, &link).await.expect_refusal(410, "EMAIL_CHANGE_INVALID");
    });
}

#[test]
fn a_new_address_ends_the_link_to_a_new_password_that_the_old_one_got() {
    story_with_mail(async |test, server| {
        let owner = test.shop("Loja").await.owner;
        ask(&owner, NEW).await.expect(200);
        let (link, _) = tokens(test, &server).await;
        test.pass(DAY);
        super::forget(test, LOJA).await;
        let reset = reset_token(&server.take_one());
        confirm(test, &link).await.expect(200);
        let over = super::confirm(test, &reset).await;
        over.expect_refusal(410, "PASSWORD_RESET_INVALID");
    });
}

#[story::test]
async fn only_who_knows_the_password_asks_and_twice_is_once(test: &TestApp, shop: Shop) {
    let send = async |body: Value| shop.owner.post(PATH, body).await;
    let wrong = send(json!({ "email": NEW, "password": "a guess" })).await;
    wrong.expect_refusal(401, "INVALID_CREDENTIALS");
    for (email, code) in [("nova", "INVALID_EMAIL"), (LOJA, "INVALID_VALUE")] {
        let refused = send(json!({ "email": email, "password": PASSWORD })).await.expect(400);
        let wrong = &refused["errors"][0];
        assert_eq!((&wrong["field"], &wrong["code"]), (&json!("email"), &json!(code)));
    }
    let key = shop.key.post(PATH, json!({ "email": NEW, "password": PASSWORD })).await;
    key.expect_refusal(401, "UNAUTHORIZED");
    assert!(standing(test).await.is_empty());
    let first = ask(&shop.owner, NEW).await.expect(200);
    test.pass(Duration::from_mins(1));
    assert_eq!(ask(&shop.owner, NEW).await.expect(200), first);
    let both = ["email_change WAITING", "email_change_asked WAITING"];
    assert_eq!(standing(test).await, both);
    assert_eq!(entries(&shop.owner, "email.change_requested").await.len(), 1);
    for _ in 0..2 {
        shop.owner.send(Method::DELETE, PATH, None, String::new()).await.expect(200);
    }
    only(&shop.owner, "email.change_stopped").await;
    let taken_back = ["email_change CANCELLED", "email_change_asked WAITING"];
    assert_eq!(standing(test).await, taken_back);
}

#[story::test(rate_limited)]
async fn one_mailbox_is_named_six_times_an_hour(test: &TestApp, shop: Shop) {
    for number in 0..5 {
        // Each in another minute, so that no other limit is reached.
        test.pass(Duration::from_secs(61));
        ask(&shop.owner, &format!("nova+{number}@example.com")).await.expect(200);
    }
    test.pass(Duration::from_secs(61));
    ask(&shop.owner, NEW).await.expect(200);
    test.pass(Duration::from_secs(61));
    ask(&shop.owner, NEW).await.expect_refusal(429, "RATE_LIMITED");
}
