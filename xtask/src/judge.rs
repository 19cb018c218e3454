//! Judges from outside: libraries that share no code with us check what merchants rely on.
//!
//! A server is started as an operator would. A Python receiver checks every webhook with the
//! `standardwebhooks` package and with plain `hmac`. A thousand random charges are ordered:
//! Chromium shows the page of each and every slip, zxing reads the QR codes and the bars off what
//! it shows, and a JavaScript library reads BR Codes, lines of slips and documents, and writes the
//! BR Codes anew. Two generators make clients of the description of the API, and the clients
//! compile. On demand Schemathesis makes thousands of requests from that description, sound and
//! unsound ones, and holds every answer against it. Our own tests could share our own mistakes.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::browser::{self, CHROMIUM};
use crate::command::{command, release, root, run as run_command};

const PYTHON_LIBRARIES: [&str; 6] = [
    "standardwebhooks==1.1.0",
    "zxing-cpp==3.1.1",
    "pillow==13.0.0",
    "pypdfium2==5.15.2",
    "schemathesis==4.32.5",
    "openapi-python-client==0.29.1",
];
/// The same choices every time, though ids are new; another seed is there for the asking.
const SCHEMA_SEED: &str = "20240229";
const JAVASCRIPT_LIBRARY: &str = "@brazilian-utils/brazilian-utils@2.4.0";

/// Judges the release build; fails at the first judge who finds a fault. An argument is the seed of
/// an earlier run, to order the same charges again.
pub fn run(seed: &[String]) -> Result<()> {
    let (folder, python, program) = prepare()?;
    ask(&python, "xtask/judges/clients.py", &[&program, &clients(&folder)?])?;
    let library = javascript(&folder.join("javascript"))?;
    let driver = browser::provide()?.display().to_string();
    let charges = folder.join("charges.json").display().to_string();
    ask(&python, "xtask/judges/webhooks.py", &[&program])?;
    let mut arguments = vec![&*program, &*charges, CHROMIUM, &*driver];
    arguments.extend(seed.iter().map(String::as_str));
    ask(&python, "xtask/judges/charges.py", &arguments)?;
    run_command(&mut command(&["node", "xtask/judges/charges.mjs", &library, &charges])?)
}

/// Lets Schemathesis ask every operation of the release build. It takes minutes, so the gate leaves
/// it out. An argument is a seed.
pub fn fuzz(seed: &[String]) -> Result<()> {
    let (_, python, program) = prepare()?;
    let seed = seed.first().map_or(SCHEMA_SEED, String::as_str);
    ask(&python, "xtask/judges/schema.py", &[&program, seed])
}

/// Builds what is judged, and what judges; answers the folder, its Python and the program.
fn prepare() -> Result<(PathBuf, String, String)> {
    let folder = root().join("target/judges");
    std::fs::create_dir_all(&folder)?;
    let program = release()?.display().to_string();
    let python = python(&folder.join("python"))?;
    Ok((folder, python, program))
}

fn ask(python: &str, script: &str, arguments: &[&str]) -> Result<()> {
    // Compiled modules would be left beside the scripts.
    run_command(command(&[python, "-B", script])?.args(arguments))
}

/// A Python of its own with the libraries; answers its program.
fn python(folder: &Path) -> Result<String> {
    let python = folder.join("bin/python").display().to_string();
    if !folder.join("bin/python").exists() {
        let made = run_command(command(&["python3", "-m", "venv"])?.arg(folder));
        made.context("on Debian, install python3-venv")?;
    }
    let install = [&*python, "-m", "pip", "install", "--quiet"];
    run_command(command(&install)?.args(PYTHON_LIBRARIES))?;
    Ok(python)
}

/// The generator of TypeScript and its compiler in a folder of their own; answers the folder.
fn clients(folder: &Path) -> Result<String> {
    let folder = folder.join("clients");
    std::fs::create_dir_all(&folder)?;
    browser::install_locked("xtask/judges/clients", &folder)?;
    Ok(folder.display().to_string())
}

/// The JavaScript library in a folder of its own; answers the folder.
fn javascript(folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder)?;
    let shown = folder.display().to_string();
    let install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    let installed =
        run_command(command(&install)?.args(["--silent", "--prefix", &shown, JAVASCRIPT_LIBRARY]));
    installed.context("on Debian, install npm")?;
    Ok(shown)
}
