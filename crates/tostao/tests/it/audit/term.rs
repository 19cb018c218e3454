//! Entries do not change, and stay for their term.

use std::time::Duration;

use tostao::housekeeping;

use crate::audit::entries;
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const DAY: Duration = Duration::from_hours(24);

async fn try_to(test: &TestApp, sql: &'static str) -> Result<u64, String> {
    let tampered = test.app.transact(async move |tx| Ok(tx.exec(sql, &[]).await?));
    tampered.await.map_err(|error| error.to_string())
}

#[story::test]
async fn an_entry_can_be_neither_changed_nor_deleted_within_a_year(test: &TestApp, shop: Shop) {
    let before = shop.owner.get("/api/audit?action=api_key.created").await.expect(200);
    test.pass((365 * DAY).saturating_sub(Duration::from_millis(1)));
    let shop_again = test.shop_again("Loja").await;
    for sql in ["update audit_log set action = 'nothing'", "delete from audit_log"] {
        let refused = try_to(test, sql).await.expect_err("is append-only");
        assert!(refused.contains("audit_log is append-only"), "{refused}");
    }
    let created = entries(&shop_again.owner, "api_key.created").await;
    let first = before["data"].as_array().expect("is a list").last().expect("is one");
    assert_eq!(created.last(), Some(first));
}

#[story::test(|settings| settings.audit_days = 400)]
async fn entries_are_forgotten_after_the_days_that_are_set(test: &TestApp) {
    test.shop("Loja").await;
    test.pass(400 * DAY);
    let shop = test.shop_again("Loja").await;
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert_eq!(entries(&shop.owner, "api_key.created").await.len(), 2);
    test.pass(Duration::from_millis(1));
    housekeeping::run(&test.app).await.expect("is tidied up");
    assert_eq!(entries(&shop.owner, "api_key.created").await.len(), 1);
}

#[story::test(|settings| settings.audit_days = 365)]
async fn an_entry_outlives_its_days_where_nothing_was_written_since(test: &TestApp) {
    test.shop("Loja").await;
    test.pass(3_000 * DAY);
    housekeeping::run(&test.app).await.expect("is tidied up");
    let shop = test.shop_again("Loja").await;
    assert_eq!(entries(&shop.owner, "api_key.created").await.len(), 2);
}
