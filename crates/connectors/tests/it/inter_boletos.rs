//! Boletos by Inter, which makes them some time after it has given a code.

use brazil::calendar::sao_paulo_start_of_day;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::boleto::{
    BoletoConfirmation, BoletoRequest, Covers, IssuedBoleto, PaidBy, Payer, Registration,
};
use rails::conformance::a_boleto_is_found_as_it_was_issued;
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use serde_json::{Value, json};

use crate::harness::{Bank, always, boleto};

const REFERENCE: &str = "0123456789abcdef0123456789abcdef";

fn order(cents: i64) -> BoletoRequest {
    boleto(REFERENCE, cents, "529.982.247-25")
}

fn numbered(number: usize) -> BoletoRequest {
    BoletoRequest { short_reference: format!("R{number}"), ..order(5_000) }
}

/// Orders a boleto; returns the bank's code.
async fn ordered(bank: &Bank, order: &BoletoRequest) -> String {
    let registered = bank.boletos().issue(order).await.expect("is ordered");
    let Registration::Later { bank_code } = registered else { panic!("{registered:?}") };
    bank_code
}

/// Orders a boleto and asks until it is made.
async fn issued(bank: &Bank, order: &BoletoRequest) -> IssuedBoleto {
    a_boleto_is_found_as_it_was_issued(&*bank.boletos(), order).await
}

async fn pay(bank: &Bank, code: &str, by: &str) {
    bank.admin("/__pay", json!({ "dialect": "inter", "charge": code, "by": by })).await;
}

async fn looked_into(bank: &Bank, code: &str) -> Vec<Event> {
    let notice = Notice { subject: Subject::Boleto, id: code.to_owned() };
    let page = bank.connected.connection.look_into(&notice).await.expect("answers");
    assert_eq!(page.unreadable, Vec::<String>::new());
    page.events
}

/// How many boletos the bank has.
async fn known(bank: &Bank) -> Option<usize> {
    bank.state().await["slips"].as_array().map(Vec::len)
}

#[tokio::test]
async fn a_boleto_is_registered_with_its_line_and_its_pix_code() {
    let bank = Bank::inter().await;
    for (number, document) in ["529.982.247-25", "11.222.333/0001-81"].into_iter().enumerate() {
        let short_reference = format!("R{number}");
        let order = BoletoRequest { short_reference, ..boleto(REFERENCE, 12_345, document) };
        let issued = issued(&bank, &order).await;
        let read = issued.barcode.read(order.issued_on);
        assert_eq!((read.amount_cents, read.due), (12_345, Some(order.due_on)));
        assert!(issued.pix_code.is_some_and(|code| code.starts_with("000201")));
    }
}

#[tokio::test]
async fn a_boleto_is_later_while_its_code_is_unknown_and_while_it_is_made() {
    let bank = Bank::inter().await;
    let settings = json!({ "inter_slip_unknown_asks": 2, "inter_slip_processing_asks": 2 });
    bank.admin("/__settings", settings).await;
    let bank_code = ordered(&bank, &order(5_000)).await;
    let later = Some(Registration::Later { bank_code: bank_code.clone() });
    let ask = || async {
        bank.boletos().find(&order(5_000).order(), Some(&bank_code)).await.expect("answers")
    };
    for asked in 0..4 {
        assert_eq!(ask().await, later, "{asked}");
    }
    assert!(matches!(ask().await, Some(Registration::Issued(_))));
}

#[tokio::test]
async fn the_order_has_its_amount_as_a_number_and_the_payers_address() {
    let bank = Bank::inter().await;
    ordered(&bank, &order(123_456_789)).await;
    let path = "/__log?operation=inter.slip.create";
    let (_, log) = bank.fake.admin("GET", path, &Value::Null).await.expect("answers");
    let sent: Value = serde_json::from_str(
        r#"{
            "seuNumero": "R12345", "valorNominal": 1234567.89, "dataVencimento": "2026-11-26",
            "numDiasAgenda": 3, "pagador": {
                "cpfCnpj": "52998224725", "tipoPessoa": "FISICA", "nome": "Ana Souza",
                "endereco": "Rua A", "numero": "12", "bairro": "Centro", "cidade": "São Paulo",
                "uf": "SP", "cep": "01001000"
            }
        }"#,
    )
    .expect("is JSON");
    assert_eq!(log[0]["body"], sent);
}

#[tokio::test]
async fn a_payer_without_an_address_is_refused_before_the_bank_is_called() {
    let bank = Bank::inter().await;
    let payer = Payer { address: None, ..order(5_000).payer };
    let refused = bank.boletos().issue(&BoletoRequest { payer, ..order(5_000) }).await;
    let Err(ProviderError::Refused { text, .. }) = refused else { panic!("{refused:?}") };
    assert!(text.contains("address"), "{text}");
    assert_eq!(bank.calls("*").await, 0);
}

#[tokio::test]
async fn a_boleto_whose_answer_is_lost_is_found_by_our_reference_and_registered_once() {
    let bank = Bank::inter().await;
    let faults = [
        json!({ "fault": "cut_after", "times": 1 }),
        json!({ "fault": "cut_in_half", "times": 1 }),
        json!({ "fault": "html", "times": 1 }),
        json!({ "fault": "status", "status": 503, "processed": true, "times": 1 }),
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        bank.fault("slip.create", fault).await;
        ordered(&bank, &numbered(number)).await;
    }
    assert_eq!(known(&bank).await, Some(4));
}

#[tokio::test]
async fn an_order_that_is_known_is_looked_up_and_never_refused() {
    let bank = Bank::inter().await;
    bank.fault("slip.create", json!({ "fault": "cut_after", "times": 1 })).await;
    bank.fault("slip.list", json!({ "fault": "status", "status": 503, "times": 2 })).await;
    for _ in 0..2 {
        let lost = bank.boletos().issue(&order(5_000)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
    }
    let code = ordered(&bank, &order(5_000)).await;
    assert!(
        bank.boletos().find(&order(5_000).order(), Some(&code)).await.expect("answers").is_some()
    );
    assert_eq!(known(&bank).await, Some(1));
}

#[tokio::test]
async fn a_boleto_that_did_not_arrive_is_unknown_and_then_not_found() {
    let bank = Bank::inter().await;
    for fault in [json!({ "fault": "cut_before" }), json!({ "fault": "status", "status": 500 })] {
        bank.fault("slip.create", fault.clone()).await;
        let lost = bank.boletos().issue(&order(5_000)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{fault}: {lost:?}");
        assert_eq!(bank.boletos().find(&order(5_000).order(), None).await.expect("answers"), None);
        bank.fake.admin("DELETE", "/__fault", &Value::Null).await.expect("answers");
    }
}

#[tokio::test]
async fn a_question_that_is_not_answered_leaves_the_boleto_unknown() {
    let bank = Bank::inter().await;
    let code = ordered(&bank, &order(5_000)).await;
    for (operation, code) in [("slip.get", Some(&*code)), ("slip.list", None)] {
        for status in [500, 503] {
            let fault = json!({ "fault": "status", "status": status, "times": 1 });
            bank.fault(operation, fault).await;
            let found = bank.boletos().find(&order(5_000).order(), code).await;
            assert!(matches!(found, Err(ProviderError::Unknown(_))), "{operation}: {found:?}");
        }
    }
}

#[tokio::test]
async fn several_boletos_with_one_reference_are_never_taken_for_ours() {
    let bank = Bank::inter().await;
    for cents in [5_000, 5_001] {
        ordered(&bank, &order(cents)).await;
    }
    let found = bank.boletos().find(&order(5_000).order(), None).await;
    assert!(matches!(found, Err(ProviderError::Unknown(_))), "{found:?}");
}

#[tokio::test]
async fn a_boleto_of_another_amount_due_date_or_reference_is_not_ours() {
    let bank = Bank::inter().await;
    let order = order(5_000);
    let code = issued(&bank, &order).await.bank_code;
    let dearer = BoletoRequest { amount: Cents::new(5_001), ..order.clone() };
    let sooner = BoletoRequest { due_on: order.issued_on, ..order.clone() };
    let other = BoletoRequest { short_reference: "R2".to_owned(), ..order };
    for changed in [dearer, sooner, other] {
        let found = bank.boletos().find(&changed.order(), Some(&code)).await;
        assert!(matches!(found, Err(ProviderError::Unknown(_))), "{found:?}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_the_charge_is_refused_and_what_is_wrong_with_us_is_not() {
    let bank = Bank::inter().await;
    let order = order(5_000);
    let stateless = order
        .payer
        .address
        .clone()
        .map(|it| rails::address::Address { state: String::new(), ..it });
    let payer = Payer { address: stateless, ..order.payer.clone() };
    let past = order.issued_on.yesterday().expect("is a day");
    let table = [
        (BoletoRequest { amount: Cents::new(249), ..order.clone() }, Some("valorNominal")),
        (BoletoRequest { due_on: past, ..order.clone() }, Some("dataVencimento")),
        (BoletoRequest { payer, ..order.clone() }, Some("pagador.uf")),
        (BoletoRequest { short_reference: "R".repeat(16), ..order }, None),
    ];
    for (order, code) in table {
        match (bank.boletos().issue(&order).await, code) {
            (Err(ProviderError::Refused { code, .. }), Some(expected)) => {
                assert_eq!(code, expected);
            }
            (Err(ProviderError::Misconfigured(_)), None) => {}
            (answer, _) => panic!("{code:?}: {answer:?}"),
        }
    }
    assert_eq!(known(&bank).await, Some(0));
}

#[tokio::test]
async fn each_status_says_whether_a_boleto_can_be_shown() {
    let bank = Bank::inter().await;
    let table = [
        ("boleto", None),
        ("pix", None),
        ("late", None),
        ("protest", None),
        ("marked", None),
        ("expired", Some("EXPIRADO")),
        ("failed", Some("FALHA_EMISSAO")),
    ];
    for (number, (by, refused)) in table.into_iter().enumerate() {
        let code = issued(&bank, &numbered(number)).await.bank_code;
        pay(&bank, &code, by).await;
        match (bank.boletos().find(&numbered(number).order(), Some(&code)).await, refused) {
            (Ok(Some(Registration::Issued(_))), None) => {}
            (Err(ProviderError::Refused { code, .. }), Some(word)) => assert_eq!(code, word),
            (answer, _) => panic!("{by}: {answer:?}"),
        }
    }
}

#[tokio::test]
async fn a_payment_is_read_by_its_notice_and_by_its_window() {
    for (by, paid_by) in [("boleto", PaidBy::Barcode), ("pix", PaidBy::Pix)] {
        let bank = Bank::inter().await;
        let issued = issued(&bank, &order(5_000)).await;
        pay(&bank, &issued.bank_code, by).await;
        let forged = json!([{
            "codigoSolicitacao": issued.bank_code, "situacao": "RECEBIDO",
            "valorTotalRecebido": "9999.00",
        }]);
        let forged = forged.to_string();
        let headers = http::HeaderMap::new();
        let notices = bank.connected.connection.read_notices(&headers, forged.as_bytes());
        let [Notice { subject: Subject::Boleto, id }] = &*notices.expect("is a message") else {
            panic!("names the boleto")
        };
        let reported = looked_into(&bank, id).await;
        let paid = BoletoConfirmation {
            bank_code: issued.bank_code.clone(),
            reference: "R12345".to_owned(),
            payment_id: format!("{} 5000", issued.bank_code),
            amount: Cents::new(5_000),
            paid_at: Timestamp::from_micros(sao_paulo_start_of_day(Bank::today())),
            covers: Covers::Total(Some(paid_by)),
        };
        assert_eq!(reported, [Event::BoletoPaid(paid)]);
        let (from, to) = always();
        let page = bank.connected.connection.read_window(Window::Boletos, from, to, None).await;
        let page = page.expect("answers");
        assert_eq!((page.events, page.next), (reported, None));
    }
}

#[tokio::test]
async fn a_payment_of_another_amount_is_reported_as_it_is() {
    let bank = Bank::inter().await;
    let code = issued(&bank, &order(5_000)).await.bank_code;
    let less = json!({ "dialect": "inter", "charge": code, "amount_cents": 4_999 });
    bank.admin("/__pay", less).await;
    let reported = looked_into(&bank, &code).await;
    let [Event::BoletoPaid(paid)] = &*reported else { panic!("{reported:?}") };
    assert_eq!(paid.amount, Cents::new(4_999));
}

#[tokio::test]
async fn what_is_no_payment_is_not_reported_as_one() {
    let bank = Bank::inter().await;
    for (number, by) in ["marked", "expired", "late", "protest", "failed"].into_iter().enumerate() {
        let code = issued(&bank, &numbered(number)).await.bank_code;
        pay(&bank, &code, by).await;
        assert_eq!(looked_into(&bank, &code).await, [], "{by}");
    }
    assert_eq!(looked_into(&bank, "0b9f0a5e-6e0e-4a5e-9f35-0123456789ab").await, []);
}

#[tokio::test]
async fn a_window_of_many_boletos_is_read_page_by_page() {
    let bank = Bank::inter().await;
    for number in 0..205 {
        let code = ordered(&bank, &numbered(number)).await;
        pay(&bank, &code, "boleto").await;
    }
    let ((from, to), mut cursor, mut sizes) = (always(), None::<String>, Vec::new());
    loop {
        let connection = &bank.connected.connection;
        let page = connection.read_window(Window::Boletos, from, to, cursor.as_deref()).await;
        let page = page.expect("answers");
        sizes.push(page.events.len());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [100, 100, 5]);
}

#[tokio::test]
async fn a_closed_boleto_is_closed_and_closing_is_safe_to_repeat() {
    let bank = Bank::inter().await;
    let code = issued(&bank, &order(5_000)).await.bank_code;
    for _ in 0..2 {
        bank.boletos().cancel(&code).await.expect("closes");
    }
    let found = bank.boletos().find(&order(5_000).order(), Some(&code)).await;
    let Err(ProviderError::Refused { code, .. }) = found else { panic!("{found:?}") };
    assert_eq!(code, "CANCELADO");
}

#[tokio::test]
async fn a_boleto_that_may_still_be_open_is_not_taken_for_closed() {
    let bank = Bank::inter().await;
    let unknown = bank.boletos().cancel("0b9f0a5e-6e0e-4a5e-9f35-0123456789ab").await;
    assert!(matches!(unknown, Err(ProviderError::Unknown(_))), "{unknown:?}");
    let code = issued(&bank, &order(5_000)).await.bank_code;
    bank.fault("slip.cancel", json!({ "fault": "status", "status": 503, "times": 1 })).await;
    let lost = bank.boletos().cancel(&code).await;
    assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
    bank.boletos().cancel(&code).await.expect("closes");
}

#[tokio::test]
async fn a_token_that_ends_early_is_replaced_once_and_the_boleto_ordered_once() {
    let bank = Bank::inter().await;
    ordered(&bank, &numbered(1)).await;
    bank.admin("/__fault", json!({ "fault": "expire_tokens" })).await;
    ordered(&bank, &numbered(2)).await;
    assert_eq!(bank.calls("token").await, 2);
    assert_eq!(known(&bank).await, Some(2));
}
