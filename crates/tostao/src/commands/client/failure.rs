//! How a client command fails, and the exit code that says so to a script.

use std::fmt::{Display, Formatter};

use serde_json::{Value, json};

use crate::commands::http_client::{Answer, NoAnswer};

/// Why a client command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The server refused.
    Refused(Box<Refusal>),
    /// The command line makes no sense.
    Usage(String),
    /// The server was not reached, or did not answer.
    NotReached(String),
    /// The command looked for a fault and found one; the details are for a script.
    Fault { message: String, details: Value },
    /// Another program listens under the same name now.
    Replaced,
    /// Anything else, such as a file that cannot be read.
    Other(anyhow::Error),
}

/// What the server said when it refused.
#[derive(Debug)]
pub struct Refusal {
    pub status: u16,
    pub body: Value,
}

impl Failure {
    /// A fault without details.
    pub fn fault(message: impl Into<String>) -> Self {
        Self::Fault { message: message.into(), details: Value::Null }
    }

    /// A refusal, from a response that is none of the expected ones.
    pub fn of(answer: &Answer) -> Self {
        let body = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Self::Refused(Box::new(Refusal { status: answer.status.as_u16(), body }))
    }

    /// The exit code of the command.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(_) | Self::Replaced | Self::Other(_) => 1,
            Self::Usage(_) => 2,
            Self::NotReached(_) => 3,
            Self::Fault { .. } => 4,
        }
    }

    /// The same for a script.
    pub fn json(&self) -> Value {
        match self {
            Self::Refused(refusal) => {
                let Refusal { status, body } = &**refusal;
                json!({
                    "error": "refused",
                    "status": status,
                    "code": body["code"],
                    "message": body["message"],
                    "errors": body["errors"],
                    "requestId": body["requestId"],
                    "docUrl": body["docUrl"],
                })
            }
            Self::Usage(message) => json!({ "error": "usage", "message": message }),
            Self::NotReached(message) => json!({ "error": "not_reached", "message": message }),
            Self::Fault { message, details } => {
                json!({ "error": "fault", "message": message, "details": details })
            }
            Self::Replaced => json!({ "error": "replaced" }),
            Self::Other(error) => json!({ "error": "other", "message": format!("{error:#}") }),
        }
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(out),
            Self::Usage(message) | Self::NotReached(message) | Self::Fault { message, .. } => {
                out.write_str(message)
            }
            Self::Replaced => out.write_str("another `tostao listen` has this name; use --name"),
            Self::Other(error) => write!(out, "{error:#}"),
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let text = |name: &str| self.body[name].as_str();
        write!(out, "{}", self.status)?;
        for part in [text("code"), text("message")].into_iter().flatten() {
            write!(out, " {part}")?;
        }
        for error in self.body["errors"].as_array().into_iter().flatten() {
            let part = |name: &str| error[name].as_str().unwrap_or_default();
            write!(out, "\n  {} {}: {}", part("field"), part("code"), part("message"))?;
        }
        if let Some(id) = text("requestId") {
            write!(out, "\n  request {id}")?;
        }
        if let Some(page) = text("docUrl") {
            write!(out, "\n  {page}")?;
        }
        Ok(())
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// What it means that the server at an address did not answer.
pub fn not_reached(server: &url::Url, cause: &NoAnswer) -> Failure {
    Failure::NotReached(format!("{server} does not answer: {cause}"))
}
