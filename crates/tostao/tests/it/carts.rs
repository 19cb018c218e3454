//! Forms that buyers begin and do not send.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, link_path, merged};

mod capturing;
mod page;
mod recovery;

const HELD: Duration = Duration::from_mins(30);
const DAY: Duration = Duration::from_hours(24);
const ANA: &str = "ana@example.com";

/// Where a link's carts are captured.
pub fn capture_path(link: &Value) -> String {
    let slug = link["slug"].as_str().expect("has one");
    format!("/api/payment-links/public/slug/{slug}/cart-abandonment")
}

fn recover_path(link: &Value) -> String {
    format!("{}/recover", capture_path(link))
}

/// Somebody begins a form.
pub async fn capture(test: &TestApp, link: &Value, email: &str, more: Value) -> Reply {
    let body = merged(json!({ "clientEmail": email }), &more);
    test.anyone().post(&capture_path(link), body).await
}

/// What the merchant sees of a link's carts.
async fn listed(shop: &Shop, link: &Value, query: &str) -> Value {
    shop.key.get(&format!("{}/cart-abandonments{query}", link_path(link))).await.expect(200)
}

/// The only cart of a link.
async fn only(shop: &Shop, link: &Value) -> Value {
    let carts = listed(shop, link, "").await;
    assert_eq!(carts["data"].as_array().map(Vec::len), Some(1), "{carts}");
    carts["data"][0].clone()
}

/// Orders through a link, and does not pay yet.
async fn order(shop: &Shop, link: &Value, email: &str) -> Value {
    let customer = json!({ "name": "Ana", "email": email, "document": "529.982.247-25" });
    let sale = json!({ "paymentLinkId": link["id"], "customer": customer });
    shop.charge_with(sale).await
}

/// Buys through a link.
async fn buy(shop: &Shop, link: &Value, email: &str) -> Value {
    let charge = order(shop, link, email).await;
    shop.pay(&charge).await
}
