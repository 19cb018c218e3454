//! Bank slips: issued, paid in time, late and short, and given up after their grace.

use brazil::boleto::Barcode;
use http::Method;
use ledger::cents::Cents;
use rails::pix::PixConfirmation;
use sandbox::bank::SandboxBank;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id, merged};
use crate::methods::{balance, days_pass};
use crate::refunds::{refund, refund_statuses};

async fn issue(shop: &Shop, more: &Value) -> Value {
    let sale = merged(json!({ "amountCents": 10_000, "method": "BOLETO" }), more);
    shop.charge_with(sale).await
}

#[story::test]
async fn a_boleto_says_what_is_due_and_can_be_paid_by_its_code_too(shop: Shop) {
    let boleto = issue(&shop, &json!({ "dueDate": "2026-12-10" })).await;
    assert_eq!((&boleto["status"], &boleto["method"]), (&json!("PENDING"), &json!("BOLETO")));
    let field_of = |field: &str| boleto["boleto"][field].as_str().expect("is field_of").to_owned();
    assert_eq!(field_of("dueDate"), "2026-12-10");
    let barcode = Barcode::parse(&field_of("barcode")).expect("is a barcode");
    assert_eq!(barcode.line(), field_of("digitableLine"));
    let read = barcode.read(jiff::civil::date(2026, 11, 21));
    assert_eq!((read.amount_cents, read.due), (10_000, Some(jiff::civil::date(2026, 12, 10))));
    assert!(boleto["pix"]["brCode"].is_string(), "{boleto}");
    assert_eq!(shop.events().await, ["transaction.created"]);
}

#[story::test]
async fn a_boleto_is_due_in_three_days_and_given_up_three_business_days_later(shop: Shop) {
    let boleto = issue(&shop, &json!({})).await;
    assert_eq!(boleto["boleto"]["dueDate"], "2026-11-24");
    // Wednesday, Thursday and Friday are its grace; it ends with Friday in São Paulo.
    assert_eq!(boleto["expiresAt"], "2026-11-28T03:00:00.000Z");
    days_pass(&shop, 6).await;
    assert_eq!(shop.transaction(&boleto).await["status"], "PENDING");
    days_pass(&shop, 1).await;
    assert_eq!(shop.transaction(&boleto).await["status"], "EXPIRED");
    let late = shop.simulate(&boleto, json!({ "outcome": "PAID" })).await;
    assert_eq!((&late["status"], &late["paidLate"]), (&json!("PAID"), &json!(true)));
}

#[story::test]
async fn a_paid_boleto_settles_on_the_next_business_day(shop: Shop) {
    let boleto = issue(&shop, &json!({})).await;
    let paid = shop.simulate(&boleto, json!({ "outcome": "PAID", "times": 2 })).await;
    assert_eq!((&paid["status"], &paid["paidAmount"]), (&json!("PAID"), &json!(10_000)));
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
    // It is Saturday.
    days_pass(&shop, 1).await;
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
    days_pass(&shop, 1).await;
    assert_eq!(balance(&shop).await, (json!(10_000), json!(0)));
}

/// Has the bank report that the PIX code of a boleto was paid.
pub async fn pay_by_code(test: &TestApp, boleto: &Value, amount: i64) {
    let paid_at = test.app.now();
    let receipt = PixConfirmation {
        txid: boleto["pix"]["txid"].as_str().expect("has one").to_owned(),
        end_to_end_id: SandboxBank::end_to_end_id(paid_at, [7; 11]),
        amount: Cents::new(amount),
        paid_at,
    };
    let (headers, body) = test.app.providers.sandbox().confirmation(&[receipt]);
    let signature = headers["x-sandbox-signature"].to_str().expect("is text");
    let bank = test.anyone().with("x-sandbox-signature", signature);
    let body = String::from_utf8(body.to_vec()).expect("is text");
    let reported =
        bank.send(Method::POST, "/providers/sandbox/pix", Some("application/json"), body);
    reported.await.expect(200);
}

#[story::test(|settings| (settings.boleto_fee_cents, settings.pix_fee_cents) = (199, 5))]
async fn a_boleto_paid_by_its_code_is_settled_and_goes_back_as_a_pix(test: &TestApp, shop: Shop) {
    let boleto = issue(&shop, &json!({})).await;
    for _ in 0..2 {
        pay_by_code(test, &boleto, 10_000).await;
    }
    let paid = shop.transaction(&boleto).await;
    assert_eq!((&paid["status"], &paid["method"]), (&json!("PAID"), &json!("BOLETO")));
    assert_eq!((&paid["paidAmount"], &paid["feeCents"]), (&json!(10_000), &json!(199)));
    assert!(paid["pix"]["endToEndId"].is_string(), "{paid}");
    assert_eq!((&paid["unmatchedAmount"], &paid["paidLate"]), (&json!(0), &json!(false)));
    // A PIX does not wait for Monday.
    assert_eq!(balance(&shop).await, (json!(9_801), json!(0)));

    // The barcode is still out there, and pays it a second time.
    let twice = shop.pay(&boleto).await;
    assert_eq!((&twice["status"], &twice["unmatchedAmount"]), (&json!("PAID"), &json!(10_000)));
    let path = format!("/api/v1/transactions/{}/unmatched", id(&boleto));
    let aside = shop.key.get(&path).await.expect(200)["data"][0].clone();
    assert_eq!(aside["reason"], "PAID_TWICE");
    days_pass(&shop, 3).await;
    assert_eq!(balance(&shop).await, (json!(9_801), json!(0)));

    refund(&shop, &boleto, json!({ "amountCents": 4_000 })).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &boleto).await, ["COMPLETED"]);
    assert_eq!(balance(&shop).await, (json!(5_801), json!(0)));
    let sent = "select rail, cast(amount_cents as text) from sandbox_refunds";
    assert_eq!(Engine::open(test).await.rows(sent).await, [["PIX", "4000"]]);
}

#[story::test]
async fn a_boleto_paid_short_waits_and_what_arrived_is_set_aside(shop: Shop) {
    let boleto = issue(&shop, &json!({})).await;
    let short = json!({ "outcome": "PAID", "paidAmountCents": 9_999 });
    let waits = shop.simulate(&boleto, short).await;
    assert_eq!((&waits["status"], &waits["unmatchedAmount"]), (&json!("PENDING"), &json!(9_999)));
    assert_eq!(balance(&shop).await, (json!(0), json!(0)));
}

#[story::test]
async fn a_boleto_needs_a_document_and_a_day_within_a_year(shop: Shop) {
    let no_one = json!({ "customer": { "name": "Ana", "email": "ana@example.com" } });
    let table = [
        (no_one, "customer.document"),
        (json!({ "dueDate": "2026-11-20" }), "dueDate"),
        (json!({ "dueDate": "2027-11-22" }), "dueDate"),
        (json!({ "dueDate": "10/12/2026" }), "dueDate"),
    ];
    for (more, field) in table {
        let sale = merged(json!({ "amountCents": 10_000, "method": "BOLETO" }), &more);
        let refused = shop.try_charge(sale).await.expect(400);
        assert_eq!(refused["errors"][0]["field"], field, "{more}");
    }
    assert!(shop.events().await.is_empty());
}
