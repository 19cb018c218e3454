//! Opens connections: every address is checked here, and only here.
//!
//! ```text
//! name ──resolve──▶ all addresses admitted? ──dial that address──▶ peer the same? ──TLS──▶ pool
//!                        │ no: Blocked                                │ no: Blocked
//! ```
//!
//! One blocked address blocks the name: an honest service has no reason to list one, and mixed
//! answers are a way to make the check and the connection use different addresses. The connection
//! uses the checked address, so there is no second lookup that could differ (DNS rebinding).

#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::{Scheme, Uri};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower::Service;

use crate::address::is_public;
use crate::client::Limits;
use crate::failure::Failure;
use crate::meter::Metered;
use crate::resolver::Resolve;
use crate::target::{PORTS, Policy};

/// How many addresses of a name are tried.
const TRIES: usize = 4;

type Tcp = TokioIo<Metered>;
type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send>>;
type Dialing = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send>>;
type Dial = Box<dyn Fn(SocketAddr) -> Dialing + Send + Sync>;

/// Opens a checked connection, with TLS if the URL says so, within one time limit.
#[derive(Clone)]
pub(crate) struct Connector {
    https: HttpsConnector<CheckedTcp>,
    within: Duration,
}

/// Which addresses may be connected to.
pub(crate) struct Guard {
    policy: Policy,
    own: Vec<IpAddr>,
}

#[derive(Clone)]
struct CheckedTcp(Arc<Dialer>);

/// Finds the addresses of a destination, and connects to them.
pub(crate) struct Dialer {
    guard: Guard,
    resolver: Arc<dyn Resolve>,
    dial: Dial,
    within: Duration,
    exchange_bytes: usize,
}

/// A URL's destination, before name resolution.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// TLS on a webhook port: required of every target except a local one.
    ordinary: bool,
}

impl Connector {
    pub(crate) fn new(dialer: Arc<Dialer>, tls: Arc<ClientConfig>, limits: Limits) -> Self {
        Self { https: HttpsConnector::from((CheckedTcp(dialer), tls)), within: limits.connect }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Tcp>;
    type Error = Failure;
    type Future = Pending<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(self.within, self.https.call(uri));
        Box::pin(async move {
            match connecting.await {
                Ok(Ok(stream)) => Ok(stream),
                // An error that is not from our own layers happened in the handshake.
                Ok(Err(error)) => Err(error.downcast().map_or(Failure::Tls, |failure| *failure)),
                Err(_) => Err(Failure::Timeout),
            }
        })
    }
}

impl Service<Uri> for CheckedTcp {
    type Response = Tcp;
    type Error = Failure;
    type Future = Pending<Tcp>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = Arc::clone(&self.0);
        Box::pin(async move { dialer.open(&uri).await })
    }
}

impl Guard {
    pub(crate) fn new(policy: Policy, own: &[IpAddr]) -> Self {
        Self { policy, own: own.iter().map(IpAddr::to_canonical).collect() }
    }

    /// Only loopback is allowed without TLS or on an unusual port.
    fn admits(&self, address: IpAddr, ordinary: bool) -> bool {
        let address = address.to_canonical();
        if self.own.contains(&address) {
            return false;
        }
        if address.is_loopback() { self.policy.allow_local } else { ordinary && is_public(address) }
    }

    /// A connection with the same address at both ends has come back to this machine.
    fn admits_peer(&self, local: IpAddr, peer: IpAddr, ordinary: bool) -> bool {
        let returned = local.to_canonical() == peer.to_canonical();
        self.admits(peer, ordinary) && (!returned || peer.to_canonical().is_loopback())
    }
}

impl Dialer {
    pub(crate) fn new(guard: Guard, resolver: Arc<dyn Resolve>, limits: Limits) -> Self {
        let dial: Dial = Box::new(|socket| Box::pin(TcpStream::connect(socket)));
        let exchange_bytes = limits.exchange_bytes();
        Self { guard, resolver, dial, within: limits.connect, exchange_bytes }
    }

    async fn open(&self, uri: &Uri) -> Result<Tcp, Failure> {
        let deadline = Instant::now() + self.within;
        let route = Route::of(uri)?;
        let addresses = self.addresses(route).await?;
        let (stream, dialled) = self.dial_in_turn(&addresses, route.port, deadline).await?;
        self.check_peer(&stream, dialled, route)?;
        stream.set_nodelay(true).map_err(|_| Failure::Closed)?;
        Ok(TokioIo::new(Metered::new(stream, self.exchange_bytes)))
    }

    /// Every address of a destination, all of which may be connected to.
    pub(crate) async fn addresses(&self, route: Route<'_>) -> Result<Vec<IpAddr>, Failure> {
        let found = match route.host.parse() {
            Ok(literal) => vec![literal],
            Err(_) => self.resolver.resolve(route.host).await.map_err(|_| Failure::Dns)?,
        };
        if found.is_empty() {
            return Err(Failure::Dns);
        }
        if found.iter().any(|address| !self.guard.admits(*address, route.ordinary)) {
            return Err(Failure::Blocked);
        }
        Ok(found)
    }

    /// Divides the remaining time among the addresses, so that a dead one leaves time for the
    /// others.
    async fn dial_in_turn(
        &self,
        addresses: &[IpAddr],
        port: u16,
        deadline: Instant,
    ) -> Result<(TcpStream, SocketAddr), Failure> {
        let mut failure = Failure::Connect;
        let mut turns = u32::try_from(addresses.len().min(TRIES)).unwrap_or(1);
        for address in addresses.iter().take(TRIES) {
            let share = deadline.saturating_duration_since(Instant::now()) / turns;
            let socket = SocketAddr::new(*address, port);
            match timeout(share, (self.dial)(socket)).await {
                Ok(Ok(stream)) => return Ok((stream, socket)),
                Ok(Err(_)) => failure = Failure::Connect,
                Err(_) => failure = Failure::Timeout,
            }
            turns -= 1;
        }
        Err(failure)
    }

    /// Connects to one of a destination's addresses.
    pub(crate) async fn connect(
        &self,
        address: IpAddr,
        route: Route<'_>,
        within: Duration,
    ) -> Result<TcpStream, Failure> {
        let socket = SocketAddr::new(address, route.port);
        match timeout(within, (self.dial)(socket)).await {
            Ok(Ok(stream)) => {
                self.check_peer(&stream, socket, route)?;
                Ok(stream)
            }
            Ok(Err(_)) => Err(Failure::Connect),
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn check_peer(
        &self,
        stream: &TcpStream,
        dialled: SocketAddr,
        route: Route<'_>,
    ) -> Result<(), Failure> {
        let peer = stream.peer_addr().map_err(|_| Failure::Closed)?;
        let local = stream.local_addr().map_err(|_| Failure::Closed)?;
        if peer == dialled && self.guard.admits_peer(local.ip(), peer.ip(), route.ordinary) {
            Ok(())
        } else {
            Err(Failure::Blocked)
        }
    }
}

impl<'a> Route<'a> {
    pub(crate) fn of(uri: &'a Uri) -> Result<Self, Failure> {
        let host = uri.host().ok_or(Failure::Dns)?;
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let secure = uri.scheme() == Some(&Scheme::HTTPS);
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let ordinary = secure && PORTS.contains(&port);
        Ok(Self { host: bare.unwrap_or(host), port, ordinary })
    }
}
