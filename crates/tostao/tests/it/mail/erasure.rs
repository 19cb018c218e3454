//! What of mails is deleted, and when.

use std::time::Duration;

use serde_json::json;
use tostao::housekeeping;

use super::{forget, invite, standing};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop};
use crate::harness::smtp::story_with_mail;
use crate::withdrawals::{GOOD, process, withdraw};

const DAY: Duration = Duration::from_secs(24 * 3_600);
const MOMENT: Duration = Duration::from_millis(1);

/// A withdrawal of simulated money, and the mail about it.
async fn withdrawn(test: &TestApp, shop: &Shop) {
    shop.earn(5_000).await;
    let withdrawal = withdraw(shop, 1_000, GOOD).await;
    process(&test.admin().await, &withdrawal, json!({})).await.expect(200);
    test.run_jobs().await;
}

#[test]
fn a_mail_is_listed_for_thirty_days() {
    story_with_mail(async |test, _server| {
        let shop = test.shop("Loja").await;
        invite(&shop.owner, "bia@example.com").await;
        withdrawn(test, &shop).await;
        let both = ["invitation SENT", "withdrawal_completed KEPT"];
        assert_eq!(standing(test).await, both);
        test.pass((30 * DAY).saturating_sub(MOMENT));
        housekeeping::run(&test.app).await.expect("is tidied up");
        assert_eq!(standing(test).await, both);
        test.pass(MOMENT + MOMENT);
        housekeeping::run(&test.app).await.expect("is tidied up");
        assert!(standing(test).await.is_empty());
    });
}

#[story::test]
async fn an_expired_link_is_deleted(test: &TestApp, shop: Shop) {
    drop(shop);
    forget(test, "loja@example.com").await;
    let links = async || Engine::open(test).await.rows("select 'one' from password_resets").await;
    assert_eq!(links().await.len(), 1);
    test.pass(Duration::from_secs(30 * 60));
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert!(links().await.is_empty());
}

#[story::test]
async fn starting_over_deletes_the_mails_of_development_alone(test: &TestApp, shop: Shop) {
    invite(&shop.owner, "bia@example.com").await;
    withdrawn(test, &shop).await;
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    let left = standing(test).await;
    assert_eq!(left, ["invitation WAITING"]);
}

#[story::test]
async fn closing_an_account_deletes_its_mails_and_those_to_its_people(test: &TestApp, shop: Shop) {
    invite(&shop.owner, "bia@example.com").await;
    forget(test, "loja@example.com").await;
    let other = test.shop("Outra").await;
    invite(&other.owner, "bia@example.com").await;
    let close = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    test.run_jobs().await;
    test.run_jobs_after(DAY).await;
    assert_eq!(standing(test).await.len(), 1);
    let [mail] = test.shop_again("Outra").await.owner.list("/api/mails").await.try_into().unwrap();
    assert_eq!(mail["kind"], "invitation");
    let links = Engine::open(test).await.rows("select 'one' from password_resets").await;
    assert!(links.is_empty());
}
