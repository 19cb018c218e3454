//! Accounts from the command line.

use std::io::{BufRead, stdin};

use anyhow::Context;

use crate::app::App;
use crate::commands::say;
use crate::config::Settings;
use crate::merchants::Role;
use crate::merchants::api::open_account;
use crate::sources;

/// Stands for a password that arrives as a line of the standard input.
const FROM_INPUT: &str = "-";

/// Opens an administrator's account.
pub async fn create_admin(
    settings: Settings,
    name: &str,
    email: &str,
    password: String,
) -> anyhow::Result<()> {
    let password = if password == FROM_INPUT { line(stdin().lock())? } else { password };
    let opened = App::open(settings, sources::system());
    let app = opened.context("an administrator cannot be made now")?;
    app.migrate().await?;
    let opened = open_account(&app, name, email, &password, Role::Admin).await;
    let admin = opened.map_err(|error| anyhow::anyhow!("{}", error.message()))?;
    say(&format!("Administrator {} <{}> created.", admin.name, admin.email))
}

fn line(mut input: impl BufRead) -> anyhow::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).context("the password cannot be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
