//! Names that this process has noted lately, in little memory of a fixed size.
//!
//! It is a hint and never a record: a newer name may take an older one's place, and other nodes
//! note their own. So what follows from a name is read from the database, and is only read where
//! that is likely to be worth it.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// 32 KiB of places, each for one name.
const PLACES: usize = 4_096;
/// No hash of a name is zero, which an empty place holds.
const TAKEN: u64 = 1;

/// The names, as seeded hashes.
#[derive(Debug)]
pub struct RecentNames {
    hasher: RandomState,
    places: Box<[AtomicU64]>,
}

impl Default for RecentNames {
    fn default() -> Self {
        let places = (0..PLACES).map(|_| AtomicU64::default()).collect();
        Self { hasher: RandomState::new(), places }
    }
}

impl RecentNames {
    /// Notes a name, in the place of an older one.
    pub fn note(&self, name: impl Hash) {
        let hash = self.hash(name);
        if let Some(place) = self.place(hash) {
            place.store(hash, Ordering::Relaxed);
        }
    }

    /// Whether the name was probably noted.
    pub fn may_have(&self, name: impl Hash) -> bool {
        let hash = self.hash(name);
        self.place(hash).is_some_and(|place| place.load(Ordering::Relaxed) == hash)
    }

    fn hash(&self, name: impl Hash) -> u64 {
        self.hasher.hash_one(name) | TAKEN
    }

    fn place(&self, hash: u64) -> Option<&AtomicU64> {
        // The first bits: the last one is the same in all hashes.
        self.places.get(usize::try_from(hash >> 32).ok()? % PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::{PLACES, RecentNames};

    #[test]
    fn a_name_is_noted_until_newer_ones_take_its_place() {
        let names = RecentNames::default();
        assert!(!names.may_have(("bank", "E1")));
        names.note(("bank", "E1"));
        assert!(names.may_have(("bank", "E1")));
        assert!(!names.may_have(("other", "E1")));
        for number in 0..PLACES * 100 {
            names.note(("bank", number));
        }
        assert!(!names.may_have(("bank", "E1")));
    }
}
