//! A merchant at a running server.

use serde_json::{Value, json};
use tostao::platform::permissions::Permission;
use tostao::platform::system_clock::system;

use crate::harness::authenticator::Authenticator;
use crate::harness::client::Client;
use crate::harness::program::Server;

pub const EMAIL: &str = "loja@example.com";
pub const PASSWORD: &str = "correct horse battery";

/// Turns the second step of somebody who is signed in on; returns their app, which has shown its
/// first code.
pub async fn enroll(owner: &Client) -> Authenticator {
    enroll_with(owner, PASSWORD).await
}

/// The same of a person with another password.
pub async fn enroll_with(owner: &Client, password: &str) -> Authenticator {
    let added = owner.post("/api/two-factor", json!({ "password": password })).await.expect(201);
    let app = Authenticator::with(added["data"]["secret"].as_str().expect("is shown"));
    let code = json!({ "code": app.code(system().now(), 0) });
    owner.post("/api/two-factor/confirm", code).await.expect(200);
    app
}

/// A merchant.
pub struct Shop {
    /// Calls with the development key.
    pub client: Client,
    pub key: String,
    /// What signing in answered.
    pub session: Value,
}

impl Shop {
    /// Opens an account and makes a key that may do everything.
    pub async fn open(server: &Server) -> Self {
        let anyone = Client::new(server.address);
        let account = json!({ "name": "Loja", "email": EMAIL, "password": PASSWORD });
        anyone.post("/api/auth/register", account).await.expect(201);
        let session = sign_in(&anyone, EMAIL, PASSWORD).await;
        let token = session["accessToken"].as_str().expect("gives a token");
        let owner = anyone.with("authorization", &format!("Bearer {token}"));
        let key = key_for(&owner, "development").await;
        Self { client: anyone.with("api-key", &key), key, session }
    }

    /// The same merchant with a key for real money.
    pub async fn with_real_money(&self, server: &Server) -> Self {
        let anyone = Client::new(server.address);
        let token = self.session["accessToken"].as_str().expect("gives a token");
        let owner = anyone.with("authorization", &format!("Bearer {token}"));
        let key = key_for(&owner, "production").await;
        Self { client: anyone.with("api-key", &key), key, session: self.session.clone() }
    }

    /// Subscribes an address to everything; answers the secret.
    pub async fn subscribe(&self, url: &str) -> String {
        let wanted = json!({ "url": url, "events": ["*"] });
        let made = self.client.post("/api/v1/webhooks/subscriptions", wanted).await.expect(201);
        made["subscription"]["secret"].as_str().expect("is shown once").to_owned()
    }

    /// Issues a PIX and lets the sandbox bank pay it.
    pub async fn sell(&self, cents: i64) {
        let made = self.client.post("/api/v1/transactions", charge(cents)).await.expect(201);
        let id = made["transaction"]["id"].as_str().expect("has an id");
        let path = format!("/api/v1/transactions/{id}/simulate");
        let paid = self.client.post(&path, json!({ "outcome": "PAID" })).await.expect(200);
        assert_eq!(paid["transaction"]["status"], "PAID");
    }

    /// What can be withdrawn, in cents.
    pub async fn available(&self) -> i64 {
        self.balance("availableBalance").await
    }

    /// What is settled later, in cents.
    pub async fn pending(&self) -> i64 {
        self.balance("pendingBalance").await
    }

    async fn balance(&self, name: &str) -> i64 {
        let balance = self.client.get("/api/withdraws/balance").await.expect(200);
        balance["data"][name].as_i64().expect("is a number")
    }
}

/// Makes a key that may do everything.
async fn key_for(owner: &Client, environment: &str) -> String {
    let permissions: Vec<_> = Permission::ALL.iter().map(ToString::to_string).collect();
    let wanted = json!({
        "name": "test", "environment": environment, "permissions": permissions,
    });
    let made = owner.post("/api/credentials", wanted).await.expect(201);
    made["data"]["key"].as_str().expect("is shown once").to_owned()
}

/// Signs in.
pub async fn sign_in(anyone: &Client, email: &str, password: &str) -> Value {
    let login = json!({ "email": email, "password": password });
    anyone.post("/api/auth/login", login).await.expect(200)
}

/// The body of a PIX.
pub fn charge(cents: i64) -> Value {
    json!({
        "amountCents": cents, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25" },
    })
}
