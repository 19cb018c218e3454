//! The one address of a server that starts again at others, as a proxy in front of it has.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::harness::killing::Open;

/// A proxy that passes connections on to wherever the server is; dropping it closes them.
pub struct Front {
    pub url: String,
    listener: Option<TcpListener>,
    serving: JoinSet<()>,
}

impl Front {
    pub async fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("is bound"));
        Self { url, listener: Some(listener), serving: JoinSet::new() }
    }

    /// Passes connections on from now on.
    pub fn serve(&mut self, open: watch::Receiver<Open>) {
        let listener = self.listener.take().expect("it does not serve yet");
        self.serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                        let address = open.borrow().address(0);
                        connections.spawn(pass_on(stream, address));
                    },
                    Some(_) = connections.join_next() => {}
                }
            }
        });
    }
}

/// Passes one connection on; it ends with the server.
async fn pass_on(mut from: TcpStream, address: SocketAddr) {
    if let Ok(mut to) = TcpStream::connect(address).await {
        let _ = copy_bidirectional(&mut from, &mut to).await;
    }
}
