//! Longer random lives than the tests have time for: ten thousand deeds, each held against the
//! model.

use anyhow::Result;

use crate::command::{command, run as run_command};
use crate::postgres;

/// The variable that the lives listen to, and how many deeds each of the four then has.
const DEEDS_VARIABLE: &str = "TOSTAO_MODEL_DEEDS";
const DEEDS: &str = "2500";

/// Lives them on SQLite; an argument is another number of deeds.
pub fn run(arguments: &[String]) -> Result<()> {
    let deeds = arguments.first().map_or(DEEDS, String::as_str);
    let tests = ["cargo", "test", "--locked", "-p", "tostao", "--test", "it", "--", "model::"];
    let mut tests = command(&tests)?;
    run_command(tests.env(DEEDS_VARIABLE, deeds).env_remove(postgres::DATABASE_URL))
}
