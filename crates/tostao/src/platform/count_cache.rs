//! How many rows a scope has, without counting the old ones again for every page.
//!
//! The rows are never deleted but by a development reset, and ids grow with time: a count up to an
//! id that is some minutes old stays true, and only later rows are counted. The counts are in
//! memory, because every insert would have to update a stored one. After a reset, on any node, no
//! row is left before that id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::tx::Tx;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};

/// A row gets its id when its unit begins, by the clock of its node. Units take seconds, and
/// the clocks of nodes differ by less.
const SETTLED_AFTER: Duration = Duration::from_mins(5);
/// Past so many scopes all are counted again; a scope takes some fifty bytes.
const SCOPES_MAX: usize = 100_000;

/// What this process has counted. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct CountCache(Arc<Mutex<HashMap<(MerchantId, Mode), Counted>>>);

/// What came since an id.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    pub rows: i64,
    /// Those of them that are old enough to be counted for good.
    pub settled: i64,
    /// Whether there is one before the id.
    pub any_before: bool,
}

/// So many rows have ids before this one.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    before: Uuid,
    rows: i64,
}

impl CountCache {
    /// Counts all rows of a scope; `count_since` counts those from its first id on, and of them
    /// those before its second.
    pub async fn count(
        &self,
        tx: &Tx,
        scope: Scope,
        count_since: impl AsyncFn(&Tx, Scope, Uuid, Uuid) -> Result<Since>,
    ) -> Result<i64> {
        let settled = tx.first_id(tx.now().minus(SETTLED_AFTER));
        let mut known = self.of(scope);
        if known.before > tx.first_id(tx.now()) {
            // The clock was put back: new rows come before that id again.
            known = Counted::default();
        }
        let mut since = count_since(tx, scope, known.before, settled).await?;
        if known.rows > 0 && !since.any_before {
            known = Counted::default();
            since = count_since(tx, scope, known.before, settled).await?;
        }
        let before = settled.max(known.before);
        self.keep(scope, Counted { before, rows: known.rows + since.settled });
        Ok(known.rows + since.rows)
    }

    fn of(&self, scope: Scope) -> Counted {
        self.lock().get(&(scope.merchant, scope.mode)).copied().unwrap_or_default()
    }

    fn keep(&self, scope: Scope, counted: Counted) {
        let mut kept = self.lock();
        if kept.len() >= SCOPES_MAX {
            kept.clear();
        }
        kept.insert((scope.merchant, scope.mode), counted);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(MerchantId, Mode), Counted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
