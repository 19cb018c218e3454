//! Forwarding a delivery to a program on this machine, as the server would post it to a URL.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Method, Request};
use tokio::time::{Instant, sleep};
use url::Url;

use crate::commands::client::failure::Failure;
use crate::commands::client::listener::Delivery;
use crate::commands::http_client::{HttpClient, NoAnswer};
use crate::webhooks::outcome::is_accepted;

/// As long as the server waits for a receiver.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// A program may start after the listener; a signature is valid for a minute.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(30);
const TRY_EVERY: Duration = Duration::from_millis(500);
const EXCERPT_CHARS_MAX: usize = 1_024;

/// What became of a delivery.
#[derive(Debug)]
pub struct Forwarded {
    /// The program's status; `None` if there was no response.
    pub status: Option<u16>,
    pub ms: u64,
    /// The start of the response.
    pub excerpt: Option<String>,
    /// Why there was no response.
    pub error: Option<Unanswered>,
}

/// Why a program gave no response.
#[derive(Debug, Clone, Copy)]
pub enum Unanswered {
    Connect,
    Timeout,
    Closed,
}

impl Unanswered {
    /// The code that the server knows it by.
    pub fn code(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::Closed => "closed",
        }
    }
}

/// Reads the address of a program.
pub fn program(text: &str) -> Result<Url, String> {
    let url: Url = text.parse().map_err(|error| format!("{error}"))?;
    let is_http = matches!(url.scheme(), "http" | "https");
    if is_http { Ok(url) } else { Err("must be an http or https address".to_owned()) }
}

impl Forwarded {
    /// A delivery that was only printed.
    pub fn printed() -> Self {
        Self { status: Some(200), ms: 0, excerpt: None, error: None }
    }

    /// Whether the program accepted it.
    pub fn is_delivered(&self) -> bool {
        self.status.is_some_and(is_accepted)
    }
}

/// Posts a delivery to a program, once it accepts connections.
#[expect(clippy::disallowed_methods, reason = "a program starts without a notice to this one")]
pub async fn forward(
    http: &HttpClient,
    to: &Url,
    delivery: &Delivery,
) -> Result<Forwarded, Failure> {
    let until = Instant::now() + CONNECT_TIME_MAX;
    loop {
        let mut request = Request::builder().method(Method::POST).uri(to.as_str());
        for (name, value) in delivery.signed_headers() {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(delivery.body.clone())))?;
        let start = Instant::now();
        let answer = http.exchange(request, ANSWER_TIME_MAX).await;
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        match answer {
            Ok(answer) => {
                let excerpt = excerpt(&answer.body);
                // The protocol knows no others, and neither does the server.
                let status = Some(answer.status.as_u16()).filter(|status| *status <= 599);
                let error = status.is_none().then_some(Unanswered::Closed);
                return Ok(Forwarded { status, ms, excerpt, error });
            }
            Err(NoAnswer::NotReached(_)) if Instant::now() < until => sleep(TRY_EVERY).await,
            Err(error) => {
                let error = Some(match error {
                    NoAnswer::NotReached(_) => Unanswered::Connect,
                    NoAnswer::Late(_) => Unanswered::Timeout,
                    NoAnswer::Lost(_) => Unanswered::Closed,
                });
                return Ok(Forwarded { status: None, ms, excerpt: None, error });
            }
        }
    }
}

/// The start of a response, as one line of text.
fn excerpt(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let start: String = plain.take(EXCERPT_CHARS_MAX).collect();
    let start = start.trim();
    (!start.is_empty()).then(|| start.to_owned())
}
