//! Boletos: registered once, paid, and closed.

use std::sync::Arc;

use brazil::calendar::sao_paulo_date;
use brazil::document::Document;
use http::HeaderMap;
use jiff::ToSpan;
use ledger::cents::Cents;
use rails::address::Address;
use rails::boleto::{BoletoRequest, Payer, Registration};
use rails::conformance;
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use serde_json::json;

use crate::bank::Bank;

const CENTS: i64 = 12_345;

async fn boleto(bank: &Bank, document: &str) -> BoletoRequest {
    let today = sao_paulo_date(bank.now().await.micros());
    let reference = bank.reference();
    BoletoRequest {
        short_reference: format!("R{}", &reference[20..]),
        amount: Cents::new(CENTS),
        due_on: today.checked_add(3.days()).expect("is a day"),
        issued_on: today,
        payer: Payer {
            name: "Ana Souza".to_owned(),
            document: Document::parse(document).expect("is a document"),
            address: Some(address()),
        },
        merchant_name: "Loja".to_owned(),
        txid: reference.clone(),
        reference,
    }
}

pub fn address() -> Address {
    Address {
        street: "Rua A".to_owned(),
        number: "12".to_owned(),
        complement: Some("Sala 3".to_owned()),
        district: "Centro".to_owned(),
        city: "São Paulo".to_owned(),
        state: "SP".to_owned(),
        postal_code: "01001000".to_owned(),
    }
}

async fn person(bank: &Bank) -> BoletoRequest {
    boleto(bank, "529.982.247-25").await
}

pub async fn a_boleto_is_found_as_it_was_issued(bank: Arc<Bank>) {
    for document in ["529.982.247-25", "11.222.333/0001-81"] {
        let order = boleto(&bank, document).await;
        let boletos = bank.boletos();
        let issued = conformance::a_boleto_is_found_as_it_was_issued(&*boletos, &order).await;
        let read = issued.barcode.read(order.issued_on);
        assert_eq!((read.amount_cents, read.due), (CENTS, Some(order.due_on)));
    }
}

pub async fn a_lost_boleto_is_registered_once(bank: Arc<Bank>) {
    let operation = if bank.dialect == "efi" { "cobrancas.create" } else { "inter.slip.create" };
    bank.fault(operation, "cut_after").await;
    let order = person(&bank).await;
    bank.boletos().issue(&order).await.expect("is looked up");
    let state = bank.state().await;
    let (books, reference) = match bank.dialect {
        "efi" => (&state["cobrancas"], &order.reference),
        _ => (&state["inter"]["slips"], &order.short_reference),
    };
    assert_eq!(books.to_string().matches(&format!("\"{reference}\"")).count(), 1);
}

/// The notice names the boleto, and its amount is the bank's answer.
pub async fn a_payment_is_reread(bank: Arc<Bank>) {
    let order = person(&bank).await;
    let issued = conformance::a_boleto_is_found_as_it_was_issued(&*bank.boletos(), &order).await;
    let code = &issued.bank_code;
    let dialect = if bank.dialect == "efi" { "cobrancas" } else { "inter" };
    bank.admin("/__pay", json!({ "dialect": dialect, "charge": code })).await;
    let (reference, message) = if bank.dialect == "efi" {
        let [(name, token)] = &*bank.form().await else { panic!("the form has one field") };
        (&order.reference, format!("{name}={token}"))
    } else {
        let list = json!([{ "codigoSolicitacao": code, "situacao": "RECEBIDO" }]);
        (&order.short_reference, list.to_string())
    };
    let notices = bank.connection().read_notices(&HeaderMap::new(), message.as_bytes());
    let [notice @ Notice { subject: Subject::Boleto, .. }] = &*notices.expect("is a message")
    else {
        panic!("the message names the boleto");
    };
    let page = bank.connection().look_into(notice).await.expect("answers");
    let [Event::BoletoPaid(paid)] = &*page.events else { panic!("{page:?}") };
    assert_eq!((&paid.reference, paid.amount.get()), (reference, CENTS));
    let listed = bank.listed(Window::Boletos).await;
    assert!(listed.contains(&page.events[0]), "{listed:?}");
}

pub async fn a_boleto_is_closed(bank: Arc<Bank>) {
    let order = person(&bank).await;
    let boletos = bank.boletos();
    let mut registered = boletos.issue(&order).await.expect("is registered");
    let code = loop {
        match registered {
            Registration::Issued(issued) => break issued.bank_code,
            Registration::Later { bank_code } => {
                let found = boletos.find(&order.order(), Some(&bank_code)).await.expect("answers");
                registered = found.expect("is known");
            }
        }
    };
    boletos.cancel(&code).await.expect("closes");
    let found = boletos.find(&order.order(), Some(&code)).await;
    assert!(matches!(found, Err(ProviderError::Refused { .. })), "{found:?}");
}
