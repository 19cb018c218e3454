//! Limits how much of a shared resource one merchant or client uses at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::platform::error::{Error, Result};

/// One semaphore per caller, which exists while one of its permits is held or awaited.
#[derive(Debug)]
pub struct CallerLimit<K> {
    each: usize,
    held: Mutex<HashMap<K, Weak<Semaphore>>>,
}

impl<K: Copy + Eq + Hash> CallerLimit<K> {
    /// Gives every caller this many permits.
    pub fn new(each: usize) -> Self {
        Self { each, held: Mutex::default() }
    }

    /// Waits for one of the caller's permits; dropping it releases it.
    pub async fn acquire(&self, caller: K) -> Result<OwnedSemaphorePermit> {
        let permit = self.semaphore(caller).acquire_owned().await;
        permit.map_err(|closed| Error::Unavailable(closed.to_string()))
    }

    /// Takes one of the caller's permits, if one is free.
    pub fn try_acquire(&self, caller: K) -> Option<OwnedSemaphorePermit> {
        self.semaphore(caller).try_acquire_owned().ok()
    }

    fn semaphore(&self, caller: K) -> Arc<Semaphore> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // A held or awaited permit keeps its semaphore alive.
        held.retain(|_, semaphore| semaphore.strong_count() > 0);
        if let Some(semaphore) = held.get(&caller).and_then(Weak::upgrade) {
            return semaphore;
        }
        let semaphore = Arc::new(Semaphore::new(self.each));
        held.insert(caller, Arc::downgrade(&semaphore));
        semaphore
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::CallerLimit;
    use crate::platform::ids::MerchantId;

    #[test]
    fn a_merchant_waits_for_more_than_their_permits_while_another_does_not() {
        let limit = CallerLimit::new(2);
        let [one, other] = [1, 2].map(|number| MerchantId(Uuid::from_u128(number)));
        let acquire = |merchant| limit.acquire(merchant).now_or_never().map(|taken| taken.unwrap());
        let first = acquire(one).expect("has two");
        let second = acquire(one).expect("has two");
        assert!(acquire(one).is_none());
        assert!(acquire(other).is_some());
        drop(first);
        let third = acquire(one).expect("one came back");
        assert!(acquire(one).is_none());
        drop((second, third));
        assert!(acquire(one).is_some());
    }

    #[test]
    fn a_merchant_who_stops_waiting_takes_no_permit_and_one_who_holds_none_is_forgotten() {
        let limit = CallerLimit::new(1);
        let [one, other] = [1, 2].map(|number| MerchantId(Uuid::from_u128(number)));
        let held = limit.acquire(one).now_or_never().expect("is free").unwrap();
        assert!(limit.acquire(one).now_or_never().is_none());
        drop(held);
        let held = limit.acquire(one).now_or_never().expect("is free again").unwrap();
        drop(held);
        drop(limit.acquire(other).now_or_never());
        let known: Vec<_> = limit.held.lock().unwrap().keys().copied().collect();
        assert_eq!(known, [other]);
    }
}
