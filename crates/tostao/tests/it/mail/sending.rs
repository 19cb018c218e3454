//! How mails leave, and what happens while they cannot.

use std::time::Duration;

use serde_json::json;
use tostao::housekeeping;
use tostao::platform::config::Settings;

use super::{forget, invite, reset_token, standing};
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;
use crate::harness::smtp::{Deed, SmtpServer, Stage, sending_to, story_with_mail};
use crate::harness::{TestApp, story_of_lives, story_where};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// Longer than a mail waits for its next attempt.
const NEXT_ATTEMPT: Duration = Duration::from_secs(15 * 60);

/// Writes a mail to an address, and offers it to the server.
async fn mail_someone(test: &TestApp) {
    // The session of before has expired meanwhile.
    let shop = test.shop_again("Loja").await;
    invite(&shop.owner, "ana@example.com").await;
    test.run_jobs().await;
}

#[test]
fn a_mail_arrives_as_text_and_as_html_with_the_headers_of_an_automatic_one() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        forget(test, "loja@example.com").await;
        let mail = server.take_one();
        assert_eq!((&*mail.from, &*mail.to), ("contato@tostao.example", "loja@example.com"));
        assert_eq!(mail.header("From"), "Tostão <contato@tostao.example>");
        assert_eq!(mail.header("To"), "loja@example.com");
        assert_eq!(mail.header("Subject"), "Crie uma senha nova");
        assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
        assert_eq!(mail.header("Date"), "Sat, 21 Nov 2026 12:00:00 +0000");
        assert!(mail.header("Message-ID").ends_with("@tostao.example>"), "{}", mail.source);
        let link = format!("https://api.example.com/reset/{}", reset_token(&mail));
        assert!(mail.text().contains("até 21/11/2026 às 09:30"), "{}", mail.text());
        assert!(mail.html().contains(&format!("<a href=\"{link}\">Criar uma senha nova</a>")));
        for foreign in ["<img", "<script", "<style", "src=", "http://"] {
            assert!(!mail.html().contains(foreign), "{}", mail.html());
        }
        assert_eq!(standing(test).await, ["password_reset SENT"]);
    });
}

#[test]
fn a_server_that_is_down_for_a_day_loses_no_mail() {
    story_with_mail(async |test, server| {
        let (shop, port) = (test.shop("Loja").await, server.port);
        drop(server);
        for email in ["ana@example.com", "bia@example.com", "caio@example.com"] {
            invite(&shop.owner, email).await;
        }
        for _ in 0..24 {
            test.run_jobs_after(HOUR).await;
        }
        assert_eq!(standing(test).await, ["invitation WAITING connection"; 3]);
        let server = SmtpServer::start_at(port).await;
        test.run_jobs_after(NEXT_ATTEMPT).await;
        let mut reached: Vec<_> = server.take().into_iter().map(|mail| mail.to).collect();
        reached.sort_unstable();
        assert_eq!(reached, ["ana@example.com", "bia@example.com", "caio@example.com"]);
        assert_eq!(standing(test).await, ["invitation SENT"; 3]);
        test.run_jobs_after(DAY).await;
        assert!(server.take().is_empty());
    });
}

#[test]
fn a_temporary_refusal_at_any_point_delays_a_mail_and_nothing_more() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        for stage in [
            Stage::Greeting,
            Stage::Hello,
            Stage::Login,
            Stage::From,
            Stage::To,
            Stage::Data,
            Stage::Text,
        ] {
            server.prepare(&[Deed::Answer(stage, 451)]);
            mail_someone(test).await;
            let waits = standing(test).await.pop();
            assert_eq!(waits.as_deref(), Some("invitation WAITING smtp_451"), "{stage:?}");
            assert!(server.take().is_empty(), "{stage:?}");
            test.run_jobs_after(NEXT_ATTEMPT).await;
            assert_eq!(server.take_one().to, "ana@example.com", "{stage:?}");
        }
    });
}

#[test]
fn a_permanent_refusal_ends_a_mail_only_if_it_is_about_its_recipient_or_its_text() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        for (stage, code, expected) in [
            (Stage::Greeting, 554, "invitation WAITING smtp_554"),
            (Stage::Login, 535, "invitation WAITING smtp_535"),
            (Stage::From, 550, "invitation WAITING smtp_550"),
            (Stage::To, 550, "invitation FAILED smtp_550"),
            (Stage::Text, 554, "invitation FAILED smtp_554"),
        ] {
            server.prepare(&[Deed::Answer(stage, code)]);
            mail_someone(test).await;
            assert_eq!(standing(test).await.pop().as_deref(), Some(expected));
            test.run_jobs_after(NEXT_ATTEMPT).await;
            let arrived = server.take().len();
            assert_eq!(arrived, usize::from(expected.contains("WAITING")), "{stage:?} {code}");
        }
    });
}

#[test]
fn a_server_that_stops_answering_is_not_waited_for() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        for stage in [Stage::Greeting, Stage::Hello, Stage::To, Stage::Data] {
            server.prepare(&[Deed::Hang(stage)]);
            mail_someone(test).await;
            let waits = standing(test).await.pop();
            assert_eq!(waits.as_deref(), Some("invitation WAITING timeout"), "{stage:?}");
            test.run_jobs_after(NEXT_ATTEMPT).await;
            server.take_one();
        }
    });
}

#[test]
fn a_mail_whose_acceptance_is_unknown_is_sent_again_as_the_same_message() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        for deed in [Deed::Lose, Deed::Hang(Stage::Text)] {
            server.prepare(&[deed]);
            mail_someone(test).await;
            let first = server.take_one();
            assert!(standing(test).await.pop().is_some_and(|mail| mail.contains("WAITING")));
            test.run_jobs_after(NEXT_ATTEMPT).await;
            let second = server.take_one();
            assert_eq!(first.header("Message-ID"), second.header("Message-ID"));
            assert_eq!(standing(test).await.pop().as_deref(), Some("invitation SENT"));
        }
    });
}

#[test]
fn a_mail_that_no_server_accepts_is_given_up_after_five_days() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        drop(server);
        invite(&shop.owner, "ana@example.com").await;
        test.run_jobs_after((5 * DAY).saturating_sub(Duration::from_secs(1))).await;
        assert_eq!(standing(test).await, ["invitation WAITING connection"]);
        test.run_jobs_after(Duration::from_secs(1)).await;
        assert_eq!(standing(test).await, ["invitation FAILED connection"]);
        let shop = test.shop_again("Loja").await;
        let [mail] = shop.owner.list("/api/mails").await.try_into().expect("is one");
        assert_eq!((&mail["status"], &mail["lastError"]), (&json!("FAILED"), &json!("connection")));
        assert_eq!(test.run_jobs_after(DAY).await, 0);
    });
}

#[test]
fn a_link_that_has_expired_is_not_sent() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let port = server.port;
        drop(server);
        forget(test, "loja@example.com").await;
        test.pass(Duration::from_secs(30 * 60));
        let server = SmtpServer::start_at(port).await;
        test.run_jobs().await;
        assert!(server.take().is_empty());
        assert_eq!(standing(test).await, ["password_reset FAILED connection"]);
    });
}

#[test]
fn mails_wait_for_a_server_and_leave_when_there_is_one() {
    story_of_lives(
        |_| {},
        async |test| {
            let shop = Shop::open(&test, "Loja").await;
            invite(&shop.owner, "ana@example.com").await;
            for _ in 0..10 {
                assert_eq!(test.run_jobs_after(HOUR).await, 0);
            }
            let [mail] = test
                .shop_again("Loja")
                .await
                .owner
                .list("/api/mails")
                .await
                .try_into()
                .expect("is one");
            let said = [&mail["attempts"], &mail["lastAttemptAt"], &mail["lastError"]];
            assert_eq!(json!(said), json!([0, null, "no_smtp_server"]));
            drop(shop);
            let server = SmtpServer::start().await;
            let test = test.restarted_where(sending_to(server.port));
            test.run_jobs().await;
            assert_eq!(server.take_one().to, "ana@example.com");
            test
        },
    );
}

#[story::test]
async fn a_mail_that_never_had_a_server_is_given_up_without_an_attempt(test: &TestApp) {
    let shop = test.shop("Loja").await;
    invite(&shop.owner, "ana@example.com").await;
    // A worker with a server, which reports it, has an hour to do it first.
    test.pass((5 * DAY + HOUR).saturating_sub(Duration::from_millis(1)));
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert_eq!(standing(test).await, ["invitation WAITING"]);
    test.pass(Duration::from_millis(1));
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert_eq!(standing(test).await, ["invitation FAILED no_smtp_server"]);
    let shop = test.shop_again("Loja").await;
    let [mail] = shop.owner.list("/api/mails").await.try_into().expect("is one");
    assert_eq!((&mail["attempts"], &mail["lastAttemptAt"]), (&json!(0), &json!(null)));
    let held = Engine::open(test).await.rows("select kind from jobs where lane = 'mails'").await;
    assert_eq!(held, [[""; 0]; 0]);
}

#[test]
fn a_mail_that_is_refused_counts_as_offered() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        server.prepare(&[Deed::Answer(Stage::Data, 451), Deed::Answer(Stage::To, 550)]);
        mail_someone(test).await;
        test.run_jobs_after(NEXT_ATTEMPT).await;
        let shop = test.shop_again("Loja").await;
        let [mail] = shop.owner.list("/api/mails").await.try_into().expect("is one");
        assert_eq!(json!([mail["status"], mail["attempts"]]), json!(["FAILED", 2]));
        assert_eq!(mail["lastAttemptAt"], mail["endedAt"]);
    });
}

/// A free port, and settings that send mails to it in another way than usual.
fn sent_by(url: impl FnOnce(u16) -> String) -> (u16, impl FnOnce(&mut Settings)) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("is bound").port();
    let settings = move |settings: &mut Settings| {
        sending_to(port)(settings);
        settings.mail.smtp_url = Some(url(port));
    };
    (port, settings)
}

#[test]
fn nothing_is_said_to_a_server_elsewhere_that_does_not_encrypt() {
    // A way to write an address of this machine that is not taken for one.
    let (port, elsewhere) = sent_by(|port| format!("smtp://loja:hush@127.1:{port}"));
    story_where(elsewhere, async |test: &TestApp| {
        let server = SmtpServer::start_at(port).await;
        test.shop("Loja").await;
        mail_someone(test).await;
        assert_eq!(standing(test).await, ["invitation WAITING unsupported"]);
        let said = server.commands();
        let words = ["EHLO", "QUIT"];
        let is_polite = |line: &String| words.iter().any(|word| line.starts_with(word));
        assert!(said.iter().all(is_polite), "{said:?}");
        assert!(server.take().is_empty());
    });
}

#[test]
fn a_server_without_a_certificate_that_is_trusted_gets_nothing() {
    let (port, encrypted) = sent_by(|port| format!("smtps://loja:hush@127.0.0.1:{port}"));
    story_where(encrypted, async |test: &TestApp| {
        let server = SmtpServer::start_at(port).await;
        test.shop("Loja").await;
        mail_someone(test).await;
        assert_eq!(standing(test).await, ["invitation WAITING tls"]);
        assert!(server.commands().is_empty());
        assert!(server.take().is_empty());
    });
}
