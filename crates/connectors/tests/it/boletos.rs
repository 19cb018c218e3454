//! Boletos by Efí.

use std::sync::Arc;

use brazil::document::Document;
use jiff::ToSpan;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, BoletoProvider, BoletoRequest, Payer};
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use serde_json::json;

use crate::harness::{Bank, always};

const REFERENCE: &str = "0123456789abcdef0123456789abcdef";

/// By the fake's clock, which stands still.
fn order(reference: &str, cents: i64, document: &str) -> BoletoRequest {
    let today = Bank::today();
    BoletoRequest {
        reference: reference.to_owned(),
        amount: Cents::new(cents),
        due_on: today.checked_add(3.days()).expect("is a day"),
        issued_on: today,
        payer: Payer {
            name: "Ana Souza".to_owned(),
            document: Document::parse(document).expect("is a document"),
        },
        merchant_name: "Loja".to_owned(),
        txid: reference.to_owned(),
    }
}

fn boletos(bank: &Bank) -> Arc<dyn BoletoProvider> {
    bank.connected.boleto.clone().expect("serves boletos")
}

#[tokio::test]
async fn a_boleto_is_registered_with_its_line_and_its_pix_code() {
    let bank = Bank::efi().await;
    for (reference, document) in [("a1", "529.982.247-25"), ("a2", "11.222.333/0001-81")] {
        let order = order(reference, 12_345, document);
        let issued = boletos(&bank).issue(&order).await.expect("is registered");
        let read = issued.barcode.read(order.issued_on);
        assert_eq!((read.amount_cents, read.due), (12_345, Some(order.due_on)));
        assert!(issued.pix_code.is_some_and(|code| code.starts_with("000201")));
    }
}

#[tokio::test]
async fn a_boleto_whose_answer_is_lost_is_found_by_our_reference_and_registered_once() {
    let bank = Bank::efi().await;
    for (number, fault) in ["cut_after", "cut_in_half", "html"].into_iter().enumerate() {
        let order = order(&format!("{REFERENCE:.31}{number}"), 5_000, "529.982.247-25");
        bank.fault_of("cobrancas.create", json!({ "fault": fault, "times": 1 })).await;
        boletos(&bank).issue(&order).await.expect(fault);
    }
    let registered = bank.whole_state().await["cobrancas"].to_string();
    for number in 0..3 {
        let reference = format!("{REFERENCE:.31}{number}");
        assert_eq!(registered.matches(&format!("\"custom_id\":\"{reference}\"")).count(), 1);
    }
}

#[tokio::test]
async fn a_boleto_that_was_never_registered_is_unknown_and_one_of_another_amount_is_not_ours() {
    let bank = Bank::efi().await;
    let order = order(REFERENCE, 5_000, "529.982.247-25");
    assert_eq!(boletos(&bank).find(&order).await.expect("answers"), None);
    boletos(&bank).issue(&order).await.expect("is registered");
    let dearer = BoletoRequest { amount: Cents::new(5_001), ..order };
    let found = boletos(&bank).find(&dearer).await;
    assert!(matches!(found, Err(ProviderError::Unknown(_))), "{found:?}");
}

#[tokio::test]
async fn what_the_bank_refuses_is_refused_without_the_payers_data() {
    let bank = Bank::efi().await;
    let refused = boletos(&bank).issue(&order(REFERENCE, 499, "529.982.247-25")).await;
    let Err(ProviderError::Refused { code, text }) = refused else { panic!("{refused:?}") };
    assert_eq!((&*code, &*text), ("3500034", "validation_error /items/value"));
}

#[tokio::test]
async fn a_payment_is_read_by_its_notice_and_by_its_window() {
    let bank = Bank::efi().await;
    let order = order(REFERENCE, 5_000, "529.982.247-25");
    let issued = boletos(&bank).issue(&order).await.expect("is registered");
    bank.admin("/__pay", json!({ "dialect": "cobrancas", "charge": issued.our_number })).await;
    let state = bank.whole_state().await["cobrancas"].to_string();
    // The fake's links carry the token that its notices name.
    let token = state.split("/emissao/").nth(1).and_then(|rest| rest.split('"').next());
    let notice = Notice { subject: Subject::Boleto, id: token.expect("is there").to_owned() };
    let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
    let [Event::BoletoPaid(paid)] = &*reported else { panic!("{reported:?}") };
    let BoletoConfirmation { our_number, reference, amount, .. } = paid;
    assert_eq!((our_number, &**reference, amount.get()), (&issued.our_number, REFERENCE, 5_000));
    let (from, to) = always();
    let page = bank.connected.connection.read_window(Window::Boletos, from, to, None).await;
    assert_eq!(page.expect("answers").events, reported);
}

#[tokio::test]
async fn a_boleto_that_is_marked_as_paid_by_hand_is_no_payment() {
    let bank = Bank::efi().await;
    let issued = boletos(&bank).issue(&order(REFERENCE, 5_000, "529.982.247-25")).await;
    let number = issued.expect("is registered").our_number;
    let pay = json!({ "dialect": "cobrancas", "charge": number, "by": "settled" });
    bank.admin("/__pay", pay).await;
    let (from, to) = always();
    let page = bank.connected.connection.read_window(Window::Boletos, from, to, None).await;
    assert_eq!(page.expect("answers").events, []);
}

#[tokio::test]
async fn a_closed_boleto_is_closed_and_closing_is_safe_to_repeat() {
    let bank = Bank::efi().await;
    let issued = boletos(&bank).issue(&order(REFERENCE, 5_000, "529.982.247-25")).await;
    let number = issued.expect("is registered").our_number;
    for _ in 0..2 {
        boletos(&bank).cancel(&number).await.expect("closes");
    }
    assert!(bank.whole_state().await["cobrancas"].to_string().contains("canceled"));
}
