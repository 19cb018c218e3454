//! A boleto says the same on the page and on paper.

use askama::Template;
use brazil::boleto::Barcode;
use brazil::document::Document;
use documents::qr::Qr;
use documents::sheet::COLUMNS;
use jiff::civil::date;
use ledger::cents::Cents;

use super::page::BoletoDocumentPage;
use super::{BoletoDocument, BoletoPix, Party};
use crate::platform::messages::Lang;

const DIGITS: &str = "00191165600000150000000003128557000000004217";
const LINE: &str = "00190.00009 03128.557000 00000.042176 1 16560000015000";
const BR_CODE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
    5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

fn boleto(lang: Lang) -> BoletoDocument {
    let party = |name: &str, document: &str| Party {
        name: name.to_owned(),
        document: Some(Document::parse(document).unwrap()),
    };
    BoletoDocument {
        lang,
        test_mode: true,
        beneficiary: party("Loja Ação", "11.222.333/0001-81"),
        payer: party("Fulano de Tal", "123.456.789-09"),
        description: "Caneca de cerâmica".into(),
        number: "0190f3a2-7c1e-7d7a-8e0a-2f6d1f0b9c11".into(),
        our_number: "31285570000000042".into(),
        issued_on: date(2026, 11, 21),
        due_on: date(2026, 12, 10),
        amount: Cents::new(15_000),
        barcode: Barcode::parse(DIGITS).unwrap(),
        pix: Some(BoletoPix { br_code: BR_CODE.into(), qr: Qr::encode(BR_CODE).unwrap() }),
    }
}

fn page(lang: Lang) -> String {
    BoletoDocumentPage::new(boleto(lang), "?lang=en".into(), "/boleto.pdf".into()).render().unwrap()
}

#[test]
fn every_row_of_the_form_is_twelve_columns_wide() {
    let boleto = boleto(Lang::PtBr);
    for row in boleto.form().iter().chain(&boleto.receipt()) {
        assert_eq!(row.iter().map(|cell| cell.columns).sum::<u8>(), COLUMNS, "{}", row[0].label);
    }
}

#[test]
fn the_page_says_everything_in_both_languages() {
    let rows = [
        (Lang::PtBr, "10/12/2026", "R$\u{a0}150,00", "Nosso número"),
        (Lang::En, "10 Dec 2026", "R$150.00", "Bank&#39;s number"),
    ];
    for (lang, due, amount, label) in rows {
        let html = page(lang);
        let shown = [LINE, due, amount, label, BR_CODE, "001-9", "31285570000000042"];
        let people = ["Loja Ação · CNPJ 11.222.333/0001-81", "Fulano de Tal · CPF 123.456.789-09"];
        for text in shown.into_iter().chain(people) {
            assert!(html.contains(text), "{text} is not in the page in {}", lang.tag());
        }
        assert!(html.contains("viewBox=\"0 0 445 1\"") && html.contains("href=\"/boleto.pdf\""));
        assert!(html.contains(lang.test_boleto()));
    }
}

#[test]
fn a_boleto_without_pix_and_for_real_money_speaks_of_neither() {
    let boleto = BoletoDocument { pix: None, test_mode: false, ..boleto(Lang::PtBr) };
    let html =
        BoletoDocumentPage::new(boleto, "?lang=en".into(), "/boleto.pdf".into()).render().unwrap();
    for absent in
        [Lang::PtBr.pay_boleto_with_pix(), Lang::PtBr.test_boleto(), "<textarea id=\"code\""]
    {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[test]
fn the_paper_says_what_the_page_says() {
    let boleto = boleto(Lang::PtBr);
    let sheet = boleto.sheet();
    let rows = sheet.form.rows.iter().chain(&sheet.receipt.rows);
    let texts: Vec<_> = rows.flatten().flat_map(|cell| &cell.lines).collect();
    for text in ["10/12/2026", "31285570000000042", "R$\u{a0}150,00", "Caneca de cerâmica"] {
        assert!(texts.iter().any(|line| *line == text), "{text} is not on the paper");
    }
    assert!(sheet.pix.is_some());
}
