//! Which administrators may decide about a payment.

use db::tx::Tx;

use crate::affiliates::{attribution, commissions};
use crate::audit::ActorContext;
use crate::audit::decision::Decision;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
use crate::referrals;

/// The decision of the acting administrator about a payment; `None` where no administrator acts.
/// None decides about their own sale, or about one that they earn on: as its affiliate, or as who
/// invited its merchant.
pub async fn decide_about(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    by: &ActorContext,
) -> Result<Option<Decision>> {
    let decided = Decision::about(scope.merchant, by, tx.now())?;
    if decided.is_none() {
        return Ok(None);
    }
    let affiliate = match commissions::affiliate_of(tx, scope, of).await? {
        // It is not paid yet, or its commission was cancelled; the promise of one stays.
        None => attribution::find(tx, scope, of).await?.map(|promise| promise.affiliate),
        earning => earning,
    };
    for earning in [affiliate, referrals::earner_of(tx, scope, of).await?].into_iter().flatten() {
        Decision::about(earning, by, tx.now())?;
    }
    Ok(decided)
}
