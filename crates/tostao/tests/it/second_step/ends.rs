//! What ends a second step with its person, and what outlives the server's secret.

use serde_json::json;
use tostao::people::administrators;
use tostao::platform::config::Settings;
use tostao::{housekeeping, resealing};

use super::{Device, EMAIL, STEP, sign_in, state};
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::harness::{TestApp, story_of_lives};
use crate::members::{acceptance, invite, member, person};

const BIA: &str = "bia@example.com";
const OLD: &str = "a secret for tests, longer than thirty-two";
const NEW: &str = "another secret for tests, longer than thirty-two";

/// How many rows are left of second steps.
async fn left(test: &TestApp) -> String {
    let sql = "select cast((select count(*) from second_steps)
                           + (select count(*) from backup_codes) as text)";
    Engine::open(test).await.rows(sql).await.concat().concat()
}

#[story::test]
async fn a_removed_member_loses_the_second_step_with_their_last_account(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let bia = member(test, &shop, BIA, "VIEWER").await;
    let device = Device::enrolled(test, &bia).await;
    let invitation = invite(&other.owner, BIA, "VIEWER").await;
    test.anyone().post("/api/invitations/accept", acceptance(&invitation)).await.expect(200);
    let path = format!("/api/members/{}", person(&shop.owner, BIA).await);
    shop.owner.delete(&path).await.expect(200);
    sign_in(test, BIA, None).await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    sign_in(test, BIA, Some(&device.code(test, 1))).await.expect(200);
    assert_eq!(left(test).await, "11");
    other.owner.delete(&path).await.expect(200);
    sign_in(test, BIA, None).await.expect_refusal(401, "INVALID_CREDENTIALS");
    assert_eq!(left(test).await, "0");
    let bia = member(test, &shop, BIA, "VIEWER").await;
    assert_eq!(state(&bia).await["enabled"], false);
}

#[story::test]
async fn closing_an_account_ends_the_second_steps_of_its_people(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let bia = member(test, &shop, BIA, "VIEWER").await;
    Device::enrolled(test, &bia).await;
    assert_eq!(left(test).await, "22");
    let close = async |code: &str| {
        let close = json!({ "password": PASSWORD, "code": code });
        shop.owner.post("/api/auth/account/close", close).await
    };
    close("").await.expect_refusal(401, "TWO_FACTOR_REQUIRED");
    let wrong = device.wrong_code(test);
    close(&wrong).await.expect_refusal(401, "TWO_FACTOR_CODE_INVALID");
    assert_eq!(left(test).await, "22");
    close(&device.code(test, 1)).await.expect(200);
    assert_eq!(left(test).await, "0");
}

#[story::test]
async fn what_an_older_version_left_of_a_person_is_deleted(test: &TestApp, shop: Shop) {
    Device::enrolled(test, &shop.owner).await;
    let close = "update merchants set closed_at = 1, email = 'closed' where email = \
                 'loja@example.com'";
    Engine::open(test).await.rows(close).await;
    housekeeping::run(&test.app).await.expect("runs");
    assert_eq!(left(test).await, "0");
}

#[story::test]
async fn an_account_that_becomes_an_administrators_has_no_second_step_from_before(
    test: &TestApp,
    shop: Shop,
) {
    Device::enrolled(test, &shop.owner).await;
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant = id(&me["user"]).parse().expect("is an id");
    let hash = "a hash";
    let grant = async move |tx: &_| administrators::grant(tx, merchant, hash).await;
    test.app.transact(grant).await.expect("is granted");
    assert_eq!(left(test).await, "0");
}

#[test]
fn a_second_step_outlives_the_servers_secret() {
    let sealed = |settings: &mut Settings| settings.secret_key = Some(OLD.to_owned());
    story_of_lives(sealed, async |test| {
        let device = Device::enrolled(&test, &test.shop("Loja").await.owner).await;
        let test = test.restarted_where(|settings| {
            settings.secret_key = Some(NEW.to_owned());
            settings.secret_key_previous = Some(OLD.to_owned());
        });
        sign_in(&test, EMAIL, Some(&device.code(&test, 1))).await.expect(200);
        let resealed = resealing::reseal(&test.app).await.expect("is sealed again");
        assert_eq!((resealed.second_steps.previous, resealed.second_steps.current), (1, 0));
        let resealed = resealing::reseal(&test.app).await.expect("is sealed again");
        assert_eq!((resealed.second_steps.previous, resealed.second_steps.current), (0, 1));
        let test = test.restarted_where(|settings| settings.secret_key_previous = None);
        test.pass(STEP);
        sign_in(&test, EMAIL, Some(&device.code(&test, 1))).await.expect(200);
        test
    });
}
