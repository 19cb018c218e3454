//! What a credential stands for.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::Shop;

const PATH: &str = "/api/whoami";

#[story::test]
async fn a_key_learns_its_account_its_mode_and_what_it_may_do(test: &TestApp, shop: Shop) {
    let key = shop.key_for("production", &["webhooks:read"]).await;
    let caller = key.get(PATH).await.expect(200)["data"].clone();
    assert_eq!(caller["account"]["name"], "Loja");
    assert_eq!(caller["environment"], "production");
    assert_eq!(caller["permissions"], json!(["webhooks:read"]));
    assert!(caller["keyId"].is_string() && caller["keyName"].is_string());
    let _ = test;
}

#[story::test]
async fn an_owner_may_do_everything_and_has_no_key(test: &TestApp, shop: Shop) {
    let caller = shop.owner.get(PATH).await.expect(200)["data"].clone();
    assert_eq!((&caller["keyId"], &caller["expiresAt"]), (&Value::Null, &Value::Null));
    let all = caller["permissions"].as_array().expect("is a list").len();
    assert_eq!(all, tostao::platform::permissions::Permission::ALL.len());
    test.anyone().get(PATH).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn the_time_is_that_of_the_environment(test: &TestApp, shop: Shop) {
    let hour = json!({ "seconds": 3_600 });
    shop.key.post("/api/dev/clock/advance", hour).await.expect(200);
    let ahead = test.app.now().plus(Duration::from_hours(1)).to_string();
    assert_eq!(shop.key.get(PATH).await.expect(200)["data"]["now"], ahead);
    let real = shop.owner.get(PATH).await.expect(200)["data"]["now"].clone();
    assert_eq!(real, test.app.now().to_string());
}
