//! Proving the books from the command line.

use anyhow::{bail, ensure};
use db::database::Dialect;

use crate::app::App;
use crate::books;
use crate::commands::say;
use crate::config::Settings;
use crate::sources;

/// Recomputes every balance; fails if one is wrong.
pub async fn verify(settings: Settings) -> anyhow::Result<()> {
    if let Some(path) = settings.sqlite_path() {
        ensure!(path.exists(), "{} does not exist", path.display());
    }
    let app = App::open(settings, sources::system())?;
    let report = app.scan(async |tx| books::prove(tx, None).await).await;
    let report = report.map_err(|error| anyhow::anyhow!("{error}"))?;
    let engine = match app.database.dialect() {
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
