//! Days that are over are kept, and proved.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::join_all;
use serde_json::{Value, json};

use tostao::figures::closing::{self, Closing};
use tostao::housekeeping::keep_figures;
use tostao::merchants;
use tostao::platform::ids::{MerchantId, Mode, Scope};

use super::{DAY, figures, keep, money, payments};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;

const TO_MIDNIGHT: Duration = Duration::from_hours(15);

async fn rows(test: &TestApp, sql: &str) -> Vec<Vec<String>> {
    Engine::open(test).await.rows(sql).await
}

/// The kept days, and what was sold on each.
async fn kept(test: &TestApp) -> Vec<(String, i64)> {
    let sql = "select day, cast(sold_cents as text) from daily_figures where mode = 0 order by day";
    let read = |row: Vec<String>| (row[0].clone(), row[1].parse().expect("is a number"));
    rows(test, sql).await.into_iter().map(read).collect()
}

async fn change(test: &TestApp, sql: &'static str) {
    let unit = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
    test.app.transact(unit).await.expect("is possible");
}

async fn equality(shop: &Shop) -> (bool, Value) {
    let proof = shop.key.get("/api/ledger/verify").await.expect(200);
    let mut equalities = proof["data"]["equalities"].as_array().expect("is a list").iter();
    let found = equalities.find(|equality| equality["name"] == "dailyFigures");
    (proof["success"] == true, found.expect("is compared").clone())
}

#[story::test]
async fn a_day_is_kept_once_it_is_over_and_units_of_before_midnight_are_done(
    test: &TestApp,
    shop: Shop,
) {
    shop.sell(1_000).await;
    assert_eq!(keep(test).await, 0);
    test.pass(TO_MIDNIGHT + Duration::from_secs(299));
    assert_eq!(keep(test).await, 0);
    test.pass(Duration::from_secs(1));
    assert_eq!(keep(test).await, 1);
    assert_eq!(keep(test).await, 0);
    assert_eq!(kept(test).await, [("2026-11-21".to_owned(), 1_000)]);
}

#[story::test]
async fn a_developers_days_are_kept_by_the_developers_clock(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    let step = json!({ "seconds": 2 * 86_400 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    shop.sell(2_000).await;
    let read = figures(&shop.key, "").await;
    assert_eq!((&read["to"], money(&read["total"])[0]), (&json!("2026-11-23"), 3_000));
    assert_eq!(keep(test).await, 2);
    let days = [("2026-11-21".to_owned(), 1_000), ("2026-11-22".to_owned(), 0)];
    assert_eq!(kept(test).await, days);
    assert_eq!(figures(&shop.key, "").await, read);
}

#[story::test]
async fn a_long_history_is_kept_in_several_units(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    test.pass(100 * DAY);
    shop.sell(2_000).await;
    let before = figures(&shop.key, "from=2026-11-21&to=2027-02-20").await;
    // A hundred days of money, and the days of payments that are older than a week.
    assert_eq!(keep(test).await, 100 + 93);
    assert_eq!(keep(test).await, 0);
    assert_eq!(figures(&shop.key, "from=2026-11-21&to=2027-02-20").await, before);
    assert_eq!(money(&figures(&shop.key, "").await["total"])[0], 2_000);
}

#[story::test]
async fn charges_at_midnight_are_each_in_one_day(test: &TestApp, shop: Shop) {
    let mut charges = Vec::new();
    for _ in 0..12 {
        charges.push(shop.boleto(1_000).await);
    }
    test.pass(TO_MIDNIGHT.saturating_sub(Duration::from_millis(1)));
    let (before, after) = charges.split_at(6);
    let paying = join_all(before.iter().map(|charge| shop.pay(charge)));
    let passing = async {
        test.pass(Duration::from_millis(1));
        join_all(after.iter().map(|charge| shop.pay(charge))).await
    };
    futures_util::future::join(paying, passing).await;
    test.pass(Duration::from_mins(10));
    let live = figures(&shop.key, "from=2026-11-21&to=2026-11-22").await;
    assert_eq!(money(&live["total"])[0], 12_000);
    keep(test).await;
    assert_eq!(figures(&shop.key, "from=2026-11-21&to=2026-11-22").await, live);
}

#[story::test]
async fn a_late_clock_at_midnight_puts_no_sale_into_two_days(test: &TestApp, shop: Shop) {
    shop.sell(1_000).await;
    test.pass(TO_MIDNIGHT);
    shop.sell(2_000).await;
    // The clock of another node is a minute late.
    test.set_back(Duration::from_mins(1));
    shop.sell(4_000).await;
    test.pass(Duration::from_mins(2));
    let live = figures(&shop.key, "from=2026-11-21&to=2026-11-22").await;
    let sold = [&live["days"][0], &live["days"][1]].map(|day| money(day)[0]);
    assert_eq!(sold, [1_000, 6_000]);
    test.pass(Duration::from_mins(10));
    keep(test).await;
    assert_eq!(figures(&shop.key, "from=2026-11-21&to=2026-11-22").await, live);
}

#[story::test]
async fn a_payment_that_is_paid_weeks_later_is_counted_with_its_day(test: &TestApp, shop: Shop) {
    let due = json!({ "amountCents": 1_000, "method": "BOLETO", "dueDate": "2027-01-20" });
    let charge = shop.charge_with(due).await;
    let of_first = async || {
        let read = figures(&shop.key, "from=2026-11-21&to=2026-11-21").await;
        payments(&read["total"])[1]
    };
    test.pass(20 * DAY);
    keep(test).await;
    assert_eq!(of_first().await, (1, 0));
    shop.pay(&charge).await;
    // An older day is counted once a day.
    assert_eq!(of_first().await, (1, 0));
    test.pass(DAY);
    keep(test).await;
    assert_eq!(of_first().await, (1, 1));
}

/// What is to be kept next of a scope, as housekeeping reads it.
async fn due(test: &TestApp, shop: &Shop) -> (Scope, Closing) {
    let merchant = merchant_of(shop).await;
    let look = async move |tx: &Tx| {
        let scope = merchants::scope(tx, merchant, Mode::Development).await?;
        Ok((scope, closing::due(tx, scope).await?))
    };
    let (scope, closing) = test.app.scan(look).await.expect("can be read");
    (scope, closing.expect("something is to be kept"))
}

async fn merchant_of(shop: &Shop) -> MerchantId {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    me["user"]["id"].as_str().expect("has an id").parse().expect("is an id")
}

async fn figures_kept(test: &TestApp) -> usize {
    let money = rows(test, "select day from daily_figures").await;
    let payments = rows(test, "select day from daily_payments").await;
    money.len() + payments.len()
}

#[story::test]
async fn days_that_were_read_before_a_reset_are_not_kept_after_it(test: &TestApp, shop: Shop) {
    // Unpaid, so that the ledger says nothing about it.
    shop.charge(1_000).await;
    test.pass(10 * DAY);
    let shop = test.shop_again("Loja").await;
    let (scope, closing) = due(test, &shop).await;
    shop.start_over().await;
    let unit = async move |tx: &Tx| closing::keep(tx, scope, &closing).await;
    assert!(!test.app.transact(unit).await.expect("is possible"));
    assert_eq!(figures_kept(test).await, 0);
    // The same with money, of a reset between that of before and this one.
    shop.sell(1_000).await;
    test.pass(10 * DAY);
    let shop = test.shop_again("Loja").await;
    let (scope, closing) = due(test, &shop).await;
    shop.start_over().await;
    let unit = async move |tx: &Tx| closing::keep(tx, scope, &closing).await;
    assert!(!test.app.transact(unit).await.expect("is possible"));
    assert_eq!(figures_kept(test).await, 0);
}

#[story::test]
async fn days_that_an_older_version_left_when_it_reset_are_summed_again(
    test: &TestApp,
    shop: Shop,
) {
    let step = json!({ "seconds": 9 * 86_400 });
    shop.sell(1_000).await;
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    shop.sell(2_000).await;
    keep(test).await;
    // It deletes the payments and empties the accounts, and knows of no figures.
    for sql in [
        "create table kept_days as select * from daily_figures",
        "create table kept_counts as select * from daily_payments",
    ] {
        Engine::open(test).await.rows(sql).await;
    }
    shop.start_over().await;
    for sql in [
        "insert into daily_figures select * from kept_days",
        "insert into daily_payments select * from kept_counts",
        "delete from figure_starts",
        "drop table kept_days",
        "drop table kept_counts",
    ] {
        Engine::open(test).await.rows(sql).await;
    }
    shop.sell(700).await;
    let period = "from=2026-11-21&to=2026-11-30";
    let read = figures(&shop.key, period).await;
    assert_eq!(money(&read["total"])[..2], [700, 0]);
    assert_eq!(payments(&read["total"])[0], (1, 1));
    keep(test).await;
    assert_eq!(figures_kept(test).await, 0);
    assert_eq!(figures(&shop.key, period).await, read);
    test.pass(10 * DAY);
    assert!(keep(test).await >= 10);
    let shop = test.shop_again("Loja").await;
    assert_eq!(figures(&shop.key, period).await["total"], read["total"]);
}

#[story::test]
async fn an_account_whose_days_cannot_be_kept_holds_up_no_other(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.sell(1_000).await;
    other.sell(2_000).await;
    test.pass(DAY);
    keep(test).await;
    change(test, "update daily_figures set day = 'x' where sold_cents = 1000").await;
    test.pass(DAY);
    keep(test).await;
    let sql = "select day, cast(sold_cents as text) from daily_figures where mode = 0 order by 1";
    let days: Vec<_> = rows(test, sql).await.concat();
    assert_eq!(days, ["2026-11-21", "2000", "2026-11-22", "0", "x", "1000"]);
    change(test, "delete from daily_figures where day = 'x'").await;
}

#[story::test]
async fn a_run_goes_on_after_the_accounts_of_the_one_before(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.sell(1_000).await;
    other.sell(2_000).await;
    test.pass(DAY);
    let run = async |after| keep_figures(&test.app, after, 1).await.expect("days are kept");
    let (days, first) = run(None).await;
    assert_eq!((days, kept(test).await.len()), (1, 1));
    let (days, second) = run(first).await;
    assert_eq!((days, kept(test).await.len()), (1, 2));
    assert!(first.is_some() && second.is_some() && first != second);
    assert_eq!(run(second).await, (0, None));
}

#[story::test]
async fn the_verification_sums_the_kept_days_again_and_says_what_differs(
    test: &TestApp,
    shop: Shop,
) {
    for _ in 0..2 {
        shop.sell(1_000).await;
        test.pass(DAY);
    }
    keep(test).await;
    let (sound, equality_before) = equality(&shop).await;
    assert!(sound, "{equality_before}");
    assert!(equality_before["bookedCents"].as_i64().is_some_and(|sum| sum >= 2_000));
    // Days that differ are noticed although their sum is right.
    change(test, "update daily_figures set sold_cents = 900 where day = '2026-11-21'").await;
    change(test, "update daily_figures set sold_cents = 1100 where day = '2026-11-22'").await;
    let (sound, differs) = equality(&shop).await;
    assert!(!sound, "{differs}");
    let booked = equality_before["bookedCents"].as_i64().expect("is a number");
    assert_eq!((&differs["storedCents"], &differs["unequal"]), (&json!(booked + 200), &json!(1)));
    change(test, "update daily_figures set sold_cents = 1000").await;
    assert!(equality(&shop).await.0);
}
