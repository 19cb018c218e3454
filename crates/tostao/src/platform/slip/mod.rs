//! The boleto as a document: on a page and on paper.
//!
//! Its content is decided once, as rows of labelled cells; the page and the PDF differ only in how
//! they draw them.

pub mod bars;
pub mod page;
pub mod pdf;

mod glyphs;
mod paper;

use brazil::boleto::Barcode;
use brazil::document::Document;
use jiff::civil::Date;
use ledger::cents::Cents;

use crate::platform::messages::Lang;
use crate::platform::qr::Qr;

/// The grid columns that the cells of a row share.
pub const COLUMNS: u8 = 12;

/// The content of a boleto.
pub struct Slip {
    pub lang: Lang,
    pub test_mode: bool,
    pub beneficiary: Party,
    pub payer: Party,
    /// What is paid for.
    pub description: String,
    /// Our number of the charge.
    pub number: String,
    /// The bank's number of it.
    pub our_number: String,
    pub issued_on: Date,
    pub due_on: Date,
    pub amount: Cents,
    pub barcode: Barcode,
    pub pix: Option<SlipPix>,
}

/// The payer or the beneficiary.
pub struct Party {
    pub name: String,
    /// Shown in full: the boleto belongs to its payer.
    pub document: Option<Document>,
}

/// The PIX code that pays the same boleto.
pub struct SlipPix {
    pub br_code: String,
    pub qr: Qr,
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

impl Slip {
    /// The part that the bank keeps.
    pub fn form(&self) -> Vec<Vec<Cell>> {
        let lang = self.lang;
        vec![
            vec![plain(lang.payable_at(), 9, lang.payable_anywhere()), self.due_cell()],
            vec![
                plain(lang.beneficiary(), 9, self.beneficiary.shown()),
                figure(lang.our_number(), &self.our_number),
            ],
            vec![
                plain(lang.issued_on(), 2, lang.date(self.issued_on)),
                plain(lang.document_number(), 4, &self.number),
                plain(lang.document_kind(), 2, "DM"),
                plain(lang.acceptance(), 1, "N"),
                self.amount_cell(),
            ],
            vec![
                Cell { lines: self.instructions(), ..plain(lang.instructions(), 9, "") },
                figure(lang.charged_amount(), ""),
            ],
            vec![plain(lang.payer(), COLUMNS, self.payer.shown())],
        ]
    }

    /// The part that the payer keeps.
    pub fn receipt(&self) -> Vec<Vec<Cell>> {
        let lang = self.lang;
        vec![
            vec![plain(lang.beneficiary(), 9, self.beneficiary.shown()), self.due_cell()],
            vec![plain(lang.payer(), 9, self.payer.shown()), self.amount_cell()],
            vec![
                plain(lang.purchase(), 5, &self.description),
                plain(lang.document_number(), 4, &self.number),
                figure(lang.our_number(), &self.our_number),
            ],
        ]
    }

    /// The digitable line, in its groups.
    pub fn line(&self) -> String {
        self.barcode.formatted_line()
    }

    fn due_cell(&self) -> Cell {
        strong(self.lang.due_on(), self.lang.date(self.due_on))
    }

    fn amount_cell(&self) -> Cell {
        strong(self.lang.document_amount(), self.lang.money(self.amount.get()))
    }

    fn instructions(&self) -> Vec<String> {
        let mut lines = vec![self.description.clone(), self.lang.pay_by_due_date().to_owned()];
        if self.test_mode {
            lines.push(self.lang.test_slip().to_owned());
        }
        lines
    }
}

impl Party {
    /// Name and document on one line.
    pub fn shown(&self) -> String {
        match &self.document {
            None => self.name.clone(),
            Some(document) => {
                let kind = if document.is_cpf() { "CPF" } else { "CNPJ" };
                format!("{} · {kind} {}", self.name, document.formatted())
            }
        }
    }
}

fn plain(label: &'static str, columns: u8, text: impl Into<String>) -> Cell {
    Cell { label, lines: vec![text.into()], columns, style: Style::Plain }
}

fn figure(label: &'static str, text: impl Into<String>) -> Cell {
    Cell { style: Style::Figure, ..plain(label, 3, text) }
}

fn strong(label: &'static str, text: impl Into<String>) -> Cell {
    Cell { style: Style::Strong, ..plain(label, 3, text) }
}

#[cfg(test)]
mod tests;
