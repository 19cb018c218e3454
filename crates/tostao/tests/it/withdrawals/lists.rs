//! Lists: a merchant's own withdrawals, and everybody's for administrators.

use serde_json::{Value, json};

use super::{PATH, process, send, withdraw};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, ids, listed};

#[story::test]
async fn a_merchant_finds_a_withdrawal_by_its_reference_at_the_bank(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    withdraw(&shop, 1_000, "ana@example.com").await;
    let second = send(test, &shop, "ana@example.com").await;
    withdraw(&shop, 1_000, "ana@example.com").await;
    let reference = id(&second).replace('-', "");
    let found = listed(&shop.key, &format!("{PATH}?externalId={reference}")).await;
    assert_eq!(found, ids(&[&second]));
}

#[story::test]
async fn administrators_find_the_withdrawals_of_all_merchants_or_of_one(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    shop.earn(5_000).await;
    other.earn(5_000).await;
    let waits = withdraw(&shop, 1_000, "ana@example.com").await;
    let also_waits = withdraw(&other, 1_000, "ana@example.com").await;
    let in_flight = withdraw(&shop, 1_000, "slow@example.com").await;
    let ended = withdraw(&shop, 1_000, "key-not-found@example.com").await;
    let admin = test.admin().await;
    for approved in [&in_flight, &ended] {
        process(&admin, approved, json!({})).await.expect(200);
    }
    test.run_jobs().await;
    let of_one = format!("?userId={}", waits["userId"].as_str().expect("has one"));
    let table: [(&str, &[&Value]); 4] = [
        ("", &[&ended, &in_flight, &also_waits, &waits]),
        ("?status=PENDING&processed=false", &[&also_waits, &waits]),
        ("?status=PENDING&processed=true", &[&in_flight]),
        (&of_one, &[&ended, &in_flight, &waits]),
    ];
    for (query, found) in table {
        let path = format!("/api/admin/withdraws{query}");
        assert_eq!(listed(&admin, &path).await, ids(found), "{query}");
    }
}
