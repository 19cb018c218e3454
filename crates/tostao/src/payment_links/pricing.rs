//! The price of a link: its amount, or the current prices of its products.

use std::collections::BTreeMap;

use db::tx::Tx;
use ledger::cents::Cents;

use crate::payment_links::PaymentLink;
use crate::platform::error::Result;
use crate::platform::ids::{ProductId, Scope};
use crate::products::{self, Item, Product, Status, items};

/// Refuses products of other merchants, and a total above the limit of one charge.
pub async fn expect_products(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    let found = products::find_wanted(tx, scope, "products", &link.items).await?;
    let items: Vec<Item> =
        found.iter().map(|(product, quantity)| product.item(*quantity)).collect();
    if link.amount.is_none() {
        items::total("products", &items)?;
    }
    Ok(())
}

/// What a buyer of each link pays now; `None` if a product is not for sale.
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
    link.amount.or_else(|| items::total("products", &items).ok())
}

fn ids(links: &[PaymentLink]) -> Vec<ProductId> {
    links.iter().flat_map(|link| &link.items).map(|(id, _)| *id).collect()
}
