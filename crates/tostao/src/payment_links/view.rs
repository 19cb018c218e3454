//! A link as its merchant sees it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::{PaymentLinkId, ProductId};
use crate::payment_links::PaymentLink;
use crate::payment_links::settings::LinkSettings;
use crate::payment_links::status::Status;
use crate::products::CURRENCY;

/// A link with what a buyer pays now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    id: PaymentLinkId,
    /// The name in the public address.
    slug: String,
    /// The public address.
    url: String,
    title: String,
    description: Option<String>,
    product_description: Option<String>,
    /// In cents; null when the link has products.
    amount: Option<Cents>,
    /// What a buyer pays now; null while a product is not for sale.
    total_cents: Option<Cents>,
    currency: &'static str,
    status: Status,
    products: Vec<ItemView>,
    expires_at: Option<Timestamp>,
    redirect_url: Option<String>,
    settings: LinkSettings,
    stock_quantity: Option<i64>,
    stock_enabled: bool,
    /// How many payments through it were paid.
    sales_count: i64,
    /// How many payments were issued through it.
    times_used: i64,
    meta_pixel_code: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A product and how many of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemView {
    product_id: ProductId,
    quantity: i64,
}

impl LinkView {
    /// Shows a link.
    pub fn new(checkout_url: &str, link: PaymentLink, total_cents: Option<Cents>) -> Self {
        let items = link.items.iter();
        let products =
            items.map(|(id, quantity)| ItemView { product_id: *id, quantity: *quantity });
        Self {
            products: products.collect(),
            url: link.url(checkout_url),
            amount: link.shown_amount(),
            total_cents,
            id: link.id,
            slug: link.slug,
            title: link.title,
            description: link.description,
            product_description: link.product_description,
            currency: CURRENCY,
            status: link.status,
            expires_at: link.expires_at,
            redirect_url: link.redirect_url,
            settings: link.settings,
            stock_quantity: link.stock_quantity,
            stock_enabled: link.stock_enabled,
            sales_count: link.sales_count,
            times_used: link.times_used,
            meta_pixel_code: link.meta_pixel_code,
            created_at: link.created_at,
            updated_at: link.updated_at,
        }
    }
}
