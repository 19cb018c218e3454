//! Seals the secrets and queries of webhooks with the server's current secret.

use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, WebhookId};
use crate::platform::secrets::{SealCount, SealedWith, Secrets};
use crate::webhooks::{endpoint_url, secret};

mod store;

/// A subscription's position among those of all accounts, which are traversed in this order.
#[derive(Debug, Clone, Copy)]
pub struct ResealPosition {
    merchant: MerchantId,
    mode: Mode,
    id: WebhookId,
}

/// The sealed values of a subscription.
#[derive(Debug)]
struct SealedValues {
    position: ResealPosition,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_secret_ends_at: Option<Timestamp>,
    query: Option<Vec<u8>>,
}

/// The new value for a sealed one, and the value that it replaces.
#[derive(Debug)]
struct ResealedValue<'a> {
    before: Option<&'a [u8]>,
    after: Option<Vec<u8>>,
}

/// Counts, for the first `most` subscriptions, which secret sealed them.
pub async fn count(tx: &Tx, secrets: &Secrets, most: usize) -> Result<SealCount> {
    let page = store::after(tx, ResealPosition::START, most).await?;
    Ok(page.iter().map(|kept| kept.sealed_with(secrets, tx.now())).collect())
}

/// Counts the subscriptions after a position and seals again what the previous secret sealed;
/// returns where it ended, if there may be more.
pub async fn renew(
    tx: &Tx,
    secrets: &Secrets,
    after: ResealPosition,
    most: usize,
) -> Result<(SealCount, Option<ResealPosition>)> {
    let page = store::after(tx, after, most).await?;
    for kept in &page {
        let own = secret::aad(&kept.position.id);
        let query = endpoint_url::aad(kept.position.id);
        let renewed = [
            ResealedValue::of(tx, secrets, own, Some(&kept.secret)),
            ResealedValue::of(tx, secrets, own, kept.previous_secret.as_deref()),
            ResealedValue::of(tx, secrets, &query, kept.query.as_deref()),
        ];
        if renewed.iter().any(|renewed| renewed.after.is_some()) {
            store::rewrite(tx, kept.position, &renewed).await?;
        }
    }
    let with = page.iter().map(|kept| kept.sealed_with(secrets, tx.now())).collect();
    Ok((with, next(&page, most)))
}

fn next(page: &[SealedValues], most: usize) -> Option<ResealPosition> {
    page.last().filter(|_| page.len() == most).map(|kept| kept.position)
}

impl ResealPosition {
    /// Before all of them.
    pub const START: Self = Self {
        merchant: MerchantId(Uuid::nil()),
        mode: Mode::Development,
        id: WebhookId(Uuid::nil()),
    };
}

impl SealedValues {
    /// Which secret sealed it: the worst one among the values still in use.
    fn sealed_with(&self, secrets: &Secrets, now: Timestamp) -> SealedWith {
        let (own, query) = (secret::aad(&self.position.id), endpoint_url::aad(self.position.id));
        let signs = self.previous_secret_ends_at.is_some_and(|ends_at| ends_at > now);
        let previous = self.previous_secret.as_ref().filter(|_| signs);
        let secret = [Some(&self.secret), previous].into_iter().flatten();
        let secret = secret.map(|sealed| secrets.sealed_with(own, sealed)).max();
        let query = self.query.as_ref().map(|sealed| secrets.sealed_with(&query, sealed));
        secret.max(query).unwrap_or(SealedWith::Current)
    }
}

impl<'a> ResealedValue<'a> {
    fn of(tx: &Tx, secrets: &Secrets, aad: &[u8], before: Option<&'a [u8]>) -> Self {
        let after = before.and_then(|sealed| secrets.reseal(tx.random(), aad, sealed));
        Self { before, after }
    }
}
