//! What one merchant asks for at once never makes another wait.

use std::pin::pin;

use futures_util::future::{Either, select};
use tostao::platform::ids::MerchantId;

use crate::harness::TestApp;

#[story::test]
async fn only_a_merchant_whose_list_permits_are_all_in_use_waits(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let user = me.get("user").or(me.get("data")).unwrap_or(&me);
    let id = user["id"].as_str().expect("has an id");
    let merchant = MerchantId(id.parse().expect("is an id"));
    let at_work = [(); 2].map(|()| test.app.scans.acquire(merchant));
    let at_work = futures_util::future::join_all(at_work).await;
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
