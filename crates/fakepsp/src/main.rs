//! The fake banks as a program, for judges and demonstrations that are other processes.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use fakepsp::fake::{Fake, Options};
use fakepsp::settings::Settings;
use jiff::Timestamp;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};
use url::Url;

#[derive(Parser)]
#[command(about = "Efí, Inter and Pagar.me, faked for tests on this machine.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves until SIGTERM or Ctrl-C, and prints one line of JSON with its addresses.
    Serve(Serve),
}

#[derive(clap::Args)]
struct Serve {
    /// Where the certificates are written as PEM.
    #[arg(long)]
    folder: PathBuf,
    /// HTTP for the core and the admin operations.
    #[arg(long, default_value = "127.0.0.1:0")]
    plain: SocketAddr,
    /// HTTPS that demands a client certificate: Efí's API Pix and Inter.
    #[arg(long)]
    tls_client: Option<SocketAddr>,
    /// HTTPS without one: Efí's API Cobranças and Pagar.me.
    #[arg(long)]
    tls: Option<SocketAddr>,
    /// A schema validator that proxies to `/v2` of the plain listener.
    #[arg(long)]
    through: Option<Url>,
    /// PEM of further authorities that the receivers of notices may have.
    #[arg(long)]
    trust: Option<PathBuf>,
    /// The seed of every id; another one at each start if absent.
    #[arg(long)]
    seed: Option<u64>,
    /// A clock that stands still at this instant.
    #[arg(long)]
    stopped_at: Option<Timestamp>,
    /// Settings as JSON, as `POST /__settings` takes them.
    #[arg(long, default_value = "{}")]
    settings: String,
    /// How often a notice is sent before it is given up.
    #[arg(long, default_value_t = 6)]
    notice_tries: u32,
    /// Ends when the standard input does, so that no fake outlives the test that started it.
    #[arg(long)]
    until_stdin_closes: bool,
}

fn main() -> Result<()> {
    let Command::Serve(arguments) = Cli::parse().command;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(serve(arguments));
    // A thread may still be reading the standard input.
    runtime.shutdown_background();
    result
}

async fn serve(arguments: Serve) -> Result<()> {
    // Before the line is printed: its reader may end this process at once.
    let mut terminate = signal(SignalKind::terminate())?;
    let until_stdin_closes = arguments.until_stdin_closes;
    let folder = arguments.folder.clone();
    let fake = Fake::start(options(arguments)?).await?;
    let addresses = fake.addresses();
    let line = json!({
        "plain": addresses.plain.map(|address| format!("http://{address}")),
        "tls_client": addresses.tls_client.map(|at| format!("https://localhost:{}", at.port())),
        "tls": addresses.tls.map(|at| format!("https://localhost:{}", at.port())),
        "folder": folder,
    });
    let mut output = std::io::stdout();
    writeln!(output, "{line}")?;
    output.flush()?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = stdin_closes(), if until_stdin_closes => {}
    }
    fake.stop().await;
    Ok(())
}

fn options(arguments: Serve) -> Result<Options> {
    let trust = arguments.trust.map(std::fs::read_to_string).transpose();
    let settings: Settings =
        serde_json::from_str(&arguments.settings).context("--settings is not understood")?;
    Ok(Options {
        folder: Some(arguments.folder),
        plain: Some(arguments.plain),
        tls_client: arguments.tls_client,
        tls: arguments.tls,
        through: arguments.through,
        trust: trust.context("cannot read the certificates to trust")?,
        seed: arguments.seed,
        stopped_at: arguments.stopped_at,
        settings,
        notice_tries: arguments.notice_tries,
    })
}

async fn stdin_closes() {
    let mut input = tokio::io::stdin();
    let mut bytes = [0; 256];
    while input.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
}
