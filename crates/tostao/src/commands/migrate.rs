//! Bringing the database to this version.

use db::database::Database;
use db::migrations::pending;

use crate::app::{App, MIGRATIONS};
use crate::commands::say;
use crate::platform::config::Settings;
use crate::platform::system_clock;

/// Applies pending migrations, or prints them.
pub async fn run(settings: Settings, dry_run: bool) -> anyhow::Result<()> {
    let (names, done) = if dry_run {
        (missing(&settings).await?, "would apply")
    } else {
        (App::open(settings, system_clock::system())?.migrate().await?, "applied")
    };
    for name in &names {
        say(&format!("{done} {name}"))?;
    }
    if names.is_empty() {
        say("The database is up to date.")?;
    }
    Ok(())
}

/// Looks without changing anything, also while a server runs; makes no database.
async fn missing(settings: &Settings) -> anyhow::Result<Vec<&'static str>> {
    if settings.storage.sqlite_path().is_some_and(|path| !path.exists()) {
        return Ok(MIGRATIONS.iter().map(|migration| migration.name).collect());
    }
    let database = Database::open_to_read(&settings.storage.database_url, system_clock::system())?;
    Ok(pending(&database, MIGRATIONS).await?)
}
