//! How many deliveries are under way to each address, so that a slow one holds up only itself.
//!
//! A job whose address is full waits a moment where that is worth it: quick receivers take a burst
//! in the order in which it came. An address that proved slow lets nobody wait, because whoever
//! waits holds a place that other merchants' deliveries need.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::ids::WebhookId;

/// Deliveries under way to one address.
const SEATS: usize = 4;
/// Deliveries that wait for one of them.
const WAITING_MAX: usize = 120;
const WAIT_MAX: Duration = Duration::from_secs(1);
/// What a quick receiver needs at most.
const QUICK: Duration = Duration::from_millis(500);
/// How long whoever found a quick address full stays away.
const QUICK_RETURN: Duration = Duration::from_millis(500);
/// The same for a slow one, for each time that it was tried.
const SLOW_RETURN: Duration = Duration::from_secs(1);
const SLOW_RETURNS_MAX: i64 = 10;

/// Every address that deliveries are under way to.
#[derive(Debug, Default)]
pub struct Flights(Mutex<HashMap<WebhookId, Arc<Gate>>>);

/// A delivery under way; dropping it makes room for the next one.
#[derive(Debug)]
pub struct Flight<'a> {
    flights: &'a Flights,
    webhook: WebhookId,
    gate: Arc<Gate>,
    seated: bool,
}

/// No seat came free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full {
    slow: bool,
}

#[derive(Debug)]
struct Gate {
    seats: Semaphore,
    waiting: AtomicUsize,
    slow: AtomicBool,
}

impl Flights {
    /// Takes a seat to an address, unless none comes free soon.
    pub async fn board(&self, webhook: WebhookId) -> Result<Flight<'_>, Full> {
        let mut flight = self.arrive(webhook);
        if flight.sit().await {
            return Ok(flight);
        }
        Err(Full { slow: flight.gate.slow.load(Ordering::Relaxed) })
    }

    fn arrive(&self, webhook: WebhookId) -> Flight<'_> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gate = gates.entry(webhook).or_insert_with(|| Arc::new(Gate::new())).clone();
        Flight { flights: self, webhook, gate, seated: false }
    }
}

impl Flight<'_> {
    /// Notes how long the receiver took, which decides whether others may wait for it.
    pub fn took(&self, duration: Duration) {
        self.gate.slow.store(duration > QUICK, Ordering::Relaxed);
    }

    async fn sit(&mut self) -> bool {
        self.seated = if let Ok(permit) = self.gate.seats.try_acquire() {
            permit.forget();
            true
        } else {
            self.gate.wait().await
        };
        self.seated
    }
}

impl Full {
    /// How long to stay away, having tried so many times; the more, the less often.
    pub fn wait(self, tries: i64) -> Duration {
        let times = u32::try_from(tries.clamp(1, SLOW_RETURNS_MAX)).unwrap_or(1);
        if self.slow { SLOW_RETURN * times } else { QUICK_RETURN }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.seated {
            self.gate.seats.add_permits(1);
        }
        let mut gates = self.flights.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The map's and ours: nobody else knows the gate, and only the map gives it out.
        if Arc::strong_count(&self.gate) == 2 {
            gates.remove(&self.webhook);
        }
    }
}

impl Gate {
    fn new() -> Self {
        Self {
            seats: Semaphore::new(SEATS),
            waiting: AtomicUsize::new(0),
            slow: AtomicBool::new(false),
        }
    }

    async fn wait(&self) -> bool {
        if self.slow.load(Ordering::Relaxed) {
            return false;
        }
        let seated =
            self.waiting.fetch_add(1, Ordering::Relaxed) < WAITING_MAX && self.take_turn().await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        seated
    }

    async fn take_turn(&self) -> bool {
        if let Ok(Ok(permit)) = timeout(WAIT_MAX, self.seats.acquire()).await {
            permit.forget();
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

    use super::{Flights, SEATS};
    use crate::ids::WebhookId;

    const SLOW: Duration = Duration::from_secs(10);

    fn webhook(number: u128) -> WebhookId {
        WebhookId(Uuid::from_u128(number))
    }

    #[tokio::test]
    async fn a_slow_address_holds_up_only_itself() {
        let flights = Flights::default();
        let mut seated = Vec::new();
        for _ in 0..SEATS {
            seated.push(flights.board(webhook(1)).await.unwrap());
        }
        seated[0].took(SLOW);
        let full = flights.board(webhook(1)).await.unwrap_err();
        let waits = [0, 1, 3, 1_000].map(|tries| full.wait(tries).as_secs());
        assert_eq!(waits, [1, 1, 3, 10]);
        assert!(flights.board(webhook(2)).await.is_ok());

        seated.pop();
        assert!(flights.board(webhook(1)).await.is_ok());
    }

    #[tokio::test]
    async fn a_burst_to_a_quick_address_waits_its_turn() {
        let flights = Flights::default();
        let mut seated = Vec::new();
        for _ in 0..SEATS {
            seated.push(flights.board(webhook(1)).await.unwrap());
        }
        let (fifth, ()) = tokio::join!(flights.board(webhook(1)), async { seated.clear() });
        assert!(fifth.is_ok());
    }

    #[tokio::test]
    async fn an_address_is_forgotten_when_nothing_is_under_way_to_it() {
        let flights = Flights::default();
        let first = flights.board(webhook(1)).await.unwrap();
        let second = flights.board(webhook(1)).await.unwrap();
        drop(first);
        assert_eq!(flights.0.lock().unwrap().len(), 1);
        drop(second);
        assert!(flights.0.lock().unwrap().is_empty());
    }
}
