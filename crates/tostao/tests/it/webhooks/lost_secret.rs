//! Webhooks that were sealed with a secret which the server no longer has.

use std::time::Duration;

use serde_json::json;

use crate::audit::only;
use crate::harness::database::SECRET;
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_of_lives};
use crate::webhooks::signature::{secret, signs_body};
use crate::webhooks::{
    SUBSCRIPTIONS, SUBSCRIPTIONS_V1, change, emit, latest, path, read, subscribe,
};

const NEW_SECRET: &str = "another secret for tests, longer than thirty-two";
const QUERY: &str = "token=abc&loja=1";

/// Starts the product again with another secret, and without the one before.
async fn without_the_old_secret(test: TestApp) -> (TestApp, Shop) {
    let test = test.restarted_where(|settings| settings.secret_key = Some(NEW_SECRET.to_owned()));
    let shop = test.shop_again("Loja").await;
    (test, shop)
}

#[test]
fn a_webhook_that_cannot_be_read_is_listed_without_its_query_and_can_be_renewed() {
    story_of_lives(
        |_| {},
        async |test| {
            let receiver = Receiver::start().await;
            let url = format!("{}?{QUERY}", receiver.url);
            let hook = subscribe(&test.shop("Loja").await.key, &url, &["*"]).await;
            let (test, shop) = without_the_old_secret(test).await;
            let hidden = format!("{}?…", receiver.url);
            assert_eq!(read(&shop.key, &hook).await["url"], hidden);
            for list in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
                assert_eq!(shop.key.get(list).await.expect(200)["data"][0]["url"], hidden);
            }
            let described = change(&shop.key, &hook, json!({ "description": "a mesma" })).await;
            assert_eq!(described["url"], hidden);
            let back = shop.key.put(&path(&hook, ""), json!({ "url": hidden })).await;
            assert_eq!(back.expect_refusal(400, "INVALID_WEBHOOK_URL"), ["url"]);

            let rotated = shop.key.post(&path(&hook, "/rotate-secret"), json!({})).await;
            let rotated = rotated.expect(200)["data"].clone();
            assert_eq!(rotated["url"], hidden);
            assert_ne!(secret(&rotated), secret(&hook));
            change(&shop.key, &hook, json!({ "url": url })).await;
            emit(&test, &shop).await;
            let delivery = receiver.take_one();
            assert_eq!(delivery.uri.query(), Some(QUERY));
            assert!(signs_body(secret(&rotated), &delivery));
            assert_eq!(delivery.header("webhook-signature").split(' ').count(), 1);
            test
        },
    );
}

#[test]
fn a_delivery_that_cannot_be_addressed_or_signed_is_tried_again_and_made_once_the_secret_is_back() {
    for query in ["", "?token=abc"] {
        story_of_lives(
            |_| {},
            async |test| {
                let receiver = Receiver::start().await;
                let url = format!("{}{query}", receiver.url);
                let hook = subscribe(&test.shop("Loja").await.key, &url, &["*"]).await;
                let (test, shop) = without_the_old_secret(test).await;
                emit(&test, &shop).await;
                assert_eq!(receiver.take_names(), [""; 0]);
                let delivery = latest(&shop.key, &hook).await;
                let reported =
                    ["status", "attempts", "lastError"].map(|name| delivery[name].clone());
                assert_eq!(reported, [json!("PENDING"), json!(1), json!("unreadable")]);
                assert!(delivery["nextAttemptAt"].is_string(), "{delivery}");
                assert_eq!(read(&shop.key, &hook).await["isActive"], true);
                drop(shop);
                let test = test.restarted_where(|settings| {
                    settings.secret_key_previous = Some(SECRET.to_owned());
                });
                test.run_jobs_after(Duration::from_mins(1)).await;
                assert_eq!(receiver.take_names(), ["product.created"]);
                let shop = test.shop_again("Loja").await;
                let delivery = latest(&shop.key, &hook).await;
                let reported = ["status", "attempts"].map(|name| delivery[name].clone());
                assert_eq!(reported, [json!("DELIVERED"), json!(2)]);
                test
            },
        );
    }
}

#[test]
fn a_webhook_that_cannot_be_read_for_five_days_is_switched_off_like_any_that_fails() {
    story_of_lives(
        |_| {},
        async |test| {
            let receiver = Receiver::start().await;
            let hook = subscribe(&test.shop("Loja").await.key, &receiver.url, &["*"]).await;
            let (test, shop) = without_the_old_secret(test).await;
            for _ in 0..2 {
                emit(&test, &shop).await;
                assert_eq!(read(&shop.key, &hook).await["isActive"], true);
                test.pass(Duration::from_hours(60));
            }
            emit(&test, &shop).await;
            let shop = test.shop_again("Loja").await;
            let off = read(&shop.key, &hook).await;
            assert_eq!(
                (&off["isActive"], &off["disabledReason"]),
                (&json!(false), &json!("failing"))
            );
            let entry = only(&shop.owner, "webhook.disabled").await;
            assert_eq!(entry["details"]["reason"], "failing");
            assert_eq!(entry["subjectId"], hook["id"]);
            test
        },
    );
}

#[test]
fn a_secret_in_its_grace_that_cannot_be_read_leaves_the_new_one_to_sign_alone() {
    story_of_lives(
        |_| {},
        async |test| {
            let receiver = Receiver::start().await;
            let hook = subscribe(&test.shop("Loja").await.key, &receiver.url, &["*"]).await;
            let test = test.restarted_where(|settings| {
                settings.secret_key = Some(NEW_SECRET.to_owned());
                settings.secret_key_previous = Some(SECRET.to_owned());
            });
            let shop = test.shop_again("Loja").await;
            let rotate = path(&hook, "/rotate-secret");
            let rotated = shop.key.post(&rotate, json!({})).await.expect(200)["data"].clone();
            drop(shop);
            let test = test.restarted_where(|settings| settings.secret_key_previous = None);
            let shop = test.shop_again("Loja").await;
            emit(&test, &shop).await;
            let delivery = receiver.take_one();
            assert!(signs_body(secret(&rotated), &delivery));
            assert_eq!(delivery.header("webhook-signature").split(' ').count(), 1);
            assert_eq!(latest(&shop.key, &hook).await["status"], "DELIVERED");
            test
        },
    );
}

#[test]
fn an_answer_that_cannot_be_read_is_refused_and_what_it_answered_is_not_done_again() {
    story_of_lives(
        |_| {},
        async |test| {
            let shop = test.shop("Loja").await;
            let body = json!({ "url": "https://example.com/hook", "events": ["*"] });
            let once = shop.key.with("idempotency-key", "one webhook");
            once.post(SUBSCRIPTIONS, body.clone()).await.expect(201);
            drop((shop, once));
            let (test, shop) = without_the_old_secret(test).await;
            let again = shop.key.with("idempotency-key", "one webhook");
            again.post(SUBSCRIPTIONS, body).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
            assert_eq!(shop.key.total(SUBSCRIPTIONS).await, 1);
            test
        },
    );
}
