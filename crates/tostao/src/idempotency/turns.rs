//! The turn of a key: one request of this process at a time begins what the key stands for.
//!
//! Until the first unit is committed, a concurrent request with the same key finds no row of it. It
//! would call the provider a second time, and ask the writer only to find the key taken; so it
//! waits for the first one, and has the turn next: where that one ended without a response, the
//! others go on one after another. Nothing depends on it: the key's row decides, and on another
//! node, or after a while, a request goes on without a turn.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::app::App;
use crate::idempotency::IdempotencyKey;

/// How long a request waits for the turn; a provider may take longer, or never answer.
const WAIT_MAX: Duration = Duration::from_secs(3);

impl App {
    /// Takes the turn of a key if no other request has it; dropping it ends the turn.
    pub(super) fn take_turn(&self, key: &IdempotencyKey) -> Option<OwnedSemaphorePermit> {
        self.key_turns.try_acquire(key.seed())
    }

    /// Waits until the request that has the turn of a key ends it, and takes the turn; none after a
    /// while.
    pub(super) async fn await_turn(&self, key: &IdempotencyKey) -> Option<OwnedSemaphorePermit> {
        timeout(WAIT_MAX, self.key_turns.acquire(key.seed())).await.ok()?.ok()
    }
}
