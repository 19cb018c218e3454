//! The database's files: private permissions, and the lock that excludes a second server.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Older versions have a race that can corrupt a log with two connections.
const VERSION_MIN: i32 = 3_051_003;
/// The engine gives the files next to the database the same permissions.
const OWNER_ALONE: u32 = 0o600;
/// In a folder that others can write, they could replace these files.
const FOLDER_OWNER_ALONE: u32 = 0o700;
/// The header offset of a database's write format, and its value without a log.
const WRITE_VERSION: usize = 18;
const WRITTEN_WITHOUT_LOG: u8 = 1;
const HEAD_BYTES: u64 = 100;

/// Rejects an engine that could damage the file.
pub fn check_version() -> Result<()> {
    let found = rusqlite::version_number();
    if found < VERSION_MIN {
        return Err(Error::Open(format!("SQLite {found} is older than {VERSION_MIN}")));
    }
    Ok(())
}

/// Creates a folder and its parents for its owner only; an existing one is not changed.
pub fn make_folder(path: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(FOLDER_OWNER_ALONE).create(path);
    made.map_err(|e| Error::Open(format!("{}: {e}", path.display())))
}

/// Creates an empty file that only its owner can read, unless it exists.
///
/// The engine treats an empty file as a database without tables.
pub fn make(path: &Path) -> Result<()> {
    match create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(|e| Error::Open(format!("{}: {e}", path.display()))),
    }
}

/// Creates an empty file that only its owner can read; fails if it exists.
pub fn create_new(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWNER_ALONE).open(path).map(drop)
}

/// The path that a file's lock is derived from: two names of one file must not get two locks.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Locks the file for one process; the lock ends with the process.
pub fn lock(path: &Path) -> Result<File> {
    let lock_path = beside(path, "lock");
    let shown = lock_path.display().to_string();
    let failed = |error: std::io::Error| Error::Open(format!("{shown}: {error}"));
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(OWNER_ALONE);
    let file = options.open(&lock_path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(served(path)),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// The error message for a second process.
pub fn served(path: &Path) -> Error {
    Error::Open(format!(
        "another process is serving {}; stop it first, or keep the data in PostgreSQL, \
         which several processes can use at once",
        path.display()
    ))
}

/// Whether a process serves a file, judging by its lock.
pub fn is_locked(path: &Path) -> Result<bool> {
    let lock_path = beside(path, "lock");
    let failed = |error| Error::Open(format!("{}: {error}", lock_path.display()));
    let file = match File::open(&lock_path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(failed)?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Whether a write-ahead log lies next to a file that never had one.
///
/// The engine would replay it regardless. A file's header says whether it has ever had a log; that
/// of a copy made by the engine says no.
pub fn has_foreign_log(path: &Path) -> Result<bool> {
    let failed = |error| Error::Open(format!("{}: {error}", path.display()));
    let log = std::fs::metadata(beside(path, "wal")).map_or(0, |log| log.len());
    let mut head = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    Ok(log > 0 && head.get(WRITE_VERSION) == Some(&WRITTEN_WITHOUT_LOG))
}

/// Syncs a finished copy and its directory entry, so that they survive a power failure.
pub fn sync(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    for path in [path, folder.unwrap_or(Path::new("."))] {
        File::open(path)
            .and_then(|file| file.sync_all())
            .map_err(|e| Error::Unavailable(format!("{}: {e}", path.display())))?;
    }
    Ok(())
}

/// `tostao.db` has `tostao.db-wal` and `tostao.db-lock` next to it.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-");
    name.push(suffix);
    name.into()
}
