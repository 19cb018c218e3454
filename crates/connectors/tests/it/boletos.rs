//! Boletos by Efí.

use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, BoletoRequest, IssuedBoleto, Registration};
use rails::conformance::a_boleto_is_found_as_it_was_issued;
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use serde_json::json;

use crate::harness::{Bank, always, boleto};

const REFERENCE: &str = "0123456789abcdef0123456789abcdef";

async fn issued(bank: &Bank, order: &BoletoRequest) -> IssuedBoleto {
    let registered = bank.boletos().issue(order).await.expect("is registered");
    let Registration::Issued(issued) = registered else { panic!("{registered:?}") };
    issued
}

#[tokio::test]
async fn a_boleto_is_registered_with_its_line_and_its_pix_code() {
    let bank = Bank::efi().await;
    for (reference, document) in [("a1", "529.982.247-25"), ("a2", "11.222.333/0001-81")] {
        let order = boleto(reference, 12_345, document);
        let issued = a_boleto_is_found_as_it_was_issued(&*bank.boletos(), &order).await;
        let read = issued.barcode.read(order.issued_on);
        assert_eq!((read.amount_cents, read.due), (12_345, Some(order.due_on)));
        assert!(issued.pix_code.is_some_and(|code| code.starts_with("000201")));
    }
}

#[tokio::test]
async fn a_boleto_whose_answer_is_lost_is_found_by_our_reference_and_registered_once() {
    let bank = Bank::efi().await;
    for (number, fault) in ["cut_after", "cut_in_half", "html"].into_iter().enumerate() {
        let order = boleto(&format!("{REFERENCE:.31}{number}"), 5_000, "529.982.247-25");
        bank.fault_of("cobrancas.create", json!({ "fault": fault, "times": 1 })).await;
        bank.boletos().issue(&order).await.expect(fault);
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
    let order = boleto(REFERENCE, 5_000, "529.982.247-25");
    assert_eq!(bank.boletos().find(&order.order(), None).await.expect("answers"), None);
    issued(&bank, &order).await;
    let dearer = BoletoRequest { amount: Cents::new(5_001), ..order };
    let found = bank.boletos().find(&dearer.order(), None).await;
    assert!(matches!(found, Err(ProviderError::Unknown(_))), "{found:?}");
}

#[tokio::test]
async fn what_the_bank_refuses_is_refused_without_the_payers_data() {
    let bank = Bank::efi().await;
    let refused = bank.boletos().issue(&boleto(REFERENCE, 499, "529.982.247-25")).await;
    let Err(ProviderError::Refused { code, text }) = refused else { panic!("{refused:?}") };
    assert_eq!((&*code, &*text), ("3500034 /items/value", "validation_error"));
}

#[tokio::test]
async fn a_payment_is_read_by_its_notice_and_by_its_window() {
    let bank = Bank::efi().await;
    let order = boleto(REFERENCE, 5_000, "529.982.247-25");
    let issued = issued(&bank, &order).await;
    bank.admin("/__pay", json!({ "dialect": "cobrancas", "charge": issued.our_number })).await;
    let state = bank.whole_state().await["cobrancas"].to_string();
    // The fake's links carry the token that its notices name.
    let token = state.split("/emissao/").nth(1).and_then(|rest| rest.split('"').next());
    let notice = Notice { subject: Subject::Boleto, id: token.expect("is there").to_owned() };
    let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
    let [Event::BoletoPaid(paid)] = &*reported else { panic!("{reported:?}") };
    let BoletoConfirmation { bank_code, reference, amount, .. } = paid;
    assert_eq!((bank_code, &**reference, amount.get()), (&issued.bank_code, REFERENCE, 5_000));
    let (from, to) = always();
    let page = bank.connected.connection.read_window(Window::Boletos, from, to, None).await;
    assert_eq!(page.expect("answers").events, reported);
}

#[tokio::test]
async fn a_boleto_that_is_marked_as_paid_by_hand_is_no_payment() {
    let bank = Bank::efi().await;
    let number = issued(&bank, &boleto(REFERENCE, 5_000, "529.982.247-25")).await.bank_code;
    let pay = json!({ "dialect": "cobrancas", "charge": number, "by": "settled" });
    bank.admin("/__pay", pay).await;
    let (from, to) = always();
    let page = bank.connected.connection.read_window(Window::Boletos, from, to, None).await;
    assert_eq!(page.expect("answers").events, []);
}

#[tokio::test]
async fn a_closed_boleto_is_closed_and_closing_is_safe_to_repeat() {
    let bank = Bank::efi().await;
    let number = issued(&bank, &boleto(REFERENCE, 5_000, "529.982.247-25")).await.bank_code;
    for _ in 0..2 {
        bank.boletos().cancel(&number).await.expect("closes");
    }
    let found =
        bank.boletos().find(&boleto(REFERENCE, 5_000, "529.982.247-25").order(), None).await;
    let Err(ProviderError::Refused { code, .. }) = found else { panic!("{found:?}") };
    assert_eq!(code, "canceled");
}
