//! The statement of an account, also of one payment or of a range of entries.
//!
//! The ledger knows a posting by its subject. Which subjects belong to a payment, its refunds,
//! receivables and so on, the features know that own them.

use db::tx::Tx;

use crate::affiliates::commissions;
use crate::books::chart::AccountKind;
use crate::books::movements::MovementKind;
use crate::books::statement::{self, Filter, StatementPage, Subjects};
use crate::platform::error::Result;
use crate::platform::http::page::TimeRange;
use crate::platform::ids::{Scope, TransactionId};
use crate::receivables;
use crate::transactions::{disputes, refunds, returns, unmatched};

pub mod api;
pub mod since_withdrawal;
pub mod since_withdrawal_api;

/// Of how many refunds of a payment, of how many returns and of how much of what was set aside the
/// entries are listed.
pub const NEWEST: usize = 50;
/// How many of each are read: one more, which shows that there are older ones.
const READ: i64 = 51;
/// How many subjects are looked for in all.
const SUBJECTS_MAX: usize = 240;

/// Which entries of an account are listed.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub account: AccountKind,
    pub kind: Option<MovementKind>,
    /// When they were posted, by the scope's clock.
    pub period: TimeRange,
    /// The number of the first entry, and the one before which the last is.
    pub sequence_from: Option<i64>,
    pub sequence_to: Option<i64>,
    /// The payment that they belong to.
    pub transaction: Option<TransactionId>,
}

impl Wanted {
    /// The same for the ledger.
    pub async fn filter(self, tx: &Tx, scope: Scope) -> Result<Filter> {
        let subjects = match self.transaction {
            Some(of) => Some(subjects(tx, scope, of).await?),
            None => None,
        };
        Ok(Filter {
            account: self.account,
            kind: self.kind,
            period: self.period,
            sequences: self.sequence_from.unwrap_or(1)..self.sequence_to.unwrap_or(i64::MAX),
            subjects,
        })
    }
}

/// Lists the entries before one, or the newest, at most `limit`.
pub async fn page(
    tx: &Tx,
    scope: Scope,
    wanted: Wanted,
    before: Option<i64>,
    limit: i64,
) -> Result<StatementPage> {
    let filter = wanted.filter(tx, scope).await?;
    statement::page(tx, scope, &filter, before, limit).await
}

/// The subjects that the ledger may know of a payment. An affiliate's entries about it have the
/// subjects of its seller, and are of the affiliate's own accounts alone.
async fn subjects(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Subjects> {
    let seller = commissions::seller::of(tx, scope, of).await?;
    let owner = seller.unwrap_or(scope);
    let refunds = refunds::newest_of(tx, owner, of, READ).await?;
    let disputes = disputes::of(tx, owner, of).await?;
    let receivables = receivables::of(tx, owner, of).await?;
    let set_aside = unmatched::newest_of(tx, owner, of, READ).await?;
    let returned = returns::newest_of(tx, owner, of, READ).await?;
    let commission = commissions::id_of(tx, owner, of).await?;
    let all = [of.0].into_iter().chain(commission.map(|id| id.0));
    let all = all.chain(receivables.iter().map(|receivable| receivable.id.0));
    let all = all.chain(refunds.iter().take(NEWEST).map(|id| id.0));
    let all = all.chain(set_aside.iter().take(NEWEST).map(|id| id.0));
    let all = all.chain(returned.iter().take(NEWEST).map(|id| id.0));
    let all = all.chain(disputes.iter().rev().map(|dispute| dispute.id.0));
    let mut ids: Vec<_> = all.collect();
    let found = [refunds.len(), set_aside.len(), returned.len()];
    let has_older = found.iter().any(|found| *found > NEWEST) || ids.len() > SUBJECTS_MAX;
    ids.truncate(SUBJECTS_MAX);
    Ok(Subjects { ids, has_older })
}
