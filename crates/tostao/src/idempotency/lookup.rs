//! What an idempotency key stands for, on every route that knows it.
//!
//! After a time-out a caller learns whether their request happened, without sending it again.

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::try_join_all;
use uuid::Uuid;

use crate::idempotency::{erasing, store};
use crate::platform::error::Result;
use crate::platform::ids::Scope;

/// A key on one route.
#[derive(Debug)]
pub struct KeyLookup {
    /// The method and the route's pattern.
    pub route: String,
    /// The status of the response; `None` while the request is in progress.
    pub status: Option<i64>,
    /// The response, unless it is sealed or erased.
    pub body: Option<String>,
    /// Whether the response holds a secret.
    pub is_sealed: bool,
    /// The object that the request created.
    pub subject: Option<Uuid>,
    pub request_id: Option<String>,
    pub expires_at: Timestamp,
    pub fingerprint: Vec<u8>,
}

/// Finds a key on the routes on which the scope has used any.
pub async fn look_up(tx: &Tx, scope: Scope, key: &str) -> Result<Vec<KeyLookup>> {
    let routes = store::routes(tx, scope).await?;
    // All are asked for together, and a key is looked for under its digest only where it is not
    // found as it is.
    let known = routes.iter().map(|route| async move {
        match store::look_up(tx, scope, route, key).await? {
            None => store::look_up(tx, scope, route, &erasing::digest(scope, route, key)).await,
            found => Ok(found),
        }
    });
    Ok(try_join_all(known).await?.into_iter().flatten().collect())
}
