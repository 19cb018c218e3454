//! Resolves host names; a trait, so that tests can return an attacker's answers.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// How many lookups run concurrently.
const LOOKUPS: usize = 64;

/// The future of a lookup.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves a host name to all its addresses.
pub trait Resolve: Send + Sync + 'static {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a>;
}

/// The operating system's resolver.
///
/// It blocks a thread and cannot be cancelled. A permit belongs to that thread and not to the
/// caller, so that name servers which never answer cannot use up the whole thread pool.
#[derive(Clone)]
pub struct SystemResolver {
    permits: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let permits = Arc::clone(&self.permits);
            let permit = permits.acquire_owned().await.map_err(io::Error::other)?;
            let host = host.to_owned();
            let lookup = spawn_blocking(move || {
                let _held_until_the_answer = permit;
                (host.as_str(), 0).to_socket_addrs()
            });
            let found = lookup.await.map_err(io::Error::other)??;
            Ok(found.map(|socket: SocketAddr| socket.ip()).collect())
        })
    }
}
