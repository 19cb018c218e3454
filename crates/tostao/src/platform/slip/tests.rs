//! A boleto is right when another reader, or a scanner, reads back what was put in.

use std::io::Read as _;

use askama::Template;
use brazil::boleto::Barcode;
use brazil::document::Document;
use db::hex::hex;
use flate2::read::ZlibDecoder;
use jiff::civil::date;
use ledger::cents::Cents;

use super::glyphs::encoded;
use super::page::SlipPage;
use super::pdf::pdf;
use super::{COLUMNS, Party, Slip, SlipPix};
use crate::platform::messages::Lang;
use crate::platform::qr::Qr;

const DIGITS: &str = "00191165600000150000000003128557000000004217";
const LINE: &str = "00190.00009 03128.557000 00000.042176 1 16560000015000";
const BR_CODE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
    5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

fn slip(lang: Lang) -> Slip {
    let party = |name: &str, document: &str| Party {
        name: name.to_owned(),
        document: Some(Document::parse(document).unwrap()),
    };
    Slip {
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
        pix: Some(SlipPix { br_code: BR_CODE.into(), qr: Qr::encode(BR_CODE).unwrap() }),
    }
}

fn page(lang: Lang) -> String {
    SlipPage::new(slip(lang), "?lang=en".into(), "/slip.pdf".into()).render().unwrap()
}

/// The drawing commands of the only page.
fn drawing(pdf: &[u8]) -> String {
    let find = |what: &[u8]| pdf.windows(what.len()).position(|window| window == what).unwrap();
    let stream = &pdf[find(b"stream\n") + 7..find(b"\nendstream")];
    let mut plain = Vec::new();
    ZlibDecoder::new(stream).read_to_end(&mut plain).unwrap();
    plain.iter().map(|byte| char::from(*byte)).collect()
}

/// A text as a drawing encodes it: in hexadecimal unless it is plain.
fn written(text: &str) -> String {
    if text.is_ascii() {
        return format!("({text})");
    }
    format!("<{}>", hex(&encoded(text)).to_uppercase())
}

/// The rectangles of a drawing, as its commands give them, in points.
fn rectangles(drawing: &str) -> Vec<[f64; 4]> {
    let commands = drawing.lines().filter_map(|line| line.strip_suffix(" re"));
    let numbers = |line: &str| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    commands.map(|line| numbers(line).try_into().unwrap()).collect()
}

#[test]
fn every_row_of_the_form_is_twelve_columns_wide() {
    let slip = slip(Lang::PtBr);
    for row in slip.form().into_iter().chain(slip.receipt()) {
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
        assert!(html.contains("viewBox=\"0 0 445 1\"") && html.contains("href=\"/slip.pdf\""));
        assert!(html.contains(lang.test_slip()));
    }
}

#[test]
fn a_slip_without_pix_and_for_real_money_speaks_of_neither() {
    let slip = Slip { pix: None, test_mode: false, ..slip(Lang::PtBr) };
    let html = SlipPage::new(slip, "?lang=en".into(), "/slip.pdf".into()).render().unwrap();
    for absent in [Lang::PtBr.pay_slip_with_pix(), Lang::PtBr.test_slip(), "<textarea id=\"code\""]
    {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[test]
fn the_bars_on_paper_are_those_of_the_code_and_103_by_13_millimetres() {
    let millimetres = |points: f64| points * 25.4 / 72.0;
    let drawing = drawing(&pdf(&Slip { pix: None, ..slip(Lang::PtBr) }));
    let bars = rectangles(&drawing);
    let widths = Barcode::parse(DIGITS).unwrap().bar_widths();
    let expected: Vec<u8> = widths.into_iter().step_by(2).collect();
    assert_eq!(bars.len(), expected.len());
    let module = 103.0 / 405.0;
    for (bar, width) in bars.iter().zip(expected) {
        assert!((millimetres(bar[2]) - f64::from(width) * module).abs() < 0.001);
        assert!((millimetres(bar[3]) - 13.0).abs() < 0.001);
    }
    let (first, last) = (bars[0], bars[bars.len() - 1]);
    assert!((millimetres(last[0] + last[2] - first[0]) - 103.0).abs() < 0.01);
}

#[test]
fn the_paper_says_what_the_page_says() {
    let drawing = drawing(&pdf(&slip(Lang::PtBr)));
    for text in [LINE, "10/12/2026", "001-9", "31285570000000042", "Beneficiário", "R$\u{a0}150,00"]
    {
        assert!(drawing.contains(&written(text)), "{text} is not on the paper");
    }
}

#[test]
fn the_qr_code_on_paper_is_drawn_module_by_module() {
    let qr = Qr::encode(BR_CODE).unwrap();
    let drawing = drawing(&pdf(&slip(Lang::PtBr)));
    let runs = qr.runs();
    let drawn = rectangles(&drawing);
    let module = drawn.iter().map(|rect| rect[3]).fold(f64::MAX, f64::min);
    let squares: Vec<_> = drawn.iter().filter(|rect| rect[3] < module * 1.01).collect();
    assert_eq!(squares.len(), runs.len());
    let (left, top) = (squares[0][0], squares[0][1]);
    for (square, run) in squares.iter().zip(&runs) {
        let number = |count: usize| f64::from(u16::try_from(count).unwrap());
        let place = |at: usize, of: usize| number(at) - number(of);
        assert!((square[0] - left - place(run.x, runs[0].x) * module).abs() < 0.01);
        assert!((top - square[1] - place(run.y, runs[0].y) * module).abs() < 0.01);
        assert!((square[2] - place(run.length, 0) * module).abs() < 0.01);
    }
}

#[test]
fn a_slip_is_a_small_file_whatever_its_names() {
    let endless = "Nome ".repeat(200);
    let hostile = ") Tj ET \\ (日本 <<>>".to_owned();
    for name in [endless, hostile, String::new()] {
        let party = Party { name: name.clone(), document: None };
        let file = pdf(&Slip { payer: party, description: name, ..slip(Lang::En) });
        assert!(file.starts_with(b"%PDF-") && file.ends_with(b"%%EOF"));
        assert!(file.len() < 20_000, "{} bytes", file.len());
    }
}
