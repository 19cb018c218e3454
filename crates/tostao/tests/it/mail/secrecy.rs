//! Tokens of links and the server's password, which are written down nowhere.

use db::database::Dialect;
use db::hex::hex;
use tostao::resealing::reseal;

use super::{confirm, forget, invite, reset_token, standing};
use crate::harness::database::SECRET;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;
use crate::harness::smtp::{SmtpServer, sending_to, story_with_mail};
use crate::harness::{TestApp, logs, story_of_lives};

const NEW_SECRET: &str = "another secret for tests, longer than thirty-two";

/// Everything that is stored in the tables through which a link passes, as text.
async fn stored(test: &TestApp) -> String {
    let engine = Engine::open(test).await;
    let bytes = |column: &str| match engine.dialect() {
        Dialect::Sqlite => format!("coalesce(lower(hex({column})), '')"),
        Dialect::Postgres => format!("coalesce(encode({column}, 'hex'), '')"),
    };
    let queries = [
        format!("select coalesce(parameters, '') || {} from mails", bytes("token")),
        format!("select {} from password_resets", bytes("token_hash")),
        format!("select {} || {} from email_changes", bytes("confirm_hash"), bytes("stop_hash")),
        format!("select {} from invitations", bytes("token_hash")),
        "select payload from jobs".to_owned(),
        format!(
            "select coalesce(cast(body as text), '') || {} from idempotency_keys",
            bytes("sealed_body")
        ),
    ];
    let mut all = String::new();
    for sql in queries {
        for row in engine.rows(&sql).await {
            all.push_str(&row.concat());
        }
    }
    all
}

/// Whether a text holds another one, or its bytes in hexadecimal digits.
fn holds(text: &str, secret: &str) -> bool {
    text.contains(secret) || text.to_lowercase().contains(&hex(secret.as_bytes()))
}

#[test]
fn the_token_of_a_link_is_stored_nowhere_readable_and_erased_when_the_mail_has_left() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let port = server.port;
        drop(server);
        forget(test, "loja@example.com").await;
        invite(&shop.owner.with("idempotency-key", "one"), "bia@example.com").await;
        test.run_jobs().await;
        let before = stored(test).await;
        let server = SmtpServer::start_at(port).await;
        test.run_jobs_after(std::time::Duration::from_secs(60)).await;
        let [reset, invitation] = server.take().try_into().expect("are two");
        let invitation = invitation.link("https://api.example.com/invitations/");
        let tokens = [reset_token(&reset), invitation.rsplit('/').next().expect("is one").into()];
        let after = stored(test).await;
        for token in tokens {
            assert_eq!(token.len(), 43);
            assert!(!holds(&before, &token), "{before}");
            assert!(!holds(&after, &token), "{after}");
        }
        let sql = "select count(*) || '' from mails
                    where parameters is not null or token is not null";
        assert_eq!(Engine::open(test).await.rows(sql).await, [["0"]]);
    });
}

#[test]
fn neither_a_token_nor_the_password_of_the_server_is_logged() {
    logs::watch(&["https://api.example.com/reset/", "hush-hush", "hush%2Dhush", "bG9qYQBodXNo"]);
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let port = server.port;
        drop(server);
        forget(test, "loja@example.com").await;
        let server = SmtpServer::start_at(port).await;
        test.run_jobs_after(std::time::Duration::from_secs(60)).await;
        let token = reset_token(&server.take_one());
        logs::watch(&[&token]);
        confirm(test, &token).await.expect(200);
        confirm(test, &token).await.expect_refusal(410, "PASSWORD_RESET_INVALID");
        let shown = test.app.settings.shown();
        let of_mail = shown.iter().find(|(name, _)| *name == "TOSTAO_SMTP_URL").expect("is shown");
        assert_eq!(of_mail.1, format!("smtp://loja:***@127.0.0.1:{port}"));
        for secret in ["/reset/", "hush", "bG9qYQBodXNo", &token] {
            assert!(logs::lines_with(secret).is_empty(), "{:?}", logs::lines_with(secret));
        }
    });
}

#[test]
fn a_waiting_link_is_sealed_again_with_a_new_secret() {
    story_of_lives(
        |_| {},
        async |test| {
            let shop = Shop::open(&test, "Loja").await;
            invite(&shop.owner, "bia@example.com").await;
            drop(shop);
            let test = test.restarted_where(|settings| {
                settings.secret_key = Some(NEW_SECRET.to_owned());
                settings.secret_key_previous = Some(SECRET.to_owned());
            });
            let first = reseal(&test.app).await.expect("is sealed again").mails;
            assert_eq!((first.current, first.previous, first.unknown), (0, 1, 0));
            let second = reseal(&test.app).await.expect("is sealed again").mails;
            assert_eq!((second.current, second.previous, second.unknown), (1, 0, 0));
            let server = SmtpServer::start().await;
            let test = test.restarted_where(|settings| {
                settings.secret_key_previous = None;
                sending_to(server.port)(settings);
            });
            test.run_jobs().await;
            server.take_one().link("https://api.example.com/invitations/");
            test
        },
    );
}

#[test]
fn a_link_that_no_secret_opens_waits_for_the_secret() {
    story_of_lives(
        |_| {},
        async |test| {
            let shop = Shop::open(&test, "Loja").await;
            invite(&shop.owner, "bia@example.com").await;
            drop(shop);
            let server = SmtpServer::start().await;
            let test = test.restarted_where(|settings| {
                settings.secret_key = Some(NEW_SECRET.to_owned());
                sending_to(server.port)(settings);
            });
            test.run_jobs().await;
            assert_eq!(standing(&test).await, ["invitation WAITING unreadable"]);
            assert!(server.take().is_empty());
            test
        },
    );
}
