//! Row counts per scope that do not recount old rows for every page.
//!
//! Rows are deleted only by a development reset, and ids grow with time: a count up to an id that
//! is some minutes old stays correct, so only later rows are counted. Counts live in memory,
//! because a stored one would be updated by every insert. A reset, on any node, leaves no row
//! before that id, which is how a stale count is noticed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::tx::Tx;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};

/// A row gets its id when its unit begins, by the clock of its node. Units take seconds, and the
/// clocks of nodes differ by less than this.
const SETTLED_AFTER: Duration = Duration::from_mins(5);
/// Above this many scopes the cache is emptied; a scope takes some fifty bytes.
const SCOPES_MAX: usize = 100_000;

/// The counts of this process. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct CountCache(Arc<Mutex<HashMap<(MerchantId, Mode), Counted>>>);

/// The rows since an id.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    pub rows: i64,
    /// How many of them are old enough to be cached.
    pub settled: i64,
    /// Whether a row exists before the id.
    pub any_before: bool,
}

/// A number of rows with ids before `before`.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    before: Uuid,
    rows: i64,
}

impl CountCache {
    /// Counts all rows of a scope. `count_since` counts the rows from its first id on and, of
    /// those, the rows before its second id.
    pub async fn count(
        &self,
        tx: &Tx,
        scope: Scope,
        count_since: impl AsyncFn(&Tx, Scope, Uuid, Uuid) -> Result<Since>,
    ) -> Result<i64> {
        let settled = tx.first_id(tx.now().minus(SETTLED_AFTER));
        let mut known = self.of(scope);
        if known.before > tx.first_id(tx.now()) {
            // The clock was set back: new rows get ids before the cached one again.
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
