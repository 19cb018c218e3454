//! Money that was set aside goes back to its payer: once, by its rail, as the provider says.

use std::time::Duration;

use futures_util::future::join_all;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::refunds::Outcome;
use serde_json::{Value, json};
use tostao::platform::ids::Mode;
use tostao::transactions::returns::unresolved;
use uuid::Uuid;

use super::{boleto_payment, confirm_boletos, confirm_pix, pix, txid};
use crate::harness::crashes::{at_every_wait, calm_down, die_at_wait};
use crate::harness::engine::Engine;
use crate::harness::logs::{lines_with, watch};
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story};
use crate::refunds::{held, left_the_bank};
use crate::withdrawals::bank::{PAID_AS, call};

const SUSPENSE: i64 = 2900;
const REFUNDING: i64 = 2200;

/// A charge that was paid, and 250 more that were set aside beside it.
async fn overpaid(shop: &Shop) -> (Value, Value) {
    let charge = shop.charge(1_000).await;
    shop.simulate(&charge, json!({ "outcome": "PAID", "paidAmountCents": 1_250 })).await;
    let listed = shop.unmatched(&charge).await;
    (charge, listed[0].clone())
}

/// A boleto that was paid by its barcode, and the same again that was set aside beside it.
async fn boleto_paid_twice(shop: &Shop) -> (Value, Value) {
    let boleto = shop.boleto(1_000).await;
    shop.pay(&boleto).await;
    shop.pay(&boleto).await;
    let money = shop.unmatched(&boleto).await[0].clone();
    (boleto, money)
}

async fn decide(shop: &Shop, charge: &Value, money: &Value, decision: &str, body: Value) -> Reply {
    let (charge, money) = (id(charge), id(money));
    let path = format!("/api/v1/transactions/{charge}/unmatched/{money}/{decision}");
    shop.key.post(&path, body).await
}

#[story::test]
async fn money_set_aside_returns_to_its_payer_on_the_rail_it_came_by(test: &TestApp, shop: Shop) {
    let (charge, money) = overpaid(&shop).await;
    let asked = decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
    assert_eq!(asked["unmatched"]["status"], "RETURNING");
    assert_eq!(asked["transaction"]["unmatchedAmount"], 0);
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 250));
    test.run_jobs().await;
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
    assert_eq!(left_the_bank(test).await, (250, 1));
    assert_eq!(shop.available().await, 1_000);
    assert_eq!(shop.unmatched(&charge).await, Vec::<Value>::new());
    let reported = ["CREATED", "PAID", "SET_ASIDE", "RETURN_REQUESTED", "RETURNED"];
    assert_eq!(shop.steps(&charge).await, reported);
    let updates = shop.events().await.into_iter().filter(|name| name == "transaction.updated");
    assert_eq!(updates.count(), 3, "set aside, going back, back");
    // The payment itself can still be refunded whole.
    assert_eq!(shop.transaction(&charge).await["status"], "PAID");
    crate::refunds::refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!(left_the_bank(test).await, (1_250, 2));
}

#[story::test]
async fn money_is_decided_on_once_and_returning_twice_sends_it_once(test: &TestApp, shop: Shop) {
    let (charge, money) = overpaid(&shop).await;
    let path = format!("/api/v1/transactions/{}/unmatched/{}/return", id(&charge), id(&money));
    let keyed = shop.key.with("idempotency-key", "return-1");
    let first = keyed.post(&path, json!({})).await;
    for again in join_all((0..8).map(|_| shop.key.post(&path, json!({})))).await {
        assert_eq!(again.expect(200)["unmatched"]["status"], "RETURNING");
    }
    assert_eq!(first.expect(200), keyed.post(&path, json!({})).await.expect(200));
    let accepted = decide(&shop, &charge, &money, "accept", json!({})).await;
    accepted.expect_refusal(409, "INVALID_STATE_TRANSITION");
    test.run_jobs().await;
    let done = decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
    assert_eq!(done["unmatched"]["status"], "RETURNED");
    let accepted = decide(&shop, &charge, &money, "accept", json!({})).await;
    accepted.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(left_the_bank(test).await, (250, 1));

    let (charge, money) = overpaid(&shop).await;
    decide(&shop, &charge, &money, "accept", json!({})).await.expect(200);
    let returned = decide(&shop, &charge, &money, "return", json!({})).await;
    returned.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let reader = shop.key_for("development", &["transactions:read"]).await;
    reader.post(&path, json!({})).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
}

#[story::test]
async fn a_refused_return_leaves_the_money_to_be_decided_on(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    let receipt = pix(txid(&charge), 9, 1_000, test.app.now());
    let name = receipt.end_to_end_id.clone();
    confirm_pix(test, vec![receipt]).await.expect(200);
    let money = shop.unmatched(&charge).await[0].clone();
    let sandbox = test.app.providers.sandbox();
    sandbox.arm_refund(&name, Outcome::Refused).await.expect("is armed");
    decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
    test.run_jobs().await;
    let open = shop.unmatched(&charge).await;
    assert_eq!(
        (&open[0]["status"], &open[0]["failureReason"]),
        (&json!("OPEN"), &json!("refused_by_issuer"))
    );
    assert_eq!(shop.transaction(&charge).await["unmatchedAmount"], 1_000);
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (1_000, 0));
    // It can be asked for again, or accepted.
    decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(left_the_bank(test).await, (1_000, 1));
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
}

#[story::test]
async fn a_boleto_paid_by_its_barcode_goes_back_to_a_key(test: &TestApp, shop: Shop) {
    let (boleto, money) = boleto_paid_twice(&shop).await;
    let keyless = decide(&shop, &boleto, &money, "return", json!({})).await;
    assert_eq!(keyless.expect_refusal(400, "VALIDATION_ERROR"), ["refundPixKey"]);
    let wrong = json!({ "refundPixKey": "nobody" });
    let wrong = decide(&shop, &boleto, &money, "return", wrong).await;
    assert_eq!(wrong.expect_refusal(400, "INVALID_PIX_KEY"), ["refundPixKey"]);
    assert_eq!(held(test, SUSPENSE).await, 1_000);
    let table = [("key-not-found@example.com", "OPEN"), ("529.982.247-25", "RETURNED")];
    for (key, end) in table {
        let body = json!({ "refundPixKey": key });
        decide(&shop, &boleto, &money, "return", body).await.expect(200);
        test.run_jobs().await;
        let left = shop.unmatched(&boleto).await;
        let expected = usize::from(end == "OPEN");
        assert_eq!(left.len(), expected, "{key}");
    }
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
}

#[test]
fn an_answer_that_was_lost_is_asked_for_and_the_money_goes_back_once() {
    for outage in [Outage::LosesTheAnswer, Outage::NeverArrives] {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let (charge, money) = overpaid(&shop).await;
            let sandbox = test.app.providers.sandbox();
            sandbox.fail_next(Operation::Refund, outage);
            decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
            for _ in 0..3 {
                test.run_jobs().await;
                test.pass(Duration::from_mins(1));
            }
            assert_eq!(left_the_bank(test).await, (250, 1), "{outage:?}");
            assert_eq!(held(test, REFUNDING).await, 0, "{outage:?}");
        });
    }
}

#[story::test]
async fn returns_without_an_end_are_counted_with_how_long_the_oldest_has_waited(test: &TestApp) {
    let (shop, admin) = (test.shop("Loja").await, test.admin().await);
    let waits = async || {
        let waits = test.app.scan(async |tx| {
            assert_eq!(unresolved(tx, Mode::Production).await?.count, 0);
            let waiting = unresolved(tx, Mode::Development).await?;
            Ok((waiting.count, waiting.longest))
        });
        waits.await.expect("is read")
    };
    let lost = json!({ "refundPixKey": "lost@example.com" });
    // The platform's own.
    let of_nobody = boleto_payment(test, "12345670000000042", "SLIP1");
    confirm_boletos(test, vec![of_nobody]).await.expect(200);
    let listed = admin.get("/api/admin/unmatched").await.expect(200);
    let path = format!("/api/admin/unmatched/{}/return", id(&listed["data"][0]));
    admin.post(&path, lost.clone()).await.expect(200);
    assert_eq!(waits().await, (0, Duration::ZERO));
    test.run_jobs().await;
    test.pass(Duration::from_mins(7));
    assert_eq!(waits().await, (1, Duration::from_mins(7)));
    // A merchant's.
    let (boleto, money) = boleto_paid_twice(&shop).await;
    decide(&shop, &boleto, &money, "return", lost).await.expect(200);
    test.run_jobs().await;
    assert_eq!(waits().await, (2, Duration::from_mins(7)));
    for _ in 0..3 {
        test.run_jobs_after(Duration::from_hours(25)).await;
    }
    assert_eq!(waits().await, (0, Duration::ZERO));
    assert_eq!(shop.unmatched(&boleto).await[0]["failureReason"], "rail_timeout");
}

#[story::test]
async fn what_contradicts_how_money_went_back_changes_nothing_and_is_an_error_in_the_log(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let (boleto, money) = boleto_paid_twice(&shop).await;
    let good = json!({ "refundPixKey": "ana@example.com" });
    decide(&shop, &boleto, &money, "return", good.clone()).await.expect(200);
    crate::refunds::refund(&shop, &boleto, good).await;
    test.run_jobs().await;
    let before = (shop.transaction(&boleto).await, shop.steps(&boleto).await);
    let orders = "select reference, end_to_end_id from sandbox_payouts";
    let orders = Engine::open(test).await.rows(orders).await;
    assert_eq!(orders.len(), 2);
    for order in orders {
        let [reference, paid_as] = <[String; 2]>::try_from(order).expect("are two");
        let named = json!({ "id": reference });
        let table = [
            (json!({ "status": "REALIZADO", "endToEndId": paid_as }), 0),
            (json!({ "status": "EM_PROCESSAMENTO" }), 0),
            (json!({ "status": "REALIZADO", "endToEndId": PAID_AS }), 1),
            (json!({ "status": "NAO_REALIZADO", "motivo": "ACCOUNT_CLOSED" }), 2),
        ];
        let order = Uuid::parse_str(&reference).expect("is an id").to_string();
        watch(&[&order]);
        for (said, contradictions) in table {
            call(test, &named, said).await.expect(200);
            let lines = lines_with(&order);
            let lines = lines.iter().filter(|line| line.contains("contradicts"));
            assert_eq!(lines.count(), contradictions);
        }
    }
    assert_eq!((shop.transaction(&boleto).await, shop.steps(&boleto).await), before);
    assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
    assert_eq!(left_the_bank(test).await, (2_000, 2));
}

#[story::test]
async fn a_worker_that_dies_anywhere_sends_the_money_back_once(test: &TestApp, shop: Shop) {
    at_every_wait(async |number| {
        let (charge, money) = overpaid(&shop).await;
        decide(&shop, &charge, &money, "return", json!({})).await.expect(200);
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        for _ in 0..5 {
            test.run_jobs_after(Duration::from_mins(20)).await;
        }
        let times = i64::try_from(number).expect("is small") + 1;
        assert_eq!(left_the_bank(test).await, (250 * times, times), "death at wait {number}");
        assert_eq!((held(test, SUSPENSE).await, held(test, REFUNDING).await), (0, 0));
        died
    })
    .await;
}
