//! Payment links: what they offer, when they end, and what that means for what was issued.

use std::time::Duration;

use crate::harness::shop::Shop;

mod ends;
mod fields;
mod lists;
mod sales;

const LINKS: &str = "/api/v1/payment-links";
const HOUR: Duration = Duration::from_hours(1);
/// An hour after every story's beginning.
const IN_AN_HOUR: &str = "2026-11-21T13:00:00.000Z";

async fn titles(shop: &Shop, query: &str) -> Vec<String> {
    let links = shop.key.list(&format!("{LINKS}?{query}")).await;
    links.iter().map(|link| link["title"].as_str().expect("has a title").to_owned()).collect()
}
