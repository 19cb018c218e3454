//! The verification in a request, which reads no more than it has time for.

use db::tx::Tx;
use ledger::verify::onward::Tail;

use crate::books;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::reconciliation::proofs::{self, Proof};
use crate::reconciliation::{
    Compared, FullProof, LedgerVerification, compare, resets_in_progress, store,
};

/// How many entries a request verifies: a few milliseconds on either database.
const ENTRIES_MAX: i64 = 8_000;
/// The books of so many payments are compared in the request.
const PAYMENTS_MAX: i64 = 2_000;

/// Verifies everything if that is little, and otherwise what followed the last proof.
pub async fn verify(tx: &Tx, scope: Scope) -> Result<LedgerVerification> {
    let tail = books::prove_tail(tx, scope, ENTRIES_MAX).await?;
    let is_small = tail.is_from_start && !store::has_more_than(tx, scope, PAYMENTS_MAX).await?;
    if is_small {
        let compared = compare(tx, Some(scope)).await?;
        return reported(tx, scope, tail, Some(compared), None).await;
    }
    let proof = proofs::find(tx, scope).await?;
    let compared = proof.as_ref().and_then(|proof| proof.compared.clone());
    reported(tx, scope, tail, compared, proof).await
}

async fn reported(
    tx: &Tx,
    scope: Scope,
    tail: Tail,
    compared: Option<Compared>,
    proof: Option<Proof>,
) -> Result<LedgerVerification> {
    let Tail { report: mut ledger, legs, left, is_from_start } = tail;
    if let Some(proof) = proof.as_ref().filter(|_| !is_from_start) {
        ledger.merge_faults(&proof.faults());
    }
    let compared_at = compared.as_ref().map(|compared| compared.at);
    let (equalities, contradictory_payments) = match compared {
        Some(compared) => (compared.equalities, compared.contradictory_payments),
        None => (Vec::new(), 0),
    };
    Ok(LedgerVerification {
        ledger,
        equalities,
        contradictory_payments,
        resets_in_progress: resets_in_progress(tx, Some(scope)).await?,
        complete: left == 0 && compared_at.is_some(),
        entries_left: left,
        compared_at,
        full_proof: proof.map(|proof| FullProof {
            started_at: proof.started_at,
            entries_checked: proof.entries,
            entries_total: legs,
            completed_at: proof.completed_at,
        }),
    })
}
