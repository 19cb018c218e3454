//! Stored snapshots that no test uses any more.
//!
//! A snapshot is a contract. One that no test compares only looks like one, so the gate checks
//! which files the tests opened and rejects the rest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{listed_files, root};

/// Makes a test command record every snapshot that it opens, in a new file.
pub fn recorded(tests: &mut Command) -> Result<&mut Command> {
    let record = record();
    if let Some(folder) = record.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(record, "")?;
    Ok(also_recorded(tests))
}

/// The same, appended to another command's record: some snapshots belong to one database only.
pub fn also_recorded(tests: &mut Command) -> &mut Command {
    tests.env("INSTA_SNAPSHOT_REFERENCES_FILE", record()).env("INSTA_UPDATE", "no")
}

/// Fails with the snapshots that the recorded tests did not open.
pub fn check() -> Result<()> {
    let record = std::fs::read_to_string(record())
        .context("run the steps `tests` and `tests-postgres` first")?;
    let opened: BTreeSet<PathBuf> = record.lines().map(|line| absolute(Path::new(line))).collect();
    let listed = listed_files("*.snap")?;
    let stored = listed.iter().map(|path| absolute(&root().join(path))).collect();
    let unused = unopened(&stored, &opened);
    if !unused.is_empty() {
        bail!("no test compares these snapshots, delete them:\n{}", unused.join("\n"));
    }
    Ok(())
}

fn record() -> PathBuf {
    root().join("target/opened-snapshots.txt")
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn unopened(stored: &BTreeSet<PathBuf>, opened: &BTreeSet<PathBuf>) -> Vec<String> {
    stored.difference(opened).map(|path| path.display().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::unopened;

    #[test]
    fn a_snapshot_that_no_test_opened_is_reported() {
        let stored = BTreeSet::from(["a.snap", "b.snap"].map(PathBuf::from));
        let opened = BTreeSet::from(["b.snap"].map(PathBuf::from));

        assert_eq!(unopened(&stored, &opened), ["a.snap"]);
        assert!(unopened(&opened, &stored).is_empty());
    }
}
