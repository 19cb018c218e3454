//! Limits deliveries in flight per endpoint, so that a slow endpoint delays only itself.
//!
//! A delivery to a busy but quick endpoint waits a moment, so a burst arrives in order. Deliveries
//! to a slow endpoint are requeued instead of waiting, so they do not occupy the worker slots that
//! other merchants' deliveries need.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::platform::ids::WebhookId;

/// Deliveries in flight to one endpoint.
const SLOTS: usize = 4;
/// Deliveries that wait for one of the slots.
const WAITING_MAX: usize = 120;
const WAIT_MAX: Duration = Duration::from_secs(1);
/// The longest response time of an endpoint that counts as quick.
const QUICK: Duration = Duration::from_millis(500);
/// How long a delivery is put back when a quick endpoint is busy.
const QUICK_RETURN: Duration = Duration::from_millis(500);
/// The same for a slow endpoint, times the attempts so far.
const SLOW_RETURN: Duration = Duration::from_secs(1);
const SLOW_RETURNS_MAX: i64 = 10;

/// The endpoints with deliveries in flight.
#[derive(Debug, Default)]
pub struct EndpointLimit(Mutex<HashMap<WebhookId, Arc<Gate>>>);

/// Permission to make one delivery; dropping it frees the slot.
#[derive(Debug)]
pub struct Permit<'a> {
    limit: &'a EndpointLimit,
    webhook: WebhookId,
    gate: Arc<Gate>,
    granted: bool,
}

/// No permit came free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    slow: bool,
}

#[derive(Debug)]
struct Gate {
    slots: Semaphore,
    waiting: AtomicUsize,
    slow: AtomicBool,
}

impl EndpointLimit {
    /// Acquires a permit for an endpoint, or fails if none comes free soon.
    pub async fn acquire(&self, webhook: WebhookId) -> Result<Permit<'_>, Busy> {
        let mut permit = self.permit(webhook);
        if permit.take_slot().await {
            return Ok(permit);
        }
        Err(Busy { slow: permit.gate.slow.load(Ordering::Relaxed) })
    }

    fn permit(&self, webhook: WebhookId) -> Permit<'_> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = gates.entry(webhook).or_insert_with(|| Arc::new(Gate::new())).clone();
        Permit { limit: self, webhook, gate, granted: false }
    }
}

impl Permit<'_> {
    /// Records the response time, which decides whether other deliveries may wait for this
    /// endpoint.
    pub fn took(&self, duration: Duration) {
        self.gate.slow.store(duration > QUICK, Ordering::Relaxed);
    }

    async fn take_slot(&mut self) -> bool {
        self.granted = if let Ok(slot) = self.gate.slots.try_acquire() {
            slot.forget();
            true
        } else {
            self.gate.wait().await
        };
        self.granted
    }
}

impl Busy {
    /// How long to put a delivery back after this many attempts.
    pub fn wait(self, tries: i64) -> Duration {
        let times = u32::try_from(tries.clamp(1, SLOW_RETURNS_MAX)).unwrap_or(1);
        if self.slow { SLOW_RETURN * times } else { QUICK_RETURN }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.granted {
            self.gate.slots.add_permits(1);
        }
        let mut gates = self.limit.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the map and this permit still hold the gate, and only the map hands it out.
        if Arc::strong_count(&self.gate) == 2 {
            gates.remove(&self.webhook);
        }
    }
}

impl Gate {
    fn new() -> Self {
        Self {
            slots: Semaphore::new(SLOTS),
            waiting: AtomicUsize::new(0),
            slow: AtomicBool::new(false),
        }
    }

    async fn wait(&self) -> bool {
        if self.slow.load(Ordering::Relaxed) {
            return false;
        }
        let granted =
            self.waiting.fetch_add(1, Ordering::Relaxed) < WAITING_MAX && self.take_turn().await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        granted
    }

    async fn take_turn(&self) -> bool {
        if let Ok(Ok(slot)) = timeout(WAIT_MAX, self.slots.acquire()).await {
            slot.forget();
            return true;
        }
        self.slow.store(true, Ordering::Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::{EndpointLimit, SLOTS};
    use crate::platform::ids::WebhookId;

    const SLOW: Duration = Duration::from_secs(10);

    fn webhook(number: u128) -> WebhookId {
        WebhookId(Uuid::from_u128(number))
    }

    #[tokio::test]
    async fn a_slow_endpoint_holds_up_only_itself() {
        let limit = EndpointLimit::default();
        let mut granted = Vec::new();
        for _ in 0..SLOTS {
            granted.push(limit.acquire(webhook(1)).await.unwrap());
        }
        granted[0].took(SLOW);
        let full = limit.acquire(webhook(1)).await.unwrap_err();
        let waits = [0, 1, 3, 1_000].map(|tries| full.wait(tries).as_secs());
        assert_eq!(waits, [1, 1, 3, 10]);
        assert!(limit.acquire(webhook(2)).await.is_ok());

        granted.pop();
        assert!(limit.acquire(webhook(1)).await.is_ok());
    }

    #[tokio::test]
    async fn a_burst_to_a_quick_endpoint_waits_its_turn() {
        let limit = EndpointLimit::default();
        let mut granted = Vec::new();
        for _ in 0..SLOTS {
            granted.push(limit.acquire(webhook(1)).await.unwrap());
        }
        let (fifth, ()) = tokio::join!(limit.acquire(webhook(1)), async { granted.clear() });
        assert!(fifth.is_ok());
    }

    #[tokio::test]
    async fn an_endpoint_without_deliveries_in_flight_is_removed() {
        let limit = EndpointLimit::default();
        let first = limit.acquire(webhook(1)).await.unwrap();
        let second = limit.acquire(webhook(1)).await.unwrap();
        drop(first);
        assert_eq!(limit.0.lock().unwrap().len(), 1);
        drop(second);
        assert!(limit.0.lock().unwrap().is_empty());
    }
}
