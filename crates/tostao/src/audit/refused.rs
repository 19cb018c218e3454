//! Refused sign-ins, counted in memory and written in batches.
//!
//! One entry stands for all refusals for one account from one network within five minutes, so a
//! flood costs the database a few rows and no request waits for a write. When a process is killed,
//! counts that were not written are lost: at most those of the last five minutes.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::database::{Database, in_background};
use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::platform::error::{Error, Result};
use crate::platform::http::client_ip::limit_key;
use crate::platform::http::context::RequestContext;
use crate::platform::ids::MerchantId;

/// How long refusals are counted before they are written.
const BUCKET: Duration = Duration::from_secs(5 * 60);
/// How often a server checks whether counts are due.
const EVERY: Duration = Duration::from_secs(30);
/// How many networks are counted separately, for known accounts and for unknown ones each; beyond
/// that a refusal counts for its account without a network.
const NETWORKS_MAX: usize = 5_000;
/// How many entries one unit writes.
const BATCH: usize = 200;

/// Refused sign-ins that have not been written yet.
#[derive(Debug, Default)]
pub struct RefusedSignIns(Mutex<Bucket>);

#[derive(Debug, Default)]
struct Bucket {
    began_at: Option<Timestamp>,
    known: HashMap<RefusalSource, RefusalCount>,
    unknown: HashMap<RefusalSource, RefusalCount>,
}

/// The account and the network of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RefusalSource {
    merchant: Option<MerchantId>,
    network: Option<String>,
}

/// A count, and the first and last instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RefusalCount {
    count: i64,
    first_at: Timestamp,
    last_at: Timestamp,
}

impl RefusedSignIns {
    /// Counts a refused sign-in; `None` for an account that does not exist.
    pub fn count(&self, merchant: Option<MerchantId>, context: &RequestContext, now: Timestamp) {
        let network = Some(limit_key(context.client_ip));
        let once = RefusalCount { count: 1, first_at: now, last_at: now };
        self.bucket().add(RefusalSource { merchant, network }, once);
    }

    fn bucket(&self) -> MutexGuard<'_, Bucket> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all counts, if the bucket was started before an instant.
    fn take_started_by(&self, latest: Timestamp) -> Vec<(RefusalSource, RefusalCount)> {
        let mut bucket = self.bucket();
        if bucket.began_at.is_none_or(|began_at| began_at > latest) {
            return Vec::new();
        }
        let Bucket { known, unknown, .. } = std::mem::take(&mut *bucket);
        known.into_iter().chain(unknown).collect()
    }

    fn restore(&self, counted: Vec<(RefusalSource, RefusalCount)>) {
        let mut bucket = self.bucket();
        for (source, tally) in counted {
            bucket.add(source, tally);
        }
    }
}

impl Bucket {
    fn add(&mut self, source: RefusalSource, tally: RefusalCount) {
        self.began_at = Some(self.began_at.map_or(tally.first_at, |at| at.min(tally.first_at)));
        let counts = if source.merchant.is_some() { &mut self.known } else { &mut self.unknown };
        let full = counts.len() >= NETWORKS_MAX && !counts.contains_key(&source);
        let source = if full { RefusalSource { network: None, ..source } } else { source };
        match counts.entry(source) {
            Slot::Vacant(slot) => {
                slot.insert(tally);
            }
            Slot::Occupied(mut slot) => {
                let known = slot.get_mut();
                known.count = known.count.saturating_add(tally.count);
                known.first_at = known.first_at.min(tally.first_at);
                known.last_at = known.last_at.max(tally.last_at);
            }
        }
    }
}

/// Writes counts whenever they are due, as long as `served` runs, and all of them at the end.
pub async fn write_while(
    refusals: &RefusedSignIns,
    database: &Database,
    served: impl Future<Output = ()>,
) {
    tokio::pin!(served);
    while tokio::time::timeout(EVERY, &mut served).await.is_err() {
        complain(write_due(refusals, database).await);
    }
    complain(write_all(refusals, database).await);
}

/// Writes the counts, if their five minutes have passed.
pub async fn write_due(refusals: &RefusedSignIns, database: &Database) -> Result<()> {
    let now = database.sources().now();
    write(refusals, database, refusals.take_started_by(now.minus(BUCKET))).await
}

/// Writes all counts.
pub async fn write_all(refusals: &RefusedSignIns, database: &Database) -> Result<()> {
    write(refusals, database, refusals.take_started_by(database.sources().now())).await
}

async fn write(
    refusals: &RefusedSignIns,
    database: &Database,
    mut counted: Vec<(RefusalSource, RefusalCount)>,
) -> Result<()> {
    while !counted.is_empty() {
        let rest = counted.split_off(counted.len().min(BATCH));
        let batch = counted.clone();
        let unit = async move |tx: &Tx| {
            for (source, tally) in &batch {
                audit::record(tx, &source.by(), source.entry(*tally)).await?;
            }
            Ok::<_, Error>(())
        };
        match in_background(database.transact(unit)).await {
            Ok(()) => counted = rest,
            Err(error) => {
                // Counts that may have been written are not counted again.
                let unwritten = if matches!(error, Error::Unknown(_)) { vec![] } else { counted };
                refusals.restore(unwritten);
                refusals.restore(rest);
                return Err(error);
            }
        }
    }
    Ok(())
}

fn complain(written: Result<()>) {
    if let Err(error) = written {
        tracing::warn!(%error, "refused sign-ins could not be stored; they are kept in memory");
    }
}

impl RefusalSource {
    fn by(&self) -> ActorContext {
        let client_address = self.network.clone();
        ActorContext { actor: Actor::Anonymous, client_address, request_id: None }
    }

    fn entry(&self, tally: RefusalCount) -> Entry {
        Entry::about(Action::SignInRefused, self.merchant)
            .times(tally.count)
            .with("firstAt", tally.first_at.to_string())
            .with("lastAt", tally.last_at.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use db::time::Timestamp;
    use uuid::Uuid;

    use super::{BUCKET, NETWORKS_MAX, RefusedSignIns};
    use crate::platform::http::context::RequestContext;
    use crate::platform::ids::MerchantId;

    const START: Timestamp = Timestamp::from_micros(1_795_276_800_000_000);

    fn from(number: u32) -> RequestContext {
        let address = IpAddr::V4(Ipv4Addr::from_bits(number));
        RequestContext::new("request".to_owned(), "/".to_owned(), address)
    }

    #[test]
    fn a_flood_is_as_many_entries_as_there_are_accounts_and_networks() {
        let refusals = RefusedSignIns::default();
        let known = Some(MerchantId(Uuid::from_u128(1)));
        for _ in 0..1_000 {
            refusals.count(None, &from(1), START);
            refusals.count(None, &from(2), START);
            refusals.count(known, &from(1), START);
        }
        let mut counted = refusals.take_started_by(START);
        assert!(counted.iter().all(|(_, tally)| tally.count == 1_000));
        counted.sort_by_key(|(source, _)| (source.merchant.is_some(), source.network.clone()));
        let sources = counted.iter().map(|(of, _)| (of.merchant, of.network.as_deref()));
        let expected = [(None, Some("0.0.0.1")), (None, Some("0.0.0.2")), (known, Some("0.0.0.1"))];
        assert_eq!(sources.collect::<Vec<_>>(), expected);
        assert!(refusals.take_started_by(START).is_empty());
    }

    #[test]
    fn more_networks_than_are_distinguished_still_count_for_their_account() {
        let refusals = RefusedSignIns::default();
        let known = Some(MerchantId(Uuid::from_u128(1)));
        let beyond = u32::try_from(NETWORKS_MAX).unwrap() + 7;
        for number in 0..beyond {
            refusals.count(None, &from(number), START);
        }
        refusals.count(known, &from(1), START);
        let counted = refusals.take_started_by(START);
        assert_eq!(counted.len(), NETWORKS_MAX + 2);
        let beyond = counted.iter().find(|(source, _)| source.network.is_none()).unwrap();
        assert_eq!((beyond.0.merchant, beyond.1.count), (None, 7));
        let named = counted.iter().find(|(source, _)| source.merchant == known).unwrap();
        assert_eq!(named.0.network.as_deref(), Some("0.0.0.1"));
    }

    #[test]
    fn what_was_counted_is_due_five_minutes_after_the_first() {
        let refusals = RefusedSignIns::default();
        refusals.count(None, &from(1), START);
        let now = START.plus(BUCKET);
        refusals.count(None, &from(1), now);
        let early = now.minus(BUCKET).minus(std::time::Duration::from_micros(1));
        assert!(refusals.take_started_by(early).is_empty());
        let counted = refusals.take_started_by(now.minus(BUCKET));
        let [(_, tally)] = counted.as_slice() else { panic!("{counted:?}") };
        assert_eq!((tally.count, tally.first_at, tally.last_at), (2, START, now));
    }
}
