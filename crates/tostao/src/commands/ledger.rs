//! Proving the books from the command line.

use anyhow::bail;
use db::database::{Database, Dialect};
use ledger::verify::Report;

use crate::books;
use crate::commands::say;
use crate::config::Settings;
use crate::error::Error;
use crate::sources;

/// Recomputes every balance, also while a server runs; fails if one is wrong.
pub async fn verify(settings: Settings) -> anyhow::Result<()> {
    let database = Database::open_to_read(&settings.database_url, sources::system())?;
    let report = prove(&database).await?;
    let engine = match database.dialect() {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
    };
    let (accounts, transfers) = (report.accounts, report.transfers);
    say(&format!("{engine}: {accounts} accounts, {transfers} transfers"))?;
    if !report.is_sound() {
        bail!("the books do not agree: {report:?}");
    }
    say("The books agree: every balance is what its transfers say, and all of them sum to zero.")
}

/// Proves all books of a database.
pub async fn prove(database: &Database) -> anyhow::Result<Report> {
    let report = database.scan(async |tx| books::prove(tx, None).await).await;
    report.map_err(|error: Error| anyhow::anyhow!("{error}"))
}
