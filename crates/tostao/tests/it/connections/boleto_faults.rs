//! Boletos at either bank, whatever goes wrong on the way: each charge has one that can be paid, or
//! none, and each payment is booked once.

use std::time::Duration;

use db::time::Timestamp;
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use super::boleto_scene::{BoletoScene, Profile, Step, at_both_banks, notice, sale};
use super::lost_answers::{after_processing, instead_of_processing, once};
use super::payments::pass;
use super::scene::pass_in;
use super::{administrator, read, status};
use crate::harness::TestApp;
use crate::harness::crashes::{at_every_wait, breaks_off, calm_down, die_at_wait};
use crate::harness::logs;
use crate::harness::shop::id;

/// Longer than any call to a bank may take.
const CALL_MAX: Duration = Duration::from_secs(30);

at_both_banks![
    a_boleto_whose_answer_is_lost_is_found_at_once_and_ordered_once,
    a_boleto_that_the_bank_did_not_register_is_not_issued_and_is_ordered_again_at_once,
    a_boleto_that_cannot_be_found_is_closed_at_the_bank_once_it_answers,
    a_boleto_that_the_bank_refuses_is_looked_for_no_more,
    a_bank_that_is_asked_too_often_is_left_alone_and_nothing_is_refused,
    a_token_that_ends_early_is_replaced_and_one_that_never_works_refuses_nothing,
    a_bank_that_answers_too_late_is_asked_and_has_one_boleto,
    a_boleto_is_booked_when_the_bank_confirms_what_its_notice_names,
    a_notice_that_comes_ten_times_at_once_and_days_later_books_once,
    a_notice_that_names_nothing_of_ours_books_nothing,
    a_paid_boleto_whose_notices_are_all_lost_is_booked_from_the_list,
    a_notice_that_cannot_be_looked_into_is_looked_into_again,
    money_of_another_amount_is_set_aside_and_the_excess_too,
    a_boleto_that_is_paid_after_it_was_cancelled_or_expired_is_paid_late,
    an_unpaid_boleto_is_asked_about_before_it_expires_and_is_closed,
    a_boleto_does_not_expire_while_its_bank_cannot_say_whether_it_was_paid,
    a_boleto_that_is_marked_as_paid_by_hand_books_nothing,
    a_long_list_that_breaks_off_while_it_is_read_is_read_whole,
    what_is_ordered_and_paid_around_midnight_is_found_whatever_the_banks_clock_says,
    a_certificate_of_the_bank_that_is_not_good_refuses_nothing_and_no_order_is_sent,
    a_request_that_dies_anywhere_leaves_no_boleto_without_a_charge,
    a_worker_that_dies_anywhere_books_once,
];

async fn a_boleto_whose_answer_is_lost_is_found_at_once_and_ordered_once(
    test: &TestApp,
    scene: BoletoScene,
) {
    for (count, fault) in (1..).zip(after_processing()) {
        scene.fault(Step::Order, once(fault.clone())).await;
        scene.order().await;
        assert_eq!(scene.codes().await.len(), count, "{fault}");
        assert_eq!(scene.calls(Step::Order).await, count, "{fault}");
    }
    pass_in(test, &scene.bank, 3, Duration::from_mins(10)).await;
    assert_eq!(scene.states().await, ["open"; 7]);
}

async fn a_boleto_that_the_bank_did_not_register_is_not_issued_and_is_ordered_again_at_once(
    test: &TestApp,
    scene: BoletoScene,
) {
    for (count, fault) in (1..).zip(instead_of_processing()) {
        scene.fault(Step::Order, once(fault.clone())).await;
        scene.try_order(10_000).await.expect_refusal(503, "UNAVAILABLE");
        scene.order().await;
        assert_eq!(scene.codes().await.len(), count, "{fault}");
        assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, count, "{fault}");
    }
    pass_in(test, &scene.bank, 3, Duration::from_mins(10)).await;
    assert_eq!(scene.states().await, ["open"; 6]);
}

async fn a_boleto_that_cannot_be_found_is_closed_at_the_bank_once_it_answers(
    test: &TestApp,
    scene: BoletoScene,
) {
    scene.fault(Step::Order, json!({ "fault": "cut_after", "times": 1 })).await;
    scene.fault(Step::List, json!({ "fault": "cut_before", "times": 1 })).await;
    scene.try_order(10_000).await.expect_refusal(503, "UNAVAILABLE");
    let found = scene.order().await;
    scene.fault(Step::Close, json!({ "fault": "status", "status": 500, "times": 2 })).await;
    pass(test, &scene.bank, Duration::from_mins(11)).await;
    assert_eq!(scene.states().await, ["open", "open"]);
    pass_in(test, &scene.bank, 3, Duration::from_mins(20)).await;
    assert_eq!(scene.states().await, ["closed", "open"]);
    pass_in(test, &scene.bank, 6, Duration::from_hours(4)).await;
    assert_eq!(scene.states().await, ["closed", "open"]);
    assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, 1);
    assert_eq!(status(&scene.shop, &found).await, "PENDING");
}

async fn a_boleto_that_the_bank_refuses_is_looked_for_no_more(test: &TestApp, scene: BoletoScene) {
    let code = match scene.profile {
        Profile::Efi => "3500034 /items/value",
        Profile::Inter => "valorNominal",
    };
    let said = "a bank refused a charge";
    logs::watch(&[said]);
    let refused = scene.try_order(249).await;
    refused.expect_refusal(409, "CHARGE_REFUSED");
    let message = format!("The bank refused this charge ({code}). Nothing was changed.");
    assert_eq!(refused.json()["message"], message);
    let lines = logs::lines_with(said).join("");
    assert!(lines.contains(&format!("code=\"{code}\"")), "{lines}");
    assert!(!lines.contains("52998224725") && !lines.contains("Ana Souza"), "{lines}");
    let listed = scene.calls(Step::List).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(11)).await;
    // The list of payments is read every half an hour.
    assert_eq!(scene.calls(Step::List).await, listed);
    assert_eq!(scene.codes().await.len(), 0);
    assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, 0);
}

async fn a_bank_that_is_asked_too_often_is_left_alone_and_nothing_is_refused(
    test: &TestApp,
    scene: BoletoScene,
) {
    let issued = scene.made(test).await;
    let limit = json!({ "fault": "too_many", "retry_after": 3_600, "times": 1 });
    for step in [Step::Order, Step::List] {
        scene.fault(step, limit.clone()).await;
    }
    for _ in 0..3 {
        scene.try_order(10_000).await.expect_refusal(503, "UNAVAILABLE");
    }
    assert_eq!(scene.calls(Step::Order).await, 2);
    let listed = scene.calls(Step::List).await;
    scene.happens("boleto", json!({})).await;
    pass_in(test, &scene.bank, 6, Duration::from_mins(9)).await;
    assert_eq!(scene.calls(Step::List).await, listed + 1);
    // What a notice names is asked for at another place, which has a limit of its own.
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &issued).await, "PAID");
    scene.begins_afresh(test).await;
    scene.order().await;
    assert_eq!(scene.codes().await.len(), 2);
    assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, 2);
}

async fn a_token_that_ends_early_is_replaced_and_one_that_never_works_refuses_nothing(
    test: &TestApp,
    scene: BoletoScene,
) {
    scene.order().await;
    // Inter grants few tokens a minute.
    pass(test, &scene.bank, Duration::from_mins(1)).await;
    let tokens = scene.calls(Step::Token).await;
    scene.bank.at("/__fault", json!({ "fault": "expire_tokens" })).await;
    scene.order().await;
    assert_eq!(scene.calls(Step::Token).await, tokens + 1);
    assert_eq!(scene.codes().await.len(), 2);
    scene.fault(Step::Order, json!({ "fault": "unauthorized" })).await;
    let ordered = scene.calls(Step::Order).await;
    scene.try_order(10_000).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(scene.calls(Step::Order).await, ordered + 2);
    scene.bank.recovers().await;
    // Credentials that were refused are left alone for a while, by the machine's clock.
    scene.begins_afresh(test).await;
    scene.order().await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(10)).await;
    assert_eq!(scene.states().await, ["open"; 3]);
    assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, 3);
}

async fn a_bank_that_answers_too_late_is_asked_and_has_one_boleto(
    test: &TestApp,
    scene: BoletoScene,
) {
    let late = [
        json!({ "fault": "drip", "times": 1 }),
        json!({ "fault": "slow", "ms": 9_000, "times": 1 }),
        json!({ "fault": "no_answer", "times": 1 }),
    ];
    for fault in late {
        scene.fault(Step::Order, fault).await;
    }
    let ordered = join_all((0..3).map(|_| scene.try_order(10_000)));
    for reply in timeout(CALL_MAX, ordered).await.expect("limits hold") {
        reply.expect(201);
    }
    assert_eq!(scene.codes().await.len(), 3);
    pass_in(test, &scene.bank, 2, Duration::from_mins(10)).await;
    assert_eq!(scene.states().await, ["open"; 3]);
}

async fn a_boleto_is_booked_when_the_bank_confirms_what_its_notice_names(
    test: &TestApp,
    scene: BoletoScene,
) {
    let charge = scene.made(test).await;
    assert!(charge["pix"]["brCode"].is_string(), "{charge}");
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    scene.happens("boleto", json!({})).await;
    test.run_jobs_after(Duration::from_secs(2)).await;
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    pass_in(test, &scene.bank, 3, Duration::from_hours(8)).await;
    assert_eq!(scene.states().await, ["paid"]);
    assert_eq!(scene.pending().await, 10_000);
}

async fn a_notice_that_comes_ten_times_at_once_and_days_later_books_once(
    test: &TestApp,
    scene: BoletoScene,
) {
    let charge = scene.made(test).await;
    scene.happens("boleto", json!({})).await;
    let notice = scene.notice().await;
    join_all((0..10).map(|_| scene.sends(test, notice.clone()))).await;
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(scene.pending().await, 10_000);
    for _ in 0..3 {
        pass(test, &scene.bank, Duration::from_hours(24)).await;
        scene.notify(test).await;
    }
    assert_eq!(scene.events("transaction.paid").await, 1);
    assert_eq!(read(&scene.shop, &charge).await["unmatchedAmount"], 0);
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
}

async fn a_notice_that_names_nothing_of_ours_books_nothing(test: &TestApp, scene: BoletoScene) {
    let charge = scene.made(test).await;
    for name in ["0c3b4a9e-0000-4000-8000-000000000000", "of no bank", "../cobrancas"] {
        scene.sends(test, notice(scene.profile, name)).await;
    }
    // A forged notice names what is ours, and claims money that the bank does not confirm.
    let forged = scene.notice().await;
    scene.sends(test, forged).await;
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    assert_eq!(scene.pending().await, 0);
    let admin = administrator(test).await;
    assert_eq!(admin.list("/api/admin/unmatched").await.len(), 0);
    assert_eq!(admin.list("/api/admin/reconciliation").await.len(), 0);
}

async fn a_paid_boleto_whose_notices_are_all_lost_is_booked_from_the_list(
    test: &TestApp,
    scene: BoletoScene,
) {
    let charge = scene.made(test).await;
    scene.happens("boleto", json!({})).await;
    pass_in(test, &scene.bank, 8, Duration::from_mins(5)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(scene.pending().await, 10_000);
}

async fn a_notice_that_cannot_be_looked_into_is_looked_into_again(
    test: &TestApp,
    scene: BoletoScene,
) {
    let charge = scene.made(test).await;
    scene.happens("boleto", json!({})).await;
    let asked = scene.calls(Step::Notice).await;
    for fault in ["html", "cut_in_half", "cut_before"] {
        scene.fault(Step::Notice, json!({ "fault": fault, "times": 1 })).await;
    }
    scene.notify(test).await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    pass_in(test, &scene.bank, 4, Duration::from_secs(5)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(scene.calls(Step::Notice).await, asked + 4);
}

async fn money_of_another_amount_is_set_aside_and_the_excess_too(
    test: &TestApp,
    scene: BoletoScene,
) {
    let table = [(9_999, "PENDING", 9_999), (10_001, "PAID", 1)];
    for (cents, expected, beside) in table {
        let charge = scene.made(test).await;
        scene.happens("boleto", json!({ "amount_cents": cents })).await;
        scene.notify(test).await;
        let now = read(&scene.shop, &charge).await;
        assert_eq!(
            (&now["status"], &now["unmatchedAmount"]),
            (&json!(expected), &json!(beside)),
            "{cents}"
        );
    }
    assert_eq!(scene.pending().await, 10_000);
}

async fn a_boleto_that_is_paid_after_it_was_cancelled_or_expired_is_paid_late(
    test: &TestApp,
    scene: BoletoScene,
) {
    let (cancelled, expired) = (scene.made(test).await, scene.made(test).await);
    let path = format!("/api/v1/transactions/{}/cancel", id(&cancelled));
    scene.shop.owner.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(scene.states().await, ["closed", "open"]);
    pass_in(test, &scene.bank, 40, Duration::from_hours(6)).await;
    assert_eq!(status(&scene.shop, &expired).await, "EXPIRED");
    assert_eq!(scene.states().await, ["closed", "closed"]);
    for code in scene.codes().await {
        scene.happens_to(&code, "boleto", json!({})).await;
    }
    pass_in(test, &scene.bank, 8, Duration::from_mins(5)).await;
    for charge in [cancelled, expired] {
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["paidLate"]), (&json!("PAID"), &json!(true)), "{now}");
    }
    assert_eq!(scene.pending().await, 20_000);
}

async fn an_unpaid_boleto_is_asked_about_before_it_expires_and_is_closed(
    test: &TestApp,
    scene: BoletoScene,
) {
    let (paid, unpaid) = (scene.made(test).await, scene.made(test).await);
    pass_in(test, &scene.bank, 24, Duration::from_hours(6)).await;
    assert_eq!(status(&scene.shop, &unpaid).await, "PENDING");
    let code = scene.codes().await.remove(0);
    scene.happens_to(&code, "boleto", json!({})).await;
    let expires = unpaid["expiresAt"].as_str().expect("has a deadline");
    let expires = Timestamp::parse(expires).expect("is an instant");
    pass(test, &scene.bank, expires.since(test.app.now()) + Duration::from_secs(1)).await;
    assert_eq!(status(&scene.shop, &unpaid).await, "EXPIRED");
    assert_eq!(status(&scene.shop, &paid).await, "PAID");
    assert_eq!(read(&scene.shop, &paid).await["paidLate"], false);
    test.run_jobs().await;
    assert_eq!(scene.states().await, ["paid", "closed"]);
}

async fn a_boleto_does_not_expire_while_its_bank_cannot_say_whether_it_was_paid(
    test: &TestApp,
    scene: BoletoScene,
) {
    let charge = scene.made(test).await;
    pass_in(test, &scene.bank, 6, Duration::from_hours(24)).await;
    scene.happens("boleto", json!({})).await;
    for step in [Step::List, Step::Notice] {
        scene.fault(step, json!({ "fault": "status", "status": 500 })).await;
    }
    pass_in(test, &scene.bank, 4, Duration::from_hours(4)).await;
    assert_eq!(scene.events("transaction.expired").await, 0);
    scene.bank.recovers().await;
    // A bank that kept failing is left alone for a while, by the machine's clock.
    scene.begins_afresh(test).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(15)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(scene.states().await, ["paid"]);
}

async fn a_boleto_that_is_marked_as_paid_by_hand_books_nothing(test: &TestApp, scene: BoletoScene) {
    let charge = scene.made(test).await;
    scene.happens("settled", json!({})).await;
    scene.notify(test).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(30)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    assert_eq!(scene.pending().await, 0);
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
}

async fn a_long_list_that_breaks_off_while_it_is_read_is_read_whole(
    test: &TestApp,
    scene: BoletoScene,
) {
    let mut charges = Vec::new();
    for _ in 0..230 {
        charges.push(scene.order().await);
    }
    pass_in(test, &scene.bank, 3, Duration::from_secs(4)).await;
    let codes = scene.codes().await;
    for code in &codes[30..] {
        scene.happens_to(code, "boleto", json!({})).await;
    }
    // It ends after its first page, and others are paid before it is read on: what was on its next
    // page moves to a later one.
    let refused = match scene.profile {
        // Its token has ended by then, so that its first answer is that.
        Profile::Efi => 1,
        Profile::Inter => 0,
    };
    let breaks = json!({ "fault": "status", "status": 500, "skip": 1 + refused, "times": 1 });
    scene.fault(Step::List, breaks).await;
    pass(test, &scene.bank, Duration::from_mins(31)).await;
    assert_eq!(scene.pending().await, 100 * 10_000);
    for code in &codes[..30] {
        scene.happens_to(code, "boleto", json!({})).await;
    }
    pass_in(test, &scene.bank, 4, Duration::from_mins(15)).await;
    assert_eq!(scene.pending().await, 230 * 10_000);
    for charge in &charges {
        assert_eq!(status(&scene.shop, charge).await, "PAID");
    }
}

async fn what_is_ordered_and_paid_around_midnight_is_found_whatever_the_banks_clock_says(
    test: &TestApp,
    scene: BoletoScene,
) {
    let mut charges = Vec::new();
    // Midnight in São Paulo, and of the last day of the year there.
    for (instant, off) in [("2026-11-24T03:00:00Z", 300), ("2027-01-01T03:00:00Z", -600)] {
        scene.bank.at("/__clock", json!({ "advance_seconds": off })).await;
        let midnight = Timestamp::parse(instant).expect("is an instant");
        let eve = midnight.minus(Duration::from_secs(30));
        pass(test, &scene.bank, eve.since(test.app.now())).await;
        for _ in 0..2 {
            scene.fault(Step::Order, json!({ "fault": "cut_after", "times": 1 })).await;
            charges.push(scene.made(test).await);
            scene.happens("boleto", json!({})).await;
            pass(test, &scene.bank, Duration::from_mins(1)).await;
        }
        pass_in(test, &scene.bank, 8, Duration::from_mins(5)).await;
        for charge in &charges {
            assert_eq!(status(&scene.shop, charge).await, "PAID", "{instant}");
        }
    }
    assert_eq!(scene.states().await, ["paid"; 4]);
}

async fn a_certificate_of_the_bank_that_is_not_good_refuses_nothing_and_no_order_is_sent(
    test: &TestApp,
    scene: BoletoScene,
) {
    for (count, mode) in ["expired", "other_name"].into_iter().enumerate() {
        // A connection that is open stays so.
        scene.begins_afresh(test).await;
        scene.bank.at("/__tls", json!({ "server": mode })).await;
        scene.try_order(10_000).await.expect_refusal(503, "UNAVAILABLE");
        scene.bank.at("/__tls", json!({})).await;
        assert_eq!(scene.codes().await.len(), count, "{mode}");
        scene.order().await;
    }
    pass_in(test, &scene.bank, 3, Duration::from_mins(10)).await;
    assert_eq!(scene.states().await, ["open"; 2]);
}

async fn a_request_that_dies_anywhere_leaves_no_boleto_without_a_charge(
    test: &TestApp,
    scene: BoletoScene,
) {
    at_every_wait(async |number| {
        let buyer = scene.shop.owner.with("idempotency-key", &format!("sale-{number}"));
        let died = breaks_off(buyer.post("/api/v1/transactions", sale(10_000)), number).await;
        calm_down(test).await;
        died
    })
    .await;
    pass_in(test, &scene.bank, 4, Duration::from_mins(15)).await;
    let open = scene.states().await.iter().filter(|state| *state == "open").count();
    assert_eq!(scene.shop.owner.total("/api/v1/transactions").await, open);
    assert!(scene.states().await.iter().all(|state| state == "open" || state == "closed"));
}

async fn a_worker_that_dies_anywhere_books_once(test: &TestApp, scene: BoletoScene) {
    let mut rounds = 0;
    at_every_wait(async |number| {
        let charge = scene.order().await;
        test.pass(Duration::from_secs(2));
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        pass_in(test, &scene.bank, 3, Duration::from_mins(1)).await;
        scene.happens("boleto", json!({})).await;
        let notice = scene.notice().await;
        scene.sends(test, notice).await;
        let died = die_at_wait(test, number).await || died;
        calm_down(test).await;
        pass_in(test, &scene.bank, 3, Duration::from_mins(1)).await;
        rounds += 1;
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
        assert!(now["boleto"]["digitableLine"].is_string(), "at {number}: {now}");
        died
    })
    .await;
    assert_eq!(scene.pending().await, rounds * 10_000);
    assert!(scene.states().await.iter().all(|state| state == "paid"));
}
