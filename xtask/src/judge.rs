//! Judges from outside: libraries that share no code with us check what merchants rely on.
//!
//! A server is started as an operator would. A Python receiver checks every webhook with the
//! `standardwebhooks` package and with plain `hmac`, and a JavaScript library reads the BR Codes
//! that the same server issued and writes them anew. Our own tests could share our own mistakes.

use std::path::Path;

use anyhow::{Context, Result};

use crate::command::{command, root, run as run_command};

const WEBHOOK_LIBRARY: &str = "standardwebhooks==1.1.0";
const BR_CODE_LIBRARY: &str = "@brazilian-utils/brazilian-utils@2.4.0";

/// Judges the release build; fails at the first judge who finds a fault.
pub fn run(_: &[String]) -> Result<()> {
    let folder = root().join("target/judges");
    std::fs::create_dir_all(&folder)?;
    run_command(&mut command(&["cargo", "build", "--release", "--locked"])?)?;
    let python = python(&folder.join("python"))?;
    let library = javascript(&folder.join("javascript"))?;
    let codes = folder.join("codes.json").display().to_string();
    let program = root().join("target/release/tostao").display().to_string();
    run_command(&mut command(&[&*python, "xtask/judges/webhooks.py", &program, &codes])?)?;
    run_command(&mut command(&["node", "xtask/judges/brcodes.mjs", &library, &codes])?)
}

/// A Python of its own with the library; answers its program.
fn python(folder: &Path) -> Result<String> {
    let python = folder.join("bin/python").display().to_string();
    if !folder.join("bin/python").exists() {
        let made = run_command(command(&["python3", "-m", "venv"])?.arg(folder));
        made.context("on Debian, install python3-venv")?;
    }
    run_command(&mut command(&[&*python, "-m", "pip", "install", "--quiet", WEBHOOK_LIBRARY])?)?;
    Ok(python)
}

/// The JavaScript library in a folder of its own; answers the folder.
fn javascript(folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder)?;
    let shown = folder.display().to_string();
    let install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    let installed =
        run_command(command(&install)?.args(["--silent", "--prefix", &shown, BR_CODE_LIBRARY]));
    installed.context("on Debian, install npm")?;
    Ok(shown)
}
