//! Taking a port, and saying what to do where that fails.

use std::io::ErrorKind;
use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::net::TcpListener;

/// Listens on an address.
pub async fn listen(wanted: SocketAddr) -> anyhow::Result<TcpListener> {
    explain(TcpListener::bind(wanted).await, wanted)
}

/// Says what to do about a port that could not be taken.
pub fn explain(bound: std::io::Result<TcpListener>, at: SocketAddr) -> anyhow::Result<TcpListener> {
    match bound {
        Err(taken) if taken.kind() == ErrorKind::AddrInUse => {
            bail!(
                "{at} is in use by another program; choose another with --listen, such as \
                127.0.0.1:8081"
            )
        }
        bound => bound.with_context(|| format!("cannot listen on {at}")),
    }
}
