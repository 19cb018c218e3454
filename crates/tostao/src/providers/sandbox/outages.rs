//! Fault injection for the sandbox bank, for tests.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::providers::ProviderError;

/// An operation of the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
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
pub struct Outages(Mutex<Planned>);

#[derive(Debug, Default)]
struct Planned {
    /// The first of a kind first.
    next: Vec<(Errand, Outage)>,
    shut: Vec<Errand>,
}

impl Outages {
    /// Plans a failure.
    pub fn plan(&self, errand: Errand, outage: Outage) {
        self.planned().next.push((errand, outage));
    }

    /// Makes all operations of a kind fail to arrive until it is opened again.
    pub fn shut(&self, errand: Errand) {
        self.planned().shut.push(errand);
    }

    /// Undoes `shut`.
    pub fn open(&self, errand: Errand) {
        self.planned().shut.retain(|shut| *shut != errand);
    }

    /// Runs an operation, unless the next planned failure of its kind prevents it or loses its
    /// reply.
    pub async fn around<T>(
        &self,
        errand: Errand,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let lost = || ProviderError::Unknown("told to".into());
        match self.take(errand) {
            None => work.await,
            Some(Outage::Refuses) => Err(ProviderError::Refused("told to".into())),
            Some(Outage::NeverArrives) => Err(lost()),
            Some(Outage::LosesTheAnswer) => {
                work.await?;
                Err(lost())
            }
        }
    }

    fn take(&self, errand: Errand) -> Option<Outage> {
        let mut planned = self.planned();
        if planned.shut.contains(&errand) {
            return Some(Outage::NeverArrives);
        }
        let next = planned.next.iter().position(|(of, _)| *of == errand)?;
        Some(planned.next.remove(next).1)
    }

    fn planned(&self) -> MutexGuard<'_, Planned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
