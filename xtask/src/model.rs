//! Longer random runs than the tests have time for: ten thousand actions on each database, each
//! compared with the reference model, and on SQLite a thousand subscribers for two years.

use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{command, run as run_command, say};
use crate::postgres;

/// The environment variables of the runs, and the number of actions of each of the four.
const ACTIONS_VARIABLE: &str = "TOSTAO_MODEL_ACTIONS";
const SEED_VARIABLE: &str = "TOSTAO_MODEL_SEED";
const ACTIONS: &str = "2500";
/// The environment variable for the number of subscribers; not set where each unit waits for
/// another process, because many take long there.
const SUBSCRIBERS_VARIABLE: &str = "TOSTAO_MODEL_SUBSCRIBERS";
const SUBSCRIBERS: &str = "1000";
const LIVES: u64 = 4;

/// Runs them on SQLite and on PostgreSQL; arguments override the number of actions and the seed of
/// the first run.
pub fn run(arguments: &[String]) -> Result<()> {
    on_sqlite(arguments)?;
    on_postgres(arguments)
}

pub fn on_sqlite(arguments: &[String]) -> Result<()> {
    let mut lives = lives(arguments, "SQLite")?;
    run_command(lives.env(SUBSCRIBERS_VARIABLE, SUBSCRIBERS).env_remove(postgres::DATABASE_URL))
}

pub fn on_postgres(arguments: &[String]) -> Result<()> {
    postgres::run_beside(&mut lives(arguments, "PostgreSQL")?)
}

/// Of the whole workspace, because that is what the earlier tests have built.
fn lives(arguments: &[String], database: &str) -> Result<Command> {
    let actions = arguments.first().map_or(ACTIONS, String::as_str);
    let first: u64 = match arguments.get(1) {
        Some(seed) => seed.parse().with_context(|| format!("{seed} is no seed"))?,
        None => 1,
    };
    let last = first + LIVES - 1;
    say(&format!(
        "lives of the seeds {first} to {last}, each of {actions} actions, on {database}"
    ))?;
    let tests = ["cargo", "test", "--locked", "--workspace", "--test", "it", "--", "model::"];
    let mut tests = command(&tests)?;
    tests.env(ACTIONS_VARIABLE, actions).env(SEED_VARIABLE, first.to_string());
    Ok(tests)
}
