//! Which data is stored sealed, and with which of the server's secrets.
//!
//! After a change of the secret, the previous one opens what it sealed until everything is sealed
//! again. All rows are traversed in small units, so no request waits for it.

use db::database::in_background;
use db::tx::Tx;

use crate::app::App;
use crate::idempotency::resealing as responses;
use crate::mail::resealing as mails;
use crate::people::second_step::resealing as second_steps;
use crate::platform::error::Result;
use crate::platform::ids::{MailId, PersonId};
use crate::platform::secrets::{SealCount, Secrets};
use crate::providers::connections;
use crate::webhooks::resealing as webhooks;

/// How many rows one unit reads.
const STEP: usize = 500;
/// How many webhooks a start checks for whether the previous secret is still needed.
const AT_START: usize = 10_000;

/// The result of resealing.
#[derive(Debug, Clone, Copy)]
pub struct Resealed {
    pub webhooks: SealCount,
    pub responses: SealCount,
    pub connections: SealCount,
    pub second_steps: SealCount,
    /// Of links in mails that wait.
    pub mails: SealCount,
}

impl Resealed {
    /// The counts of all places together.
    pub fn total(&self) -> SealCount {
        let mut total = self.webhooks;
        total.add(self.responses);
        total.add(self.connections);
        total.add(self.second_steps);
        total.add(self.mails);
        total
    }
}

/// Seals again everything that the previous secret sealed; returns what it found.
pub async fn reseal(app: &App) -> Result<Resealed> {
    let renew = async |tx: &Tx, secrets: &Secrets, after: &webhooks::ResealPosition| {
        webhooks::renew(tx, secrets, *after, STEP).await
    };
    let webhooks = walk(app, webhooks::ResealPosition::START, renew).await?;
    let renew = async |tx: &Tx, secrets: &Secrets, after: &responses::Position| {
        responses::renew(tx, secrets, after, STEP).await
    };
    let responses = walk(app, responses::Position::start(), renew).await?;
    let renew = async |tx: &Tx, secrets: &Secrets, after: &MailId| {
        mails::renew(tx, secrets, *after, STEP).await
    };
    let mails = walk(app, mails::START, renew).await?;
    let secrets = app.secrets.clone();
    let renew = async move |tx: &Tx| connections::reseal(tx, &secrets).await;
    let connections = in_background(app.transact(renew)).await?;
    let renew = async |tx: &Tx, secrets: &Secrets, after: &PersonId| {
        second_steps::renew(tx, secrets, *after, STEP).await
    };
    let second_steps = walk(app, second_steps::START, renew).await?;
    Ok(Resealed { webhooks, responses, connections, second_steps, mails })
}

/// Counts which secrets seal webhooks; of very many, only the first ones are checked.
pub async fn count_webhooks(app: &App) -> Result<SealCount> {
    let secrets = app.secrets.clone();
    app.scan(async move |tx| webhooks::count(tx, &secrets, AT_START).await).await
}

/// What a step counted, and where the next one starts.
type StepResult<P> = Result<(SealCount, Option<P>)>;

/// Runs step after step, each in a unit of its own that starts where the one before ended.
async fn walk<P: Clone + Send + Sync + 'static>(
    app: &App,
    start: P,
    step: impl AsyncFn(&Tx, &Secrets, &P) -> StepResult<P> + Clone + Send + 'static,
) -> Result<SealCount> {
    let (mut found, mut after) = (SealCount::default(), start);
    loop {
        let (secrets, step) = (app.secrets.clone(), step.clone());
        let unit = async move |tx: &Tx| step(tx, &secrets, &after).await;
        let (here, next) = in_background(app.transact(unit)).await?;
        found.add(here);
        let Some(next) = next else { return Ok(found) };
        after = next;
    }
}
