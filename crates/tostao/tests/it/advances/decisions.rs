//! Deciding: approved, rejected or cancelled, once, by whom it may be.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tostao::platform::config::Settings;

use super::{approved, books, decide, path, read, request, sell, slices, stands};
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story, story_where};
use crate::methods::days_pass;
use crate::refunds::held;

const FEES: i64 = 4000;
/// Thirty days, and as many as banks may be closed after them.
const A_MONTH: i64 = 35;

/// Makes an advance that stands like this.
async fn advance_that_is(status: &str, test: &TestApp, shop: &Shop) -> Value {
    sell(test, shop, 10_000, 1).await;
    let advance = request(shop, 1_000).await;
    match status {
        "APPROVED" | "SETTLED" => drop(decide(test, &advance, "approve").await.expect(200)),
        "REJECTED" => drop(decide(test, &advance, "reject").await.expect(200)),
        "CANCELLED" => drop(deed(test, shop, &advance, "cancel").await.expect(200)),
        _ => {}
    }
    if status == "SETTLED" {
        days_pass(shop, A_MONTH).await;
    }
    advance
}

async fn deed(test: &TestApp, shop: &Shop, advance: &Value, deed: &str) -> Reply {
    match deed {
        "cancel" => shop.key.post(&path(advance, "cancel"), json!({})).await,
        deed => decide(test, advance, deed).await,
    }
}

#[story::test]
async fn every_deed_in_every_status_is_done_or_refused(test: &TestApp) {
    let table = [
        ("PENDING", [("approve", "APPROVED"), ("reject", "REJECTED"), ("cancel", "CANCELLED")]),
        ("APPROVED", [("approve", ""), ("reject", ""), ("cancel", "")]),
        ("REJECTED", [("approve", ""), ("reject", ""), ("cancel", "")]),
        // Cancelling twice is a success without effects.
        ("CANCELLED", [("approve", ""), ("reject", ""), ("cancel", "CANCELLED")]),
        ("SETTLED", [("approve", ""), ("reject", ""), ("cancel", "")]),
    ];
    let shop = test.shop("Loja").await;
    for (status, actions) in table {
        for (name, next) in actions {
            let advance = advance_that_is(status, test, &shop).await;
            let before = (read(&shop, &advance).await, shop.events_of("advance.").await.len());
            assert_eq!(before.0["status"], status);
            let reply = deed(test, &shop, &advance, name).await;
            if next.is_empty() {
                let refused = reply.expect(409);
                assert_eq!(refused["code"], "INVALID_STATE_TRANSITION", "{status} {name}");
                assert_eq!(refused["currentStatus"], status, "{status} {name}");
            } else {
                assert_eq!(reply.expect(200)["data"]["status"], next, "{status} {name}");
            }
            if next.is_empty() || next == status {
                let after = (read(&shop, &advance).await, shop.events_of("advance.").await.len());
                assert_eq!(after, before, "{status} {name}");
            }
            // Nothing stays open for the next one.
            days_pass(&shop, A_MONTH).await;
        }
    }
}

#[story::test]
async fn an_approved_advance_pays_out_what_is_left_after_the_fee(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 3).await;
    let advance = request(&shop, 8_000).await;
    let mut reply = decide(test, &advance, "approve").await.expect(200)["data"].clone();
    let fields = reply.as_object_mut().expect("is an object");
    for known_to_administrators in ["decidedBy", "decidedAt", "decidedFrom"] {
        assert!(fields.remove(known_to_administrators).is_some());
    }
    assert_eq!(reply, read(&shop, &advance).await);
    assert_eq!((&reply["feeCents"], &reply["netAmountCents"]), (&json!(419), &json!(7_581)));
    assert_eq!(reply["approvedAt"], "2026-11-21T12:00:00.000Z");
    let expected = [[1, 3_334, 30, 100], [2, 3_333, 60, 199], [3, 1_333, 90, 120]];
    assert_eq!(slices(&reply), expected);
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 8_000, 0));
    assert_eq!(books(test, &shop).await, [7_581, 10_000, -8_000]);
    assert_eq!(held(test, FEES).await, 419);
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["advance.approved", "balance.updated"]);
    let lines = shop.key.get("/api/balance/entries?account=advanced").await.expect(200);
    assert_eq!(lines["data"][0]["kind"], "advance_approved");
    assert_eq!(lines["data"][0]["balanceCents"], -8_000);
    assert_eq!(lines["data"][0]["subjectId"], advance["id"]);
}

#[test]
fn eighty_percent_is_paid_out_and_not_a_cent_more() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        sell(test, &shop, 10_001, 1).await;
        // 80 % of 10,001 is 8,000.8.
        let over = request(&shop, 8_001).await;
        let refused = decide(test, &over, "approve").await;
        refused.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
        assert!(refused.text.contains("8000 cents"), "{}", refused.text);
        assert_eq!(stands(&shop, &over).await, ("PENDING".to_owned(), 0, 0));
        assert_eq!(books(test, &shop).await, [0, 10_001, 0]);
        // It waits, and one more sale is enough: 80 % of 10,002 is 8,001.6.
        sell(test, &shop, 1, 1).await;
        decide(test, &over, "approve").await.expect(200);
        assert_eq!(held(test, super::ADVANCED).await, -8_001);
    });
    story(async |test| {
        let shop = test.shop("Loja").await;
        sell(test, &shop, 10_000, 1).await;
        approved(test, &shop, 8_000).await;
        assert_eq!(held(test, super::ADVANCED).await, -8_000);
    });
}

#[story::test]
async fn what_went_back_between_request_and_approval_is_not_there(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 2).await;
    let advance = request(&shop, 4_001).await;
    let refund = json!({ "reason": "Risco.", "amountCents": 5_000 });
    let path = format!("/api/v1/transactions/{}/refund", id(&sale));
    shop.key.post(&path, refund).await.expect(201);
    // 80 % of the 5,000 that are left.
    decide(test, &advance, "approve").await.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
    shop.key.post(&super::path(&advance, "cancel"), json!({})).await.expect(200);
    approved(test, &shop, 4_000).await;
}

#[test]
fn the_worked_examples_come_out_to_the_cent() {
    // 308.01 × 4.99 % × 11 / 30 = 5.64.
    let one = |settings: &mut Settings| {
        settings.advance_rate_basis_points = 499;
        settings.advance_limit_percent = 100;
    };
    story_where(one, async |test| {
        let shop = test.shop("Loja").await;
        sell(test, &shop, 30_801, 1).await;
        days_pass(&shop, 19).await;
        let advance = approved(test, &shop, 30_801).await;
        assert_eq!(slices(&advance), [[1, 30_801, 11, 564]]);
        assert_eq!(advance["monthlyRatePercent"], json!(4.99));
    });
    // 300.00 in three on 23 November at 4 %: 96.00 each, due on 23 December, 22 January and, as
    // 21 February is a Sunday, 22 February. Paid out on 25 November at 2.99 %:
    // 2.68 + 5.55 + 8.52 = 16.75, so 288.00 - 16.75 = 271.25.
    let three = |settings: &mut Settings| {
        settings.card_fee_basis_points = 400;
        settings.advance_limit_percent = 100;
    };
    story_where(three, async |test| {
        let shop = test.shop("Loja").await;
        days_pass(&shop, 2).await;
        sell(test, &shop, 30_000, 3).await;
        days_pass(&shop, 2).await;
        let advance = approved(test, &shop, 28_800).await;
        let expected = [[1, 9_600, 28, 268], [2, 9_600, 58, 555], [3, 9_600, 89, 852]];
        assert_eq!(slices(&advance), expected);
        assert_eq!(advance["netAmountCents"], 27_125);
        assert_eq!(shop.available().await, 27_125);
    });
}

#[story::test]
async fn of_several_who_decide_at_once_one_wins(test: &TestApp, shop: Shop, admin: Client) {
    for _ in 0..4 {
        sell(test, &shop, 10_000, 3).await;
        let advance = request(&shop, 5_000).await;
        let decide = |deed| {
            let (admin, path) = (admin.clone(), path(&advance, deed));
            async move { admin.post(&path, json!({})).await }
        };
        let actions = ["approve", "reject", "approve", "approve"];
        let decided = join_all(actions.map(decide));
        let cancel = path(&advance, "cancel");
        let (decided, cancelled) = join(decided, shop.key.post(&cancel, json!({}))).await;
        let all: Vec<_> = decided.iter().chain([&cancelled]).collect();
        assert_eq!(all.iter().filter(|reply| reply.status == 200).count(), 1, "{all:?}");
        for lost in all.iter().filter(|reply| reply.status != 200) {
            lost.expect_refusal(409, "INVALID_STATE_TRANSITION");
        }
        let out = read(&shop, &advance).await["outstandingCents"].as_i64();
        assert_eq!(held(test, super::ADVANCED).await, -out.expect("is a number"));
        days_pass(&shop, 92).await;
        assert_eq!(held(test, super::ADVANCED).await, 0);
    }
}

#[story::test]
async fn a_repeated_approval_with_a_key_gets_the_first_answer(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 1).await;
    let advance = request(&shop, 1_000).await;
    let admin = test.admin().await.with("idempotency-key", "approve");
    let first = admin.post(&path(&advance, "approve"), json!({})).await;
    first.expect(200);
    let again = admin.post(&path(&advance, "approve"), json!({})).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(held(test, super::ADVANCED).await, -1_000);
}

#[story::test]
async fn a_rejection_says_why(test: &TestApp, shop: Shop) {
    let advance = request(&shop, 1_000).await;
    let (admin, reject) = (test.admin().await, path(&advance, "reject"));
    for reason in [json!("a".repeat(501)), json!(1)] {
        let refused = admin.post(&reject, json!({ "reason": reason })).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["reason"]);
    }
    admin.post(&reject, json!({ "reason": " Conta nova. " })).await.expect(200);
    let rejected = read(&shop, &advance).await;
    assert_eq!(rejected["rejectionReason"], "Conta nova.");
    assert_eq!(rejected["rejectedAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(shop.events_of("advance.").await, ["advance.created", "advance.rejected"]);
}

#[story::test(|settings| settings.advance_rate_basis_points = 100)]
async fn the_operator_sets_the_rate(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 1).await;
    // 5,000 × 1 % for thirty days.
    let advance = approved(test, &shop, 5_000).await;
    assert_eq!((&advance["feeCents"], &advance["monthlyRatePercent"]), (&json!(50), &json!(1)));
}
