//! Administrators from the command line.

use anyhow::anyhow;

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::passwords;
use crate::commands::password::{confirm, given};
use crate::commands::{lacking, mention, open, open_existing, open_to_read, say, user_error};
use crate::merchants::Merchant;
use crate::people::administrators::{self, LastAdministratorPolicy};
use crate::people::api::{NOWHERE, open_account};
use crate::people::resets;
use crate::platform::config::{Settings, Storage};
use crate::platform::error::ErrorCode;
use crate::platform::fields::spelled;
use crate::platform::role::Role;

/// Opens an administrator's account.
pub async fn create_admin(
    settings: Settings,
    name: &str,
    email: &str,
    password: String,
) -> anyhow::Result<()> {
    let password = given(password)?;
    let app = open(settings, "the administrator cannot be created").await?;
    let opened = open_account(&app, name, email, &password, Role::Admin).await;
    let admin = opened.map_err(|error| match error.code() {
        ErrorCode::AlreadyExists => anyhow!(
            "an account with this email exists, and its owner is not verified; `tostao admin \
             grant --email {email}` shows it, sets a new password and makes it an administrator's"
        ),
        _ => user_error(error),
    })?;
    say(&format!("Administrator {} <{}> created.", admin.name, admin.email))
}

/// Sets an administrator's password and ends their sessions.
pub async fn set_password(settings: Settings, email: &str, password: String) -> anyhow::Result<()> {
    let wanted = email.to_owned();
    let app = open_existing(settings, "the password cannot be set").await?;
    let hash = hashed(&app, given(password)?).await?;
    let changed = app.transact(async move |tx| {
        let admin = administrators::find(tx, &wanted).await?;
        administrators::set_password(tx, admin.id, &hash).await
    });
    changed.await.map_err(user_error)?;
    let email = spelled(email);
    say(&format!("{email} has a new password. All its sessions have ended."))
}

/// Makes an administrator a merchant and ends their sessions.
pub async fn revoke(
    settings: Settings,
    email: &str,
    last: LastAdministratorPolicy,
) -> anyhow::Result<()> {
    let app = open_existing(settings, "the administrator cannot be revoked").await?;
    let wanted = email.to_owned();
    let revoked =
        app.transact(async move |tx| administrators::revoke(tx, &wanted, last).await).await;
    revoked.map_err(user_error)?;
    let email = spelled(email);
    say(&format!("{email} is no longer an administrator. All its sessions have ended."))
}

/// Makes a merchant an administrator with a new password, once somebody has looked at the account.
pub async fn grant(
    settings: Settings,
    email: &str,
    password: String,
    is_confirmed: bool,
) -> anyhow::Result<()> {
    let app = open_existing(settings, "the administrator cannot be created").await?;
    let wanted = email.to_owned();
    let found = app.read(async move |tx| administrators::candidate(tx, &wanted).await).await;
    let (merchant, signed_in) = found.map_err(user_error)?;
    let Merchant { id, name, email, created_at, .. } = merchant;
    let signed_in = match signed_in {
        Some(at) => format!("last signed in {at}"),
        None => "with no sign-in on record".to_owned(),
    };
    say(&format!("{name} <{email}>, opened {created_at}, {signed_in}"))?;
    if !is_confirmed {
        confirm(
            "Give this account a new password and make it an administrator's? [y/N]",
            "nothing was changed: check the account above, and add --yes if it is the right one",
        )?;
    }
    let hash = hashed(&app, given(password)?).await?;
    let granted = app.transact(async move |tx| administrators::grant(tx, id, &hash).await).await;
    granted.map_err(user_error)?;
    say(&format!("{email} is an administrator with a new password. All its sessions have ended."))
}

/// Removes a person's second step and ends their sessions.
pub async fn disable_two_factor(settings: Settings, email: &str) -> anyhow::Result<()> {
    let app = open_existing(settings, "the second step cannot be removed").await?;
    let wanted = email.to_owned();
    let removed =
        app.transact(async move |tx| administrators::remove_second_step(tx, &wanted).await).await;
    removed.map_err(user_error)?;
    let email = spelled(email);
    say(&format!("{email} signs in with the password alone. All its sessions have ended."))
}

/// Prints a link with which a person sets a new password, where the server sends no mails.
pub async fn reset_link(settings: Settings, email: &str) -> anyhow::Result<()> {
    let app = open_existing(settings, "the link cannot be made").await?;
    let wanted = email.to_owned();
    let made = app
        .transact(async move |tx| resets::make(tx, &ActorContext::command_line(), &wanted).await);
    let (token, expires_at) = made.await.map_err(user_error)?;
    let base = app.settings.base_url();
    say(&format!("{base}/reset/{}", token.expose()))?;
    mention(&format!("It sets a new password once, until {expires_at}."));
    Ok(())
}

/// Prints all administrators, also while a server runs.
pub async fn list(storage: &Storage) -> anyhow::Result<()> {
    let database = open_to_read(storage)?;
    lacking(&database).await?;
    let listed = database.read(async |tx| administrators::list(tx).await).await;
    let admins = listed.map_err(user_error)?;
    if admins.is_empty() {
        return say("There are no administrators.");
    }
    for admin in admins {
        say(&format!("{}  {}  since {}", admin.email, admin.name, admin.created_at))?;
    }
    Ok(())
}

/// Checks a password and hashes it.
async fn hashed(app: &App, password: String) -> anyhow::Result<String> {
    passwords::check(&password).map_err(|fault| user_error(fault.of("password")))?;
    let salt = app.database.sources().random();
    app.passwords.hash(NOWHERE, password, salt).await.map_err(user_error)
}
