//! Failures of what lies below as errors of a request.

use documents::qr::TextTooLong;

use crate::platform::error::{Error, ErrorCode};

impl From<db::error::Error> for Error {
    fn from(error: db::error::Error) -> Self {
        use db::error::Error as Database;
        match error {
            Database::Unavailable(_) => Self::Unavailable(error.to_string()),
            Database::Unknown(_) => Self::Unknown(error.to_string()),
            Database::Busy | Database::Collision(_) => Self::refused(
                ErrorCode::ConcurrentUpdate,
                "Another request is changing the same object. Try again.",
            ),
            // Such a text can only come from the request.
            Database::ZeroByte(_) => {
                Self::refused(ErrorCode::ValidationError, "Text must not contain a zero byte.")
            }
            _ => Self::Internal(error.into()),
        }
    }
}

impl From<ledger::posting::Error> for Error {
    fn from(error: ledger::posting::Error) -> Self {
        use ledger::posting::Error as Ledger;
        match error {
            Ledger::Insufficient(_) => {
                Self::refused(ErrorCode::InsufficientBalance, "The balance is insufficient.")
            }
            Ledger::Overflow => Self::Internal(anyhow::anyhow!("amounts overflow the ledger")),
            Ledger::Database(error) => error.into(),
        }
    }
}

impl From<TextTooLong> for Error {
    fn from(error: TextTooLong) -> Self {
        Self::Internal(error.into())
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(error.into())
    }
}
