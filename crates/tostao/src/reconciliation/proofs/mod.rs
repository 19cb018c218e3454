//! Proofs of one ledger in steps: of everything from the first transfer, and of what follows a
//! proven position.
//!
//! A proof begins once a day and reads every leg again in small units, then compares the books
//! with all rows about money. Each unit also moves the positions on, from which the proof in a
//! request goes on.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::verify::Report;
use ledger::verify::onward::{Moved as MovedPositions, Progress};

use crate::books;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::reconciliation::Compared;

pub mod jobs;
mod store;

/// How often everything is proved again.
const EVERY: Duration = Duration::from_hours(24);
/// A result that is older says nothing of today.
const LATE: Duration = Duration::from_hours(48);
/// A comparison with all rows may outlast its job's lease; after so long its worker has died.
const COMPARISON_MAX: Duration = Duration::from_hours(1);

/// The proof of a ledger from its first transfer.
#[derive(Debug, Clone)]
pub struct Proof {
    revision: i64,
    pub started_at: Timestamp,
    /// When a worker goes on with it, or begins the next one.
    due_at: Timestamp,
    /// How many legs the last one that was started has checked.
    pub entries: i64,
    /// How far it is; `None` once it is completed.
    progress: Option<Progress>,
    pub completed_at: Option<Timestamp>,
    /// What the last completed one found, in the ledger and in the comparison with all rows.
    found: Option<Report>,
    pub compared: Option<Compared>,
}

/// A unit's part of a proof.
struct Part {
    proof: Proof,
    /// Whether every leg is checked.
    is_over: bool,
    moved: MovedPositions,
}

impl Proof {
    /// The state before the first one.
    const NEVER: Self = Self {
        revision: 0,
        started_at: Timestamp::from_micros(0),
        due_at: Timestamp::from_micros(0),
        entries: 0,
        progress: None,
        completed_at: None,
        found: None,
        compared: None,
    };

    /// Whether the comparison with all rows is of today or yesterday.
    pub fn is_recent(&self, now: Timestamp) -> bool {
        self.compared.as_ref().is_some_and(|compared| now.since(compared.at) < LATE)
    }

    /// Whether the last completed one found nothing, and the current one has not so far.
    pub fn is_sound(&self) -> bool {
        let rows = self.compared.as_ref().is_none_or(Compared::is_sound);
        self.faults().is_sound() && rows
    }

    /// What the last completed one and the current one have found in the ledger.
    pub fn faults(&self) -> Report {
        let mut report = self.found.clone().unwrap_or_default();
        if let Some(progress) = &self.progress {
            report.merge_faults(&progress.found());
        }
        report
    }
}

/// Reads a ledger's proof, if one was ever started.
pub async fn find(tx: &Tx, scope: Scope) -> Result<Option<Proof>> {
    store::find(tx, scope).await
}

/// Lists ledgers whose proof is due, or whose positions are far behind.
async fn due(tx: &Tx, most: i64) -> Result<Vec<(MerchantId, Mode)>> {
    store::due(tx, tx.now(), jobs::LEGS, most).await
}

/// Counts the ledgers of which a proof found a fault, or does not end.
pub async fn count_unsound(tx: &Tx) -> Result<i64> {
    store::count_unsound(tx, tx.now().minus(LATE)).await
}

/// When a proof of any ledger was last completed.
pub async fn last_completed(tx: &Tx) -> Result<Option<Timestamp>> {
    store::last_completed(tx).await
}

/// Checks about `most` further legs of the proof from the first transfer, and begins one that is
/// due; `None` if none is, or another worker compares it with all rows.
async fn read_part(tx: &Tx, scope: Scope, most: i64) -> Result<Option<Part>> {
    let mut proof = store::find(tx, scope).await?.unwrap_or(Proof::NEVER);
    if proof.due_at > tx.now() {
        return Ok(None);
    }
    if proof.progress.is_none() {
        proof.started_at = tx.now();
        proof.due_at = tx.now();
    }
    let progress = proof.progress.take().unwrap_or_default();
    let step = books::prove_step(tx, scope, progress, most).await?;
    proof.entries = step.result.legs();
    proof.progress = Some(step.result);
    if step.is_over {
        proof.due_at = tx.now().plus(COMPARISON_MAX);
    }
    Ok(Some(Part { proof, is_over: step.is_over, moved: step.moved }))
}

/// Stores a part; false if another worker has gone on meanwhile.
async fn keep_part(tx: &Tx, scope: Scope, part: &Part) -> Result<bool> {
    if !store::keep(tx, scope, &part.proof).await? {
        return Ok(false);
    }
    books::keep_positions(tx, scope, &part.moved).await?;
    Ok(true)
}

/// Makes the comparison of a proof whose legs are all checked due again; it was not made.
async fn postpone_comparison(tx: &Tx, scope: Scope) -> Result<()> {
    let Some(proof) = store::find(tx, scope).await? else { return Ok(()) };
    if proof.progress.is_some() {
        store::keep(tx, scope, &Proof { due_at: tx.now(), ..proof }).await?;
    }
    Ok(())
}

/// Completes a proof whose legs are all checked; `None` if another worker has gone on meanwhile.
async fn complete(tx: &Tx, scope: Scope, compared: &Compared) -> Result<Option<Proof>> {
    let Some(mut proof) = store::find(tx, scope).await? else { return Ok(None) };
    let Some(progress) = proof.progress.take() else { return Ok(None) };
    proof.found = Some(progress.report);
    proof.completed_at = Some(tx.now());
    proof.due_at = proof.started_at.plus(EVERY);
    proof.compared = Some(compared.clone());
    Ok(store::keep(tx, scope, &proof).await?.then_some(proof))
}
