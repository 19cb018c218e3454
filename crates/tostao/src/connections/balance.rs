//! Compares what a bank says its account holds with what the books have there.
//!
//! | The bank has | Drift |
//! |---|---|
//! | what was booked, or less by no more than the orders that are under way | none |
//! | more than was booked | the excess |
//! | less than was booked less all that is under way | what is missing, as a negative number |
//!
//! Other money of the operator's is on the account, too, and tariffs are debited from it, so an
//! administrator closes the difference with a note: the drift is then accepted, and the difference
//! is open again only when it changes. One that has gone closes by itself.

use std::time::Duration;

use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Claimed, Due, Job, finish, push_in, reschedule_with};
use rails::connection::Balance;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::connections::differences::{self, BALANCE, Difference, Kind, NewDifference, Status};
use crate::connections::live;
use crate::jobs::{RunJob, end, retry};
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::platform::lanes::{CONNECTIONS, of_connection};
use crate::platform::telemetry;
use crate::providers::connections::registry::LiveConnection;
use crate::reconciliation::{self, MoneyAt};

/// A drift is asked about so often: what buyers pay meanwhile is booked some minutes later.
const LOOKS_MAX: u32 = 3;
/// By then the lists have been read.
const LOOKS_AGAIN_AFTER: Duration = Duration::from_mins(10);
/// After so many tries the next night asks again; about an hour.
const TRIES_MAX: i64 = 14;
/// The detail with the drift that an administrator accepted last.
const ACCEPTED: &str = "accepted";
const AGREES: &str = "Closed by the server: the balance agrees again.";

/// Compares a connection's balance with the books.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompareBalance {
    connection: ConnectionId,
    /// How often a drift was seen.
    looks: u32,
}

impl Job for CompareBalance {
    const KIND: &'static str = "compare_connection_balance";
    const LANE: &'static str = CONNECTIONS;
}

/// Schedules the comparison.
pub async fn compare_now(tx: &Tx, of: &LiveConnection) -> Result<()> {
    let job = CompareBalance { connection: of.id, looks: 0 };
    let due = Due { at: tx.now(), clock: None };
    Ok(push_in(tx, &of_connection(&of.name), tx.new_id(), due, &job).await?)
}

impl RunJob for CompareBalance {
    /// Asks, compares, and asks again where they do not agree.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let live = live(app, self.connection).await?;
        let balance = match live.connected.connection.balance().await {
            Ok(Some(balance)) => balance,
            Ok(None) => return end(app, job).await,
            Err(error) => {
                tracing::warn!(connection = live.name, %error, "a balance cannot be asked for");
                if job.attempt >= TRIES_MAX {
                    return end(app, job).await;
                }
                return retry(app, job, error.retry_after().unwrap_or_default()).await;
            }
        };
        let provider = live.name.clone();
        let booked = app.scan(async move |tx| reconciliation::money_at(tx, &provider).await);
        let drift = drift(balance, booked.await?);
        let (id, looks) = (live.id, self.looks + 1);
        let due = app.now().plus(LOOKS_AGAIN_AFTER);
        let unit = async move |tx: &Tx| {
            let known = differences::lock_balance(tx, id).await?;
            let accepted = known.as_ref().map_or(0, accepted);
            if drift != accepted && looks < LOOKS_MAX {
                reschedule_with(tx, &job, due, &Self { looks, ..self }).await?;
                return Ok(None);
            }
            finish(tx, &job).await?;
            if drift == accepted {
                let left = Some(Cents::new(accepted));
                differences::close(tx, (id, Kind::Balance, BALANCE), left, AGREES).await?;
            } else {
                let difference = NewDifference::new(id, Kind::Balance, BALANCE.to_owned())
                    .of(Cents::new(drift))
                    .with(ACCEPTED, accepted);
                differences::insert(tx, &difference).await?;
            }
            Ok(Some(drift.saturating_sub(accepted)))
        };
        if let Some(drift) = app.transact(unit).await? {
            telemetry::balance_drift(&live.name, drift);
        }
        Ok(())
    }
}

/// The drift that is not accepted, of a difference as it is stored.
pub fn unexplained(known: &Difference) -> i64 {
    match known.status {
        Status::Open => known.amount.map_or(0, Cents::get).saturating_sub(accepted(known)),
        Status::Resolved => 0,
    }
}

/// The drift that an administrator accepted last; none before the first one.
fn accepted(known: &Difference) -> i64 {
    match known.status {
        Status::Resolved => known.amount.map_or(0, Cents::get),
        Status::Open => {
            known.details.get(ACCEPTED).and_then(serde_json::Value::as_i64).unwrap_or(0)
        }
    }
}

/// What the bank has and the books do not, in cents.
fn drift(balance: Balance, MoneyAt { booked, under_way }: MoneyAt) -> i64 {
    let bank = balance.available.get().saturating_add(balance.blocked.get());
    let least = booked.saturating_sub(under_way);
    if bank > booked { bank.saturating_sub(booked) } else { bank.saturating_sub(least).min(0) }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;
    use rails::connection::Balance;

    use super::drift;
    use crate::reconciliation::MoneyAt;

    #[test]
    fn a_balance_agrees_with_the_books_whichever_of_the_orders_under_way_the_bank_has_debited() {
        // Booked, under way, available, blocked, drift.
        let table = [
            (1_000, 0, 1_000, 0, 0),
            (1_000, 0, 700, 300, 0),
            (1_000, 400, 1_000, 0, 0),
            (1_000, 400, 750, 0, 0),
            (1_000, 400, 600, 0, 0),
            (1_000, 400, 599, 0, -1),
            (1_000, 400, 1_001, 0, 1),
            (-50, 0, 0, 0, 50),
        ];
        for (booked, under_way, available, blocked, expected) in table {
            let [available, blocked] = [available, blocked].map(Cents::new);
            let found = drift(Balance { available, blocked }, MoneyAt { booked, under_way });
            assert_eq!(found, expected, "{booked} {under_way} {available:?} {blocked:?}");
        }
    }
}
