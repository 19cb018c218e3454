//! The boleto as a PDF: one sheet of A4, the payer's part above the cut and the bank's below it.
//!
//! Bars and QR modules are rectangles, not images: they are sharp on every printer, and a boleto
//! takes some kilobytes.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Filter, Finish as _, Pdf, Rect, Ref, TextStr};

use crate::bars::bars;
use crate::glyphs::{Face, fitted};
use crate::paper::{BOLD, Paper, REGULAR, SHEET, Type};
use crate::qr::Qr;
use crate::sheet::{Cell, Part, PixPart, Sheet, Style};

const LEFT: f32 = 15.0;
/// Twelve columns share the width.
const WIDTH: f32 = 180.0;
const COLUMN: f32 = 15.0;
const ROW: f32 = 9.0;
const LINE: f32 = 3.8;
const THIN: f32 = 0.15;
const THICK: f32 = 0.5;
const PADDING: f32 = 1.2;

/// Banks ask for 103 mm by 13 mm; a boleto's code has 405 modules.
const MODULE: f32 = 103.0 / 405.0;
const BARS_HEIGHT: f32 = 13.0;
const QR_SIDE: f32 = 42.0;

const TITLE: Type = Type { face: Face::Bold, size: 12.0 };
const LABEL: Type = Type { face: Face::Regular, size: 6.0 };
const TEXT: Type = Type { face: Face::Regular, size: 8.0 };
const STRONG: Type = Type { face: Face::Bold, size: 9.5 };

/// Draws the boleto.
pub fn pdf(sheet: &Sheet<'_>) -> Vec<u8> {
    let mut paper = Paper::new();
    let below = receipt(&mut paper, sheet, 15.0);
    paper.text_to(LEFT + WIDTH, below + 6.0, LABEL, sheet.cut_here);
    paper.cut(LEFT, LEFT + WIDTH, below + 7.0);
    form(&mut paper, sheet, below + 14.0);
    document(sheet, &compressed(&paper.finish()))
}

/// The payer's part; returns where it ends.
fn receipt(paper: &mut Paper, sheet: &Sheet<'_>, top: f32) -> f32 {
    let y = draw_section(paper, sheet, &sheet.receipt, top);
    match &sheet.pix {
        None => y,
        Some(pix) => pay_by_pix(paper, pix, y + 4.0),
    }
}

/// The bank's part, with the barcode.
fn form(paper: &mut Paper, sheet: &Sheet<'_>, top: f32) {
    let y = draw_section(paper, sheet, &sheet.form, top);
    for bar in bars(sheet.barcode) {
        let (x, width) = (LEFT + modules(bar.x) * MODULE, f32::from(bar.width) * MODULE);
        paper.rectangle((x, y + 4.0), (width, BARS_HEIGHT));
    }
    paper.fill();
}

fn draw_section(paper: &mut Paper, sheet: &Sheet<'_>, part: &Part, top: f32) -> f32 {
    let baseline = top + 5.0;
    paper.text(LEFT, baseline, STRONG, part.heading);
    let bank = sheet.barcode.bank();
    let after_title = LEFT + 44.0;
    paper.line((after_title, top), (after_title, top + 7.0), THICK);
    paper.text(after_title + 3.0, baseline, TITLE, &bank);
    let after_bank = after_title + 6.0 + TITLE.width(&bank);
    paper.line((after_bank, top), (after_bank, top + 7.0), THICK);
    paper.text_to(LEFT + WIDTH, baseline, STRONG, &sheet.barcode.formatted_line());
    rows(paper, &part.rows, top + 7.0)
}

fn rows(paper: &mut Paper, rows: &[Vec<Cell>], top: f32) -> f32 {
    let mut y = top;
    paper.line((LEFT, y), (LEFT + WIDTH, y), THICK);
    for cells in rows {
        let lines = cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(1);
        let more = u16::try_from(lines.saturating_sub(1)).unwrap_or(0);
        let height = ROW + f32::from(more) * LINE;
        let mut x = LEFT;
        for cell in cells {
            let width = f32::from(cell.columns) * COLUMN;
            paper.line((x, y), (x, y + height), THIN);
            field(paper, cell, (x, y), width);
            x += width;
        }
        paper.line((x, y), (x, y + height), THIN);
        y += height;
        paper.line((LEFT, y), (LEFT + WIDTH, y), THIN);
    }
    y
}

fn field(paper: &mut Paper, cell: &Cell, (x, y): (f32, f32), width: f32) {
    paper.text(x + PADDING, y + 2.8, LABEL, cell.label);
    let style = if cell.style == Style::Strong { STRONG } else { TEXT };
    let mut baseline = y + 7.0;
    for line in &cell.lines {
        let text = fitted(line, style.face, style.room(width - 2.0 * PADDING));
        match cell.style {
            Style::Plain => paper.text(x + PADDING, baseline, style, &text),
            Style::Figure | Style::Strong => {
                paper.text_to(x + width - PADDING, baseline, style, &text);
            }
        }
        baseline += LINE;
    }
}

fn pay_by_pix(paper: &mut Paper, pix: &PixPart<'_>, top: f32) -> f32 {
    draw_qr(paper, pix.qr, (LEFT, top));
    let x = LEFT + QR_SIDE + 4.0;
    paper.text(x, top + 8.0, TITLE, pix.heading);
    for (note, baseline) in pix.notes.into_iter().zip([top + 14.0, top + 18.0]) {
        paper.text(x, baseline, TEXT, note);
    }
    top + QR_SIDE
}

fn draw_qr(paper: &mut Paper, qr: &Qr, (left, top): (f32, f32)) {
    let module = QR_SIDE / modules(qr.side());
    for run in qr.runs() {
        let corner = (left + modules(run.x) * module, top + modules(run.y) * module);
        paper.rectangle(corner, (modules(run.length) * module, module));
    }
    paper.fill();
}

fn document(sheet: &Sheet<'_>, drawing: &[u8]) -> Vec<u8> {
    let [catalog, pages, page, content, regular, bold, info] = [1, 2, 3, 4, 5, 6, 7].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages).lang(TextStr(sheet.lang));
    pdf.pages(pages).kids([page]).count(1);
    let mut first = pdf.page(page);
    let points = |millimetres: f32| millimetres * 72.0 / 25.4;
    first.media_box(Rect::new(0.0, 0.0, points(SHEET.0), points(SHEET.1)));
    first.parent(pages).contents(content);
    first.resources().fonts().pair(REGULAR, regular).pair(BOLD, bold);
    first.finish();
    for (id, name) in [(regular, "Helvetica"), (bold, "Helvetica-Bold")] {
        let mut font = pdf.type1_font(id);
        font.base_font(pdf_writer::Name(name.as_bytes()));
        font.encoding_predefined(pdf_writer::Name(b"WinAnsiEncoding"));
    }
    pdf.stream(content, drawing).filter(Filter::FlateDecode);
    pdf.document_info(info).title(TextStr(sheet.title));
    pdf.finish()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(bytes).expect("memory accepts every write");
    zlib.finish().expect("memory accepts every write")
}

/// A number of modules; the largest code has a few hundred.
fn modules(count: impl TryInto<u16>) -> f32 {
    f32::from(count.try_into().unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests;
