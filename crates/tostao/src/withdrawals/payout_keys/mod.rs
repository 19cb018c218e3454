//! Payout keys: the PIX keys that the people of an account withdraw to.
//!
//! A stolen session must not be enough to empty an account. So people at a page, and those with a
//! second step by their access tokens, too, withdraw real money to saved keys alone, a key of
//! production waits before it can be used, and the owner gets a mail when one is added. API keys,
//! and access tokens of people without a second step, withdraw to any key.

use std::time::Duration;

use brazil::pix_key::PixKey;
use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail;
use crate::mail::content::Content;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, PayoutKeyId, PersonId, Scope};
use crate::platform::masked;

pub mod api;
mod store;

/// How many keys an account has at most in a mode.
pub const KEYS_MAX: usize = 20;
/// How long a key of production waits: within a day the owner reads the mail about it, and deletes
/// a key that is not theirs.
const WAITS_FOR: Duration = Duration::from_hours(24);

/// A payout key.
#[derive(Debug, Clone)]
pub struct PayoutKey {
    pub id: PayoutKeyId,
    /// What the account calls it.
    pub label: String,
    pub key: PixKey,
    pub usable_from: Timestamp,
    pub created_at: Timestamp,
    pub created_by: PersonId,
}

/// A validated new payout key.
#[derive(Debug, Clone)]
pub struct NewPayoutKey {
    pub label: String,
    pub key: PixKey,
}

/// Adds a key; one of production is usable a day later, and its owner gets a mail about it.
pub async fn add(
    tx: &Tx,
    scope: Scope,
    (person, by): (PersonId, &ActorContext),
    new: &NewPayoutKey,
) -> Result<PayoutKey> {
    merchants::lock(tx, scope.merchant).await?;
    let known = store::list(tx, scope).await?;
    if known.iter().any(|known| known.key == new.key) {
        let message = "This PIX key is a payout key of the account already.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    if known.len() >= KEYS_MAX {
        let message = format!("An account has at most {KEYS_MAX} payout keys. Delete one.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let (created_at, is_simulated) = (scope.now(tx), scope.mode.is_development());
    let added = PayoutKey {
        id: PayoutKeyId::new(tx),
        label: new.label.clone(),
        key: new.key.clone(),
        usable_from: if is_simulated { created_at } else { created_at.plus(WAITS_FOR) },
        created_at,
        created_by: person,
    };
    store::insert(tx, scope, &added).await?;
    audit::record(tx, by, entry(Action::PayoutKeyCreated, scope, &added)).await?;
    if !is_simulated {
        let pix_key = masked::pix_key(&added.key);
        let content = Content::PayoutKeyAdded { pix_key, usable_from: added.usable_from };
        mail::write_to_owner(tx, scope, added.id.0, content).await?;
    }
    Ok(added)
}

/// Lists the keys, newest first.
pub async fn list(tx: &Tx, scope: Scope) -> Result<Vec<PayoutKey>> {
    store::list(tx, scope).await
}

/// Finds a key.
pub async fn find(tx: &Tx, scope: Scope, id: PayoutKeyId) -> Result<PayoutKey> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Payout key"))
}

/// Deletes a key; withdrawals that were requested to it stay.
pub async fn delete(tx: &Tx, scope: Scope, by: &ActorContext, id: PayoutKeyId) -> Result<()> {
    merchants::lock(tx, scope.merchant).await?;
    let deleted = find(tx, scope, id).await?;
    store::delete(tx, scope, id).await?;
    audit::record(tx, by, entry(Action::PayoutKeyDeleted, scope, &deleted)).await
}

/// Deletes all keys of an account, in both modes.
pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete_all(tx, merchant).await
}

/// Refuses a withdrawal of real money to a key that is not saved, or not usable yet.
pub async fn expect_usable(tx: &Tx, scope: Scope, key: &PixKey) -> Result<()> {
    if scope.mode.is_development() {
        return Ok(());
    }
    // A key that is deleted meanwhile gets no withdrawal any more.
    merchants::lock(tx, scope.merchant).await?;
    let saved = store::list(tx, scope).await?.into_iter().find(|saved| saved.key == *key);
    let message = match saved {
        Some(saved) if saved.usable_from <= scope.now(tx) => return Ok(()),
        Some(saved) => format!("This payout key is usable from {} on.", saved.usable_from),
        None => "This PIX key is no payout key of the account. Add it, and use it a day later, or \
                 choose another one."
            .to_owned(),
    };
    Err(Error::refused(ErrorCode::PayoutKeyNotUsable, message))
}

fn entry(action: Action, scope: Scope, key: &PayoutKey) -> Entry {
    let entry = Entry::new(action, scope.merchant).in_mode(scope.mode).on(key.id.0);
    entry.with("pixKey", masked::pix_key(&key.key))
}
