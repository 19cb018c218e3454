//! Clients: the buyers that a merchant knows, each by his document or, without one, his address.
//!
//! That is his identity: no two of a merchant's clients share it. A document and an address never
//! point to the same client, because people share addresses: two clients who are one person can
//! be seen and mended, one client who is two people shows each of them the other's purchases.

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;

use crate::clients::draft::Draft;
use crate::clients::list::Filter;
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::fields::without_alias;
use crate::platform::http::page::Listed;
use crate::platform::ids::{ClientId, Scope};

pub mod api;
pub mod draft;
pub mod list;
mod store;
pub mod view;

/// Who pays, as a checkout or the merchant's server says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Customer {
    pub name: String,
    pub email: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
}

/// A buyer that a merchant knows.
#[derive(Debug, Clone)]
pub struct Client {
    pub id: ClientId,
    pub customer: Customer,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What entering a client came to.
#[derive(Debug, Clone)]
pub enum Entered {
    New(Client),
    /// He was known, and is unchanged.
    Known(Client),
}

/// Enters a client, unless he is known.
pub async fn create(tx: &Tx, scope: Scope, draft: &Draft) -> Result<Entered> {
    let mut customer = Customer::default();
    draft.apply(&mut customer)?;
    let (id, now) = (ClientId::new(tx), scope.now(tx));
    let client = Client { id, customer, created_at: now, updated_at: now };
    if store::insert(tx, scope, &client).await? {
        return Ok(Entered::New(client));
    }
    let known = store::find_by_identity(tx, scope, client.customer.identity()).await?;
    known.map(Entered::Known).ok_or_else(|| tx.collision("a known client was deleted").into())
}

/// Lists clients, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Client>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |client| client.id.0))
}

/// Finds a client.
pub async fn find(tx: &Tx, scope: Scope, id: ClientId) -> Result<Client> {
    store::find(tx, scope, id).await?.ok_or_else(missing)
}

/// Reads a client as a customer, if he is one.
pub async fn customer(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<Customer>> {
    let found = store::find(tx, scope, id).await?;
    Ok(found.map(|client| client.customer))
}

/// Changes a client; payments already issued keep what they say of him.
pub async fn update(tx: &Tx, scope: Scope, id: ClientId, draft: &Draft) -> Result<Client> {
    let mut client = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let before = client.customer.clone();
    draft.apply(&mut client.customer)?;
    if before.identity() != client.customer.identity() {
        claim_identity(tx, scope, &client).await?;
    }
    store::update(tx, scope, &client).await?;
    Ok(client)
}

/// Takes out of a client who they were, and answers it; who comes back is a new client.
///
/// Other features name clients as well: `erasure` takes them out everywhere.
pub async fn delete(tx: &Tx, scope: Scope, id: ClientId) -> Result<Customer> {
    let client = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    store::anonymise(tx, scope, id).await?;
    Ok(client.customer)
}

/// So many clients of a scope at most, with the ids that come after one.
pub async fn some(tx: &Tx, scope: Scope, after: ClientId, most: i64) -> Result<Vec<ClientId>> {
    store::some(tx, scope, after, most).await
}

/// Finds the client that a customer is, or makes one; what is known of a client stays.
pub async fn recognise(tx: &Tx, scope: Scope, customer: &Customer) -> Result<ClientId> {
    if let Some(known) = store::find_by_identity(tx, scope, customer.identity()).await? {
        return Ok(known.id);
    }
    let (id, now) = (ClientId::new(tx), scope.now(tx));
    let client = Client { id, customer: customer.clone(), created_at: now, updated_at: now };
    if store::insert(tx, scope, &client).await? {
        return Ok(id);
    }
    // A twin inserted him between the two statements, and is committed now.
    let known = store::find_by_identity(tx, scope, customer.identity()).await?;
    let known = known.ok_or_else(|| tx.collision("a known client was deleted"))?;
    Ok(known.id)
}

impl Customer {
    /// By what a person is known again, whatever name they give: a document or, without one, an
    /// address without its alias.
    pub fn person(&self) -> String {
        let document = self.document.as_ref().map(|document| document.as_str().to_owned());
        document.unwrap_or_else(|| without_alias(&self.email))
    }

    /// What makes them the same client again: a document or, without one, the whole address.
    pub fn identity(&self) -> &str {
        self.document.as_ref().map_or(self.email.as_str(), Document::as_str)
    }
}

/// Makes sure that nobody else is, or is just becoming, who a client is about to be.
///
/// An insert waits for others who insert the same and then tells; an update would fail instead,
/// and its unit with it. So a stand-in goes first, and leaves before the client takes its place.
async fn claim_identity(tx: &Tx, scope: Scope, client: &Client) -> Result<()> {
    let stand_in = Client { id: ClientId::new(tx), ..client.clone() };
    if !store::insert(tx, scope, &stand_in).await? {
        let message = "Another client of yours has this document or, without one, this address.";
        return Err(Error::refused(Refusal::AlreadyExists, message));
    }
    store::remove(tx, scope, stand_in.id).await
}

fn missing() -> Error {
    Error::NotFound("Client")
}

/// Deletes clients of a scope as if they had never been; answers how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::clear(tx, scope, most).await
}
