//! The client's address: the peer, unless the peer is a trusted proxy.
//!
//! `X-Forwarded-For` is read from its right end, where our own proxies write. Everything left of
//! the first untrusted address was written by that client and is ignored.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use db::time::Timestamp;
use http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Another header in which proxies name their clients; it is never read.
const FORWARDED: &str = "forwarded";
/// Any client can send these headers too, so the warning is rate-limited.
const WARNED_EVERY: Duration = Duration::from_hours(1);
/// One household or server gets an IPv6 /64 and may change the rest of the address at will.
const IPV6_PREFIX: u32 = 64;
/// The most that providers assign without a request: 65,536 networks of one client.
const IPV6_SITE_PREFIX: u32 = 48;

/// The proxies whose `X-Forwarded-For` is trusted. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Parses addresses (`192.0.2.1`) and networks (`2001:db8::/32`); blanks are skipped.
    pub fn parse(texts: &[String]) -> anyhow::Result<Self> {
        let given = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        let networks = given.map(|text| {
            let read = IpNet::parse(text);
            let network = read.with_context(|| format!("`{text}` is not an address or network"))?;
            ensure!(network.prefix > 0, "`{text}` is every address: name only the proxies");
            Ok(network)
        });
        Ok(Self(networks.collect::<anyhow::Result<_>>()?))
    }

    /// Whether an address is one of the proxies.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(address))
    }

    /// Finds the client behind a peer: the last hop that is not a trusted proxy.
    ///
    /// A hop that cannot be parsed breaks the chain, and then only the peer is certain.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().collect();
        for line in lines.into_iter().rev() {
            let Ok(hops) = line.to_str() else { return peer };
            for hop in hops.rsplit(',') {
                match parse_hop(hop.trim()) {
                    Some(address) if self.trusts(address) => {}
                    Some(address) => return address,
                    None => return peer,
                }
            }
        }
        peer
    }
}

/// When the last warning about forwarded headers without a trusted proxy was logged.
#[derive(Debug, Default)]
pub struct ForwardedWarning(AtomicI64);

impl ForwardedWarning {
    /// Warns, now and then, of a proxy in front of a server that trusts none: such a server takes
    /// all clients for one.
    pub fn note(&self, proxies: &TrustedProxies, headers: &HeaderMap, now: Timestamp) {
        let named = headers.contains_key(FORWARDED_FOR) || headers.contains_key(FORWARDED);
        if !proxies.0.is_empty() || !named {
            return;
        }
        let (last, relaxed) = (self.0.load(Ordering::Relaxed), Ordering::Relaxed);
        if last != 0 && now.since(Timestamp::from_micros(last)) < WARNED_EVERY {
            return;
        }
        if self.0.compare_exchange(last, now.micros(), relaxed, relaxed).is_ok() {
            tracing::warn!(
                "requests arrive with X-Forwarded-For or Forwarded, and TOSTAO_TRUSTED_PROXIES is \
                 empty: if this server is behind a proxy, all its clients share \
                 one address and its rate limits; set it to the proxy's address"
            );
        }
    }
}

/// The part of an address that a client cannot change at will, with the rest zeroed.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => prefix_of(address, IPV6_PREFIX),
    }
}

/// The part of an IPv6 address that is the same for a whole site.
///
/// `None` for IPv4, where every additional address costs its owner money.
pub fn site(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(prefix_of(address, IPV6_SITE_PREFIX)),
    }
}

fn prefix_of(address: Ipv6Addr, bits: u32) -> IpAddr {
    let kept = u128::MAX << (Ipv6Addr::BITS - bits);
    IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & kept))
}

/// The network of an address as text: what limits and records know a caller by.
pub fn limit_key(address: IpAddr) -> String {
    network(address).to_string()
}

/// Addresses with a common prefix.
#[derive(Debug, Clone, Copy)]
pub struct IpNet {
    address: IpAddr,
    prefix: u32,
}

impl IpNet {
    /// Parses an address, or an address with a prefix length.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse()?;
        let width = if address.is_ipv4() { Ipv4Addr::BITS } else { Ipv6Addr::BITS };
        let prefix = prefix.map_or(Ok(width), str::parse)?;
        if prefix > width {
            bail!("a prefix has at most {width} bits");
        }
        let mapped = width - Ipv4Addr::BITS;
        match address.to_canonical() {
            // An IPv4-mapped IPv6 network becomes the IPv4 network.
            canonical if canonical != address && prefix >= mapped => {
                Ok(Self { address: canonical, prefix: prefix - mapped })
            }
            _ => Ok(Self { address, prefix }),
        }
    }

    /// Whether the network contains an address.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()).leading_zeros() >= self.prefix
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()).leading_zeros() >= self.prefix
            }
            _ => false,
        }
    }
}

/// Parses a hop; some proxies add the port.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let address: Option<IpAddr> = text.parse().ok().or_else(with_port);
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests;
