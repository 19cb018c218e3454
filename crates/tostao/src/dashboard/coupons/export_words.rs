//! The words in the file of a list of coupons.

use db::time::Timestamp;

use crate::coupons::Coupon;
use crate::coupons::discount::DiscountRule;
use crate::coupons::export::Wording;
use crate::dashboard::coupons::coupon_words as words;
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
            lang.coupon_code(),
            lang.export_state(),
            lang.coupon_discount(),
            lang.coupon_uses(),
            lang.coupon_paid_uses(),
            lang.export_uses_max(),
            lang.coupon_per_user_limit(),
            lang.coupon_min_purchase(),
            lang.coupon_max_discount(),
            lang.coupon_valid_from(),
            lang.coupon_valid_until(),
            lang.export_description(),
            lang.export_id(),
        ]
    }

    fn status(self, coupon: &Coupon, now: Timestamp) -> &'static str {
        words::state(coupon, now, self.lang).word
    }

    fn discount(self, rule: DiscountRule) -> String {
        words::discount(rule, self.lang)
    }
}
