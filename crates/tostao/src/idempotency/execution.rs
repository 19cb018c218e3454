//! The execution of a request: the key under which it happens once, and whether it may happen now.

use bytes::Bytes;

use crate::idempotency::{IdempotencyHeader, IdempotencyKey};
use crate::platform::error::Permit;
use crate::platform::ids::Scope;

/// A request that takes effect once.
///
/// A caller who may not do it now still gets the response of the first execution, because a retry
/// asks what happened and does nothing. A response that holds a secret is not sent again to them.
#[derive(Debug, Clone)]
pub struct Execution {
    pub(super) key: Option<IdempotencyKey>,
    pub(super) permit: Permit,
}

impl Execution {
    /// A request that is executed only with a permit.
    pub fn permitted(key: Option<IdempotencyKey>, permit: Permit) -> Self {
        Self { key, permit }
    }

    /// Whether the caller may do something new.
    pub fn is_permitted(&self) -> bool {
        self.permit.is_ok()
    }
}

impl From<Option<IdempotencyKey>> for Execution {
    fn from(key: Option<IdempotencyKey>) -> Self {
        Self { key, permit: Ok(()) }
    }
}

impl<const DAYS: u32> IdempotencyHeader<DAYS> {
    /// The request under its key, to be executed only with a permit.
    pub fn permitted(&self, scope: Scope, body: &Bytes, permit: Permit) -> Execution {
        Execution::permitted(self.key(scope, body), permit)
    }
}
