//! Idempotency keys: the first response is stored in the unit that produced it, and replayed.
//!
//! The key is reserved by an insert in the same unit as the effect, so both are committed or
//! neither is. A concurrent request with the same key waits for that insert (on SQLite because
//! units run one by one, on PostgreSQL by the unique index) and then finds the response. A response
//! that holds a secret is stored sealed, so that the table never reveals what is shown once to its
//! owner.
//!
//! `key` reads the header and the row of a key, `execution` joins it with what a first execution
//! needs of its caller, `fields` names what differs where a key is used for another request,
//! `buyers` separates the keys of unauthenticated buyers, `driver` runs an `operation` of one or
//! several units under a key, and `turns` keeps concurrent requests with one key from calling a
//! provider twice.

use std::fmt;
use std::marker::PhantomData;

use axum::response::{IntoResponse, Response};
use db::time::Timestamp;
use db::tx::Tx;
use http::{HeaderName, HeaderValue};

use crate::platform::error::Result;
use crate::platform::http::reply::{self, StorableReply};
use crate::platform::ids::Scope;
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;

pub mod buyers;
mod driver;
pub mod dry_run;
pub mod erasing;
mod execution;
mod fields;
mod key;
pub mod lookup;
pub mod lookup_api;
mod operation;
pub mod resealing;
mod store;
mod turns;

pub use driver::KeyState;
pub use execution::Execution;
pub use key::{IdempotencyHeader, IdempotencyKey, WEEK, accepted_key};
pub use operation::{BeginOutcome, IdempotentOperation, Outcome};

const DRY_RUN: HeaderName = HeaderName::from_static("dry-run");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A response's status and body.
#[derive(Clone)]
struct StoredResponse {
    status: u16,
    body: String,
    /// Whether the body holds a secret, and is sealed in the table.
    secret: bool,
}

/// A response that is new, or a replay of the first one. `A` is the reply that it documents; code
/// that stores and replays responses leaves it out.
#[derive(Debug)]
pub struct Replayable<A = ()> {
    response: StoredResponse,
    /// When the first request was answered, if this is its response.
    first_at: Option<Timestamp>,
    /// Whether nothing was done.
    dry_run: bool,
    kind: PhantomData<A>,
}

impl fmt::Debug for StoredResponse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = if self.secret { "***" } else { &self.body };
        let mut response = out.debug_struct("StoredResponse");
        response.field("status", &self.status).field("body", &body).finish()
    }
}

/// Deletes expired responses; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, most).await
}

/// Deletes all responses of a scope; returns how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    store::clear(tx, scope, most).await
}

impl<A> Replayable<A> {
    fn of(response: StoredResponse, first_at: Option<Timestamp>) -> Self {
        Self { response, first_at, dry_run: false, kind: PhantomData }
    }

    /// The response of a request that was undone.
    fn rehearsed(response: StoredResponse) -> Self {
        Self { response, first_at: None, dry_run: true, kind: PhantomData }
    }

    fn retype<B>(self) -> Replayable<B> {
        let dry_run = self.dry_run;
        Replayable { dry_run, ..Replayable::of(self.response, self.first_at) }
    }

    /// Whether this is an earlier request's response.
    pub fn is_replayed(&self) -> bool {
        self.first_at.is_some()
    }

    /// When the first request was carried out, if this is its response.
    pub fn first_at(&self) -> Option<Timestamp> {
        self.first_at
    }

    /// Changes the body of a successful response that is sent, not the one that is stored.
    pub fn changed(mut self, change: impl FnOnce(String) -> Result<String>) -> Result<Self> {
        if self.response.status < 300 {
            self.response.body = change(self.response.body)?;
        }
        Ok(self)
    }

    /// Deserializes the body.
    pub fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_str(&self.response.body)?)
    }
}

impl<A: StorableReply> Replayable<A> {
    /// A response given for the first time.
    pub fn fresh(reply: &A) -> Result<Self> {
        let body = serde_json::to_string(reply.body())?;
        let response = StoredResponse { status: reply.status(), body, secret: A::SECRET };
        Ok(Self::of(response, None))
    }
}

impl<A> IntoResponse for Replayable<A> {
    fn into_response(self) -> Response {
        let mut response = reply::json(self.response.status, self.response.body.into_bytes());
        if self.first_at.is_some() {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        if self.dry_run {
            response.headers_mut().insert(DRY_RUN, HeaderValue::from_static("true"));
        }
        response
    }
}

impl<A: StorableReply> DescribeReply for Replayable<A> {
    fn describe_reply(operation: &mut Operation) {
        for status in A::STATUSES {
            operation.reply::<A::Body>(*status);
        }
    }
}

#[cfg(test)]
mod tests;
