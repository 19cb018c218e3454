//! Limits the event streams that need no key: of one network, of one IPv6 site, and of all clients.
//!
//! Each holds a connection for as long as its client likes, and the connections of a trusted proxy
//! are not counted by address.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::platform::caller_limit::CallerLimit;
use crate::platform::error::{Error, Result};
use crate::platform::http::client_ip::{network, site};

/// Many buyers may share one address; those who get no stream ask every few seconds instead.
const PER_NETWORK: usize = 20;
/// All networks of an IPv6 site together.
const PER_SITE: usize = 10 * PER_NETWORK;
const RETRY_AFTER_SECONDS: u64 = 5;

/// The streams of buyers' pages.
#[derive(Debug)]
pub struct BuyerStreams {
    networks: CallerLimit<IpAddr>,
    sites: CallerLimit<IpAddr>,
    all: Arc<Semaphore>,
}

/// One stream's place in every count; dropping it frees them.
#[derive(Debug)]
pub struct StreamPlace {
    _network: OwnedSemaphorePermit,
    _site: Option<OwnedSemaphorePermit>,
    _all: OwnedSemaphorePermit,
}

impl BuyerStreams {
    /// Lets this many of them be open.
    pub fn new(all: usize) -> Self {
        Self {
            networks: CallerLimit::new(PER_NETWORK),
            sites: CallerLimit::new(PER_SITE),
            all: Arc::new(Semaphore::new(all)),
        }
    }

    /// Takes a place for a stream to a client, or refuses it.
    pub fn place(&self, client: IpAddr) -> Result<StreamPlace> {
        let refusal = Error::TooMany { retry_after_seconds: RETRY_AFTER_SECONDS, limit: None };
        self.free_place(client).ok_or(refusal)
    }

    fn free_place(&self, client: IpAddr) -> Option<StreamPlace> {
        let of_network = self.networks.try_acquire(network(client))?;
        let of_site = match site(client) {
            Some(site) => Some(self.sites.try_acquire(site)?),
            None => None,
        };
        let of_all = self.all.clone().try_acquire_owned().ok()?;
        Some(StreamPlace { _network: of_network, _site: of_site, _all: of_all })
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use super::{BuyerStreams, PER_NETWORK};

    fn v4(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    #[test]
    fn all_clients_together_hold_no_more_than_their_part_of_the_connections() {
        let streams = BuyerStreams::new(2);
        let first = streams.place(v4(1)).expect("is free");
        let second = streams.place(v4(2)).expect("is free");
        assert!(streams.place(v4(3)).is_err());
        drop(first);
        assert!(streams.place(v4(3)).is_ok());
        drop(second);
    }

    #[test]
    fn an_ipv6_site_holds_no_more_than_its_part_from_however_many_networks() {
        let streams = BuyerStreams::new(10_000);
        let address =
            |network: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, network, 0, 0, 0, 1));
        let mut held = Vec::new();
        for network in 0..10 {
            for _ in 0..PER_NETWORK {
                held.push(streams.place(address(network)).expect("is free"));
            }
        }
        assert!(streams.place(address(10)).is_err());
        assert!(streams.place(v4(1)).is_ok());
        held.pop();
        assert!(streams.place(address(10)).is_ok());
    }
}
