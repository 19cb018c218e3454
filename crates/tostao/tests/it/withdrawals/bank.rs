//! How banks behave: they refuse, are late, repeat themselves, fall silent, and contradict.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::database::Dialect;
use futures_util::future::join3;
use serde_json::{Value, json};
use tostao::platform::secrets::{Purpose, Secrets};

use super::{GOOD, ended, held, orders, read, send, withdraw};
use crate::dashboard::{Browser, EMAIL};
use crate::harness::client::Client;
use crate::harness::database::SECRET;
use crate::harness::engine::Engine;
use crate::harness::logs::{lines_with, watch};
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story_with_restart};

const DOOR: &str = "/providers/sandbox/payouts";
const CONTRADICTED: &str = "/api/admin/withdraws?contradicted=true";
/// A payment in the whole PIX system.
pub const PAID_AS: &str = "E12345678202611211200abcDEF12345";

/// Calls as the sandbox bank would about one order.
pub async fn call(test: &TestApp, order: &Value, more: Value) -> Reply {
    let mut sent = more;
    sent["idEnvio"] = id(order).replace('-', "").into();
    signed(test, json!({ "envios": [sent] })).await
}

async fn signed(test: &TestApp, body: Value) -> Reply {
    let bank = test.anyone().with("x-sandbox-signature", &signature(&body));
    bank.post(DOOR, body).await
}

fn signature(body: &Value) -> String {
    let secrets = Secrets::derive(SECRET);
    STANDARD.encode(secrets.sign(Purpose::SandboxPayouts, body.to_string().as_bytes()))
}

#[story::test]
async fn what_the_bank_refuses_comes_back_with_the_reason(test: &TestApp) {
    let table = [
        ("key-not-found@example.com", "FAILED KEY_NOT_FOUND"),
        ("limit-exceeded@example.com", "FAILED LIMIT_EXCEEDED"),
        ("account-closed@example.com", "FAILED ACCOUNT_CLOSED"),
        ("account-blocked@example.com", "FAILED ACCOUNT_BLOCKED"),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(1_000).await;
    for (count, (key, end)) in (1..).zip(table) {
        let withdrawal = send(test, &shop, key).await;
        assert_eq!(ended(&shop, &withdrawal).await, end);
        assert_eq!(held(test, &shop).await, (1_000, 0, 0), "{key}");
        assert_eq!(shop.events_of("withdrawal.").await, vec!["withdrawal.failed"; count]);
        assert_eq!(orders(test, &withdrawal).await, "1");
    }
}

#[story::test]
async fn a_slow_bank_is_waited_for(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "slow@example.com").await;
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
    let clock = "/api/dev/clock/advance";
    shop.key.post(clock, json!({ "seconds": 59 })).await.expect(200);
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
    shop.key.post(clock, json!({ "seconds": 1 })).await.expect(200);
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    let paid = read(&shop, &withdrawal).await;
    assert_eq!(paid["completedAt"], "2026-11-21T12:01:00.000Z");
    assert_eq!(orders(test, &withdrawal).await, "1");
}

#[story::test]
async fn a_bank_that_confirms_twice_pays_once(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "twice@example.com").await;
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.completed"]);
    assert_eq!(held(test, &shop).await, (0, 0, 80));
}

#[story::test]
async fn what_a_silent_bank_did_is_learnt_by_asking_and_never_by_sending_again(test: &TestApp) {
    let shop = test.shop("Loja").await;
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "silent@example.com").await;
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
    assert_eq!(held(test, &shop).await, (0, 1_000, 0));
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    assert_eq!(held(test, &shop).await, (0, 0, 80));
    assert_eq!(orders(test, &withdrawal).await, "1");
}

#[story::test]
async fn an_order_that_never_arrived_fails_when_a_day_has_passed(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "lost@example.com").await;
    for wait in [Duration::from_secs(1), Duration::from_secs(86_398)] {
        test.run_jobs_after(wait).await;
        assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
        assert_eq!(held(test, &shop).await, (0, 1_000, 0));
    }
    test.run_jobs_after(Duration::from_mins(15)).await;
    assert_eq!(ended(&shop, &withdrawal).await, "FAILED RAIL_TIMEOUT");
    assert_eq!(held(test, &shop).await, (1_000, 0, 0));
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.failed"]);
    assert_eq!(orders(test, &withdrawal).await, "0");
}

#[story::test]
async fn a_bank_that_forgets_what_it_knew_is_not_believed(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "lost@example.com").await;
    call(test, &withdrawal, json!({ "status": "EM_PROCESSAMENTO" })).await.expect(200);
    test.run_jobs_after(Duration::from_hours(48)).await;
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
    let paid = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    call(test, &withdrawal, paid).await.expect(200);
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
}

#[test]
fn the_sandbox_bank_remembers_across_a_restart() {
    story_with_restart(
        async |test| {
            let shop = test.shop("Loja").await;
            shop.earn(1_000).await;
            send(test, &shop, "silent@example.com").await
        },
        async |test, withdrawal| {
            let shop = test.shop_again("Loja").await;
            test.run_jobs_after(Duration::from_secs(1)).await;
            assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
            assert_eq!(orders(test, &withdrawal).await, "1");
        },
    );
}

#[story::test]
async fn what_contradicts_an_end_changes_nothing_and_is_shown_to_administrators(test: &TestApp) {
    let paid = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    let refused = json!({ "status": "NAO_REALIZADO", "motivo": "ACCOUNT_CLOSED" });
    let paid_as = &format!("PAID {PAID_AS}");
    let table = [
        ("key-not-found@example.com", &paid, paid_as.as_str()),
        ("ana@example.com", &paid, paid_as),
        ("ana@example.com", &refused, "ACCOUNT_CLOSED"),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(5_000).await;
    for (count, (key, said, kept)) in (1..).zip(table) {
        let withdrawal = send(test, &shop, key).await;
        let (end, money) = (ended(&shop, &withdrawal).await, held(test, &shop).await);
        for _ in 0..2 {
            call(test, &withdrawal, said.clone()).await.expect(200);
        }
        assert_eq!(ended(&shop, &withdrawal).await, end);
        assert_eq!(held(test, &shop).await, money);
        let path = CONTRADICTED;
        let listed = test.admin().await.get(path).await.expect(200);
        assert_eq!(listed["pagination"]["total"], count);
        assert_eq!(listed["data"][0]["contradiction"], kept);
    }
    assert_eq!(shop.events_of("withdrawal.").await.len(), 3);
}

#[story::test]
async fn a_report_that_agrees_with_the_final_state_may_be_repeated(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "ana@example.com").await;
    let end_to_end_id = read(&shop, &withdrawal).await["endToEndId"].clone();
    let again = json!({ "status": "REALIZADO", "endToEndId": end_to_end_id });
    for said in [again, json!({ "status": "EM_PROCESSAMENTO" })] {
        call(test, &withdrawal, said).await.expect(200);
    }
    let admin = test.admin().await;
    assert_eq!(admin.total(CONTRADICTED).await, 0);
}

#[story::test]
async fn an_end_to_end_id_belongs_to_one_payout(test: &TestApp, shop: Shop) {
    shop.earn(3_000).await;
    let boleto = shop.boleto(1_000).await;
    shop.pay(&boleto).await;
    shop.pay(&boleto).await;
    let path = format!("/api/v1/transactions/{}/unmatched", id(&boleto));
    let money = shop.key.get(&path).await.expect(200)["data"][0].clone();
    let silent = json!({ "refundPixKey": "lost@example.com" });
    shop.key.post(&format!("{path}/{}/return", id(&money)), silent).await.expect(200);

    let first = send(test, &shop, "lost@example.com").await;
    let second = send(test, &shop, "lost@example.com").await;
    let paid = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    call(test, &first, paid.clone()).await.expect(200);
    assert_eq!(ended(&shop, &first).await, "COMPLETED");
    let money = held(test, &shop).await;
    watch(&[id(&first), id(&second)]);
    call(test, &second, paid.clone()).await.expect(200);
    assert_eq!(ended(&shop, &second).await, "PENDING");
    let lines = lines_with(id(&second));
    assert!(lines.iter().any(|line| line.contains("contradicts")), "{lines:?}");
    let lines = lines_with(id(&first));
    assert!(lines.iter().any(|line| line.contains("completed another order")), "{lines:?}");
    let listed = test.admin().await.get(CONTRADICTED).await.expect(200);
    assert_eq!(listed["pagination"]["total"], 1);
    assert_eq!(listed["data"][0]["id"], second["id"]);
    assert_eq!(listed["data"][0]["contradiction"], format!("PAID {PAID_AS}"));

    let returning = "select cast(id as text) from payment_returns";
    let returning = match Engine::open(test).await.dialect() {
        Dialect::Sqlite => returning.replace("cast(id as text)", "hex(id)"),
        Dialect::Postgres => returning.to_owned(),
    };
    let returning = Engine::open(test).await.rows(&returning).await.remove(0).remove(0);
    let returning = json!({ "id": returning.to_ascii_lowercase() });
    call(test, &returning, paid.clone()).await.expect(200);
    let listed = shop.key.get(&path).await.expect(200);
    assert_eq!(listed["data"][0]["status"], "RETURNING");
    assert_eq!(held(test, &shop).await, money);
    // The bank has shown that it knows the orders, so that it forgets them proves nothing.
    test.run_jobs_after(Duration::from_hours(25)).await;
    assert_eq!(ended(&shop, &second).await, "PENDING");
    let listed = shop.key.get(&path).await.expect(200);
    assert_eq!(listed["data"][0]["status"], "RETURNING");

    // What the bank says next is believed again, and what was paid stays so.
    let other = PAID_AS.replace("abc", "xyz");
    let other = json!({ "status": "REALIZADO", "endToEndId": other });
    call(test, &second, other).await.expect(200);
    assert_eq!(ended(&shop, &second).await, "COMPLETED");
    assert_eq!(test.admin().await.total(CONTRADICTED).await, 0);
    call(test, &first, paid).await.expect(200);
    let refused = json!({ "status": "NAO_REALIZADO", "motivo": "INVALID_KEY" });
    call(test, &returning, refused).await.expect(200);
    assert_eq!(shop.key.get(&path).await.expect(200)["data"][0]["status"], "OPEN");
}

#[story::test]
async fn an_administrator_ends_a_payout_that_its_bank_reports_under_another_ones_payment(
    test: &TestApp,
    shop: Shop,
) {
    shop.earn(4_000).await;
    let taken = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    let first = send(test, &shop, "lost@example.com").await;
    call(test, &first, taken.clone()).await.expect(200);
    let paid = json!({ "outcome": "paid", "endToEndId": PAID_AS.replace("abc", "xyz") });
    let not_paid = json!({ "outcome": "not_paid", "failureReason": "Fora do extrato." });
    let table = [(paid, "COMPLETED"), (not_paid, "FAILED REJECTED_BY_ADMIN")];
    for (count, (body, end)) in (1..).zip(table) {
        let withdrawal = send(test, &shop, "lost@example.com").await;
        call(test, &withdrawal, taken.clone()).await.expect(200);
        test.run_jobs_after(Duration::from_mins(71)).await;
        let admin = test.admin().await;
        let approved = admin.get(CONTRADICTED).await.expect(200)["data"][0].clone();
        assert_eq!(approved["id"], withdrawal["id"]);
        let resolved = resolve(&admin, &withdrawal, &body).await.expect(200)["data"].clone();
        assert_ne!(resolved["decidedAt"], approved["decidedAt"]);
        assert_eq!(resolved["contradiction"], json!(null));
        assert_eq!(resolved["failureMessage"], body["failureReason"]);
        assert_eq!(resolved["endToEndId"], body["endToEndId"]);
        let again = resolve(&admin, &withdrawal, &body).await;
        again.expect_refusal(409, "INVALID_STATE_TRANSITION");
        // The bank is not asked again, and the order is not sent again.
        test.run_jobs_after(Duration::from_mins(5)).await;
        assert_eq!(ended(&shop, &withdrawal).await, end);
        assert_eq!(orders(test, &withdrawal).await, "0");
        assert_eq!(held(test, &shop).await, (2_000, 0, 160));
        assert_eq!(admin.total(CONTRADICTED).await, 0);
        let path = "/api/admin/audit?action=withdrawal.resolved";
        let recorded = admin.get(path).await.expect(200);
        assert_eq!(recorded["pagination"]["total"], count);
        let details = &recorded["data"][0]["details"];
        assert_eq!(details["outcome"], body["outcome"]);
        assert_eq!(details["endToEndId"], body["endToEndId"]);
        assert_eq!(details["contradiction"], format!("PAID {PAID_AS}"));
        assert_eq!(details["approvedBy"], approved["decidedBy"]);
        // What the bank contradicts after that is shown again.
        call(test, &withdrawal, taken.clone()).await.expect(200);
        assert_eq!(admin.total(CONTRADICTED).await, 1);
        Engine::open(test).await.rows("update withdrawals set contradiction = null").await;
    }
    assert_eq!(shop.events_of("withdrawal.").await.len(), 3);
}

#[story::test]
async fn the_history_of_an_account_says_how_a_payout_was_ended_and_not_who_had_approved_it(
    test: &TestApp,
    shop: Shop,
) {
    shop.earn(2_000).await;
    let taken = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    let first = send(test, &shop, "lost@example.com").await;
    let second = send(test, &shop, "lost@example.com").await;
    for withdrawal in [&first, &second] {
        call(test, withdrawal, taken.clone()).await.expect(200);
    }
    test.run_jobs_after(Duration::from_mins(71)).await;
    let (admin, not_paid) = (test.admin().await, json!({ "outcome": "not_paid" }));
    let decided = admin.get(CONTRADICTED).await.expect(200)["data"][0].clone();
    let approver = decided["decidedBy"].as_str().expect("was approved");
    resolve(&admin, &second, &not_paid).await.expect(200);
    let (browser, resolved) = (Browser::signed_in(test, EMAIL).await, "action=withdrawal.resolved");
    let page = browser.page(&format!("/account/audit?{resolved}")).await;
    let file = browser.get(&format!("/account/audit/export?{resolved}&format=csv")).await;
    let owner = test.shop_again("Loja").await.owner;
    let listed = owner.get(&format!("/api/audit?{resolved}")).await;
    let whole = owner.get(&format!("/api/audit/export?{resolved}")).await;
    for said in [&page.text, &file.text, &listed.text, &whole.text] {
        assert!(said.contains("not_paid"), "{said}");
        assert!(!said.contains(approver) && !said.contains("approvedBy"), "{said}");
    }
    for said in [&page.text, &file.text] {
        assert!(said.contains("outcome: not_paid"), "{said}");
        assert!(said.contains(&format!("contradiction: PAID {PAID_AS}")), "{said}");
        assert!(!said.contains("endToEndId"), "{said}");
    }
}

#[story::test]
async fn a_resolution_that_does_not_fit_is_refused_and_changes_nothing(
    test: &TestApp,
    shop: Shop,
    admin: Client,
) {
    shop.earn(3_000).await;
    let taken = json!({ "status": "REALIZADO", "endToEndId": PAID_AS });
    let other = PAID_AS.replace("abc", "xyz");
    let (paid, not_paid) =
        (json!({ "outcome": "paid", "endToEndId": other }), json!({ "outcome": "not_paid" }));
    let unsent = withdraw(&shop, 1_000, GOOD).await;
    let first = send(test, &shop, "lost@example.com").await;
    for withdrawal in [&unsent, &first] {
        for body in [&paid, &not_paid] {
            let refused = resolve(&admin, withdrawal, body).await;
            refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        }
    }
    call(test, &first, taken.clone()).await.expect(200);
    let withdrawal = send(test, &shop, "lost@example.com").await;
    call(test, &withdrawal, taken).await.expect(200);
    let wrong = [
        (json!({ "outcome": "paid" }), "endToEndId"),
        (json!({ "outcome": "paid", "endToEndId": "E1" }), "endToEndId"),
        (json!({ "outcome": "paid", "endToEndId": PAID_AS }), "endToEndId"),
        (json!({ "outcome": "not_paid", "endToEndId": other }), "endToEndId"),
        (
            json!({ "outcome": "paid", "endToEndId": other, "failureReason": "Não." }),
            "failureReason",
        ),
        (json!({ "outcome": "not_paid", "failureReason": "x".repeat(501) }), "failureReason"),
    ];
    for (body, field) in wrong {
        let refused = resolve(&admin, &withdrawal, &body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    }
    resolve(&shop.owner, &withdrawal, &paid).await.expect_refusal(403, "ADMIN_REQUIRED");
    // While its order may be on its way, its money does not return.
    let early = resolve(&admin, &withdrawal, &not_paid).await;
    early.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
    assert_eq!(admin.total(CONTRADICTED).await, 1);
    assert_eq!(admin.total("/api/admin/audit?action=withdrawal.resolved").await, 0);
}

/// An administrator resolves a withdrawal.
async fn resolve(admin: &Client, withdrawal: &Value, body: &Value) -> Reply {
    admin.post(&format!("/api/admin/withdraws/{}/resolve", id(withdrawal)), body.clone()).await
}

#[story::test]
async fn a_bank_that_answers_and_calls_at_once_does_not_contradict_itself(test: &TestApp) {
    let (holder, watcher) = (Engine::open(test).await, Engine::open(test).await);
    // On an embedded engine nothing happens in the middle of a unit.
    if holder.dialect() == Dialect::Sqlite {
        return;
    }
    let shop = test.shop("Loja").await;
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "silent@example.com").await;
    let kept = "select end_to_end_id from sandbox_payouts";
    let paid_as = watcher.rows(kept).await.remove(0).remove(0);
    test.pass(Duration::from_secs(1));
    holder.rows("begin").await;
    holder.rows("lock table payout_payments in share mode").await;
    let waiting = async |count: &str| {
        let waits = "select count(*)::text from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock'";
        while watcher.rows(waits).await != [[count]] {}
    };
    let asking = async {
        waiting("1").await;
        test.run_jobs().await
    };
    let releasing = async {
        waiting("2").await;
        holder.rows("commit").await;
    };
    let paid = json!({ "status": "REALIZADO", "endToEndId": paid_as });
    let (called, ..) = join3(call(test, &withdrawal, paid), asking, releasing).await;
    called.expect(200);
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    let path = CONTRADICTED;
    assert_eq!(test.admin().await.total(path).await, 0);
}

#[story::test]
async fn a_contradicted_order_is_asked_about_until_it_ends(test: &TestApp, shop: Shop) {
    shop.earn(2_000).await;
    let first = send(test, &shop, "lost@example.com").await;
    let second = send(test, &shop, "silent@example.com").await;
    let kept = "select end_to_end_id from sandbox_payouts";
    let paid_as = Engine::open(test).await.rows(kept).await.remove(0).remove(0);
    let paid = json!({ "status": "REALIZADO", "endToEndId": paid_as });
    call(test, &first, paid).await.expect(200);
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(ended(&shop, &second).await, "PENDING");
    Engine::open(test)
        .await
        .rows("update sandbox_payouts set end_to_end_id = 'E12345678202611211200abcDEF12345'")
        .await;
    test.run_jobs_after(Duration::from_hours(1)).await;
    assert_eq!(ended(&shop, &second).await, "COMPLETED");
}

#[story::test]
async fn an_unreadable_report_of_a_payout_is_an_error_in_the_log_and_blocks_no_other(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    shop.earn(2_000).await;
    let (first, second) =
        (send(test, &shop, "slow@example.com").await, send(test, &shop, "slow@example.com").await);
    let sent = |order: &Value, paid_as: &str| {
        let reference = id(order).replace('-', "");
        json!({ "idEnvio": reference, "status": "REALIZADO", "endToEndId": paid_as })
    };
    let reference = id(&first).replace('-', "");
    watch(&[&reference]);
    for wrong in ["", "E1"] {
        let batch = [sent(&first, wrong), json!({ "status": "NEW" }), sent(&second, PAID_AS)];
        signed(test, json!({ "envios": batch })).await.expect(200);
    }
    assert_eq!(ended(&shop, &first).await, "PENDING");
    assert_eq!(ended(&shop, &second).await, "COMPLETED");
    let lines = lines_with(&reference);
    assert!(lines.iter().any(|line| line.contains("cannot be read")), "{lines:?}");
}

#[story::test]
async fn only_the_bank_is_believed_at_the_door(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "slow@example.com").await;
    let reference = id(&withdrawal).replace('-', "");
    let sent = json!({ "idEnvio": reference, "status": "REALIZADO", "endToEndId": PAID_AS });
    let body = json!({ "envios": [sent] });
    let anyone = test.anyone();
    anyone.post(DOOR, body.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    let forged = anyone.with("x-sandbox-signature", &STANDARD.encode([7; 32]));
    forged.post(DOOR, body.clone()).await.expect_refusal(401, "UNAUTHORIZED");
    forged.post("/providers/other/payouts", body).await.expect_refusal(404, "NOT_FOUND");
    signed(test, json!({ "pix": [] })).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
}

#[story::test]
async fn an_unknown_order_does_not_block_the_others_of_its_batch(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = send(test, &shop, "slow@example.com").await;
    let paid = |reference: &str| {
        let (id, status) = (reference, "REALIZADO");
        json!({ "idEnvio": id, "status": status, "endToEndId": PAID_AS })
    };
    let known = id(&withdrawal).replace('-', "");
    let body = json!({ "envios": [paid("00000000000070008000000000000001"), paid(&known)] });
    signed(test, body).await.expect(200);
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
}
