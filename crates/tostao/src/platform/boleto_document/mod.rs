//! The boleto as a document: on a page and on paper.
//!
//! Its content is decided once, as rows of labelled cells; the page and the PDF differ only in how
//! they draw them.

pub mod page;

use brazil::boleto::Barcode;
use brazil::document::Document;
use documents::qr::Qr;
use documents::sheet::{COLUMNS, Cell, Part, PixPart, Sheet};
use jiff::civil::Date;
use ledger::cents::Cents;

use crate::platform::messages::Lang;

/// The content of a boleto.
pub struct BoletoDocument {
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
    pub pix: Option<BoletoPix>,
}

/// The payer or the beneficiary.
pub struct Party {
    pub name: String,
    /// Shown in full: the boleto belongs to its payer.
    pub document: Option<Document>,
}

/// The PIX code that pays the same boleto.
pub struct BoletoPix {
    pub br_code: String,
    pub qr: Qr,
}

impl BoletoDocument {
    /// The boleto on paper.
    pub fn sheet(&self) -> Sheet<'_> {
        let lang = self.lang;
        Sheet {
            lang: lang.tag(),
            title: &self.description,
            receipt: Part { heading: lang.payer_receipt(), rows: self.receipt() },
            cut_here: lang.cut_here(),
            form: Part { heading: lang.compensation_slip(), rows: self.form() },
            barcode: &self.barcode,
            pix: self.pix.as_ref().map(|pix| PixPart {
                qr: &pix.qr,
                heading: lang.pay_boleto_with_pix(),
                notes: [lang.scan(), lang.pix_is_sooner()],
            }),
        }
    }

    /// The part that the bank keeps.
    pub fn form(&self) -> Vec<Vec<Cell>> {
        let lang = self.lang;
        vec![
            vec![Cell::plain(lang.payable_at(), 9, lang.payable_anywhere()), self.due_cell()],
            vec![
                Cell::plain(lang.beneficiary(), 9, self.beneficiary.shown()),
                Cell::figure(lang.our_number(), &self.our_number),
            ],
            vec![
                Cell::plain(lang.issued_on(), 2, lang.date(self.issued_on)),
                Cell::plain(lang.document_number(), 4, &self.number),
                Cell::plain(lang.document_kind(), 2, "DM"),
                Cell::plain(lang.acceptance(), 1, "N"),
                self.amount_cell(),
            ],
            vec![
                Cell { lines: self.instructions(), ..Cell::plain(lang.instructions(), 9, "") },
                Cell::figure(lang.charged_amount(), ""),
            ],
            vec![Cell::plain(lang.payer(), COLUMNS, self.payer.shown())],
        ]
    }

    /// The part that the payer keeps.
    pub fn receipt(&self) -> Vec<Vec<Cell>> {
        let lang = self.lang;
        vec![
            vec![Cell::plain(lang.beneficiary(), 9, self.beneficiary.shown()), self.due_cell()],
            vec![Cell::plain(lang.payer(), 9, self.payer.shown()), self.amount_cell()],
            vec![
                Cell::plain(lang.purchase(), 5, &self.description),
                Cell::plain(lang.document_number(), 4, &self.number),
                Cell::figure(lang.our_number(), &self.our_number),
            ],
        ]
    }

    /// The digitable line, in its groups.
    pub fn line(&self) -> String {
        self.barcode.formatted_line()
    }

    fn due_cell(&self) -> Cell {
        Cell::strong(self.lang.due_on(), self.lang.date(self.due_on))
    }

    fn amount_cell(&self) -> Cell {
        Cell::strong(self.lang.document_amount(), self.lang.money(self.amount.get()))
    }

    fn instructions(&self) -> Vec<String> {
        let mut lines = vec![self.description.clone(), self.lang.pay_by_due_date().to_owned()];
        if self.test_mode {
            lines.push(self.lang.test_boleto().to_owned());
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

#[cfg(test)]
mod tests;
