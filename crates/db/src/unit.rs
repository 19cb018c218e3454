//! A unit queued for an engine: the closure, its result, and the waiting caller.
//!
//! The types of the closure and of its result are erased here, so that engines and the wait for an
//! answer are compiled once, and not for each of hundreds of closures.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::tx::Tx;

/// Resolves, or is closed, when no caller waits for the unit any more.
pub type CallerGone = oneshot::Receiver<()>;

/// What a closure returned: a `Result<T, E>`.
pub type Returned = Box<dyn Any + Send>;

/// Where a caller waits for what became of its unit.
pub struct Answer(oneshot::Receiver<Result<Returned, Error>>);

/// A unit as engines see it.
pub struct Unit {
    closure: Box<dyn Closure>,
    outcome: Option<Outcome>,
    caller: oneshot::Sender<Result<Returned, Error>>,
}

/// What became of a closure.
pub enum Outcome {
    Succeeded(Returned),
    Refused(Returned),
    /// It refused because a statement of its own had failed.
    Broke(Returned),
    Failed(Error),
}

/// A closure of any type, with a result of any type.
pub trait Closure: Send {
    fn call<'a>(&'a self, tx: &'a Tx) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;
}

struct Typed<F, T, E> {
    closure: F,
    result: PhantomData<fn() -> Result<T, E>>,
}

/// Erases the types of a closure; [`downcast_result`] restores the type of its result.
pub fn erased<F, T, E>(closure: F) -> Box<dyn Closure>
where
    F: AsyncFn(&Tx) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    Box::new(Typed { closure, result: PhantomData })
}

/// The result of an [`erased`] closure, or the reason why there is none.
pub fn downcast_result<T: 'static, E: From<Error> + 'static>(
    returned: Result<Returned, Error>,
) -> Result<T, E> {
    *returned?.downcast().expect("the closure has this type of result")
}

impl Unit {
    pub fn new(closure: Box<dyn Closure>) -> (Self, Answer) {
        let (caller, answer) = oneshot::channel();
        (Self { closure, outcome: None, caller }, Answer(answer))
    }

    /// Runs the closure, possibly again; true if its effects are to be committed.
    pub async fn run(&mut self, tx: &Tx) -> bool {
        // In its own block, so that a panic before the first await is caught, too.
        let call = AssertUnwindSafe(async { self.closure.call(tx).await }).catch_unwind();
        let returned = call.await;
        if matches!(returned, Ok(Outcome::Succeeded(_))) {
            tx.flush().await;
        }
        let outcome = match (returned, tx.failure()) {
            (Err(_), _) => Outcome::Failed(Error::Panicked),
            (Ok(Outcome::Succeeded(_)), Some(failure)) => Outcome::Failed(failure),
            (Ok(Outcome::Refused(refusal)), Some(_)) => Outcome::Broke(refusal),
            (Ok(outcome), _) => outcome,
        };
        let keep = matches!(outcome, Outcome::Succeeded(_));
        self.outcome = Some(outcome);
        keep
    }

    /// Returns an error to the caller, whatever an earlier run has returned.
    pub fn fail(self, error: Error) {
        // The caller may have gone.
        let _ = self.caller.send(Err(error));
    }

    /// Returns the outcome to the caller; `fate` is the outcome of the commit.
    pub fn answer(self, fate: Result<(), Error>) {
        let answer = match (self.outcome, fate) {
            // Whatever it returned, or an earlier run did.
            (_, Err(unknown @ Error::Unknown(_))) => Err(unknown),
            (Some(Outcome::Broke(refusal)), _) => Ok(refusal),
            // A refusal may be due to what another unit of the group has written, and lost.
            (Some(Outcome::Failed(error)), _) | (_, Err(error)) => Err(error),
            (Some(Outcome::Succeeded(result) | Outcome::Refused(result)), Ok(())) => Ok(result),
            (None, Ok(())) => Err(Error::Unavailable("the unit did not finish".into())),
        };
        // The caller may have gone; the unit is committed or rolled back regardless.
        let _ = self.caller.send(answer);
    }
}

impl<F, T, E> Closure for Typed<F, T, E>
where
    F: AsyncFn(&Tx) -> Result<T, E> + Send,
    T: Send + 'static,
    E: Send + 'static,
{
    fn call<'a>(&'a self, tx: &'a Tx) -> Pin<Box<dyn Future<Output = Outcome> + 'a>> {
        Box::pin(async move {
            let result = (self.closure)(tx).await;
            if result.is_ok() {
                Outcome::Succeeded(Box::new(result))
            } else {
                Outcome::Refused(Box::new(result))
            }
        })
    }
}

impl Answer {
    pub async fn receive(self) -> Result<Returned, Error> {
        let lost = |_| Error::Unknown("the database thread ended before it replied".into());
        self.0.await.map_err(lost).flatten()
    }
}
