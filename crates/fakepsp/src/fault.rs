//! What may go wrong, on request.

use serde::{Deserialize, Serialize};

use crate::reply::Reply;
use crate::route::Dialect;

/// One way in which an operation goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// Processed; the answer never comes, the connection stays open.
    NoAnswer,
    /// The connection ends after the body was read, and nothing was done.
    CutBefore,
    /// Processed; the connection ends without an answer.
    CutAfter,
    /// An error of the bank's infrastructure, before processing or after it.
    Status {
        status: u16,
        #[serde(default)]
        processed: bool,
    },
    /// 200 with a page of HTML.
    Html {
        #[serde(default = "yes")]
        processed: bool,
    },
    /// Processed; the head promises the whole body and half of it comes.
    CutInHalf,
    /// 429, in the bank's words; nothing was done.
    TooMany { retry_after: Option<u32> },
    /// 401, in the bank's words; nothing was done.
    Unauthorized,
    /// 400 with HTML, as a proxy answers to a client certificate that it does not like.
    ProxyHtml,
    /// Processed; the answer comes late.
    Slow { ms: u64 },
    /// Processed; the body comes one byte at a time.
    Drip {
        #[serde(default = "second")]
        ms: u64,
    },
}

fn yes() -> bool {
    true
}

fn second() -> u64 {
    1_000
}

impl Fault {
    /// The answer of a fault that keeps the operation from being processed.
    pub fn instead(self, dialect: Dialect) -> Option<Reply> {
        match self {
            Self::Status { status, processed: false } => Some(broken(status)),
            Self::Html { processed: false } => Some(Reply::html(200, "Bem-vindo")),
            Self::TooMany { retry_after } => Some(too_many(dialect, retry_after)),
            Self::Unauthorized => Some(dialect.unauthorized()),
            Self::ProxyHtml => Some(Reply::html(400, "400 The SSL certificate error")),
            _ => None,
        }
    }

    /// The answer of a fault that only spoils what the operation came to.
    pub fn spoil(self, reply: Reply) -> Reply {
        match self {
            Self::Status { status, processed: true } => broken(status),
            Self::Html { processed: true } => Reply::html(200, "Bem-vindo"),
            _ => reply,
        }
    }
}

/// What a gateway in front of the bank answers: not the bank's own error object.
fn broken(status: u16) -> Reply {
    let title = match status {
        500 => "500 Internal Server Error",
        502 => "502 Bad Gateway",
        503 => "503 Service Temporarily Unavailable",
        504 => "504 Gateway Time-out",
        _ => "Error",
    };
    Reply::html(status, title)
}

fn too_many(dialect: Dialect, retry_after: Option<u32>) -> Reply {
    let reply = match dialect {
        Dialect::Efi => Reply::problem(
            429,
            "BaldeFichasVazio",
            "Balde de Fichas Vazio",
            "Limite de requisições atingido.",
        ),
        Dialect::Inter => Reply::json(
            429,
            &serde_json::json!({ "title": "Muitas requisições", "detail": "Limite excedido." }),
        ),
        Dialect::Cobrancas => {
            Reply::json(429, &serde_json::json!({ "code": 429, "error": "too_many_requests" }))
        }
        Dialect::Pagarme => {
            Reply::json(429, &serde_json::json!({ "message": "Too many requests." }))
        }
    };
    match retry_after {
        Some(seconds) => reply.with("retry-after", seconds.to_string()),
        None => reply,
    }
}

/// A fault for an operation, for the next so many calls or for ever.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rule {
    /// A name such as `efi.payout.create`, a prefix such as `efi.*`, or `*`.
    pub operation: String,
    #[serde(flatten)]
    pub fault: Fault,
    /// Calls that go well before the first that does not.
    #[serde(default)]
    pub skip: u32,
    /// Absent or null means for ever.
    pub times: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Faults {
    pub rules: Vec<Rule>,
}

impl Faults {
    /// Uses up the first rule for the operation.
    pub fn take(&mut self, operation: &str) -> Option<Fault> {
        let at = self.rules.iter_mut().position(|rule| {
            let due = matches(&rule.operation, operation) && rule.skip == 0;
            if matches(&rule.operation, operation) && !due {
                rule.skip -= 1;
            }
            due
        })?;
        let rule = &mut self.rules[at];
        let fault = rule.fault;
        if let Some(times) = &mut rule.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.rules.remove(at);
            }
        }
        Some(fault)
    }
}

pub fn matches(pattern: &str, operation: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => operation.starts_with(prefix),
        None => pattern == operation,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, Rule};

    #[test]
    fn a_rule_lasts_so_many_times_and_begins_so_late() {
        let text = r#"{"operation":"efi.cob.*","fault":"cut_after","skip":1,"times":2}"#;
        let mut faults = Faults { rules: vec![serde_json::from_str::<Rule>(text).unwrap()] };
        let mut take = |operation| faults.take(operation);

        assert_eq!(take("efi.payout.create"), None);
        let calls: Vec<_> = (0..4).map(|_| take("efi.cob.create")).collect();
        assert_eq!(calls, [None, Some(Fault::CutAfter), Some(Fault::CutAfter), None]);
    }

    #[test]
    fn every_fault_has_a_name_in_json() {
        for (text, fault) in [
            (r#""fault":"no_answer""#, Fault::NoAnswer),
            (r#""fault":"status","status":503"#, Fault::Status { status: 503, processed: false }),
            (r#""fault":"html""#, Fault::Html { processed: true }),
            (r#""fault":"too_many","retry_after":3"#, Fault::TooMany { retry_after: Some(3) }),
            (r#""fault":"too_many""#, Fault::TooMany { retry_after: None }),
            (r#""fault":"drip""#, Fault::Drip { ms: 1_000 }),
        ] {
            let rule: Rule =
                serde_json::from_str(&format!(r#"{{"operation":"*",{text}}}"#)).unwrap();
            assert_eq!((rule.fault, rule.times), (fault, None), "{text}");
        }
    }
}
