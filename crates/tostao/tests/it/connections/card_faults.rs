//! Calls to an acquirer that fail in any way: no card is charged twice, none is declined by a
//! failure, and no money goes back twice.

use std::time::Duration;

use futures_util::future::{join_all, pending};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::acquirer::{Acquirer, GOOD, reference, refund, refunds};
use super::lost_answers::{after_processing, instead_of_processing, once};
use super::slow::CALL_MAX;
use super::{available, read, real, status};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const MINUTE: Duration = Duration::from_mins(1);

/// The newest charge of a merchant.
async fn newest(shop: &Shop) -> Value {
    shop.owner.list("/api/v1/transactions").await[0].clone()
}

/// What the acquirer canceled of each charge, oldest first.
async fn canceled(acquirer: &Acquirer) -> Vec<i64> {
    let charges = acquirer.charges().await;
    charges.iter().filter_map(|charge| charge["canceled_amount"].as_i64()).collect()
}

#[story::test]
async fn a_charge_is_made_once_whatever_becomes_of_its_answer(test: &TestApp, shop: Shop) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    for (count, fault) in (1..).zip(after_processing()) {
        acquirer.fault("order.create", once(fault.clone())).await;
        acquirer.sell(&shop, json!({})).await;
        assert_eq!(acquirer.charges().await.len(), count, "{fault}");
        assert_eq!(acquirer.sent("order.create").await.len(), count, "{fault}");
    }
    test.prove_books().await;
}

#[story::test]
async fn a_charge_that_did_not_arrive_is_open_until_it_can_no_longer_arrive_and_is_sent_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    for (count, fault) in (1..).zip(instead_of_processing()) {
        acquirer.fault("order.create", once(fault.clone())).await;
        let reply = acquirer.try_sell(&shop, GOOD, json!({})).await;
        assert!(reply.status < 300, "{fault}: {}", reply.text);
        let charge = newest(&shop).await;
        acquirer.pass(test, MINUTE * 9).await;
        assert_eq!(status(&shop, &charge).await, "PROCESSING", "{fault}");
        acquirer.pass(test, MINUTE * 3).await;
        let ended = read(&shop, &charge).await;
        assert_eq!(
            (&ended["status"], &ended["failureReason"]),
            (&json!("FAILED"), &json!("never_arrived")),
            "{fault}"
        );
        assert_eq!(acquirer.sent("order.create").await.len(), count, "{fault}");
    }
    assert_eq!(acquirer.charges().await.len(), 0);
}

#[story::test]
async fn a_cards_refund_is_made_once_whatever_becomes_of_the_order_and_its_answer(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let faults = [after_processing(), instead_of_processing()].concat();
    let count = faults.len();
    for fault in faults {
        let sold = acquirer.sell(&shop, json!({ "amountCents": 1_000 })).await;
        acquirer.fault("charge.cancel", once(fault.clone())).await;
        refund(&shop, &sold, 400).await;
        test.run_jobs().await;
        assert_ne!(refunds(&shop, &sold).await, ["FAILED"], "{fault}");
        for _ in 0..2 {
            acquirer.pass(test, MINUTE).await;
        }
        assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"], "{fault}");
    }
    assert_eq!(canceled(&acquirer).await, vec![400; count]);
    test.prove_books().await;
}

#[story::test]
async fn a_charge_whose_answer_comes_byte_by_byte_or_too_late_is_found_while_the_buyer_waits(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let faults = [
        json!({ "fault": "drip" }),
        json!({ "fault": "slow", "ms": 9_000 }),
        json!({ "fault": "no_answer" }),
    ];
    for fault in faults {
        acquirer.fault("order.create", once(fault)).await;
    }
    let sold = join_all((0..3).map(|_| acquirer.sell(&shop, json!({}))));
    let sold = timeout(CALL_MAX, sold).await.expect("limits hold");
    assert_eq!((sold.len(), acquirer.charges().await.len()), (3, 3));
    assert_eq!(acquirer.sent("order.create").await.len(), 3);
}

#[story::test]
async fn a_cards_refund_whose_answer_comes_too_late_is_seen_in_the_total(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    let late = json!({ "fault": "slow", "ms": 61_000, "times": 1 });
    acquirer.fault("charge.cancel", late).await;
    refund(&shop, &sold, 400).await;
    timeout(CALL_MAX, test.run_jobs()).await.expect("limits hold");
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"]);
    assert_eq!(
        (canceled(&acquirer).await, acquirer.sent("charge.cancel").await.len()),
        (vec![400], 1)
    );
}

#[story::test]
async fn no_card_is_declined_by_a_limit_and_none_is_sent_while_it_lasts(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let limit = json!({ "fault": "too_many", "retry_after": 3_600, "times": 1 });
    acquirer.fault("order.create", limit).await;
    for _ in 0..3 {
        let reply = acquirer.try_sell(&shop, GOOD, json!({})).await;
        assert!(reply.status >= 400, "{}", reply.text);
        let charge = newest(&shop).await;
        assert_eq!(charge["declineCode"], Value::Null, "{charge}");
        assert_eq!(charge["failureReason"], "acquirer_unavailable", "{charge}");
    }
    assert_eq!((acquirer.sent("order.create").await.len(), acquirer.charges().await.len()), (1, 0));
}

#[story::test]
async fn a_cards_refund_waits_for_as_long_as_the_acquirer_asks_and_is_then_made_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    let limit = json!({ "fault": "too_many", "retry_after": 1, "times": 1 });
    acquirer.fault("charge.cancel", limit).await;
    refund(&shop, &sold, 400).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_millis(999)).await;
    assert_eq!(acquirer.sent("charge.cancel").await.len(), 1);
    assert_eq!(refunds(&shop, &sold).await, ["PENDING"]);
    // The acquirer means its own clock, which is the machine's.
    let _ = timeout(Duration::from_secs(1), pending::<()>()).await;
    test.run_jobs_after(MINUTE).await;
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"]);
    assert_eq!(
        (canceled(&acquirer).await, acquirer.sent("charge.cancel").await.len()),
        (vec![400], 2)
    );
}

#[story::test]
async fn a_key_that_is_no_longer_accepted_declines_no_card_and_refuses_no_refund(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    let open = acquirer.open(&shop, super::acquirer::SLOW).await.0;
    acquirer.decide(&acquirer.newest().await, json!({})).await;
    for operation in ["order.create", "order.list", "charge.get", "charge.cancel", "payables"] {
        acquirer.fault(operation, json!({ "fault": "unauthorized" })).await;
    }
    let reply = acquirer.try_sell(&shop, GOOD, json!({})).await;
    assert!(reply.status >= 400, "{}", reply.text);
    assert_eq!(newest(&shop).await["failureReason"], "acquirer_unavailable");
    refund(&shop, &sold, 400).await;
    for _ in 0..4 {
        acquirer.pass(test, MINUTE * 15).await;
    }
    assert_eq!(refunds(&shop, &sold).await, ["PENDING"]);
    assert_eq!(status(&shop, &open).await, "PROCESSING");
    acquirer.heal().await;
    for _ in 0..2 {
        acquirer.pass(test, MINUTE * 15).await;
    }
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"]);
    assert_eq!(status(&shop, &open).await, "PAID");
    assert_eq!(canceled(&acquirer).await, [400, 0]);
    test.prove_books().await;
}

#[story::test]
async fn a_charge_is_found_under_its_own_reference_alone(test: &TestApp, shop: Shop) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.fault("order.create", json!({ "fault": "cut_before", "times": 1 })).await;
    acquirer.try_sell(&shop, GOOD, json!({})).await;
    let charge = newest(&shop).await;
    // Another system's order of the same account, and one of another amount under our reference.
    acquirer.order_elsewhere("42", 10_000).await;
    acquirer.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    acquirer.order_elsewhere(&reference(&charge), 9_000).await;
    for _ in 0..2 {
        acquirer.pass(test, MINUTE * 30).await;
    }
    assert_eq!((status(&shop, &charge).await.as_str(), available(&shop).await), ("PROCESSING", 0));
    let mut found = acquirer.differences(test).await;
    found.sort();
    let kind = "CARD_CHARGE".to_owned();
    assert_eq!(found, [(kind.clone(), 9_000), (kind, 10_000)]);
}
