//! Figures of a period: what was sold, what went back, and how much of what was issued was paid.

mod closing;
mod days;
mod explanation;
mod lists;

use std::time::Duration;

use serde_json::Value;
use tostao::housekeeping::keep_figures;

use crate::harness::TestApp;
use crate::harness::client::Client;

const DAY: Duration = Duration::from_hours(24);
const FIGURES: &str = "/api/figures";
/// The figures that are sums of money.
const MONEY: [&str; 4] = ["sold", "refunded", "chargedBack", "fees"];

/// The figures of a period.
async fn figures(client: &Client, query: &str) -> Value {
    client.get(&format!("{FIGURES}?{query}")).await.expect(200)["data"].clone()
}

/// What the figures of money are, of a day or of the period.
fn money(set: &Value) -> [i64; 4] {
    MONEY.map(|name| set[name]["value"].as_i64().expect("is a number"))
}

/// How many payments of each method were issued and paid.
fn payments(set: &Value) -> Vec<(i64, i64)> {
    let counted = |method: &Value| {
        let value = |figure: &Value| figure["value"].as_i64().expect("is a number");
        (value(&method["issued"]), value(&method["paid"]))
    };
    set["methods"].as_array().expect("is a list").iter().map(counted).collect()
}

/// Keeps all days that are over; answers how many it kept.
async fn keep(test: &TestApp) -> u64 {
    keep_figures(&test.app, None, i64::MAX).await.expect("days are kept").0
}
