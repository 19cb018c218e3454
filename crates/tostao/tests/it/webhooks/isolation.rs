//! A slow address is its owner's trouble alone.

use serde_json::json;

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::webhooks::subscribe;

/// Deliveries under way to one address.
const AT_ONCE_MAX: usize = 4;
/// More than all workers of the lane can hold.
const BACKLOG: usize = 300;

#[story::test]
async fn an_address_that_never_answers_delays_no_other_and_keeps_few_workers(test: &TestApp) {
    let [hanging, own, others] =
        [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    hanging.hold();
    let (slow, quick) = (test.shop("Loja Lenta").await, test.shop("Loja Viva").await);
    subscribe(&slow.key, &hanging.url, &["product.created"]).await;
    subscribe(&slow.key, &own.url, &["payment_link.created"]).await;
    subscribe(&quick.key, &others.url, &["*"]).await;
    for _ in 0..BACKLOG {
        slow.product(json!({})).await;
    }
    slow.link(1_000).await;
    quick.product(json!({})).await;
    test.at_work(async {
        others.arrived(1).await;
        own.arrived(1).await;
        hanging.arrived(AT_ONCE_MAX).await;
        assert_eq!(hanging.take().len(), AT_ONCE_MAX);
        quick.product(json!({})).await;
        others.arrived(2).await;
        hanging.release();
    })
    .await;
}
