//! How often an address or an account may try to sign in, and who waits for whom.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tostao::people::administrators;
use tostao::platform::config::{PasswordCost, Settings};

use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, id};
use crate::harness::{TestApp, rate_limited, rate_limited_to};

const EMAIL: &str = "loja@example.com";
const HOME: &str = "192.0.2.1";
const ELSEWHERE: &str = "198.51.100.7";

/// As slow as a real server, so that requests really wait for each other.
fn hashed_at_full_cost(settings: &mut Settings) {
    settings.password_cost = PasswordCost::default();
}

fn credentials(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

async fn sign_in(client: &Client, email: &str, password: &str) -> Reply {
    client.post("/api/auth/login", credentials(email, password)).await
}

async fn register(client: &Client, email: &str) -> Reply {
    let account = json!({ "name": "Loja", "email": email, "password": PASSWORD });
    client.post("/api/auth/register", account).await
}

/// The address at which the test's merchant registers and signs in.
async fn home(test: &TestApp) -> Client {
    let home = test.anyone().from(HOME);
    register(&home, EMAIL).await.expect(201);
    sign_in(&home, EMAIL, PASSWORD).await.expect(200);
    home
}

#[story::test(rate_limited)]
async fn an_address_has_thirty_attempts_a_minute_however_many_accounts_it_names(test: &TestApp) {
    let home = home(test).await;
    let sprayer = test.anyone().from(ELSEWHERE);
    for account in 0..30 {
        let email = format!("{account}@example.com");
        let refused = sign_in(&sprayer, &email, "a guess").await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    let refused = sign_in(&sprayer, "31@example.com", "a guess").await;
    refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.header("ratelimit-limit"), Some("30"));
    assert_eq!(refused.header("retry-after"), Some("60"));
    sign_in(&home, EMAIL, PASSWORD).await.expect(200);
    test.pass(Duration::from_secs(60));
    sign_in(&sprayer, "31@example.com", "a guess").await.expect_refusal(401, "INVALID_CREDENTIALS");
}

#[story::test(hashed_at_full_cost)]
async fn a_flood_of_sign_ins_from_one_address_keeps_no_other_address_out(test: &TestApp) {
    let home = home(test).await;
    let flooder = test.anyone().from(ELSEWHERE);
    let emails: Vec<_> = (0..40).map(|account| format!("{account}@example.com")).collect();
    let flood = join_all(emails.iter().map(|email| sign_in(&flooder, email, "a guess")));
    let meanwhile = async {
        let signed_in = sign_in(&home, EMAIL, PASSWORD).await;
        (signed_in, register(&home, "other@example.com").await)
    };
    let (answers, (signed_in, registered)) = tokio::join!(flood, meanwhile);
    signed_in.expect(200);
    registered.expect(201);
    let crowded: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(!crowded.is_empty(), "forty at once are more than one address has places");
    for answer in crowded {
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
}

#[story::test(hashed_at_full_cost)]
async fn registering_waits_in_the_same_places_as_signing_in(test: &TestApp) {
    let flooder = test.anyone().from(ELSEWHERE);
    let emails: Vec<_> = (0..40).map(|account| format!("{account}@example.com")).collect();
    let flood = join_all(emails.iter().map(|email| register(&flooder, email)));
    let home = test.anyone().from(HOME);
    let (answers, registered) = tokio::join!(flood, register(&home, EMAIL));
    registered.expect(201);
    assert!(answers.iter().any(|answer| answer.status == 429));
}

#[story::test(rate_limited_to("login_account=5/3600"))]
async fn an_account_guessed_from_many_addresses_pauses_for_addresses_it_never_signed_in_from(
    test: &TestApp,
) {
    let home = home(test).await;
    // Signing in for the first time was itself an attempt from a new address.
    for email in [EMAIL, "nobody@example.com"] {
        let left = if email == EMAIL { 4 } else { 5 };
        for guess in 0..left {
            let guesser = test.anyone().from(&format!("203.0.113.{guess}"));
            let refused = sign_in(&guesser, email, "a guess").await;
            refused.expect_refusal(401, "INVALID_CREDENTIALS");
        }
        let refused = sign_in(&test.anyone().from("203.0.113.99"), email, "a guess").await;
        refused.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(refused.header("ratelimit-limit"), Some("5"));
        assert_eq!(refused.header("retry-after"), Some("3600"));
    }
    sign_in(&home, EMAIL, PASSWORD).await.expect(200);
    let abroad = test.anyone().from(ELSEWHERE);
    sign_in(&abroad, EMAIL, PASSWORD).await.expect_refusal(429, "RATE_LIMITED");
    test.pass(Duration::from_secs(3_600));
    sign_in(&abroad, EMAIL, PASSWORD).await.expect(200);
}

#[story::test(rate_limited_to("login_account=3/3600"))]
async fn a_device_that_signed_in_before_is_not_paused_wherever_it_is(test: &TestApp) {
    let home = test.anyone().from(HOME);
    register(&home, EMAIL).await.expect(201);
    let device = ("x-device-id", "5f1d7a84-laptop-of-the-owner");
    let known = |client: Client| client.with(device.0, device.1);
    sign_in(&known(home.clone()), EMAIL, PASSWORD).await.expect(200);
    // A name that anybody could guess proves no device.
    let short = test.anyone().from("198.51.100.8").with(device.0, "laptop");
    sign_in(&short, EMAIL, PASSWORD).await.expect(200);
    let guesser = test.anyone().from("203.0.113.1");
    sign_in(&guesser, EMAIL, "a guess").await.expect_refusal(401, "INVALID_CREDENTIALS");
    let stranger = test.anyone().from("203.0.113.2");
    sign_in(&stranger, EMAIL, PASSWORD).await.expect_refusal(429, "RATE_LIMITED");
    let other = stranger.with(device.0, "another-device-altogether");
    sign_in(&other, EMAIL, PASSWORD).await.expect_refusal(429, "RATE_LIMITED");
    let again = test.anyone().from("203.0.113.3").with(device.0, "laptop");
    sign_in(&again, EMAIL, PASSWORD).await.expect_refusal(429, "RATE_LIMITED");
    let abroad = known(test.anyone().from(ELSEWHERE));
    sign_in(&abroad, EMAIL, PASSWORD).await.expect(200);
    let in_a_cookie = test.anyone().from("203.0.113.4");
    let in_a_cookie = in_a_cookie.with("cookie", &format!("a=b; __Host-device={}", device.1));
    sign_in(&in_a_cookie, EMAIL, PASSWORD).await.expect(200);
    // The first sign-in at home has counted as well.
    let neighbour = test.anyone().from(HOME);
    for _ in 0..5 {
        sign_in(&neighbour, EMAIL, "a guess").await.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    sign_in(&neighbour, EMAIL, PASSWORD).await.expect_refusal(429, "RATE_LIMITED");
    sign_in(&known(neighbour), EMAIL, PASSWORD).await.expect(200);
    // It is known to its own account alone.
    register(&home, "other@example.com").await.expect(201);
    let others = known(test.anyone().from("203.0.113.5"));
    for _ in 0..3 {
        let refused = sign_in(&others, "other@example.com", "a guess").await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    sign_in(&others, "other@example.com", "a guess").await.expect_refusal(429, "RATE_LIMITED");
}

#[story::test(rate_limited_to("login_account=3/3600"))]
async fn a_changed_password_ends_the_sessions_of_the_old_one(test: &TestApp) {
    let home = home(test).await;
    let device = ("x-device-id", "a-laptop-that-somebody-else-has");
    let thief = test.anyone().from(ELSEWHERE).with(device.0, device.1);
    sign_in(&thief, EMAIL, PASSWORD).await.expect(200);
    let session = sign_in(&home, EMAIL, PASSWORD).await.expect(200);
    let token = session["accessToken"].as_str().expect("gives a token");
    let owner = home.with("authorization", &format!("Bearer {token}"));
    let new = "another one for tests";
    let passwords = json!({ "currentPassword": PASSWORD, "newPassword": new });
    owner.post("/api/auth/password", passwords).await.expect(200);
    // The first sign-ins from both networks were attempts from new ones; this is the third.
    let guesser = test.anyone().from("203.0.113.1");
    sign_in(&guesser, EMAIL, "a guess").await.expect_refusal(401, "INVALID_CREDENTIALS");
    let elsewhere = test.anyone().from("203.0.113.2").with(device.0, device.1);
    for stranger in [&thief, &test.anyone().from(ELSEWHERE), &elsewhere] {
        let refused = sign_in(stranger, EMAIL, "a guess").await;
        refused.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(refused.header("ratelimit-limit"), Some("3"));
    }
    let session = sign_in(&home, EMAIL, new).await.expect(200);
    // What the operator sets is known nowhere yet.
    let merchant = id(&session["user"]).parse().expect("is an id");
    let set = async move |tx: &Tx| administrators::set_password(tx, merchant, "none").await;
    test.app.transact(set).await.expect("is set");
    sign_in(&home, EMAIL, new).await.expect_refusal(429, "RATE_LIMITED");
}
