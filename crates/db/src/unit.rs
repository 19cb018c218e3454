//! A unit queued for an engine: the closure, its result, and the waiting caller.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::tx::Tx;

/// Resolves, or is closed, when no caller waits for the unit any more.
pub type CallerGone = oneshot::Receiver<()>;

/// A unit as the engine sees it, independent of its result type.
pub trait Unit: Send {
    /// Runs the closure, possibly again; true if its effects are to be committed.
    fn run<'a>(&'a mut self, tx: &'a Tx) -> Pin<Box<dyn Future<Output = bool> + 'a>>;

    /// Returns the outcome to the caller; `fate` is the outcome of the commit.
    fn answer(self: Box<Self>, fate: Result<(), Error>);
}

pub struct Waiting<F, T, E> {
    closure: F,
    result: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Waiting<F, T, E> {
    pub fn new(closure: F) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (caller, answer) = oneshot::channel();
        (Self { closure, result: None, caller }, answer)
    }
}

impl<F, T, E> Unit for Waiting<F, T, E>
where
    F: AsyncFn(&Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run<'a>(&'a mut self, tx: &'a Tx) -> Pin<Box<dyn Future<Output = bool> + 'a>> {
        Box::pin(async move {
            // In its own block, so that a panic before the first await is caught, too.
            let outcome = AssertUnwindSafe(async { (self.closure)(tx).await }).catch_unwind().await;
            let result = match (outcome, tx.failure()) {
                (Err(_), _) => Err(Error::Panicked.into()),
                (Ok(Ok(_)), Some(failure)) => Err(failure.into()),
                (Ok(result), _) => result,
            };
            let keep = result.is_ok();
            self.result = Some(result);
            keep
        })
    }

    fn answer(self: Box<Self>, fate: Result<(), Error>) {
        let result = match (self.result, fate) {
            (Some(Err(refusal)), _) => Err(refusal),
            (_, Err(error)) => Err(error.into()),
            (Some(result), Ok(())) => result,
            (None, Ok(())) => Err(Error::Unavailable("the unit did not finish".into()).into()),
        };
        // The caller may have gone; the unit is committed or rolled back regardless.
        let _ = self.caller.send(result);
    }
}
