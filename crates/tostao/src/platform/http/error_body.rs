//! The body of every error.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::error::{FieldError, Obstacle};

/// The body of every error response.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Error")]
pub struct ErrorBody {
    /// A human-readable message.
    pub message: String,
    /// A stable error code.
    pub code: &'static str,
    /// A page about the code: why it comes, and what to do.
    pub doc_url: String,
    /// The time of the error.
    pub timestamp: Timestamp,
    /// The path of the request, without the query.
    pub path: String,
    /// The invalid fields.
    pub errors: Vec<FieldError>,
    /// The request ID, for support and the server's log.
    pub request_id: String,
    /// The missing permission; only with `INSUFFICIENT_PERMISSION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_permission: Option<&'static str>,
    /// The current status of the object; only with `INVALID_STATE_TRANSITION` and
    /// `WITHDRAWAL_ALREADY_PROCESSED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_status: Option<String>,
    /// The names of the body's fields that differ from the first request with the key, with `path`
    /// for the path and `body` for a body that only one of them has; only with
    /// `IDEMPOTENCY_KEY_REUSED`, and absent where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differing_fields: Option<Vec<String>>,
    /// What prevents the account from being closed; only with `ACCOUNT_IN_USE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacles: Option<Vec<Obstacle>>,
    /// Why the acquirer declined the card; only with `CARD_DECLINED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decline_code: Option<String>,
    /// Seconds to wait before retrying; only with `RATE_LIMITED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}
