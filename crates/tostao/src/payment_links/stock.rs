//! Whether a link has stock left, for pages that show it before a purchase.
//!
//! The reservation of each payment decides; this only reads.

use std::collections::BTreeMap;

use db::tx::Tx;

use crate::payment_links::{PaymentLink, store};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::Scope;
use crate::products;

/// What the next buyer can buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The stock is not counted.
    Unlimited,
    /// Enough for at least one more.
    InStock,
    SoldOut,
}

impl Availability {
    /// Refuses a buyer if the stock is sold out.
    pub fn expect_left(self, link: &PaymentLink) -> Result<()> {
        if self == Self::SoldOut { Err(sold_out(link)) } else { Ok(()) }
    }
}

/// Reads the link's own stock and that of its products.
pub async fn availability(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<Availability> {
    let mut wanted = BTreeMap::new();
    for (id, quantity) in &link.items {
        let sum: &mut i64 = wanted.entry(*id).or_default();
        *sum = sum.saturating_add(*quantity);
    }
    let ids: Vec<_> = wanted.keys().copied().collect();
    let counted = products::left(tx, scope, &ids).await?;
    let own = if link.stock_enabled { Some(store::left(tx, scope, link.id).await?) } else { None };
    let short = |(id, left): (_, &i64)| wanted.get(id).is_some_and(|wanted| wanted > left);
    if own.is_some_and(|left| left < 1) || counted.iter().any(short) {
        return Ok(Availability::SoldOut);
    }
    let is_counted = own.is_some() || !counted.is_empty();
    Ok(if is_counted { Availability::InStock } else { Availability::Unlimited })
}

/// The error for a link that is sold out.
pub fn sold_out(link: &PaymentLink) -> Error {
    Error::refused(ErrorCode::OutOfStock, format!("\"{}\" is sold out.", link.title))
}
