//! What the tests of this crate stand on: a clock that stands still, a job, and an empty queue.

use std::sync::Arc;

use db::database::Database;
use db::migrations::{Migration, apply};
use db::source::{Clock, Entropy, Sources};
use db::time::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::job::Job;

/// When it is.
pub const NOW: Timestamp = Timestamp::from_micros(1_795_276_800_000_000);
const TABLES: &[Migration] = &[
    Migration { name: "jobs", sql: include_str!("../../../migrations/0002_jobs.sql") },
    Migration { name: "unique", sql: include_str!("../../../migrations/0058_unique_jobs.sql") },
    Migration { name: "failing", sql: include_str!("../../../migrations/0095_failing_jobs.sql") },
];

struct Still;

struct Zeros;

/// A job.
#[derive(Serialize, Deserialize)]
pub struct Call;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }
}

impl Entropy for Zeros {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }
}

impl Job for Call {
    const KIND: &'static str = "call";
    const LANE: &'static str = "calls";
}

/// An empty queue.
pub async fn fresh() -> (TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("jobs.db").display());
    let sources = Sources::new(Arc::new(Still), Arc::new(Zeros));
    let database = Database::open(&url, sources).unwrap();
    apply(&database, TABLES).await.unwrap();
    (folder, database)
}
