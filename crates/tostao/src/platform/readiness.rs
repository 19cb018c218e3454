//! The last readiness check of the database, so that concurrent health checks share one.

use db::time::Timestamp;
use tokio::sync::Mutex;

/// The last result, if there is one.
#[derive(Debug, Default)]
pub struct Readiness(pub Mutex<Option<Finding>>);

/// The result of one check.
#[derive(Debug)]
pub struct Finding {
    pub at: Timestamp,
    /// The error, if there is one.
    pub fault: Option<String>,
}
