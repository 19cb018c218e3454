//! Verifying the books from the command line.

use std::path::Path;

use anyhow::{bail, ensure};
use db::database::{Database, Dialect};
use db::embedded::copy;
use db::migrations::apply;
use db::tx::Tx;

use crate::app::MIGRATIONS;
use crate::commands::progress::Progress;
use crate::commands::{lacking, mention, open_to_read, say};
use crate::platform::config::Storage;
use crate::platform::error::Error;
use crate::platform::system_clock;
use crate::reconciliation::{self, LedgerVerification};

/// Recomputes every balance and hash and compares the books with all rows about money, also while a
/// server runs; fails if something is wrong.
pub async fn verify(storage: &Storage) -> anyhow::Result<()> {
    let database = open_to_read(storage)?;
    let missing = lacking(&database).await?;
    let verification = match storage.sqlite_path() {
        _ if missing.is_empty() => check_watched(&database).await?,
        Some(file) => check_migrated_copy(file).await?,
        None => bail!(
            "the database is an earlier release's and lacks {}; run `tostao migrate` first",
            missing.join(", ")
        ),
    };
    let engine = match database.dialect() {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
    };
    let (accounts, transfers) = (verification.ledger.accounts, verification.ledger.transfers);
    say(&format!("{engine}: {accounts} accounts, {transfers} transfers"))?;
    print_verification(&verification)?;
    if !verification.is_sound() {
        say(&serde_json::to_string_pretty(&verification)?)?;
        bail!("the books do not agree; docs/ledger.md explains each number");
    }
    say(
        "The books agree: every balance is what its transfers say, and all of them sum to zero; no \
         transfer was changed, added or deleted; and payments, refunds, disputes, withdrawals, \
         receivables, advances, commissions and rewards say the same.",
    )
}

/// Restarts the hash chains where an earlier release has booked without them.
pub async fn rechain(storage: &Storage) -> anyhow::Result<()> {
    let database = open_to_read(storage)?;
    let missing = lacking(&database).await?;
    ensure!(missing.is_empty(), "the database is an earlier release's; it has no hash chains yet");
    let database = Database::open(&storage.database_url, system_clock::system())?;
    let restarted = reconciliation::rechain(&database).await;
    match restarted.map_err(|error| anyhow::anyhow!("{error}"))? {
        Some(0) => say("No account has transfers outside its chain; nothing was changed."),
        Some(count) => say(&format!("The chains of {count} accounts were restarted.")),
        None => bail!("more than the hashes is wrong; `tostao ledger verify` says what"),
    }
}

/// Proves all books of a database of this release, and writes how far it is.
async fn check_watched(database: &Database) -> anyhow::Result<LedgerVerification> {
    let clock = database.sources().clone();
    let unit = async move |tx: &Tx| {
        let total = reconciliation::count_entries(tx).await?;
        let progress = Progress::begin(clock.now(), total, mention);
        let watch = |entries| progress.reached(clock.now(), entries);
        reconciliation::verify_watched(tx, &watch).await
    };
    database.scan(unit).await.map_err(|error: Error| anyhow::anyhow!("{error}"))
}

/// Proves all books of a database of this release.
pub async fn check(database: &Database) -> anyhow::Result<LedgerVerification> {
    let verification = database.scan(async |tx| reconciliation::verify(tx, None).await).await;
    verification.map_err(|error: Error| anyhow::anyhow!("{error}"))
}

/// Proves all books of an embedded database, also of one that an earlier release wrote.
pub async fn check_file(file: &Path) -> anyhow::Result<LedgerVerification> {
    let url = format!("sqlite:{}", file.display());
    let database = Database::open_to_read(&url, system_clock::system())?;
    if lacking(&database).await?.is_empty() {
        return check(&database).await;
    }
    check_migrated_copy(file).await
}

/// Brings a copy beside the file to this release and verifies that one; the file stays as it is.
async fn check_migrated_copy(file: &Path) -> anyhow::Result<LedgerVerification> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = tempfile::Builder::new()
        .prefix(".proving-")
        .tempdir_in(folder.unwrap_or(Path::new(".")))?;
    let duplicate = folder.path().join("copy.db");
    copy(file, &duplicate).await?;
    let database =
        Database::open(&format!("sqlite:{}", duplicate.display()), system_clock::system())?;
    apply(&database, MIGRATIONS).await?;
    check(&database).await
}

/// Says what was compared, line by line.
fn print_verification(verification: &LedgerVerification) -> anyhow::Result<()> {
    let before = verification.ledger.transfers_before_chain;
    if before > 0 {
        say(&format!("{before} transfers precede the hash chain and are verified by sums only"))?;
    }
    for equality in &verification.equalities {
        let (booked, stored) = (equality.booked_cents, equality.stored_cents);
        let wrong = match equality.unequal {
            0 => String::new(),
            count => format!(", and {count} merchants' modes differ"),
        };
        say(&format!("{}: {booked} cents booked, {stored} stored{wrong}", equality.name))?;
    }
    if verification.resets_in_progress > 0 {
        let count = verification.resets_in_progress;
        say(&format!("{count} merchants' development data is being deleted and is not compared"))?;
    }
    Ok(())
}
