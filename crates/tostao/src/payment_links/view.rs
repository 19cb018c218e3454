//! A link as its merchant sees it, in the API and in events.

use std::slice::from_ref;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::payment_links::settings::PaymentLinkSettings;
use crate::payment_links::status::Status;
use crate::payment_links::{PaymentLink, pricing};
use crate::platform::error::Result;
use crate::platform::ids::{PaymentLinkId, ProductId, Scope};
use crate::products::CURRENCY;

/// A payment link with its current price.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentLink")]
pub struct LinkView {
    pub id: PaymentLinkId,
    /// The slug in the public URL.
    pub slug: String,
    /// The public URL.
    pub url: String,
    pub title: String,
    pub description: Option<String>,
    pub product_description: Option<String>,
    /// The fixed amount in cents; null when the link has products.
    pub amount: Option<Cents>,
    /// The current total in cents; null while a product is not for sale.
    pub total_cents: Option<Cents>,
    pub currency: &'static str,
    pub status: Status,
    pub products: Vec<ItemView>,
    pub expires_at: Option<Timestamp>,
    pub redirect_url: Option<String>,
    pub settings: PaymentLinkSettings,
    pub stock_quantity: Option<i64>,
    pub stock_enabled: bool,
    /// The number of paid transactions.
    pub sales_count: i64,
    /// The number of transactions created.
    pub times_used: i64,
    pub meta_pixel_code: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A product with its quantity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LineItem")]
pub struct ItemView {
    pub product_id: ProductId,
    pub quantity: i64,
}

impl LinkView {
    /// Shows a link.
    pub fn new(checkout_url: &str, link: &PaymentLink, total_cents: Option<Cents>) -> Self {
        let items = link.items.iter();
        let products =
            items.map(|(id, quantity)| ItemView { product_id: *id, quantity: *quantity });
        Self {
            id: link.id,
            slug: link.slug.clone(),
            url: link.url(checkout_url),
            title: link.title.clone(),
            description: link.description.clone(),
            product_description: link.product_description.clone(),
            amount: link.shown_amount(),
            total_cents,
            currency: CURRENCY,
            status: link.status,
            products: products.collect(),
            expires_at: link.expires_at,
            redirect_url: link.redirect_url.clone(),
            settings: link.settings,
            stock_quantity: link.stock_quantity,
            stock_enabled: link.stock_enabled,
            sales_count: link.sales_count,
            times_used: link.times_used,
            meta_pixel_code: link.meta_pixel_code.clone(),
            created_at: link.created_at,
            updated_at: link.updated_at,
        }
    }
}

/// Shows a link with what a buyer pays now.
pub async fn current(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    link: &PaymentLink,
) -> Result<LinkView> {
    let totals = pricing::totals(tx, scope, from_ref(link)).await?;
    Ok(LinkView::new(checkout_url, link, totals.into_iter().next().flatten()))
}
