//! An embedded database as files that are copied, checked and kept from two processes at once.

use std::fs::File;
use std::path::Path;

use crate::error::{Error, Result};
use crate::sqlite::connection::{Connection, Role};
use crate::sqlite::files;

/// Keeps every server off a database, which need not exist; ends with the value or the process.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
}

/// Claims the place of a database; refused while a process serves it.
pub fn claim(path: &Path) -> Result<Claim> {
    Ok(Claim { _lock: files::lock(&files::real(path))? })
}

/// Refuses a database that a process serves; makes no file.
pub fn ensure_not_served(path: &Path) -> Result<()> {
    if files::is_locked(&files::real(path))? { Err(files::served(path)) } else { Ok(()) }
}

/// Makes a folder, and those above it, for its owner alone; one that exists stays as it is.
pub fn make_folder(path: &Path) -> Result<()> {
    files::make_folder(path)
}

/// Writes a whole, consistent copy of an embedded database, also while a process serves it.
///
/// The copy holds what is in the log, too; the source and its log stay as they are. Nobody but its
/// owner reads the copy. One that was not finished is taken away.
pub async fn copy(source: &Path, target: &Path) -> Result<()> {
    let target = target.to_owned();
    with(source, move |connection| {
        files::make_new(&target)
            .map_err(|e| Error::Unavailable(format!("{}: {e}", target.display())))?;
        let name = target.display().to_string().replace('\'', "''");
        let filled = connection.batch(&format!("vacuum into '{name}'"));
        let filled = filled.and_then(|()| files::sync(&target));
        if filled.is_err() {
            // What went wrong before is what the caller has to know.
            let _ = std::fs::remove_file(&target);
        }
        filled
    })
    .await
}

/// Makes sure that a database, its log included, can be read from end to end.
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
