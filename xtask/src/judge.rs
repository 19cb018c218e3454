//! Judges: third-party libraries that share no code with us check what merchants rely on.
//!
//! A server is started as an operator would. A Python receiver verifies every webhook with the
//! `standardwebhooks` package and with plain `hmac`, `pyotp` makes the codes of a second step,
//! an SMTP server of `aiosmtpd` takes mails over TLS, which Python's parser reads, and `openpyxl`
//! opens exported workbooks. A thousand
//! random charges are created: Chromium renders the page of each and every boleto, zxing reads
//! the QR codes and the barcodes off the screenshots, and a JavaScript library reads BR Codes,
//! typed lines of boletos and documents, and writes the BR Codes again. Clients are generated
//! from the OpenAPI document and call the server, and the importers of Postman and Insomnia read
//! it. On demand Schemathesis sends thousands of valid and invalid requests from that document,
//! and checks every response against it. Our own tests could share our own mistakes. The
//! connectors with banks have judges of their own, in `connectors`.

mod connectors;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::browser::{self, CHROMIUM};
use crate::command::{build_program, command, output, root, run as run_command};
use crate::sdk;

/// Sends requests that an OpenAPI document allows, and others.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const PYTHON_LIBRARIES: [&str; 10] = [
    "standardwebhooks==1.1.0",
    "aiosmtpd==1.4.6",
    "trustme==1.2.1",
    "zxing-cpp==3.1.1",
    "pillow==13.0.0",
    "pypdfium2==5.15.2",
    "pyotp==2.12.0",
    "openpyxl==3.1.5",
    SCHEMATHESIS,
    "openapi-python-client==0.29.1",
];
/// The default seed, so that choices repeat, although IDs are new; an argument sets another one.
const SCHEMA_SEED: &str = "20240229";
const JAVASCRIPT_LIBRARY: &str = "@brazilian-utils/brazilian-utils@2.4.0";

/// Runs the judges on the program; fails at the first one that finds an error. An argument is
/// the seed of an earlier run, to create the same charges again, or `connectors` for their judges.
pub fn run(arguments: &[String]) -> Result<()> {
    match arguments.split_first() {
        Some((name, rest)) if name == "connectors" => connectors::run(rest),
        _ => judge_product(arguments),
    }
}

fn judge_product(seed: &[String]) -> Result<()> {
    let (folder, python, program) = prepare()?;
    sdk::check(&python, &program, &folder)?;
    import(&program, &folder)?;
    let library = javascript(&folder.join("javascript"))?;
    let driver = browser::provide()?.display().to_string();
    let charges = folder.join("charges.json").display().to_string();
    ask(&python, "xtask/judges/webhooks.py", &[&program])?;
    ask(&python, "xtask/judges/second_step.py", &[&program])?;
    ask(&python, "xtask/judges/mails.py", &[&program])?;
    ask(&python, "xtask/judges/exports.py", &[&program])?;
    let mut arguments = vec![&*program, &*charges, CHROMIUM, &*driver];
    arguments.extend(seed.iter().map(String::as_str));
    ask(&python, "xtask/judges/charges.py", &arguments)?;
    run_command(&mut command(&["node", "xtask/judges/charges.mjs", &library, &charges])?)
}

/// Runs Schemathesis on every operation of the program. It takes ten minutes, so the gate does not
/// include it. An argument is a seed.
pub fn fuzz(seed: &[String]) -> Result<()> {
    let (_, python, program) = prepare()?;
    let seed = seed.first().map_or(SCHEMA_SEED, String::as_str);
    ask(&python, "xtask/judges/schema.py", &[&program, seed])
}

/// Builds the product and the judges; returns the folder, its Python and the program.
pub fn prepare() -> Result<(PathBuf, String, String)> {
    let folder = root().join("target/judges");
    std::fs::create_dir_all(&folder)?;
    let program = build_program()?.display().to_string();
    let python = virtual_environment(&folder.join("python"), &PYTHON_LIBRARIES)?;
    Ok((folder, python, program))
}

/// Runs a script of the judges.
pub fn ask(python: &str, script: &str, arguments: &[&str]) -> Result<()> {
    // Otherwise compiled modules would be left next to the scripts.
    run_command(command(&[python, "-B", script])?.args(arguments))
}

/// A Python virtual environment with libraries; returns its program.
fn virtual_environment(folder: &Path, libraries: &[&str]) -> Result<String> {
    let python = folder.join("bin/python").display().to_string();
    if !folder.join("bin/python").exists() {
        let made = run_command(command(&["python3", "-m", "venv"])?.arg(folder));
        made.context("on Debian, install python3-venv")?;
    }
    let install = [&*python, "-m", "pip", "install", "--quiet"];
    run_command(command(&install)?.args(libraries))?;
    Ok(python)
}

/// Imports the OpenAPI document with the importers of Postman and Insomnia.
fn import(program: &str, folder: &Path) -> Result<()> {
    let document = folder.join("openapi.json");
    std::fs::write(&document, output(&mut command(&[program, "openapi"])?)?)?;
    let (libraries, document) = (locked("imports", folder)?, document.display().to_string());
    run_command(&mut command(&["node", "xtask/judges/imports.mjs", &libraries, &document])?)
}

/// Installs the packages of a manifest of the judges; returns the folder.
pub fn locked(name: &str, folder: &Path) -> Result<String> {
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder)?;
    browser::install_locked(&format!("xtask/judges/{name}"), &folder)?;
    Ok(folder.display().to_string())
}

/// The JavaScript library in its own folder; returns the folder.
fn javascript(folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder)?;
    let shown = folder.display().to_string();
    let install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    let installed =
        run_command(command(&install)?.args(["--silent", "--prefix", &shown, JAVASCRIPT_LIBRARY]));
    installed.context("on Debian, install npm")?;
    Ok(shown)
}
