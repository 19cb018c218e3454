//! Changing the address that a person signs in with.
//!
//! ```text
//! asked for, with the password ──▶ a link to the new address, a notice with a link to the old one
//!        ├──the link of the new address──▶ changed
//!        └──the link of the old address, the person, another password, a second step that is
//!           turned on, or the end of the session that asked──▶ ended
//! ```
//!
//! Who reads a person's mail decides about their password, so the old address hears of the change
//! at once. Without a second step, where the password alone asks for it, the link of the new
//! address works only a day later: until then the old one can stop it.
//!
//! A person has one open change at most, and only the hashes of its two tokens are stored. Whether
//! another person has the new address is looked at when the link is used, by who reads its mail:
//! the request says nothing about it.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail::content::Content;
use crate::mail::{self, Kind, NewMail, recipients};
use crate::people::link_token::LinkToken;
use crate::people::second_step::SecondStepPassed;
use crate::people::{self, Acting, Person, resets, second_step, sessions};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::{MerchantId, PersonId, SessionId};
use crate::platform::messages::Lang;
use crate::platform::secrets::Secrets;

pub mod api;
mod store;

/// For how long the old address can stop a change that no second step protects.
const WAITS_FOR: Duration = Duration::from_hours(24);
/// How long the link of the new address works from then on.
const OPEN_FOR: Duration = Duration::from_hours(24);
/// For how long the same request again does nothing.
const LEFT_ALONE: Duration = Duration::from_mins(10);

/// A change that was asked for.
#[derive(Debug, Clone)]
pub struct EmailChange {
    pub person: PersonId,
    /// Where it was asked for; the change ends when somebody ends it.
    session: SessionId,
    /// The new address.
    pub email: String,
    pub created_at: Timestamp,
    /// From when the link of the new address works.
    pub possible_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A change that a link names, and its person.
#[derive(Debug, Clone)]
pub struct LinkedChange {
    pub change: EmailChange,
    pub person: Person,
    /// The account in whose audit log its use is recorded.
    home: MerchantId,
    token_hash: Vec<u8>,
}

/// The open change of a person.
pub async fn open_of(tx: &Tx, person: PersonId) -> Result<Option<EmailChange>> {
    store::of_person(tx, person).await
}

/// The open change to an address that the same session has just asked for.
pub async fn repeated(tx: &Tx, acting: &Acting, email: &str) -> Result<Option<EmailChange>> {
    let open = store::of_person(tx, acting.who.1).await?;
    let since = tx.now().minus(LEFT_ALONE);
    let is_same = |open: &EmailChange| {
        open.email == email && open.session == acting.session && open.created_at > since
    };
    Ok(open.filter(is_same))
}

/// Asks for a change in the name of a person whose password and second step were verified; one that
/// is open ends. It is refused if a mailbox got as many mails as it gets in a day.
pub async fn ask(
    tx: &Tx,
    Acting { who: (merchant, _), session, by }: &Acting,
    (person, passed): (&Person, SecondStepPassed),
    email: &str,
    (secrets, lang): (&Secrets, Lang),
) -> Result<EmailChange> {
    end_of(tx, person.id).await?;
    let now = tx.now();
    // Who has the password alone can turn a second step on; one that is older is another proof.
    let is_proved = passed.name().is_some() && is_old(tx, person.id).await?;
    let possible_at = if is_proved { now } else { now.plus(WAITS_FOR) };
    let change = EmailChange {
        person: person.id,
        session: *session,
        email: email.to_owned(),
        created_at: now,
        possible_at,
        expires_at: possible_at.plus(OPEN_FOR),
    };
    let (confirm, stop) = (LinkToken::new(tx), LinkToken::new(tx));
    store::replace(tx, &change, (&confirm.hash(), &stop.hash())).await?;
    let (possible_at, link_ends_at) = (change.waits_until(), change.expires_at);
    let content = Content::EmailChange { possible_at, link_ends_at };
    let (to, token) = (email, confirm.expose());
    let link = Some(mail::LinkToken { secrets, token: &token });
    mail::write_to_person(tx, person.id, NewMail { to, lang, content, link }).await?;
    let email = email.to_owned();
    let content = Content::EmailChangeAsked { email, possible_at, link_ends_at };
    let (to, token) = (person.email.as_str(), stop.expose());
    let link = Some(mail::LinkToken { secrets, token: &token });
    mail::write_to_person(tx, person.id, NewMail { to, lang, content, link }).await?;
    let entry = Entry::new(Action::EmailChangeRequested, *merchant).on(person.id.0);
    audit::record(tx, by, entry).await?;
    Ok(change)
}

/// Whether a person's second step was on before a change without it would have become possible.
async fn is_old(tx: &Tx, person: PersonId) -> Result<bool> {
    let state = second_step::state(tx, person).await?;
    let since = state.and_then(|state| state.enabled_at);
    Ok(since.is_some_and(|since| since <= tx.now().minus(WAITS_FOR)))
}

/// Finds the open change that a link at the new address confirms.
pub async fn find_to_confirm(tx: &Tx, token: &LinkToken) -> Result<LinkedChange> {
    let token_hash = token.hash();
    let change = store::find_to_confirm(tx, &token_hash).await?.ok_or_else(over)?;
    linked(tx, change, token_hash).await
}

/// Finds the change that a link at the old address stops.
pub async fn find_to_stop(tx: &Tx, token: &LinkToken) -> Result<LinkedChange> {
    let token_hash = token.hash();
    let change = store::find_to_stop(tx, &token_hash).await?.ok_or_else(over)?;
    linked(tx, change, token_hash).await
}

async fn linked(tx: &Tx, change: EmailChange, token_hash: Vec<u8>) -> Result<LinkedChange> {
    let person = people::store::find(tx, change.person).await?.ok_or_else(over)?;
    let home = people::store::home(tx, person.id).await?.ok_or_else(over)?;
    Ok(LinkedChange { change, person, home, token_hash })
}

/// Gives a person their new address, which the use of the link proves; their open link to a new
/// password ends, and the old address gets a mail.
pub async fn confirm(
    tx: &Tx,
    by: &ActorContext,
    LinkedChange { change, person, home, token_hash }: &LinkedChange,
    lang: Lang,
) -> Result<()> {
    // The person is locked before the rest, as wherever a password is set.
    people::store::lock(tx, person.id).await?;
    if change.possible_at > tx.now() {
        let message = format!("The address can be changed from {} on.", change.possible_at);
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    if !store::take(tx, person.id, token_hash).await? {
        return Err(over());
    }
    if !people::store::set_email(tx, person.id, &change.email).await? {
        let message = "Another person has this address, so it cannot be yours.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    resets::end_of(tx, person.id).await?;
    recipients::prove(tx, person.id).await?;
    let content = Content::EmailChanged { email: change.email.clone() };
    let new = NewMail { to: &person.email, lang, content, link: None };
    mail::write_to_person(tx, person.id, new).await?;
    audit::record(tx, by, Entry::new(Action::EmailChanged, *home).on(person.id.0)).await
}

/// Ends a change by the link at the old address, and all sessions of the person: who asked for it
/// knows the password and may be in one. Their networks and devices are unknown again.
pub async fn stop(
    tx: &Tx,
    by: &ActorContext,
    LinkedChange { person, home, token_hash, .. }: &LinkedChange,
) -> Result<()> {
    people::store::lock(tx, person.id).await?;
    if !store::take_to_stop(tx, person.id, token_hash).await? {
        return Err(over());
    }
    mail::take_back(tx, Kind::EmailChange, person.id.0).await?;
    sessions::blank(tx, person.id, None).await?;
    let ended = sessions::end_all_of(tx, person.id, None).await?;
    let entry = Entry::new(Action::EmailChangeStopped, *home).on(person.id.0);
    audit::record(tx, by, entry.with("by", "link").with("sessionsEnded", ended)).await
}

/// Ends the open change of a person who does not want it any more; without one nothing happens.
pub async fn cancel(tx: &Tx, Acting { who: (merchant, person), by, .. }: &Acting) -> Result<()> {
    if !end_of(tx, *person).await? {
        return Ok(());
    }
    let entry = Entry::new(Action::EmailChangeStopped, *merchant).on(person.0);
    audit::record(tx, by, entry.with("by", "person")).await
}

/// Ends a person's open change; a mail to the new address that has not left is taken back. False if
/// they have none.
pub async fn end_of(tx: &Tx, person: PersonId) -> Result<bool> {
    mail::take_back(tx, Kind::EmailChange, person.0).await?;
    store::delete(tx, person).await
}

/// Deletes changes whose time is over; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, most).await
}

impl EmailChange {
    /// Until when the link of the new address does not work yet; `None` if it works at once.
    pub fn waits_until(&self) -> Option<Timestamp> {
        (self.possible_at > self.created_at).then_some(self.possible_at)
    }
}

impl LinkedChange {
    /// Who uses the link, for the audit log.
    pub fn by(&self, context: &RequestContext) -> ActorContext {
        ActorContext::request(people::actor(self.home, self.person.id), context)
    }
}

fn over() -> Error {
    let message = "The link was used, or the change has ended. Ask for the change again.";
    Error::refused(ErrorCode::EmailChangeInvalid, message)
}
