//! Clients: the buyers that a merchant knows, each by his document or, without one, his address.

use brazil::document::Document;
use db::tx::Tx;

use crate::error::Result;
use crate::ids::{ClientId, Scope};

mod store;

/// Who pays, as a checkout or the merchant's server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    pub name: String,
    pub email: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
}

/// Finds the client that a customer is, or makes one; what is known of a client stays.
pub async fn recognise(tx: &Tx, scope: Scope, customer: &Customer) -> Result<ClientId> {
    let identity = customer.document.as_ref().map_or(customer.email.as_str(), Document::as_str);
    if let Some(known) = store::find_by_identity(tx, scope, identity).await? {
        return Ok(known);
    }
    let id = ClientId::new(tx);
    if store::insert(tx, scope, id, customer).await? {
        return Ok(id);
    }
    // A twin inserted him between the two statements, and is committed now.
    let known = store::find_by_identity(tx, scope, identity).await?;
    known.ok_or_else(|| anyhow::anyhow!("a client is there and is not").into())
}

/// Reads a client as a customer.
pub async fn find(tx: &Tx, scope: Scope, id: ClientId) -> Result<Option<Customer>> {
    store::find(tx, scope, id).await
}

/// Deletes clients of a scope as if they had never been; answers how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::clear(tx, scope, most).await
}
