//! What can go wrong between a unit and its database, told by what the caller may conclude.

/// Result of a database call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed call; each variant says what is known about its effects.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Nothing was written; the same call may succeed later.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// Nobody can tell whether the unit was kept; read before doing it again.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
    /// Another unit held a row for too long; nothing was written.
    #[error("another unit holds the row")]
    Busy,
    /// Two units could not both be kept; this one may run again.
    #[error("two units collided: {0}")]
    Collision(String),
    /// A text that no engine can store was to be written or looked for; nothing was written.
    #[error(transparent)]
    ZeroByte(#[from] ZeroByte),
    /// The engine refused a statement; nothing of the unit was written.
    #[error("statement refused: {message} in: {sql}")]
    Statement { message: String, sql: String },
    /// A row did not have the shape its reader expects, which is a programmer's error.
    #[error("unexpected row: {0}")]
    Row(String),
    /// The unit panicked; nothing of it was written.
    #[error("the unit panicked")]
    Panicked,
    /// The settings or the files do not allow the database to open.
    #[error("cannot open the database: {0}")]
    Open(String),
}

/// A text holds a character that PostgreSQL cannot store, and the other engine shall not.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("text holds a zero byte")]
pub struct ZeroByte;
