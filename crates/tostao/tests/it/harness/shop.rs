//! A merchant: an account, a development key, and the most common calls.

use serde_json::{Value, json};
use tostao::people::api::open_account;
use tostao::platform::error::ErrorCode;
use tostao::platform::role::Role;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;

/// A merchant.
#[derive(Clone)]
pub struct Shop {
    /// Calls with the development key.
    pub key: Client,
    /// Calls with the access token, for production data by default.
    pub owner: Client,
    pub anyone: Client,
}

pub const PASSWORD: &str = "correct horse battery";

impl Shop {
    /// Opens an account and signs in.
    pub async fn open(test: &TestApp, name: &str) -> Self {
        let account = json!({ "name": name, "email": email(name), "password": PASSWORD });
        test.anyone().post("/api/auth/register", account).await.expect(201);
        Self::sign_in(test, name).await
    }

    /// Signs in and takes a fresh key.
    pub async fn sign_in(test: &TestApp, name: &str) -> Self {
        let (anyone, email) = (test.anyone(), email(name));
        let login = json!({ "email": email, "password": PASSWORD });
        let session = anyone.post("/api/auth/login", login).await.expect(200);
        let token = session["accessToken"].as_str().expect("gives a token");
        let owner = anyone.with("authorization", &format!("Bearer {token}"));
        let key = key(&owner, "development", &every_permission()).await;
        let key = anyone.with("authorization", &format!("Bearer {key}"));
        Self { key, owner, anyone }
    }

    /// A client with a fresh key that has just these permissions.
    pub async fn key_for(&self, environment: &str, permissions: &[&str]) -> Client {
        let permissions: Vec<_> = permissions.iter().map(ToString::to_string).collect();
        let key = key(&self.owner, environment, &permissions).await;
        self.anyone.with("api-key", &key)
    }

    /// Makes a link for an amount; answers it.
    pub async fn link(&self, cents: i64) -> Value {
        self.link_with(json!({ "amountCents": cents })).await
    }

    /// Makes a link with these fields beside a title; answers it.
    pub async fn link_with(&self, more: Value) -> Value {
        let link = merged(json!({ "title": "Caneca" }), &more);
        self.key.post("/api/v1/payment-links", link).await.expect(201)["data"].clone()
    }

    /// Reads a link.
    pub async fn read_link(&self, link: &Value) -> Value {
        self.key.get(&link_path(link)).await.expect(200)["paymentLink"].clone()
    }

    /// Changes a link; answers it as it then is.
    pub async fn change_link(&self, link: &Value, change: Value) -> Value {
        self.key.patch(&link_path(link), change).await.expect(200)["paymentLink"].clone()
    }

    /// Makes a product with these fields beside a name and a price; answers it.
    pub async fn product(&self, more: Value) -> Value {
        let product = merged(json!({ "name": "Caneca", "price": 2_500 }), &more);
        self.key.post("/api/v1/products", product).await.expect(201)["product"].clone()
    }

    /// Reads a product.
    pub async fn read_product(&self, product: &Value) -> Value {
        self.key.get(&product_path(product)).await.expect(200)["product"].clone()
    }

    /// Changes a product; answers it as it then is.
    pub async fn change_product(&self, product: &Value, change: Value) -> Value {
        self.key.patch(&product_path(product), change).await.expect(200)["product"].clone()
    }

    /// Enters a client with these fields beside a name and an address; returns the client.
    pub async fn client(&self, more: Value) -> Value {
        self.try_client(more).await.expect(201)["client"].clone()
    }

    /// Enters a client with other fields beside the usual ones.
    pub async fn try_client(&self, more: Value) -> Reply {
        let client = json!({ "name": "Ana", "email": "ana@example.com" });
        self.key.post("/api/clients", merged(client, &more)).await
    }

    /// Reads a client.
    pub async fn read_client(&self, client: &Value) -> Value {
        self.key.get(&client_path(client)).await.expect(200)["client"].clone()
    }

    /// Cancels a charge.
    pub async fn cancel(&self, charge: &Value) {
        let path = format!("/api/v1/transactions/{}/cancel", id(charge));
        self.key.post(&path, json!({})).await.expect(200);
    }

    /// The unmatched money of a charge.
    pub async fn unmatched(&self, charge: &Value) -> Vec<Value> {
        self.key.list(&format!("/api/v1/transactions/{}/unmatched", id(charge))).await
    }

    /// Changes a client; returns the updated client.
    pub async fn change_client(&self, client: &Value, change: Value) -> Value {
        self.key.patch(&client_path(client), change).await.expect(200)["client"].clone()
    }

    /// Issues a PIX for an amount; answers it.
    pub async fn charge(&self, cents: i64) -> Value {
        self.charge_with(json!({ "amountCents": cents })).await
    }

    /// Issues a charge with other fields beside the usual ones; answers it.
    pub async fn charge_with(&self, more: Value) -> Value {
        self.try_charge(more).await.expect(201)["transaction"].clone()
    }

    /// Issues a boleto for an amount; answers it.
    pub async fn boleto(&self, cents: i64) -> Value {
        self.charge_with(json!({ "amountCents": cents, "method": "BOLETO" })).await
    }

    /// Tries to issue a PIX with other fields beside the usual ones.
    pub async fn try_charge(&self, more: Value) -> Reply {
        let body = json!({
            "method": "PIX",
            "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
        });
        self.key.post("/api/v1/transactions", merged(body, &more)).await
    }

    /// Lets the sandbox bank pay a charge; answers it as it then is.
    pub async fn pay(&self, charge: &Value) -> Value {
        self.simulate(charge, json!({ "outcome": "PAID" })).await
    }

    /// Issues a PIX for an amount and has it paid; answers it.
    pub async fn sell(&self, cents: i64) -> Value {
        let charge = self.charge(cents).await;
        self.pay(&charge).await
    }

    /// Earns an amount, so that it can be withdrawn.
    pub async fn earn(&self, cents: i64) {
        self.sell(cents).await;
    }

    /// Simulates anything.
    pub async fn simulate(&self, charge: &Value, simulation: Value) -> Value {
        let path = format!("/api/v1/transactions/{}/simulate", id(charge));
        self.key.post(&path, simulation).await.expect(200)["transaction"].clone()
    }

    /// Reads a charge.
    pub async fn transaction(&self, charge: &Value) -> Value {
        let path = format!("/api/v1/transactions/{}", id(charge));
        self.key.get(&path).await.expect(200)["transaction"].clone()
    }

    /// The steps of a charge's timeline.
    pub async fn timeline(&self, charge: &Value) -> Vec<Value> {
        let path = format!("/api/v1/transactions/{}/timeline", id(charge));
        self.key.list(&path).await
    }

    /// The kinds of the steps of a charge's timeline.
    pub async fn steps(&self, charge: &Value) -> Vec<String> {
        let kind = |step: &Value| step["kind"].as_str().expect("has a kind").to_owned();
        self.timeline(charge).await.iter().map(kind).collect()
    }

    /// Asks for a withdrawal by PIX.
    pub async fn try_withdraw(&self, cents: i64) -> Reply {
        let to =
            json!({ "amountCents": cents, "pixKey": "ana@example.com", "pixKeyType": "email" });
        self.key.post("/api/withdraws", to).await
    }

    /// Asks for a withdrawal by PIX; answers it.
    pub async fn withdraw(&self, cents: i64) -> Value {
        self.try_withdraw(cents).await.expect(201)["data"].clone()
    }

    /// Starts the development data over.
    pub async fn start_over(&self) {
        self.key.post("/api/dev/reset", json!({})).await.expect(200);
    }

    /// What can be withdrawn, in cents.
    pub async fn available(&self) -> i64 {
        let balance = self.key.get("/api/withdraws/balance").await.expect(200);
        balance["data"]["availableBalance"].as_i64().expect("is a number")
    }

    /// The names of the events so far that begin like this, oldest first.
    pub async fn events_of(&self, feature: &str) -> Vec<String> {
        let mut names = self.events().await;
        names.retain(|name| name.starts_with(feature));
        names
    }

    /// The names of the events so far, oldest first.
    pub async fn events(&self) -> Vec<String> {
        let events = self.key.get("/api/webhooks/events?limit=100").await.expect(200);
        let events = events["data"].as_array().expect("is a list").iter();
        let name = |event: &Value| event["event"].as_str().expect("has a name").to_owned();
        let mut names: Vec<_> = events.map(name).collect();
        names.reverse();
        names
    }
}

/// Opens an administrator's account if there is none yet, and signs in.
pub async fn admin(test: &TestApp, name: &str) -> Client {
    let (email, anyone) = (email(name), test.anyone());
    let opened = open_account(&test.app, name, &email, PASSWORD, Role::Admin).await;
    assert!(opened.is_ok() || opened.is_err_and(|e| e.code() == ErrorCode::AlreadyExists));
    let login = json!({ "email": email, "password": PASSWORD });
    let session = anyone.post("/api/auth/login", login).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    anyone.with("authorization", &format!("Bearer {token}")).with("x-dev-mode", "true")
}

/// The address of a link.
pub fn link_path(link: &Value) -> String {
    format!("/api/v1/payment-links/{}", id(link))
}

/// The address of a product.
pub fn product_path(product: &Value) -> String {
    format!("/api/v1/products/{}", id(product))
}

/// The address of a client.
pub fn client_path(client: &Value) -> String {
    format!("/api/clients/{}", id(client))
}

/// An object with more fields, or with others.
pub fn merged(mut object: Value, more: &Value) -> Value {
    let fields = more.as_object().expect("are fields").clone();
    object.as_object_mut().expect("is an object").extend(fields);
    object
}

/// An object's id.
pub fn id(object: &Value) -> &str {
    object["id"].as_str().expect("has an id")
}

/// The ids of several objects.
pub fn ids(objects: &[&Value]) -> Vec<String> {
    objects.iter().map(|object| id(object).to_owned()).collect()
}

/// The ids of what a list shows, in its order.
pub async fn listed(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.expect(200);
    ids(&list["data"].as_array().expect("is a list").iter().collect::<Vec<_>>())
}

pub fn every_permission() -> Vec<String> {
    use tostao::platform::permissions::Permission;
    Permission::ALL.iter().map(ToString::to_string).collect()
}

fn email(name: &str) -> String {
    format!("{}@example.com", name.to_lowercase().replace(' ', "."))
}

async fn key(owner: &Client, environment: &str, permissions: &[String]) -> String {
    let body = json!({ "name": "test", "environment": environment, "permissions": permissions });
    let made = owner.post("/api/credentials", body).await.expect(201);
    made["data"]["key"].as_str().expect("is shown once").to_owned()
}
