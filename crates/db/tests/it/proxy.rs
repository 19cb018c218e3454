//! A proxy to the server that can lose the response to a commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub struct Proxy {
    pub address: String,
    losing: Arc<AtomicBool>,
}

impl Proxy {
    /// Listens on a free port and forwards everything to `server`, until it is set to lose.
    #[expect(clippy::disallowed_methods, reason = "the proxy serves beside the test")]
    pub async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let losing = Arc::<AtomicBool>::default();
        let lose = losing.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(pass(client, server, lose.clone()));
            }
        });
        Self { address, losing }
    }

    /// From now on the first commit reaches the server, and its response is lost.
    pub fn lose_the_next_commit(&self) {
        self.losing.store(true, Ordering::SeqCst);
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, losing: Arc<AtomicBool>) {
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let Ok(size @ 1..) = read else { return };
                if server.write_all(&up[..size]).await.is_err() {
                    return;
                }
                if holds(&up[..size], b"commit\0") && losing.swap(false, Ordering::SeqCst) {
                    return swallow_until_committed(server).await;
                }
            }
            read = server.read(&mut down) => {
                let Ok(size @ 1..) = read else { return };
                if client.write_all(&down[..size]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn swallow_until_committed(mut server: TcpStream) {
    let mut seen = Vec::new();
    while !holds(&seen, b"COMMIT\0") && server.read_buf(&mut seen).await.is_ok_and(|n| n > 0) {}
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
