//! The second step of a sign-in: authenticator apps, backup codes, and what asks for them again.

mod deciding;
mod elevation;
mod ends;
mod enrolling;
mod mails;
mod replays;
mod signing_in;

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::authenticator::Authenticator;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::PASSWORD;

const EMAIL: &str = "loja@example.com";
const PATH: &str = "/api/two-factor";
pub const STEP: Duration = Duration::from_secs(30);

/// A person's device, and the codes that they have put away.
pub struct Device {
    app: Authenticator,
    pub backup_codes: Vec<String>,
}

impl Device {
    /// Turns the second step on for a person who is signed in, with the code of this moment.
    pub async fn enrolled(test: &TestApp, who: &Client) -> Self {
        Self::enrolled_with(test, who, PASSWORD).await
    }

    /// The same of a person with another password.
    pub async fn enrolled_with(test: &TestApp, who: &Client, password: &str) -> Self {
        let device = Self::added_with(who, password).await;
        let code = json!({ "code": device.code(test, 0) });
        let confirmed = who.post(&format!("{PATH}/confirm"), code).await.expect(200);
        Self { backup_codes: codes(&confirmed), ..device }
    }

    /// Adds the secret of a person to an app, and does not confirm it.
    async fn added(who: &Client) -> Self {
        Self::added_with(who, PASSWORD).await
    }

    async fn added_with(who: &Client, password: &str) -> Self {
        let answer = who.post(PATH, json!({ "password": password })).await.expect(201);
        Self::with(answer["data"]["secret"].as_str().expect("is shown"))
    }

    /// A device that knows a secret.
    fn with(secret: &str) -> Self {
        Self { app: Authenticator::with(secret), backup_codes: Vec::new() }
    }

    /// The code that the device shows so many time steps from now.
    pub fn code(&self, test: &TestApp, steps: i64) -> String {
        self.app.code(test.app.now(), steps)
    }

    /// A code that it does not show.
    pub fn wrong_code(&self, test: &TestApp) -> String {
        let shown: Vec<_> = (-2..=2).map(|steps| self.code(test, steps)).collect();
        let mut others = (0..).map(|number| format!("{number:06}"));
        others.find(|other| !shown.contains(other)).expect("there are a million")
    }
}

/// The backup codes of a response.
fn codes(response: &Value) -> Vec<String> {
    let codes = response["data"]["backupCodes"].as_array().expect("are shown");
    codes.iter().map(|code| code.as_str().expect("is a text").to_owned()).collect()
}

/// Tries to sign in with the right password.
async fn sign_in(test: &TestApp, email: &str, code: Option<&str>) -> Reply {
    let login = json!({ "email": email, "password": PASSWORD, "code": code });
    test.anyone().post("/api/auth/login", login).await
}

/// Who may call after a sign-in.
fn signed_in(test: &TestApp, session: &Value) -> Client {
    let token = session["accessToken"].as_str().expect("gives a token");
    test.anyone().with("authorization", &format!("Bearer {token}"))
}

/// What a person sees of their second step.
async fn state(who: &Client) -> Value {
    who.get(PATH).await.expect(200)["data"].clone()
}

/// Removes the second step.
async fn remove(who: &Client, password: &str, code: &str) -> Reply {
    let body = json!({ "password": password, "code": code }).to_string();
    who.send(Method::DELETE, PATH, Some("application/json"), body).await
}
