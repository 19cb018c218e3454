//! The product under test: the real binary, in its own process.

use std::fmt::{Display, Formatter};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::process::Child;

use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::cores::Cores;
use crate::place::RunFolder;

/// The generator derives the sandbox bank's key from it, to call as that bank.
pub const SECRET: &str = "a secret of the benchmark, and of nothing else";
/// With a fee a charge posts two transfers: four legs on three accounts.
pub const FEE_CENTS: i64 = 80;

const START_TIME_MAX: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(1);
const LOG_SHOWN: usize = 2_000;

/// A running server; dropping this stops it.
pub struct Server {
    pub address: SocketAddr,
    pub pid: u32,
    /// From the start of the process to its first response.
    pub started_in: Duration,
    child: Child,
}

/// Whether the server uses its default rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimits {
    On,
    Off,
}

impl Display for RateLimits {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::On => "on",
            Self::Off => "off",
        })
    }
}

impl Server {
    /// Starts the product without rate limits and waits until it serves.
    pub async fn start(cores: Cores, place: &RunFolder) -> Result<Self> {
        Self::start_with(cores, place, RateLimits::Off).await
    }

    /// Starts the product and waits until it serves.
    pub async fn start_with(cores: Cores, place: &RunFolder, limits: RateLimits) -> Result<Self> {
        let program = program()?;
        let address = free_address()?;
        let log_path = place.folder().join(format!("server-{}.log", address.port()));
        let log = std::fs::File::create(&log_path)?;
        let mut command = cores.server_command(&program);
        with_storage(&mut command, place)
            .arg("serve")
            .env("TOSTAO_LISTEN", address.to_string())
            .env("TOSTAO_RATE_LIMITS", limits.to_string())
            .env("TOSTAO_ALLOW_LOCAL_WEBHOOKS", "true")
            .env("TOSTAO_PIX_FEE_CENTS", FEE_CENTS.to_string())
            .env("TOSTAO_LOG", "warn")
            .stdout(log.try_clone()?)
            .stderr(Stdio::from(log));
        let began = clock::now();
        let child = command.spawn().context("the server cannot be started")?;
        let pid = child.id().context("the server exited at once")?;
        let mut server = Self { address, pid, started_in: Duration::ZERO, child };
        server.wait_until_it_serves(&log_path).await?;
        server.started_in = clock::now().duration_since(began);
        Ok(server)
    }

    /// Kills the process, like a power failure, and waits for its end.
    pub async fn stop(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    async fn wait_until_it_serves(&mut self, log: &Path) -> Result<()> {
        let deadline = clock::now() + START_TIME_MAX;
        while !is_ready(self.address).await {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server exited with {status}: {}", end_of(log));
            }
            if clock::now() > deadline {
                bail!("the server did not get ready: {}", end_of(log));
            }
            clock::pause(LOOK_EVERY).await;
        }
        Ok(())
    }
}

/// Makes the database, with an administrator in it.
pub async fn create_administrator(place: &RunFolder, email: &str, password: &str) -> Result<()> {
    let words = ["admin", "create", "--email", email, "--password", password];
    run(place, &words, "no administrator").await
}

/// Verifies the whole ledger of a run whose server has stopped; a server would do it beside its
/// work, and take five times as long.
pub async fn verify_ledger(place: &RunFolder) -> Result<()> {
    run(place, &["ledger", "verify"], "the books do not agree").await
}

/// Runs a command of the product to its end.
async fn run(place: &RunFolder, words: &[&str], otherwise: &str) -> Result<()> {
    let mut command = tokio::process::Command::new(program()?);
    let ended = with_storage(&mut command, place).args(words).output().await?;
    if !ended.status.success() {
        bail!("{otherwise}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(())
}

/// The program's environment on a run's database, and nothing of ours.
fn with_storage<'a>(
    command: &'a mut tokio::process::Command,
    place: &RunFolder,
) -> &'a mut tokio::process::Command {
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TOSTAO_DATABASE_URL", place.servers_url())
        .env("TOSTAO_SECRET_KEY", SECRET)
}

/// The product's binary, next to this one.
pub fn program() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("tostao");
    if !path.is_file() {
        bail!("{} is missing; build it first: cargo build --profile dist", path.display());
    }
    Ok(path)
}

/// A local address without a listener.
pub fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut connection) = Connection::open(address).await else { return false };
    let answer = connection.send(&Request::get("/readyz", &[])).await;
    answer.is_ok_and(|answer| answer.status == 200)
}

fn end_of(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let from = text.len().saturating_sub(LOG_SHOWN);
    text.get(from..).unwrap_or(&text).to_owned()
}
