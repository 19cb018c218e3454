//! Lists: the advances of all merchants, for administrators.

use serde_json::Value;

use super::{approved, decide, request, sell};
use crate::harness::TestApp;
use crate::harness::shop::{ids, listed};

#[story::test]
async fn administrators_find_the_advances_of_all_merchants_or_of_one(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let rejected = request(&shop, 1_000).await;
    decide(test, &rejected, "reject").await.expect(200);
    let waits = request(&shop, 1_000).await;
    sell(test, &other, 10_000, 1).await;
    let out = approved(test, &other, 1_000).await;
    let admin = test.admin().await;
    let of_one = format!("?userId={}", waits["userId"].as_str().expect("has one"));
    let table: [(&str, &[&Value]); 2] =
        [("", &[&out, &waits, &rejected]), (&of_one, &[&waits, &rejected])];
    for (query, found) in table {
        let path = format!("/api/admin/advances{query}");
        assert_eq!(listed(&admin, &path).await, ids(found), "{query}");
    }
    let shown = admin.get("/api/admin/advances?status=APPROVED").await.expect(200);
    assert_eq!(shown["data"][0], out);
}
