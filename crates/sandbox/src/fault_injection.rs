//! Fault injection for the sandbox bank, for tests.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rails::error::ProviderError;

/// An operation of the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    IssuePix,
    IssueBoleto,
    Authorize,
    /// Querying the outcome of a charge or a refund.
    Find,
    Keep,
    Refund,
}

/// The kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// The bank refuses, and does nothing.
    Refuses,
    /// The bank does the work, and its reply is lost.
    LosesTheAnswer,
    /// The order is lost on the way; the sender cannot know.
    NeverArrives,
}

/// The planned failures.
#[derive(Debug, Default)]
pub struct FaultInjection(Mutex<Planned>);

#[derive(Debug, Default)]
struct Planned {
    /// The first of a kind first.
    next: Vec<(Operation, Outage)>,
    shut: Vec<Operation>,
}

impl FaultInjection {
    /// Plans a failure.
    pub fn plan(&self, operation: Operation, outage: Outage) {
        self.planned().next.push((operation, outage));
    }

    /// Makes all operations of a kind fail to arrive until it is opened again.
    pub fn shut(&self, operation: Operation) {
        self.planned().shut.push(operation);
    }

    /// Undoes `shut`.
    pub fn open(&self, operation: Operation) {
        self.planned().shut.retain(|shut| *shut != operation);
    }

    /// Runs an operation, unless the next planned failure of its kind prevents it or loses its
    /// reply.
    pub async fn around<T>(
        &self,
        operation: Operation,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let lost = || ProviderError::Unknown("simulated failure".into());
        match self.take(operation) {
            None => work.await,
            Some(Outage::Refuses) => Err(ProviderError::refused("simulated failure")),
            Some(Outage::NeverArrives) => Err(lost()),
            Some(Outage::LosesTheAnswer) => {
                work.await?;
                Err(lost())
            }
        }
    }

    fn take(&self, operation: Operation) -> Option<Outage> {
        let mut planned = self.planned();
        if planned.shut.contains(&operation) {
            return Some(Outage::NeverArrives);
        }
        let next = planned.next.iter().position(|(of, _)| *of == operation)?;
        Some(planned.next.remove(next).1)
    }

    fn planned(&self) -> MutexGuard<'_, Planned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
