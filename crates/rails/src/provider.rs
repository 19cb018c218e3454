//! What all providers have in common.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use uuid::Uuid;

use crate::error::ProviderError;

/// The future of a call to a provider.
pub type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// Our own call has timed out long before that, so nothing of it is still in flight.
///
/// The call takes its time by the machine's clock, however far a developer's clock jumps meanwhile.
pub const ARRIVES_WITHIN: Duration = Duration::from_mins(10);

/// A provider of any rail.
pub trait Provider: Send + Sync {
    /// Its name in callback URLs, and in the charges and orders that it was given.
    fn name(&self) -> &str;
}

/// A developer's clock that simulated money follows; real banks know only the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestClock {
    pub owner: Uuid,
    /// How far it is ahead of the machine's.
    pub ahead: Duration,
}
