//! The discount of a coupon, in whole cents.
//!
//! A coupon for some products counts only these, at their share of a price for all; a coupon for
//! all counts the whole amount.

use db::text_enum;
use ledger::cents::Cents;

use crate::platform::decimal::{self, Decimal, NumberText};
use crate::platform::error::FieldFault;
use crate::platform::fields::AMOUNT_MAX;
use crate::platform::ids::ProductId;
use crate::products::Item;
use crate::products::items::{list_price, share};

/// A discount is one percent at least, and everything at most.
const PERCENT_MIN: u32 = 1;
const PERCENT_MAX: u32 = 100;
const PLACES: usize = 2;
const HUNDREDTHS: u32 = 100;

text_enum! {
    /// The unit of a coupon's discount.
    pub enum DiscountType as "DiscountType" {
        /// A percentage of the purchase.
        Percentage = "PERCENTAGE",
        /// Amount in cents.
        Fixed = "FIXED",
    }
}

/// The discount that a coupon gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountRule {
    /// Hundredths of a percent.
    Percentage(u32),
    Fixed(Cents),
}

/// What a buyer is about to pay for.
#[derive(Debug, Clone, Copy)]
pub struct Basket<'a> {
    /// The total price, which may be less than the sum of the items.
    pub amount: Cents,
    /// The items, as far as they are known.
    pub items: &'a [Item],
}

impl DiscountRule {
    /// Parses a value of this type.
    pub fn read(kind: DiscountType, value: &NumberText) -> Result<Self, FieldFault> {
        let NumberText(text) = value;
        match kind {
            DiscountType::Percentage => {
                let hundredths = decimal::parse(text, PLACES).and_then(|n| u32::try_from(n).ok());
                let within = PERCENT_MIN * HUNDREDTHS..=PERCENT_MAX * HUNDREDTHS;
                hundredths.filter(|n| within.contains(n)).map(Self::Percentage).ok_or_else(|| {
                    let message =
                        "must be a percentage from 1 to 100 with at most 2 decimal places";
                    FieldFault::new("OUT_OF_RANGE", message)
                })
            }
            DiscountType::Fixed => {
                let cents = decimal::parse(text, 0).and_then(|n| i64::try_from(n).ok());
                let within = 1..=AMOUNT_MAX;
                let cents = cents.filter(|n| within.contains(n));
                cents.map(|n| Self::Fixed(Cents::new(n))).ok_or_else(|| {
                    let message = format!("must be a whole number of cents from 1 to {AMOUNT_MAX}");
                    FieldFault::new("OUT_OF_RANGE", message)
                })
            }
        }
    }

    /// The type of the discount.
    pub const fn kind(self) -> DiscountType {
        match self {
            Self::Percentage(_) => DiscountType::Percentage,
            Self::Fixed(_) => DiscountType::Fixed,
        }
    }

    /// The value as the API shows it.
    pub fn shown(self) -> Decimal {
        match self {
            Self::Percentage(hundredths) => Decimal::hundredths(u64::from(hundredths)),
            Self::Fixed(cents) => Decimal::whole(cents.get().unsigned_abs()),
        }
    }

    /// The value as stored in a row.
    pub fn stored(self) -> i64 {
        match self {
            Self::Percentage(hundredths) => i64::from(hundredths),
            Self::Fixed(cents) => cents.get(),
        }
    }

    /// Reads a stored value.
    pub fn from_stored(kind: DiscountType, value: i64) -> Option<Self> {
        match kind {
            DiscountType::Percentage => u32::try_from(value).ok().map(Self::Percentage),
            DiscountType::Fixed => Some(Self::Fixed(Cents::new(value))),
        }
    }

    /// The discount on an amount: never more than the amount, a percentage never more than `most`.
    pub fn of(self, base: Cents, most: Option<Cents>) -> Cents {
        let reduction = match self {
            // A share of an amount is no larger than the amount.
            Self::Percentage(hundredths) => {
                let share = base.basis_points(hundredths).unwrap_or(base);
                share.min(most.unwrap_or(share))
            }
            Self::Fixed(cents) => cents,
        };
        reduction.min(base)
    }
}

impl Basket<'_> {
    /// The amount that counts for a coupon for these products, or for all if the list is empty.
    ///
    /// `None` if nothing in the basket counts. If everything in it counts, the basket's price is
    /// used, however it was set.
    pub fn counting(&self, products: &[ProductId]) -> Option<Cents> {
        if products.is_empty() {
            return Some(self.amount);
        }
        let counts = |item: &&Item| products.contains(&item.product);
        let counting: Vec<&Item> = self.items.iter().filter(counts).collect();
        if counting.is_empty() {
            return None;
        }
        if counting.len() == self.items.len() {
            return Some(self.amount);
        }
        let own = list_price(counting);
        let eligible = own.min(share(self.amount, own, list_price(self.items)));
        Some(i64::try_from(eligible).map_or(self.amount, Cents::new))
    }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;
    use uuid::Uuid;

    use super::{Basket, DiscountRule, DiscountType};
    use crate::platform::decimal::NumberText;
    use crate::platform::ids::ProductId;
    use crate::products::Item;

    fn read(kind: DiscountType, text: &str) -> Option<DiscountRule> {
        DiscountRule::read(kind, &NumberText(text.to_owned())).ok()
    }

    fn product(number: u128) -> ProductId {
        ProductId(Uuid::from_u128(number))
    }

    fn item(number: u128, quantity: i64, price: i64) -> Item {
        let (name, unit_price) = (String::new(), Cents::new(price));
        Item { product: product(number), name, quantity, unit_price }
    }

    #[test]
    fn a_percentage_has_two_places_and_a_fixed_value_none() {
        let table = [
            ("1", Some(100), Some(1)),
            ("0.99", None, None),
            ("0", None, None),
            ("-5", None, None),
            ("12.5", Some(1_250), None),
            ("12.55", Some(1_255), None),
            ("12.555", None, None),
            ("99.99", Some(9_999), None),
            ("100", Some(10_000), Some(100)),
            ("100.0", Some(10_000), Some(100)),
            ("100.01", None, None),
            ("101", None, Some(101)),
            ("1000000000", None, Some(1_000_000_000)),
            ("1000000001", None, None),
            ("1e3", None, None),
        ];
        for (text, hundredths, cents) in table {
            let percentage = hundredths.map(DiscountRule::Percentage);
            assert_eq!(read(DiscountType::Percentage, text), percentage, "{text}");
            let fixed = cents.map(|cents| DiscountRule::Fixed(Cents::new(cents)));
            assert_eq!(read(DiscountType::Fixed, text), fixed, "{text}");
        }
    }

    #[test]
    fn a_value_is_shown_and_kept_as_it_was_read() {
        let table = [
            (DiscountRule::Percentage(1_250), "12.5", 1_250),
            (DiscountRule::Percentage(10_000), "100", 10_000),
            (DiscountRule::Fixed(Cents::new(500)), "500", 500),
        ];
        for (reduction, shown, stored) in table {
            assert_eq!(reduction.shown().to_string(), shown);
            assert_eq!(reduction.stored(), stored);
            let kind = reduction.kind();
            assert_eq!(DiscountRule::from_stored(kind, stored), Some(reduction));
            assert_eq!(read(kind, shown), Some(reduction));
        }
    }

    #[test]
    fn every_discount_is_rounded_half_up_and_never_more_than_the_sum() {
        use DiscountRule::{Fixed, Percentage};
        let table = [
            (Percentage(1_000), 10_000, None, 1_000),
            // 12.5 % of 20 cents are 2.5.
            (Percentage(1_250), 20, None, 3),
            (Percentage(1_250), 19, None, 2),
            (Percentage(100), 49, None, 0),
            (Percentage(100), 50, None, 1),
            (Percentage(3_333), 100, None, 33),
            (Percentage(9_999), 1, None, 1),
            (Percentage(10_000), 999, None, 999),
            (Percentage(10_000), 999, Some(500), 500),
            (Percentage(5_000), 1_000, Some(500), 500),
            (Percentage(5_000), 1_000, Some(499), 499),
            (Percentage(9_999), i64::MAX, None, 9_222_449_699_651_090_329),
            (Percentage(5_000), 0, None, 0),
            (Fixed(Cents::new(500)), 1_000, None, 500),
            (Fixed(Cents::new(500)), 500, None, 500),
            (Fixed(Cents::new(500)), 499, None, 499),
            (Fixed(Cents::new(500)), 0, None, 0),
            (Fixed(Cents::new(500)), 1_000, Some(100), 500),
        ];
        for (reduction, base, most, off) in table {
            let taken = reduction.of(Cents::new(base), most.map(Cents::new));
            assert_eq!(taken.get(), off, "{reduction:?} of {base}, at most {most:?}");
        }
    }

    #[test]
    fn only_named_products_count() {
        let items = [item(1, 2, 1_000), item(2, 1, 500)];
        let (some, none) = (items.as_slice(), [].as_slice());
        let table = [
            (2_500, some, vec![], Some(2_500)),
            (2_500, none, vec![], Some(2_500)),
            (2_500, some, vec![1], Some(2_000)),
            (2_500, some, vec![2], Some(500)),
            (2_500, some, vec![2, 3], Some(500)),
            (2_500, some, vec![3], None),
            (2_500, none, vec![1], None),
            // Everything, for less than the sum of its items.
            (1_800, some, vec![1, 2], Some(1_800)),
            // 1,800 × 2,000 / 2,500, and 1,800 × 500 / 2,500.
            (1_800, some, vec![1], Some(1_440)),
            (1_800, some, vec![2], Some(360)),
            // 1,799 × 2,000 / 2,500 = 1,439.2.
            (1_799, some, vec![1], Some(1_439)),
            // More than the sum of its items.
            (3_000, some, vec![1], Some(2_000)),
        ];
        for (amount, items, named, counts) in table {
            let named: Vec<ProductId> = named.iter().map(|number| product(*number)).collect();
            let basket = Basket { amount: Cents::new(amount), items };
            assert_eq!(basket.counting(&named).map(Cents::get), counts, "{amount} {named:?}");
        }
    }

    #[test]
    fn a_basket_beyond_all_numbers_counts_as_what_is_paid_for_it() {
        let items = [item(1, i64::MAX, i64::MAX), item(2, 1, 1)];
        let basket = Basket { amount: Cents::new(700), items: &items };
        assert_eq!(basket.counting(&[product(1)]), Some(Cents::new(700)));
    }
}
