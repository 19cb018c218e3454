//! Boletos of real money: each has one charge or is closed, and each payment is booked once.

use std::time::Duration;

use ledger::cents::Cents;
use serde_json::{Value, json};
use tostao::transactions::callback_api::receive_payment;
use tostao::transactions::incoming_payment::{IncomingPayment, Rail};
use tostao::transactions::receive::{ChargeReference, Received};

use super::payments::pass;
use super::scene::pass_in;
use super::{Bank, KEY, administrator, inter, read, real, status};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};

/// A bank that registers boletos and whose notices are lost, and a merchant.
async fn scene(test: &TestApp) -> (Bank, Shop) {
    let (bank, shop) = (Bank::routed(test).await, real(test.shop("Loja").await).await);
    bank.route("boleto", id(&bank.connection)).await.expect(200);
    bank.at("/__notify", json!({ "lose": true })).await;
    test.run_jobs().await;
    (bank, shop)
}

async fn try_boleto(shop: &Shop) -> Reply {
    let body = json!({
        "amountCents": 10_000, "method": "BOLETO",
        "customer": {
            "name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25",
        },
    });
    shop.owner.post("/api/v1/transactions", body).await
}

async fn boleto(shop: &Shop) -> Value {
    try_boleto(shop).await.expect(201)["transaction"].clone()
}

/// What a merchant was paid by boletos, which banks settle on the next business day.
async fn pending(shop: &Shop) -> i64 {
    let balance = shop.owner.get("/api/withdraws/balance").await.expect(200);
    balance["data"]["pendingBalance"].as_i64().expect("is a number")
}

/// Has a report of a bank booked for a charge.
async fn report(
    test: &TestApp,
    charge: ChargeReference<'_>,
    incoming: IncomingPayment,
) -> Received {
    let (kind, name): (fn(&str) -> ChargeReference<'_>, String) = match charge {
        ChargeReference::Txid(name) => (|name| ChargeReference::Txid(name), name.to_owned()),
        ChargeReference::Boleto(name) => (|name| ChargeReference::Boleto(name), name.to_owned()),
        ChargeReference::PixOfBoleto(name) => {
            (|name| ChargeReference::PixOfBoleto(name), name.to_owned())
        }
    };
    let bank = "efi-main".into();
    receive_payment(&test.app, &bank, incoming, name, kind).await.expect("is booked")
}

/// A payment as a bank reports it: by a barcode without an end-to-end id, or by PIX with one.
fn payment(test: &TestApp, rail: Rail, payment_id: &str) -> IncomingPayment {
    let (payment_id, amount) = (payment_id.to_owned(), Cents::new(10_000));
    IncomingPayment { rail, payment_id, amount, paid_at: test.app.now() }
}

impl Bank {
    /// What happens at the bank to the newest boleto.
    async fn slip_is(&self, by: &str, more: Value) {
        let newest = self.slips().await.pop().expect("is registered");
        let charge = newest["charge_id"].to_string();
        let paid = json!({ "dialect": "cobrancas", "charge": charge, "by": by });
        self.at("/__pay", merged(paid, &more)).await;
    }

    async fn slips(&self) -> Vec<Value> {
        self.has("/cobrancas").await.as_array().expect("is a list").clone()
    }

    /// The statuses of all boletos at the bank, in the order of their registration.
    async fn slip_statuses(&self) -> Vec<String> {
        let slips = self.slips().await;
        slips.iter().map(|slip| slip["status"].as_str().expect("has one").to_owned()).collect()
    }

    /// The bank reports that something became of the newest boleto.
    async fn notify_of_slip(&self, test: &TestApp) {
        let newest = self.slips().await.pop().expect("is registered");
        let link = newest["payment"]["banking_billet"]["link"].as_str().expect("has one");
        let token = link.rsplit('/').next().expect("ends in the token");
        self.sends_token(test, token).await;
    }

    async fn sends_token(&self, test: &TestApp, token: &str) {
        let form = format!("notification={token}").into_bytes();
        test.anyone().post_bytes(&self.door(), form).await.expect(200);
        test.run_jobs().await;
    }

    async fn fault_of_charges(&self, operation: &str, fault: Value) {
        let rule = json!({ "operation": format!("cobrancas.{operation}") });
        self.at("/__fault", merged(rule, &fault)).await;
    }

    /// How often boletos were looked for by their reference.
    async fn looked_for(&self) -> usize {
        let path = "/__log?operation=cobrancas.list";
        let (_, log) = self.fake.admin("GET", path, &Value::Null).await.expect("answers");
        let log = log.as_array().expect("is a list");
        log.iter().filter(|call| call.to_string().contains("custom_id")).count()
    }
}

#[story::test]
async fn a_boleto_is_issued_and_booked_when_the_bank_confirms_what_its_notice_names(
    test: &TestApp,
) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    assert!(charge["pix"]["brCode"].is_string(), "{charge}");
    bank.notify_of_slip(test).await;
    assert_eq!(status(&shop, &charge).await, "PENDING");
    bank.slip_is("boleto", json!({})).await;
    for _ in 0..3 {
        bank.notify_of_slip(test).await;
    }
    assert_eq!(status(&shop, &charge).await, "PAID");
    pass_in(test, &bank, 3, Duration::from_hours(8)).await;
    assert_eq!(bank.slip_statuses().await, ["paid"]);
    assert_eq!(pending(&shop).await, 10_000);
    test.prove_books().await;
}

#[story::test]
async fn a_paid_boleto_whose_notices_are_all_lost_is_booked_from_the_list(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    bank.slip_is("boleto", json!({})).await;
    pass_in(test, &bank, 8, Duration::from_mins(5)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(pending(&shop).await, 10_000);
}

#[story::test]
async fn a_boleto_whose_answer_is_lost_is_found_at_once_or_closed_at_the_bank(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let lost = json!({ "fault": "cut_after", "times": 1 });
    bank.fault_of_charges("create", lost.clone()).await;
    let found = boleto(&shop).await;
    bank.fault_of_charges("create", lost).await;
    bank.fault_of_charges("list", json!({ "fault": "cut_before", "times": 1 })).await;
    try_boleto(&shop).await.expect_refusal(503, "UNAVAILABLE");
    assert_eq!(bank.slip_statuses().await, ["waiting", "waiting"]);
    pass_in(test, &bank, 3, Duration::from_mins(5)).await;
    assert_eq!(bank.slip_statuses().await, ["waiting", "canceled"]);
    pass_in(test, &bank, 6, Duration::from_hours(4)).await;
    assert_eq!(bank.slip_statuses().await, ["waiting", "canceled"]);
    assert_eq!(shop.owner.total("/api/v1/transactions").await, 1);
    assert_eq!(status(&shop, &found).await, "PENDING");
}

#[story::test]
async fn a_lost_boleto_is_closed_once_its_bank_answers_again(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    bank.fault_of_charges("create", json!({ "fault": "cut_after", "times": 1 })).await;
    bank.fault_of_charges("list", json!({ "fault": "cut_before", "times": 1 })).await;
    try_boleto(&shop).await.expect_refusal(503, "UNAVAILABLE");
    bank.fault_of_charges("cancel", json!({ "fault": "status", "status": 500, "times": 2 })).await;
    pass(test, &bank, Duration::from_mins(11)).await;
    assert_eq!(bank.slip_statuses().await, ["waiting"]);
    pass_in(test, &bank, 3, Duration::from_mins(20)).await;
    assert_eq!(bank.slip_statuses().await, ["canceled"]);
}

#[story::test]
async fn a_boleto_that_the_bank_refuses_is_looked_for_no_more(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let body = json!({
        "amountCents": 499, "method": "BOLETO",
        "customer": {
            "name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25",
        },
    });
    let refused = shop.owner.post("/api/v1/transactions", body).await;
    refused.expect_refusal(409, "CHARGE_REFUSED");
    pass_in(test, &bank, 4, Duration::from_mins(10)).await;
    assert_eq!(bank.looked_for().await, 0);
    assert_eq!(bank.slips().await.len(), 0);
}

#[story::test]
async fn a_cancelled_charge_has_its_boleto_closed_at_the_bank(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    let path = format!("/api/v1/transactions/{}/cancel", id(&charge));
    shop.owner.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(bank.slip_statuses().await, ["canceled"]);
}

#[story::test]
async fn of_a_boleto_that_is_paid_by_barcode_and_by_pix_one_payment_waits_for_a_decision(
    test: &TestApp,
) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    bank.slip_is("boleto", json!({})).await;
    bank.notify_of_slip(test).await;
    // Efí does not say under which txid a boleto's PIX code is paid.
    let pix = json!({ "dialect": "efi", "key": KEY, "amount_cents": 10_000 });
    bank.at("/__pay", pix).await;
    pass_in(test, &bank, 3, Duration::from_mins(6)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(pending(&shop).await, 10_000);
    let held = administrator(test).await.list("/api/admin/unmatched").await;
    assert_eq!((held.len(), &held[0]["amount"]), (1, &json!(10_000)));
}

#[story::test]
async fn one_payment_that_is_reported_as_a_pix_and_as_a_boleto_is_booked_once(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    for (round, pix_first) in [true, false].into_iter().enumerate() {
        let charge = boleto(&shop).await;
        let txid = charge["pix"]["txid"].as_str().expect("has a txid");
        let slip = bank.slips().await.pop().expect("is registered");
        let number = slip["charge_id"].to_string();
        let (as_pix, as_boleto) = (format!("E{round}a"), format!("B{round}"));
        let by_pix = || payment(test, Rail::Pix, &as_pix);
        let by_boleto = || payment(test, Rail::Boleto, &as_boleto);
        let (boleto, pix) = (ChargeReference::PixOfBoleto(&number), ChargeReference::Txid(txid));
        if pix_first {
            assert_eq!(report(test, pix, by_pix()).await, Received::Paid);
            assert_eq!(report(test, boleto, by_boleto()).await, Received::Already);
        } else {
            assert_eq!(report(test, boleto, by_boleto()).await, Received::Paid);
            assert_eq!(report(test, pix, by_pix()).await, Received::Already);
        }
        assert_eq!(report(test, pix, by_pix()).await, Received::Already);
        assert_eq!(report(test, boleto, by_boleto()).await, Received::Already);
        let now = read(&shop, &charge).await;
        assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
        assert_eq!(now["pix"]["endToEndId"], json!(as_pix), "{now}");
        // Another PIX is other money, of which nothing was reported twice.
        let other = payment(test, Rail::Pix, &format!("E{round}b"));
        assert_eq!(report(test, pix, other).await, Received::SetAside);
        assert_eq!(read(&shop, &charge).await["unmatchedAmount"], 10_000);
    }
    test.prove_books().await;
}

#[story::test]
async fn a_boleto_paid_by_its_barcode_and_by_its_pix_code_is_paid_once_and_the_rest_set_aside(
    test: &TestApp,
) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    let txid = charge["pix"]["txid"].as_str().expect("has a txid");
    let number = bank.slips().await.pop().expect("is registered")["charge_id"].to_string();
    let by_barcode = payment(test, Rail::Boleto, "B1");
    let paid = report(test, ChargeReference::Boleto(&number), by_barcode).await;
    assert_eq!(paid, Received::Paid);
    let by_pix = payment(test, Rail::Pix, "E1");
    assert_eq!(report(test, ChargeReference::Txid(txid), by_pix).await, Received::SetAside);
    assert_eq!(read(&shop, &charge).await["unmatchedAmount"], 10_000);
}

#[story::test]
async fn a_boleto_paid_with_a_cent_less_stays_open_and_the_money_is_set_aside(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    bank.slip_is("boleto", json!({ "amount_cents": 9_999 })).await;
    bank.notify_of_slip(test).await;
    let now = read(&shop, &charge).await;
    assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PENDING"), &json!(9_999)));
    assert_eq!(pending(&shop).await, 0);
}

#[story::test]
async fn an_unpaid_boleto_is_asked_about_once_before_it_expires_and_is_closed(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    while status(&shop, &charge).await == "PENDING" {
        assert_eq!(bank.looked_for().await, 0);
        pass(test, &bank, Duration::from_hours(6)).await;
    }
    assert_eq!(status(&shop, &charge).await, "EXPIRED");
    assert_eq!(bank.looked_for().await, 1);
    test.run_jobs().await;
    assert_eq!(bank.slip_statuses().await, ["canceled"]);
}

#[story::test]
async fn a_boleto_does_not_expire_while_its_bank_cannot_say_whether_it_was_paid(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    pass_in(test, &bank, 6, Duration::from_hours(24)).await;
    bank.slip_is("boleto", json!({})).await;
    bank.fault_of_charges("list", json!({ "fault": "status", "status": 500 })).await;
    pass_in(test, &bank, 4, Duration::from_hours(4)).await;
    let events = shop.owner.get("/api/webhooks/events").await;
    assert!(!events.text.contains("transaction.expired"), "{}", events.text);
    bank.recovers().await;
    // A bank that kept failing is left alone for a while, by the machine's clock.
    bank.rotates(test, json!({ "client_secret": "the next one" })).await;
    pass_in(test, &bank, 2, Duration::from_mins(15)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(bank.slip_statuses().await, ["paid"]);
}

#[story::test]
async fn a_boleto_marked_as_paid_by_hand_and_a_forged_notice_book_nothing(test: &TestApp) {
    let (bank, shop) = scene(test).await;
    let charge = boleto(&shop).await;
    bank.sends_token(test, "0c3b4a9e-0000-4000-8000-000000000000").await;
    bank.slip_is("settled", json!({})).await;
    bank.notify_of_slip(test).await;
    pass_in(test, &bank, 3, Duration::from_mins(30)).await;
    assert_eq!(status(&shop, &charge).await, "PENDING");
    assert_eq!(pending(&shop).await, 0);
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
}

#[story::test]
async fn a_bank_that_makes_boletos_after_it_took_their_order_is_given_none(test: &TestApp) {
    let bank = inter(test).await;
    let refused = bank.route("boleto", id(&bank.connection)).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["connectionId"]);
    bank.route("pix", id(&bank.connection)).await.expect(200);
}
