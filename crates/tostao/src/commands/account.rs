//! Accounts from the command line.

use crate::app::App;
use crate::commands::say;
use crate::config::Settings;
use crate::merchants::Role;
use crate::merchants::api::open_account;
use crate::sources;

/// Opens an administrator's account.
pub async fn create_admin(
    settings: Settings,
    name: &str,
    email: &str,
    password: &str,
) -> anyhow::Result<()> {
    let app = App::open(settings, sources::system())?;
    app.migrate().await?;
    let opened = open_account(&app, name, email, password, Role::Admin).await;
    let admin = opened.map_err(|error| anyhow::anyhow!("{}", error.message()))?;
    say(&format!("Administrator {} <{}> created.", admin.name, admin.email))
}
