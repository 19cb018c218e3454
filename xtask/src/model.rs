//! Longer random lives than the tests have time for: ten thousand deeds on each database, each held
//! against the model, and on SQLite a thousand subscribers for two years.

use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{command, run as run_command, say};
use crate::postgres;

/// The variables that the lives listen to, and how many deeds each of the four then has.
const DEEDS_VARIABLE: &str = "TOSTAO_MODEL_DEEDS";
const SEED_VARIABLE: &str = "TOSTAO_MODEL_SEED";
const DEEDS: &str = "2500";
/// The variable that says how many subscribers there are; many take long where each unit waits for
/// another process, so there it says nothing.
const SUBSCRIBERS_VARIABLE: &str = "TOSTAO_MODEL_SUBSCRIBERS";
const SUBSCRIBERS: &str = "1000";
const LIVES: u64 = 4;

/// Lives them on SQLite and on PostgreSQL; arguments are another number of deeds and another seed
/// for the first life.
pub fn run(arguments: &[String]) -> Result<()> {
    let deeds = arguments.first().map_or(DEEDS, String::as_str);
    let first: u64 = match arguments.get(1) {
        Some(seed) => seed.parse().with_context(|| format!("{seed} is no seed"))?,
        None => 1,
    };
    let last = first + LIVES - 1;
    say(&format!("lives of the seeds {first} to {last}, each of {deeds} deeds, on SQLite"))?;
    let mut on_sqlite = lives(deeds, first)?;
    on_sqlite.env(SUBSCRIBERS_VARIABLE, SUBSCRIBERS).env_remove(postgres::DATABASE_URL);
    run_command(&mut on_sqlite)?;
    say("the same on PostgreSQL")?;
    postgres::run_beside(&mut lives(deeds, first)?)
}

/// Of the whole workspace, because that is what the tests before have built.
fn lives(deeds: &str, first: u64) -> Result<Command> {
    let tests = ["cargo", "test", "--locked", "--workspace", "--test", "it", "--", "model::"];
    let mut tests = command(&tests)?;
    tests.env(DEEDS_VARIABLE, deeds).env(SEED_VARIABLE, first.to_string());
    Ok(tests)
}
