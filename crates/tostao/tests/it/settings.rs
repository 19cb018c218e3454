//! What an operator may switch off, and how the secret is changed.

use serde_json::{Value, json};
use tostao::platform::config::{Registration, Switch};

use crate::harness::client::Client;
use crate::harness::database::SECRET;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::{TestApp, story_of_lives};

const NEW_SECRET: &str = "another secret for tests, longer than thirty-two";

#[story::test(|settings| settings.registration = Registration::Closed)]
async fn a_server_closed_to_strangers_opens_no_account(test: &TestApp) {
    let (anyone, email) = (test.anyone(), "ana@example.com");
    let account = json!({ "name": "Ana", "email": email, "password": PASSWORD });
    anyone.post("/api/auth/register", account).await.expect_refusal(403, "REGISTRATION_CLOSED");
    let login = json!({ "email": email, "password": PASSWORD });
    anyone.post("/api/auth/login", login).await.expect_refusal(401, "INVALID_CREDENTIALS");
    test.admin().await.get("/api/auth/me").await.expect(200);
}

#[story::test(|settings| settings.sandbox = Switch::Off)]
async fn a_server_without_a_sandbox_charges_nothing_in_development_and_reads_no_card(
    test: &TestApp,
) {
    let shop = test.shop("ana").await;
    let refused = shop.try_charge(json!({ "amountCents": 100 })).await;
    refused.expect_refusal(503, "UNAVAILABLE");
    let reported = refused.json()["message"].clone();
    assert_eq!(reported, "The sandbox is switched off on this server.");
    let card = json!({
        "number": "4539578763621486", "expMonth": 8, "expYear": 2029, "cvv": "123",
        "holderName": "ANA",
    });
    for body in [card, json!({})] {
        test.anyone().post("/sandbox/card-tokens", body).await.expect_refusal(404, "NOT_FOUND");
    }
    let form = [("number", "4539578763621486"), ("back", "/pay/caneca/card")];
    assert_eq!(test.anyone().submit("/sandbox/card-form", &form).await.status, 404);
}

#[test]
fn what_an_earlier_secret_signed_and_sealed_is_read_until_it_is_forgotten() {
    story_of_lives(
        |_| {},
        async |test| {
            let (token, key) = {
                let shop = Shop::open(&test, "ana").await;
                let token = access_token(&test).await;
                let key = new_key(&test, &token).await;
                drop(shop);
                (token, key)
            };
            let test = test.restarted_where(|settings| {
                settings.secret_key = Some(NEW_SECRET.to_owned());
                settings.secret_key_previous = Some(SECRET.to_owned());
            });
            owner(&test, &token).get("/api/auth/me").await.expect(200);
            assert_eq!(new_key(&test, &token).await, key);
            let later = access_token(&test).await;
            let test = test.restarted_where(|settings| settings.secret_key_previous = None);
            owner(&test, &token).get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
            owner(&test, &later).get("/api/auth/me").await.expect(200);
            test
        },
    );
}

fn owner(test: &TestApp, token: &str) -> Client {
    test.anyone().with("authorization", &format!("Bearer {token}"))
}

async fn access_token(test: &TestApp) -> String {
    let login = json!({ "email": "ana@example.com", "password": PASSWORD });
    let session = test.anyone().post("/api/auth/login", login).await.expect(200);
    session["accessToken"].as_str().expect("gives a token").to_owned()
}

/// Makes a key, or is shown the same one again: the answer is kept sealed.
async fn new_key(test: &TestApp, token: &str) -> Value {
    let wanted = json!({
        "name": "test", "environment": "development", "permissions": ["transactions:read"],
    });
    let owner = owner(test, token).with("idempotency-key", "one key");
    owner.post("/api/credentials", wanted).await.expect(201)["data"]["key"].clone()
}
