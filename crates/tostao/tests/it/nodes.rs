//! Two nodes on one database: what each of them keeps for itself, and for how long.

use std::time::Duration;

use serde_json::json;

use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, rate_limited_to};

const TRANSACTIONS: &str = "/api/v1/transactions";
/// From then on a node counts rows for good.
const SETTLED: Duration = Duration::from_mins(6);

#[story::test]
async fn a_page_shows_what_another_node_changed_after_a_second(test: &TestApp, shop: Shop) {
    let Some(other) = test.another_node() else { return };
    let link = shop.link(10_000).await;
    let address = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let page = test.anyone().at(&other).with("accept", "text/html");
    let title = async || {
        let shown = Page::of(page.get(&address).await, 200);
        ["Caneca", "Copo"].into_iter().find(|title| shown.says(title))
    };
    assert_eq!(title().await, Some("Caneca"));
    let path = format!("/api/v1/payment-links/{}", id(&link));
    shop.key.patch(&path, json!({ "title": "Copo" })).await.expect(200);
    // The page that is kept, and nothing that is charged: prices are read from the rows.
    assert_eq!(title().await, Some("Caneca"));
    test.pass(Duration::from_secs(1));
    assert_eq!(title().await, Some("Copo"));
}

#[story::test]
async fn a_total_counts_what_another_node_has_stored_and_deleted(test: &TestApp, shop: Shop) {
    let Some(other) = test.another_node() else { return };
    let there = shop.key.at(&other);
    for expected in 1..=3 {
        shop.charge(1_000).await;
        assert_eq!(there.total(TRANSACTIONS).await, expected);
        test.pass(SETTLED);
        assert_eq!(there.total(TRANSACTIONS).await, expected);
    }
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    assert_eq!(there.total(TRANSACTIONS).await, 0);
}

#[story::test(rate_limited_to("coupon_address=2/60"))]
async fn each_node_counts_the_requests_that_it_gets(test: &TestApp) {
    let Some(other) = test.another_node() else { return };
    let tried = async |node: &TestApp| {
        let body = json!({ "code": "DEZ", "amountCents": 1_000 });
        test.anyone().at(node).post("/api/coupons/validate", body).await.status
    };
    for node in [test, &other] {
        assert_eq!([tried(node).await, tried(node).await, tried(node).await], [400, 400, 429]);
    }
}

#[story::test]
async fn a_key_that_is_revoked_on_one_node_opens_no_door_of_another(test: &TestApp, shop: Shop) {
    let Some(other) = test.another_node() else { return };
    let there = shop.key.at(&other);
    there.get(TRANSACTIONS).await.expect(200);
    let keys = shop.owner.list("/api/credentials").await;
    let path = format!("/api/credentials/{}", id(&keys[0]));
    shop.owner.delete(&path).await.expect(200);
    there.get(TRANSACTIONS).await.expect_refusal(401, "UNAUTHORIZED");
}
