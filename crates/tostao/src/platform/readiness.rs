//! What was last found out about the database, so that many who ask share one look.

use db::time::Timestamp;
use tokio::sync::Mutex;

/// The last finding, if there is one.
#[derive(Debug, Default)]
pub struct Readiness(pub Mutex<Option<Finding>>);

/// What one look found.
#[derive(Debug)]
pub struct Finding {
    pub at: Timestamp,
    /// What is wrong, if anything is.
    pub fault: Option<String>,
}
