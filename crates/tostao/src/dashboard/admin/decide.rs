//! The form of a decision: what was typed, its ticket, and why nothing was done in words.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::dashboard::attempt;
use crate::dashboard::form::{Field, given};
use crate::idempotency::Execution;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::messages::Lang;

/// The fields of all decisions, by their names in the bodies of the API; each decision reads its
/// own.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecideForm {
    pub action: String,
    #[serde(skip_serializing)]
    pub attempt: String,
    pub failure_reason: String,
    pub end_to_end_id: String,
    pub reason: String,
    pub note: String,
    pub transaction_id: String,
    pub refund_pix_key: String,
}

/// What stands in the way of a decision: wrong fields, or a reason beside them.
pub struct Obstacle {
    pub wrong: Vec<FieldError>,
    pub refused: Option<&'static str>,
}

impl DecideForm {
    /// What the form takes of its request, as a decision about the object of a path.
    pub fn ticket(&self, app: &App, seat: &AdminSeat, path: &str) -> Result<DecisionTicket> {
        let (route, what) = (format!("/admin{path}/decide"), serde_json::to_string(self)?);
        let key = attempt::key(app, seat.scope(), &route, &self.attempt, &what)?;
        let execution = Execution::permitted(Some(key), seat.permit());
        Ok(DecisionTicket { mode: seat.mode, execution, by: seat.by() })
    }

    /// A field as it was typed, with its error, by the API's name.
    pub fn judged(&self, name: &str, wrong: &[FieldError], lang: Lang) -> Field {
        let typed = match name {
            "failureReason" => &self.failure_reason,
            "endToEndId" => &self.end_to_end_id,
            "reason" => &self.reason,
            "transactionId" => &self.transaction_id,
            "refundPixKey" => &self.refund_pix_key,
            _ => &self.note,
        };
        let is_end_to_end_id = name == "endToEndId" && !typed.trim().is_empty();
        let mut field = Field::judged(name, typed, wrong, lang);
        if is_end_to_end_id && field.error.is_some() {
            field.error = Some(lang.admin_wrong_end_to_end().to_owned());
        }
        field
    }
}

impl Obstacle {
    /// What an error says about a decision; one that is not about the decision stays an error.
    pub fn of(error: Error, lang: Lang) -> Result<Self> {
        let beside = |refused| Ok(Self { wrong: Vec::new(), refused: Some(refused) });
        match error {
            Error::Invalid(wrong) => Ok(Self { wrong, refused: None }),
            Error::KeyReused { .. } => beside(lang.links_form_used()),
            Error::Processed { .. } | Error::State { .. } => beside(lang.admin_state_refuses()),
            Error::NotConfigured(_) => beside(lang.admin_no_bank()),
            Error::Refused(ErrorCode::SelfApproval, _) => beside(lang.admin_own()),
            Error::Refused(ErrorCode::InsufficientReceivables, _) => {
                beside(lang.admin_too_few_receivables())
            }
            Error::Refused(ErrorCode::ConnectionRefused, _) => {
                beside(lang.admin_connection_refused())
            }
            error => Err(error),
        }
    }
}

/// An id as it was typed, by the API's name of its field.
pub fn typed_id<I: FromStr>(field: &str, text: &str) -> Result<I> {
    let Some(text) = given(text) else {
        return Err(Error::field(field, "REQUIRED", "is required"));
    };
    text.parse().map_err(|_| Error::field(field, "INVALID_UUID", "must be an id"))
}

/// The action of no form of ours.
pub fn unknown_action() -> Error {
    Error::refused(ErrorCode::ValidationError, "The form has no such decision.")
}
