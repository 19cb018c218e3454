//! What a link costs: its amount, or its products at their prices of the moment.

use std::collections::BTreeMap;

use db::tx::Tx;
use ledger::cents::Cents;

use crate::error::{Error, Result};
use crate::fields::AMOUNT_MAX;
use crate::ids::{ProductId, Scope};
use crate::payment_links::PaymentLink;
use crate::products::{self, Item, Product, Status};

/// Refuses products that are not the merchant's, or that come to more than one charge may have.
pub async fn expect_products(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    let found = products::find_wanted(tx, scope, "products", link.items_wanted()).await?;
    let items: Vec<Item> =
        found.iter().map(|(product, quantity)| product.item(*quantity)).collect();
    if link.amount.is_none() {
        sum(&items)?;
    }
    Ok(())
}

/// Adds items up, as far as one charge may go.
pub fn sum(items: &[Item]) -> Result<Cents> {
    let sum = items.iter().try_fold(Cents::ZERO, |sum, item| sum.plus(item.total()?));
    sum.filter(|sum| sum.get() <= AMOUNT_MAX).ok_or_else(|| {
        Error::field("products", "OUT_OF_RANGE", "come to more than one payment may have")
    })
}

/// What a buyer of each link pays now; `None` where a product is not for sale.
pub async fn totals(tx: &Tx, scope: Scope, links: &[PaymentLink]) -> Result<Vec<Option<Cents>>> {
    let known = products::find_many(tx, scope, &ids(links)).await?;
    Ok(links.iter().map(|link| total(link, &known)).collect())
}

fn total(link: &PaymentLink, known: &BTreeMap<ProductId, Product>) -> Option<Cents> {
    let items = link.items.iter().map(|(id, quantity)| {
        let product = known.get(id).filter(|product| product.status == Status::Active)?;
        Some(product.item(*quantity))
    });
    let items = items.collect::<Option<Vec<Item>>>()?;
    link.amount.or_else(|| sum(&items).ok())
}

fn ids(links: &[PaymentLink]) -> Vec<ProductId> {
    links.iter().flat_map(|link| &link.items).map(|(id, _)| *id).collect()
}
