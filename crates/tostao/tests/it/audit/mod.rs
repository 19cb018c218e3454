//! The audit log: who did what, who may read it, and for how long.

mod decisions;
mod entries;
mod money;
mod reading;
mod signing_in;
mod term;

use serde_json::Value;

use crate::harness::client::Client;
use crate::harness::shop::id;

/// The entries of an action that somebody's log shows, newest first.
pub async fn entries(client: &Client, action: &str) -> Vec<Value> {
    client.list(&format!("/api/audit?action={action}")).await
}

/// The same, as an administrator sees everybody's.
pub async fn of_all_accounts(admin: &Client, action: &str) -> Vec<Value> {
    admin.list(&format!("/api/admin/audit?action={action}")).await
}

/// The only entry of an action.
pub async fn only(client: &Client, action: &str) -> Value {
    let [entry] = entries(client, action).await.try_into().expect("is one");
    entry
}

/// The id of the account that somebody signed in to.
async fn account(client: &Client) -> String {
    id(&client.get("/api/auth/me").await.expect(200)["user"]).to_owned()
}
