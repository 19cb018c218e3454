//! The words in the file of a list of plans.

use crate::dashboard::subscriptions::plans::plan_words;
use crate::platform::messages::Lang;
use crate::subscriptions::plans::export::Wording;
use crate::subscriptions::plans::{Interval, Plan};

/// The names in the language of the file's reader.
#[derive(Debug, Clone, Copy)]
pub struct InWords {
    pub lang: Lang,
}

impl Wording for InWords {
    fn head(self) -> [&'static str; 11] {
        let lang = self.lang;
        [
            lang.export_created(),
            lang.client_name(),
            lang.export_state(),
            lang.subscription_price(),
            lang.plan_interval(),
            lang.plan_trial_days(),
            lang.plan_subscribers(),
            lang.plan_max_subscribers(),
            lang.export_description(),
            lang.export_product(),
            lang.export_id(),
        ]
    }

    fn state(self, plan: &Plan) -> &'static str {
        plan_words::state(plan, self.lang).word
    }

    fn interval(self, interval: Interval) -> &'static str {
        plan_words::interval(interval)(self.lang)
    }
}
