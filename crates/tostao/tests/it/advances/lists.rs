//! Lists: a merchant's own advances, and everybody's for administrators.

use std::time::Duration;

use serde_json::{Value, json};

use super::{PATH, approved, decide, path, request, sell, slices};
use crate::harness::shop::{ids, listed};
use crate::harness::story;

#[test]
fn a_merchant_filters_their_advances_by_every_field() {
    story(async |test| {
        let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
        let first = request(&shop, 1_000).await;
        shop.key.post(&path(&first, "cancel"), json!({})).await.expect(200);
        test.pass(Duration::from_mins(1));
        let second = request(&shop, 1_000).await;
        decide(test, &second, "reject").await.expect(200);
        test.pass(Duration::from_mins(1));
        sell(test, &shop, 10_000, 2).await;
        let third = approved(test, &shop, 6_000).await;
        request(&other, 1_000).await;
        let table: [(&str, &[&Value]); 8] = [
            ("", &[&third, &second, &first]),
            ("?status=CANCELLED", &[&first]),
            ("?status=REJECTED", &[&second]),
            ("?status=APPROVED", &[&third]),
            ("?status=SETTLED", &[]),
            ("?createdFrom=2026-11-21T12:01:00Z", &[&third, &second]),
            ("?createdTo=2026-11-21T12:01:00Z", &[&first]),
            ("?limit=1&page=2", &[&second]),
        ];
        for (query, found) in table {
            assert_eq!(listed(&shop.key, &format!("{PATH}{query}")).await, ids(found), "{query}");
        }
        let page = shop.key.get(&format!("{PATH}?limit=2&cursor=")).await.expect(200);
        assert_eq!(page["pagination"]["total"], 3);
        assert_eq!(slices(&page["data"][0]), slices(&third));
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
        let rejected = request(&shop, 1_000).await;
        decide(test, &rejected, "reject").await.expect(200);
        let waits = request(&shop, 1_000).await;
        sell(test, &other, 10_000, 1).await;
        let out = approved(test, &other, 1_000).await;
        let admin = test.admin().await;
        let of_one = format!("?userId={}", waits["userId"].as_str().expect("has one"));
        let table: [(&str, &[&Value]); 5] = [
            ("", &[&out, &waits, &rejected]),
            ("?status=PENDING", &[&waits]),
            ("?status=APPROVED", &[&out]),
            ("?limit=1&page=3", &[&rejected]),
            (&of_one, &[&waits, &rejected]),
        ];
        for (query, found) in table {
            let path = format!("/api/admin/advances{query}");
            assert_eq!(listed(&admin, &path).await, ids(found), "{query}");
        }
        let shown = admin.get("/api/admin/advances?status=APPROVED").await.expect(200);
        assert_eq!(shown["data"][0], out);
        assert!(listed(&admin.with("x-dev-mode", "false"), "/api/admin/advances").await.is_empty());
        let refused = shop.owner.get("/api/admin/advances").await;
        refused.expect_refusal(403, "ADMIN_REQUIRED");
    });
}
