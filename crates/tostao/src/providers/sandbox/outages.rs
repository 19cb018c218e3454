//! The days on which the sandbox bank does not work: a test plans them.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::providers::ProviderError;

/// What the bank is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    IssuePix,
    IssueBoleto,
    Authorize,
    /// Asking what became of a charge or a refund.
    Find,
    Keep,
    Refund,
}

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// The bank says no, and does nothing.
    Refuses,
    /// The bank does the work, and its answer is lost.
    LosesTheAnswer,
    /// The order is lost on the way; whoever sent it cannot tell.
    NeverArrives,
}

/// Outages still to come.
#[derive(Debug, Default)]
pub struct Outages(Mutex<Planned>);

#[derive(Debug, Default)]
struct Planned {
    /// The first of a kind first.
    next: Vec<(Errand, Outage)>,
    shut: Vec<Errand>,
}

impl Outages {
    /// Plans one more.
    pub fn plan(&self, errand: Errand, outage: Outage) {
        self.planned().next.push((errand, outage));
    }

    /// Lets nothing of a kind arrive until it is opened again.
    pub fn shut(&self, errand: Errand) {
        self.planned().shut.push(errand);
    }

    /// Opens what was shut.
    pub fn open(&self, errand: Errand) {
        self.planned().shut.retain(|shut| *shut != errand);
    }

    /// Does a piece of work, unless the next outage of its kind keeps it from being done or told.
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
