//! The source of a unit's time and IDs, so that a test can control both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::time::Timestamp;

/// A clock.
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// A source of cryptographically random bytes.
pub trait Entropy: Send + Sync {
    /// Fills the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// The time, randomness and ids that units see.
#[derive(Clone)]
pub struct Sources {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    last_id: Arc<AtomicU64>,
}

impl Sources {
    /// Combines a clock and a source of randomness.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy, last_id: Arc::default() }
    }

    /// Returns the current instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns `N` random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }

    /// The smallest ID possible at an instant.
    pub fn first_id(&self, at: Timestamp) -> Uuid {
        let millis = u64::try_from(at.micros() / 1000).unwrap_or(0);
        Uuid::from_u128(u128::from(millis) << 80)
    }

    /// Returns a `UUIDv7` greater than every earlier one of this process.
    ///
    /// The 12 bits after the milliseconds hold their fraction (RFC 9562, method 3), so that IDs
    /// order rows by creation and new rows land at the right edge of their index.
    pub fn new_id(&self, now: Timestamp) -> Uuid {
        let micros = u64::try_from(now.micros()).unwrap_or(0);
        let stamp = ((micros / 1000) << 12) | ((micros % 1000) * 4096 / 1000);
        let advance = |last: u64| Some(stamp.max(last + 1));
        let last = match self.last_id.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance) {
            Ok(last) | Err(last) => last,
        };
        let stamp = stamp.max(last + 1);
        let mut bytes = self.random::<16>();
        bytes[..6].copy_from_slice(&(stamp >> 12).to_be_bytes()[2..]);
        let [high, low] = u16::try_from(stamp & 0xfff).unwrap_or(0).to_be_bytes();
        bytes[6] = 0x70 | high;
        bytes[7] = low;
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Uuid::from_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Clock, Entropy, Sources};
    use crate::time::Timestamp;

    struct Frozen;

    impl Clock for Frozen {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(1_795_291_200_123_456)
        }
    }

    impl Entropy for Frozen {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0xff);
        }
    }

    #[test]
    fn ids_grow_even_while_the_clock_stands_still() {
        let sources = Sources::new(Arc::new(Frozen), Arc::new(Frozen));
        let ids: Vec<_> = (0..5000).map(|_| sources.new_id(sources.now())).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert_eq!(ids[0].get_version_num(), 7);
        assert_eq!(ids[0].to_string(), "01a1ffb1-ba7b-774b-bfff-ffffffffffff");
    }
}
