//! The words in the file of a list of commissions.

use crate::affiliates::commissions::export::Wording;
use crate::affiliates::commissions::{Commission, CommissionOrigin, Status};
use crate::dashboard::affiliates::words;
use crate::platform::messages::Lang;

/// The names in the language of the file's reader.
#[derive(Debug, Clone, Copy)]
pub struct InWords {
    pub lang: Lang,
}

impl Wording for InWords {
    fn head(self) -> [&'static str; 14] {
        let lang = self.lang;
        [
            lang.export_created(),
            lang.export_origin(),
            lang.export_state(),
            lang.partner_code(),
            lang.export_base(),
            lang.export_amount(),
            lang.export_owed(),
            lang.export_available(),
            lang.export_paid(),
            lang.export_cancelled_at(),
            lang.export_why(),
            lang.export_payment(),
            lang.export_program(),
            lang.export_id(),
        ]
    }

    fn origin(self, origin: CommissionOrigin) -> &'static str {
        words::origin(origin, self.lang)
    }

    fn status(self, status: Status) -> &'static str {
        words::commission_status(status, self.lang)
    }

    fn why(self, commission: &Commission) -> Option<String> {
        Some(words::commission_why(commission, self.lang))
    }
}
