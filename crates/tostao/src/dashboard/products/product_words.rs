//! How a product stands, in words.

use crate::dashboard::parts::{State, Tone};
use crate::platform::messages::Lang;
use crate::products::{Product, Status};

/// The name of a stored state, for the list's filter.
pub fn status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Active => lang.product_active(),
        Status::Inactive => lang.product_inactive(),
    }
}

/// How it stands for buyers.
pub fn state(product: &Product, lang: Lang) -> State {
    let (tone, word) = match product.status {
        Status::Active if product.is_sold_out() => (Tone::Bad, lang.product_sold_out()),
        Status::Active => (Tone::Good, status(product.status, lang)),
        Status::Inactive => (Tone::Off, status(product.status, lang)),
    };
    State { tone, word }
}

/// Why it stands so, and what can be done.
pub fn why(product: &Product, lang: Lang) -> String {
    match product.status {
        Status::Active if product.is_sold_out() && product.stock_reserved > 0 => {
            lang.product_why_all_reserved(product.stock_reserved)
        }
        Status::Active if product.is_sold_out() => lang.product_why_sold_out().to_owned(),
        Status::Active => lang.product_why_active().to_owned(),
        Status::Inactive => lang.product_why_inactive().to_owned(),
    }
}

/// What is in stock, and how many of that are reserved.
pub fn stock(product: &Product, lang: Lang) -> String {
    match (product.counted(), product.stock_reserved) {
        (None, _) => lang.product_not_counted().to_owned(),
        (Some(quantity), 0) => quantity.to_string(),
        (Some(quantity), reserved) => lang.product_stock_reserved(quantity, reserved),
    }
}
