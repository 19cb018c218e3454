//! Limits how much of a shared resource one merchant or client uses at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::platform::error::{Error, Result};

/// How many callers are known before those without a permit are first forgotten.
const FORGET_FROM: usize = 64;

/// One semaphore per caller, which exists while one of its permits is held or awaited.
#[derive(Debug)]
pub struct CallerLimit<K> {
    each: usize,
    known: Mutex<Known<K>>,
}

/// The callers with a permit, and some that had one.
#[derive(Debug)]
struct Known<K> {
    semaphores: HashMap<K, Weak<Semaphore>>,
    /// How many there are when those without a permit are next forgotten.
    forget_at: usize,
}

impl<K: Copy + Eq + Hash> CallerLimit<K> {
    /// Gives every caller this many permits.
    pub fn new(each: usize) -> Self {
        let known = Known { semaphores: HashMap::new(), forget_at: FORGET_FROM };
        Self { each, known: Mutex::new(known) }
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = known.semaphores.get(&caller).and_then(Weak::upgrade) {
            return semaphore;
        }
        known.forget();
        let semaphore = Arc::new(Semaphore::new(self.each));
        known.semaphores.insert(caller, Arc::downgrade(&semaphore));
        semaphore
    }
}

impl<K: Eq + Hash> Known<K> {
    /// Forgets callers without a permit when there are twice as many as were left the last time, so
    /// that few requests look at all of them.
    fn forget(&mut self) {
        if self.semaphores.len() < self.forget_at {
            return;
        }
        // A held or awaited permit keeps its semaphore alive.
        self.semaphores.retain(|_, semaphore| semaphore.strong_count() > 0);
        self.forget_at = FORGET_FROM.max(2 * self.semaphores.len());
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::{CallerLimit, FORGET_FROM};
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
    fn a_merchant_who_stops_waiting_takes_no_permit() {
        let limit = CallerLimit::new(1);
        let one = MerchantId(Uuid::from_u128(1));
        let held = limit.acquire(one).now_or_never().expect("is free").unwrap();
        assert!(limit.acquire(one).now_or_never().is_none());
        drop(held);
        assert!(limit.try_acquire(one).is_some());
    }

    #[test]
    fn callers_who_hold_no_permit_are_forgotten_and_those_who_hold_one_are_not() {
        let limit = CallerLimit::new(1);
        let held: Vec<_> = (0..FORGET_FROM).map(|caller| limit.try_acquire(caller)).collect();
        assert!(held.iter().all(Option::is_some));
        for caller in FORGET_FROM..100 * FORGET_FROM {
            assert!(limit.try_acquire(caller).is_some());
            assert!(limit.known.lock().unwrap().semaphores.len() <= 2 * FORGET_FROM);
        }
        assert!((0..FORGET_FROM).all(|caller| limit.try_acquire(caller).is_none()));
        drop(held);
        for caller in 0..2 * FORGET_FROM {
            assert!(limit.try_acquire(caller).is_some());
        }
        assert!(limit.known.lock().unwrap().semaphores.len() <= 2 * FORGET_FROM);
    }
}
