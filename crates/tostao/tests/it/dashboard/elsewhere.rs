//! What is not found: the search for it, and the other mode of the same account.

use serde_json::json;

use super::{Browser, EMAIL, join};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};
use crate::subscriptions::active;

const DEVELOPER: &str = "dev@example.com";

#[story::test]
async fn what_exists_in_the_other_mode_is_named_there(test: &TestApp, shop: Shop) {
    let (charge, link) = (shop.sell(10_000).await, shop.link(1_000).await);
    let client = shop.client(json!({ "name": "Eva", "email": "eva@example.com" })).await;
    let (subscription, withdrawal) = (active(test, &shop).await, shop.withdraw(1_000).await);
    let browser = Browser::signed_in(test, EMAIL).await;
    let table = [
        ("transactions", &charge),
        ("links", &link),
        ("clients", &client),
        ("subscriptions", &subscription),
        ("balance/withdrawals", &withdrawal),
    ];
    for (list, object) in table {
        let path = |mode: &str| format!("/dashboard/{mode}/{list}/{}", id(object));
        browser.page(&path("dev")).await;
        let page = Page::of(browser.get(&path("prod")).await, 404);
        assert!(page.says("Isto existe no modo de teste desta conta"), "{list}: {}", page.text);
        assert!(page.says(&format!("<a href=\"{}\">", path("dev"))), "{list}");
        assert!(page.says(&format!("/dashboard/prod/search?q={}", id(object))), "{list}");
        let found = browser.get(&format!("/dashboard/dev/search?q={}", id(object))).await;
        assert_eq!(found.header("location"), Some(&*path("dev")), "{list}");
    }
}

#[story::test]
async fn what_another_account_has_is_named_nowhere(test: &TestApp, shop: Shop, other: Shop) {
    let (theirs, ours) = (other.sell(1_000).await, shop.sell(1_000).await);
    join(test, &shop, DEVELOPER, "DEVELOPER").await;
    for email in [EMAIL, DEVELOPER] {
        let browser = Browser::signed_in(test, email).await;
        for mode in ["dev", "prod"] {
            let path = format!("/dashboard/{mode}/transactions/{}", id(&theirs));
            assert!(!Page::of(browser.get(&path).await, 404).says("Isto existe"), "{path}");
        }
        let path = format!("/dashboard/prod/transactions/{}", id(&ours));
        assert!(Page::of(browser.get(&path).await, 404).says("Isto existe no modo de teste"));
        let nowhere = Page::of(browser.get("/dashboard/dev/nothing").await, 404);
        assert!(!nowhere.says("/dashboard/dev/search?q="));
    }
}
