//! What one merchant asks for at once never makes another wait.

use std::pin::pin;

use db::database::Dialect;
use futures_util::future::{Either, join_all, select};
use serde_json::json;
use tostao::platform::ids::MerchantId;

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, link_path};

#[story::test]
async fn only_a_merchant_whose_list_permits_are_all_in_use_waits(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let merchant = merchant(&shop).await;
    let at_work = [(); 2].map(|()| test.app.scans.acquire(merchant));
    let at_work = join_all(at_work).await;
    for path in ["/api/v1/products?q=a", "/api/v1/payment-links", "/api/clients"] {
        let mut mine = pin!(shop.key.get(path));
        for _ in 0..20 {
            match select(mine.as_mut(), pin!(other.key.get(path))).await {
                Either::Left(_) => panic!("{path} does not wait"),
                Either::Right((theirs, _)) => theirs.expect(200),
            };
        }
    }
    drop(at_work);
    shop.key.get("/api/v1/products").await.expect(200);
}

#[story::test]
async fn only_a_merchant_whose_changes_fill_their_part_of_a_server_waits(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let (link, theirs) = (link_path(&shop.link(100).await), link_path(&other.link(100).await));
    let merchant = merchant(&shop).await;
    let at_work = join_all([(); 8].map(|()| test.app.changes.acquire(merchant))).await;
    let change = json!({ "title": "Outro" });
    if test.app.database.dialect() == Dialect::Postgres {
        let mut mine = pin!(shop.key.patch(&link, change.clone()));
        for _ in 0..5 {
            match select(mine.as_mut(), pin!(other.key.patch(&theirs, change.clone()))).await {
                Either::Left(_) => panic!("the change does not wait"),
                Either::Right((changed, _)) => changed.expect(200),
            };
        }
        drop(at_work);
        mine.await.expect(200);
    } else {
        // One writer commits the changes of all merchants together.
        shop.key.patch(&link, change).await.expect(200);
    }
}

async fn merchant(shop: &Shop) -> MerchantId {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let user = me.get("user").or(me.get("data")).unwrap_or(&me);
    MerchantId(id(user).parse().expect("is an id"))
}
