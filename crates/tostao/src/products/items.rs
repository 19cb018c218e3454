//! Order items: products and quantities, in links and in payments.
//!
//! Both have the same rules, so that whatever a link offers can be paid for.

use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::{Error, FieldErrors, FieldFault, Result};
use crate::platform::fields::AMOUNT_MAX;
use crate::platform::ids::ProductId;
use crate::products::Item;

/// The most entries of a link or a payment.
pub const ENTRIES_MAX: usize = 100;
const QUANTITY_MAX: i64 = 1_000_000;

/// A product with its quantity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineItemRequest {
    pub product_id: ProductId,
    #[schemars(range(min = 1, max = 1_000_000))]
    pub quantity: i64,
}

/// Validates the list `field`; every error is reported at once.
///
/// The caller checks that the products exist.
pub fn read(
    wrong: &mut FieldErrors,
    field: &str,
    bodies: &[LineItemRequest],
) -> Vec<(ProductId, i64)> {
    if bodies.len() > ENTRIES_MAX {
        let message = format!("must have at most {ENTRIES_MAX} entries");
        wrong.add(field, FieldFault::new("INVALID_LENGTH", message));
        return Vec::new();
    }
    for (index, body) in bodies.iter().enumerate() {
        if !(1..=QUANTITY_MAX).contains(&body.quantity) {
            let fault =
                FieldFault::new("OUT_OF_RANGE", format!("must be from 1 to {QUANTITY_MAX}"));
            wrong.add(format!("{field}[{index}].quantity"), fault);
        }
    }
    bodies.iter().map(|body| (body.product_id, body.quantity)).collect()
}

/// The total of the list `field`, up to the limit of one payment.
pub fn total(field: &str, items: &[Item]) -> Result<Cents> {
    let sum = items.iter().try_fold(Cents::ZERO, |sum, item| sum.plus(item.total()?));
    sum.filter(|sum| sum.get() <= AMOUNT_MAX).ok_or_else(|| {
        Error::field(field, "OUT_OF_RANGE", "exceed the maximum amount of a payment")
    })
}

/// What items cost by their own prices.
pub fn list_price<'a>(items: impl IntoIterator<Item = &'a Item>) -> i128 {
    let prices =
        items.into_iter().map(|item| i128::from(item.unit_price.get()) * i128::from(item.quantity));
    prices.fold(0, i128::saturating_add)
}

/// The share of a price for all items that falls on some of them, by their own prices and rounded
/// down.
pub fn share(price: Cents, part: i128, whole: i128) -> i128 {
    let price = i128::from(price.get());
    price.checked_mul(part).map_or(price, |product| product / whole.max(1))
}
