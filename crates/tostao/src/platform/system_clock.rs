//! The system's clock and randomness.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand;
use db::source::{Clock, Entropy, Sources};
use db::time::Timestamp;

struct SystemClock;
struct SystemEntropy;

/// The sources that a running server uses.
pub fn system() -> Sources {
    Sources::new(Arc::new(SystemClock), Arc::new(SystemEntropy))
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where the machine's clock enters")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

impl Entropy for SystemEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        // Keys made without randomness would be worse than a server that stops.
        rand::fill(buffer).expect("the operating system gives random bytes");
    }
}
