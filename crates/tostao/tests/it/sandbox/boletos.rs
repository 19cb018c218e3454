//! Boletos that the simulated bank registers and confirms.

use std::sync::Arc;

use brazil::boleto::Barcode;
use brazil::brcode;
use brazil::document::Document;
use jiff::civil::{Date, date};
use ledger::cents::Cents;
use rails::boleto::{
    BoletoConfirmation, BoletoProvider, BoletoRequest, Covers, IssuedBoleto, Payer, Registration,
};
use rails::error::ProviderError;
use sandbox::bank::SandboxBank;
use sandbox::callback_parser::CallbackParser;
use sandbox::fault_injection::{Operation, Outage};
use tostao::platform::ids::Mode;

use crate::harness::{TestApp, story_with_restart};

const TODAY: Date = date(2026, 11, 21);
const DUE: Date = date(2026, 11, 24);

fn bank(test: &TestApp) -> Arc<dyn BoletoProvider> {
    test.app.providers.boleto(Mode::Development).expect("is there")
}

fn order(reference: &str) -> BoletoRequest {
    BoletoRequest {
        reference: reference.to_owned(),
        short_reference: "R1".to_owned(),
        amount: Cents::new(15_000),
        due_on: DUE,
        issued_on: TODAY,
        payer: Payer {
            name: "Fulano de Tal".to_owned(),
            document: Document::parse("123.456.789-09").expect("is valid"),
            address: None,
        },
        merchant_name: "Loja".to_owned(),
        txid: "7978c0c97ea847e78e8849634473c1f1".to_owned(),
    }
}

fn issued(registration: Registration) -> IssuedBoleto {
    let Registration::Issued(issued) = registration else { panic!("{registration:?}") };
    issued
}

#[story::test]
async fn a_boleto_says_what_was_ordered_in_all_its_forms(test: &TestApp) {
    let issued = issued(bank(test).issue(&order("a")).await.expect("answers"));
    let said = issued.barcode.read(TODAY);
    assert_eq!((said.due, said.amount_cents), (Some(DUE), 15_000));
    assert_eq!((said.bank.as_str(), issued.barcode.bank().as_str()), ("999", "999-7"));
    assert!(said.free_field.contains(&issued.our_number), "{said:?}");
    assert_eq!(Barcode::parse_line(&issued.barcode.line()), Ok(issued.barcode));
    let pix_code = issued.pix_code.expect("has one");
    let code = brcode::parse(&pix_code).expect("is a code");
    assert!(format!("{:?}", code.receiver).contains(&order("a").txid), "{code:?}");
}

#[test]
fn the_same_reference_again_is_the_same_boleto_also_after_a_restart() {
    story_with_restart(
        async |test| {
            test.app.providers.sandbox().fail_next(Operation::IssueBoleto, Outage::LosesTheAnswer);
            let lost = bank(test).issue(&order("a")).await;
            assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
            issued(bank(test).issue(&order("a")).await.expect("answers"))
        },
        async |test, first| {
            let again = issued(bank(test).issue(&order("a")).await.expect("answers"));
            assert_eq!(again, first);
            let other = issued(bank(test).issue(&order("b")).await.expect("answers"));
            assert_ne!(other.our_number, first.our_number);
            let dearer = BoletoRequest { amount: Cents::new(1), ..order("a") };
            let later = BoletoRequest { due_on: date(2026, 11, 25), ..order("a") };
            for changed in [dearer, later] {
                let refused = bank(test).issue(&changed).await;
                assert!(matches!(refused, Err(ProviderError::Refused { .. })), "{refused:?}");
            }
        },
    );
}

#[story::test]
async fn two_orders_at_once_with_one_reference_are_one_boleto(test: &TestApp) {
    let (bank, order) = (bank(test), order("a"));
    let (one, other) = tokio::join!(bank.issue(&order), bank.issue(&order));
    assert_eq!(one.expect("answers"), other.expect("answers"));
}

#[story::test]
async fn what_no_boleto_can_say_is_refused(test: &TestApp) {
    let too_much = BoletoRequest { amount: Cents::new(10_000_000_000), ..order("a") };
    let too_old = BoletoRequest { due_on: date(2000, 7, 2), ..order("b") };
    let nameless = BoletoRequest { merchant_name: "€".into(), ..order("c") };
    for impossible in [too_much, too_old, nameless] {
        let refused = bank(test).issue(&impossible).await;
        assert!(matches!(refused, Err(ProviderError::Refused { .. })), "{refused:?}");
    }
}

#[story::test]
async fn the_bank_reads_the_confirmations_it_wrote_and_no_others(test: &TestApp) {
    let issued = issued(bank(test).issue(&order("a")).await.expect("answers"));
    let receipt = BoletoConfirmation {
        bank_code: issued.our_number,
        reference: "a".into(),
        payment_id: SandboxBank::payment_id([7; 16]),
        amount: Cents::new(15_000),
        paid_at: test.app.now(),
        covers: Covers::Payment,
    };
    let sandbox = test.app.providers.sandbox();
    let (headers, body) = sandbox.boleto_confirmation(std::slice::from_ref(&receipt));
    let named = test.app.providers.sandbox_named("sandbox").expect("is there");
    let read = CallbackParser::<BoletoConfirmation>::read_callback(&*named, &headers, &body);
    let read = read.expect("is the bank's");
    assert_eq!(read, [Ok(receipt)]);
    let forged = body.slice(1..);
    let refused = CallbackParser::<BoletoConfirmation>::read_callback(&*named, &headers, &forged);
    assert!(matches!(refused, Err(ProviderError::NotAuthentic)), "{refused:?}");
    assert!(test.app.providers.sandbox_named("another").is_none());
}
