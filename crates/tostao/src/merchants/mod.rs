//! Merchants: accounts, and how their owners sign in.
//!
//! A session lasts from one sign-in until it ends. Its refresh token changes with every use; a
//! second use of an old one means that it was copied, and ends the session.

use std::time::Duration;

use brazil::document::Document;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::auth::tokens::RefreshToken;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, Mode, Scope, SessionId};
use crate::platform::role::Role;
use crate::platform::secrets::same;

pub mod administrators;
pub mod api;
pub mod clock;
pub mod credentials;
pub mod sessions_api;
mod store;
pub mod whoami_api;

/// A refresh token is valid for this long after its last use,
const SESSION_IDLE: Duration = Duration::from_secs(30 * 24 * 3600);
/// and never longer than this after signing in.
const SESSION_MAX: Duration = Duration::from_secs(90 * 24 * 3600);

/// An account and its owner.
#[derive(Debug, Clone)]
pub struct Merchant {
    pub id: MerchantId,
    pub name: String,
    pub email: String,
    pub password_hash: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub role: Role,
    /// A hash of the device on which it was opened.
    pub device_hash: Option<Vec<u8>>,
    pub created_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
}

/// A validated registration; the password is hashed already.
#[derive(Debug, Clone)]
pub struct NewMerchant {
    pub name: String,
    pub email: String,
    pub password_hash: String,
    pub document: Option<Document>,
    pub phone: Option<String>,
    pub role: Role,
    pub device_hash: Option<Vec<u8>>,
}

/// An account that a caller tries to sign in to.
#[derive(Debug)]
pub struct SignInAccount {
    pub merchant: Merchant,
    /// Whether the account was opened or has signed in on the same device before, as far as its
    /// sessions show.
    pub knows_device: bool,
    /// Whether it has signed in from the same network before, as far as its sessions show.
    pub knows_network: bool,
}

/// The origin of a sign-in.
#[derive(Debug, Clone)]
pub struct SignInSource {
    pub network: String,
    /// Only of a device whose name cannot be guessed.
    pub device_hash: Option<Vec<u8>>,
}

/// A row of a session.
#[derive(Debug, Clone)]
struct Session {
    id: SessionId,
    merchant: MerchantId,
    refresh_hash: Vec<u8>,
    expires_at: Timestamp,
    ends_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

/// A session that has not ended, as its owner sees it.
#[derive(Debug)]
pub struct SessionRecord {
    pub id: SessionId,
    /// The network it was started from.
    pub network: Option<String>,
    pub created_at: Timestamp,
    /// When it was started or last refreshed.
    pub used_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Opens an account; an email address has at most one.
pub async fn register(tx: &Tx, new: &NewMerchant) -> Result<Merchant> {
    let merchant = Merchant {
        id: MerchantId::new(tx),
        name: new.name.clone(),
        email: new.email.clone(),
        password_hash: new.password_hash.clone(),
        document: new.document.clone(),
        phone: new.phone.clone(),
        role: new.role,
        device_hash: new.device_hash.clone(),
        created_at: tx.now(),
        closed_at: None,
    };
    if !store::insert(tx, &merchant).await? {
        let message = "An account with this email already exists.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    Ok(merchant)
}

/// Finds an account by its email, for a sign-in.
pub async fn find_to_sign_in(
    tx: &Tx,
    email: &str,
    from: &SignInSource,
) -> Result<Option<SignInAccount>> {
    store::find_to_sign_in(tx, email, from).await
}

/// Finds an account.
pub async fn find(tx: &Tx, id: MerchantId) -> Result<Merchant> {
    store::find(tx, id).await?.ok_or(Error::NotFound("Account"))
}

/// Records that the owner was invited, so that their sales are checked for the referral.
pub async fn record_invited(tx: &Tx, id: MerchantId) -> Result<()> {
    store::record_invited(tx, id).await
}

/// Marks an account's owner as verified; returns since when.
pub async fn verify(tx: &Tx, id: MerchantId) -> Result<Timestamp> {
    store::verify(tx, id).await?.ok_or(Error::NotFound("Account"))
}

/// Withdraws a verification.
pub async fn unverify(tx: &Tx, id: MerchantId) -> Result<()> {
    if store::unverify(tx, id).await? { Ok(()) } else { Err(Error::NotFound("Account")) }
}

/// Whether an account's owner is verified; in development every owner is, from registration on.
pub async fn is_verified(tx: &Tx, of: Scope) -> Result<bool> {
    Ok(of.mode == Mode::Development || store::is_verified(tx, of.merchant).await?)
}

/// Whether two accounts belong to one person, as far as their registration data shows.
pub fn is_same_person(one: &Merchant, other: &Merchant) -> bool {
    fn both<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
        one.is_some() && one == other
    }
    let document =
        |of: &Merchant| of.document.as_ref().map(|document| document.as_str().to_owned());
    let phone = |of: &Merchant| of.phone.as_deref().map(without_country_code);
    both(document(one).as_ref(), document(other).as_ref())
        || both(phone(one).as_ref(), phone(other).as_ref())
        || both(one.device_hash.as_ref(), other.device_hash.as_ref())
}

/// Starts a session for an account whose password was verified; returns its first refresh token.
///
/// A password that was changed since its verification is refused, so a change ends every session
/// that the old one started.
pub async fn sign_in(
    tx: &Tx,
    by: &ActorContext,
    merchant: &Merchant,
    from: &SignInSource,
) -> Result<RefreshToken> {
    if !store::lock_password(tx, merchant).await? {
        return Err(Error::Unauthenticated(ErrorCode::InvalidCredentials));
    }
    let token = RefreshToken::new(SessionId::new(tx), tx.random());
    let session = Session {
        id: token.session,
        merchant: merchant.id,
        refresh_hash: token.hash().to_vec(),
        expires_at: tx.now().plus(SESSION_IDLE),
        ends_at: tx.now().plus(SESSION_MAX),
        revoked_at: None,
    };
    store::insert_session(tx, &session, from).await?;
    let entry = Entry::new(Action::SignInSucceeded, merchant.id).on(session.id.0);
    audit::record(tx, by, entry).await?;
    Ok(token)
}

/// The result of refreshing a session.
#[derive(Debug)]
pub enum RefreshOutcome {
    /// The next token, and the session's owner.
    Rotated(RefreshToken, Box<Merchant>),
    /// The token was used before: the session is ended.
    Reused,
    /// No such session, or it has ended.
    Unknown,
}

/// Exchanges a refresh token for the next one.
pub async fn refresh(tx: &Tx, by: &ActorContext, token: &RefreshToken) -> Result<RefreshOutcome> {
    let Some(session) = store::find_session(tx, token.session).await? else {
        return Ok(RefreshOutcome::Unknown);
    };
    let over = session.revoked_at.is_some()
        || session.expires_at <= tx.now()
        || session.ends_at <= tx.now();
    if over {
        return Ok(RefreshOutcome::Unknown);
    }
    if !same(&session.refresh_hash, &token.hash()) {
        return reused(tx, by, &session).await;
    }
    let next = RefreshToken::new(session.id, tx.random());
    let expires_at = tx.now().plus(SESSION_IDLE).min(session.ends_at);
    if !store::rotate_session(tx, &session, &next.hash(), expires_at).await? {
        // Another unit has used the token since it was read here.
        return reused(tx, by, &session).await;
    }
    let merchant = find(tx, session.merchant).await?;
    Ok(RefreshOutcome::Rotated(next, Box::new(merchant)))
}

/// Ends a session whose refresh token was used twice.
async fn reused(tx: &Tx, by: &ActorContext, session: &Session) -> Result<RefreshOutcome> {
    store::end_session(tx, session.id).await?;
    let entry = Entry::new(Action::SessionRefreshReused, session.merchant).on(session.id.0);
    audit::record(tx, by, entry).await?;
    Ok(RefreshOutcome::Reused)
}

/// Ends the session of an owner who signs out.
pub async fn sign_out(
    tx: &Tx,
    by: &ActorContext,
    merchant: MerchantId,
    session: SessionId,
) -> Result<()> {
    if store::end_session_of(tx, merchant, session).await? {
        let entry = Entry::new(Action::SessionEnded, merchant).on(session.0);
        audit::record(tx, by, entry).await?;
    }
    Ok(())
}

/// Changes the password of an account whose old one was verified, and ends all sessions but one;
/// returns a new refresh token for that one, because its earlier ones may have been copied.
pub async fn change_password(
    tx: &Tx,
    by: &ActorContext,
    merchant: &Merchant,
    hash: &str,
    kept: SessionId,
) -> Result<RefreshToken> {
    if !store::lock_password(tx, merchant).await? {
        return Err(Error::Unauthenticated(ErrorCode::InvalidCredentials));
    }
    let ended = replace_password(tx, merchant.id, hash, Some(kept)).await?;
    let token = RefreshToken::new(kept, tx.random());
    store::renew_session(tx, kept, &token.hash()).await?;
    let entry = Entry::new(Action::PasswordChanged, merchant.id).with("sessionsEnded", ended);
    audit::record(tx, by, entry).await?;
    Ok(token)
}

/// Sets a password and ends all sessions, or all but one; returns how many.
///
/// Anyone who knew the old password may have signed in with it, so their networks and devices are
/// unknown again.
async fn replace_password(
    tx: &Tx,
    id: MerchantId,
    hash: &str,
    kept: Option<SessionId>,
) -> Result<u64> {
    store::set_password(tx, id, hash).await?;
    store::blank_sessions(tx, id, kept).await?;
    store::end_sessions(tx, id, kept).await
}

/// Closes an account whose password was verified: signing in is no longer possible, its keys and
/// sessions end, and its email can open another account.
///
/// A second call fails, because its password is no longer the account's.
pub async fn close(tx: &Tx, by: &ActorContext, merchant: &Merchant) -> Result<()> {
    if !store::lock_password(tx, merchant).await? {
        return Err(Error::Unauthenticated(ErrorCode::InvalidCredentials));
    }
    store::close(tx, merchant.id).await?;
    let ended = store::end_sessions(tx, merchant.id, None).await?;
    store::blank_sessions(tx, merchant.id, None).await?;
    let revoked = credentials::revoke_all(tx, merchant.id).await?;
    let entry = Entry::new(Action::AccountClosed, merchant.id).with("sessionsEnded", ended);
    audit::record(tx, by, entry.with("keysRevoked", revoked)).await
}

/// Erases the owner's personal data from a closed account.
pub async fn blank(tx: &Tx, id: MerchantId) -> Result<()> {
    store::blank(tx, id).await
}

/// Whether an account is open; it then stays open until the unit ends.
pub async fn is_open(tx: &Tx, id: MerchantId) -> Result<bool> {
    store::is_open(tx, id).await
}

/// Lists the sessions of an account that have not ended, newest first.
pub async fn sessions(tx: &Tx, merchant: MerchantId) -> Result<Vec<SessionRecord>> {
    store::sessions(tx, merchant).await
}

/// Ends one of an account's sessions.
pub async fn end_session(
    tx: &Tx,
    by: &ActorContext,
    merchant: MerchantId,
    session: SessionId,
) -> Result<()> {
    if !store::end_session_of(tx, merchant, session).await? {
        return Err(Error::NotFound("Session"));
    }
    let entry = Entry::new(Action::SessionRevoked, merchant).on(session.0);
    audit::record(tx, by, entry.with("sessionsEnded", 1)).await
}

/// Ends all of an account's sessions but one.
pub async fn end_other_sessions(
    tx: &Tx,
    by: &ActorContext,
    merchant: MerchantId,
    kept: SessionId,
) -> Result<()> {
    let ended = store::end_sessions(tx, merchant, Some(kept)).await?;
    let entry = Entry::new(Action::SessionRevoked, merchant).with("sessionsEnded", ended);
    audit::record(tx, by, entry).await
}

/// The scope and role of a session's owner, if it has not ended.
pub async fn signed_in(tx: &Tx, session: SessionId, mode: Mode) -> Result<Option<(Scope, Role)>> {
    store::signed_in(tx, session, mode).await
}

/// The scope of a merchant who is named by something else, such as a public URL.
pub async fn scope(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<Scope> {
    store::scope(tx, merchant, mode).await?.ok_or(Error::NotFound("Account"))
}

/// Reads a merchant's id and clock, in this order, from a row of a statement that joins them.
pub fn scope_of(row: &mut Row, mode: Mode) -> Result<Scope> {
    store::scope_of(row, mode)
}

/// Reads the mode, and a merchant's id and clock, in this order, from a row of a statement that
/// joins them.
pub fn owner(row: &mut Row) -> Result<Scope> {
    let mode = row.take()?;
    scope_of(row, mode)
}

/// Locks the account, so that units that hold it run one after the other and what they count stays
/// true until they end; refuses one that was closed meanwhile.
pub async fn lock(tx: &Tx, merchant: MerchantId) -> Result<()> {
    if store::lock(tx, merchant).await? { Ok(()) } else { Err(Error::NotFound("Account")) }
}

/// Marks that the deletion of a merchant's development data has started.
pub async fn begin_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::begin_clearing(tx, merchant).await
}

/// Marks that it has finished.
pub async fn end_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::end_clearing(tx, merchant).await
}

/// Lists the merchants whose development data is being deleted.
pub async fn being_cleared(tx: &Tx) -> Result<Vec<MerchantId>> {
    store::being_cleared(tx).await
}

/// Lists every account's id.
pub async fn all(tx: &Tx) -> Result<Vec<MerchantId>> {
    store::all(tx).await
}

/// A telephone number without the country's prefix, with or without which it may be written.
fn without_country_code(phone: &str) -> String {
    let digits = phone.strip_prefix('+').unwrap_or(phone);
    let own = digits.strip_prefix("55").filter(|rest| matches!(rest.len(), 10 | 11));
    own.unwrap_or(digits).to_owned()
}

/// Deletes sessions that have ended; returns how many.
pub async fn delete_expired_sessions(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired_sessions(tx, most).await
}
