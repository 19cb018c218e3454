//! Mails: how they leave, what they say, and what of them stays secret.

mod addresses;
mod erasure;
mod invitations;
mod keys;
mod kinds;
mod limits;
mod lists;
mod proofs;
mod resets;
mod secrecy;
mod sending;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::reply::Reply;
use crate::harness::shop::PASSWORD;
use crate::harness::smtp::Arrived;

/// Where links in mails lead.
const BASE: &str = "https://api.example.com";
const RESETS: &str = "/api/auth/password-resets";
pub const NEW_PASSWORD: &str = "another battery staple";

/// Every mail that there is, oldest first: its kind, its status, and its last error if any.
pub async fn standing(test: &TestApp) -> Vec<String> {
    let sql = "select kind || ' '
                      || case when cancelled_at is null then status else 'CANCELLED' end
                      || coalesce(' ' || last_error, '')
                 from mails
                order by id";
    let rows = Engine::open(test).await.rows(sql).await;
    rows.into_iter().map(|mut row| row.remove(0)).collect()
}

/// Asks for a new password, and lets the mail be written and offered to the server.
async fn forget(test: &TestApp, email: &str) {
    test.anyone().post(RESETS, json!({ "email": email })).await.expect(200);
    test.run_jobs().await;
}

/// Sets a new password by a link's token.
async fn confirm(test: &TestApp, token: &str) -> Reply {
    let body = json!({ "token": token, "newPassword": NEW_PASSWORD });
    test.anyone().post(&format!("{RESETS}/confirm"), body).await
}

/// The token of the link to a new password in a mail.
pub fn reset_token(mail: &Arrived) -> String {
    mail.link(&format!("{BASE}/reset/")).split_off(BASE.len() + "/reset/".len())
}

async fn try_sign_in(test: &TestApp, email: &str, password: &str) -> Reply {
    let login = json!({ "email": email, "password": password });
    test.anyone().post("/api/auth/login", login).await
}

/// Invites a person; answers the invitation.
async fn invite(by: &Client, email: &str) -> Value {
    let wanted = json!({ "email": email, "role": "DEVELOPER" });
    by.post("/api/invitations", wanted).await.expect(201)["data"].clone()
}

/// A new person in an account, with a role, signed in; the server sends no mails.
async fn member(test: &TestApp, by: &Client, email: &str, role: &str) -> Client {
    let wanted = json!({ "email": email, "role": role });
    let invitation = by.post("/api/invitations", wanted).await.expect(201)["data"].clone();
    let accepted = json!({ "token": invitation["token"], "name": "Bia", "password": PASSWORD });
    test.anyone().post("/api/invitations/accept", accepted).await.expect(200);
    let session = try_sign_in(test, email, PASSWORD).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    test.anyone().with("authorization", &format!("Bearer {token}"))
}
