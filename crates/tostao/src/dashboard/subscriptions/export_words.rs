//! The words in the file of a list of subscriptions.

use crate::dashboard::subscriptions::plans::plan_words;
use crate::dashboard::words;
use crate::platform::messages::Lang;
use crate::subscriptions::export::Wording;
use crate::subscriptions::plans::Interval;
use crate::subscriptions::status::Status;

/// The names in the language of the file's reader.
#[derive(Debug, Clone, Copy)]
pub struct InWords {
    pub lang: Lang,
    pub shows_buyers: bool,
}

impl Wording for InWords {
    fn head(self) -> [&'static str; 11] {
        let lang = self.lang;
        [
            lang.export_created(),
            lang.subscription_plan(),
            lang.export_state(),
            lang.subscription_client(),
            lang.export_email(),
            lang.subscription_price(),
            lang.plan_interval(),
            lang.export_next_charge(),
            lang.export_cancelled(),
            lang.export_ended(),
            lang.export_id(),
        ]
    }

    fn status(self, status: Status) -> &'static str {
        words::subscription(status, self.lang).word
    }

    fn interval(self, interval: Interval) -> &'static str {
        plan_words::interval(interval)(self.lang)
    }

    fn shows_buyers(self) -> bool {
        self.shows_buyers
    }
}
