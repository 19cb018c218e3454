//! The content of a printed boleto, as rows of labelled cells.

use brazil::boleto::Barcode;

use crate::qr::Qr;

/// The grid columns that the cells of a row share.
pub const COLUMNS: u8 = 12;

/// A boleto as it is printed: the payer's part above the cut and the bank's below it.
pub struct Sheet<'a> {
    /// The tag of the language of all texts.
    pub lang: &'a str,
    pub title: &'a str,
    pub receipt: Part,
    pub cut_here: &'a str,
    pub form: Part,
    pub barcode: &'a Barcode,
    pub pix: Option<PixPart<'a>>,
}

/// One of the two parts.
pub struct Part {
    pub heading: &'static str,
    pub rows: Vec<Vec<Cell>>,
}

/// The PIX code that pays the same boleto.
pub struct PixPart<'a> {
    pub qr: &'a Qr,
    pub heading: &'a str,
    pub notes: [&'a str; 2],
}

/// One field of the printed form.
pub struct Cell {
    pub label: &'static str,
    /// One text per line.
    pub lines: Vec<String>,
    /// How many of the [`COLUMNS`] it takes.
    pub columns: u8,
    pub style: Style,
}

/// How a cell's text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// A number, aligned to the right.
    Figure,
    /// A number that the payer looks for.
    Strong,
}

impl Cell {
    /// A text.
    pub fn plain(label: &'static str, columns: u8, text: impl Into<String>) -> Self {
        Self { label, lines: vec![text.into()], columns, style: Style::Plain }
    }

    /// A number at the end of a row.
    pub fn figure(label: &'static str, text: impl Into<String>) -> Self {
        Self { style: Style::Figure, ..Self::plain(label, 3, text) }
    }

    /// A number at the end of a row that the payer looks for.
    pub fn strong(label: &'static str, text: impl Into<String>) -> Self {
        Self { style: Style::Strong, ..Self::plain(label, 3, text) }
    }
}
