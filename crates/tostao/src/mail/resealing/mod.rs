//! Seals the tokens in mails that wait with the server's current secret.

use db::tx::Tx;
use uuid::Uuid;

use crate::mail::aad;
use crate::platform::error::Result;
use crate::platform::ids::MailId;
use crate::platform::secrets::{SealCount, Secrets};

mod store;

/// Before all mails.
pub const START: MailId = MailId(Uuid::nil());

/// Counts the mails with a token after a position and seals again what the previous secret sealed;
/// returns where it ended, if there may be more.
pub async fn renew(
    tx: &Tx,
    secrets: &Secrets,
    after: MailId,
    most: usize,
) -> Result<(SealCount, Option<MailId>)> {
    let page = store::after(tx, after, most).await?;
    for (id, sealed) in &page {
        if let Some(renewed) = secrets.reseal(tx.random(), &aad(*id), sealed) {
            store::rewrite(tx, *id, sealed, &renewed).await?;
        }
    }
    let with = page.iter().map(|(id, sealed)| secrets.sealed_with(&aad(*id), sealed)).collect();
    Ok((with, page.last().filter(|_| page.len() == most).map(|(id, _)| *id)))
}
