//! Abandoned carts: forms that buyers start and do not submit.
//!
//! ```text
//! ABANDONED ──the buyer comes back──▶ RECOVERED
//! ```
//!
//! A capture says who started a form; a further one within a day updates the same cart. The event
//! is published half an hour after the last capture, unless the buyer has paid meanwhile. Anonymous
//! callers learn nothing: whatever they capture or recover, the response and the work are the same,
//! and jobs do the rest. Personal data is erased after a retention period.

use std::sync::Arc;
use std::time::Duration;

use brazil::document::Document;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::carts::events::CartChanged;
use crate::carts::jobs::{Erase, PublishAbandoned};
use crate::carts::list::{Filter, Totals};
use crate::carts::view::CartView;
use crate::events::names::Name;
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::Result;
use crate::platform::http::page::Listed;
use crate::platform::ids::{CartId, PaymentLinkId, ProductId, Scope, TransactionId};
use crate::platform::secrets::Secrets;
use crate::webhooks;

pub mod api;
pub mod events;
pub mod jobs;
pub mod list;
pub mod public_api;
mod store;
mod token;
pub mod view;

/// Captures of one buyer within this time are one cart.
const SAME_FOR: Duration = Duration::from_hours(24);
/// How long after the last capture the cart is published as abandoned.
pub const HELD_FOR: Duration = Duration::from_mins(30);
/// How long the recovery URL of a cart restores its form.
const ADDRESS_GOOD_FOR: Duration = Duration::from_hours(30 * 24);
/// How long the buyer's personal data is kept.
const PERSONAL_FOR: Duration = Duration::from_hours(90 * 24);
/// How long a link is marked as having carts: longer than they last, so that not every capture
/// writes the mark.
const MARKED_FOR: Duration = Duration::from_hours(91 * 24);

text_enum! {
    /// The status of a cart abandonment.
    pub enum Status as "CartAbandonmentStatus" {
        /// The checkout was not completed.
        Abandoned = "ABANDONED",
        /// The buyer returned.
        Recovered = "RECOVERED",
    }
}

/// The UTM parameters of the buyer's visit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UtmParameters {
    #[schemars(length(max = 255))]
    pub source: Option<String>,
    #[schemars(length(max = 255))]
    pub medium: Option<String>,
    #[schemars(length(max = 255))]
    pub campaign: Option<String>,
    #[schemars(length(max = 255))]
    pub term: Option<String>,
    #[schemars(length(max = 255))]
    pub content: Option<String>,
}

/// A validated capture; a missing field keeps the stored value.
#[derive(Debug, Clone)]
pub struct CartCapture {
    pub email: String,
    pub name: Option<String>,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub items: Option<Vec<(ProductId, i64)>>,
    pub utm: Option<UtmParameters>,
}

/// A form that was started.
#[derive(Debug, Clone)]
pub struct Cart {
    pub id: CartId,
    /// Grows with every change; orders the cart's events.
    pub version: i64,
    pub link: PaymentLinkId,
    pub status: Status,
    pub email: Option<String>,
    pub name: Option<String>,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub items: Vec<(ProductId, i64)>,
    pub utm: UtmParameters,
    /// The payment that the buyer made after coming back.
    pub transaction: Option<TransactionId>,
    pub created_at: Timestamp,
    /// When it was last captured.
    pub updated_at: Timestamp,
    pub published_at: Option<Timestamp>,
    pub recovered_at: Option<Timestamp>,
    pub erased_at: Option<Timestamp>,
}

/// What recovery URLs are built from.
#[derive(Clone)]
pub struct RecoveryUrls {
    pub checkout_url: String,
    pub secrets: Arc<Secrets>,
}

impl RecoveryUrls {
    /// Reads it from the settings.
    pub fn of(app: &App) -> Self {
        Self { checkout_url: app.settings.checkout_url(), secrets: app.secrets.clone() }
    }
}

/// Which carts a buyer comes back to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum CartSelector {
    /// All that the buyer left on a link.
    Email(String),
    /// The one whose recovery URL the buyer has.
    Cart(CartId),
}

/// Records that a buyer started a form; true if the same caller has not recorded it before.
///
/// The statements are the same whether a cart exists or not, so that timing reveals nothing.
pub async fn capture(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    dedupe_key: &[u8],
    new: &CartCapture,
) -> Result<bool> {
    let now = scope.now(tx);
    store::retire(tx, scope, link, &new.email, now.minus(SAME_FOR)).await?;
    let (id, created_at) = store::capture(tx, scope, link, new).await?;
    payment_links::mark_carts(tx, scope, link, now.plus(PERSONAL_FOR), now.plus(MARKED_FOR))
        .await?;
    let (merchant, mode) = (scope.merchant, scope.mode);
    let job = PublishAbandoned { merchant, mode, id };
    queue::job::push(tx, id.0, scope.due(now.plus(HELD_FOR)), &job).await?;
    let erase = Erase { merchant, mode, id };
    queue::job::push(tx, id.0, scope.due(created_at.plus(PERSONAL_FOR)), &erase).await?;
    let until = now.plus(SAME_FOR);
    Ok(store::record_capture(tx, scope, dedupe_key, until).await? == 1)
}

/// Publishes that a buyer left, unless they have come back or continued to type.
pub async fn publish_if_abandoned(
    tx: &Tx,
    scope: Scope,
    addresses: &RecoveryUrls,
    id: CartId,
) -> Result<()> {
    let left = scope.now(tx).minus(HELD_FOR);
    let Some(cart) = store::mark_published(tx, scope, id, left).await? else { return Ok(()) };
    let link = payment_links::find(tx, scope, cart.link).await?;
    publish_change(tx, scope, addresses, Name::CartAbandoned, &link, &cart).await
}

/// Records that a buyer came back; reporting it twice is not an error.
pub async fn recover(
    tx: &Tx,
    scope: Scope,
    addresses: &RecoveryUrls,
    link: PaymentLinkId,
    whose: &CartSelector,
) -> Result<()> {
    let recovered = match whose {
        CartSelector::Email(email) => store::recover_all(tx, scope, link, email).await?,
        CartSelector::Cart(id) => store::recover_one(tx, scope, link, *id).await?,
    };
    if recovered.is_empty() {
        return Ok(());
    }
    let link = payment_links::find(tx, scope, link).await?;
    publish_recovered(tx, scope, addresses, &link, &recovered).await
}

/// Records that a buyer paid for what they had left; returns the carts that this recovers.
///
/// Skips the query for a link without recent carts.
pub async fn recover_paid(
    tx: &Tx,
    scope: Scope,
    link: Option<&PaymentLink>,
    email: &str,
    transaction: TransactionId,
) -> Result<Vec<Cart>> {
    let now = scope.now(tx);
    let Some(link) = link.filter(|link| link.carts_until.is_some_and(|until| now < until)) else {
        return Ok(Vec::new());
    };
    store::mark_paid(tx, scope, link.id, email, transaction).await?;
    store::recover_paid(tx, scope, link.id, email, transaction).await
}

/// Publishes the recovery of carts that were published as abandoned.
pub async fn publish_recovered(
    tx: &Tx,
    scope: Scope,
    addresses: &RecoveryUrls,
    link: &PaymentLink,
    recovered: &[Cart],
) -> Result<()> {
    for cart in recovered.iter().filter(|cart| cart.published_at.is_some()) {
        publish_change(tx, scope, addresses, Name::CartRecovered, link, cart).await?;
    }
    Ok(())
}

/// Lists a link's carts, newest first, with the count of each status.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    filter: &Filter,
) -> Result<(Listed<Cart>, Totals)> {
    let now = scope.now(tx);
    let rows = store::list(tx, scope, link, filter).await?;
    let rows = rows.into_iter().map(|cart| cart.at(now)).collect();
    let totals = store::totals(tx, scope, link, filter).await?;
    let total = totals.of(filter.status);
    Ok((filter.page.listed(rows, total, |cart: &Cart| cart.id.0), totals))
}

/// The cart that a recovery token names; `None` if we did not sign it.
pub fn id_in_token(secrets: &Secrets, scope: Scope, token: &str) -> Option<CartId> {
    token::read(secrets, scope, token)
}

/// Finds the cart that a recovery URL restores; `None` once that has expired.
pub async fn resume(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    id: CartId,
) -> Result<Option<Cart>> {
    let now = scope.now(tx);
    let found = store::find(tx, scope, id).await?.map(|cart| cart.at(now));
    Ok(found.filter(|cart| cart.link == link && now < cart.address_ends_at()))
}

/// Erases the buyer's personal data, once its retention period has ended.
pub async fn erase(tx: &Tx, scope: Scope, id: CartId) -> Result<()> {
    store::erase(tx, scope, id, scope.now(tx).minus(PERSONAL_FOR)).await
}

/// Erases the personal data in every cart of an email address; returns those carts.
pub async fn erase_of(tx: &Tx, scope: Scope, email: &str) -> Result<Vec<CartId>> {
    store::erase_of(tx, scope, email).await
}

/// Erases the personal data in at most `most` carts of a scope; returns how many.
pub async fn erase_some(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::erase_some(tx, scope, most).await
}

/// Deletes records of captures that are no longer needed; returns how many.
pub async fn delete_expired_visits(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired_visits(tx, most).await
}

impl Cart {
    /// When its recovery URL expires.
    pub fn address_ends_at(&self) -> Timestamp {
        self.updated_at.plus(ADDRESS_GOOD_FOR)
    }

    /// The cart at an instant: without personal data past its retention period, even if its row
    /// still has it.
    fn at(self, now: Timestamp) -> Self {
        let ends = self.created_at.plus(PERSONAL_FOR);
        if self.erased_at.is_some() || now < ends {
            return self;
        }
        let erased_at = Some(ends);
        Self { email: None, name: None, document: None, phone: None, erased_at, ..self }
    }
}

async fn publish_change(
    tx: &Tx,
    scope: Scope,
    addresses: &RecoveryUrls,
    name: Name,
    link: &PaymentLink,
    cart: &Cart,
) -> Result<()> {
    let payment_link = payment_links::payload(tx, scope, &addresses.checkout_url, link).await?;
    let cart_abandonment = Box::new(CartView::new(addresses, scope, &link.slug, cart));
    let event = CartChanged { name, cart_abandonment, payment_link };
    webhooks::publish(tx, scope, cart.version, &event).await
}
