//! Invitations: how a person becomes a member of an account.
//!
//! The token accepts it once, within seven days. A person who has a password already
//! proves it, so a token alone never gives access in their name.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail::content::Content;
use crate::mail::{self, Kind, NewMail, recipients};
use crate::merchants;
use crate::people::link_token::{Delivery, LinkToken};
use crate::people::{self, Person, already_member, expect_may_give, locked_role};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{InvitationId, MerchantId, Mode, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::secrets::Secrets;

pub mod acceptance;
pub mod api;
mod store;

/// How long an invitation can be accepted.
const OPEN_FOR: Duration = Duration::from_hours(7 * 24);
/// How many people an account may have, open invitations included.
const MEMBERS_MAX: i64 = 50;

/// An invitation, without its token.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub merchant: MerchantId,
    pub id: InvitationId,
    pub email: String,
    pub role: MemberRole,
    pub invited_by: PersonId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// Whether only a mail to the person has its token.
    pub is_mailed: bool,
}

/// Invites a person by mail; an open invitation of the same address ends. It is refused if their
/// mailbox got as many invitations as it gets in a day.
pub async fn create(
    tx: &Tx,
    by: &ActorContext,
    (merchant, invited_by): (MerchantId, PersonId),
    (email, role): (&str, MemberRole),
    (secrets, lang): (&Secrets, Lang),
    delivery: Delivery,
) -> Result<(Invitation, LinkToken)> {
    expect_may_give(locked_role(tx, merchant, invited_by).await?, role)?;
    if let Some(person) = people::find_by_email(tx, email).await?
        && people::store::member(tx, merchant, person.id).await?.is_some()
    {
        return Err(already_member());
    }
    if let Some(replaced) = store::end_open(tx, merchant, email).await? {
        mail::take_back(tx, Kind::Invitation, replaced.0).await?;
    }
    let people = people::store::count_members(tx, merchant).await?;
    if people + store::count_open(tx, merchant).await? >= MEMBERS_MAX {
        let message = format!("An account has at most {MEMBERS_MAX} members and invitations.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let token = LinkToken::new(tx);
    let invitation = Invitation {
        merchant,
        id: InvitationId::new(tx),
        email: email.to_owned(),
        role,
        invited_by,
        created_at: tx.now(),
        expires_at: tx.now().plus(OPEN_FOR),
        is_mailed: delivery == Delivery::Mailed,
    };
    store::insert(tx, &invitation, &token.hash()).await?;
    write_mail(tx, &invitation, &token, (secrets, lang)).await?;
    let entry = Entry::new(Action::MemberInvited, merchant).on(invitation.id.0);
    audit::record(tx, by, entry.with("role", role.name())).await?;
    Ok((invitation, token))
}

/// Writes the mail with the link that shows an invitation.
async fn write_mail(
    tx: &Tx,
    invitation: &Invitation,
    token: &LinkToken,
    (secrets, lang): (&Secrets, Lang),
) -> Result<()> {
    let scope = merchants::scope(tx, invitation.merchant, Mode::Production).await?;
    let content = Content::Invitation {
        account: merchants::find(tx, invitation.merchant).await?.name,
        inviter: people::find(tx, invitation.invited_by).await?.name,
        link_ends_at: invitation.expires_at,
    };
    let token = token.expose();
    let link = Some(mail::LinkToken { secrets, token: &token });
    let new = NewMail { to: &invitation.email, lang, content, link };
    mail::write_for(tx, scope, invitation.id.0, new).await
}

/// Lists the invitations that can still be accepted, newest first.
pub async fn list(tx: &Tx, merchant: MerchantId) -> Result<Vec<Invitation>> {
    store::list(tx, merchant).await
}

/// Takes an invitation back.
pub async fn revoke(
    tx: &Tx,
    by: &ActorContext,
    merchant: MerchantId,
    id: InvitationId,
) -> Result<()> {
    if !store::end(tx, merchant, id).await? {
        return Err(Error::NotFound("Invitation"));
    }
    mail::take_back(tx, Kind::Invitation, id.0).await?;
    audit::record(tx, by, Entry::new(Action::InvitationRevoked, merchant).on(id.0)).await
}

/// Ends the open invitations that a member made, and takes back their mails that have not left.
pub async fn end_of(tx: &Tx, merchant: MerchantId, invited_by: PersonId) -> Result<()> {
    let ended = store::end_of(tx, merchant, invited_by).await?;
    take_back_mails(tx, &ended).await
}

/// Deletes invitations that ended or whose time is over; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, most).await
}

/// Deletes all invitations of an account, and takes back their mails that have not left.
pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    let deleted = store::delete_all(tx, merchant).await?;
    take_back_mails(tx, &deleted).await
}

async fn take_back_mails(tx: &Tx, invitations: &[InvitationId]) -> Result<()> {
    for id in invitations {
        mail::take_back(tx, Kind::Invitation, id.0).await?;
    }
    Ok(())
}

/// Finds the open invitation of a token, and the person whose address it names, if there is one.
pub async fn find(tx: &Tx, token: &LinkToken) -> Result<(Invitation, Option<Person>)> {
    let invitation = store::find(tx, &token.hash()).await?.ok_or_else(over)?;
    let person = people::find_by_email(tx, &invitation.email).await?;
    Ok((invitation, person))
}

/// Makes a person a member. One whose password was verified joins; a new one is recorded first.
///
/// An invitation that was accepted or taken back meanwhile is refused, and so is a new person whose
/// address somebody has registered meanwhile. Administrators join no account, because they could
/// then decide about its money.
pub async fn accept(
    tx: &Tx,
    by: &ActorContext,
    invitation: &Invitation,
    person: &Person,
    is_new: bool,
) -> Result<()> {
    merchants::lock(tx, invitation.merchant).await?;
    if !store::end(tx, invitation.merchant, invitation.id).await? {
        return Err(over());
    }
    if is_new {
        people::add(tx, person).await?;
    } else {
        people::expect_password(tx, person).await?;
        if people::is_administrator(tx, person.id).await? {
            let message = "An administrator works in no other account.";
            return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
        }
    }
    people::join(tx, invitation.merchant, person.id, invitation.role).await?;
    mail::take_back(tx, Kind::Invitation, invitation.id.0).await?;
    if invitation.is_mailed {
        recipients::prove(tx, person.id).await?;
    }
    let entry = Entry::new(Action::MemberJoined, invitation.merchant).on(person.id.0);
    audit::record(tx, by, entry.with("role", invitation.role.name())).await
}

fn over() -> Error {
    let message = "The invitation is over, or was accepted already. Ask for another one.";
    Error::refused(ErrorCode::InvitationInvalid, message)
}
