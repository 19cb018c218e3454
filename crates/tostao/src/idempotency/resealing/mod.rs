//! Seals stored responses with the server's current secret.

use std::time::Duration;

use db::tx::Tx;
use uuid::Uuid;

use crate::idempotency::erasing;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::secrets::{SealCount, SealedWith, Secrets};

mod store;

/// A response's position among those of all accounts, which are traversed in this order.
#[derive(Debug, Clone)]
pub struct Place {
    merchant: MerchantId,
    mode: Mode,
    answer: erasing::Place,
}

/// A response; without a body if it is not sealed, or has expired.
#[derive(Debug)]
struct Kept {
    place: Place,
    sealed: Option<Vec<u8>>,
}

/// Counts the responses after a place and seals again what the previous secret sealed; returns
/// where it ended, if there may be more.
///
/// A response stored under a digest can be opened only with its key, so it is not counted.
pub async fn renew(
    tx: &Tx,
    secrets: &Secrets,
    after: &Place,
    most: usize,
) -> Result<(SealCount, Option<Place>)> {
    let page = store::after(tx, after, most).await?;
    let mut found = Vec::new();
    for Kept { place, sealed } in &page {
        let Some(sealed) = sealed else { continue };
        let own = place.sealed_for();
        let with = secrets.sealed_with(&own, sealed);
        if with != SealedWith::Unknown || !erasing::is_digest(&place.answer.key) {
            found.push(with);
        }
        if let Some(renewed) = secrets.reseal(tx.random(), &own, sealed) {
            store::rewrite(tx, place, sealed, &renewed).await?;
        }
    }
    let next = page.last().filter(|_| page.len() == most).map(|kept| kept.place.clone());
    Ok((found.into_iter().collect(), next))
}

impl Place {
    /// Before all of them.
    pub fn start() -> Self {
        let (merchant, mode) = (MerchantId(Uuid::nil()), Mode::Development);
        Self { merchant, mode, answer: erasing::Place::default() }
    }

    fn sealed_for(&self) -> Vec<u8> {
        let scope = Scope { merchant: self.merchant, mode: self.mode, ahead: Duration::ZERO };
        erasing::place(scope, &self.answer.route, &self.answer.key)
    }
}
