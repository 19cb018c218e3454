//! The job that proves a ledger, in units that each read a few thousand legs.

use std::time::Duration;

use db::database::in_background;
use db::tx::Tx;
use queue::job::{Claimed, Due, Job, again_once, finish, push_once_in};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::books;
use crate::jobs::RunJob;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::lanes::PROOFS;
use crate::platform::telemetry;
use crate::reconciliation::proofs::{
    self, Proof, complete, keep_part, postpone_comparison, read_part,
};
use crate::reconciliation::{Resets, compare};

/// How many legs a unit reads.
pub const LEGS: i64 = 2_000;
/// After so many units another ledger has its turn.
const ROUNDS: u32 = 16;
/// A proof rests so many times as long as it works: it takes a fifth of a core and leaves the rest
/// to requests.
const REST: u32 = 4;
const REST_MAX: Duration = Duration::from_millis(500);
/// When the positions of a busy ledger are moved on again.
const WHILE_BUSY: Duration = Duration::from_secs(1);
/// How many ledgers a round of housekeeping enqueues.
const DUE_MAX: i64 = 100;

/// Proves a ledger from its first transfer if that is due, and moves its positions on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ProveLedger {
    pub merchant: MerchantId,
    pub mode: Mode,
}

impl Job for ProveLedger {
    const KIND: &'static str = "prove_ledger";
    const LANE: &'static str = PROOFS;
    const UNIQUE: bool = true;
}

/// When a job goes on.
enum Next {
    Now,
    Later,
    Never,
}

/// Enqueues the proofs that are due, and measures how many ledgers have faults.
pub async fn begin_due(app: &App) -> Result<()> {
    for (merchant, mode) in app.scan(async |tx| proofs::due(tx, DUE_MAX).await).await? {
        begin(app, Scope { merchant, mode, ahead: Duration::ZERO }).await?;
    }
    let unsound = app.scan(async |tx| proofs::count_unsound(tx).await).await?;
    telemetry::unsound_ledgers(unsound);
    Ok(())
}

/// Enqueues a ledger's proof, unless it waits already.
pub async fn begin(app: &App, scope: Scope) -> Result<()> {
    let job = ProveLedger { merchant: scope.merchant, mode: scope.mode };
    let unit = async move |tx: &Tx| {
        let due = Due { at: tx.now(), clock: None };
        Ok(push_once_in(tx, PROOFS, job.id(), due, &job).await?)
    };
    in_background(app.transact(unit)).await
}

impl ProveLedger {
    /// One for each ledger: the merchant's, with the mode in its last bit.
    fn id(&self) -> Uuid {
        let mode = u128::from(self.mode == Mode::Production);
        Uuid::from_u128(self.merchant.0.as_u128() ^ mode)
    }
}

impl RunJob for ProveLedger {
    /// Reads and stores a few units, and goes on later.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let scope = Scope { merchant: self.merchant, mode: self.mode, ahead: Duration::ZERO };
        let next = in_background(go_on(app, scope)).await?;
        let unit = async move |tx: &Tx| {
            match next {
                Next::Now => again_once(tx, &job, tx.now()).await?,
                Next::Later => again_once(tx, &job, tx.now().plus(WHILE_BUSY)).await?,
                Next::Never => finish(tx, &job).await?,
            };
            Ok(())
        };
        in_background(app.transact(unit)).await
    }
}

async fn go_on(app: &App, scope: Scope) -> Result<Next> {
    let mut moved = 0;
    for _ in 0..ROUNDS {
        let began = app.now();
        if let Some(next) = go_on_once(app, scope, &mut moved).await? {
            return Ok(next);
        }
        rest(app.now().since(began) * REST).await;
    }
    Ok(Next::Now)
}

/// One unit of each kind; adds what positions were moved by.
async fn go_on_once(app: &App, scope: Scope, moved: &mut i64) -> Result<Option<Next>> {
    let onward = app.scan(async move |tx| books::catch_up(tx, scope, LEGS).await).await?;
    let (is_caught_up, positions) = (onward.is_over, onward.moved);
    if !positions.is_empty() {
        *moved += onward.legs;
        app.transact(async move |tx| books::keep_positions(tx, scope, &positions).await).await?;
    }
    let part = app.scan(async move |tx| read_part(tx, scope, LEGS).await).await?;
    let Some(part) = part else {
        return Ok(match is_caught_up {
            true if *moved < LEGS => Some(Next::Never),
            true => Some(Next::Later),
            false => None,
        });
    };
    let is_over = part.is_over;
    if !app.transact(async move |tx| keep_part(tx, scope, &part).await).await? {
        return Ok(Some(Next::Now));
    }
    if is_over {
        end(app, scope).await?;
    }
    Ok(None)
}

/// Longer rests would outlast the job's lease.
#[expect(clippy::disallowed_methods, reason = "it waits for nothing but time")]
async fn rest(time: Duration) {
    tokio::time::sleep(time.min(REST_MAX)).await;
}

/// Compares the books with all rows, and completes the proof.
async fn end(app: &App, scope: Scope) -> Result<()> {
    let compared = app.scan(async move |tx| {
        tx.lift_time_limit().await?;
        let resets = Resets::read(tx).await?;
        compare(tx, Some(scope), &resets).await
    });
    let compared = match compared.await {
        Ok(compared) => compared,
        Err(error) => {
            // Otherwise nothing would happen for as long as a comparison may take.
            app.transact(async move |tx| postpone_comparison(tx, scope).await).await?;
            return Err(error);
        }
    };
    let proof = app.transact(async move |tx| complete(tx, scope, &compared).await).await?;
    if let Some(proof) = proof.filter(|proof| !proof.is_sound()) {
        log_faults(scope, &proof);
    }
    Ok(())
}

fn log_faults(scope: Scope, proof: &Proof) {
    let unequal = proof.compared.iter().flat_map(|compared| &compared.equalities);
    let unequal = unequal.filter(|equality| equality.unequal != 0);
    tracing::error!(
        merchant = %scope.merchant,
        mode = scope.mode.name(),
        ledger = ?proof.faults(),
        unequal = ?unequal.map(|equality| &*equality.name).collect::<Vec<_>>(),
        contradictory = proof.compared.as_ref().map(|compared| compared.contradictory_payments),
        "the books of a merchant do not agree"
    );
}
