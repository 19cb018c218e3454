//! Boletos of which a bank reports the total that was ever paid to each, and their PIX as PIX too:
//! each payment is booked once, whatever is reported first.

use std::time::Duration;

use db::time::Timestamp;
use futures_util::future::join_all;
use ledger::cents::Cents;
use rails::boleto::{Covers, PaidBy};
use serde_json::{Value, json};
use tostao::transactions::boletos::charge_reference;
use tostao::transactions::callback_api::receive_payment;
use tostao::transactions::incoming_payment::{IncomingPayment, Rail};
use tostao::transactions::receive::Received;

use super::boleto_scene::{BoletoScene, Profile};
use super::payments::pass;
use super::scene::pass_in;
use super::{KEY, administrator, read};
use crate::harness::TestApp;
use crate::harness::shop::id;

/// What a bank reports of a boleto.
#[derive(Debug, Clone, Copy)]
enum Report {
    /// A greater total, because of so many payments of an amount, and how it says they were made.
    Total(&'static str, u32, i64),
    /// A PIX of the boleto, as any other PIX.
    Pix(i64),
}

use Report::{Pix, Total};

impl BoletoScene {
    /// The bank reports something of the newest boleto, and the gateway reads that.
    async fn reports(&self, test: &TestApp, charge: &Value, report: Report) {
        match report {
            Total(by, times, cents) => {
                self.happens(by, json!({ "amount_cents": cents, "times": times })).await;
                test.run_jobs_after(Duration::from_secs(2)).await;
                self.notify(test).await;
            }
            Pix(cents) => {
                let txid = charge["pix"]["txid"].as_str().expect("has one");
                let pix = json!({
                    "dialect": "inter", "charge": txid, "key": KEY, "amount_cents": cents,
                });
                self.bank.at("/__pay", pix).await;
                pass(test, &self.bank, Duration::from_mins(8)).await;
            }
        }
    }
}

/// Proves of boletos of 100 what is booked after the reports about each: its status, and what is
/// set aside beside it.
async fn prove(test: &TestApp, table: &[(&[Report], &str, i64)]) {
    let scene = BoletoScene::open(test, Profile::Inter).await;
    for (reports, status, beside) in table {
        let charge = scene.made(test).await;
        for report in *reports {
            scene.reports(test, &charge, *report).await;
        }
        // The lists report all of it once more.
        pass_in(test, &scene.bank, 3, Duration::from_mins(16)).await;
        let now = read(&scene.shop, &charge).await;
        let booked = (&now["status"], &now["unmatchedAmount"]);
        assert_eq!(booked, (&json!(status), &json!(beside)), "{reports:?}");
    }
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
    test.prove_books().await;
}

#[story::test]
async fn a_pix_that_is_in_a_total_is_booked_once_whichever_is_reported_first(test: &TestApp) {
    let table: [(&[Report], &str, i64); 6] = [
        (&[Total("pix", 1, 12_000), Pix(12_000)], "PAID", 2_000),
        (&[Pix(12_000), Total("pix", 1, 12_000)], "PAID", 2_000),
        (&[Total("pix", 2, 10_000), Pix(10_000), Pix(10_000)], "PAID", 10_000),
        (&[Pix(10_000), Pix(10_000), Total("pix", 2, 10_000)], "PAID", 10_000),
        (&[Pix(10_000), Total("pix", 2, 10_000), Pix(10_000)], "PAID", 10_000),
        (&[Total("pix", 1, 10_000), Pix(12_000)], "PAID", 2_000),
    ];
    prove(test, &table).await;
}

#[story::test]
async fn a_pix_and_a_barcode_payment_of_one_boleto_are_both_booked(test: &TestApp) {
    let table: [(&[Report], &str, i64); 5] = [
        // The bank may go on to say PIX after the barcode was paid.
        (&[Pix(10_000), Total("pix", 1, 10_000), Total("pix", 1, 10_000)], "PAID", 10_000),
        (&[Pix(10_000), Total("boleto", 2, 10_000)], "PAID", 10_000),
        (&[Total("boleto", 1, 10_000), Pix(10_000), Total("pix", 1, 10_000)], "PAID", 10_000),
        (&[Total("boleto", 2, 10_000), Pix(10_000)], "PAID", 10_000),
        // A PIX that claims the money of a barcode is in the next total.
        (
            &[
                Pix(10_000),
                Total("pix", 1, 10_000),
                Total("pix", 1, 10_000),
                Pix(10_000),
                Total("pix", 1, 10_000),
            ],
            "PAID",
            20_000,
        ),
    ];
    prove(test, &table).await;
}

#[story::test]
async fn a_total_that_grows_by_any_amount_is_booked_by_what_is_new(test: &TestApp) {
    let table: [(&[Report], &str, i64); 4] = [
        (&[Total("boleto", 1, 12_000), Total("boleto", 1, 10_000)], "PAID", 12_000),
        (&[Total("boleto", 1, 9_999), Total("boleto", 1, 10_000)], "PAID", 9_999),
        (&[Total("boleto", 1, 9_999), Total("boleto", 1, 1)], "PENDING", 10_000),
        (&[Total("boleto", 3, 10_000), Total("boleto", 1, 1)], "PAID", 20_001),
    ];
    prove(test, &table).await;
}

#[story::test]
async fn a_boleto_that_is_reported_as_a_pix_too_is_refunded_as_the_pix_that_it_is(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Inter).await;
    for reports in [[Total("pix", 1, 10_000), Pix(10_000)], [Pix(10_000), Total("pix", 1, 10_000)]]
    {
        let charge = scene.made(test).await;
        for report in reports {
            scene.reports(test, &charge, report).await;
        }
        let now = read(&scene.shop, &charge).await;
        assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
        let end_to_end_id = now["pix"]["endToEndId"].as_str().expect("is known").to_owned();
        pass_in(test, &scene.bank, 10, Duration::from_hours(8)).await;
        let path = format!("/api/v1/transactions/{}/refund", id(&charge));
        scene.shop.owner.post(&path, json!({ "reason": "Devolvido." })).await.expect(201);
        test.run_jobs().await;
        assert_eq!(scene.bank.refunds_of(&end_to_end_id).await, 1, "{reports:?}");
    }
    test.prove_books().await;
}

#[story::test]
async fn totals_of_a_boleto_that_no_charge_has_are_held_once_even_if_they_come_at_once(
    test: &TestApp,
) {
    BoletoScene::open(test, Profile::Inter).await;
    let report = async |cents: i64| {
        let incoming = IncomingPayment {
            rail: Rail::Boleto,
            payment_id: format!("of-no-charge {cents}"),
            amount: Cents::new(cents),
            paid_at: Timestamp::from_micros(0),
        };
        let charge = charge_reference(Covers::Total(Some(PaidBy::Barcode)));
        let (bank, name) = ("inter-main".into(), "of-no-charge".to_owned());
        let received = receive_payment(&test.app, &bank, incoming, name, charge);
        received.await.expect("is booked")
    };
    assert_eq!(report(5_000).await, Received::Unknown);
    join_all([11_000, 6_000, 11_000, 30_000, 20_000].map(&report)).await;
    assert_eq!(report(30_000).await, Received::Already);
    assert_eq!(report(29_000).await, Received::Already);
    let held = administrator(test).await.list("/api/admin/unmatched").await;
    let amounts = held.iter().map(|money| money["amount"].as_i64().expect("is a number"));
    assert_eq!(amounts.sum::<i64>(), 30_000, "{held:?}");
    test.prove_books().await;
}
