//! Administrators from the command line.

use std::io::{BufRead, stdin};

use anyhow::{Context, anyhow};
use db::database::Database;

use crate::auth::passwords;
use crate::commands::{lacking, open, open_existing, say, told};
use crate::config::{Settings, Storage};
use crate::error::Refusal;
use crate::fields::spelled;
use crate::merchants::Role;
use crate::merchants::administrators::{self, Last};
use crate::merchants::api::{NOWHERE, open_account};
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
    let password = given(password)?;
    let app = open(settings, "an administrator cannot be made now").await?;
    let opened = open_account(&app, name, email, &password, Role::Admin).await;
    let admin = opened.map_err(|error| match error.refusal() {
        Refusal::AlreadyExists => anyhow!(
            "there is an account with this e-mail, and nobody has proved whose it is; if you know \
             its merchant, `tostao admin grant --email {email}` makes them an administrator"
        ),
        _ => told(error),
    })?;
    say(&format!("Administrator {} <{}> created.", admin.name, admin.email))
}

/// Sets an administrator's password and ends their sessions.
pub async fn set_password(settings: Settings, email: &str, password: String) -> anyhow::Result<()> {
    let (wanted, password) = (email.to_owned(), given(password)?);
    passwords::check(&password).map_err(|fault| told(fault.of("password")))?;
    let app = open_existing(settings, "the password cannot be set now").await?;
    let salt = app.database.sources().random();
    let hash = app.passwords.hash(NOWHERE, password, salt).await.map_err(told)?;
    let changed = app.transact(async move |tx| {
        let admin = administrators::find(tx, &wanted).await?;
        administrators::set_password(tx, admin.id, &hash).await
    });
    changed.await.map_err(told)?;
    let email = spelled(email);
    say(&format!("{email} has a new password. All its sessions have ended."))
}

/// Makes an administrator a merchant and ends their sessions.
pub async fn revoke(settings: Settings, email: &str, last: Last) -> anyhow::Result<()> {
    let app = open_existing(settings, "an administrator cannot be revoked now").await?;
    let wanted = email.to_owned();
    let revoked =
        app.transact(async move |tx| administrators::revoke(tx, &wanted, last).await).await;
    revoked.map_err(told)?;
    let email = spelled(email);
    say(&format!("{email} is no administrator any more. All its sessions have ended."))
}

/// Makes a merchant an administrator and ends their sessions.
pub async fn grant(settings: Settings, email: &str) -> anyhow::Result<()> {
    let app = open_existing(settings, "an administrator cannot be made now").await?;
    let wanted = email.to_owned();
    let granted = app.transact(async move |tx| administrators::grant(tx, &wanted).await).await;
    granted.map_err(told)?;
    let email = spelled(email);
    say(&format!("{email} is an administrator. All its sessions have ended."))
}

/// Prints all administrators, also while a server runs.
pub async fn list(storage: &Storage) -> anyhow::Result<()> {
    let database = Database::open_to_read(&storage.database_url, sources::system())?;
    lacking(&database).await?;
    let listed = database.read(async |tx| administrators::list(tx).await).await;
    let admins = listed.map_err(told)?;
    if admins.is_empty() {
        return say("There are no administrators.");
    }
    for admin in admins {
        say(&format!("{}  {}  since {}", admin.email, admin.name, admin.created_at))?;
    }
    Ok(())
}

fn given(password: String) -> anyhow::Result<String> {
    if password == FROM_INPUT { line(stdin().lock()) } else { Ok(password) }
}

fn line(mut input: impl BufRead) -> anyhow::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).context("the password cannot be read")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
