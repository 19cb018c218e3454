//! The verification in a request, which reads no more than it has time for.

use db::tx::Tx;
use ledger::verify::onward::Tail;

use crate::books;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::reconciliation::proofs::{self, Proof};
use crate::reconciliation::{Compared, FullProof, LedgerVerification, Resets, compare, store};

/// How many entries a request verifies: a few milliseconds on either database.
const ENTRIES_MAX: i64 = 8_000;
/// The books of so many payments are compared in the request.
const PAYMENTS_MAX: i64 = 2_000;

/// Verifies everything if that is little, and otherwise what followed the last proof.
pub async fn verify(tx: &Tx, scope: Scope) -> Result<LedgerVerification> {
    let resets = Resets::read(tx).await?;
    let tail = books::prove_tail(tx, scope, ENTRIES_MAX).await?;
    let is_small = tail.is_from_start && !store::has_more_than(tx, scope, PAYMENTS_MAX).await?;
    if is_small {
        let compared = compare(tx, Some(scope), &resets).await?;
        return Ok(reported(resets.count(Some(scope)), tail, Some(compared), None));
    }
    let proof = proofs::find(tx, scope).await?;
    let is_recent = proof.as_ref().is_some_and(|proof| proof.is_recent(tx.now()));
    let compared = proof.as_ref().and_then(|proof| proof.compared.clone());
    let reported = reported(resets.count(Some(scope)), tail, compared, proof);
    Ok(LedgerVerification { complete: reported.complete && is_recent, ..reported })
}

fn reported(
    resets_in_progress: i64,
    tail: Tail,
    compared: Option<Compared>,
    proof: Option<Proof>,
) -> LedgerVerification {
    let Tail { report: mut ledger, legs, left, is_from_start } = tail;
    if let Some(proof) = proof.as_ref().filter(|_| !is_from_start) {
        ledger.merge_faults(&proof.faults());
    }
    let compared_at = compared.as_ref().map(|compared| compared.at);
    let (equalities, contradictory_payments) = match compared {
        Some(compared) => (compared.equalities, compared.contradictory_payments),
        None => (Vec::new(), 0),
    };
    LedgerVerification {
        ledger,
        equalities,
        contradictory_payments,
        resets_in_progress,
        complete: left == 0 && compared_at.is_some(),
        entries_left: left,
        compared_at,
        full_proof: proof.map(|proof| FullProof {
            started_at: proof.started_at,
            entries_checked: proof.entries,
            entries_total: legs,
            completed_at: proof.completed_at,
        }),
    }
}
