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
pub struct Position {
    merchant: MerchantId,
    mode: Mode,
    in_scope: erasing::Position,
}

/// A response; without a body if it is not sealed, or has expired.
#[derive(Debug)]
struct Kept {
    position: Position,
    sealed: Option<Vec<u8>>,
}

/// Counts the responses after a position and seals again what the previous secret sealed; returns
/// where it ended, if there may be more.
///
/// A response stored under a digest can be opened only with its key, so it is not counted.
pub async fn renew(
    tx: &Tx,
    secrets: &Secrets,
    after: &Position,
    most: usize,
) -> Result<(SealCount, Option<Position>)> {
    let page = store::after(tx, after, most).await?;
    let mut found = Vec::new();
    for Kept { position: at, sealed } in &page {
        let Some(sealed) = sealed else { continue };
        let own = at.aad();
        let with = secrets.sealed_with(&own, sealed);
        if with != SealedWith::Unknown || !erasing::is_digest(&at.in_scope.key) {
            found.push(with);
        }
        if let Some(renewed) = secrets.reseal(tx.random(), &own, sealed) {
            store::rewrite(tx, at, sealed, &renewed).await?;
        }
    }
    let next = page.last().filter(|_| page.len() == most).map(|kept| kept.position.clone());
    Ok((found.into_iter().collect(), next))
}

impl Position {
    /// Before all of them.
    pub fn start() -> Self {
        let (merchant, mode) = (MerchantId(Uuid::nil()), Mode::Development);
        Self { merchant, mode, in_scope: erasing::Position::default() }
    }

    fn aad(&self) -> Vec<u8> {
        let scope = Scope { merchant: self.merchant, mode: self.mode, ahead: Duration::ZERO };
        erasing::aad(scope, &self.in_scope.route, &self.in_scope.key)
    }
}
