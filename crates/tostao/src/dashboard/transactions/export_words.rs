//! The words in the file of a list of payments.

use crate::dashboard::transactions::list_pages::method_name;
use crate::dashboard::words;
use crate::platform::messages::Lang;
use crate::transactions::Method;
use crate::transactions::export::Wording;
use crate::transactions::status::Status;

/// The names in the language of the file's reader.
#[derive(Debug, Clone, Copy)]
pub struct InWords {
    pub lang: Lang,
    pub shows_buyers: bool,
}

impl Wording for InWords {
    fn head(self) -> [&'static str; 19] {
        let lang = self.lang;
        [
            lang.export_created(),
            lang.export_paid(),
            lang.export_state(),
            lang.export_method(),
            lang.export_description(),
            lang.export_reference(),
            lang.export_buyer(),
            lang.export_email(),
            lang.export_document(),
            lang.export_amount(),
            lang.export_fee(),
            lang.export_refunded(),
            lang.export_discount(),
            lang.export_interest(),
            lang.export_installments(),
            lang.export_coupon(),
            lang.export_affiliate(),
            lang.export_link(),
            lang.export_id(),
        ]
    }

    fn status(self, status: Status) -> &'static str {
        words::payment(status, self.lang).word
    }

    fn method(self, method: Method) -> &'static str {
        method_name(method, self.lang)
    }

    fn shows_buyers(self) -> bool {
        self.shows_buyers
    }
}
