//! When the last backup of an embedded database was finished.
//!
//! The command that makes one runs beside the server, which holds the database, so the instant is
//! in a file next to it. PostgreSQL is backed up by its own tools, which leave nothing here.

use std::fs::{Permissions, read_to_string};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use db::time::Timestamp;

/// It holds nothing but an instant, and the server may run as another user than the command.
const READABLE: u32 = 0o644;

/// Records that a backup was finished; a reader sees the earlier instant or this one.
pub fn record(database: &Path, at: Timestamp) -> std::io::Result<()> {
    let place = place(database);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .prefix(".last-backup-")
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    writeln!(file, "{at}")?;
    // A mode that a file is created with is cut by the umask.
    file.as_file().set_permissions(Permissions::from_mode(READABLE))?;
    file.as_file().sync_all()?;
    file.persist(place)?;
    Ok(())
}

/// When the last backup was finished, if one is recorded.
pub fn last(database: &Path) -> Option<Timestamp> {
    let place = place(database);
    let text = match read_to_string(&place) {
        Ok(text) => text,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(%error, "cannot read {}", place.display());
            }
            return None;
        }
    };
    let at = Timestamp::parse(text.trim());
    if at.is_none() {
        tracing::warn!("{} holds no date and time", place.display());
    }
    at
}

/// `tostao.db` has `tostao.db.last-backup` next to it; the whole name, because `shop.dev` and
/// `shop.prod` are two databases.
fn place(database: &Path) -> PathBuf {
    let mut place = database.as_os_str().to_owned();
    place.push(".last-backup");
    place.into()
}
