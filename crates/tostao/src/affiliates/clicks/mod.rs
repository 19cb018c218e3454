//! Clicks: visits by an affiliate's URL.
//!
//! The visitor's last clicks are in a signed cookie, so attribution does not depend on server-side
//! data about anonymous visitors; the server only counts clicks, once an hour for each visitor.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::affiliates::links::{self, code};
use crate::platform::error::Result;
use crate::platform::ids::{AffiliateLinkId, Scope};

pub mod cookie;
mod store;
pub mod visitor_api;

/// A visitor's next click on the same link is counted after this time.
const COUNTED_ONCE_IN: Duration = Duration::from_hours(1);

/// A visit by an affiliate's URL; the time is by the merchant's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Click {
    pub code: String,
    pub at: Timestamp,
}

/// Records a click on a link of a merchant; `None` if the code names no active link.
pub async fn record(tx: &Tx, scope: Scope, text: &str, visitor: &str) -> Result<Option<Click>> {
    let Some((link, click)) = find(tx, scope, text).await? else { return Ok(None) };
    let (counted_at, again_from) = (click.at, click.at.minus(COUNTED_ONCE_IN));
    let forget_at = tx.now().plus(COUNTED_ONCE_IN);
    if store::count(tx, scope, link, visitor, counted_at, again_from, forget_at).await? {
        links::count_click(tx, scope, link).await?;
    }
    Ok(Some(click))
}

/// Finds the link of a click without counting it.
pub async fn find_click(tx: &Tx, scope: Scope, text: &str) -> Result<Option<Click>> {
    Ok(find(tx, scope, text).await?.map(|(_, click)| click))
}

/// Deletes visitors whose next click counts anyway; returns how many.
pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    store::delete_expired(tx, most).await
}

async fn find(tx: &Tx, scope: Scope, text: &str) -> Result<Option<(AffiliateLinkId, Click)>> {
    let Some(code) = code::parse(text) else { return Ok(None) };
    let link = store::find(tx, scope, &code).await?;
    Ok(link.map(|link| (link, Click { code, at: scope.now(tx) })))
}
