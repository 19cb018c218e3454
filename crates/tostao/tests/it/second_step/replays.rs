//! A retry after the ten minutes: what was done is answered again, and nothing new is done.

use std::time::Duration;

use serde_json::json;

use super::{Device, EMAIL};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::members::{invite, member, person};

const ELEVATE: &str = "/api/auth/elevate";
const MINUTES: Duration = Duration::from_mins(10);
const BIA: &str = "bia@example.com";

#[story::test]
async fn a_retry_gets_the_first_response_and_a_new_request_is_refused(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    member(test, &shop, BIA, "VIEWER").await;
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    let role = |role: &str| json!({ "role": role });
    let once = shop.owner.with("idempotency-key", "a-change-of-role");
    let first = once.patch(&path, role("SUPPORT")).await;
    first.expect(200);
    test.pass(MINUTES);
    let again = once.patch(&path, role("SUPPORT")).await;
    assert_eq!(again.expect(200), first.json());
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other = once.patch(&path, role("FINANCE")).await;
    other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    // A refusal for want of a code is not the response of the key.
    let next = shop.owner.with("idempotency-key", "the-next-change");
    next.patch(&path, role("FINANCE")).await.expect_refusal(403, "ELEVATION_REQUIRED");
    shop.owner.patch(&path, role("FINANCE")).await.expect_refusal(403, "ELEVATION_REQUIRED");
    let code = json!({ "code": device.code(test, 0) });
    shop.owner.post(ELEVATE, code).await.expect(200);
    assert_eq!(next.patch(&path, role("FINANCE")).await.expect(200)["data"]["role"], "FINANCE");
}

#[story::test]
async fn a_retry_shows_a_secret_again_only_to_who_could_have_it_made(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let once = shop.owner.with("idempotency-key", "one-invitation");
    let first = invite(&once, BIA, "VIEWER").await;
    test.pass(MINUTES);
    let wanted = json!({ "email": BIA, "role": "VIEWER" });
    let refused = once.post("/api/invitations", wanted).await;
    refused.expect_refusal(403, "ELEVATION_REQUIRED");
    assert!(!refused.text.contains(first["token"].as_str().expect("is shown")));
    let code = json!({ "code": device.code(test, 0) });
    shop.owner.post(ELEVATE, code).await.expect(200);
    let again = invite(&once, BIA, "VIEWER").await;
    assert_eq!((id(&again), &again["token"]), (id(&first), &first["token"]));
    assert_eq!(shop.owner.list("/api/invitations").await.len(), 1, "{EMAIL} made one");
}
