//! Settles a receivable on its due date: the pledged part goes to the platform, the rest to the
//! merchant.

use ledger::cents::Cents;
use queue::job::Claimed;

use crate::advances::lost_collateral::publish_if_settled;
use crate::advances::store;
use crate::app::App;
use crate::books;
use crate::books::movements::Movement;
use crate::jobs::{RunJob, carry_out};
use crate::platform::error::Result;
use crate::receivables::jobs::Settle;
use crate::receivables::{self, Pledge};

/// The reason of the balance change in `balance.updated`.
const SETTLED: &str = "receivable.settled";

impl RunJob for Settle {
    /// Settles a part that is due; a part that was taken whole books nothing.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, of, installment } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            let Some(part) = receivables::settle(tx, scope, of, installment).await? else {
                return Ok(());
            };
            let advance = match part.pledge {
                Some(Pledge { to, amount }) => {
                    store::record_repayment(tx, scope, to, amount, Cents::ZERO).await?
                }
                None => None,
            };
            let (of, free, pledged) = (part.id, part.free(), part.pledged());
            books::record(tx, Movement::receivable_settled(of, scope, free, pledged)).await?;
            if let Some(advance) = advance {
                publish_if_settled(tx, scope, advance).await?;
            }
            if !part.net().is_zero() {
                books::emit_balance_updated(tx, scope, SETTLED).await?;
            }
            Ok(())
        })
        .await
    }
}
