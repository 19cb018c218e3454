//! People: who signs in, and what they may do in which account.
//!
//! A person has one email and one password, and is a member of one account or more, with a role in
//! each. The owner of an account is the person with the account's id.

use std::fmt::{Debug, Formatter};

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::auth::elevation::Elevation;
use crate::mail::content::Content;
use crate::mail::{self, NewMail};
use crate::merchants::{self, Merchant, NewMerchant};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::{MerchantId, Mode, PersonId, Scope, SessionId};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::PersonalPermission;
use crate::platform::role::Role;

pub mod account_api;
pub mod administrators;
pub mod api;
pub mod elevation_api;
pub mod email_changes;
pub mod invitations;
pub mod link_token;
pub mod members_api;
pub mod params;
pub mod resets;
pub mod saved_views;
pub mod second_step;
pub mod sessions;
pub mod sessions_api;
pub mod sign_in;
mod store;

/// How many closed accounts, and people without one, a unit ends what is left of.
const ADOPTED_AT_ONCE: i64 = 100;

/// Somebody who signs in.
#[derive(Clone)]
pub struct Person {
    pub id: PersonId,
    pub name: String,
    pub email: String,
    pub password_hash: String,
}

/// A person, and the account that they work in.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub person: Person,
    pub merchant: Merchant,
    pub role: MemberRole,
}

/// A member of an account, as the others see them.
#[derive(Debug)]
pub struct Member {
    pub person: PersonId,
    pub name: String,
    pub email: String,
    pub role: MemberRole,
    pub since: Timestamp,
}

/// An account that a person works in.
#[derive(Debug)]
pub struct Account {
    pub id: MerchantId,
    pub name: String,
    pub role: MemberRole,
    pub since: Timestamp,
}

/// A person in a session who changes something about themselves or their account.
#[derive(Debug, Clone)]
pub struct Acting {
    /// The account and the person.
    pub who: (MerchantId, PersonId),
    pub session: SessionId,
    pub by: ActorContext,
}

/// The account of a session, and what its person is there.
#[derive(Debug)]
pub struct Membership {
    pub scope: Scope,
    pub account_role: Role,
    pub person: PersonId,
    pub role: MemberRole,
    pub elevation: Elevation,
}

impl Membership {
    /// Whether the person administers the platform: other members of an administrator's account
    /// work for it, not for the platform.
    pub fn is_administrator(&self) -> bool {
        self.account_role == Role::Admin && opened(self.person, self.scope.merchant)
    }
}

/// Opens an account with its owner; an email address belongs to one person.
pub async fn open(tx: &Tx, new: &NewMerchant) -> Result<Merchant> {
    let merchant = merchants::register(tx, new).await?;
    let person = Person {
        id: owner_of(merchant.id),
        name: merchant.name.clone(),
        email: merchant.email.clone(),
        password_hash: new.password_hash.clone(),
    };
    add(tx, &person).await?;
    store::insert_membership(tx, merchant.id, person.id, MemberRole::Owner).await?;
    Ok(merchant)
}

/// The person who opened an account.
pub fn owner_of(merchant: MerchantId) -> PersonId {
    PersonId(merchant.0)
}

/// Whether a person opened an account.
pub fn opened(person: PersonId, merchant: MerchantId) -> bool {
    person == owner_of(merchant)
}

/// Records a person; an email address belongs to one.
pub async fn add(tx: &Tx, person: &Person) -> Result<()> {
    if store::insert(tx, person).await? {
        return Ok(());
    }
    let message = "An account with this email already exists.";
    Err(Error::refused(ErrorCode::AlreadyExists, message))
}

/// Whether there is anybody at all.
pub async fn any(tx: &Tx) -> Result<bool> {
    store::any(tx).await
}

/// Finds a person by their email.
pub async fn find_by_email(tx: &Tx, email: &str) -> Result<Option<Person>> {
    store::find_by_email(tx, email).await
}

/// The accounts that a person works in.
pub async fn accounts_of(tx: &Tx, person: PersonId) -> Result<Vec<MerchantId>> {
    store::accounts_of(tx, person).await
}

/// Finds a person.
pub async fn find(tx: &Tx, id: PersonId) -> Result<Person> {
    store::find(tx, id).await?.ok_or(Error::NotFound("Person"))
}

/// A person in an account that they are a member of; `None` if they are not.
pub async fn signed_in(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
) -> Result<Option<SignedIn>> {
    store::signed_in(tx, merchant, person).await
}

/// Lists the accounts of a person: their own, then by when they joined.
pub async fn accounts(tx: &Tx, person: PersonId) -> Result<Vec<Account>> {
    store::accounts(tx, person).await
}

/// Lists the members of an account: owners first, then the longest there.
pub async fn members(tx: &Tx, merchant: MerchantId) -> Result<Vec<Member>> {
    store::members(tx, merchant).await
}

/// The account of a session of the API that has not ended, for as long as its person is a member.
pub async fn membership(tx: &Tx, session: SessionId, mode: Mode) -> Result<Option<Membership>> {
    store::membership(tx, session, mode).await
}

/// Gives a member another role.
pub async fn change_role(
    tx: &Tx,
    by: &ActorContext,
    giver: (MerchantId, PersonId),
    person: PersonId,
    role: MemberRole,
) -> Result<Member> {
    let (giver_role, member) = locked(tx, giver, person).await?;
    expect_may_give(giver_role, member.role)?;
    expect_may_give(giver_role, role)?;
    let merchant = giver.0;
    store::set_role(tx, merchant, person, role).await?;
    if !role.may(PersonalPermission::TeamWrite) {
        invitations::end_of(tx, merchant, person).await?;
    }
    let entry = Entry::new(Action::MemberRoleChanged, merchant).on(person.0);
    audit::record(tx, by, entry.with("from", member.role.name()).with("to", role.name())).await?;
    Ok(Member { role, ..member })
}

/// Gives a person another name; returns them as they then are.
pub async fn rename(
    tx: &Tx,
    by: &ActorContext,
    (merchant, id): (MerchantId, PersonId),
    name: &str,
) -> Result<Person> {
    store::set_name(tx, id, name).await?;
    let entry = Entry::new(Action::ProfileUpdated, merchant).on(id.0);
    audit::record(tx, by, entry).await?;
    find(tx, id).await
}

/// Removes a member, or lets one leave; their sessions in the account end with it, the invitations
/// that they made, and the views that they saved.
pub async fn remove(
    tx: &Tx,
    by: &ActorContext,
    remover: (MerchantId, PersonId),
    person: PersonId,
) -> Result<()> {
    let (role, member) = locked(tx, remover, person).await?;
    let merchant = remover.0;
    if remover.1 != person {
        expect_may_give(role, member.role)?;
    }
    store::delete_membership(tx, merchant, person).await?;
    let ended = sessions::end_in(tx, merchant, person).await?;
    invitations::end_of(tx, merchant, person).await?;
    saved_views::delete_of(tx, merchant, person).await?;
    delete_without_membership(tx, person).await?;
    let entry = Entry::new(Action::MemberRemoved, merchant).on(person.0);
    audit::record(tx, by, entry.with("sessionsEnded", ended)).await
}

/// Whether a person opened an account that is an administrator's.
pub async fn is_administrator(tx: &Tx, person: PersonId) -> Result<bool> {
    let own = store::signed_in(tx, MerchantId(person.0), person).await?;
    Ok(own.is_some_and(|own| own.merchant.role == Role::Admin))
}

/// Makes a person a member.
pub async fn join(tx: &Tx, merchant: MerchantId, person: PersonId, role: MemberRole) -> Result<()> {
    if store::insert_membership(tx, merchant, person, role).await? {
        return Ok(());
    }
    Err(already_member())
}

fn already_member() -> Error {
    let message = "This person is a member of the account already.";
    Error::refused(ErrorCode::AlreadyExists, message)
}

/// A member, and the role that the one who acts has now.
///
/// Changes to one account's team run one after the other, so none acts with a role that was taken
/// from them. Who opened the account stays its owner, so it always has one.
async fn locked(
    tx: &Tx,
    (merchant, actor): (MerchantId, PersonId),
    person: PersonId,
) -> Result<(MemberRole, Member)> {
    let role = locked_role(tx, merchant, actor).await?;
    let found = store::member(tx, merchant, person).await?;
    let member = found.ok_or(Error::NotFound("Member"))?;
    if opened(person, merchant) {
        let message = "Who opened the account stays its owner.";
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    Ok((role, member))
}

/// Locks an account's team; returns the role that a member of it has now.
async fn locked_role(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<MemberRole> {
    merchants::lock(tx, merchant).await?;
    let found = store::member(tx, merchant, person).await?;
    let member = found.ok_or(Error::Unauthenticated(ErrorCode::Unauthorized))?;
    Ok(member.role)
}

/// Refuses to give or take away a role that is not the giver's to decide about.
fn expect_may_give(giver: MemberRole, role: MemberRole) -> Result<()> {
    if giver.may_give(role) {
        return Ok(());
    }
    if !giver.may(PersonalPermission::TeamWrite) {
        return Err(Error::RoleForbidden(PersonalPermission::TeamWrite.name()));
    }
    let message = "Only an owner decides who owns the account.";
    Err(Error::refused(ErrorCode::InsufficientPermission, message))
}

/// Ends what people have in an account whose owner closes it; returns how many sessions ended.
///
/// A second call fails, because the password is no longer that of its person. A person who works
/// in no other account is deleted.
pub async fn close(tx: &Tx, owner: &Person, merchant: MerchantId) -> Result<u64> {
    // First, as an acceptance does, so that each of the two sees what the other did.
    let locked = merchants::lock(tx, merchant).await;
    locked.map_err(|error| match error {
        Error::NotFound(_) => Error::Unauthenticated(ErrorCode::InvalidCredentials),
        other => other,
    })?;
    expect_password(tx, owner).await?;
    let ended = sessions::end_all_in(tx, merchant).await?;
    for member in store::delete_memberships_of(tx, merchant).await? {
        delete_without_membership(tx, member).await?;
    }
    invitations::delete_all(tx, merchant).await?;
    saved_views::delete_all(tx, merchant).await?;
    mail::preferences::forget_account(tx, merchant).await?;
    Ok(ended)
}

/// Deletes a person who is no member of any account, with their second step, their link to a new
/// password, the change of their address, their sessions and what was written to them; false if
/// they are a member.
async fn delete_without_membership(tx: &Tx, person: PersonId) -> Result<bool> {
    if !store::delete_without_membership(tx, person).await? {
        return Ok(false);
    }
    second_step::forget(tx, person).await?;
    resets::end_of(tx, person).await?;
    email_changes::end_of(tx, person).await?;
    sessions::delete_of(tx, person).await?;
    mail::forget_person(tx, person).await?;
    Ok(true)
}

/// Refuses a person whose password was changed since it was verified; it then stays what it is
/// until the unit ends.
pub async fn expect_password(tx: &Tx, person: &Person) -> Result<()> {
    if store::lock_password(tx, person).await? {
        Ok(())
    } else {
        Err(Error::Unauthenticated(ErrorCode::InvalidCredentials))
    }
}

/// Sets a password and ends all the person's sessions, or all but one; returns how many. The person
/// gets a notice by mail, in a language, and their open link to a new password and the open change
/// of their address end.
///
/// Anyone who knew the old password may have signed in with it, so their networks and devices are
/// unknown again.
async fn replace_password(
    tx: &Tx,
    person: PersonId,
    (hash, lang): (&str, Lang),
    kept: Option<SessionId>,
) -> Result<u64> {
    store::set_password(tx, person, hash).await?;
    resets::end_of(tx, person).await?;
    email_changes::end_of(tx, person).await?;
    if let Some(Person { email, .. }) = store::find(tx, person).await? {
        let new = NewMail { to: &email, lang, content: Content::PasswordChanged, link: None };
        mail::write_to_person(tx, person, new).await?;
    }
    sessions::blank(tx, person, kept).await?;
    sessions::end_all_of(tx, person, kept).await
}

/// Makes people and owners of accounts that an older version opened, and ends what people have in
/// those that it closed; returns how many rows and people changed.
///
/// While it and this version share a database, or after it was rolled back to, it writes neither.
pub async fn adopt(tx: &Tx) -> Result<u64> {
    let mut changed = store::adopt(tx).await?;
    for merchant in store::closed_with_members(tx, ADOPTED_AT_ONCE).await? {
        store::delete_memberships_of(tx, merchant).await?;
        invitations::delete_all(tx, merchant).await?;
        saved_views::delete_all(tx, merchant).await?;
        sessions::end_all_in(tx, merchant).await?;
        changed += 1;
    }
    for person in store::without_membership(tx, ADOPTED_AT_ONCE).await? {
        changed += u64::from(delete_without_membership(tx, person).await?);
    }
    second_step::delete_without_person(tx).await?;
    Ok(changed)
}

/// The actor that a person is in an account, for the audit log: its owner is who opened it.
pub fn actor(merchant: MerchantId, person: PersonId) -> Actor {
    if opened(person, merchant) { Actor::Owner(merchant) } else { Actor::Member(person) }
}

impl SignedIn {
    /// The person, for the audit log.
    pub fn by(&self, context: &RequestContext) -> ActorContext {
        ActorContext::request(actor(self.merchant.id, self.person.id), context)
    }
}

impl Debug for Person {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "Person({})", self.id)
    }
}
