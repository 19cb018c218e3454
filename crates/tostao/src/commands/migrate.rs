//! Bringing the database to this version.

use db::migrations::pending;

use crate::app::{App, MIGRATIONS};
use crate::commands::say;
use crate::config::Settings;
use crate::sources;

/// Applies what is missing, or tells what it would be.
pub async fn run(settings: Settings, dry_run: bool) -> anyhow::Result<()> {
    let app = App::open(settings, sources::system())?;
    let (names, done) = if dry_run {
        (pending(&app.database, MIGRATIONS).await?, "would apply")
    } else {
        (app.migrate().await?, "applied")
    };
    for name in &names {
        say(&format!("{done} {name}"))?;
    }
    if names.is_empty() {
        say("The database is up to date.")?;
    }
    Ok(())
}
