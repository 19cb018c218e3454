//! The workloads, and the limits they are measured against.
//!
//! `bench` starts the product as its users do, loads it from outside, verifies afterwards that
//! every acknowledged charge exists and the ledger is consistent, and prints the results. See
//! `--help`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;

use crate::bench::Bench;
use crate::cores::Cores;
use crate::options::{Cli, Command};

mod bank;
mod bench;
mod charge;
mod client;
mod clock;
mod cores;
mod helper;
mod in_process;
mod limits;
mod load;
mod network;
mod numbers;
mod options;
mod past;
mod place;
mod postgres;
mod report;
mod server;
mod shop;
mod sink;
mod usage;
mod workloads;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If the terminal is gone, the error cannot be shown.
            let _ = writeln!(std::io::stderr().lock(), "bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    // The parent pins helpers to the server's core.
    let helper = matches!(cli.command, Command::Helper(_));
    let cores = if helper { Cores::Shared } else { Cores::take() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        tokio::select! {
            done = work(cli, cores) => done,
            stopped = asked_to_stop() => stopped,
        }
    })
}

async fn work(cli: Cli, cores: Cores) -> Result<()> {
    if let Command::Helper(helper) = cli.command {
        return helper::run(helper).await;
    }
    let bench = Bench::open(cli.options, cores).await?;
    workloads::run(&bench, &cli.command).await
}

/// Dropping the work ends the processes that it started.
async fn asked_to_stop() -> Result<()> {
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    bail!("stopped")
}
