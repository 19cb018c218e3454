//! Invitations by mail.

use serde_json::json;

use super::{invite, member, standing};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::smtp::{Arrived, story_with_mail};

const START: &str = "https://api.example.com/invitations/";

fn token(mail: &Arrived) -> String {
    mail.link(START).split_off(START.len())
}

#[test]
fn an_invitation_is_accepted_with_the_token_that_only_its_mail_has() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let invitation = invite(&shop.owner, "bia@example.com").await;
        assert!(invitation["token"].is_null(), "{invitation}");
        test.run_jobs().await;
        let mail = server.take_one();
        assert_eq!(mail.header("Subject"), "Convite para a conta Loja");
        assert!(mail.text().starts_with("Loja convidou você para trabalhar na conta Loja."));
        assert!(mail.text().contains("até 28/11/2026 às 09:00"), "{}", mail.text());
        let accepted = json!({ "token": token(&mail), "name": "Bia", "password": PASSWORD });
        test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
        assert_eq!(shop.owner.list("/api/members").await.len(), 2);
    });
}

#[story::test]
async fn a_server_that_sends_no_mails_shows_the_token_to_who_invites(test: &TestApp, shop: Shop) {
    assert!(invite(&shop.owner, "bia@example.com").await["token"].is_string());
    assert_eq!(standing(test).await, ["invitation WAITING"]);
}

#[story::test]
async fn the_mail_of_an_invitation_that_is_taken_back_or_replaced_is_never_sent(
    test: &TestApp,
    shop: Shop,
) {
    let first = invite(&shop.owner, "bia@example.com").await;
    let second = invite(&shop.owner, "bia@example.com").await;
    let of = async |status: &str| {
        let mails = shop.owner.list(&format!("/api/mails?status={status}")).await;
        mails.iter().map(|mail| mail["subjectId"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("WAITING").await, [second["id"].clone()]);
    shop.owner.delete(&format!("/api/invitations/{}", id(&second))).await.expect(200);
    assert_eq!(of("CANCELLED").await, [second["id"].clone(), first["id"].clone()]);
    assert!(of("WAITING").await.is_empty() && of("FAILED").await.is_empty());
    let [mail, _] = shop.owner.list("/api/mails").await.try_into().expect("are two");
    assert_eq!((&mail["endedAt"], &mail["lastError"]), (&mail["createdAt"], &json!(null)));
    let jobs = Engine::open(test).await.rows("select kind from jobs").await;
    assert_eq!(jobs, [[""; 0]; 0]);
}

#[story::test]
async fn an_invitation_that_ended_otherwise_is_not_sent_either(test: &TestApp, shop: Shop) {
    let accepted = invite(&shop.owner, "bia@example.com").await;
    let body = json!({ "token": accepted["token"], "name": "Bia", "password": PASSWORD });
    test.anyone().post("/api/invitations/accept", body).await.expect(200);
    assert_eq!(standing(test).await, ["invitation CANCELLED"]);
    let manager = member(test, &shop.owner, "ana@example.com", "MANAGER").await;
    // Its invitations end with the role of who made them.
    invite(&manager, "caio@example.com").await;
    let members = shop.owner.list("/api/members").await;
    let ana = members.iter().find(|one| one["email"] == "ana@example.com").expect("is one");
    let path = format!("/api/members/{}", id(ana));
    shop.owner.patch(&path, json!({ "role": "VIEWER" })).await.expect(200);
    assert_eq!(standing(test).await, ["invitation CANCELLED"; 3]);
    invite(&shop.owner, "caio@example.com").await;
    let close = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    assert_eq!(standing(test).await, ["invitation CANCELLED"; 4]);
}

#[test]
fn a_mail_is_in_the_language_of_the_request_that_it_is_about() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let english = shop.owner.with("accept-language", "en-GB");
        invite(&english, "bia@example.com").await;
        test.run_jobs().await;
        let mail = server.take_one();
        assert_eq!(mail.header("Subject"), "Invitation to the account Loja");
        assert!(mail.html().contains("<html lang=\"en\">"), "{}", mail.html());
    });
}

#[test]
fn a_name_adds_no_header_no_markup_and_no_link() {
    story_with_mail(async |test, server| {
        for (number, name) in [
            "A\r\nBcc: eva@example.com\r\n\r\nB",
            "<b>A</b>\"&",
            "https://evil.example/now",
            "=?utf-8?q?A=0D=0ABcc:_eva@example.com?=",
            "Ação \u{1f600}",
        ]
        .iter()
        .enumerate()
        {
            let email = format!("loja{number}@example.com");
            let account = json!({ "name": name, "email": email, "password": PASSWORD });
            let opened = test.anyone().post("/api/auth/register", account).await;
            if opened.status == 400 {
                continue;
            }
            let login = json!({ "email": email, "password": PASSWORD });
            let session = test.anyone().post("/api/auth/login", login).await.expect(200);
            let bearer = format!("Bearer {}", session["accessToken"].as_str().expect("is given"));
            let owner = test.anyone().with("authorization", &bearer);
            invite(&owner, "bia@example.com").await;
            test.run_jobs().await;
            let mail = server.take_one();
            assert_eq!(mail.to, "bia@example.com");
            let head = mail.source.split("\r\n\r\n").next().expect("has a head");
            assert!(!head.to_lowercase().contains("\r\nbcc"), "{head}");
            assert!(head.is_ascii(), "{head}");
            assert!(!mail.html().contains("<b>"), "{}", mail.html());
            assert!(!mail.text().contains("https://evil.example"), "{}", mail.text());
            assert!(!mail.html().contains("//evil.example"), "{}", mail.html());
        }
    });
}

#[story::test]
async fn an_address_with_a_second_line_is_refused(test: &TestApp, shop: Shop) {
    for email in ["bia@example.com\r\nBcc: eva@example.com", "bia@example.com>\r\nRCPT TO:<eva@x.y"]
    {
        let wanted = json!({ "email": email, "role": "VIEWER" });
        let refused = shop.owner.post("/api/invitations", wanted).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["email"]);
    }
    assert!(standing(test).await.is_empty());
}
