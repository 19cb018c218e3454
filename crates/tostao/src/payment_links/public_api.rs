//! A link as the public sees it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::merchants::look::SellerProfile;
use crate::payment_links::rate::MonthlyRatePpm;
use crate::payment_links::settings::PaymentLinkSettings;
use crate::payment_links::stock::{self, Availability};
use crate::payment_links::{self, PaymentLink, pricing};
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::products::{self, CURRENCY, Product};
use crate::providers::Service;

/// A payment link as buyers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPaymentLink {
    slug: String,
    title: String,
    description: Option<String>,
    product_description: Option<String>,
    /// The fixed amount in cents; null when the link has products.
    amount: Option<Cents>,
    /// The current total in cents; null while a product is not for sale.
    total_cents: Option<Cents>,
    currency: &'static str,
    /// Whether the link can be paid now; false while sold out or while a product is not for sale.
    available: bool,
    products: Vec<PublicPaymentLinkProduct>,
    /// The accepted payment methods.
    methods: Vec<&'static str>,
    settings: PublicPaymentLinkSettings,
    expires_at: Option<Timestamp>,
    redirect_url: Option<String>,
    merchant: PublicMerchant,
    /// Whether payments are simulated (development environment).
    dev_mode: bool,
}

/// A product of a public payment link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPaymentLinkProduct {
    name: String,
    description: Option<String>,
    image_url: Option<String>,
    is_digital: bool,
    /// The unit price in cents.
    unit_price: Cents,
    quantity: i64,
}

/// The checkout settings that buyers see.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPaymentLinkSettings {
    max_installments: u8,
    interest_free_installments: u8,
    interest_rate: MonthlyRatePpm,
    require_phone: bool,
    require_address: bool,
}

/// The merchant.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicMerchant {
    name: String,
}

/// A response with one public payment link.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPaymentLinkResponse {
    message: &'static str,
    payment_link: PublicPaymentLink,
}

/// Shows a link to a buyer; also returns its scope.
pub async fn read(app: &App, slug: String) -> Result<(Scope, PublicPaymentLinkResponse)> {
    let read = app.read(async move |tx| {
        let (scope, link, seller) = payment_links::find_public(tx, &slug).await?;
        link.expect_usable()?;
        let ids: Vec<_> = link.items.iter().map(|(id, _)| *id).collect();
        let known = products::find_many(tx, scope, &ids).await?;
        let totals = pricing::totals(tx, scope, std::slice::from_ref(&link)).await?;
        let stock = stock::availability(tx, scope, &link).await?;
        let wanted = link.items.iter();
        let products = wanted.filter_map(|(id, quantity)| Some(public(known.get(id)?, *quantity)));
        let products = products.collect();
        let total = totals.into_iter().next().flatten();
        let total = total.map(|total| (total, stock));
        Ok((scope, link, seller, products, total))
    });
    let (scope, link, seller, products, total) = read.await?;
    let methods = ["PIX", "BOLETO", "CREDIT_CARD"];
    let methods =
        link.settings.methods_with(Service::Available, (&app.providers, scope.mode), methods);
    let dev_mode = scope.mode.is_development();
    let payment_link = PublicPaymentLink::new(link, seller, products, methods, total, dev_mode);
    Ok((scope, PublicPaymentLinkResponse { message: "Payment link.", payment_link }))
}

impl PublicPaymentLink {
    fn new(
        link: PaymentLink,
        seller: SellerProfile,
        products: Vec<PublicPaymentLinkProduct>,
        methods: Vec<&'static str>,
        for_sale: Option<(Cents, Availability)>,
        dev_mode: bool,
    ) -> Self {
        let in_stock = for_sale.is_some_and(|(_, stock)| stock != Availability::SoldOut);
        Self {
            amount: link.shown_amount(),
            total_cents: for_sale.map(|(total, _)| total),
            available: in_stock && !methods.is_empty(),
            products,
            methods,
            settings: PublicPaymentLinkSettings::from(&link.settings),
            slug: link.slug,
            title: link.title,
            description: link.description,
            product_description: link.product_description,
            currency: CURRENCY,
            expires_at: link.expires_at,
            redirect_url: link.redirect_url,
            merchant: PublicMerchant { name: seller.name },
            dev_mode,
        }
    }
}

impl From<&PaymentLinkSettings> for PublicPaymentLinkSettings {
    fn from(settings: &PaymentLinkSettings) -> Self {
        Self {
            max_installments: settings.max_installments,
            interest_free_installments: settings.interest_free_installments,
            interest_rate: settings.interest_rate,
            require_phone: settings.require_phone,
            require_address: settings.require_address,
        }
    }
}

fn public(product: &Product, quantity: i64) -> PublicPaymentLinkProduct {
    PublicPaymentLinkProduct {
        name: product.name.clone(),
        description: product.description.clone(),
        image_url: product.image_url.clone(),
        is_digital: product.is_digital,
        unit_price: product.price,
        quantity,
    }
}
