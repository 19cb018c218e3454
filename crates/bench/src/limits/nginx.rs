//! nginx with one worker and one file: a well-known reference next to L8.

use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use tokio::process::Child;

use crate::bench::Bench;
use crate::client::Connection;
use crate::clock;
use crate::report::progress;
use crate::server::free_address;

const START_TIME_MAX: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A running nginx; dropping this stops it.
pub struct Nginx {
    pub address: SocketAddr,
    pub pid: u32,
    _child: Child,
    _folder: TempDir,
}

/// Starts nginx with a page of that many bytes; `None` if it is not installed.
pub async fn start(bench: &Bench, bytes: usize) -> Result<Option<Nginx>> {
    if which().is_none() {
        progress("L8 without nginx, which is not installed");
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("tostao-bench-").tempdir()?;
    // Its worker may run as another user, who has to read the page.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    std::fs::write(folder.path().join("page"), "a".repeat(bytes))?;
    let address = free_address()?;
    let settings = settings(address);
    let path = folder.path().join("nginx.conf");
    std::fs::write(&path, settings)?;
    let mut command = bench.cores.server_command("nginx");
    command.arg("-p").arg(folder.path()).arg("-c").arg(&path);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let pid = child.id().context("nginx exited at once")?;
    let deadline = clock::now() + START_TIME_MAX;
    while Connection::open(address).await.is_err() {
        if clock::now() > deadline || child.try_wait()?.is_some() {
            bail!("nginx did not start with {}", path.display());
        }
        clock::pause(LOOK_EVERY).await;
    }
    Ok(Some(Nginx { address, pid, _child: child, _folder: folder }))
}

/// One process without a master, so that ending it ends everything.
fn settings(address: SocketAddr) -> String {
    format!(
        "daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log /dev/null;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    default_type text/html;
    keepalive_requests 1000000000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    open_file_cache max=16;
    server {{ listen {address}; root .; }}
}}
"
    )
}

#[expect(clippy::disallowed_methods, reason = "the PATH is not a setting of the product")]
fn which() -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("nginx")).find(|file| file.is_file())
}
