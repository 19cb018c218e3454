//! The page of a boleto: what to copy, what to scan, and the boleto itself, which is what is
//! printed.

use askama::Template;
use documents::bars;
use documents::sheet::{Cell, Style};

use crate::platform::assets;
use crate::platform::boleto_document::BoletoDocument;
use crate::platform::messages::Lang;

/// A boleto that can be paid.
#[derive(Template)]
#[template(path = "checkout/boleto_document.html")]
pub struct BoletoDocumentPage {
    lang: Lang,
    test_mode: bool,
    language_url: String,
    /// Empty, because this is already the printable page.
    page_url: Option<String>,
    pdf_url: String,
    boleto: BoletoDocument,
}

impl BoletoDocumentPage {
    /// Takes the boleto, the URL of this page in the other language and the URL of the PDF; both
    /// URLs include their tokens.
    pub fn new(boleto: BoletoDocument, language_url: String, pdf_url: String) -> Self {
        Self {
            lang: boleto.lang,
            test_mode: boleto.test_mode,
            language_url,
            page_url: None,
            pdf_url,
            boleto,
        }
    }

    fn due_on(&self) -> String {
        self.lang.date(self.boleto.due_on)
    }

    fn amount(&self) -> String {
        self.lang.money(self.boleto.amount.get())
    }

    fn bars_path(&self) -> String {
        bars::svg_path(&self.boleto.barcode)
    }

    fn modules(&self) -> u32 {
        bars::modules(&self.boleto.barcode)
    }

    /// The CSS classes of a cell's width and style.
    #[expect(clippy::unused_self, reason = "a template calls methods of its page")]
    fn classes(&self, cell: &Cell) -> String {
        let style = match cell.style {
            Style::Plain => "",
            Style::Figure => " figure",
            Style::Strong => " figure strong",
        };
        format!("w{}{style}", cell.columns)
    }
}
