//! Money of a paid withdrawal that its bank sends back, in one part or in several: the receiver's
//! bank did not take it. It is the merchant's balance again; the withdrawal stays completed.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::books;
use crate::books::movements::Movement;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Scope, WithdrawalId, WithdrawalReturnId};
use crate::store::Sums;
use crate::withdrawals::status::Status;
use crate::withdrawals::store as orders;

mod store;

/// The reason of the balance change in `balance.updated`.
const RETURNED: &str = "withdrawal.returned";

/// What a bank says that it sent back.
#[derive(Debug, Clone)]
pub struct ReturnReport {
    /// Our reference of the payout.
    pub reference: String,
    /// The bank's name of this part.
    pub return_id: String,
    pub amount: Cents,
    pub at: Timestamp,
}

/// A part of a withdrawal that came back.
#[derive(Debug, Clone)]
pub struct WithdrawalReturn {
    pub id: WithdrawalReturnId,
    pub withdrawal: WithdrawalId,
    pub provider: String,
    pub return_id: String,
    pub amount: Cents,
    pub at: Timestamp,
}

/// The sum of what banks sent back of paid withdrawals, for the reconciliation.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    store::sums(tx, of).await
}

/// Books what a bank sent back; false where it is of no completed withdrawal that it paid, more
/// than it paid, or of a closed account. Safe to repeat.
pub async fn receive(tx: &Tx, provider: &str, report: &ReturnReport) -> Result<bool> {
    let found = orders::lock_by_reference(tx, &report.reference).await?;
    let paid = found.filter(|(_, withdrawal)| withdrawal.is_ordered_from(provider));
    let Some((scope, withdrawal)) = paid else { return Ok(false) };
    let new = WithdrawalReturn {
        id: WithdrawalReturnId::new(tx),
        withdrawal: withdrawal.id,
        provider: provider.to_owned(),
        return_id: report.return_id.clone(),
        amount: report.amount,
        at: report.at,
    };
    if let Some(known) = store::known(tx, &new).await? {
        return Ok(known == (new.withdrawal, new.amount));
    }
    // It could be withdrawn by no one.
    if merchants::find(tx, scope.merchant).await?.closed_at.is_some() {
        return Ok(false);
    }
    if withdrawal.status == Status::Pending {
        let message = "its withdrawal is not known to be paid yet";
        return Err(Error::Unavailable(message.to_owned()));
    }
    let left = withdrawal.net().minus(withdrawal.returned);
    let is_covered = left.is_some_and(|left| report.amount <= left);
    if withdrawal.status != Status::Completed || !is_covered {
        return Ok(false);
    }
    store::insert(tx, scope, &new).await?;
    let returned = Movement::withdrawal_returned(new.id, scope, new.amount);
    books::record(tx, returned).await?;
    books::emit_balance_updated(tx, scope, RETURNED).await?;
    Ok(true)
}
