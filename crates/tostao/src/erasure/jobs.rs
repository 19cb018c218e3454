//! The job that follows the deletion of a client.
//!
//! Events and stored responses may be many, so each run does one step and puts the job back with
//! its position.

use std::time::Duration;

use db::database::in_background;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Job, finish, reschedule_with};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::erasure::blank::blanked;
use crate::erasure::{BATCH, blank};
use crate::events::{self, EVENTS_KEPT};
use crate::idempotency::erasing as responses;
use crate::jobs::RunJob;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{CartId, ClientId, EventId, MerchantId, Mode, Scope};
use crate::platform::lanes::ERASURES;
use crate::platform::persons;
use crate::transactions::erasing;
use crate::transactions::terms::PaymentTerms;
use crate::webhooks::deliveries;

/// When data that could not be erased yet, or was being written, is checked again.
const AGAIN: Duration = Duration::from_hours(24);
/// When data that waits for the end of its retention period is checked again; a setting may shorten
/// that period.
const LATER: Duration = Duration::from_hours(90 * 24);

/// A client was deleted; data with a retention period may still name them, and these carts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Erase {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub client: ClientId,
    pub carts: Vec<CartId>,
    /// When the client was deleted.
    pub since: Timestamp,
    /// The next step; jobs of an earlier release start at the first one.
    #[serde(default)]
    pub step: Step,
}

/// The next step and its position; `waits` is whether receivers still wait for events that name the
/// client.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub enum Step {
    #[default]
    Payments,
    Events {
        after: Uuid,
        waits: bool,
    },
    Answers {
        after: responses::Position,
        waits: bool,
    },
}

/// The result of a step.
enum Done {
    Next(Step),
    /// Everything was checked.
    All {
        waits: bool,
    },
}

impl Job for Erase {
    const KIND: &'static str = "erase_client";
    const LANE: &'static str = ERASURES;
}

impl RunJob for Erase {
    /// Does one step of erasing a deleted client, and checks again while something is left.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let erase = self;
        let (merchant, mode) = (erase.merchant, erase.mode);
        let scope = app.read(async move |tx| merchants::scope(tx, merchant, mode).await).await?;
        match erase.step.clone() {
            Step::Payments => blank_payments(app, job, scope, erase).await,
            Step::Events { after, waits } => {
                blank_events(app, job, scope, erase, after, waits).await
            }
            Step::Answers { after, waits } => {
                blank_responses(app, job, scope, erase, after, waits).await
            }
        }
    }
}

async fn blank_payments(app: &App, job: Claimed, scope: Scope, erase: Erase) -> Result<()> {
    let terms = PaymentTerms::of(app);
    let unit = app.transact(async move |tx| {
        let blanked = blank(tx, scope, &terms, erase.client).await?;
        let over = scope.now(tx) >= erase.since.plus(EVENTS_KEPT).plus(AGAIN);
        let done = match (blanked == BATCH.unsigned_abs(), erase.people().into_iter().min()) {
            (true, _) => Done::Next(Step::Payments),
            // Ids grow with time, and no event named these people before they had one.
            (false, Some(first)) if !over => {
                Done::Next(Step::Events { after: first, waits: false })
            }
            (false, _) => Done::All { waits: false },
        };
        put_back(tx, &job, scope, &terms, erase.clone(), done).await
    });
    in_background(unit).await
}

/// Erases people from up to a batch of events, unless receivers still wait for them.
async fn blank_events(
    app: &App,
    job: Claimed,
    scope: Scope,
    erase: Erase,
    after: Uuid,
    waits: bool,
) -> Result<()> {
    let page = app
        .scan_for(scope.merchant, async move |tx| events::after(tx, scope, after, BATCH).await)
        .await?;
    let people = erase.people();
    let changed = |(id, data): &(EventId, String)| Some((*id, blanked(data, &people)?));
    let changed: Vec<_> = page.iter().filter_map(changed).collect();
    let last = page.last().filter(|_| is_full(page.len())).map(|(EventId(last), _)| *last);
    let terms = PaymentTerms::of(app);
    let unit = app.transact(async move |tx| {
        let waits = waits | rewrite_events(tx, scope, &changed).await?;
        let step = match last {
            Some(after) => Step::Events { after, waits },
            None => Step::Answers { after: responses::Position::default(), waits },
        };
        put_back(tx, &job, scope, &terms, erase.clone(), Done::Next(step)).await
    });
    in_background(unit).await
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

/// Erases people from up to a batch of responses stored for retries.
async fn blank_responses(
    app: &App,
    job: Claimed,
    scope: Scope,
    erase: Erase,
    after: responses::Position,
    waits: bool,
) -> Result<()> {
    let secrets = app.secrets.clone();
    let page = app
        .scan_for(scope.merchant, async move |tx| {
            responses::after(tx, &secrets, scope, &after, BATCH).await
        })
        .await?;
    let last = page.last().filter(|_| is_full(page.len())).map(|last| last.position.clone());
    let people = erase.people();
    let (mut changed, mut nameless) = (Vec::new(), Vec::new());
    for response in page {
        let body = response.body.as_deref();
        if let Some(blanked) = body.and_then(|body| blanked(body, &people)) {
            changed.push((response, blanked));
        } else if response.hashes_a_buyer && !body.is_some_and(is_about_one) {
            nameless.push(response.position);
        }
    }
    let (secrets, terms) = (app.secrets.clone(), PaymentTerms::of(app));
    let unit = app.transact(async move |tx| {
        for (response, body) in &changed {
            responses::rewrite(tx, &secrets, scope, response, body).await?;
        }
        for position in &nameless {
            responses::forget_fields(tx, scope, position).await?;
        }
        let done = match last.clone() {
            Some(after) => Done::Next(Step::Answers { after, waits }),
            None => Done::All { waits },
        };
        put_back(tx, &job, scope, &terms, erase.clone(), done).await
    });
    in_background(unit).await
}

/// Puts the job back for its next step or, once everything was checked, until something is due;
/// ends it if nothing is left.
async fn put_back(
    tx: &Tx,
    job: &Claimed,
    scope: Scope,
    terms: &PaymentTerms,
    erase: Erase,
    done: Done,
) -> Result<()> {
    let now = scope.now(tx);
    let (at, step) = match done {
        Done::Next(step) => (Some(now), step),
        Done::All { waits } => {
            let kept = erasing::personal_data(tx, scope, erase.client).await?;
            let ends = kept.oldest.map(|at| terms.retained_until(at));
            let ends = ends.map(|at| at.min(now.plus(LATER)).max(now.plus(AGAIN)));
            let soon = waits || kept.open || now < erase.since.plus(AGAIN);
            (if soon { Some(now.plus(AGAIN)) } else { ends }, Step::Payments)
        }
    };
    match at {
        Some(at) => reschedule_with(tx, job, scope.due(at).at, &Erase { step, ..erase }).await?,
        None => finish(tx, job).await?,
    };
    Ok(())
}

/// Whether a stored response says which buyer its request named.
fn is_about_one(body: &str) -> bool {
    serde_json::from_str(body).is_ok_and(|body| persons::is_about_one(&body))
}

/// Whether there may be more rows than this page has.
fn is_full(page: usize) -> bool {
    i64::try_from(page) == Ok(BATCH)
}

impl Erase {
    /// The ids that events and stored responses may name.
    fn people(&self) -> Vec<Uuid> {
        let carts = self.carts.iter().map(|cart| cart.0);
        [self.client.0].into_iter().chain(carts).collect()
    }
}
