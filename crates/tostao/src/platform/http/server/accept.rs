//! Accepts connections within the limits: in total, and per address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::platform::http::client_ip::{TrustedProxies, network};
use crate::platform::http::server::{Peer, ServerLimits};

/// Accepts connections while there is room.
pub struct Acceptor {
    permits: Arc<Semaphore>,
    per_address: usize,
    proxies: TrustedProxies,
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A connection's slot in the total and in its address's count; dropping it frees both.
pub struct ConnectionPermit {
    pub peer: Peer,
    _permit: OwnedSemaphorePermit,
    _share: Option<AddressSlot>,
}

/// One connection in the count of its address.
struct AddressSlot {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    key: IpAddr,
}

/// The address has reached its limit.
struct TooMany;

impl Acceptor {
    pub fn new(limits: &ServerLimits, proxies: TrustedProxies) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(limits.connections)),
            per_address: limits.connections_per_address,
            proxies,
            counts: Arc::default(),
        }
    }

    /// Waits for a slot and then for a client; `None` if the client's address has too many.
    pub async fn accept(
        &self,
        listener: &TcpListener,
    ) -> Result<Option<(TcpStream, ConnectionPermit)>> {
        let permit = self.permits.clone().acquire_owned().await.map_err(Error::other)?;
        let (stream, address) = next_client(listener).await?;
        let peer = Peer(address.ip().to_canonical());
        let Ok(share) = self.share(peer) else {
            return Ok(None);
        };
        Ok(Some((stream, ConnectionPermit { peer, _permit: permit, _share: share })))
    }

    /// Counts a connection; trusted proxies carry many clients and are not counted.
    fn share(&self, Peer(peer): Peer) -> std::result::Result<Option<AddressSlot>, TooMany> {
        if self.proxies.trusts(peer) {
            return Ok(None);
        }
        let key = network(peer);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        if *count >= self.per_address {
            return Err(TooMany);
        }
        *count += 1;
        Ok(Some(AddressSlot { counts: self.counts.clone(), key }))
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = counts.entry(self.key) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Accepts the next client that has not disconnected while it was queued.
async fn next_client(listener: &TcpListener) -> Result<(TcpStream, SocketAddr)> {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        match listener.accept().await {
            Err(error)
                if matches!(
                    error.kind(),
                    ConnectionAborted | ConnectionRefused | ConnectionReset
                ) => {}
            outcome => return outcome,
        }
    }
}
