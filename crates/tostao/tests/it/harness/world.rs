//! Time that a test moves, and randomness that is the same in every run.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use db::source::{Clock, Entropy, Sources};
use db::time::Timestamp;

/// A clock that stands still until it is moved.
pub struct TestClock(AtomicI64);

struct TestEntropy(AtomicU64);

impl TestClock {
    pub fn at(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.micros()))
    }

    pub fn pass(&self, span: Duration) {
        let micros = i64::try_from(span.as_micros()).expect("is a span a test uses");
        self.0.fetch_add(micros, Ordering::SeqCst);
    }

    /// As of a node whose clock is late.
    pub fn set_back(&self, span: Duration) {
        let micros = i64::try_from(span.as_micros()).expect("is a span a test uses");
        self.0.fetch_sub(micros, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

impl Entropy for TestEntropy {
    /// The `SplitMix64` sequence: well spread, and not meant to be secret.
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst);
            let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
    }
}

pub fn sources(clock: Arc<TestClock>) -> Sources {
    Sources::new(clock, Arc::new(TestEntropy(AtomicU64::new(7))))
}
