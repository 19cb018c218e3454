//! The audit log: who did what, who may read it, and for how long.

mod decisions;
mod entries;
mod reading;
mod signing_in;
mod term;

use serde_json::Value;

use crate::harness::client::Client;

/// The entries of an action that somebody's log shows, newest first.
pub async fn entries(client: &Client, action: &str) -> Vec<Value> {
    shown(client, &format!("/api/audit?action={action}")).await
}

/// The same, as an administrator sees everybody's.
pub async fn of_all_accounts(admin: &Client, action: &str) -> Vec<Value> {
    shown(admin, &format!("/api/admin/audit?action={action}")).await
}

/// The only entry of an action.
pub async fn only(client: &Client, action: &str) -> Value {
    let [entry] = entries(client, action).await.try_into().expect("is one");
    entry
}

async fn shown(client: &Client, path: &str) -> Vec<Value> {
    client.get(path).await.expect(200)["data"].as_array().expect("is a list").clone()
}
