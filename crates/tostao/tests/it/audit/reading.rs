//! Who reads which entries, and how they are listed.

use super::account;
use serde_json::{Value, json};

use crate::audit::of_all_accounts;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, ids};

#[story::test]
async fn an_owner_reads_only_their_own_accounts_entries_in_both_modes(shop: Shop, other: Shop) {
    shop.key_for("production", &["products:read"]).await;
    let log = shop.owner.get("/api/audit").await.expect(200);
    let own = account(&shop.owner).await;
    let data = log["data"].as_array().expect("is a list");
    assert!(data.iter().all(|entry| entry["userId"] == own.as_str()));
    let modes: Vec<_> = data.iter().map(|entry| &entry["environment"]).collect();
    assert!(modes.contains(&&json!("production")) && modes.contains(&&json!("development")));
    let developer = shop.owner.with("x-dev-mode", "true");
    assert_eq!(developer.get("/api/audit").await.expect(200), log);
    let seen = ids(&data.iter().collect::<Vec<_>>());
    let others = other.owner.get("/api/audit?limit=100").await.text;
    assert!(seen.iter().all(|entry| !others.contains(entry)));
}

#[story::test]
async fn an_administrator_reads_all_entries_or_one_accounts(test: &TestApp, shop: Shop) {
    test.shop("Outra").await;
    let admin = test.admin().await;
    let whose = |entries: Vec<Value>| {
        let mut whose: Vec<_> = entries.iter().map(|entry| entry["userId"].clone()).collect();
        whose.sort_by_key(Value::to_string);
        whose.dedup();
        whose.len()
    };
    assert_eq!(whose(of_all_accounts(&admin, "api_key.created").await), 2);
    let path = format!("/api/admin/audit?userId={}", account(&shop.owner).await);
    let of_one = admin.get(&path).await.expect(200);
    let own = shop.owner.get("/api/audit").await.expect(200);
    assert_eq!(of_one["data"], own["data"]);
}
