//! The workloads, each on a database and a server of its own.

use anyhow::Result;

use crate::bench::Bench;
use crate::limits;
use crate::options::Command;

mod bank;
mod billing;
mod contention;
mod coupon;
mod create_link;
mod dashboard;
mod deep_list;
mod fan_out;
mod flooding;
mod footprint;
mod full_charge;
mod growth;
mod old;
mod page;
mod questions;
mod retries;
mod sign_in;

/// Runs the requested workloads, and the limits they are compared with.
pub async fn run(bench: &Bench, command: &Command) -> Result<()> {
    match command {
        Command::All => all(bench).await,
        Command::W1 => create_link::run(bench).await,
        Command::W2 => full_charge::run(bench).await,
        Command::W3 => page::run(bench).await,
        Command::W4 => fan_out::run(bench).await,
        Command::W5 => coupon::run(bench).await,
        Command::W6 => growth::run(bench).await,
        Command::W7 => deep_list::run(bench).await,
        Command::W8 => billing::run(bench).await,
        Command::W9 => contention::run(bench).await,
        Command::W10 => retries::run(bench).await,
        Command::SignIn => sign_in::run(bench).await,
        Command::W11 => flooding::run(bench).await,
        Command::W12 => bank::run(bench).await,
        Command::W13 => questions::run(bench).await,
        Command::W14 => dashboard::run(bench).await,
        Command::Footprint => footprint::run(bench).await,
        Command::Limits => limits::run(bench).await,
        Command::Helper(_) => Ok(()),
    }
}

async fn all(bench: &Bench) -> Result<()> {
    limits::sync::run(bench)?;
    footprint::run(bench).await?;
    sign_in::run(bench).await?;
    create_link::run(bench).await?;
    full_charge::run(bench).await?;
    page::run(bench).await?;
    fan_out::run(bench).await?;
    coupon::run(bench).await?;
    contention::run(bench).await?;
    retries::run(bench).await?;
    flooding::run(bench).await?;
    bank::run(bench).await?;
    questions::run(bench).await?;
    growth::run(bench).await?;
    deep_list::run(bench).await?;
    dashboard::run(bench).await?;
    billing::run(bench).await
}
