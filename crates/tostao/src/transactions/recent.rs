//! Whose the newest charges are that this server has issued, so that their payments find the lanes
//! of their merchants without asking the database.
//!
//! It is only a hint: what is known here, or not, makes a unit faster or slower, and never wrong.

use std::collections::HashMap;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::platform::ids::MerchantId;

/// How many of the newest are known; there may be twice as many.
const KNOWN: usize = 4_096;

/// The merchants of the newest charges, by txid.
#[derive(Debug, Default)]
pub struct RecentCharges(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    newer: HashMap<String, MerchantId>,
    older: HashMap<String, MerchantId>,
}

impl RecentCharges {
    /// Notes whose a charge is.
    pub fn note(&self, txid: &str, merchant: MerchantId) {
        let mut known = self.lock();
        if known.newer.len() == KNOWN {
            known.older = take(&mut known.newer);
        }
        known.newer.insert(txid.to_owned(), merchant);
    }

    /// Whose a charge is, if it is one of the newest.
    pub fn merchant_of(&self, txid: &str) -> Option<MerchantId> {
        let known = self.lock();
        known.newer.get(txid).or_else(|| known.older.get(txid)).copied()
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{KNOWN, RecentCharges};
    use crate::platform::ids::MerchantId;

    #[test]
    fn the_newest_charges_are_known_and_the_oldest_are_not() {
        let recent = RecentCharges::default();
        let merchant = MerchantId(Uuid::from_u128(7));
        for number in 0..=2 * KNOWN {
            recent.note(&number.to_string(), merchant);
        }
        let known = |number: usize| recent.merchant_of(&number.to_string()).is_some();
        assert!((KNOWN..=2 * KNOWN).all(known));
        assert!(!(0..KNOWN).any(known));
        assert_eq!(recent.merchant_of("another one"), None);
    }
}
