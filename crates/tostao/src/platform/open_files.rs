//! How many files this process may have open; each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for all connections that the server takes, and for everything else.
const WANTED: u64 = 16_384;

/// Raises the limit as far as a process may do so by itself: many systems start one with a low
/// limit and allow more.
///
/// A system that does not is no reason not to run.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// The limit; `None` for as many as the system can have.
pub fn limit() -> Option<usize> {
    usize::try_from(getrlimit(Resource::Nofile).current?).ok()
}
