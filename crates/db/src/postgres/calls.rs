//! What a session has sent and does not wait for.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use tokio_postgres::error::SqlState;

use crate::error::Error;
use crate::postgres::rows::{Kind, Part};
use crate::postgres::wire::{ends_connection, message_of, refused};

pub type Call = LocalBoxFuture<'static, Result<(), FailedCall>>;

/// What was sent and is not waited for, in the order in which it was sent.
#[derive(Default)]
pub struct Sent {
    /// The beginning of the transaction, until its answer is read.
    pub begin: Option<Call>,
    pub calls: Vec<Call>,
    /// Why the transaction did not begin, though the connection may go on.
    not_started: Option<String>,
}

impl Sent {
    /// Why the transaction did not start, if that is known once a later call was answered.
    pub fn not_started(&mut self) -> Option<&str> {
        if let Some(begin) = &mut self.begin
            && let Poll::Ready(answer) = poll_now(begin)
        {
            self.begin = None;
            self.not_started = answer.err().map(|failed| message_of(&failed.error));
        }
        self.not_started.as_deref()
    }
}

/// A failed call that is not classified yet.
pub struct FailedCall {
    pub error: tokio_postgres::Error,
    /// The statements of which one failed.
    pub parts: Vec<Part>,
}

impl FailedCall {
    /// An error from the server is a rejection; a connection that ends may have carried the commit,
    /// also through a pooler that passes it on.
    pub fn after_commit_was_sent(self) -> Error {
        if self.error.code().is_none() || ends_connection(&self.error) {
            return Error::Unknown(message_of(&self.error));
        }
        self.into()
    }
}

impl From<FailedCall> for Error {
    fn from(failed: FailedCall) -> Self {
        let texts = |meant: fn(Kind) -> bool| {
            let parts = failed.parts.iter().filter(|part| meant(part.kind));
            parts.map(|part| part.sql).collect::<Vec<_>>().join("; ")
        };
        let expecting = texts(|kind| kind == Kind::ExpectsOne);
        if failed.error.code() == Some(&SqlState::DIVISION_BY_ZERO) && !expecting.is_empty() {
            return Error::not_one_row(&expecting);
        }
        refused(&failed.error, &texts(|_| true))
    }
}

/// Polls once, which sends; the caller polls again for a response that is not ready yet.
pub fn poll_now(call: &mut Call) -> Poll<Result<(), FailedCall>> {
    Pin::new(call).poll(&mut Context::from_waker(Waker::noop()))
}
