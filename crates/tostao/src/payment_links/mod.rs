//! Payment links: hosted pages that sell the same thing many times.
//!
//! `status` is the state machine, `params` validates what a merchant sends, `pricing` computes what
//! a buyer pays. A link past its date reads as expired from that instant on, whether or not the job
//! that publishes it has run. A payment reserves one unit of a link's stock when it is created.

use std::collections::{BTreeSet, HashMap};

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::try_join_all;
use ledger::cents::Cents;

use crate::events::names::Name;
use crate::first_steps::{self, Step};
use crate::merchants::look::SellerProfile;
use crate::payment_links::events::{PaymentLinkChanged, PaymentLinkPayload};
use crate::payment_links::jobs::Expire;
use crate::payment_links::params::PaymentLinkParams;
use crate::payment_links::settings::PaymentLinkSettings;
use crate::payment_links::status::Status;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::listing::Filter;
use crate::platform::http::page::Listed;
use crate::platform::ids::{PaymentLinkId, ProductId, Scope};
use crate::products::{self, Item, items};
use crate::webhooks;

pub mod api;
pub mod events;
pub mod export;
pub mod export_api;
pub mod jobs;
pub mod params;
pub mod pricing;
pub mod public_api;
pub mod rate;
pub mod settings;
mod slug;
pub mod status;
pub mod stock;
mod store;
pub mod view;

/// Two collisions of slugs in a row are practically impossible; more mean a broken source of
/// randomness.
const SLUG_TRIES_MAX: u32 = 4;

/// A hosted page that takes payments.
#[derive(Debug, Clone)]
pub struct PaymentLink {
    pub id: PaymentLinkId,
    /// Grows with every change; orders the link's events.
    pub version: i64,
    pub slug: String,
    pub status: Status,
    pub title: String,
    pub description: Option<String>,
    pub product_description: Option<String>,
    /// The price; with products, the fixed price of all of them together.
    pub amount: Option<Cents>,
    /// Products and their quantities.
    pub items: Vec<(ProductId, i64)>,
    pub expires_at: Option<Timestamp>,
    pub redirect_url: Option<String>,
    pub settings: PaymentLinkSettings,
    pub stock_enabled: bool,
    /// How many can still be sold, those reserved for pending payments included.
    pub stock_quantity: Option<i64>,
    pub meta_pixel_code: Option<String>,
    pub sales_count: i64,
    pub times_used: i64,
    /// Until when a form that a buyer started and did not submit may exist.
    pub carts_until: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Creates a link with a URL that cannot be guessed.
pub async fn create(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    params: &PaymentLinkParams,
) -> Result<PaymentLink> {
    let mut link = draft(tx, scope, params).await?;
    insert(tx, scope, &mut link).await?;
    first_steps::note(tx, scope.merchant, scope.mode, Step::Link).await?;
    push_expiry(tx, scope, &link).await?;
    publish_change(tx, scope, checkout_url, Name::PaymentLinkCreated, &link).await?;
    Ok(link)
}

/// The link that these fields would make, checked by the same rules and not stored.
pub async fn draft(tx: &Tx, scope: Scope, params: &PaymentLinkParams) -> Result<PaymentLink> {
    let now = scope.now(tx);
    let mut link = PaymentLink::blank(PaymentLinkId::new(tx), now);
    params.apply(&mut link, now)?;
    pricing::expect_products(tx, scope, &link).await?;
    Ok(link)
}

/// Lists links, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<PaymentLink>> {
    let listed = page(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(Listed { total, ..listed })
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<PaymentLink>> {
    let now = scope.now(tx);
    let rows = store::list(tx, scope, filter).await?;
    let rows = rows.into_iter().map(|link| link.at(now)).collect();
    Ok(filter.page.uncounted(rows, |link: &PaymentLink| link.id.0))
}

/// Whether there is a link.
pub async fn any(tx: &Tx, scope: Scope) -> Result<bool> {
    store::any(tx, scope).await
}

/// Finds a link, with its status on the scope's clock.
pub async fn find(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    let link = store::find(tx, scope, id).await?.ok_or_else(missing)?;
    Ok(link.at(scope.now(tx)))
}

/// The titles of links, also of deleted ones.
pub async fn titles(
    tx: &Tx,
    scope: Scope,
    links: BTreeSet<PaymentLinkId>,
) -> Result<HashMap<PaymentLinkId, String>> {
    let title = async |link| Ok::<_, Error>((link, store::title(tx, scope, link).await?));
    let found = try_join_all(links.into_iter().map(title)).await?;
    Ok(found.into_iter().filter_map(|(link, title)| Some((link, title?))).collect())
}

/// Finds a link by its slug, with its seller; one of a closed account is inactive.
pub async fn find_public(tx: &Tx, slug: &str) -> Result<(Scope, PaymentLink, SellerProfile)> {
    let found = store::find_by_slug(tx, slug).await?;
    let (scope, seller, link) = found.ok_or_else(missing)?;
    Ok((scope, link.at(scope.now(tx)), seller))
}

/// Finds the newest link that sells a product now; returns its slug.
pub async fn find_slug_by_product(
    tx: &Tx,
    scope: Scope,
    product: ProductId,
) -> Result<Option<String>> {
    store::find_slug_by_product(tx, scope, product).await
}

/// Changes a link; payments already created through it are not affected.
pub async fn update(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: PaymentLinkId,
    params: &PaymentLinkParams,
) -> Result<PaymentLink> {
    expire_if_due(tx, scope, checkout_url, id).await?;
    let mut link = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let before = link.clone();
    params.apply(&mut link, scope.now(tx))?;
    if params.names_products() {
        pricing::expect_products(tx, scope, &link).await?;
    }
    store::update(tx, scope, &link).await?;
    if before.expires_at != link.expires_at {
        cancel_expiry(tx, scope, &before).await?;
        push_expiry(tx, scope, &link).await?;
    }
    publish_change(tx, scope, checkout_url, Name::PaymentLinkUpdated, &link).await?;
    Ok(link)
}

/// Deletes a link; its URL is never used again.
pub async fn delete(tx: &Tx, scope: Scope, checkout_url: &str, id: PaymentLinkId) -> Result<()> {
    expire_if_due(tx, scope, checkout_url, id).await?;
    let link = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let link = link.at(scope.now(tx));
    store::delete(tx, scope, id).await?;
    cancel_expiry(tx, scope, &link).await?;
    publish_change(tx, scope, checkout_url, Name::PaymentLinkDeleted, &link).await
}

/// Stores a link's expiry and publishes it once; every other link stays unchanged.
pub async fn expire_if_due(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    id: PaymentLinkId,
) -> Result<()> {
    let Some(link) = store::expire(tx, scope, id).await? else { return Ok(()) };
    publish_change(tx, scope, checkout_url, Name::PaymentLinkExpired, &link).await
}

/// Prices a link for a buyer, with the items that they get.
///
/// If a link has an amount and products, the amount is its price.
pub async fn price(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<(Cents, Vec<Item>)> {
    let priced = products::for_sale(tx, scope, &link.items).await;
    let items = priced.map_err(|error| match error {
        // The buyer did not choose the products, so the error names no field of theirs.
        Error::Invalid(_) => {
            let message = "An item of this order is no longer for sale.";
            Error::refused(ErrorCode::ProductInactive, message)
        }
        other => other,
    })?;
    let amount = match link.amount {
        Some(amount) => amount,
        None => items::total("products", &items)?,
    };
    Ok((amount, items))
}

/// Counts a payment created through a link, and reserves one unit of its stock.
pub async fn reserve_use(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    if !link.stock_enabled {
        return store::count_use(tx, scope, link.id).await;
    }
    if store::reserve_use(tx, scope, link.id).await? {
        return Ok(());
    }
    let link = find(tx, scope, link.id).await?;
    link.expect_usable()?;
    Err(stock::sold_out(&link))
}

/// Counts a sale, and takes the reserved unit from the stock.
pub async fn count_sale(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    let link = store::count_sale(tx, scope, id).await?;
    Ok(link.at(scope.now(tx)))
}

/// Counts a sale whose reservation was released before.
pub async fn count_late_sale(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    let link = store::count_late_sale(tx, scope, id).await?;
    Ok(link.at(scope.now(tx)))
}

/// Takes one unit for a payment whose reservation was released before; false if none is left.
pub async fn take_unreserved(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<bool> {
    store::take_unreserved(tx, scope, id).await
}

/// Returns to the stock what was taken for a payment that was voided or refunded.
pub async fn restock(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    store::restock(tx, scope, id).await
}

/// Releases a reservation, because the payment will not come.
pub async fn release(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    store::release(tx, scope, id).await
}

/// Records that carts may exist until an instant, unless an instant not before `least` is recorded.
pub async fn mark_carts(
    tx: &Tx,
    scope: Scope,
    id: PaymentLinkId,
    least: Timestamp,
    until: Timestamp,
) -> Result<()> {
    store::mark_carts(tx, scope, id, least, until).await
}

/// A link as receivers of events see it.
pub async fn payload(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    link: &PaymentLink,
) -> Result<PaymentLinkPayload> {
    let name = link.title.clone();
    let link = view::current(tx, scope, checkout_url, link).await?;
    Ok(PaymentLinkPayload { link, name, expired_at: None })
}

impl PaymentLink {
    /// The public URL.
    pub fn url(&self, checkout_url: &str) -> String {
        format!("{checkout_url}/pay/{}", self.slug)
    }

    /// The amount as the API shows it: none with products, even if their price is fixed.
    pub fn shown_amount(&self) -> Option<Cents> {
        self.amount.filter(|_| self.items.is_empty())
    }

    /// Refuses a buyer if the link has expired or is inactive.
    pub fn expect_usable(&self) -> Result<()> {
        let title = &self.title;
        let (code, message) = match self.status {
            Status::Active => return Ok(()),
            Status::Inactive => {
                (ErrorCode::PaymentLinkInactive, format!("\"{title}\" accepts no payments now."))
            }
            Status::Expired => (ErrorCode::PaymentLinkExpired, format!("\"{title}\" has expired.")),
        };
        Err(Error::refused(code, message))
    }

    fn blank(id: PaymentLinkId, now: Timestamp) -> Self {
        Self {
            id,
            version: 1,
            slug: String::new(),
            status: Status::Active,
            title: String::new(),
            description: None,
            product_description: None,
            amount: None,
            items: Vec::new(),
            expires_at: None,
            redirect_url: None,
            settings: PaymentLinkSettings::default(),
            stock_enabled: false,
            stock_quantity: None,
            meta_pixel_code: None,
            sales_count: 0,
            times_used: 0,
            carts_until: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// The link at an instant: expired past its date, even if its row does not say so yet.
    fn at(self, now: Timestamp) -> Self {
        let over = self.expires_at.is_some_and(|at| at <= now);
        let expires = over && self.status.may_become(Status::Expired);
        let status = if expires { Status::Expired } else { self.status };
        Self { status, ..self }
    }
}

async fn insert(tx: &Tx, scope: Scope, link: &mut PaymentLink) -> Result<()> {
    for _ in 0..SLUG_TRIES_MAX {
        link.slug = slug::make(|| tx.random());
        if store::insert(tx, scope, link).await? {
            return Ok(());
        }
    }
    Err(Error::Internal(anyhow::anyhow!("no slug is free")))
}

async fn push_expiry(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    let Some(at) = link.expires_at else { return Ok(()) };
    let job = Expire { merchant: scope.merchant, mode: scope.mode, id: link.id };
    Ok(queue::job::push(tx, link.id.0, scope.due(at), &job).await?)
}

async fn cancel_expiry(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    let Some(at) = link.expires_at else { return Ok(()) };
    Ok(queue::job::cancel::<Expire>(tx, link.id.0, scope.due(at).at).await?)
}

async fn publish_change(
    tx: &Tx,
    scope: Scope,
    checkout_url: &str,
    name: Name,
    link: &PaymentLink,
) -> Result<()> {
    let expired_at = link.expires_at.filter(|_| name == Name::PaymentLinkExpired);
    let payload_now = payload(tx, scope, checkout_url, link).await?;
    let payment_link = PaymentLinkPayload { expired_at, ..payload_now };
    let event = PaymentLinkChanged { name, payment_link };
    webhooks::publish(tx, scope, link.version, &event).await
}

fn missing() -> Error {
    Error::NotFound("Payment link")
}
