//! Calculates commissions in whole cents, rounded in the merchant's favor.

use db::text_enum;
use db::value::Row;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::ProductId;
use crate::products::Item;
use crate::products::items::{list_price, share};

const BASIS_POINTS: i128 = 10_000;

text_enum! {
    /// The unit of a commission's value.
    pub enum CommissionType as "CommissionType" {
        /// Basis points of the sale: 1000 is 10%.
        Percentage = "PERCENTAGE",
        /// Cents per item.
        Fixed = "FIXED",
    }
}

/// The terms of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramTerms {
    pub kind: CommissionType,
    pub value: i64,
    /// Whether the whole order counts, and every renewal.
    pub extended: bool,
}

/// An order, without the interest of installments.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    pub items: &'a [Item],
    /// What it sells where it has no items, if that is known.
    pub product: Option<ProductId>,
    /// The price of all of it, which may be less than the sum of its items.
    pub price: Cents,
    pub discount: Cents,
    /// The products that the discount is for; none means all.
    pub discounted: &'a [ProductId],
}

/// The part of an order that counts for a commission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommissionBase {
    pub amount: Cents,
    pub quantity: i64,
}

impl ProgramTerms {
    /// Reads type, value and extension, in this order, from a row.
    pub fn read(row: &mut Row) -> Result<Self> {
        let kind = row.take()?;
        Ok(Self { kind, value: row.take()?, extended: row.take()? })
    }

    /// The commission on a sale: never more than its base.
    pub fn of(&self, base: CommissionBase) -> Cents {
        let amount = match self.kind {
            CommissionType::Percentage => {
                i128::from(base.amount.get()) * i128::from(self.value) / BASIS_POINTS
            }
            CommissionType::Fixed => i128::from(self.value) * i128::from(base.quantity),
        };
        cents(amount).min(base.amount)
    }
}

impl Order<'_> {
    /// The part that counts for a program of this product; `None` if nothing does.
    ///
    /// Without extended terms this is the product's own items, at their share of the price.
    pub fn base(&self, product: ProductId, extended: bool) -> Option<CommissionBase> {
        let paid = self.price.minus(self.discount).unwrap_or(Cents::ZERO);
        if self.items.is_empty() {
            let counts = extended || self.product == Some(product);
            return counts.then_some(CommissionBase { amount: paid, quantity: 1 });
        }
        if extended {
            let quantity = self.items.iter().map(|item| item.quantity).sum();
            return Some(CommissionBase { amount: paid, quantity });
        }
        let own = |item: &&Item| item.product == product;
        let quantity: i64 = self.items.iter().filter(own).map(|item| item.quantity).sum();
        if quantity == 0 {
            return None;
        }
        let list_price_of_own = list_price(self.items.iter().filter(own));
        let price = share(self.price, list_price_of_own, list_price(self.items));
        let taken = self.discount_on(product);
        let amount = cents((price - taken).max(0)).min(paid);
        Some(CommissionBase { amount, quantity })
    }

    /// The part of the discount on a product, rounded up.
    fn discount_on(&self, product: ProductId) -> i128 {
        let counts =
            |item: &&Item| self.discounted.is_empty() || self.discounted.contains(&item.product);
        let all = list_price(self.items.iter().filter(counts));
        let own =
            list_price(self.items.iter().filter(counts).filter(|item| item.product == product));
        if all == 0 {
            return 0;
        }
        let exact = i128::from(self.discount.get()) * own;
        (exact + all - 1) / all
    }
}

/// An amount out of range becomes the largest one; the base limits it.
fn cents(amount: i128) -> Cents {
    Cents::new(i64::try_from(amount).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;
    use uuid::Uuid;

    use super::{CommissionBase, CommissionType, Order, ProgramTerms};
    use crate::platform::ids::ProductId;
    use crate::products::Item;

    const COURSE: ProductId = ProductId(Uuid::from_u128(1));
    const BOOK: ProductId = ProductId(Uuid::from_u128(2));

    fn item(product: ProductId, quantity: i64, price: i64) -> Item {
        Item { product, name: String::new(), quantity, unit_price: Cents::new(price) }
    }

    fn base(amount: i64, quantity: i64) -> CommissionBase {
        CommissionBase { amount: Cents::new(amount), quantity }
    }

    #[test]
    fn a_commission_is_rounded_down_and_never_more_than_its_base() {
        let table = [
            // 9,999 × 10 % = 999.9.
            (CommissionType::Percentage, 1_000, 9_999, 1, 999),
            (CommissionType::Percentage, 10_000, 9_999, 1, 9_999),
            // 99 × 0.01 % is less than a cent.
            (CommissionType::Percentage, 1, 99, 1, 0),
            (CommissionType::Fixed, 500, 10_000, 3, 1_500),
            (CommissionType::Fixed, 5_000, 10_000, 3, 10_000),
            (CommissionType::Fixed, i64::MAX, 10_000, i64::MAX, 10_000),
        ];
        for (kind, value, amount, quantity, earned) in table {
            let terms = ProgramTerms { kind, value, extended: false };
            let amount = Cents::new(amount);
            assert_eq!(
                terms.of(CommissionBase { amount, quantity }),
                Cents::new(earned),
                "{value}"
            );
        }
    }

    #[test]
    fn only_the_programs_product_counts_unless_all_of_it_does() {
        let items = [item(COURSE, 2, 5_000), item(BOOK, 1, 5_000)];
        // All of it costs 15,000; a coupon for all takes 1,500 off, 1,000 of it off the courses.
        let order = Order {
            items: &items,
            product: None,
            price: Cents::new(15_000),
            discount: Cents::new(1_500),
            discounted: &[],
        };
        assert_eq!(order.base(COURSE, false), Some(base(9_000, 2)));
        assert_eq!(order.base(BOOK, false), Some(base(4_500, 1)));
        assert_eq!(order.base(COURSE, true), Some(base(13_500, 3)));
        let unknown = ProductId(Uuid::from_u128(3));
        assert_eq!(order.base(unknown, false), None);
        assert_eq!(order.base(unknown, true), Some(base(13_500, 3)));
    }

    #[test]
    fn a_discount_for_some_products_is_taken_off_those() {
        let items = [item(COURSE, 1, 10_000), item(BOOK, 1, 5_000)];
        let order = Order {
            items: &items,
            product: None,
            price: Cents::new(15_000),
            discount: Cents::new(1_001),
            discounted: &[BOOK],
        };
        assert_eq!(order.base(COURSE, false), Some(base(10_000, 1)));
        assert_eq!(order.base(BOOK, false), Some(base(3_999, 1)));
    }

    #[test]
    fn a_price_for_all_together_is_shared_by_what_each_costs_alone() {
        let items = [item(COURSE, 1, 10_000), item(BOOK, 1, 5_000)];
        // 10,000 × 10,000 / 15,000 = 6,666.66…, 10,000 × 5,000 / 15,000 = 3,333.33…
        let order = Order {
            items: &items,
            product: None,
            price: Cents::new(10_000),
            discount: Cents::ZERO,
            discounted: &[],
        };
        assert_eq!(order.base(COURSE, false), Some(base(6_666, 1)));
        assert_eq!(order.base(BOOK, false), Some(base(3_333, 1)));
    }

    #[test]
    fn an_order_without_items_counts_for_what_it_sells_or_as_a_whole() {
        let order = Order {
            items: &[],
            product: Some(COURSE),
            price: Cents::new(4_990),
            discount: Cents::new(990),
            discounted: &[],
        };
        assert_eq!(order.base(COURSE, false), Some(base(4_000, 1)));
        assert_eq!(order.base(BOOK, false), None);
        assert_eq!(order.base(BOOK, true), Some(base(4_000, 1)));
    }
}
