//! Sessions: from one sign-in until it ends.
//!
//! A session's refresh token changes with every use; a second use of an old one means that it was
//! copied, and ends the session. A browser's session has a cookie instead (`browser`).

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::auth::elevation::ELEVATED_FOR;
use crate::auth::tokens::RefreshToken;
use crate::mail::content::Content;
use crate::mail::{self, NewMail};
use crate::people::second_step::SecondStepPassed;
use crate::people::sessions::browser::BrowserToken;
use crate::people::{self, Acting, SignedIn, replace_password};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, PersonId, SessionId};
use crate::platform::messages::Lang;
use crate::platform::secrets::same;

pub mod browser;
mod store;

/// A refresh token is valid for this long after its last use,
const SESSION_IDLE: Duration = Duration::from_secs(30 * 24 * 3600);
/// and never longer than this after signing in.
const SESSION_MAX: Duration = Duration::from_secs(90 * 24 * 3600);
/// A person who is newer has no device that they are known by.
const NEWCOMER: Duration = Duration::from_secs(3600);
/// What the audit log says of a sign-in by the password alone.
const NO_SECOND_STEP: &str = "none";
/// For how long the cookie that an elevation replaces stays good, without the elevation.
const EARLIER_GOOD_FOR: Duration = Duration::from_mins(1);
/// After how many wrong codes a session ends.
const WRONG_CODES_MAX: i64 = 5;
/// A session that ended before its time is kept as long as one of the API that is not used: its
/// network and its device stay known.
const ENDED_KEPT: Duration = SESSION_IDLE;

text_enum! {
    /// What a session is used by.
    pub enum SessionKind as "SessionKind" {
        /// A program, with access tokens.
        Api = "API",
        /// A browser, in the dashboard.
        Browser = "BROWSER",
    }
}

/// The origin of a sign-in.
#[derive(Debug, Clone)]
pub struct SignInSource {
    pub network: String,
    /// Only of a device whose name cannot be guessed.
    pub device_hash: Option<Vec<u8>>,
}

/// A person who tries to sign in.
#[derive(Debug)]
pub struct SignInAttempt {
    pub who: SignedIn,
    /// Whether the account was opened or the person has signed in on the same device before, as far
    /// as the sessions show.
    pub knows_device: bool,
    /// Whether they have signed in from the same network before, as far as the sessions show.
    pub knows_network: bool,
}

/// A row of a session.
#[derive(Debug, Clone)]
pub struct Session {
    pub id: SessionId,
    pub merchant: MerchantId,
    pub person: PersonId,
    pub refresh_hash: Vec<u8>,
    pub expires_at: Timestamp,
    pub ends_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

/// A session that has not ended, as its person sees it.
#[derive(Debug)]
pub struct SessionRecord {
    pub id: SessionId,
    pub kind: SessionKind,
    /// The account that it works in.
    pub merchant: MerchantId,
    /// The network it was started from.
    pub network: Option<String>,
    /// The browser, and its address; of a browser's session only.
    pub agent: Option<String>,
    pub address: Option<String>,
    pub created_at: Timestamp,
    /// When it was started or last refreshed.
    pub used_at: Timestamp,
    pub expires_at: Timestamp,
}

/// A session that was elevated.
pub struct Elevated {
    pub until: Timestamp,
    /// The new value of a browser's cookie.
    pub token: Option<BrowserToken>,
}

/// The result of refreshing a session.
#[derive(Debug)]
pub enum RefreshOutcome {
    /// The next token, and whose session it is.
    Rotated(RefreshToken, Box<SignedIn>),
    /// The token was used before: the session is ended.
    Reused,
    /// No such session, or it has ended.
    Unknown,
}

/// Finds a person by their email, for a sign-in to one of their accounts: their own, or else the
/// one that they joined first.
pub async fn find_to_sign_in(
    tx: &Tx,
    email: &str,
    account: Option<MerchantId>,
    from: &SignInSource,
) -> Result<Option<SignInAttempt>> {
    people::store::find_to_sign_in(tx, email, account, from).await
}

/// Starts a session for a person whose password and second step were verified; returns its first
/// refresh token.
///
/// A password that was changed since its verification is refused, so a change ends every session
/// that the old one started. The person gets a mail about a device and a network that are both new
/// to them.
pub async fn sign_in(
    tx: &Tx,
    by: &ActorContext,
    who: &SignedIn,
    passed: SecondStepPassed,
    from: &SignInSource,
    lang: Lang,
) -> Result<RefreshToken> {
    let token = RefreshToken::new(SessionId::new(tx), tx.random());
    let session = Session {
        id: token.session,
        merchant: who.merchant.id,
        person: who.person.id,
        refresh_hash: token.hash().to_vec(),
        expires_at: tx.now().plus(SESSION_IDLE),
        ends_at: tx.now().plus(SESSION_MAX),
        revoked_at: None,
    };
    record_start(tx, by, session.id, (who, passed), from, lang).await?;
    store::insert(tx, &session, from, tx.now().plus(ELEVATED_FOR)).await?;
    Ok(token)
}

/// What precedes a session of either kind: the password is still the one that was verified, the
/// person gets a mail about a device and a network that are both new to them, and the audit log an
/// entry.
async fn record_start(
    tx: &Tx,
    by: &ActorContext,
    session: SessionId,
    (who, passed): (&SignedIn, SecondStepPassed),
    from: &SignInSource,
    lang: Lang,
) -> Result<()> {
    people::expect_password(tx, &who.person).await?;
    if store::is_from_elsewhere(tx, who.person.id, from, tx.now().minus(NEWCOMER)).await? {
        let content = Content::NewDevice { network: from.network.clone() };
        let new = NewMail { to: &who.person.email, lang, content, link: None };
        mail::write_to_person(tx, who.person.id, new).await?;
    }
    let entry = Entry::new(Action::SignInSucceeded, who.merchant.id).on(session.0);
    let code = passed.name().unwrap_or(NO_SECOND_STEP);
    audit::record(tx, by, entry.with("secondStep", code)).await
}

/// Elevates a session whose person has just given their password or a code.
///
/// The cookie of a browser changes with it: a copy of the one that was given, by its hash, is not
/// elevated too, and is good for a minute only.
pub async fn elevate(
    tx: &Tx,
    acting: &Acting,
    cookie_hash: Option<&[u8]>,
    with: &'static str,
) -> Result<Elevated> {
    let Acting { who: (merchant, person), session, by } = acting;
    let (until, token) = (tx.now().plus(ELEVATED_FOR), BrowserToken::new(tx));
    let earlier = (cookie_hash, tx.now().plus(EARLIER_GOOD_FOR));
    let kind = store::elevate(tx, *person, *session, (until, &token.hash()), earlier).await?;
    let kind = kind.ok_or(Error::Unauthenticated(ErrorCode::Unauthorized))?;
    let entry = Entry::new(Action::SessionElevated, *merchant).on(session.0);
    audit::record(tx, by, entry.with("with", with)).await?;
    Ok(Elevated { until, token: (kind == SessionKind::Browser).then_some(token) })
}

/// Counts a wrong code that was typed in a session; whether that was one too many, which ends the
/// session.
///
/// So a cookie or a token in other hands is worth few guesses, and the person's codes stay good.
pub async fn count_wrong_code(tx: &Tx, acting: &Acting) -> Result<bool> {
    let Acting { who: (merchant, _), session, by } = acting;
    if store::count_wrong_code(tx, *session).await? < WRONG_CODES_MAX {
        return Ok(false);
    }
    store::end(tx, *session).await?;
    let entry = Entry::new(Action::SessionEndedByCodes, *merchant).on(session.0);
    audit::record(tx, by, entry.with("codes", WRONG_CODES_MAX)).await?;
    Ok(true)
}

/// Whether somebody has ended a session.
pub async fn has_ended(tx: &Tx, session: SessionId) -> Result<bool> {
    store::has_ended(tx, session).await
}

/// Ends the elevation of all of a person's sessions but one, because what proved it is no longer
/// enough.
pub async fn lower_others(tx: &Tx, person: PersonId, kept: SessionId) -> Result<()> {
    store::lower_others(tx, person, kept).await
}

/// Exchanges a refresh token for the next one.
pub async fn refresh(tx: &Tx, by: &ActorContext, token: &RefreshToken) -> Result<RefreshOutcome> {
    let Some(session) = store::find(tx, token.session).await? else {
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
    if !store::rotate(tx, &session, &next.hash(), expires_at).await? {
        // Another unit has used the token since it was read here.
        return reused(tx, by, &session).await;
    }
    match people::store::signed_in(tx, session.merchant, session.person).await? {
        Some(who) => Ok(RefreshOutcome::Rotated(next, Box::new(who))),
        None => Ok(RefreshOutcome::Unknown),
    }
}

/// Ends a session whose refresh token was used twice.
async fn reused(tx: &Tx, by: &ActorContext, session: &Session) -> Result<RefreshOutcome> {
    store::end(tx, session.id).await?;
    let entry = Entry::new(Action::SessionRefreshReused, session.merchant).on(session.id.0);
    audit::record(tx, by, entry).await?;
    Ok(RefreshOutcome::Reused)
}

/// Ends the session of a person who signs out.
pub async fn sign_out(
    tx: &Tx,
    by: &ActorContext,
    (merchant, person): (MerchantId, PersonId),
    session: SessionId,
) -> Result<()> {
    if store::end_of(tx, person, session).await? {
        let entry = Entry::new(Action::SessionEnded, merchant).on(session.0);
        audit::record(tx, by, entry).await?;
    }
    Ok(())
}

/// Changes the password of a person whose old one was verified, and ends all their sessions but
/// one; returns a new refresh token for that one, because its earlier ones may have been copied.
pub async fn change_password(
    tx: &Tx,
    by: &ActorContext,
    who: &SignedIn,
    (hash, lang): (&str, Lang),
    kept: SessionId,
) -> Result<RefreshToken> {
    people::expect_password(tx, &who.person).await?;
    let ended = replace_password(tx, who.person.id, (hash, lang), Some(kept)).await?;
    let token = RefreshToken::new(kept, tx.random());
    store::renew(tx, kept, &token.hash()).await?;
    let entry = Entry::new(Action::PasswordChanged, who.merchant.id).with("sessionsEnded", ended);
    audit::record(tx, by, entry).await?;
    Ok(token)
}

/// Lists the sessions of a person that have not ended, newest first.
pub async fn list(tx: &Tx, person: PersonId) -> Result<Vec<SessionRecord>> {
    store::list(tx, person).await
}

/// Ends one of a person's sessions.
pub async fn end(
    tx: &Tx,
    by: &ActorContext,
    (merchant, person): (MerchantId, PersonId),
    session: SessionId,
) -> Result<()> {
    if !store::end_of(tx, person, session).await? {
        return Err(Error::NotFound("Session"));
    }
    let entry = Entry::new(Action::SessionRevoked, merchant).on(session.0);
    audit::record(tx, by, entry.with("sessionsEnded", 1)).await
}

/// Ends all of a person's sessions but one.
pub async fn end_others(
    tx: &Tx,
    by: &ActorContext,
    (merchant, person): (MerchantId, PersonId),
    kept: SessionId,
) -> Result<()> {
    let ended = store::end_all_of(tx, person, Some(kept)).await?;
    let entry = Entry::new(Action::SessionRevoked, merchant).with("sessionsEnded", ended);
    audit::record(tx, by, entry).await
}

/// Ends all sessions of a person, or all but one; returns how many.
pub async fn end_all_of(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<u64> {
    store::end_all_of(tx, person, kept).await
}

/// Ends a person's sessions in one account; returns how many.
pub async fn end_in(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<u64> {
    store::end_in(tx, merchant, person).await
}

/// Ends every session in an account, and erases where they came from; returns how many ended.
pub async fn end_all_in(tx: &Tx, merchant: MerchantId) -> Result<u64> {
    store::end_all_in(tx, merchant).await
}

/// Erases where a person's sessions came from, of all of them or all but one.
pub async fn blank(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<()> {
    store::blank(tx, person, kept).await
}

/// Deletes all sessions of a person who is gone.
pub async fn delete_of(tx: &Tx, person: PersonId) -> Result<()> {
    store::delete_of(tx, person).await
}

/// Deletes sessions that have ended, or ended some time ago; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, tx.now().minus(ENDED_KEPT), most).await
}
