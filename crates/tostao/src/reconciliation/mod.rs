//! Verifies that the ledger is complete, and that it agrees with the rows of every feature.
//!
//! `ledger` verifies accounts from transfers. Each feature sums what its own rows say about money;
//! `equalities` defines which sums must be equal. All of it reads one snapshot.

use std::collections::BTreeSet;

use db::database::Database;
use db::tx::Tx;
use ledger::verify::{Rechained, Report};
use schemars::JsonSchema;
use serde::Serialize;

use crate::books;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::reconciliation::equalities::Sides;
use crate::reconciliation::sums::Found;

pub mod api;
mod equalities;
mod store;
mod sums;

/// The result of a ledger verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LedgerVerification")]
pub struct LedgerVerification {
    #[serde(flatten)]
    pub ledger: Report,
    /// Totals that must be equal, over all merchants and environments checked.
    pub equalities: Vec<Equality>,
    /// The number of transactions whose amounts, status and disputes contradict each other.
    pub contradictory_payments: i64,
    /// The number of merchants whose development data is being reset (`POST /api/dev/reset`); their
    /// development ledger is not compared until the reset ends.
    pub resets_in_progress: i64,
}

/// Two totals that must be equal for every merchant in every environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LedgerEquality")]
pub struct Equality {
    /// The name of the equality; `docs/ledger.md` lists both sides of each.
    pub name: &'static str,
    /// The total according to the ledger, in cents; where only stored records are compared, the
    /// total of the first kind of record.
    pub booked_cents: i64,
    /// The total according to the stored records, in cents.
    pub stored_cents: i64,
    /// The number of merchants and environments in which the totals differ; must be zero.
    pub unequal: i64,
}

/// What the records say about the money at one provider, in cents of real money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoneyAt {
    /// What came there less what left: its part of the balance of the accounts `outside`.
    pub booked: i64,
    /// What may have left, as orders whose result is not known.
    pub under_way: i64,
}

/// How many legs one unit of `rechain` reads.
pub const LEGS: i64 = 1_000;

/// Whether only hashes are wrong, so that an earlier release can be the cause.
pub async fn may_rechain(tx: &Tx) -> Result<bool> {
    let mut verification = verify(tx, None).await?;
    verification.ledger.broken_hashes = 0;
    Ok(verification.is_sound())
}

/// Restarts the hash chains where an earlier release has booked without them, in small units, and
/// returns how many accounts that were; `None` if anything but hashes is wrong. An interrupted run
/// can be repeated.
pub async fn rechain(database: &Database) -> Result<Option<u64>> {
    if !database.scan(may_rechain).await? {
        return Ok(None);
    }
    let mut at = Rechained::NOTHING;
    while !at.is_over {
        at = database.transact(async move |tx: &Tx| books::rechain(tx, at, LEGS).await).await?;
    }
    Ok(Some(at.chains))
}

impl LedgerVerification {
    /// Whether everything is correct.
    pub fn is_sound(&self) -> bool {
        let equal = self.equalities.iter().all(|equality| equality.unequal == 0);
        self.ledger.is_sound() && equal && self.contradictory_payments == 0
    }
}

/// Sums what every feature's records say about the money at a provider; reads all of them.
pub async fn money_at(tx: &Tx, provider: &str) -> Result<MoneyAt> {
    let [booked, under_way] = store::of_provider(tx, provider).await?;
    Ok(MoneyAt { booked, under_way })
}

/// Verifies one merchant's ledger in one mode, or all of the database.
pub async fn verify(tx: &Tx, scope: Option<Scope>) -> Result<LedgerVerification> {
    let ledger = books::prove(tx, scope).await?;
    let resets: BTreeSet<_> = merchants::being_cleared(tx).await?.into_iter().collect();
    let own = scope.map(|scope| scope.merchant);
    let resets_in_progress = resets.iter().filter(|id| own.is_none_or(|own| own == **id)).count();
    let found = Found::read(tx, scope).await?;
    let mut verification = LedgerVerification {
        ledger,
        equalities: Vec::new(),
        contradictory_payments: 0,
        resets_in_progress: i64::try_from(resets_in_progress).unwrap_or(i64::MAX),
    };
    for key in found.keys() {
        let sides = Sides::of(&found, key);
        let compared = Sides::compared(key, &resets);
        verification.add(&sides, compared);
    }
    Ok(verification)
}

impl LedgerVerification {
    fn add(&mut self, sides: &Sides, compared: equalities::Compared) {
        let comparisons = sides.comparisons();
        if self.equalities.is_empty() {
            let blank = |name| Equality { name, booked_cents: 0, stored_cents: 0, unequal: 0 };
            self.equalities = comparisons.iter().map(|comparison| blank(comparison.name)).collect();
        }
        for (equality, comparison) in self.equalities.iter_mut().zip(comparisons) {
            equality.booked_cents = equality.booked_cents.saturating_add(comparison.booked);
            equality.stored_cents = equality.stored_cents.saturating_add(comparison.stored);
            equality.unequal += i64::from(comparison.differs() && compared.includes(comparison));
        }
        if compared.is_whole() {
            self.contradictory_payments += sides.contradictory_payments();
        }
    }
}
