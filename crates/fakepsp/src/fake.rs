//! Starts the listeners and ends them; what a test in the same process holds.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http::HeaderMap;
use jiff::Timestamp;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::danger::ClientCertVerifier;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::call::{Call, Listener};
use crate::certificates::Authority;
use crate::clock::Clock;
use crate::net::client::Client;
use crate::net::{loopback, server};
use crate::settings::Settings;
use crate::world::World;
use crate::{admin, deliver};

/// Where it listens, and what it begins with.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the certificates are written; nowhere if absent.
    pub folder: Option<PathBuf>,
    pub plain: Option<SocketAddr>,
    pub tls_client: Option<SocketAddr>,
    pub tls: Option<SocketAddr>,
    /// A validator that proxies to `/v2` of the plain listener.
    pub through: Option<Url>,
    /// PEM of further authorities that the receivers of notices may have.
    pub trust: Option<String>,
    /// Absent means another one at every start.
    pub seed: Option<u64>,
    /// Absent means the machine's clock.
    pub stopped_at: Option<Timestamp>,
    pub settings: Settings,
    /// How often a notice is sent before it is given up.
    pub notice_tries: u32,
}

impl Default for Options {
    /// Three listeners on free ports.
    fn default() -> Self {
        let free = Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
        Self {
            folder: None,
            plain: free,
            tls_client: free,
            tls: free,
            through: None,
            trust: None,
            seed: None,
            stopped_at: None,
            settings: Settings::default(),
            notice_tries: 6,
        }
    }
}

/// The addresses that were bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct Addresses {
    pub plain: Option<SocketAddr>,
    pub tls_client: Option<SocketAddr>,
    pub tls: Option<SocketAddr>,
}

/// What all connections share.
pub struct Shared {
    world: Mutex<World>,
    pub settings: Settings,
    pub authority: Authority,
    pub provider: Arc<CryptoProvider>,
    pub verifier: Arc<dyn ClientCertVerifier>,
    pub client: Client,
    pub through: Option<Url>,
    pub notice_tries: u32,
    pub new_notices: Notify,
    pub settled: Notify,
    /// Known once every socket is bound.
    pub addresses: OnceLock<Addresses>,
}

/// A running fake. Dropping it closes its sockets.
pub struct Fake {
    shared: Arc<Shared>,
    addresses: Addresses,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Shared {
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has new notices delivered.
    pub fn wake(&self) {
        self.new_notices.notify_one();
    }

    /// Returns when no notice waits and none is being retried.
    pub async fn settle(&self) {
        loop {
            let mut settled = std::pin::pin!(self.settled.notified());
            settled.as_mut().enable();
            if self.world().notices.is_settled() {
                return;
            }
            settled.await;
        }
    }
}

impl Fake {
    pub async fn start(options: Options) -> Result<Self> {
        for address in [options.plain, options.tls_client, options.tls].into_iter().flatten() {
            ensure!(address.ip().is_loopback(), "{address} is not on this machine alone");
        }
        if let Some(through) = &options.through {
            ensure!(loopback::is_loopback(through), "{through} is not on this machine");
        }
        let authority = Authority::create()?;
        if let Some(folder) = &options.folder {
            authority.write(folder)?;
        }
        let provider = Arc::new(default_provider());
        let verifier = authority.verifier(&provider)?;
        let client = Client::new(&authority, options.trust.as_deref(), &provider)?;
        let clock = options.stopped_at.map_or_else(Clock::running, Clock::Stopped);
        let seed = match options.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        let world = World::new(seed, clock, options.settings.clone());
        let shared = Arc::new(Shared {
            world: Mutex::new(world),
            settings: options.settings,
            authority,
            provider,
            verifier,
            client,
            through: options.through,
            notice_tries: options.notice_tries.max(1),
            new_notices: Notify::new(),
            settled: Notify::new(),
            addresses: OnceLock::new(),
        });
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let mut addresses = Addresses::default();
        for (wanted, listener, bound) in [
            (options.plain, Listener::Plain, &mut addresses.plain),
            (options.tls_client, Listener::TlsClient, &mut addresses.tls_client),
            (options.tls, Listener::Tls, &mut addresses.tls),
        ] {
            let Some(wanted) = wanted else { continue };
            let socket = TcpListener::bind(wanted).await;
            let socket = socket.with_context(|| format!("cannot listen on {wanted}"))?;
            *bound = Some(socket.local_addr()?);
            let (shared, stopped) = (Arc::clone(&shared), stopped.clone());
            tasks.spawn(server::serve(socket, listener, shared, stopped));
        }
        shared.addresses.get_or_init(|| addresses);
        tasks.spawn(deliver::run(Arc::clone(&shared), stopped));
        Ok(Self { shared, addresses, stop, tasks })
    }

    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// The PEMs of the authority, the servers and the clients.
    pub fn authority(&self) -> &Authority {
        &self.shared.authority
    }

    /// An admin operation, as over HTTP: `POST /__pay` is `admin("POST", "/__pay", body)`.
    pub async fn admin(&self, method: &str, path: &str, body: &Value) -> Result<(u16, Value)> {
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let call = Call::new(Listener::Plain, method, &path.parse()?, HeaderMap::new(), body);
        let reply = admin::answer(&self.shared, &call).await;
        self.shared.wake();
        Ok((reply.status, serde_json::from_slice(&reply.body).unwrap_or_default()))
    }

    /// Returns when every notice was delivered, lost or given up.
    pub async fn settle(&self) {
        self.shared.settle().await;
    }

    /// Closes every connection and returns when the sockets are free.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

fn random_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    aws_lc_rs::rand::fill(&mut bytes).context("the system has no randomness")?;
    Ok(u64::from_le_bytes(bytes))
}
