//! Seals the secrets of authenticator apps with the server's current secret.

use db::tx::Tx;
use uuid::Uuid;

use crate::people::second_step::{aad, store};
use crate::platform::error::Result;
use crate::platform::ids::PersonId;
use crate::platform::secrets::{SealCount, Secrets};

/// Before all people, who are traversed in the order of their ids.
pub const START: PersonId = PersonId(Uuid::nil());

/// Counts the secrets after a person's and seals again what the previous secret sealed; returns
/// where it ended, if there may be more.
pub async fn renew(
    tx: &Tx,
    secrets: &Secrets,
    after: PersonId,
    most: usize,
) -> Result<(SealCount, Option<PersonId>)> {
    let page = store::secrets_after(tx, after, most).await?;
    for (person, sealed) in &page {
        if let Some(renewed) = secrets.reseal(tx.random(), &aad(*person), sealed) {
            store::rewrite(tx, *person, sealed, &renewed).await?;
        }
    }
    let with = page.iter().map(|(person, sealed)| secrets.sealed_with(&aad(*person), sealed));
    let next = page.last().filter(|_| page.len() == most).map(|(person, _)| *person);
    Ok((with.collect(), next))
}
