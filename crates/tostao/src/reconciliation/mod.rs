//! Verifies that the ledger is complete, and that it agrees with the rows of every feature.
//!
//! `ledger` verifies accounts from transfers. Each feature sums what its own rows say about money;
//! `equalities` defines which sums must be equal. All of it reads one snapshot. A request proves
//! large books from where `proofs` has proved them to.

use std::borrow::Cow;
use std::collections::BTreeSet;

use db::database::Database;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::verify::{Rechained, Report};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::books;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Scope};
use crate::reconciliation::equalities::Sides;
use crate::reconciliation::sums::Found;

pub mod api;
mod bounded;
mod equalities;
pub mod proofs;
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
    /// Whether all of it was verified. If not, `success` is false: some entries are left, or the
    /// totals were never compared; both are done in the background.
    pub complete: bool,
    /// The number of entries that are not verified yet.
    pub entries_left: i64,
    /// When the totals of `equalities` and `contradictoryPayments` were read: now, or with the
    /// last full proof of a ledger that is too large to compare in a request; null before it.
    pub compared_at: Option<Timestamp>,
    /// The proof that verifies every entry again from the first one, in the background; null before
    /// the first one begins, and where this response verified every entry itself.
    pub full_proof: Option<FullProof>,
}

/// A proof of a ledger from its first entry, which begins once a day and runs in small steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LedgerFullProof")]
pub struct FullProof {
    /// When the current one began, or the last one if none runs.
    pub started_at: Timestamp,
    /// The number of entries that it has verified.
    pub entries_checked: i64,
    /// The number of entries that there are now.
    pub entries_total: i64,
    /// When one was last completed; null before that. What it found is part of the response until
    /// a later one is completed.
    pub completed_at: Option<Timestamp>,
}

/// Two totals that must be equal for every merchant in every environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LedgerEquality")]
pub struct Equality {
    /// The name of the equality; `docs/ledger.md` lists both sides of each.
    pub name: Cow<'static, str>,
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
        let rows_agree = rows_agree(&self.equalities, self.contradictory_payments);
        self.complete && self.ledger.is_sound() && rows_agree
    }
}

/// Sums what every feature's records say about the money at a provider; reads all of them.
pub async fn money_at(tx: &Tx, provider: &str) -> Result<MoneyAt> {
    let [booked, under_way] = store::of_provider(tx, provider).await?;
    Ok(MoneyAt { booked, under_way })
}

/// Verifies one merchant's ledger in one mode, or all of the database, in one snapshot.
pub async fn verify(tx: &Tx, scope: Option<Scope>) -> Result<LedgerVerification> {
    let ledger = books::prove(tx, scope).await?;
    verified(tx, scope, ledger).await
}

/// Counts the entries of all accounts, which are two for each transfer.
pub async fn count_entries(tx: &Tx) -> Result<u64> {
    Ok(u64::try_from(books::count_entries(tx).await?).unwrap_or(0))
}

/// Verifies all of the database; `watch` gets the number of entries checked, now and then.
pub async fn verify_watched(
    tx: &Tx,
    watch: &(dyn Fn(u64) + Send + Sync),
) -> Result<LedgerVerification> {
    let ledger = books::prove_watched(tx, watch).await?;
    verified(tx, None, ledger).await
}

/// Verifies as much of a merchant's ledger as a request has time for.
pub async fn verify_bounded(tx: &Tx, scope: Scope) -> Result<LedgerVerification> {
    bounded::verify(tx, scope).await
}

async fn verified(tx: &Tx, scope: Option<Scope>, ledger: Report) -> Result<LedgerVerification> {
    let resets = Resets::read(tx).await?;
    let compared = compare(tx, scope, &resets).await?;
    Ok(LedgerVerification {
        ledger,
        equalities: compared.equalities,
        contradictory_payments: compared.contradictory_payments,
        resets_in_progress: resets.count(scope),
        complete: true,
        entries_left: 0,
        compared_at: Some(compared.at),
        full_proof: None,
    })
}

/// The merchants who are deleting their development data.
struct Resets(BTreeSet<MerchantId>);

impl Resets {
    async fn read(tx: &Tx) -> Result<Self> {
        Ok(Self(merchants::being_cleared(tx).await?.into_iter().collect()))
    }

    /// How many they are, or whether the one is among them.
    fn count(&self, scope: Option<Scope>) -> i64 {
        let count = match scope {
            Some(scope) => usize::from(self.0.contains(&scope.merchant)),
            None => self.0.len(),
        };
        i64::try_from(count).unwrap_or(i64::MAX)
    }
}

/// Compares the books with all rows about money; reads all of them.
async fn compare(tx: &Tx, scope: Option<Scope>, resets: &Resets) -> Result<Compared> {
    let found = Found::read(tx, scope).await?;
    let mut compared = Compared { at: tx.now(), equalities: Vec::new(), contradictory_payments: 0 };
    for key in found.keys() {
        let sides = Sides::of(&found, key);
        compared.add(&sides, Sides::compared(key, &resets.0));
    }
    Ok(compared)
}

/// Whether the books and all rows about money say the same.
fn rows_agree(equalities: &[Equality], contradictory_payments: i64) -> bool {
    contradictory_payments == 0 && equalities.iter().all(|equality| equality.unequal == 0)
}

/// What a comparison of the books with all rows about money found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compared {
    at: Timestamp,
    equalities: Vec<Equality>,
    contradictory_payments: i64,
}

impl Compared {
    fn is_sound(&self) -> bool {
        rows_agree(&self.equalities, self.contradictory_payments)
    }

    fn add(&mut self, sides: &Sides, compared: equalities::Compared) {
        let comparisons = sides.comparisons();
        if self.equalities.is_empty() {
            let blank = |name: &'static str| Equality {
                name: name.into(),
                booked_cents: 0,
                stored_cents: 0,
                unequal: 0,
            };
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
