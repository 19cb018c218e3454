//! Taking a port, and saying what to do where that fails.

use std::io::{ErrorKind, stdin};
use std::net::SocketAddr;
use std::os::fd::AsFd;

use anyhow::{Context, bail, ensure};
use socket2::Socket;
use tokio::net::TcpListener;

/// Listens on an address, by itself or on the socket that systemd keeps there between two starts.
pub async fn listen(wanted: SocketAddr) -> anyhow::Result<TcpListener> {
    let Some((socket, at)) = kept() else {
        return explain(TcpListener::bind(wanted).await, wanted);
    };
    ensure!(
        at == wanted,
        "the socket on standard input listens on {at}, not on {wanted} (TOSTAO_LISTEN)"
    );
    socket.set_nonblocking(true)?;
    Ok(TcpListener::from_std(socket.into())?)
}

/// The listening socket on the standard input, and its address. The input may also be a connection,
/// as under inetd, which says nothing about where to listen.
fn kept() -> Option<(Socket, SocketAddr)> {
    let socket = Socket::from(stdin().as_fd().try_clone_to_owned().ok()?);
    let at = socket.local_addr().ok()?.as_socket()?;
    socket.is_listener().ok()?.then_some((socket, at))
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
