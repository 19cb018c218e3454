//! Whole copies of an embedded database.
//!
//! A copy is made by the engine itself and is consistent while the server runs; it is proved
//! before the command says that it is good.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use db::database::Database;

use crate::commands::{ledger, say};
use crate::config::Settings;
use crate::sources;

const NOT_ONE_FILE: &str = "PostgreSQL is backed up with its own tools, such as pg_dump; \
                            see docs/operating.md";

/// Writes a copy, opens it and proves its books.
pub async fn backup(settings: Settings, file: &Path) -> anyhow::Result<()> {
    let Some(source) = settings.sqlite_path() else { bail!(NOT_ONE_FILE) };
    ensure!(source.exists(), "{} does not exist", source.display());
    ensure!(!file.exists(), "{} exists already", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "the folder {} does not exist; make it first", folder.display());
    db::database::copy(source, file).await?;
    prove(file).await?;
    say(&format!("{} is a whole and proved copy of {}.", file.display(), source.display()))?;
    say("Keep a copy of the secret too, in another place: every key is derived from it, and \
         without it webhook secrets cannot be read.")
}

/// Proves a copy and puts it in place.
pub async fn restore(settings: Settings, file: &Path) -> anyhow::Result<()> {
    let Some(target) = settings.sqlite_path() else { bail!(NOT_ONE_FILE) };
    ensure!(file.exists(), "{} does not exist", file.display());
    // A log left beside the old file would be replayed into the copy.
    for suffix in ["", "-wal", "-shm"] {
        let left = format!("{}{suffix}", target.display());
        ensure!(!Path::new(&left).exists(), "{left} exists; move it away first");
    }
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let arriving = target.with_extension("restoring");
    bring(file, &arriving).with_context(|| format!("cannot write {}", arriving.display()))?;
    let proved = prove(&arriving).await;
    if proved.is_err() {
        std::fs::remove_file(&arriving)?;
    }
    proved?;
    File::open(&arriving)?.sync_all()?;
    std::fs::rename(&arriving, target)?;
    if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    say(&format!("{} is in place.", target.display()))
}

/// Copies a file for its owner alone, whoever may read the one that it comes from.
fn bring(from: &Path, to: &Path) -> std::io::Result<()> {
    if to.exists() {
        std::fs::remove_file(to)?;
    }
    let mut options = OpenOptions::new();
    let mut arriving = options.write(true).create_new(true).mode(0o600).open(to)?;
    std::io::copy(&mut File::open(from)?, &mut arriving)?;
    Ok(())
}

async fn prove(file: &Path) -> anyhow::Result<()> {
    let url = format!("sqlite:{}", file.display());
    let database = Database::open_to_read(&url, sources::system())?;
    let report = ledger::prove(&database).await?;
    ensure!(report.is_sound(), "the books of {} do not agree: {report:?}", file.display());
    Ok(())
}
