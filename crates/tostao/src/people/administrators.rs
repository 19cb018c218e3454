//! Managing administrators from the command line.

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::list::Filter;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::merchants::{self, Merchant};
use crate::people::{self, owner_of, replace_password, second_step, sessions, store};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::{PageQuery, TimeRange};
use crate::platform::ids::MerchantId;
use crate::platform::messages::Lang;
use crate::platform::role::Role;

/// Whether the last administrator may be revoked, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastAdministratorPolicy {
    Keep,
    Revoke,
}

/// Lists all administrators by their emails.
pub async fn list(tx: &Tx) -> Result<Vec<Merchant>> {
    merchants::administrators(tx).await
}

/// Finds an administrator.
pub async fn find(tx: &Tx, email: &str) -> Result<Merchant> {
    let found = merchants::find_by_email(tx, email).await?;
    let administrator = found.filter(|merchant| merchant.role == Role::Admin);
    administrator.ok_or_else(|| {
        Error::refused(ErrorCode::NotFound, format!("no administrator has this e-mail: {email}"))
    })
}

/// Sets a new password without the old one, and ends all sessions.
pub async fn set_password(tx: &Tx, id: MerchantId, hash: &str) -> Result<()> {
    let ended = replace_password(tx, owner_of(id), (hash, Lang::default()), None).await?;
    let entry = Entry::new(Action::PasswordChanged, id).with("sessionsEnded", ended);
    audit::record(tx, &ActorContext::command_line(), entry).await
}

/// Removes the second step of a person who has lost their device and their backup codes, or whose
/// address somebody else has registered with; all their sessions end.
pub async fn remove_second_step(tx: &Tx, email: &str) -> Result<()> {
    let found = people::find_by_email(tx, email).await?;
    let person = found.ok_or_else(|| {
        Error::refused(ErrorCode::NotFound, format!("no person has this e-mail: {email}"))
    })?;
    if !second_step::take_away(tx, person.id, Lang::default()).await? {
        let message = format!("{} has no second step", person.email);
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    let ended = sessions::end_all_of(tx, person.id, None).await?;
    for merchant in people::accounts_of(tx, person.id).await? {
        let entry = Entry::new(Action::TwoFactorDisabled, merchant).on(person.id.0);
        let entry = entry.with("sessionsEnded", ended);
        audit::record(tx, &ActorContext::command_line(), entry).await?;
    }
    Ok(())
}

/// Makes an administrator a merchant, and ends all their sessions.
pub async fn revoke(tx: &Tx, email: &str, last: LastAdministratorPolicy) -> Result<()> {
    // Locking them all first serializes two commands that each want to leave only the other's
    // administrator.
    let administrators = merchants::lock_administrators(tx).await?;
    let administrator = find(tx, email).await?;
    if administrators == 1 && last == LastAdministratorPolicy::Keep {
        let message = format!(
            "{} is the last administrator: make another one first, or add --even-the-last",
            administrator.email
        );
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    merchants::set_role(tx, administrator.id, Role::Merchant).await?;
    let ended = sessions::end_all_of(tx, owner_of(administrator.id), None).await?;
    let entry = Entry::new(Action::AdministratorRevoked, administrator.id);
    audit::record(tx, &ActorContext::command_line(), entry.with("sessionsEnded", ended)).await
}

/// Finds a merchant who may be made an administrator, and the last sign-in to their account, as far
/// as the audit log goes back.
pub async fn candidate(tx: &Tx, email: &str) -> Result<(Merchant, Option<Timestamp>)> {
    let Some(merchant) = merchants::find_by_email(tx, email).await? else {
        let message = format!("no account has this e-mail: {email}");
        return Err(Error::refused(ErrorCode::NotFound, message));
    };
    expect_merchant(&merchant)?;
    let page = PageQuery { limit: Some(1), ..PageQuery::default() }.read()?;
    let (action, created) = (Some(Action::SignInSucceeded), TimeRange::new(None, None));
    let signed_in =
        audit::list(tx, merchant.id, &Filter { page, action, actor: None, created }).await?;
    Ok((merchant, signed_in.rows.first().map(|entry| entry.created_at)))
}

/// Makes a merchant an administrator, with a new password and without earlier sessions or devices,
/// or a second step: there is no proof that the person who opened the account is the one meant.
pub async fn grant(tx: &Tx, id: MerchantId, hash: &str) -> Result<()> {
    expect_merchant(&merchants::find(tx, id).await?)?;
    merchants::set_role(tx, id, Role::Admin).await?;
    merchants::blank_device(tx, id).await?;
    second_step::take_away(tx, owner_of(id), Lang::default()).await?;
    set_password(tx, id, hash).await?;
    // After the password, which a unit that joins an account meanwhile has locked.
    if store::count_accounts(tx, owner_of(id)).await? > 1 {
        let message = "the account's owner is a member of another account, about whose money an \
                       administrator could then decide: they leave it first";
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    let entry = Entry::new(Action::AdministratorGranted, id);
    audit::record(tx, &ActorContext::command_line(), entry).await
}

fn expect_merchant(merchant: &Merchant) -> Result<()> {
    if merchant.closed_at.is_some() {
        return Err(Error::NotFound("Account"));
    }
    if merchant.role == Role::Merchant {
        return Ok(());
    }
    let message = format!("{} is already an administrator", merchant.email);
    Err(Error::refused(ErrorCode::InvalidStateTransition, message))
}
