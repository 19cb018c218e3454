//! The accept loop: it limits slow and hostile clients, and lets requests finish at shutdown.
//!
//! What a client may hold, and for how long:
//!
//! | the client …                                   | ends after                       |
//! |------------------------------------------------|----------------------------------|
//! | sends nothing, or its request's head slowly    | [`ServerLimits::head`]           |
//! | is quiet between two requests                  | [`ServerLimits::idle`]           |
//! | does not read its response                     | [`ServerLimits::stall`]          |
//! | keeps its connection for too long              | [`ServerLimits::age`]            |
//! | is still being served after that, or at a stop | [`ServerLimits::drain`] more     |
//!
//! A request's body has a deadline of its own where it is read.

use std::future::Future;
use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::platform::http::client_ip::TrustedProxies;
use crate::platform::http::server::accept::Acceptor;
use crate::platform::http::server::connection::Connection;
use crate::platform::{open_files, telemetry};

mod accept;
mod connection;
mod response_body;
mod timeout_stream;

/// How long to pause when the system lacks resources to accept with, such as file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// How many open files are left for the database, banks, webhooks and the rest; half of them where
/// the process may have fewer.
const OTHER_FILES: usize = 1_024;

/// The address at the other end of a request's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Limits of all clients together, and of each.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// Concurrent connections; more wait in the system's queue.
    pub connections: usize,
    /// Concurrent connections of one address (in IPv6, of one network); trusted proxies have no
    /// such limit. Further ones are closed at once.
    pub connections_per_address: usize,
    /// From the first byte of a request's head to its last; on a new connection, from the start.
    pub head: Duration,
    /// From one request to the end of the next one's head.
    pub idle: Duration,
    /// How long a client may read nothing of its response.
    pub stall: Duration,
    /// The maximum age of a connection; requests in flight still finish.
    pub age: Duration,
    /// How long requests in flight may take to finish.
    pub drain: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_address: 200,
            head: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            age: Duration::from_mins(10),
            drain: Duration::from_secs(25),
        }
    }
}

impl ServerLimits {
    /// The usual limits, with no more connections than this process may have open.
    pub fn of_process() -> Self {
        Self::within(open_files::limit())
    }

    fn within(files: Option<usize>) -> Self {
        let usual = Self::default();
        let Some(files) = files else { return usual };
        let connections = files - OTHER_FILES.min(files / 2);
        Self { connections: usual.connections.min(connections).max(1), ..usual }
    }
}

/// Serves until `stop` resolves; then accepts nothing new, lets requests in flight finish, ends
/// event streams, and returns.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    proxies: TrustedProxies,
    stop: impl Future<Output = ()>,
) {
    let (stopping, stopped) = watch::channel(false);
    let acceptor = Acceptor::new(&limits, proxies);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(ended) = connections.join_next() => report(ended),
            accepted = acceptor.accept(&listener) => match accepted {
                Ok(Some((stream, permit))) => {
                    let (router, stopped) = (router.clone(), stopped.clone());
                    let connection = Connection { router, limits, peer: permit.peer, stopped };
                    connections.spawn(async move {
                        connection.run(stream).await;
                        drop(permit);
                    });
                }
                Ok(None) => telemetry::connection_refused(),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept connections; trying again");
                    if tokio::time::timeout(ACCEPT_PAUSE, &mut stop).await.is_ok() {
                        break;
                    }
                }
            }
        }
    }
    drop(listener);
    stopping.send_replace(true);
    while let Some(ended) = connections.join_next().await {
        report(ended);
    }
}

/// Logs a panic in a connection's task: an internal error, since clients cannot cause one.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection failed");
    }
}

#[cfg(test)]
mod tests;
