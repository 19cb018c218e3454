//! Which day a sale counts in.

use std::time::Duration;

use serde_json::{Value, json};

use super::{DAY, figures, money, payments};
use crate::harness::TestApp;
use crate::harness::shop::Shop;
use crate::refunds::refund;

/// The stories begin on 21 November 2026 at nine in the morning in São Paulo.
const TODAY: &str = "2026-11-21";
/// From then to midnight.
const TO_MIDNIGHT: Duration = Duration::from_hours(15);

fn dates(figures: &Value) -> Vec<String> {
    let days = figures["days"].as_array().expect("is a list").iter();
    days.map(|day| day["date"].as_str().expect("is a date").to_owned()).collect()
}

fn day<'a>(figures: &'a Value, date: &str) -> &'a Value {
    let mut days = figures["days"].as_array().expect("is a list").iter();
    days.find(|day| day["date"] == date).expect("is in the period")
}

#[story::test]
async fn without_bounds_they_are_of_the_last_30_days(shop: Shop) {
    let read = figures(&shop.key, "").await;
    assert_eq!((&read["from"], &read["to"]), (&json!("2026-10-23"), &json!(TODAY)));
    assert_eq!(read["timeZone"], "America/Sao_Paulo");
    assert_eq!(dates(&read).len(), 30);
    assert_eq!(money(&read["total"]), [0; 4]);
    assert_eq!(payments(&read["total"]), [(0, 0); 3]);
}

#[story::test]
async fn a_day_ends_at_midnight_in_sao_paulo(test: &TestApp, shop: Shop) {
    test.pass(TO_MIDNIGHT.saturating_sub(Duration::from_millis(1)));
    shop.sell(1_000).await;
    test.pass(Duration::from_millis(1));
    shop.sell(2_000).await;
    test.pass(DAY.saturating_sub(Duration::from_millis(1)));
    shop.sell(4_000).await;
    let read = figures(&shop.key, "from=2026-11-20&to=2026-11-24").await;
    let sold = ["2026-11-20", TODAY, "2026-11-22", "2026-11-23", "2026-11-24"]
        .map(|date| money(day(&read, date))[0]);
    assert_eq!(sold, [0, 1_000, 6_000, 0, 0]);
    assert_eq!(money(&read["total"])[0], 7_000);
    assert_eq!(payments(day(&read, "2026-11-22"))[0], (2, 2));
}

#[story::test]
async fn money_that_goes_back_counts_on_the_day_on_which_it_goes(test: &TestApp, shop: Shop) {
    let (back, lost) = (shop.sell(1_000).await, shop.sell(3_000).await);
    test.pass(DAY);
    refund(&shop, &back, json!({ "amountCents": 400 })).await;
    test.run_jobs().await;
    shop.simulate(&lost, json!({ "outcome": "DISPUTED" })).await;
    test.pass(DAY);
    shop.simulate(&lost, json!({ "outcome": "CHARGED_BACK" })).await;
    let read = figures(&shop.key, "from=2026-11-21&to=2026-11-23").await;
    let of = |date| money(day(&read, date));
    assert_eq!(of(TODAY)[..3], [4_000, 0, 0]);
    assert_eq!(of("2026-11-22")[..3], [0, 400, 0]);
    assert_eq!(of("2026-11-23")[..3], [0, 0, 3_000]);
    let [sold, refunded, lost, fees] = money(&read["total"]);
    assert_eq!(read["total"]["netCents"], sold - refunded - lost - fees);
}

#[story::test]
async fn payments_count_as_issued_by_their_method_and_as_paid_on_the_day_of_their_issue(
    test: &TestApp,
    shop: Shop,
) {
    let paid = shop.boleto(1_000).await;
    shop.boleto(2_000).await;
    shop.charge(3_000).await;
    test.pass(DAY);
    shop.pay(&paid).await;
    let read = figures(&shop.key, "from=2026-11-21").await;
    assert_eq!(payments(day(&read, TODAY)), [(1, 0), (2, 1), (0, 0)]);
    assert_eq!(payments(day(&read, "2026-11-22")), [(0, 0); 3]);
    assert_eq!(money(day(&read, "2026-11-22"))[0], 1_000);
}

#[story::test]
async fn figures_are_of_one_merchant_and_mode(shop: Shop, other: Shop) {
    shop.sell(1_000).await;
    let real = shop.key_for("production", &["transactions:read", "withdrawals:read"]).await;
    for stranger in [&other.key, &real] {
        let seen = figures(stranger, "").await;
        assert_eq!(money(&seen["total"]), [0; 4]);
        assert_eq!(payments(&seen["total"]), [(0, 0); 3]);
    }
}

#[story::test]
async fn a_period_that_is_none_is_refused_by_the_name_of_its_bound(shop: Shop) {
    let table = [
        ("from=ontem", "from", "INVALID_VALUE"),
        ("to=2026-02-30", "to", "INVALID_VALUE"),
        ("from=2026-11-22&to=2026-11-21", "from", "OUT_OF_RANGE"),
        ("from=2026-08-21&to=2026-11-21", "from", "OUT_OF_RANGE"),
    ];
    for (query, field, code) in table {
        let refused = shop.key.get(&format!("/api/figures?{query}")).await.expect(400);
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{refused}");
    }
}

#[story::test]
async fn they_start_over_with_a_reset_although_the_ledger_keeps_its_entries(
    test: &TestApp,
    shop: Shop,
) {
    shop.sell(1_000).await;
    let step = json!({ "seconds": 3 * 86_400 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    let back = shop.sell(2_000).await;
    refund(&shop, &back, json!({})).await;
    test.run_jobs().await;
    super::keep(test).await;
    shop.start_over().await;
    let read = figures(&shop.key, "").await;
    assert_eq!((read["to"].as_str(), money(&read["total"])), (Some(TODAY), [0; 4]));
    shop.sell(700).await;
    let read = figures(&shop.key, "").await;
    assert_eq!(money(&read["total"])[..2], [700, 0]);
    assert_eq!(money(day(&read, TODAY))[0], 700);
}
