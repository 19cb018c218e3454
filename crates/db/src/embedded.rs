//! The files of an embedded database: copying, checking, and locking out a second process.

use std::fs::File;
use std::path::Path;

use crate::error::{Error, Result};
use crate::sqlite::connection::{Connection, Role};
use crate::sqlite::files;

/// Locks a database, which need not exist, against servers; released on drop or with the process.
#[derive(Debug)]
pub struct DatabaseLock {
    _lock: File,
}

/// Locks the path of a database; fails while a process serves it.
pub fn claim(path: &Path) -> Result<DatabaseLock> {
    Ok(DatabaseLock { _lock: files::lock(&files::real(path))? })
}

/// Fails if a process serves the database; creates no file.
pub fn ensure_not_served(path: &Path) -> Result<()> {
    if files::is_locked(&files::real(path))? { Err(files::served(path)) } else { Ok(()) }
}

/// Creates a folder and its parents for its owner only; an existing one is not changed.
pub fn make_folder(path: &Path) -> Result<()> {
    files::make_folder(path)
}

/// Writes a complete, consistent copy of an embedded database, also while a process serves it.
///
/// The copy includes the log; the source and its log are not changed. Only its owner can read the
/// copy. An unfinished one is removed.
pub async fn copy(source: &Path, target: &Path) -> Result<()> {
    let target = target.to_owned();
    with(source, move |connection| {
        files::create_new(&target)
            .map_err(|e| Error::Unavailable(format!("{}: {e}", target.display())))?;
        let name = target.display().to_string().replace('\'', "''");
        let filled = connection.batch(&format!("vacuum into '{name}'"));
        let filled = filled.and_then(|()| files::sync(&target));
        if filled.is_err() {
            // The caller needs the earlier error.
            let _ = std::fs::remove_file(&target);
        }
        filled
    })
    .await
}

/// Checks that a database, including its log, can be read completely.
pub async fn check(path: &Path) -> Result<()> {
    let name = path.display().to_string();
    if files::has_foreign_log(path)? {
        let reason = "is the log of another database; move it away";
        return Err(Error::Open(format!("{name}-wal {reason}")));
    }
    let looked = with(path, |connection| {
        let found = connection.all("pragma integrity_check(1)", &[])?;
        found.into_iter().map(|mut row| row.take::<String>()).collect::<Result<Vec<_>>>()
    });
    let reason = match looked.await {
        Ok(found) if found == ["ok"] => return Ok(()),
        Ok(found) => found.join("; "),
        Err(Error::Unavailable(reason)) => reason,
        Err(error) => error.to_string(),
    };
    Err(Error::Open(format!("{name} cannot be used: {reason}")))
}

async fn with<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
) -> Result<T> {
    let path = path.to_owned();
    let done = tokio::task::spawn_blocking(move || work(&Connection::open(&path, Role::Copier)?));
    done.await.map_err(|_| Error::Panicked)?
}
