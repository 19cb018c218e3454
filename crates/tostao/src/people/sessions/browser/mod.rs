//! Sessions of browsers: how people work in the dashboard.
//!
//! The browser holds one random value in a cookie, and only its hash is stored. Such a session has
//! no refresh token and gets no access token, and a session of the API opens no page. What ends the
//! one kind ends the other: they are rows of one table.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use db::tx::Tx;

use crate::app::App;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::auth::elevation::ELEVATED_FOR;
use crate::people::second_step::SecondStepPassed;
use crate::people::sessions::{SignInSource, record_start};
use crate::people::{self, Membership, SignedIn, actor};
use crate::platform::config::dashboard::SessionLifetime;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::{MerchantId, Mode, PersonId, SessionId};
use crate::platform::messages::Lang;
use crate::platform::secrets::sha256;

mod store;

/// The precision of when a session was last used; a write for every page would gain nothing.
const USE_NOTED_EVERY: Duration = Duration::from_secs(60);
const AGENT_LENGTH_MAX: usize = 255;
/// How long after its end a session still says whose form was posted in it. An older cookie is
/// more likely a copy.
const REMEMBERED: Duration = Duration::from_hours(24);

/// What a browser's cookie holds.
pub struct BrowserToken([u8; 32]);

/// The browser of a sign-in, and where it is.
#[derive(Debug, Clone)]
pub struct Browser {
    pub source: SignInSource,
    /// What it calls itself.
    pub agent: Option<String>,
    pub address: String,
}

/// A session that has not ended, and what its person is in its account.
#[derive(Debug)]
pub struct BrowserSession {
    /// Of the cookie that names it.
    pub token_hash: Vec<u8>,
    pub id: SessionId,
    pub used_at: Timestamp,
    pub ends_at: Timestamp,
    pub member: Membership,
}

/// A row of a new session.
#[derive(Debug)]
struct NewSession {
    id: SessionId,
    merchant: MerchantId,
    person: PersonId,
    token_hash: Vec<u8>,
    expires_at: Timestamp,
    ends_at: Timestamp,
}

/// Starts a session for a person whose password and second step were verified.
///
/// A password that was changed since its verification is refused, so a change ends every session
/// that the old one started. The person gets a mail as at any other sign-in.
pub async fn sign_in(
    tx: &Tx,
    by: &ActorContext,
    (who, passed): (&SignedIn, SecondStepPassed),
    browser: &Browser,
    lifetime: SessionLifetime,
    lang: Lang,
) -> Result<BrowserToken> {
    let token = BrowserToken::new(tx);
    let session = NewSession {
        id: SessionId::new(tx),
        merchant: who.merchant.id,
        person: who.person.id,
        token_hash: token.hash(),
        expires_at: tx.now().plus(lifetime.idle.min(lifetime.most)),
        ends_at: tx.now().plus(lifetime.most),
    };
    record_start(tx, by, session.id, (who, passed), &browser.source, lang).await?;
    store::insert(tx, &session, browser, tx.now().plus(ELEVATED_FOR)).await?;
    Ok(token)
}

/// The session of a cookie, with the account's scope in a mode; `None` once it has ended, and once
/// its person is no member any more.
///
/// A cookie that an elevation replaced is good for a minute, without the elevation: the answer with
/// the new one may have been lost on its way.
pub async fn find(tx: &Tx, token: &BrowserToken, mode: Mode) -> Result<Option<BrowserSession>> {
    store::find(tx, &token.hash(), mode).await
}

/// The account and the person of a cookie whose session may have ended by itself; `None` for
/// one that somebody has ended, because its cookie may be in other hands.
pub async fn whose(tx: &Tx, token: &BrowserToken) -> Result<Option<(MerchantId, PersonId)>> {
    store::whose(tx, &token.hash(), tx.now().minus(REMEMBERED)).await
}

/// Records that a session is used, at most once a minute, and so puts off its end.
pub async fn note_use(app: &App, session: &BrowserSession) -> Result<()> {
    let now = app.now();
    if now.since(session.used_at) < USE_NOTED_EVERY {
        return Ok(());
    }
    let idle = app.settings.dashboard.lifetime().idle;
    let (id, expires_at) = (session.id, now.plus(idle).min(session.ends_at));
    app.transact(async move |tx| store::note_use(tx, id, expires_at).await).await
}

/// Lets a session go on in another account of its person; repeating it is not an error.
///
/// Its value and its end stay, so a second press of the same button finds the session where the
/// first one left it.
pub async fn switch_account(
    tx: &Tx,
    context: &RequestContext,
    session: SessionId,
    (from, person): (MerchantId, PersonId),
    to: MerchantId,
) -> Result<()> {
    if from == to {
        return Ok(());
    }
    if people::store::signed_in(tx, to, person).await?.is_none() {
        return Err(Error::NotFound("Account"));
    }
    if !store::switch(tx, session, (from, person), to).await? {
        return Err(Error::Unauthenticated(ErrorCode::Unauthorized));
    }
    let acts = [(from, Action::SessionEnded), (to, Action::SignInSucceeded)];
    for (account, action) in acts {
        let by = ActorContext::request(actor(account, person), context);
        audit::record(tx, &by, Entry::new(action, account).on(session.0)).await?;
    }
    Ok(())
}

impl BrowserToken {
    /// A new value.
    pub fn new(tx: &Tx) -> Self {
        Self(tx.random())
    }

    /// Parses a cookie's value; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// The cookie's value.
    pub fn expose(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// What is stored of it.
    pub fn hash(&self) -> Vec<u8> {
        sha256(&self.0).to_vec()
    }
}

impl Browser {
    /// A browser that calls itself by a name, which is cut where it is too long to be one.
    pub fn new(source: SignInSource, agent: Option<&str>, context: &RequestContext) -> Self {
        let short = |agent: &str| agent.chars().take(AGENT_LENGTH_MAX).collect();
        Self { source, agent: agent.map(short), address: context.client_ip.to_string() }
    }
}
