//! Shares: how much of what everybody uses one merchant may hold at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};
use crate::ids::MerchantId;

/// A number of permits for each merchant, made when he comes and forgotten when he has gone.
#[derive(Debug)]
pub struct Shares {
    each: usize,
    held: Mutex<HashMap<MerchantId, Weak<Semaphore>>>,
}

impl Shares {
    /// Gives every merchant so many.
    pub fn new(each: usize) -> Self {
        Self { each, held: Mutex::default() }
    }

    /// Waits until the merchant holds fewer than his share; dropping the permit gives it back.
    pub async fn take(&self, merchant: MerchantId) -> Result<OwnedSemaphorePermit> {
        let permit = self.share(merchant).acquire_owned().await;
        permit.map_err(|closed| Error::Unavailable(closed.to_string()))
    }

    fn share(&self, merchant: MerchantId) -> Arc<Semaphore> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Every permit, and everybody who waits for one, keeps its semaphore alive.
        held.retain(|_, share| share.strong_count() > 0);
        if let Some(share) = held.get(&merchant).and_then(Weak::upgrade) {
            return share;
        }
        let share = Arc::new(Semaphore::new(self.each));
        held.insert(merchant, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::Shares;
    use crate::ids::MerchantId;

    #[test]
    fn a_merchant_holds_his_share_and_waits_for_more_while_another_does_not() {
        let shares = Shares::new(2);
        let [one, other] = [1, 2].map(|number| MerchantId(Uuid::from_u128(number)));
        let take = |merchant| shares.take(merchant).now_or_never().map(|taken| taken.unwrap());
        let first = take(one).expect("has two");
        let second = take(one).expect("has two");
        assert!(take(one).is_none());
        assert!(take(other).is_some());
        drop(first);
        let third = take(one).expect("one came back");
        assert!(take(one).is_none());
        drop((second, third));
        assert!(take(one).is_some());
    }

    #[test]
    fn who_stops_waiting_takes_nothing_and_who_has_gone_is_forgotten() {
        let shares = Shares::new(1);
        let [one, other] = [1, 2].map(|number| MerchantId(Uuid::from_u128(number)));
        let held = shares.take(one).now_or_never().expect("is free").unwrap();
        assert!(shares.take(one).now_or_never().is_none());
        drop(held);
        let held = shares.take(one).now_or_never().expect("is free again").unwrap();
        drop(held);
        drop(shares.take(other).now_or_never());
        let known: Vec<_> = shares.held.lock().unwrap().keys().copied().collect();
        assert_eq!(known, [other]);
    }
}
