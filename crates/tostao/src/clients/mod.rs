//! Clients: the buyers that a merchant knows, each identified by document or, without one, by
//! email address.
//!
//! No two of a merchant's clients share this identity. A document and an address never point to the
//! same client, because people share addresses: two clients that are one person can be seen and
//! corrected, but one client that is two people shows each of them the other's purchases.

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;
use rails::address::Address;
use rails::card::CardBuyer;

use crate::audit::ticket::note;
use crate::audit::{Action, ActorContext};
use crate::clients::list::Filter;
use crate::clients::params::ClientParams;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::fields::without_alias;
use crate::platform::http::page::Listed;
use crate::platform::ids::{ClientId, Scope};

pub mod api;
pub mod export;
pub mod export_api;
pub mod list;
pub mod lookups;
pub mod params;
mod store;
pub mod view;

/// The payer, as the checkout or the merchant's server describes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomerDetails {
    pub name: String,
    pub email: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
}

impl CustomerDetails {
    /// The buyer as acquirers ask for them.
    pub fn as_card_buyer(&self, address: Option<Address>) -> CardBuyer {
        let Self { name, email, document, phone } = self.clone();
        CardBuyer { name, email, document, phone, address }
    }
}

/// A buyer that a merchant knows.
#[derive(Debug, Clone)]
pub struct Client {
    pub id: ClientId,
    pub customer: CustomerDetails,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The result of creating a client.
#[derive(Debug, Clone)]
pub enum CreatedOrKnown {
    New(Client),
    /// The client exists already and is unchanged.
    Known(Client),
}

/// Creates a client, unless it exists.
pub async fn create(tx: &Tx, scope: Scope, params: &ClientParams) -> Result<CreatedOrKnown> {
    let mut customer = CustomerDetails::default();
    params.apply(&mut customer)?;
    let (id, now) = (ClientId::new(tx), scope.now(tx));
    let client = Client { id, customer, created_at: now, updated_at: now };
    if store::insert(tx, scope, &client).await? {
        return Ok(CreatedOrKnown::New(client));
    }
    let known = store::find_by_identity(tx, scope, client.customer.identity()).await?;
    known
        .map(CreatedOrKnown::Known)
        .ok_or_else(|| tx.collision("an existing client was deleted").into())
}

/// Lists clients, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Client>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |client| client.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Client>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |client| client.id.0))
}

/// Finds a client.
pub async fn find(tx: &Tx, scope: Scope, id: ClientId) -> Result<Client> {
    store::find(tx, scope, id).await?.ok_or_else(missing)
}

/// Reads a client as a customer, if it exists.
pub async fn customer(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<CustomerDetails>> {
    let found = store::find(tx, scope, id).await?;
    Ok(found.map(|client| client.customer))
}

/// Finds a client for a person who wants to see the whole document, and notes that.
pub async fn disclose(tx: &Tx, scope: Scope, by: &ActorContext, id: ClientId) -> Result<Client> {
    let client = find(tx, scope, id).await?;
    note(tx, scope, Some(by), Action::CustomerDocumentShown, id.0).await?;
    Ok(client)
}

/// Changes a client; payments already created keep their copy.
pub async fn update(tx: &Tx, scope: Scope, id: ClientId, params: &ClientParams) -> Result<Client> {
    let mut client = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let before = client.customer.clone();
    params.apply(&mut client.customer)?;
    if before.identity() != client.customer.identity() {
        claim_identity(tx, scope, &client).await?;
    }
    store::update(tx, scope, &client).await?;
    Ok(client)
}

/// Anonymises a client, and returns the personal data; a buyer who comes back is a new client.
///
/// Other features hold personal data of clients as well: `erasure` removes it everywhere.
pub async fn delete(tx: &Tx, scope: Scope, id: ClientId) -> Result<CustomerDetails> {
    let client = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    store::anonymise(tx, scope, id).await?;
    Ok(client.customer)
}

/// At most `most` clients of a scope with ids after `after`.
pub async fn some(tx: &Tx, scope: Scope, after: ClientId, most: i64) -> Result<Vec<ClientId>> {
    store::some(tx, scope, after, most).await
}

/// Finds the client that a customer is, or creates one; an existing client is not changed.
pub async fn recognize(tx: &Tx, scope: Scope, customer: &CustomerDetails) -> Result<ClientId> {
    if let Some(known) = store::find_by_identity(tx, scope, customer.identity()).await? {
        return Ok(known.id);
    }
    let (id, now) = (ClientId::new(tx), scope.now(tx));
    let client = Client { id, customer: customer.clone(), created_at: now, updated_at: now };
    if store::insert(tx, scope, &client).await? {
        return Ok(id);
    }
    // A concurrent unit inserted the client between the two statements, and is committed now.
    let known = store::find_by_identity(tx, scope, customer.identity()).await?;
    let known = known.ok_or_else(|| tx.collision("an existing client was deleted"))?;
    Ok(known.id)
}

impl CustomerDetails {
    /// The identifier of a person, whatever name they give: a document or, without one, an address
    /// without its alias.
    pub fn person(&self) -> String {
        let document = self.document.as_ref().map(|document| document.as_str().to_owned());
        document.unwrap_or_else(|| without_alias(&self.email))
    }

    /// The identity of a client: a document or, without one, the whole address.
    pub fn identity(&self) -> &str {
        self.document.as_ref().map_or(self.email.as_str(), Document::as_str)
    }
}

/// Ensures that no other client has, or is just getting, a client's new identity.
///
/// An insert waits for concurrent inserts of the same identity and reports the conflict; an update
/// would fail instead, and its unit with it. So a placeholder is inserted first, and removed before
/// the client takes its place.
async fn claim_identity(tx: &Tx, scope: Scope, client: &Client) -> Result<()> {
    let stand_in = Client { id: ClientId::new(tx), ..client.clone() };
    if !store::insert(tx, scope, &stand_in).await? {
        let message = "Another customer of yours has this document or, without one, this email.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    store::remove(tx, scope, stand_in.id).await
}

fn missing() -> Error {
    Error::NotFound("Client")
}
