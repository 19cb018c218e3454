//! The clients that integrators generate from the OpenAPI document.
//!
//! Two generators make one each, in TypeScript and in Python; both compile without a warning and
//! call a server that runs. The TypeScript program that does so is `examples/sdk/use.ts`. The
//! judges include this.

use std::path::Path;

use anyhow::Result;

use crate::judge;

/// Makes the clients and calls the program with them.
pub fn run(_: &[String]) -> Result<()> {
    let (folder, python, program) = judge::prepare()?;
    check(&python, &program, &folder)
}

/// The same with what the judges have prepared.
pub fn check(python: &str, program: &str, folder: &Path) -> Result<()> {
    let folder = judge::locked("sdk", folder)?;
    judge::ask(python, "xtask/judges/sdk.py", &[program, &folder])
}
