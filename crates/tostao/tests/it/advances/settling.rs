//! What comes back: each receivable on its day, and the advance with the last of them.

use std::time::Duration;

use futures_util::future::join_all;

use super::{ADVANCED, approved, books, request, sell, slices, stands};
use crate::harness::TestApp;
use crate::harness::shop::Shop;
use crate::methods::days_pass;
use crate::refunds::held;

#[story::test]
async fn an_advance_comes_back_part_by_part(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 3).await;
    let advance = approved(test, &shop, 8_000).await;
    // 8,000 - 419 of fees.
    assert_eq!(books(test, &shop).await, [7_581, 10_000, -8_000]);
    let table = [
        (29, [7_581, 10_000, -8_000], ("APPROVED", 8_000)),
        // All of the first two parts is pledged, and 1,333 of the third's 3,333.
        (1, [7_581, 6_666, -4_666], ("APPROVED", 4_666)),
        (30, [7_581, 3_333, -1_333], ("APPROVED", 1_333)),
        (30, [9_581, 0, 0], ("SETTLED", 0)),
    ];
    for (days, expected, (status, outstanding)) in table {
        days_pass(&shop, days).await;
        assert_eq!(books(test, &shop).await, expected);
        assert_eq!(stands(&shop, &advance).await, (status.to_owned(), outstanding, 0));
    }
    assert_eq!(
        shop.events_of("advance.").await,
        ["advance.created", "advance.approved", "advance.settled"]
    );
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["advance.settled", "balance.updated"]);
}

#[story::test]
async fn the_soonest_due_are_pledged_first_across_payments(test: &TestApp, shop: Shop) {
    sell(test, &shop, 6_000, 2).await;
    days_pass(&shop, 1).await;
    sell(test, &shop, 4_000, 2).await;
    // Due in 29, 30, 59 and 60 days: 3,000 + 2,000 + 2,500 of 3,000.
    let advance = approved(test, &shop, 7_500).await;
    // 3,000 × 2.99 % × 29 / 30 = 86.71, 2,000 × 30 / 30 = 59.8, 2,500 × 59 / 30 = 147.0083…
    let expected = [[1, 3_000, 29, 87], [1, 2_000, 30, 60], [2, 2_500, 59, 147]];
    assert_eq!(slices(&advance), expected);
    days_pass(&shop, 61).await;
    // 10,000 less 87 + 60 + 147.
    assert_eq!(books(test, &shop).await, [9_706, 0, 0]);
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
}

#[story::test]
async fn of_parts_that_settle_at_once_one_is_the_last(test: &TestApp, shop: Shop) {
    for _ in 0..6 {
        sell(test, &shop, 1_000, 1).await;
    }
    let advance = approved(test, &shop, 4_800).await;
    test.pass(Duration::from_hours(31 * 24));
    join_all((0..4).map(|_| test.run_jobs())).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    assert_eq!(held(test, ADVANCED).await, 0);
    let settled =
        shop.events_of("advance.").await.iter().filter(|name| *name == "advance.settled").count();
    assert_eq!(settled, 1);
}

#[story::test]
async fn a_settled_advance_makes_room_for_another(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 2).await;
    let first = approved(test, &shop, 5_000).await;
    days_pass(&shop, 30).await;
    assert_eq!(stands(&shop, &first).await, ("SETTLED".to_owned(), 0, 0));
    let second = approved(test, &shop, 4_000).await;
    assert_eq!(slices(&second), [[2, 4_000, 30, 120]]);
    days_pass(&shop, 30).await;
    assert_eq!(stands(&shop, &second).await, ("SETTLED".to_owned(), 0, 0));
    // 10,000 less 5,000 × 2.99 % = 149.5 → 150 and 4,000 × 2.99 % = 119.6 → 120.
    assert_eq!(books(test, &shop).await, [9_730, 0, 0]);
}

#[story::test]
async fn one_merchants_advance_is_nothing_to_another(test: &TestApp, shop: Shop, other: Shop) {
    sell(test, &shop, 10_000, 1).await;
    sell(test, &other, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    request(&other, 8_000).await;
    assert_eq!(books(test, &other).await[..2], [0, 10_000]);
    days_pass(&other, 31).await;
    assert_eq!(books(test, &other).await, [10_000, 0, -8_000]);
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 8_000, 0));
}

#[story::test]
async fn a_reset_deletes_advances_and_their_debts(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 3).await;
    approved(test, &shop, 8_000).await;
    shop.start_over().await;
    assert_eq!(books(test, &shop).await, [0, 0, 0]);
    assert_eq!(shop.key.total(super::PATH).await, 0);
    sell(test, &shop, 10_000, 1).await;
    approved(test, &shop, 8_000).await;
    days_pass(&shop, 30).await;
    // 10,000 less 8,000 × 2.99 % = 239.2 → 239.
    assert_eq!(books(test, &shop).await, [9_761, 0, 0]);
}
