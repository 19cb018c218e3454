//! Administrators: what an operator does about them from the command line.

use db::tx::Tx;

use crate::audit::{self, Action, By, Entry};
use crate::error::{Error, Refusal, Result};
use crate::ids::MerchantId;
use crate::merchants::{Merchant, Role, store};

/// Whether the last administrator may be revoked, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    Keep,
    Revoke,
}

/// Lists all administrators by their e-mails.
pub async fn list(tx: &Tx) -> Result<Vec<Merchant>> {
    store::administrators(tx).await
}

/// Finds an administrator.
pub async fn find(tx: &Tx, email: &str) -> Result<Merchant> {
    let found = store::find_by_email(tx, email).await?;
    let administrator = found.filter(|merchant| merchant.role == Role::Admin);
    administrator.ok_or_else(|| {
        Error::refused(Refusal::NotFound, format!("no administrator has this e-mail: {email}"))
    })
}

/// Sets another password, without the one before, and ends all sessions.
pub async fn set_password(tx: &Tx, id: MerchantId, hash: &str) -> Result<()> {
    store::set_password(tx, id, hash).await?;
    let ended = store::end_sessions(tx, id, None).await?;
    let entry = Entry::new(Action::PasswordChanged, id).with("sessionsEnded", ended);
    audit::record(tx, &By::command_line(), entry).await
}

/// Makes an administrator a merchant, and ends all their sessions.
pub async fn revoke(tx: &Tx, email: &str, last: Last) -> Result<()> {
    // Locking them all first lets two commands that each want to leave the other's one run in turn.
    let administrators = store::hold_administrators(tx).await?;
    let administrator = find(tx, email).await?;
    if administrators == 1 && last == Last::Keep {
        let message = format!(
            "{} is the last administrator: make another one first, or add --even-the-last",
            administrator.email
        );
        return Err(Error::refused(Refusal::InvalidStateTransition, message));
    }
    store::set_role(tx, administrator.id, Role::Merchant).await?;
    let ended = store::end_sessions(tx, administrator.id, None).await?;
    let entry = Entry::new(Action::AdministratorRevoked, administrator.id);
    audit::record(tx, &By::command_line(), entry.with("sessionsEnded", ended)).await
}

/// Makes a merchant an administrator, and ends all their sessions.
pub async fn grant(tx: &Tx, email: &str) -> Result<()> {
    let Some(merchant) = store::find_by_email(tx, email).await? else {
        let message = format!("no account has this e-mail: {email}");
        return Err(Error::refused(Refusal::NotFound, message));
    };
    if merchant.role == Role::Admin {
        let message = format!("{} is an administrator already", merchant.email);
        return Err(Error::refused(Refusal::InvalidStateTransition, message));
    }
    store::set_role(tx, merchant.id, Role::Admin).await?;
    let ended = store::end_sessions(tx, merchant.id, None).await?;
    let entry = Entry::new(Action::AdministratorGranted, merchant.id);
    audit::record(tx, &By::command_line(), entry.with("sessionsEnded", ended)).await
}
