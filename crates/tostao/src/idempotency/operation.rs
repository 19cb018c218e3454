//! What an operation of several units consists of.

use db::tx::Tx;
use uuid::Uuid;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::ids::MerchantId;

/// How far the first unit came.
#[derive(Debug)]
pub enum BeginOutcome<T, O> {
    Ended(O),
    /// It created this object, and the rest follows outside of the unit.
    Started(Uuid, T),
}

/// The result of an operation.
#[derive(Debug)]
pub enum Outcome<O> {
    Done(O),
    /// Refused for good.
    Refused(Error),
    /// Not known yet: it is shown, but not stored as the response.
    Pending(O),
}

/// An operation that calls a provider before its first unit, and perhaps after it.
pub trait IdempotentOperation: Clone + Send + Sync + 'static {
    /// What is read before a provider is called.
    type Read: Send + 'static;
    /// What is known before the first unit.
    type Prepared: Send + Sync + 'static;
    /// What the first unit leaves to be done.
    type Started: Send + 'static;
    /// What the response shows.
    type Output: Send + 'static;

    /// Whose rows the first unit changes.
    fn merchant(&self) -> MerchantId;

    /// Reads, in one trip to a database server with the key, what the first unit checks again.
    fn read(&self, tx: &Tx) -> impl Future<Output = Result<Self::Read>>;

    /// Calls providers, and reads what else it needs, before anything is stored.
    fn prepare(
        &self,
        app: &App,
        read: Self::Read,
    ) -> impl Future<Output = Result<Self::Prepared>> + Send;

    /// The unit that takes effect, and stores the key.
    fn begin(
        &self,
        tx: &Tx,
        prepared: &Self::Prepared,
    ) -> impl Future<Output = Result<BeginOutcome<Self::Started, Self::Output>>>;

    /// Does what the first unit left to be done.
    fn finish(
        &self,
        app: &App,
        started: Self::Started,
    ) -> impl Future<Output = Result<Outcome<Self::Output>>> + Send;

    /// The result of what an earlier request created; `None` while that is running.
    fn resume(
        &self,
        app: &App,
        created: Uuid,
    ) -> impl Future<Output = Result<Option<Outcome<Self::Output>>>> + Send;
}
