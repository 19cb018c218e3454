//! What follows the deletion of a client by itself.

use std::time::Duration;

use db::database::in_background;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Job, again, finish};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::erasure::blank::blanked;
use crate::erasure::{BATCH, blank};
use crate::error::Result;
use crate::events;
use crate::housekeeping::EVENTS_KEPT;
use crate::http::idempotency::erasing as answers;
use crate::ids::{CartId, ClientId, EventId, MerchantId, Mode, Scope};
use crate::jobs::ERASURES;
use crate::merchants;
use crate::transactions::erasing;
use crate::webhooks::deliveries;

/// When it is looked again at what could not be blanked yet, or was just being written.
const AGAIN: Duration = Duration::from_hours(24);
/// When it is looked again at what waits for the end of its term, which a setting may shorten.
const LATER: Duration = Duration::from_hours(90 * 24);

/// A client was deleted; what is kept for a while may still name them, and these carts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Erase {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub client: ClientId,
    pub carts: Vec<CartId>,
    /// When the client was deleted.
    pub since: Timestamp,
}

impl Job for Erase {
    const KIND: &'static str = "erase_client";
    const LANE: &'static str = ERASURES;
}

/// Blanks a deleted client in what is kept for a while, and looks again while something is left.
pub async fn erase(app: &App, job: Claimed) -> Result<()> {
    let Erase { merchant, mode, client, carts, since } = job.read()?;
    let scope = app.read(async move |tx| merchants::scope(tx, merchant, mode).await).await?;
    let terms = app.terms.clone();
    let unit = async move |tx: &Tx| blank(tx, scope, &terms, client).await;
    while in_background(app.transact(unit.clone())).await? == BATCH.unsigned_abs() {}
    let now = scope.at(app.now());
    let mut waits = now < since.plus(AGAIN);
    if now < since.plus(EVENTS_KEPT).plus(AGAIN) {
        let mut people = vec![client.0];
        people.extend(carts.iter().map(|cart| cart.0));
        waits |= blank_events(app, scope, people.clone()).await?;
        blank_answers(app, scope, people).await?;
    }
    let terms = app.terms.clone();
    app.transact(async move |tx| {
        let kept = erasing::kept(tx, scope, client).await?;
        let ends = kept.oldest.map(|at| terms.retained_until(at));
        let ends = ends.map(|at| at.min(now.plus(LATER)).max(now.plus(AGAIN)));
        let next = if waits || kept.open { Some(now.plus(AGAIN)) } else { ends };
        match next {
            Some(at) => again(tx, &job, scope.due(at).at).await?,
            None => finish(tx, &job).await?,
        };
        Ok(())
    })
    .await
}

/// Blanks people in events; true if receivers still wait for some of them.
///
/// Ids grow with time, and nothing was told of people before they had one.
async fn blank_events(app: &App, scope: Scope, people: Vec<Uuid>) -> Result<bool> {
    let mut after = people.iter().min().copied().unwrap_or_default();
    let mut waits = false;
    loop {
        let page = app
            .scan_for(scope.merchant, async move |tx| events::after(tx, scope, after, BATCH).await)
            .await?;
        let Some((EventId(last), _)) = page.last() else { return Ok(waits) };
        after = *last;
        let changed = |(id, data): &(EventId, String)| Some((*id, blanked(data, &people)?));
        let changed: Vec<_> = page.iter().filter_map(changed).collect();
        if changed.is_empty() {
            continue;
        }
        let unit = app.transact(async move |tx| rewrite_events(tx, scope, &changed).await);
        waits |= in_background(unit).await?;
    }
}

async fn rewrite_events(tx: &Tx, scope: Scope, changed: &[(EventId, String)]) -> Result<bool> {
    let mut waits = false;
    for (id, data) in changed {
        if deliveries::is_awaited(tx, scope, *id).await? {
            waits = true;
        } else {
            events::rewrite(tx, scope, *id, data).await?;
        }
    }
    Ok(waits)
}

/// Blanks people in answers that are kept for repeated requests.
async fn blank_answers(app: &App, scope: Scope, people: Vec<Uuid>) -> Result<()> {
    let mut after = answers::Place::default();
    loop {
        let (from, secrets) = (after, app.secrets.clone());
        let page = app
            .scan_for(scope.merchant, async move |tx| {
                answers::after(tx, &secrets, scope, &from, BATCH).await
            })
            .await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.place.clone();
        let mut changed = Vec::new();
        for answer in page {
            let body = answer.body.as_deref().and_then(|body| blanked(body, &people));
            changed.extend(body.map(|body| (answer, body)));
        }
        if changed.is_empty() {
            continue;
        }
        let secrets = app.secrets.clone();
        let unit = app.transact(async move |tx| {
            for (answer, body) in &changed {
                answers::rewrite(tx, &secrets, scope, answer, body).await?;
            }
            Ok(())
        });
        in_background(unit).await?;
    }
}
