//! What this process has noted lately, in a memory of a fixed size.
//!
//! It is a hint and never a record: other nodes note their own, and what was used least recently
//! leaves first. What is not found is read from the database, or made again.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// Values by their names.
pub struct Recent<K, V>(Mutex<LruCache<K, V>>);

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    /// Room for so many values; for one at least.
    pub fn new(most: usize) -> Self {
        Self(Mutex::new(LruCache::new(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN))))
    }

    /// Notes a value, in the place of the one that was used least recently.
    pub fn note(&self, name: K, value: V) {
        self.lock().put(name, value);
    }

    /// The value that was noted, if it still is.
    pub fn get<Q>(&self, name: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.lock().get(name).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> fmt::Debug for Recent<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_was_used_least_recently_leaves_first() {
        let recent = Recent::new(2);
        for name in ["one", "two"] {
            recent.note(name.to_owned(), name.len());
        }
        assert_eq!(recent.get("one"), Some(3));
        recent.note("three".to_owned(), 5);
        assert_eq!(recent.get("two"), None);
        assert_eq!((recent.get("one"), recent.get("three")), (Some(3), Some(5)));
    }
}
