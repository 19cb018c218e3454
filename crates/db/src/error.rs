//! Database errors, classified by what the caller may conclude.

/// Result of a database call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed call; each variant says what is known about its effects.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Nothing was written; a retry may succeed later.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// It is unknown whether the unit was committed; read before retrying.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
    /// Another unit held a row lock for too long; nothing was written.
    #[error("another unit holds the row")]
    Busy,
    /// A serialization failure or deadlock of two units; this one may be retried.
    #[error("two units collided: {0}")]
    Collision(String),
    /// A text to be written or searched for cannot be stored by every engine; nothing was written.
    #[error(transparent)]
    ZeroByte(#[from] ZeroByte),
    /// The engine rejected a statement; nothing of the unit was written.
    #[error("statement refused: {message} in: {sql}")]
    Statement { message: String, sql: String },
    /// A row did not match its reader, which is a bug.
    #[error("unexpected row: {0}")]
    Row(String),
    /// The unit panicked; nothing of it was written.
    #[error("the unit panicked")]
    Panicked,
    /// The settings or the files prevent opening the database.
    #[error("cannot open the database: {0}")]
    Open(String),
}

impl Error {
    /// A unit of one statement has another one.
    pub(crate) fn second_statement() -> Self {
        Self::Row("a unit of one statement has another one".into())
    }

    /// A statement did not change the one row that the unit had seen.
    pub(crate) fn not_one_row(sql: &str) -> Self {
        Self::Collision(format!("not one row was changed by: {sql}"))
    }

    /// A statement set a unique value that another unit has taken since this one saw it free.
    pub(crate) fn taken(sql: &str) -> Self {
        Self::Collision(format!("a unique value was taken before: {sql}"))
    }
}

/// A text contains a character that PostgreSQL cannot store, so SQLite must not either.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("text holds a zero byte")]
pub struct ZeroByte;
