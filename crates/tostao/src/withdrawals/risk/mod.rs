//! What an administrator knows of an account before they decide about its withdrawal.
//!
//! Ages are of the server's clock. What was sold and paid out lies in days of the account's own
//! clock, which in development may run ahead; the clock of the administrator changes neither.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::audit::{self, Action};
use crate::books;
use crate::books::chart::AccountKind;
use crate::figures::period::{Period, before, day_of};
use crate::figures::{self, total};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{Mode, WithdrawalId};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::approval::scope_of;
use crate::withdrawals::find;

mod store;

/// How many days are looked at.
const DAYS: i32 = 30;
const LOOKED_BACK: Duration = Duration::from_hours(30 * 24);

/// What changes how people and programs get in, or who the account is.
const CHANGES: [Action; 11] = [
    Action::EmailChanged,
    Action::PayoutKeyCreated,
    Action::PasswordChanged,
    Action::TwoFactorEnabled,
    Action::TwoFactorDisabled,
    Action::BackupCodesReplaced,
    Action::ApiKeyCreated,
    Action::ApiKeyRotated,
    Action::MemberJoined,
    Action::MemberRoleChanged,
    Action::AccountUpdated,
];

/// A withdrawal and what is known of its account.
#[derive(Debug, Clone)]
pub struct Risk {
    pub withdrawal: Withdrawal,
    pub account: String,
    pub opened_at: Timestamp,
    pub is_verified: bool,
    /// What the account can withdraw; below zero it is in debt.
    pub available: Cents,
    pub changes: LastChanges,
    /// What was sold in the last days.
    pub sold: Cents,
    /// What was paid out in them, without fees.
    pub withdrawn: Cents,
    /// Whether a withdrawal to the same key was paid before.
    pub key_paid_before: bool,
    /// When it was read, by the server's clock.
    pub at: Timestamp,
    /// Whether its order may still reach the bank, so that it cannot be said to be unpaid.
    pub may_still_arrive: bool,
}

/// When something of an account last changed, if that was in the last days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LastChanges {
    pub password: Option<Timestamp>,
    pub second_step: Option<Timestamp>,
    pub email: Option<Timestamp>,
    pub keys: Option<Timestamp>,
    pub payout_keys: Option<Timestamp>,
    pub team: Option<Timestamp>,
    pub business: Option<Timestamp>,
}

/// Reads a withdrawal of any account in a mode, and what is known of the account.
pub async fn read(tx: &Tx, mode: Mode, id: WithdrawalId) -> Result<Risk> {
    let scope = scope_of(tx, mode, id).await?;
    let withdrawal = find(tx, scope, id).await?;
    let account = merchants::find(tx, scope.merchant).await?;
    let today = day_of(scope.now(tx));
    let days = Period { from: before(today, DAYS - 1), to: today };
    let (_, money, _) = total(&figures::read(tx, scope, days).await?)?;
    let since = tx.now().minus(LOOKED_BACK);
    let changed = audit::last_changes(tx, scope.merchant, since, &CHANGES).await?;
    Ok(Risk {
        account: account.name,
        opened_at: account.created_at,
        is_verified: merchants::is_verified(tx, scope).await?,
        available: books::held(tx, scope, AccountKind::Available).await?,
        changes: LastChanges::of(&changed),
        sold: money.sold,
        withdrawn: store::paid_since(tx, scope, scope.now(tx).minus(LOOKED_BACK)).await?,
        key_paid_before: store::was_paid_to(tx, scope, &withdrawal).await?,
        at: tx.now(),
        may_still_arrive: withdrawal.stored_order(scope).may_still_arrive(scope.now(tx)),
        withdrawal,
    })
}

impl LastChanges {
    fn of(changed: &[(Action, Timestamp)]) -> Self {
        let mut last = Self::default();
        for (action, at) in changed {
            let field = match action {
                Action::PasswordChanged => &mut last.password,
                Action::EmailChanged => &mut last.email,
                Action::PayoutKeyCreated => &mut last.payout_keys,
                Action::TwoFactorEnabled
                | Action::TwoFactorDisabled
                | Action::BackupCodesReplaced => &mut last.second_step,
                Action::ApiKeyCreated | Action::ApiKeyRotated => &mut last.keys,
                Action::AccountUpdated => &mut last.business,
                _ => &mut last.team,
            };
            *field = (*field).max(Some(*at));
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::LastChanges;
    use crate::audit::Action;

    #[test]
    fn the_last_of_several_changes_counts() {
        let at = Timestamp::from_micros;
        let changed = [
            (Action::TwoFactorEnabled, at(5)),
            (Action::TwoFactorDisabled, at(9)),
            (Action::BackupCodesReplaced, at(7)),
            (Action::MemberJoined, at(1)),
        ];
        let last = LastChanges::of(&changed);
        assert_eq!((last.second_step, last.team), (Some(at(9)), Some(at(1))));
        assert_eq!((last.password, last.keys, last.business), (None, None, None));
    }
}
