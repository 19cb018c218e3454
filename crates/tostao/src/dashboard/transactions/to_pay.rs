//! What a waiting payment is paid with, and how its buyer gets it.

use documents::qr::Qr;

use crate::dashboard::links::link_pages::{mail_to, qr, whatsapp};
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::transactions::Transaction;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::boleto;

/// What a waiting payment is paid with.
pub struct ToPay {
    pub pix: Option<PixCode>,
    pub slip: Option<Slip>,
    /// The page where the buyer finds the same, and what sends its address.
    pub url: String,
    pub whatsapp_url: String,
    pub mail_url: String,
}

/// A PIX code, and the same as a picture.
pub struct PixCode {
    pub code: String,
    pub qr: Qr,
}

/// A boleto that its bank has made.
pub struct Slip {
    pub line: String,
    pub document_url: String,
}

impl ToPay {
    /// What a payment is paid with; `None` if it does not wait, and `sold` is what it is for.
    pub fn of(
        terms: &PaymentTerms,
        scope: Scope,
        payment: &Transaction,
        sold: Option<String>,
        lang: Lang,
    ) -> Result<Option<Self>> {
        if payment.status != Status::Pending {
            return Ok(None);
        }
        let pix = payment.pix.as_ref().map(|pix| PixCode::of(&pix.code)).transpose()?;
        let slip = boleto(terms, scope, payment);
        let url = terms.payment_url(scope, payment);
        let title = sold.unwrap_or_else(|| lang.charge_title().to_owned());
        let text = lang.links_share(&title, lang.money(payment.amount.get()), &url);
        Ok(Some(Self {
            pix,
            slip: slip.map(|slip| Slip { line: slip.digitable_line, document_url: slip.url }),
            whatsapp_url: whatsapp(&text),
            mail_url: mail_to(&title, &text),
            url,
        }))
    }
}

impl PixCode {
    fn of(code: &str) -> Result<Self> {
        Ok(Self { code: code.to_owned(), qr: qr(code)? })
    }
}
