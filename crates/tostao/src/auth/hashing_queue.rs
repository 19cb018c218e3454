//! A fair queue for password hashing, by address.
//!
//! A hash costs much memory and time, so few run at once and the others wait. Each address has its
//! own line, the lines are served in rotation, and when the queue is full the longest line gives up
//! a slot; a flood from one address therefore delays only that address.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Each hash takes 19 MiB, so a flood must not run them all at once.
const AT_WORK_MAX: usize = 2;
/// How many may run or wait in total,
const PLACES_MAX: usize = 32;
/// and how many of them from one address.
const PLACES_PER_ADDRESS_MAX: usize = 4;

/// The running hashes, and the lines before them. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct HashingQueue(Arc<Mutex<Queue>>);

/// Permission to hash one password; dropping it lets the next one run.
#[derive(Debug)]
pub struct HashingPermit {
    turns: HashingQueue,
    address: IpAddr,
}

#[derive(Debug, Default)]
struct Queue {
    /// The address of each running hash.
    at_work: Vec<IpAddr>,
    /// The first line is served next.
    lines: VecDeque<AddressQueue>,
}

/// The waiting requests of one address, the longest waiting first; never empty.
#[derive(Debug)]
struct AddressQueue {
    address: IpAddr,
    waiting: VecDeque<oneshot::Sender<HashingPermit>>,
}

impl HashingQueue {
    /// Waits for permission; `None` at once if the address has used all its slots, and later if
    /// another address was given this one's slot.
    pub async fn acquire(&self, address: IpAddr) -> Option<HashingPermit> {
        let turn = self.enter(address)?;
        turn.await.ok()
    }

    fn enter(&self, address: IpAddr) -> Option<oneshot::Receiver<HashingPermit>> {
        let turn = self.lock().enter(address)?;
        self.serve();
        Some(turn)
    }

    fn serve(&self) {
        loop {
            let next = self.lock().next();
            let Some((address, waiting)) = next else { return };
            // If the receiver has gone, dropping the permission here returns it.
            let _ = waiting.send(HashingPermit { turns: self.clone(), address });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HashingPermit {
    fn drop(&mut self) {
        self.turns.lock().leave_queue(self.address);
        self.turns.serve();
    }
}

impl Queue {
    fn enter(&mut self, address: IpAddr) -> Option<oneshot::Receiver<HashingPermit>> {
        self.drop_closed();
        let own = self.places_of(address);
        if own >= PLACES_PER_ADDRESS_MAX {
            return None;
        }
        if self.len() >= PLACES_MAX {
            self.evict_from_longest(own + 1)?;
        }
        let (give, turn) = oneshot::channel();
        match self.lines.iter_mut().find(|line| line.address == address) {
            Some(line) => line.waiting.push_back(give),
            None => self.lines.push_back(AddressQueue { address, waiting: [give].into() }),
        }
        Some(turn)
    }

    /// The next request to run, if the limit allows it; its line goes behind the others.
    fn next(&mut self) -> Option<(IpAddr, oneshot::Sender<HashingPermit>)> {
        if self.at_work.len() >= AT_WORK_MAX {
            return None;
        }
        let mut line = self.lines.pop_front()?;
        let first = line.waiting.pop_front()?;
        let address = line.address;
        if !line.waiting.is_empty() {
            self.lines.push_back(line);
        }
        self.at_work.push(address);
        Some((address, first))
    }

    fn leave_queue(&mut self, address: IpAddr) {
        if let Some(index) = self.at_work.iter().position(|at_work| *at_work == address) {
            self.at_work.swap_remove(index);
        }
    }

    /// Evicts the newest request of the longest line, if that address keeps at least as many slots
    /// as the requesting one would have.
    fn evict_from_longest(&mut self, wanted: usize) -> Option<()> {
        let places = |line: &AddressQueue| self.places_of(line.address);
        let longest = (0..self.lines.len()).max_by_key(|index| places(&self.lines[*index]))?;
        if places(&self.lines[longest]) <= wanted {
            return None;
        }
        self.lines[longest].waiting.pop_back();
        self.lines.retain(|line| !line.waiting.is_empty());
        Some(())
    }

    fn drop_closed(&mut self) {
        for line in &mut self.lines {
            line.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.lines.retain(|line| !line.waiting.is_empty());
    }

    fn len(&self) -> usize {
        self.at_work.len() + self.lines.iter().map(|line| line.waiting.len()).sum::<usize>()
    }

    fn places_of(&self, address: IpAddr) -> usize {
        let at_work = self.at_work.iter().filter(|at_work| **at_work == address).count();
        let line = self.lines.iter().find(|line| line.address == address);
        at_work + line.map_or(0, |line| line.waiting.len())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tokio::sync::oneshot::Receiver;
    use tokio::sync::oneshot::error::TryRecvError;

    use super::{HashingPermit, HashingQueue};

    fn address(number: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(192, 0, 2, number))
    }

    fn enter(turns: &HashingQueue, number: u8) -> Receiver<HashingPermit> {
        turns.enter(address(number)).expect("has a place")
    }

    /// Takes those that may run now out of those that wait.
    fn at_work(waiting: &mut [Receiver<HashingPermit>]) -> Vec<HashingPermit> {
        waiting.iter_mut().filter_map(|waiting| waiting.try_recv().ok()).collect()
    }

    #[test]
    fn two_work_at_once_and_addresses_take_turns() {
        let turns = HashingQueue::default();
        let order = [1, 1, 1, 1, 2, 2, 3];
        let mut waiting: Vec<_> = order.into_iter().map(|number| enter(&turns, number)).collect();
        for expected in [&[1, 1][..], &[1, 2], &[1, 3], &[2], &[]] {
            let working = at_work(&mut waiting);
            let addresses: Vec<_> = working.iter().map(|turn| turn.address).collect();
            let expected: Vec<_> = expected.iter().copied().map(address).collect();
            assert_eq!(addresses, expected);
        }
    }

    #[test]
    fn an_address_has_four_places_and_gets_them_back() {
        let turns = HashingQueue::default();
        let mut waiting: Vec<_> = (0..4).map(|_| enter(&turns, 1)).collect();
        assert!(turns.enter(address(1)).is_none());
        let working = at_work(&mut waiting);
        assert_eq!(working.len(), 2);
        drop(working);
        drop(enter(&turns, 1));
        assert!(turns.enter(address(1)).is_some(), "who has gone leaves the place");
    }

    #[test]
    fn a_full_queue_makes_room_for_another_address_and_not_for_a_second_request_of_the_same() {
        let turns = HashingQueue::default();
        let mut waiting = Vec::new();
        for number in 1..=8 {
            waiting.extend((0..4).map(|_| enter(&turns, number)));
        }
        let working = at_work(&mut waiting);
        let mut newcomer = enter(&turns, 9);
        let sent_away = waiting.iter_mut().map(Receiver::try_recv);
        let sent_away = sent_away.filter(|turn| matches!(turn, Err(TryRecvError::Closed))).count();
        assert_eq!((working.len(), sent_away), (2, 2 + 1), "two of them have their turn");
        assert!(matches!(newcomer.try_recv(), Err(TryRecvError::Empty)));
        let others: Vec<_> = (10..32).map(|number| turns.enter(address(number))).collect();
        assert!(others.iter().all(Option::is_some), "there is one for each");
        assert!(turns.enter(address(200)).is_none(), "until each address has one place");
    }

    #[test]
    fn an_abandoned_turn_goes_to_the_next_request() {
        let turns = HashingQueue::default();
        let first = [enter(&turns, 1), enter(&turns, 1)];
        let gone = enter(&turns, 2);
        let mut last = enter(&turns, 3);
        drop(gone);
        drop(first);
        assert!(last.try_recv().is_ok());
    }
}
