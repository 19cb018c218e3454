//! What an idempotency key stands for, on every route that knows it.
//!
//! After a time-out a caller learns whether their request happened, without sending it again.

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::try_join;
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
    let (mut found, mut last) = (Vec::new(), String::new());
    // Each step is a point read of the primary key, of as many as there are routes with keys.
    while let Some(route) = store::next_route(tx, scope, &last).await? {
        let digest = erasing::digest(scope, &route, key);
        let plain = store::look_up(tx, scope, &route, key);
        let (plain, erased) = try_join(plain, store::look_up(tx, scope, &route, &digest)).await?;
        found.extend(plain.or(erased));
        last = route;
    }
    Ok(found)
}
