//! What concerns the whole server: connections, what does not agree with them, mails that have not
//! left, and how the server is.

use std::time::Duration;

use db::tx::Tx;
use queue::job::{Due, Job, WORK, push};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tostao::server_health::backups;

use super::admin::{decide, decider, posted};
use super::next;
use crate::connections::Bank;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::harness::smtp::{SmtpServer, story_with_mail};
use crate::{audit, mail};

const MAILS: &str = "/admin/prod/mail";
/// Who gets a mail, and how administrators see the address.
const INVITED: &str = "zoe@example.com";
const MASKED: &str = "z***@example.com";
const HOURS: Duration = Duration::from_hours(2);
const DAYS: Duration = Duration::from_hours(3 * 24);

/// A job that this version does not know.
#[derive(Serialize, Deserialize)]
struct OfNewerVersion;

impl Job for OfNewerVersion {
    const KIND: &'static str = "of_a_newer_version";
    const LANE: &'static str = WORK;
}

#[story::test]
async fn a_difference_is_closed_with_a_note_at_its_page(test: &TestApp) {
    let bank = Bank::connected(test).await;
    bank.differs(test, 1).await;
    let list = "/admin/prod/reconciliation";
    let (browser, admin) = decider(test).await;
    let found = admin.list("/api/admin/reconciliation?status=OPEN").await;
    let page = browser.page(list).await;
    assert!(page.says("Devolução que não foi pedida aqui"), "{}", page.text);
    assert!(page.says("O livro-caixa ainda não foi conferido por inteiro."));
    let here = format!("{list}/{}", id(&found[0]));
    let empty = Page::of(decide(&browser, &here, "resolve", &[("note", "")]).await, 422);
    assert_eq!(empty.wrong(), ["resolve-note"]);
    let note = [("note", "Feita no banco.")];
    let fields = posted(&browser.page(&here).await, "resolve", &note);
    for _ in 0..2 {
        let done = browser.post_typed(&format!("{here}/decide"), &fields).await;
        assert_eq!(next(&done), here, "a double click, too");
    }
    let page = browser.page(&here).await;
    assert!(page.says("Encerrada") && page.says("Feita no banco."), "{}", page.text);
    assert_eq!(audit::of_all_accounts(&admin, "difference.resolved").await.len(), 1);
}

#[story::test]
async fn a_connection_is_tested_and_taken_out_of_use(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let (browser, admin) = decider(test).await;
    let list = "/admin/prod/connections";
    let here = format!("{list}/{}", id(&bank.connection));
    assert!(browser.page(list).await.says("efi-main"));
    assert_eq!(next(&decide(&browser, &here, "test", &[]).await), here);
    let entries = audit::of_all_accounts(&admin, "connection.tested").await;
    assert_eq!((entries.len(), &entries[0]["subjectId"]), (1, &bank.connection["id"]));
    assert_eq!(next(&decide(&browser, &here, "disable", &[]).await), here);
    assert!(browser.page(&here).await.says("Fora de uso"));
    assert_eq!(next(&decide(&browser, &here, "enable", &[]).await), here);
    let path = format!("/api/admin/connections/{}", id(&bank.connection));
    assert_eq!(admin.get(&path).await.expect(200)["data"]["disabledAt"], json!(null));
}

#[story::test]
async fn what_is_wrong_with_a_connection_is_said_in_the_language_of_its_reader(test: &TestApp) {
    let bank = Bank::connected(test).await;
    let (browser, admin) = decider(test).await;
    let here = format!("/admin/prod/connections/{}", id(&bank.connection));
    let path = format!("/api/admin/connections/{}", id(&bank.connection));
    let detail = "<dt>Detalhe técnico, em inglês</dt>";
    let some = "cob.read cob.write pix.read pix.write webhook.read webhook.write gn.balance.read";
    let all = format!("{some} pix.send gn.pix.send.read gn.infractions.read");
    let unauthorized = json!({ "operation": "efi.webhook.*", "fault": "unauthorized" });
    let table = [
        (
            ("/__settings", json!({ "efi_scopes": some })),
            ["Faltam permissões na instituição: pix.send, ", "not granted these permissions: pix"],
            "the application has no permission pix.send; ",
            false,
        ),
        (
            ("/__settings", json!({ "efi_scopes": all })),
            ["não tem um endereço para avisar este servidor", "no address to notify this server"],
            "no address for notices is registered",
            false,
        ),
        (
            ("/__fault", unauthorized),
            ["não aceita as credenciais desta conexão", "does not accept the credentials of"],
            "the connection to the provider is not set up: ",
            true,
        ),
    ];
    for ((at, change), [portuguese, english], text, has_detail) in table {
        bank.at(at, change).await;
        decide(&browser, &here, "test", &[]).await;
        let shown = admin.get(&path).await.expect(200)["data"]["problem"].clone();
        assert!(shown.as_str().is_some_and(|shown| shown.contains(text)), "{shown}");
        let page = browser.page(&format!("{here}?lang=pt-BR")).await;
        assert!(page.says(portuguese), "{}", page.text);
        assert_eq!((page.says(text), page.says(detail)), (has_detail, has_detail), "{text}");
        let page = browser.page(&format!("{here}?lang=en")).await;
        assert!(page.says(english), "{}", page.text);
    }
}

#[story::test]
async fn what_is_real_alone_has_its_pages_in_production(test: &TestApp) {
    let (browser, _) = decider(test).await;
    let nothing = "01931b2c-0000-7000-8000-000000000000";
    for page in ["reconciliation", "connections", "mail"] {
        let led = next(&browser.get(&format!("/admin/dev/{page}")).await);
        assert_eq!(led, format!("/admin/prod/{page}"));
        let path = format!("/admin/dev/{page}/{nothing}/decide");
        let refused = browser.post(&path, &[("action", "test"), ("attempt", "x")]).await;
        assert_eq!(refused.status, 404, "{page}");
        assert_eq!(browser.get(&format!("/admin/prod/{page}/{nothing}")).await.status, 404);
    }
}

/// Writes a mail of production to an address.
async fn invite(shop: &Shop, email: &str) {
    let wanted = json!({ "email": email, "role": "DEVELOPER" });
    shop.owner.post("/api/invitations", wanted).await.expect(201);
}

/// How many jobs there are that send a mail.
async fn jobs(test: &TestApp, mail: &Value) -> String {
    let sql = format!(
        "select cast(count(*) as text) from jobs
          where kind = 'send_mail' and cast(payload as text) like '%{}%'",
        id(mail)
    );
    Engine::open(test).await.rows(&sql).await[0][0].clone()
}

#[test]
fn a_mail_that_waits_is_tried_again_at_once_and_by_one_job() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let port = server.port;
        drop(server);
        invite(&shop, INVITED).await;
        // Each attempt puts the next one off further.
        for _ in 0..6 {
            test.run_jobs_after(Duration::from_mins(20)).await;
        }
        let (browser, admin) = decider(test).await;
        let listed = admin.list("/api/admin/mails").await;
        let waiting = &listed[0];
        assert_eq!((&waiting["to"], &waiting["kind"]), (&json!(MASKED), &json!("invitation")));
        assert_eq!(waiting["status"], "WAITING");
        let queue = browser.page(MAILS).await;
        assert!(queue.says(MASKED) && !queue.says(INVITED));
        let here = format!("{MAILS}/{}", id(waiting));
        let page = browser.page(&here).await;
        assert!(!page.says(INVITED) && !page.says("/invitations/"), "{}", page.text);
        let server = SmtpServer::start_at(port).await;
        let fields = posted(&page, "retry", &[]);
        for _ in 0..2 {
            let done = browser.post_typed(&format!("{here}/decide"), &fields).await;
            assert_eq!(next(&done), MAILS, "a double click, too");
        }
        assert_eq!(jobs(test, waiting).await, "1", "it is brought forward");
        test.run_jobs().await;
        let arrived = server.take();
        assert_eq!(arrived.iter().filter(|mail| mail.to == INVITED).count(), 1);
        assert_eq!(mail::standing(test).await[0], "invitation SENT");
        assert_eq!(audit::of_all_accounts(&admin, "mail.retried").await.len(), 1);
        assert!(browser.page(MAILS).await.says("Nada espera aqui"));
        assert_eq!(browser.get(&here).await.status, 404, "it has left");
    });
}

#[story::test]
async fn without_a_mail_server_mails_wait_and_the_pages_say_so(test: &TestApp, shop: Shop) {
    invite(&shop, INVITED).await;
    let (browser, admin) = decider(test).await;
    let queue = browser.page(MAILS).await;
    assert!(queue.says("Este servidor não tem um servidor de e-mail"), "{}", queue.text);
    let listed = admin.list("/api/admin/mails?status=WAITING").await;
    assert_eq!(listed[0]["lastError"], "no_smtp_server");
    let page = browser.page(&format!("{MAILS}/{}", id(&listed[0]))).await;
    assert!(page.hidden("attempt").is_none() && page.says("disabled aria-describedby"));
    assert_eq!(admin.list("/api/admin/mails?status=FAILED").await.len(), 0);
    assert_eq!(browser.get(&format!("{MAILS}?status=LOST")).await.status, 400);
}

/// A part of the server.
async fn part(admin: &Client, name: &str) -> Value {
    let health = admin.get("/api/admin/health").await.expect(200)["data"].clone();
    let parts = health["parts"].as_array().expect("is a list").clone();
    parts.into_iter().find(|part| part["part"] == name).expect("is there")
}

#[story::test]
async fn the_server_says_how_it_is(test: &TestApp, shop: Shop) {
    let (browser, admin) = decider(test).await;
    let answers = part(&admin, "DATABASE").await;
    assert_eq!(answers["status"], "OK");
    assert_eq!(answers["reason"], "DATABASE_ANSWERS");
    assert_eq!(part(&admin, "SMTP").await["reason"], "SMTP_MISSING");
    assert_eq!(part(&admin, "MAILS").await["reason"], "MAILS_ON_TIME");
    assert_eq!(part(&admin, "LEDGER").await["reason"], "LEDGER_NOT_VERIFIED");
    let page = browser.page("/admin/dev/health").await;
    assert!(page.says("Responde, e está na versão deste servidor."), "{}", page.text);
    assert!(page.says("os e-mails de produção esperam") && page.says("Cópias de segurança"));
    shop.owner.get("/api/admin/health").await.expect_refusal(403, "ADMIN_REQUIRED");
    invite(&shop, INVITED).await;
    test.pass(HOURS);
    let other = test.other_admin().await;
    let late = part(&other, "MAILS").await;
    assert_eq!((&late["status"], &late["reason"]), (&json!("WARNING"), &json!("MAILS_LATE")));
    assert!(late["count"].as_i64() >= Some(1) && late["at"].is_string(), "{late}");
}

#[story::test]
async fn a_backup_is_recent_then_late_and_what_a_server_cannot_know_it_says(test: &TestApp) {
    let (browser, admin) = decider(test).await;
    let Some(database) = test.app.settings.storage.sqlite_path() else {
        let elsewhere = part(&admin, "BACKUPS").await;
        assert_eq!(elsewhere["reason"], "BACKUPS_ELSEWHERE");
        assert_eq!(elsewhere["status"], "OK");
        let page = browser.page("/admin/prod/health").await;
        assert!(page.says("com as suas próprias ferramentas"), "{}", page.text);
        return;
    };
    let none = part(&admin, "BACKUPS").await;
    assert_eq!((&none["reason"], &none["at"]), (&json!("BACKUP_NOT_RECORDED"), &json!(null)));
    assert_eq!(none["status"], "WARNING");
    let at = test.app.now();
    backups::record(database, at).expect("is recorded");
    let recent = part(&admin, "BACKUPS").await;
    assert_eq!((&recent["reason"], &recent["status"]), (&json!("BACKUP_RECENT"), &json!("OK")));
    assert_eq!(recent["at"], at.to_string());
    let page = browser.page("/admin/prod/health").await;
    assert!(page.says("Terminou uma cópia") && page.says("Última cópia:"), "{}", page.text);
    test.pass(DAYS);
    let other = test.other_admin().await;
    let late = part(&other, "BACKUPS").await;
    assert_eq!((&late["reason"], &late["at"]), (&json!("BACKUP_LATE"), &recent["at"]));
    let ahead = test.app.now().plus(HOURS);
    backups::record(database, ahead).expect("is recorded");
    let wrong = part(&other, "BACKUPS").await;
    assert_eq!((&wrong["reason"], &wrong["at"]), (&json!("BACKUP_NOT_RECORDED"), &json!(null)));
    let file = format!("{}.last-backup", database.display());
    std::fs::write(file, "soon").expect("writes");
    assert_eq!(part(&other, "BACKUPS").await["reason"], "BACKUP_NOT_RECORDED");
}

#[story::test]
async fn a_job_that_fails_in_every_try_is_shown_after_an_hour_and_dead_after_a_day(test: &TestApp) {
    let unit = async |tx: &Tx| {
        let due = Due { at: tx.now(), clock: None };
        Ok(push(tx, tx.new_id(), due, &OfNewerVersion).await?)
    };
    test.app.transact(unit).await.expect("is pushed");
    let first = test.app.now();
    test.run_jobs().await;
    test.run_jobs_after(HOURS).await;
    let (browser, admin) = decider(test).await;
    assert_eq!(part(&admin, "JOBS").await["reason"], "JOBS_ON_TIME", "it waits for its next try");
    let failing = part(&admin, "FAILING_JOBS").await;
    assert_eq!((&failing["reason"], &failing["count"]), (&json!("JOBS_FAILING"), &json!(1)));
    assert_eq!(
        (&failing["status"], &failing["at"]),
        (&json!("WARNING"), &json!(first.to_string()))
    );
    let page = browser.page("/admin/prod/health").await;
    assert!(page.says("Tarefas que falham") && page.says("job failed"), "{}", page.text);
    test.run_jobs_after(DAYS).await;
    let other = test.other_admin().await;
    let dead = part(&other, "FAILING_JOBS").await;
    assert_eq!((&dead["reason"], &dead["status"]), (&json!("JOBS_DEAD"), &json!("ERROR")));
    let health = other.get("/api/admin/health").await.expect(200);
    assert_eq!(health["data"]["status"], "ERROR");
}
