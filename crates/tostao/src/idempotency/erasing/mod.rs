//! Erases personal data from stored responses and their keys, which may hold names as well.
//!
//! The row stays, under a digest of its key: a retry still finds it, and is not executed a second
//! time. The hashes of the request's fields go: few documents and phone numbers are possible, so
//! the holder of the server's secret could find out which one was sent. Where the key is used for
//! another request, the first one is named without the fields that differ. The same hashes go where
//! a response does not say whom its request named, as a refusal does not: it may be anybody.

use db::hex::hex;
use db::tx::Tx;
use serde::{Deserialize, Serialize};

use crate::idempotency::fields::may_name_a_buyer;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::secrets::{Secrets, sha256};

mod store;

const ERASED: &str = "erased:";

/// A response's position within its scope; responses are traversed in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub route: String,
    pub key: String,
}

/// A stored response, or one that is still awaited.
#[derive(Debug)]
pub struct ErasableResponse {
    pub position: Position,
    /// `None` if it is awaited, or sealed and already stored under a digest.
    pub body: Option<String>,
    /// Whether hashes of fields that may name a buyer are stored with it.
    pub hashes_a_buyer: bool,
    sealed: bool,
}

/// The stored responses of a scope after a position.
pub async fn after(
    tx: &Tx,
    secrets: &Secrets,
    scope: Scope,
    after: &Position,
    most: i64,
) -> Result<Vec<ErasableResponse>> {
    let rows = store::after(tx, scope, after, most).await?;
    let open = |(at, plain, sealed, hashes): store::Row| {
        let opened = sealed.as_deref().and_then(|body| {
            let plain = secrets.open(&aad(scope, &at.route, &at.key), body)?;
            String::from_utf8(plain).ok()
        });
        let hashes_a_buyer = hashes.as_deref().is_some_and(may_name_a_buyer);
        let (body, sealed) = (plain.or(opened), sealed.is_some());
        ErasableResponse { position: at, body, hashes_a_buyer, sealed }
    };
    Ok(rows.into_iter().map(open).collect())
}

/// Forgets the fields of the request that has a response.
pub async fn forget_fields(tx: &Tx, scope: Scope, position: &Position) -> Result<()> {
    store::forget_fields(tx, scope, position).await
}

/// Replaces a response's body, and its key by a digest.
pub async fn rewrite(
    tx: &Tx,
    secrets: &Secrets,
    scope: Scope,
    response: &ErasableResponse,
    body: &str,
) -> Result<()> {
    let Position { route, key } = &response.position;
    // A retry knows the key, so the body is still sealed for the key.
    let own = aad(scope, route, key);
    let sealed = response.sealed.then(|| secrets.seal(tx.random(), &own, body.as_bytes()));
    let plain = (!response.sealed).then_some(body);
    let digest = digest(scope, route, key);
    store::rewrite(tx, scope, &response.position, &digest, plain, sealed.as_deref()).await
}

/// The only row in which a sealed response can be opened.
pub fn aad(scope: Scope, route: &str, key: &str) -> Vec<u8> {
    let (merchant, book) = (scope.merchant, scope.mode.book());
    format!("answer\n{merchant}\n{book}\n{route}\n{key}").into_bytes()
}

/// Replaces a key once its response is erased.
pub fn digest(scope: Scope, route: &str, key: &str) -> String {
    format!("{ERASED}{}", hex(&sha256(&aad(scope, route, key))))
}

/// Whether a row is stored under such a digest.
pub fn is_digest(key: &str) -> bool {
    key.starts_with(ERASED)
}
