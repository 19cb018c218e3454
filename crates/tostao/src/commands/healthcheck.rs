//! Asking a running server whether it is ready, for containers and scripts.

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::commands::say;
use crate::platform::config::ListenSettings;

/// Fails unless `/readyz` answers 200.
pub async fn run(listener: &ListenSettings) -> anyhow::Result<()> {
    let address = listener.listen;
    let connected = TcpStream::connect(address).await;
    let mut stream = connected.with_context(|| format!("cannot connect to {address}"))?;
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.lines().next().unwrap_or_default();
    ensure!(status.contains(" 200 "), "not ready: {status}");
    say("ready")
}
