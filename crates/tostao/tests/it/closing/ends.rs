//! What ends with an account, at once and for good.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::join_all;
use serde_json::json;
use tostao::people::administrators;
use tostao::people::api::open_account;
use tostao::platform::role::Role;

use super::{CLOSE, close, make_real, pay_for_real, real_key};
use crate::affiliates::{PROGRAMS, Scene, join, program};
use crate::audit::of_all_accounts;
use crate::carts::capture;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, id, listed};
use crate::harness::{TestApp, rate_limited, story_with_restart};
use crate::referrals;
use crate::subscriptions::{plan, subscribe};

const EMAIL: &str = "loja@example.com";

async fn sign_in(test: &TestApp) -> Reply {
    test.anyone().post("/api/auth/login", json!({ "email": EMAIL, "password": PASSWORD })).await
}

/// How many rows a table has.
async fn count(test: &TestApp, table: &str) -> String {
    let sql = format!("select cast(count(*) as text) from {table}");
    Engine::open(test).await.rows(&sql).await.concat().concat()
}

#[story::test]
async fn sessions_keys_and_tokens_of_a_closed_account_end_at_once_and_its_address_is_free(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let real = real_key(&shop).await;
    let before = shop.owner.get("/api/auth/me").await.expect(200);
    let session = sign_in(test).await.expect(200);
    let closed = close(&shop.owner).await.expect(200);
    assert_eq!(closed, json!({ "message": "Account closed.", "retainedUntil": null }));
    shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    for key in [&shop.key, &real] {
        key.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    }
    let token = json!({ "refreshToken": session["refreshToken"] });
    let renewed = test.anyone().post("/api/auth/refresh", token).await;
    renewed.expect_refusal(401, "UNAUTHORIZED");
    let gone = sign_in(test).await;
    gone.expect_refusal(401, "INVALID_CREDENTIALS");
    let no_one = json!({ "email": "nobody@example.com", "password": PASSWORD });
    let unknown = test.anyone().post("/api/auth/login", no_one).await;
    assert_eq!(gone.json()["message"], unknown.json()["message"]);
    let by_id = json!({ "email": before["user"]["id"], "password": "" });
    test.anyone().post("/api/auth/login", by_id).await.expect_refusal(401, "INVALID_CREDENTIALS");
    close(&shop.owner).await.expect_refusal(401, "UNAUTHORIZED");
    test.run_jobs().await;

    let reopened = test.shop("Loja").await;
    let after = reopened.owner.get("/api/auth/me").await.expect(200);
    assert_ne!(after["user"]["id"], before["user"]["id"]);
    assert_eq!(after["user"]["email"], EMAIL);
    reopened.key.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn what_strangers_see_of_a_closed_account_is_switched_off(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let real_other = real_key(&other).await;
    let code = referrals::code(&shop).await;
    let link = shop.link(1_000).await;
    let slug = link["slug"].as_str().expect("has one");
    let product = shop.product(json!({})).await;
    let program = program(&shop, &product, json!({})).await;
    make_real(test).await;
    let plan = plan(&shop, json!({})).await;
    let anyone = test.anyone();
    let public_link = format!("/api/payment-links/public/slug/{slug}");
    let public_plan = format!("/api/subscriptions/public/{}", id(&plan));
    anyone.get(&public_link).await.expect(200);
    anyone.get(&public_plan).await.expect(200);
    assert_eq!(listed(&real_other, "/api/affiliate/marketplace").await, [id(&program)]);
    anyone.get(&format!("/pay/{slug}")).await;

    close(&shop.owner).await.expect(200);
    anyone.get(&public_link).await.expect_refusal(410, "PAYMENT_LINK_INACTIVE");
    let page = anyone.get(&format!("/pay/{slug}")).await;
    assert_eq!(page.status, 410, "{}", page.text);
    let cart = capture(test, &link, "ana@example.com", json!({})).await;
    cart.expect_refusal(410, "PAYMENT_LINK_INACTIVE");
    anyone.get(&public_plan).await.expect_refusal(404, "NOT_FOUND");
    let page = anyone.get(&format!("/subscribe/{}", id(&plan))).await;
    assert_eq!(page.status, 409, "{}", page.text);
    subscribe(test, &plan, json!({})).await.expect_refusal(409, "PLAN_INACTIVE");
    assert!(listed(&real_other, "/api/affiliate/marketplace").await.is_empty());
    let path = format!("/api/affiliate/join/{}", id(&program));
    real_other.post(&path, json!({})).await.expect_refusal(404, "NOT_FOUND");
    let account = json!({
        "name": "Nova", "email": "nova@example.com", "password": PASSWORD, "inviteCode": code,
    });
    let opened = anyone.post("/api/auth/register", account).await.expect(201);
    assert!(opened["warning"].is_string(), "{opened}");
}

#[story::test]
async fn a_coupon_of_a_closed_account_stands_in_the_way_of_no_other_with_its_code(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    for owner in [&shop, &other] {
        owner.key.post("/api/v1/coupons", coupon.clone()).await.expect(201);
    }
    let tried = json!({ "code": "DEZ", "amountCents": 1_000 });
    let validate = async || test.anyone().post("/api/coupons/validate", tried.clone()).await;
    validate().await.expect(400);
    close(&shop.owner).await.expect(200);
    assert_eq!(validate().await.expect(200)["valid"], true);
}

#[story::test]
async fn an_affiliate_who_closed_their_account_earns_nothing_more(test: &TestApp, scene: Scene) {
    let promised = scene.issue(json!({})).await;
    close(&scene.affiliate.owner).await.expect(200);
    // The program's owner sees who had joined, and cannot switch them on again.
    let path = format!("{PROGRAMS}/{}/links", id(&scene.program));
    let row = scene.shop.key.get(&path).await.expect(200)["data"][0].clone();
    assert_eq!((&row["isActive"], &row["affiliate"]["email"]), (&json!(false), &json!("")));
    let switch = format!("/api/affiliate/links/{}", id(&row));
    let on = json!({ "isActive": true });
    let on = scene.shop.key.patch(&switch, on).await.expect(200)["data"].clone();
    assert_eq!(on["isActive"], false, "{on}");
    scene.shop.pay(&promised).await;
    scene.sell(json!({})).await;
    assert_eq!(count(test, "affiliate_commissions").await, "0");
    assert_eq!(scene.shop.available().await, 20_000);
}

#[story::test]
async fn programs_that_a_closed_account_had_joined_in_development_forget_it(test: &TestApp) {
    let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
    let product = shop.product(json!({})).await;
    let program = program(&shop, &product, json!({})).await;
    join(&affiliate, &program).await;
    close(&affiliate.owner).await.expect(200);
    test.run_jobs().await;
    let path = format!("{PROGRAMS}/{}/links", id(&program));
    assert_eq!(shop.key.get(&path).await.expect(200)["data"], json!([]));
}

#[story::test]
async fn pending_events_are_abandoned_and_none_is_emitted_after_closing(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let receiver = Receiver::start().await;
    for owner in [&shop.key, &real_key(&shop).await] {
        let hook = json!({ "url": receiver.url, "events": ["*"] });
        owner.post("/api/webhooks/subscriptions", hook).await.expect(201);
    }
    let charge = shop.charge(1_000).await;
    make_real(test).await;
    let cancel = format!("/api/v1/transactions/{}/cancel", id(&charge));
    real_key(&shop).await.post(&cancel, json!({})).await.expect(200);
    close(&shop.owner).await.expect(200);
    pay_for_real(test, &charge, 1, 1_000).await;
    test.run_jobs().await;
    assert!(receiver.take().is_empty());
    for table in ["events", "webhook_deliveries", "idempotency_keys"] {
        assert_eq!(count(test, table).await, "0", "{table}");
    }
}

#[story::test]
async fn a_buyer_can_neither_begin_nor_renew_a_payment_at_a_closed_account(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(1_000).await;
    let charge = shop.charge(1_000).await;
    test.run_jobs_after(Duration::from_hours(24 * 8)).await;
    close(&test.shop_again("Loja").await.owner).await.expect(200);
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/checkout");
    let body = json!({
        "method": "PIX", "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    test.anyone().post(&path, body).await.expect_refusal(410, "PAYMENT_LINK_INACTIVE");
    let page = charge["paymentUrl"].as_str().expect("has one");
    let (page, token) = page.split_once("?token=").expect("has a token");
    let path = format!("/pay/{}/renew", page.split_once("/pay/").expect("is a page").1);
    let renewed = test.anyone().submit(&path, &[("token", token)]).await;
    assert_eq!(renewed.status, 410, "{}", renewed.text);
    assert_eq!(count(test, "transactions").await, "1");
}

#[story::test(rate_limited)]
async fn a_key_a_stranger_and_a_wrong_password_close_nothing(test: &TestApp, shop: Shop) {
    close(&shop.key).await.expect_refusal(401, "UNAUTHORIZED");
    close(&test.anyone()).await.expect_refusal(401, "UNAUTHORIZED");
    let missing = shop.owner.post(CLOSE, json!({})).await;
    assert_eq!(missing.expect_refusal(400, "VALIDATION_ERROR"), ["password"]);
    for _ in 0..5 {
        let refused = shop.owner.post(CLOSE, json!({ "password": "a guess" })).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
    }
    // Opening the shop has signed in once.
    close(&shop.owner).await.expect_refusal(429, "RATE_LIMITED");
    shop.owner.get("/api/auth/me").await.expect(200);
    shop.key.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn an_account_is_closed_once_however_often_that_is_asked_for_at_once(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let admin = test.admin().await;
    let asked = join_all((0..8).map(|_| close(&shop.owner))).await;
    let mut answers: Vec<_> = asked.iter().map(|answer| answer.status).collect();
    answers.sort_unstable();
    // A request that finds the queue for passwords full is to be retried.
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 200 | 401 | 429)), "{answers:?}");
    let entries = of_all_accounts(&admin, "account.closed").await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["details"], json!({ "keysRevoked": 1, "sessionsEnded": 1 }));
    assert_eq!(entries[0]["actor"]["kind"], "owner");
    let merchant = entries[0]["userId"].as_str().expect("is named");
    let path = format!("/api/admin/audit?userId={merchant}");
    let all = admin.get(&path).await.expect(200);
    assert!(all["pagination"]["total"].as_i64() > Some(1), "{all}");
}

#[story::test]
async fn the_address_of_a_closed_account_can_become_an_administrators(test: &TestApp, shop: Shop) {
    close(&shop.owner).await.expect(200);
    let made = open_account(&test.app, "Chefe", EMAIL, PASSWORD, Role::Admin).await;
    let made = made.expect("is opened");
    let listed = test.app.read(async |tx| administrators::list(tx).await).await;
    let ids: Vec<_> = listed.expect("are listed").iter().map(|one| one.id).collect();
    assert_eq!(ids, [made.id]);
    let revoke = async |tx: &Tx| {
        administrators::revoke(tx, EMAIL, administrators::LastAdministratorPolicy::Revoke).await
    };
    test.app.transact(revoke).await.expect("is revoked");
    let session = sign_in(test).await.expect(200);
    assert_eq!(session["user"]["role"], "MERCHANT");
}

#[test]
fn development_data_never_keeps_an_account_open_and_is_deleted_also_after_a_restart() {
    story_with_restart(
        async |test| {
            let shop = test.shop("Loja").await;
            shop.earn(1_000).await;
            shop.charge(1_000).await;
            shop.product(json!({})).await;
            let club = plan(&shop, json!({ "trialDays": 7 })).await;
            subscribe(test, &club, json!({})).await.expect(201);
            close(&shop.owner).await.expect(200);
        },
        async |test, ()| {
            test.run_jobs().await;
            for table in ["transactions", "subscriptions", "clients", "products", "events"] {
                assert_eq!(count(test, table).await, "0", "{table}");
            }
            // The account's own job looks once more on the next day.
            assert_eq!(count(test, "jobs").await, "1");
            test.run_jobs_after(Duration::from_hours(25)).await;
            assert_eq!(count(test, "jobs").await, "0");
        },
    );
}
