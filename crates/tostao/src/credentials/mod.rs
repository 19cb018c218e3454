//! Credentials: named sets of permissions with their API keys.
//!
//! A credential has one current key; after a rotation the previous one stays valid for the
//! requested grace period. Revoking ends all of them on the next request.
//!
//! A key of production opens real money, so the owner gets a mail about each that is made or
//! rotated, and has a day to read it: until then the key withdraws nothing.

use std::net::IpAddr;
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::auth::api_key::ApiKey;
use crate::first_steps::{self, Step};
use crate::mail;
use crate::mail::content::{Content, KeyNotice};
use crate::merchants;
use crate::people;
use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::http::client_ip::IpNet;
use crate::platform::ids::{CredentialId, MerchantId, Mode, PersonId, Scope};
use crate::platform::permissions::Permission;
use crate::platform::secrets::same;

pub mod api;
mod store;
pub mod whoami_api;

/// How many credentials an account may have that are not revoked.
const CREDENTIALS_MAX: i64 = 50;
/// The precision of `last_used_at`; a write for every request would gain nothing.
const USE_NOTED_EVERY: Duration = Duration::from_secs(60);
/// For how long a key is new.
const NEW_FOR: Duration = Duration::from_hours(24);

/// A credential, without its keys' secrets.
#[derive(Debug, Clone)]
pub struct Credential {
    pub id: CredentialId,
    pub mode: Mode,
    pub name: String,
    pub permissions: Vec<Permission>,
    pub ip_allowlist: Option<Vec<String>>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    pub public_id: String,
    pub last4: String,
    /// Its keys of before rotations that are still valid; in lists and after a rotation.
    pub previous: Vec<PreviousKey>,
}

/// A key that was replaced by another one, and is valid a while longer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreviousApiKey")]
pub struct PreviousKey {
    /// The last four characters of the key.
    pub last4: String,
    /// Until when it is valid.
    pub expires_at: Timestamp,
}

/// A validated new credential.
#[derive(Debug, Clone)]
pub struct NewCredential {
    pub mode: Mode,
    pub name: String,
    pub permissions: Vec<Permission>,
    pub ip_allowlist: Option<Vec<String>>,
    pub expires_at: Option<Timestamp>,
}

/// An authenticated key: its scope and its permissions.
#[derive(Debug, Clone)]
pub struct AuthenticatedKey {
    pub scope: Scope,
    pub id: CredentialId,
    pub permissions: Vec<Permission>,
    pub ip_allowlist: Option<Vec<String>>,
    pub last_used_at: Option<Timestamp>,
    key_hash: Vec<u8>,
    /// When the key was made or rotated.
    made_at: Timestamp,
    account_opened_at: Timestamp,
}

/// Creates a credential; its key is returned only here.
pub async fn create(
    tx: &Tx,
    merchant: MerchantId,
    (by, person): (&ActorContext, PersonId),
    new: &NewCredential,
) -> Result<(Credential, ApiKey)> {
    merchants::lock(tx, merchant).await?;
    if store::count(tx, merchant).await? >= CREDENTIALS_MAX {
        let message = format!("An account has at most {CREDENTIALS_MAX} API keys. Revoke one.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let key = ApiKey::generate(new.mode, || tx.random());
    let credential = Credential {
        id: CredentialId::new(tx),
        mode: new.mode,
        name: new.name.clone(),
        permissions: new.permissions.clone(),
        ip_allowlist: new.ip_allowlist.clone(),
        created_at: tx.now(),
        expires_at: new.expires_at,
        last_used_at: None,
        public_id: key.public_id().to_owned(),
        last4: key.last4().to_owned(),
        previous: Vec::new(),
    };
    store::insert(tx, merchant, &credential).await?;
    store::insert_key(tx, merchant, credential.id, &key).await?;
    first_steps::note(tx, merchant, new.mode, Step::Key).await?;
    let permissions: Vec<_> = new.permissions.iter().map(ToString::to_string).collect();
    let entry = Entry::new(Action::ApiKeyCreated, merchant).in_mode(new.mode);
    let entry = entry.on(credential.id.0).with("permissions", permissions);
    audit::record(tx, by, entry).await?;
    write_notice(tx, merchant, person, &credential, Content::ApiKeyCreated).await?;
    Ok((credential, key))
}

/// Lists the credentials that are not revoked, newest first.
pub async fn list(tx: &Tx, merchant: MerchantId) -> Result<Vec<Credential>> {
    let mut listed = store::list(tx, merchant).await?;
    for (id, previous) in store::previous_keys(tx, merchant).await? {
        if let Some(credential) = listed.iter_mut().find(|one| one.id == id) {
            credential.previous.push(previous);
        }
    }
    Ok(listed)
}

/// Finds a credential that is not revoked.
pub async fn find(tx: &Tx, merchant: MerchantId, id: CredentialId) -> Result<Option<Credential>> {
    store::find(tx, merchant, id).await
}

/// Gives a credential a new key; the old ones end after `grace`.
pub async fn rotate(
    tx: &Tx,
    merchant: MerchantId,
    (by, person): (&ActorContext, PersonId),
    id: CredentialId,
    grace: Duration,
) -> Result<(Credential, ApiKey)> {
    merchants::lock(tx, merchant).await?;
    let credential = find(tx, merchant, id).await?.ok_or(Error::NotFound("API key"))?;
    let key = ApiKey::generate(credential.mode, || tx.random());
    store::end_keys(tx, merchant, id, tx.now().plus(grace)).await?;
    store::insert_key(tx, merchant, id, &key).await?;
    let entry = Entry::new(Action::ApiKeyRotated, merchant).in_mode(credential.mode).on(id.0);
    audit::record(tx, by, entry.with("gracePeriodSeconds", grace.as_secs())).await?;
    let (public_id, last4) = (key.public_id().to_owned(), key.last4().to_owned());
    let previous = store::previous_keys(tx, merchant).await?.into_iter();
    let previous = previous.filter(|(of, _)| *of == id).map(|(_, previous)| previous).collect();
    let rotated = Credential { public_id, last4, previous, ..credential };
    write_notice(tx, merchant, person, &rotated, Content::ApiKeyRotated).await?;
    Ok((rotated, key))
}

/// Writes to the owner what a person did with a key of production. The mail cannot be switched off:
/// it is how an owner notices a key that none of their people made.
async fn write_notice(
    tx: &Tx,
    merchant: MerchantId,
    person: PersonId,
    credential: &Credential,
    content: fn(KeyNotice) -> Content,
) -> Result<()> {
    if credential.mode.is_development() {
        return Ok(());
    }
    let notice = KeyNotice {
        name: credential.name.clone(),
        last4: credential.last4.clone(),
        by: people::find(tx, person).await?.name,
        permissions: credential.permissions.len(),
    };
    let scope = merchants::scope(tx, merchant, credential.mode).await?;
    mail::write_to_owner(tx, scope, credential.id.0, content(notice)).await
}

/// Revokes a credential and all its keys.
pub async fn revoke(
    tx: &Tx,
    merchant: MerchantId,
    by: &ActorContext,
    id: CredentialId,
) -> Result<()> {
    let revoked = store::revoke(tx, merchant, id).await?;
    let mode = revoked.ok_or(Error::NotFound("API key"))?;
    let entry = Entry::new(Action::ApiKeyRevoked, merchant).in_mode(mode).on(id.0);
    audit::record(tx, by, entry).await
}

/// Revokes all credentials of an account and all their keys; returns how many.
pub async fn revoke_all(tx: &Tx, merchant: MerchantId) -> Result<u64> {
    store::revoke_all(tx, merchant).await
}

/// Authenticates a key; `None` if it is invalid, or its address is not in the allowlist.
pub async fn recognize(app: &App, key: ApiKey, client: IpAddr) -> Result<Option<AuthenticatedKey>> {
    let (public_id, mode, hash) = (key.public_id().to_owned(), key.mode(), key.hash());
    let found = app.lookup(async move |tx| store::recognize(tx, &public_id, mode).await).await?;
    let Some(found) = found.filter(|found| same(&found.key_hash, &hash)) else {
        return Ok(None);
    };
    let allowed = |list: &Vec<String>| {
        list.iter().filter_map(|text| IpNet::parse(text).ok()).any(|net| net.contains(client))
    };
    if !found.ip_allowlist.as_ref().is_none_or(allowed) {
        return Ok(None);
    }
    if let Err(error) = note_use(app, &found).await {
        // A valid key keeps working while the disk is full.
        tracing::warn!(%error, "the use of a key could not be recorded");
    }
    Ok(Some(found))
}

async fn note_use(app: &App, found: &AuthenticatedKey) -> Result<()> {
    let now = app.now();
    if found.last_used_at.is_some_and(|last| now.since(last) < USE_NOTED_EVERY) {
        return Ok(());
    }
    let (merchant, id) = (found.scope.merchant, found.id);
    app.transact(async move |tx| store::note_use(tx, merchant, id).await).await
}

impl AuthenticatedKey {
    /// Whether the key may withdraw at an instant.
    ///
    /// Who steals a session makes a key, or rotates one, to keep what they gained; that key
    /// withdraws no real money for a day, in which the owner gets the mail about it. Those of an
    /// account's first day are not asked: there is no earlier owner to warn.
    pub fn permit_to_withdraw(&self, now: Timestamp) -> Permit {
        let is_first = self.made_at < self.account_opened_at.plus(NEW_FOR);
        let is_old = now >= self.made_at.plus(NEW_FOR);
        if self.scope.mode.is_development() || is_first || is_old { Ok(()) } else { Err(too_new) }
    }
}

fn too_new() -> Error {
    let hours = NEW_FOR.as_secs() / 3_600;
    let message = format!(
        "An API key withdraws nothing in its first {hours} hours. Use an older key, or ask for the \
         withdrawal in the dashboard."
    );
    Error::refused(ErrorCode::ApiKeyTooNew, message)
}
