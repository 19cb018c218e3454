//! A figure is defined as a list: the list that it names sums to it, and so does the ledger.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{DAY, MONEY, figures, keep, money};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;
use crate::refunds::refund;

/// Sells, refunds and loses on several days.
async fn some_days(test: &TestApp, shop: &Shop) {
    for cents in [1_000, 2_500, 990] {
        let (kept, back) = (shop.sell(cents).await, shop.sell(cents + 1).await);
        shop.boleto(5_000).await;
        refund(shop, &back, json!({ "amountCents": 1 })).await;
        refund(shop, &back, json!({})).await;
        test.run_jobs().await;
        if cents == 2_500 {
            shop.simulate(&kept, json!({ "outcome": "DISPUTED" })).await;
            shop.simulate(&kept, json!({ "outcome": "CHARGED_BACK" })).await;
        }
        test.pass(DAY);
    }
    shop.sell(7_000).await;
}

/// What the objects of a list sum to, read page by page.
async fn summed(client: &Client, url: &str) -> i64 {
    let (mut sum, mut cursor, mut seen) = (0, String::new(), BTreeSet::new());
    loop {
        let page = client.get(&format!("{url}&limit=2&cursor={cursor}")).await.expect(200);
        for row in page["data"].as_array().expect("is a list") {
            assert!(seen.insert(row["sequence"].as_i64()), "{row} is listed twice");
            sum += row["amountCents"].as_i64().expect("is an amount");
        }
        let Some(next) = page["nextCursor"].as_str() else { return sum };
        next.clone_into(&mut cursor);
    }
}

/// Compares every figure of a day or a period with the list that it names.
async fn expect_lists(client: &Client, set: &Value) {
    for name in MONEY {
        let url = set[name]["listUrl"].as_str().expect("has a list");
        assert_eq!(summed(client, url).await, set[name]["value"], "{name}: {url}");
    }
    for method in set["methods"].as_array().expect("is a list") {
        for figure in [&method["issued"], &method["paid"]] {
            let url = figure["listUrl"].as_str().expect("has a list");
            assert_eq!(client.total(url).await, figure["value"], "{url}");
        }
    }
}

/// What the ledger says of all days: sold, refunded, charged back and the fees of what was sold.
async fn booked(test: &TestApp) -> [i64; 4] {
    let engine = Engine::open(test).await;
    let table = [
        "kind = 'payment_captured' and debit_code = 1000",
        "kind = 'refund_completed' and credit_code = 1000",
        "kind = 'dispute_lost' and credit_code = 1000",
        "kind = 'payment_captured' and credit_code = 4000",
    ];
    let mut sums = [0; 4];
    for (sum, of) in sums.iter_mut().zip(table) {
        let sql = format!(
            "select cast(coalesce(sum(amount_cents), 0) as text) from ledger_transfers where {of}"
        );
        *sum = engine.rows(&sql).await[0][0].parse().expect("is a number");
    }
    sums
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn figure_list_and_ledger_are_the_same_before_and_after_days_are_kept(
    test: &TestApp,
    shop: Shop,
) {
    some_days(test, &shop).await;
    let live = figures(&shop.key, "from=2026-11-20").await;
    assert_eq!(money(&live["total"]), booked(test).await);
    assert!(money(&live["total"]).iter().all(|sum| *sum > 0), "{live}");
    for set in live["days"].as_array().expect("is a list").iter().chain([&live["total"]]) {
        expect_lists(&shop.key, set).await;
    }
    assert!(keep(test).await > 0);
    assert_eq!(figures(&shop.key, "from=2026-11-20").await, live);
}

#[story::test]
async fn a_list_stays_that_of_its_figure_while_more_is_sold(shop: Shop) {
    shop.sell(1_000).await;
    let before = figures(&shop.key, "").await;
    shop.sell(2_000).await;
    let url = before["total"]["sold"]["listUrl"].as_str().expect("has a list");
    assert_eq!(summed(&shop.key, url).await, 1_000);
    let after = figures(&shop.key, "").await;
    expect_lists(&shop.key, &after["total"]).await;
    assert_eq!(money(&after["total"])[0], 3_000);
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn entries_are_of_one_merchant_and_name_what_they_are_about(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let sold = shop.sell(1_000).await;
    let refunded = refund(&shop, &sold, json!({ "amountCents": 300 })).await;
    test.run_jobs().await;
    let entries = |figure| format!("/api/figures/entries?figure={figure}");
    let table = [("sold", 1_000, &sold), ("refunded", 300, &refunded), ("fees", 50, &sold)];
    for (figure, cents, about) in table {
        let rows = shop.key.list(&entries(figure)).await;
        let shown = rows.iter().map(|row| (&row["subjectId"], &row["amountCents"]));
        let expected = (&about["id"], &json!(cents));
        assert_eq!(shown.collect::<Vec<_>>(), [expected], "{figure}");
        assert_eq!(other.key.list(&entries(figure)).await, [] as [Value; 0]);
    }
}

#[story::test]
async fn wrong_bounds_of_entries_are_refused_by_their_names(shop: Shop) {
    let table = [
        ("figure=profit", "figure", "INVALID_VALUE"),
        ("figure=sold&fromSequence=-1", "fromSequence", "OUT_OF_RANGE"),
        ("figure=sold&toSequence=-1", "toSequence", "OUT_OF_RANGE"),
        ("figure=sold&limit=101", "limit", "OUT_OF_RANGE"),
    ];
    for (query, field, code) in table {
        let refused = shop.key.get(&format!("/api/figures/entries?{query}")).await.expect(400);
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{refused}");
    }
    let reply = shop.key.get("/api/figures/entries?figure=sold&cursor=nonsense").await;
    reply.expect_refusal(400, "INVALID_CURSOR");
}
