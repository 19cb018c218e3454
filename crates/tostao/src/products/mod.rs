//! Products and their stock.
//!
//! A payment reserves its items when it is created; they are taken from the stock when it is paid
//! and released when it is not. Every step is one conditional statement, so two buyers never get
//! the last one.

use std::collections::{BTreeMap, BTreeSet};

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::names::Name;
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::http::listing::{Filter, Listable};
use crate::platform::http::page::Listed;
use crate::platform::ids::{ProductId, Scope};
use crate::products::events::{ProductChanged, ProductPayload};
use crate::products::params::ProductParams;
use crate::webhooks;

pub mod api;
pub mod events;
pub mod export;
pub mod export_api;
pub mod items;
pub mod params;
mod store;

/// Only BRL is supported.
pub const CURRENCY: &str = "BRL";

text_enum! {
    /// The status of a product.
    pub enum Status as "ProductStatus" {
        Active = "ACTIVE",
        Inactive = "INACTIVE",
    }
}

/// A product.
#[derive(Debug, Clone)]
pub struct Product {
    pub id: ProductId,
    /// Grows with every change; orders the product's events.
    pub version: i64,
    pub name: String,
    pub description: Option<String>,
    pub price: Cents,
    pub stock_enabled: bool,
    /// The quantity in stock, those reserved for pending payments included.
    pub stock_quantity: Option<i64>,
    /// How many of it are reserved for pending payments.
    pub stock_reserved: i64,
    pub is_digital: bool,
    pub image_url: Option<String>,
    pub status: Status,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// An item of a transaction, at the price when it was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TransactionItem")]
pub struct Item {
    #[serde(rename = "productId")]
    pub product: ProductId,
    pub name: String,
    pub quantity: i64,
    pub unit_price: Cents,
}

impl Item {
    /// The price of all of them; `None` on overflow.
    pub fn total(&self) -> Option<Cents> {
        self.unit_price.times(self.quantity)
    }
}

impl Listable for Status {
    const SEARCHED: &'static str = "Search in name and description.";
}

/// Creates a product.
pub async fn create(tx: &Tx, scope: Scope, params: &ProductParams) -> Result<Product> {
    let mut product = Product::blank(ProductId::new(tx), scope.now(tx));
    params.apply(&mut product)?;
    store::insert(tx, scope, &product).await?;
    publish_change(tx, scope, Name::ProductCreated, &product).await?;
    Ok(product)
}

/// Lists products, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<Product>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |product| product.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<Product>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |product| product.id.0))
}

/// Finds a product.
pub async fn find(tx: &Tx, scope: Scope, id: ProductId) -> Result<Product> {
    let found = find_many(tx, scope, &[id]).await?.remove(&id);
    found.ok_or(Error::NotFound("Product"))
}

/// Finds several products at once; missing ones are left out.
pub async fn find_many(
    tx: &Tx,
    scope: Scope,
    ids: &[ProductId],
) -> Result<BTreeMap<ProductId, Product>> {
    let mut distinct = ids.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let mut found = BTreeMap::new();
    for some in distinct.chunks(store::FOUND_AT_ONCE) {
        let products = store::find_many(tx, scope, some).await?;
        found.extend(products.into_iter().map(|product| (product.id, product)));
    }
    Ok(found)
}

/// The names of products that were deleted; those that were not are left out.
pub async fn names_of_deleted(
    tx: &Tx,
    scope: Scope,
    ids: &[ProductId],
) -> Result<BTreeMap<ProductId, String>> {
    let mut names = BTreeMap::new();
    for some in ids.chunks(store::FOUND_AT_ONCE) {
        names.extend(store::names_of_deleted(tx, scope, some).await?);
    }
    Ok(names)
}

/// The unreserved stock of each product; products without counted stock are left out.
pub async fn left(tx: &Tx, scope: Scope, ids: &[ProductId]) -> Result<BTreeMap<ProductId, i64>> {
    let mut left = BTreeMap::new();
    for some in ids.chunks(store::FOUND_AT_ONCE) {
        left.extend(store::left(tx, scope, some).await?);
    }
    Ok(left)
}

/// Finds products by their ids alone, with the scope they belong to.
///
/// `None` unless all of them exist and belong to one scope.
pub async fn find_public(
    tx: &Tx,
    ids: &[ProductId],
) -> Result<Option<(Scope, BTreeMap<ProductId, Product>)>> {
    let wanted: BTreeSet<ProductId> = ids.iter().copied().collect();
    let ordered: Vec<ProductId> = wanted.iter().copied().collect();
    let mut found = Vec::with_capacity(ordered.len());
    for some in ordered.chunks(store::FOUND_AT_ONCE) {
        found.extend(store::find_anywhere(tx, some).await?);
    }
    let Some((scope, _)) = found.first() else { return Ok(None) };
    let scope = *scope;
    let place = |scope: &Scope| (scope.merchant, scope.mode);
    let together = found.iter().all(|(own, _)| place(own) == place(&scope));
    let products = found.into_iter().map(|(_, product)| (product.id, product));
    let products: BTreeMap<ProductId, Product> = products.collect();
    Ok((together && products.len() == wanted.len()).then_some((scope, products)))
}

/// Finds products of any merchant by their ids alone; missing ones are left out.
pub async fn find_anywhere(tx: &Tx, ids: &[ProductId]) -> Result<BTreeMap<ProductId, Product>> {
    let wanted: BTreeSet<ProductId> = ids.iter().copied().collect();
    let wanted: Vec<ProductId> = wanted.into_iter().collect();
    let mut found = BTreeMap::new();
    for some in wanted.chunks(store::FOUND_AT_ONCE) {
        let products = store::find_anywhere(tx, some).await?;
        found.extend(products.into_iter().map(|(_, product)| (product.id, product)));
    }
    Ok(found)
}

/// Changes a product; payments already created keep its price.
pub async fn update(
    tx: &Tx,
    scope: Scope,
    id: ProductId,
    params: &ProductParams,
) -> Result<Product> {
    let opened = store::open(tx, scope, id).await?;
    let mut product = opened.ok_or(Error::NotFound("Product"))?;
    params.apply(&mut product)?;
    store::update(tx, scope, &product).await?;
    publish_change(tx, scope, Name::ProductUpdated, &product).await?;
    Ok(product)
}

/// Deletes a product; its id is never used again.
pub async fn delete(tx: &Tx, scope: Scope, id: ProductId) -> Result<()> {
    let opened = store::open(tx, scope, id).await?;
    let product = opened.ok_or(Error::NotFound("Product"))?;
    store::delete(tx, scope, id).await?;
    publish_change(tx, scope, Name::ProductDeleted, &product).await
}

/// Prices the wanted products; every one must exist and be active.
pub async fn for_sale(tx: &Tx, scope: Scope, wanted: &[(ProductId, i64)]) -> Result<Vec<Item>> {
    let found = find_wanted(tx, scope, "items", wanted).await?;
    let priced = found.into_iter().map(|(product, quantity)| {
        if product.status == Status::Active {
            return Ok(product.item(quantity));
        }
        let message = format!("The product \"{}\" is not for sale.", product.name);
        Err(Error::refused(ErrorCode::ProductInactive, message))
    });
    priced.collect()
}

/// Finds the products of the list `field`; every product that is not the merchant's is a separate
/// error.
pub async fn find_wanted(
    tx: &Tx,
    scope: Scope,
    field: &str,
    wanted: &[(ProductId, i64)],
) -> Result<Vec<(Product, i64)>> {
    let ids: Vec<ProductId> = wanted.iter().map(|(id, _)| *id).collect();
    let known = find_many(tx, scope, &ids).await?;
    let (mut wrong, mut found) = (FieldErrors::new(), Vec::with_capacity(wanted.len()));
    for (index, (id, quantity)) in wanted.iter().enumerate() {
        if let Some(product) = known.get(id) {
            found.push((product.clone(), *quantity));
        } else {
            let fault = FieldFault::new("UNKNOWN_PRODUCT", "must be a product of yours");
            wrong.add(format!("{field}[{index}].productId"), fault);
        }
    }
    wrong.finish()?;
    Ok(found)
}

/// Reserves items for a pending payment.
pub async fn reserve(tx: &Tx, scope: Scope, items: &[Item]) -> Result<()> {
    for item in in_order(items) {
        if !store::reserve(tx, scope, item.product, item.quantity).await? {
            let message = format!("\"{}\" has insufficient stock.", item.name);
            return Err(Error::refused(ErrorCode::OutOfStock, message));
        }
    }
    Ok(())
}

/// Releases the reservation, because the payment will not come.
pub async fn release(tx: &Tx, scope: Scope, items: &[Item]) -> Result<()> {
    for item in in_order(items) {
        store::release(tx, scope, item.product, item.quantity).await?;
    }
    Ok(())
}

/// Takes the reserved items from the stock, because the payment came.
pub async fn take_reserved(tx: &Tx, scope: Scope, items: &[Item]) -> Result<()> {
    for item in in_order(items) {
        store::take_reserved(tx, scope, item.product, item.quantity).await?;
    }
    Ok(())
}

/// Takes items for a payment that came after its reservation was released.
///
/// False if there is not enough of all of them; then none is taken.
pub async fn take_unreserved(tx: &Tx, scope: Scope, items: &[Item]) -> Result<bool> {
    let ordered = in_order(items);
    for (taken, item) in ordered.iter().enumerate() {
        if store::take_unreserved(tx, scope, item.product, item.quantity).await? {
            continue;
        }
        for item in ordered.iter().take(taken) {
            store::restock(tx, scope, item.product, item.quantity).await?;
        }
        return Ok(false);
    }
    Ok(true)
}

/// Returns items that were sold to the stock.
pub async fn restock(tx: &Tx, scope: Scope, items: &[Item]) -> Result<()> {
    for item in in_order(items) {
        store::restock(tx, scope, item.product, item.quantity).await?;
    }
    Ok(())
}

impl Product {
    /// The quantity in stock; `None` if the stock is not counted.
    pub fn counted(&self) -> Option<i64> {
        self.stock_quantity.filter(|_| self.stock_enabled)
    }

    /// How many can be sold; `None` if the stock is not counted.
    pub fn left(&self) -> Option<i64> {
        self.counted().map(|quantity| quantity.saturating_sub(self.stock_reserved).max(0))
    }

    /// Whether none can be sold.
    pub fn is_sold_out(&self) -> bool {
        self.left() == Some(0)
    }

    /// An item of this product at its current price.
    pub fn item(&self, quantity: i64) -> Item {
        let (product, name, unit_price) = (self.id, self.name.clone(), self.price);
        Item { product, name, quantity, unit_price }
    }

    fn blank(id: ProductId, now: Timestamp) -> Self {
        Self {
            id,
            version: 1,
            name: String::new(),
            description: None,
            price: Cents::ZERO,
            stock_enabled: false,
            stock_quantity: None,
            stock_reserved: 0,
            is_digital: false,
            image_url: None,
            status: Status::Active,
            created_at: now,
            updated_at: now,
        }
    }

    fn payload(&self) -> ProductPayload {
        ProductPayload {
            id: self.id,
            name: self.name.clone(),
            description: self.description.clone(),
            price: self.price,
            currency: CURRENCY,
            stock_quantity: self.stock_quantity,
            stock_reserved: self.stock_reserved,
            stock_enabled: self.stock_enabled,
            is_digital: self.is_digital,
            image_url: self.image_url.clone(),
            status: self.status.name(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// Units lock the same products in the same order, which prevents deadlocks.
fn in_order(items: &[Item]) -> Vec<&Item> {
    let mut ordered: Vec<&Item> = items.iter().collect();
    ordered.sort_by_key(|item| item.product);
    ordered
}

async fn publish_change(tx: &Tx, scope: Scope, name: Name, product: &Product) -> Result<()> {
    let event = ProductChanged { name, product: product.payload() };
    webhooks::publish(tx, scope, product.version, &event).await
}
