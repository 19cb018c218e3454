//! End-to-end tests of the hosted checkout and the dashboard in a real browser: whole purchases,
//! and a merchant's first minutes, at several widths, in both languages.
//!
//! The tests are in `xtask/browser`, in JavaScript, the language of the library that drives the
//! browser. They start their own server with an empty database, buy from it with and without
//! scripts, by mouse and by keyboard, and check every page against common requirements. Their
//! screenshots are in `target/browser`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::{
    build_program, command, provide as provide_programs, root, run as run_command,
};

pub const CHROMIUM: &str = "/usr/bin/chromium";
/// The folder of the README's pictures.
const PICTURES: &str = "docs/pictures";

/// Programs, each with its Debian package.
const NEEDS: [(&str, &str); 3] = [("node", "nodejs"), ("npm", "npm"), (CHROMIUM, "chromium")];

/// The locked versions and hashes of the packages.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

/// Runs every test, or those with one of these words in their names; fails if one of them fails.
pub fn run(words: &[String]) -> Result<()> {
    let folder = provide()?;
    remove_pictures(&folder)?;
    let program = build_program()?;
    let mut stories = command(&["node"])?;
    stories.arg(root().join("xtask/browser/purchase.mjs"));
    stories.arg(program).arg(CHROMIUM).args(words);
    run_command(stories.current_dir(folder))
}

/// Takes the pictures of the README again.
pub fn take_pictures(_: &[String]) -> Result<()> {
    let folder = provide()?;
    let program = build_program()?;
    let mut pictures = command(&["node"])?;
    pictures.arg(root().join("xtask/browser/pictures.mjs"));
    pictures.arg(program).arg(CHROMIUM).arg(root().join(PICTURES));
    run_command(pictures.current_dir(folder))
}

/// Prepares Chromium; returns the folder of the library that drives it.
pub fn provide() -> Result<PathBuf> {
    provide_programs(&NEEDS)?;
    let folder = root().join("target/browser");
    fs::create_dir_all(&folder)?;
    install_locked("xtask/browser", &folder)?;
    Ok(folder)
}

/// Screenshots of an earlier run would be outdated.
fn remove_pictures(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "png") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Installs the packages that a folder of the tree locks; downloads are cached.
pub fn install_locked(manifests: &str, folder: &Path) -> Result<()> {
    for manifest in MANIFESTS {
        fs::copy(root().join(manifests).join(manifest), folder.join(manifest))
            .with_context(|| manifest.to_owned())?;
    }
    let install = ["npm", "ci", "--ignore-scripts", "--prefer-offline", "--loglevel", "error"];
    run_command(command(&install)?.args(["--no-audit", "--no-fund"]).current_dir(folder))
}
