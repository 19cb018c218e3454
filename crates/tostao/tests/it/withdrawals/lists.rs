//! Lists: a merchant's own withdrawals, and everybody's for administrators.

use std::time::Duration;

use serde_json::{Value, json};

use super::{PATH, path, process, withdraw};
use crate::harness::shop::{id, ids, listed};
use crate::harness::story;

#[test]
fn a_merchant_filters_their_withdrawals_by_every_field() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        shop.earn(5_000).await;
        let first = withdraw(&shop, 1_000, "ana@example.com").await;
        shop.key.post(&path(&first, "/cancel"), json!({})).await.expect(200);
        test.pass(Duration::from_mins(1));
        let second = withdraw(&shop, 1_000, "ana@example.com").await;
        process(&test.admin().await, &second, json!({})).await.expect(200);
        test.run_jobs().await;
        test.pass(Duration::from_mins(1));
        let third = withdraw(&shop, 1_000, "ana@example.com").await;
        let reference = id(&second).replace('-', "");
        let by_reference = format!("?externalId={reference}");
        let table: [(&str, &[&Value]); 8] = [
            ("", &[&third, &second, &first]),
            ("?status=FAILED", &[&first]),
            ("?status=COMPLETED", &[&second]),
            ("?status=PENDING", &[&third]),
            ("?createdFrom=2026-11-21T12:01:00Z", &[&third, &second]),
            ("?createdTo=2026-11-21T12:01:00Z", &[&first]),
            ("?limit=1&page=2", &[&second]),
            (&by_reference, &[&second]),
        ];
        for (query, found) in table {
            assert_eq!(listed(&shop.key, &format!("{PATH}{query}")).await, ids(found), "{query}");
        }
        let page = shop.key.get(&format!("{PATH}?limit=2&cursor=")).await.expect(200);
        let cursor = page["pagination"]["nextCursor"].as_str().expect("there is more");
        let rest = listed(&shop.key, &format!("{PATH}?limit=2&cursor={cursor}")).await;
        assert_eq!(rest, ids(&[&first]));
        let wrong = shop.key.get(&format!("{PATH}?status=PAID")).await;
        wrong.expect_refusal(400, "VALIDATION_ERROR");
    });
}

#[test]
fn an_administrator_lists_what_is_pending_in_every_account() {
    story(async |test| {
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
        let table: [(&str, &[&Value]); 6] = [
            ("", &[&ended, &in_flight, &also_waits, &waits]),
            ("?status=PENDING&processed=false", &[&also_waits, &waits]),
            ("?status=PENDING&processed=true", &[&in_flight]),
            ("?status=FAILED", &[&ended]),
            ("?limit=1&page=3", &[&also_waits]),
            (&of_one, &[&ended, &in_flight, &waits]),
        ];
        for (query, found) in table {
            let path = format!("/api/admin/withdraws{query}");
            assert_eq!(listed(&admin, &path).await, ids(found), "{query}");
        }
        let real = admin.with("x-dev-mode", "false");
        assert!(listed(&real, "/api/admin/withdraws").await.is_empty());
        assert_eq!(listed(&shop.key, PATH).await.len(), 3);
    });
}
