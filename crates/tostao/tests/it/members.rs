//! People in an account: invitations, roles, and who may do what.

mod invitations;
mod older;
mod roles;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{PASSWORD, Shop, id};

/// Invites a person; answers the invitation with its token.
pub async fn invite(by: &Client, email: &str, role: &str) -> Value {
    let wanted = json!({ "email": email, "role": role });
    by.post("/api/invitations", wanted).await.expect(201)["data"].clone()
}

/// What accepts an invitation as a new person.
pub fn acceptance(invitation: &Value) -> Value {
    json!({ "token": invitation["token"], "name": "Bia", "password": PASSWORD })
}

/// Signs in; answers who may then call, and what the sign-in said.
pub async fn sign_in(test: &TestApp, login: Value) -> (Client, Value) {
    let anyone = test.anyone();
    let session = anyone.post("/api/auth/login", login).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    (anyone.with("authorization", &format!("Bearer {token}")), session)
}

/// A new person in an account, signed in.
pub async fn member(test: &TestApp, shop: &Shop, email: &str, role: &str) -> Client {
    let invitation = invite(&shop.owner, email, role).await;
    let accepted = test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await;
    accepted.expect(200);
    sign_in(test, json!({ "email": email, "password": PASSWORD })).await.0
}

/// The ID of a member by their address.
pub async fn person(by: &Client, email: &str) -> String {
    let members = by.list("/api/members").await;
    let found = members.iter().find(|member| member["email"] == email);
    id(found.expect("is a member")).to_owned()
}
