//! A boleto is right when another reader, or a scanner, reads back what was put in.

use std::io::Read as _;

use brazil::boleto::Barcode;
use flate2::read::ZlibDecoder;

use super::pdf;
use crate::glyphs::encoded;
use crate::qr::Qr;
use crate::sheet::{COLUMNS, Cell, Part, PixPart, Sheet};

const DIGITS: &str = "00191165600000150000000003128557000000004217";
const LINE: &str = "00190.00009 03128.557000 00000.042176 1 16560000015000";
const BR_CODE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
    5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

/// A boleto on paper, for this payer.
fn printed(qr: Option<&Qr>, payer: &str) -> Vec<u8> {
    let row =
        || vec![Cell::plain("Pagador", COLUMNS - 3, payer), Cell::strong("Valor", "R$\u{a0}1")];
    pdf(&Sheet {
        lang: "pt-BR",
        title: payer,
        receipt: Part { heading: "Recibo", rows: vec![row()] },
        cut_here: "Corte aqui",
        form: Part { heading: "Ficha", rows: vec![row(), vec![Cell::figure("Número", "42")]] },
        barcode: &Barcode::parse(DIGITS).unwrap(),
        pix: qr.map(|qr| PixPart { qr, heading: "Pague com PIX", notes: ["Aponte", "É já"] }),
    })
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
    let bytes = encoded(text).into_iter();
    format!("<{}>", bytes.map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().concat())
}

/// The rectangles of a drawing, as its commands give them, in points.
fn rectangles(drawing: &str) -> Vec<[f64; 4]> {
    let commands = drawing.lines().filter_map(|line| line.strip_suffix(" re"));
    let numbers = |line: &str| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    commands.map(|line| numbers(line).try_into().unwrap()).collect()
}

#[test]
fn the_bars_on_paper_are_those_of_the_code_and_103_by_13_millimetres() {
    let millimetres = |points: f64| points * 25.4 / 72.0;
    let drawing = drawing(&printed(None, "Fulano"));
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
fn every_text_is_on_the_paper() {
    let qr = Qr::encode(BR_CODE).unwrap();
    let drawing = drawing(&printed(Some(&qr), "Loja Ação"));
    let headings = ["Recibo", "Corte aqui", "Ficha", "Pague com PIX", "Aponte", "É já"];
    let cells = ["Pagador", "Loja Ação", "Valor", "R$\u{a0}1", "Número", "42", LINE, "001-9"];
    for text in headings.into_iter().chain(cells) {
        assert!(drawing.contains(&written(text)), "{text} is not on the paper");
    }
}

#[test]
fn the_qr_code_on_paper_is_drawn_module_by_module() {
    let qr = Qr::encode(BR_CODE).unwrap();
    let drawing = drawing(&printed(Some(&qr), "Fulano"));
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
fn a_boleto_is_a_small_file_whatever_its_names() {
    let qr = Qr::encode(BR_CODE).unwrap();
    let endless = "Nome ".repeat(200);
    let hostile = ") Tj ET \\ (日本 <<>>".to_owned();
    for name in [endless, hostile, String::new()] {
        let file = printed(Some(&qr), &name);
        assert!(file.starts_with(b"%PDF-") && file.ends_with(b"%%EOF"));
        assert!(file.len() < 20_000, "{} bytes", file.len());
    }
}
