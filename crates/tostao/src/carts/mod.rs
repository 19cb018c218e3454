//! Carts: forms that buyers begin and do not send.
//!
//! ```text
//! ABANDONED ──the buyer comes back──▶ RECOVERED
//! ```
//!
//! A capture says who began a form; a further one within a day goes into the same cart. Receivers
//! hear of it half an hour after the last capture, unless he has paid meanwhile: then there was
//! nothing to tell. Strangers learn nothing: whatever they capture or recover, the answer and the
//! work are the same, and what follows is done by jobs. What is personal is erased in time.

use std::sync::Arc;
use std::time::Duration;

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::carts::events::CartChanged;
use crate::carts::jobs::{Erase, Tell};
use crate::carts::list::{Filter, Totals};
use crate::carts::view::CartView;
use crate::events::names::Name;
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::Result;
use crate::platform::http::page::Listed;
use crate::platform::ids::{CartId, PaymentLinkId, ProductId, Scope, TransactionId};
use crate::platform::secrets::Secrets;
use crate::store::room;
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
/// How long it is waited for the buyer before anybody hears that he left.
pub const HELD_FOR: Duration = Duration::from_mins(30);
/// How long the address of a cart brings its form back.
const ADDRESS_GOOD_FOR: Duration = Duration::from_hours(30 * 24);
/// How long it is kept who the buyer was.
const PERSONAL_FOR: Duration = Duration::from_hours(90 * 24);
/// A link is marked as one with carts for so much longer than they last, and not each time anew.
const MARKED_FOR: Duration = Duration::from_hours(91 * 24);

/// The status of a cart abandonment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "CartAbandonmentStatus")]
pub enum Status {
    /// The checkout was not completed.
    Abandoned,
    /// The buyer returned.
    Recovered,
}

/// The UTM parameters of the buyer's visit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UtmParameters")]
pub struct Utm {
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

/// A form that was begun, checked; what was not given leaves what is known.
#[derive(Debug, Clone)]
pub struct NewCart {
    pub email: String,
    pub name: Option<String>,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub items: Option<Vec<(ProductId, i64)>>,
    pub utm: Option<Utm>,
}

/// A form that was begun.
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
    pub utm: Utm,
    /// What the buyer paid when he came back.
    pub transaction: Option<TransactionId>,
    pub created_at: Timestamp,
    /// When it was last captured.
    pub updated_at: Timestamp,
    pub told_at: Option<Timestamp>,
    pub recovered_at: Option<Timestamp>,
    pub erased_at: Option<Timestamp>,
}

/// What the address of a cart is made with.
#[derive(Clone)]
pub struct Addresses {
    pub checkout_url: String,
    pub secrets: Arc<Secrets>,
}

impl Addresses {
    /// Takes what the settings say.
    pub fn of(app: &App) -> Self {
        Self { checkout_url: app.settings.checkout_url(), secrets: app.secrets.clone() }
    }
}

/// Which carts a buyer comes back to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Whose {
    /// All that he left on a link.
    Email(String),
    /// The one whose address he has.
    Cart(CartId),
}

/// Notes that a buyer began a form; true if the same caller has not noted it before.
///
/// The statements are the same whether there is a cart or none, so that time tells nothing.
pub async fn capture(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    visit: &[u8],
    new: &NewCart,
) -> Result<bool> {
    let now = scope.now(tx);
    store::retire(tx, scope, link, &new.email, now.minus(SAME_FOR)).await?;
    let (id, created_at) = store::capture(tx, scope, link, new).await?;
    payment_links::mark_carts(tx, scope, link, now.plus(PERSONAL_FOR), now.plus(MARKED_FOR))
        .await?;
    let (merchant, mode) = (scope.merchant, scope.mode);
    let tell = Tell { merchant, mode, id };
    queue::job::push(tx, id.0, scope.due(now.plus(HELD_FOR)), &tell).await?;
    let erase = Erase { merchant, mode, id };
    queue::job::push(tx, id.0, scope.due(created_at.plus(PERSONAL_FOR)), &erase).await?;
    let until = now.plus(SAME_FOR);
    Ok(store::visit(tx, scope, visit, until).await? == 1)
}

/// Tells that a buyer left, unless he has come back, or has gone on typing.
pub async fn tell_if_left(tx: &Tx, scope: Scope, addresses: &Addresses, id: CartId) -> Result<()> {
    let left = scope.now(tx).minus(HELD_FOR);
    let Some(cart) = store::tell(tx, scope, id, left).await? else { return Ok(()) };
    let link = payment_links::find(tx, scope, cart.link).await?;
    tell(tx, scope, addresses, Name::CartAbandoned, &link, &cart).await
}

/// Notes that a buyer came back by himself; being told twice is not an error.
pub async fn recover(
    tx: &Tx,
    scope: Scope,
    addresses: &Addresses,
    link: PaymentLinkId,
    whose: &Whose,
) -> Result<()> {
    let recovered = match whose {
        Whose::Email(email) => store::recover_all(tx, scope, link, email).await?,
        Whose::Cart(id) => store::recover_one(tx, scope, link, *id).await?,
    };
    if recovered.is_empty() {
        return Ok(());
    }
    let link = payment_links::find(tx, scope, link).await?;
    tell_recovered(tx, scope, addresses, &link, &recovered).await
}

/// Notes that a buyer paid for what he had left; answers the carts that are recovered by it.
///
/// Nothing is asked about a link on which nobody has left anything for long.
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
    store::pay_recovered(tx, scope, link.id, email, transaction).await?;
    store::pay(tx, scope, link.id, email, transaction).await
}

/// Tells of recovered carts, of those whose being left was told.
pub async fn tell_recovered(
    tx: &Tx,
    scope: Scope,
    addresses: &Addresses,
    link: &PaymentLink,
    recovered: &[Cart],
) -> Result<()> {
    for cart in recovered.iter().filter(|cart| cart.told_at.is_some()) {
        tell(tx, scope, addresses, Name::CartRecovered, link, cart).await?;
    }
    Ok(())
}

/// Lists what was left on a link, newest first, with how many there are of each kind.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    filter: &Filter,
) -> Result<(Listed<Cart>, Totals)> {
    let now = scope.now(tx);
    let rows = store::list(tx, scope, link, filter).await?;
    let rows = rows.into_iter().map(|cart| cart.seen_at(now)).collect();
    let totals = store::totals(tx, scope, link, filter).await?;
    let total = totals.of(filter.status);
    Ok((filter.page.listed(rows, total, |cart: &Cart| cart.id.0), totals))
}

/// Which cart the token of an address names; `None` if it is not ours.
pub fn named_by(secrets: &Secrets, scope: Scope, token: &str) -> Option<CartId> {
    token::read(secrets, scope, token)
}

/// Finds the cart that an address brings back; `None` once that is too old.
pub async fn brought_back(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    id: CartId,
) -> Result<Option<Cart>> {
    let now = scope.now(tx);
    let found = store::find(tx, scope, id).await?.map(|cart| cart.seen_at(now));
    Ok(found.filter(|cart| cart.link == link && now < cart.address_ends_at()))
}

/// Takes out who the buyer was, once that was known for long enough.
pub async fn erase(tx: &Tx, scope: Scope, id: CartId) -> Result<()> {
    store::erase(tx, scope, id, scope.now(tx).minus(PERSONAL_FOR)).await
}

/// Takes out of every cart of an address whose it was; answers which carts.
pub async fn erase_of(tx: &Tx, scope: Scope, email: &str) -> Result<Vec<CartId>> {
    store::erase_of(tx, scope, email).await
}

/// Takes out of so many carts of a scope whose they were; answers of how many.
pub async fn erase_some(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::erase_some(tx, scope, most).await
}

/// Forgets who captured what, where that tells nothing any more; answers how many.
pub async fn forget_visits(tx: &Tx, most: i64) -> Result<u64> {
    store::forget_visits(tx, most).await
}

/// Deletes carts of a scope as if they had never been; answers how many rows.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let visits = store::clear_visits(tx, scope, most).await?;
    Ok(visits + store::clear(tx, scope, room(most, visits)).await?)
}

impl Cart {
    /// Until when its address brings its form back.
    pub fn address_ends_at(&self) -> Timestamp {
        self.updated_at.plus(ADDRESS_GOOD_FOR)
    }

    /// The cart as a clock shows it: what is to be erased is gone, whatever its row says yet.
    fn seen_at(self, now: Timestamp) -> Self {
        let ends = self.created_at.plus(PERSONAL_FOR);
        if self.erased_at.is_some() || now < ends {
            return self;
        }
        let erased_at = Some(ends);
        Self { email: None, name: None, document: None, phone: None, erased_at, ..self }
    }
}

impl Status {
    const ALL: &'static [Self] = &[Self::Abandoned, Self::Recovered];

    /// The contract's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Abandoned => "ABANDONED",
            Self::Recovered => "RECOVERED",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.name() == text)
    }
}

async fn tell(
    tx: &Tx,
    scope: Scope,
    addresses: &Addresses,
    name: Name,
    link: &PaymentLink,
    cart: &Cart,
) -> Result<()> {
    let payment_link = payment_links::payload(tx, scope, &addresses.checkout_url, link).await?;
    let cart_abandonment = Box::new(CartView::new(addresses, scope, &link.slug, cart));
    let event = CartChanged { name, cart_abandonment, payment_link };
    webhooks::publish(tx, scope, cart.version, &event).await
}
