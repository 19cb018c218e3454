//! What proves that an address is its person's, and what follows from the first proof.

use serde_json::{Value, json};
use tostao::audit::ActorContext;
use tostao::people::{administrators, resets};

use super::{NEW_PASSWORD, confirm, forget, reset_token, try_sign_in};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::PASSWORD;
use crate::harness::smtp::{SmtpServer, story_with_mail};
use crate::second_step::Device;

const LOJA: &str = "loja@example.com";
const BIA: &str = "bia@example.com";

/// Sets a new password by a link in a mail; returns the notice about it.
async fn recover(test: &TestApp, server: &SmtpServer, email: &str) -> String {
    // What was written about the second step before.
    test.run_jobs().await;
    server.take();
    forget(test, email).await;
    confirm(test, &reset_token(&server.take_one())).await.expect(200);
    test.run_jobs().await;
    server.take_one().text()
}

/// Signs in with the new password and a code.
async fn sign_in_with(test: &TestApp, code: &str) -> Reply {
    let login = json!({ "email": LOJA, "password": NEW_PASSWORD, "code": code });
    test.anyone().post("/api/auth/login", login).await
}

fn bearer(test: &TestApp, session: &Value) -> Client {
    let token = session["accessToken"].as_str().expect("is given");
    test.anyone().with("authorization", &format!("Bearer {token}"))
}

#[test]
fn no_link_in_a_mail_removes_a_second_step_or_signs_in_without_it() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let device = Device::enrolled(test, &shop.owner).await;
        let notice = recover(test, &server, LOJA).await;
        assert!(!notice.contains("duas etapas"), "{notice}");
        shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
        let refused = try_sign_in(test, LOJA, NEW_PASSWORD).await;
        refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
        let wrong = sign_in_with(test, &device.wrong_code(test)).await;
        wrong.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
        for code in [&device.code(test, 1), &device.backup_codes[0]] {
            let session = sign_in_with(test, code).await.expect(200);
            let owner = bearer(test, &session);
            assert!(audit::entries(&owner, "two_factor.disabled").await.is_empty());
        }
    });
}

#[test]
fn the_operator_frees_an_address_that_somebody_else_registered_with_a_second_step() {
    story_with_mail(async |test, server| {
        let squatter = test.shop("Loja").await;
        Device::enrolled(test, &squatter.owner).await;
        recover(test, &server, LOJA).await;
        let remove = async |tx: &db::tx::Tx| administrators::remove_second_step(tx, LOJA).await;
        test.app.transact(remove).await.expect("is removed");
        test.run_jobs().await;
        let notice = server.take_one();
        assert!(notice.text().contains("exige só a senha"), "{}", notice.text());
        let session = try_sign_in(test, LOJA, NEW_PASSWORD).await.expect(200);
        let disabled = audit::only(&bearer(test, &session), "two_factor.disabled").await;
        assert_eq!(disabled["actor"]["kind"], "command_line");
        let left = "select 'one' from second_steps union all select 'one' from backup_codes";
        assert!(Engine::open(test).await.rows(left).await.is_empty());
    });
}

#[test]
fn a_later_link_leaves_the_second_step() {
    story_with_mail(async |test, server| {
        test.shop("Loja").await;
        let notice = recover(test, &server, LOJA).await;
        assert!(!notice.contains("duas etapas"), "{notice}");
        let session = try_sign_in(test, LOJA, NEW_PASSWORD).await.expect(200);
        Device::enrolled_with(test, &bearer(test, &session), NEW_PASSWORD).await;
        let notice = recover(test, &server, LOJA).await;
        assert!(!notice.contains("duas etapas"), "{notice}");
        let refused = try_sign_in(test, LOJA, NEW_PASSWORD).await;
        refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    });
}

#[test]
fn an_invitation_that_only_a_mail_had_proves_the_address() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        let wanted = json!({ "email": BIA, "role": "VIEWER" });
        shop.owner.post("/api/invitations", wanted).await.expect(201);
        test.run_jobs().await;
        let link = server.take_one().link("https://api.example.com/invitations/");
        let token = link.rsplit('/').next().expect("has a token");
        let accepted = json!({ "token": token, "name": "Bia", "password": PASSWORD });
        test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
        let session = try_sign_in(test, BIA, PASSWORD).await.expect(200);
        Device::enrolled(test, &bearer(test, &session)).await;
        recover(test, &server, BIA).await;
        let refused = try_sign_in(test, BIA, NEW_PASSWORD).await;
        refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    });
}

#[test]
fn a_link_that_the_operator_hands_over_proves_nothing_and_leaves_the_second_step() {
    story_with_mail(async |test, server| {
        let shop = test.shop("Loja").await;
        Device::enrolled(test, &shop.owner).await;
        let by = ActorContext::command_line();
        let unit = async move |tx: &db::tx::Tx| resets::make(tx, &by, LOJA).await;
        let (token, _) = test.app.transact(unit).await.expect("is made");
        confirm(test, &token.expose()).await.expect(200);
        let refused = try_sign_in(test, LOJA, NEW_PASSWORD).await;
        refused.expect_refusal(401, "TWO_FACTOR_REQUIRED");
        test.run_jobs().await;
        server.take();
        let proofs = Engine::open(test).await.rows("select 'one' from proved_addresses").await;
        assert!(proofs.is_empty());
    });
}
