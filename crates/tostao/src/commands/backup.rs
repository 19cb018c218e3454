//! Whole copies of an embedded database.
//!
//! A copy is made by the engine itself and is consistent while the server runs; it is verified
//! before the command says that it is good.

use std::fs::{File, metadata, symlink_metadata};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use db::database::Database;
use db::embedded::{check, claim, copy, ensure_not_served, make_folder};
use db::migrations::{apply, pending};

use crate::app::MIGRATIONS;
use crate::commands::{ledger, mention, say};
use crate::platform::config::Storage;
use crate::platform::system_clock;
use crate::server_health::backups;

const NOT_ONE_FILE: &str = "PostgreSQL is backed up with its own tools, such as pg_dump; \
                            see docs/operating.md";

/// Writes a copy, opens it and verifies its books.
pub async fn backup(storage: &Storage, file: &Path) -> anyhow::Result<()> {
    let Some(source) = storage.sqlite_path() else { bail!(NOT_ONE_FILE) };
    storage.ensure_exists()?;
    ensure!(!file.exists(), "{} already exists", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "the folder {} does not exist; create it first", folder.display());
    copy(source, file).await?;
    verify(file, file).await?;
    // The copy is good without it.
    if let Err(error) = backups::record(source, system_clock::system().now()) {
        mention(&format!("the time of this backup cannot be recorded for the server: {error}"));
    }
    say(&format!("{} is a complete and verified copy of {}.", file.display(), source.display()))?;
    say("Keep a copy of the secret too, in another place: every key is derived from it, and \
         without it webhook secrets cannot be read.")
}

/// Verifies a copy and puts it in place; the file that it comes from stays as it is.
pub async fn restore(storage: &Storage, file: &Path) -> anyhow::Result<()> {
    let Some(target) = storage.sqlite_path() else { bail!(NOT_ONE_FILE) };
    ensure!(file.exists(), "{} does not exist", file.display());
    ensure!(file.is_file(), "{} is not a file", file.display());
    // The engine deletes the log beside an empty file.
    ensure!(metadata(file)?.len() > 0, "{} is empty", file.display());
    let same = target.canonicalize().is_ok_and(|target| file.canonicalize().ok() == Some(target));
    ensure!(!same, "{} is the database itself; it is already in place", file.display());
    ensure_not_served(target)?;
    ensure_not_served(file)?;
    ensure_free(target)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    make_folder(folder)?;
    let arriving = tempfile::Builder::new().prefix(".restoring-").tempdir_in(folder)?;
    let verified = prepare_copy(file, arriving.path()).await?;
    // The claim leaves a file behind, so it comes last; what came in meanwhile is seen again.
    let _claim = claim(target)?;
    ensure_free(target)?;
    std::fs::rename(&verified, target)?;
    File::open(folder)?.sync_all()?;
    say(&format!("{} is in place.", target.display()))?;
    say(&format!(
        "Restore the secret of that time, too: in {}, unless TOSTAO_SECRET_KEY holds it.",
        target.with_extension("secret").display()
    ))
}

/// Refuses a place with something in it: a log or a journal left beside an old file would be
/// replayed into the copy.
fn ensure_free(target: &Path) -> anyhow::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let left = format!("{}{suffix}", target.display());
        ensure!(symlink_metadata(&left).is_err(), "{left} exists; move it away first");
    }
    Ok(())
}

/// Copies a database with what its log holds, brings it to this version and verifies it.
async fn prepare_copy(from: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    check(from).await?;
    let copied = folder.join("copied.db");
    copy(from, &copied).await?;
    let missing = pending(&open_to_read(&copied)?, MIGRATIONS).await?;
    ensure!(missing.len() < MIGRATIONS.len(), "{} holds no data of this product", from.display());
    let current = if missing.is_empty() { copied } else { migrate_copy(&copied).await? };
    verify(&current, from).await?;
    Ok(current)
}

/// Applies pending migrations; returns a copy without a write-ahead log.
async fn migrate_copy(file: &Path) -> anyhow::Result<PathBuf> {
    let database = Database::open(&format!("sqlite:{}", file.display()), system_clock::system())?;
    apply(&database, MIGRATIONS).await?;
    drop(database);
    let whole = file.with_file_name("migrated.db");
    copy(file, &whole).await?;
    Ok(whole)
}

async fn verify(file: &Path, shown_as: &Path) -> anyhow::Result<()> {
    let name = shown_as.display();
    let found = ledger::check_file(file).await;
    let found = found.with_context(|| format!("the books of {name} cannot be verified"))?;
    ensure!(found.is_sound(), "the books of {name} do not agree: {found:?}");
    Ok(())
}

fn open_to_read(file: &Path) -> anyhow::Result<Database> {
    let url = format!("sqlite:{}", file.display());
    Ok(Database::open_to_read(&url, system_clock::system())?)
}
