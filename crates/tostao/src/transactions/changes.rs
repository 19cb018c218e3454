//! Compare-and-set updates of payments, with a metric for each new status.

use db::tx::Tx;
use db::value::{Arg, ToArg};

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::telemetry;
use crate::transactions::Transaction;

/// Runs an update that ends in `if_unchanged`, with `more` after the parameters passed here.
///
/// Returns false if the payment was changed meanwhile.
pub async fn change(
    tx: &Tx,
    sql: &'static str,
    scope: Scope,
    before: &Transaction,
    after: &Transaction,
    more: &[Arg<'_>],
) -> Result<bool> {
    let updated = tx.exec(sql, &changed(&scope, before, after, more)).await?;
    if updated == 1 && after.status != before.status {
        count(tx, after);
    }
    Ok(updated == 1)
}

/// The parameters of an update that ends in `if_unchanged`, then `more`.
pub fn changed<'a>(
    scope: &'a Scope,
    before: &'a Transaction,
    after: &'a Transaction,
    more: &[Arg<'a>],
) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        before.id.to_arg(),
        before.version.to_arg(),
        Arg::Text(before.status.name()),
        after.version.to_arg(),
        Arg::Text(after.status.name()),
    ];
    [own.as_slice(), more].concat()
}

/// Counts a payment that reached its status, once the unit is committed.
pub fn count(tx: &Tx, payment: &Transaction) {
    let (method, status) = (payment.method.name(), payment.status.name());
    tx.once_committed(move || telemetry::payment_reached(method, status));
}
