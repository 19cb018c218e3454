//! Setting a new password without the old one: a link in a mail, or printed on the server.
//!
//! A person has one open link at most, it works once and for half an hour, and only the hash of its
//! token is stored. A new password, however it was set, ends it.
//!
//! The password of an administrator is set on the server alone, because a mailbox is not what
//! everybody's money should depend on.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail::content::Content;
use crate::mail::{self, Kind, NewMail, recipients};
use crate::people::link_token::{Delivery, LinkToken};
use crate::people::{self, Person, replace_password};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::messages::Lang;
use crate::platform::secrets::Secrets;

pub mod api;
pub mod jobs;
mod store;

/// How long a link works.
const OPEN_FOR: Duration = Duration::from_secs(30 * 60);
/// For how long a link is not replaced by one that anyone may ask for: a stranger who asks often
/// would otherwise end each link before its person has used it.
const LEFT_ALONE: Duration = Duration::from_mins(10);

/// An open link, and whose password it sets.
#[derive(Debug, Clone)]
pub struct PasswordReset {
    pub person: Person,
    /// Whether only a mail to the person has its token.
    is_mailed: bool,
    /// The account in whose audit log its use is recorded.
    home: MerchantId,
    token_hash: Vec<u8>,
}

/// Makes a link for a person and sends it to them; an older one that they have ends.
///
/// Nothing happens for an address that no person has, or that is an administrator's, and for a
/// person whose open link was made within the last ten minutes. It is refused
/// if their mailbox got as many links as it gets in a day, and the one that they have stays.
pub async fn send(
    tx: &Tx,
    by: &ActorContext,
    email: &str,
    (secrets, lang): (&Secrets, Lang),
) -> Result<()> {
    let Some(person) = people::find_by_email(tx, email).await? else { return Ok(()) };
    // A grant of the administrator's role at the same time then either waits and ends this link, or
    // is waited for and seen.
    people::store::lock(tx, person.id).await?;
    if people::is_administrator(tx, person.id).await?
        || store::is_open_since(tx, person.id, tx.now().minus(LEFT_ALONE)).await?
    {
        return Ok(());
    }
    let (token, link_ends_at) = begin(tx, by, person.id, Delivery::Mailed).await?;
    let (token, content) = (token.expose(), Content::PasswordReset { link_ends_at });
    let link = Some(mail::LinkToken { secrets, token: &token });
    let new = NewMail { to: &person.email, lang, content, link };
    mail::write_to_person(tx, person.id, new).await
}

/// Makes a link for a person, to be handed to them; one that they have ends.
pub async fn make(tx: &Tx, by: &ActorContext, email: &str) -> Result<(LinkToken, Timestamp)> {
    let Some(person) = people::find_by_email(tx, email).await? else {
        let message = format!("no person has this e-mail: {email}");
        return Err(Error::refused(ErrorCode::NotFound, message));
    };
    begin(tx, by, person.id, Delivery::Shown).await
}

async fn begin(
    tx: &Tx,
    by: &ActorContext,
    person: PersonId,
    delivery: Delivery,
) -> Result<(LinkToken, Timestamp)> {
    mail::take_back(tx, Kind::PasswordReset, person.0).await?;
    let (token, expires_at) = (LinkToken::new(tx), tx.now().plus(OPEN_FOR));
    store::replace(tx, person, (&token.hash(), delivery), expires_at).await?;
    if let Some(home) = people::store::home(tx, person).await? {
        let entry = Entry::new(Action::PasswordResetRequested, home).on(person.0);
        audit::record(tx, by, entry).await?;
    }
    Ok((token, expires_at))
}

/// Finds the open link of a token.
pub async fn find(tx: &Tx, token: &LinkToken) -> Result<PasswordReset> {
    let token_hash = token.hash();
    let (person, is_mailed) = store::find(tx, &token_hash).await?.ok_or_else(over)?;
    let person = people::store::find(tx, person).await?.ok_or_else(over)?;
    let home = people::store::home(tx, person.id).await?.ok_or_else(over)?;
    Ok(PasswordReset { person, is_mailed, home, token_hash })
}

/// Uses a link: sets the person's password, and ends all their sessions.
///
/// A mailed link proves that the address is the person's. No link removes a second step, which has
/// to protect the person from somebody who reads their mail.
pub async fn confirm(
    tx: &Tx,
    by: &ActorContext,
    reset: &PasswordReset,
    (hash, lang): (&str, Lang),
) -> Result<()> {
    let PasswordReset { person, is_mailed, home, token_hash } = reset;
    // The person is locked before the rest, as wherever a password is set.
    let unchanged = people::store::lock_password(tx, person).await?;
    if !unchanged || !store::take(tx, token_hash).await? {
        return Err(over());
    }
    if *is_mailed {
        recipients::prove(tx, person.id).await?;
    }
    let ended = replace_password(tx, person.id, (hash, lang), None).await?;
    let entry = Entry::new(Action::PasswordChanged, *home).with("sessionsEnded", ended);
    audit::record(tx, by, entry.with("by", "link")).await
}

/// Ends a person's open link; a mail with it that has not left is taken back.
pub async fn end_of(tx: &Tx, person: PersonId) -> Result<()> {
    mail::take_back(tx, Kind::PasswordReset, person.0).await?;
    store::delete(tx, person).await
}

/// Deletes links whose time is over; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, most).await
}

impl PasswordReset {
    /// Who uses the link, for the audit log.
    pub fn by(&self, context: &RequestContext) -> ActorContext {
        ActorContext::request(people::actor(self.home, self.person.id), context)
    }
}

fn over() -> Error {
    let message = "The link was used or replaced, or its time is over. Ask for another one.";
    Error::refused(ErrorCode::PasswordResetInvalid, message)
}
