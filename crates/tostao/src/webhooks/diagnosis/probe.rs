//! What a receiver makes of a delivery, of its repetition, and of forgeries.

use std::time::Duration;

use bytes::Bytes;
use outbound::failure::Failure;
use outbound::response::Response;
use outbound::target::Target;
use tokio::time::timeout;

use crate::app::App;
use crate::events::EventRecord;
use crate::platform::ids::Mode;
use crate::webhooks::diagnosis::finding::Finding;
use crate::webhooks::diagnosis::{Step, StepName};
use crate::webhooks::envelope::{self, SignatureInput};
use crate::webhooks::outcome::is_accepted;
use crate::webhooks::secret::Secret;

/// How long a repetition and a forgery may take.
const REPEATED_WITHIN: Duration = Duration::from_secs(3);
/// A receiver that takes longer gets no more than the first.
const QUICK: Duration = Duration::from_secs(2);
/// A receiver that takes longer should answer first and work afterwards.
const SLOW: Duration = Duration::from_secs(3);
/// How old the old signature is; receivers refuse more than a minute.
const OLD: Duration = Duration::from_secs(600);

/// What is sent, and where.
pub struct Probe<'a> {
    app: &'a App,
    target: Target,
    secret: &'a Secret,
    event: &'a EventRecord,
    body: Bytes,
}

/// How a probe is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signature {
    Right,
    Wrong,
    Old,
}

impl<'a> Probe<'a> {
    pub fn new(
        app: &'a App,
        mode: Mode,
        target: Target,
        secret: &'a Secret,
        event: &'a EventRecord,
    ) -> Self {
        let body = Bytes::from(envelope::body(mode, event, event.name.text()));
        Self { app, target, secret, event, body }
    }

    /// Sends the sample, and again where it was accepted quickly; then the forgeries, if wanted.
    pub async fn send_all(&self, forgeries: bool, steps: &mut Vec<Step>) {
        let (sent, took) = self.send(Signature::Right).await;
        let was_accepted = sent.as_ref().is_ok_and(|response| is_accepted(response.status));
        steps.push(Step::new(StepName::Answer, judge(sent, took), Some(took)));
        if !was_accepted || took > QUICK {
            return;
        }
        let (again, took) = self.send_briefly(Signature::Right).await;
        let finding = match again {
            Ok(response) if is_accepted(response.status) => Finding::RepetitionAccepted,
            Ok(response) => Finding::RepetitionRefused { status: response.status },
            Err(failure) => Finding::NoAnswer(failure),
        };
        steps.push(Step::new(StepName::Again, finding, Some(took)));
        let forged = [(StepName::Unsigned, Signature::Wrong), (StepName::Stale, Signature::Old)];
        for (name, signature) in forged.into_iter().filter(|_| forgeries) {
            let (sent, took) = self.send_briefly(signature).await;
            let finding = match sent {
                Ok(response) if is_accepted(response.status) => match signature {
                    Signature::Old => Finding::OldAccepted,
                    _ => Finding::ForgeryAccepted,
                },
                Ok(response) => Finding::ForgeryRefused { status: response.status },
                Err(failure) => Finding::NoAnswer(failure),
            };
            steps.push(Step::new(name, finding, Some(took)));
        }
    }

    async fn send_briefly(&self, signature: Signature) -> (Result<Response, Failure>, Duration) {
        let sent = timeout(REPEATED_WITHIN, self.send(signature)).await;
        sent.unwrap_or((Err(Failure::Timeout), REPEATED_WITHIN))
    }

    async fn send(&self, signature: Signature) -> (Result<Response, Failure>, Duration) {
        let began = self.app.now();
        let forged = Secret::generate(self.app.database.sources().random());
        let secret = if signature == Signature::Wrong { &forged } else { self.secret };
        let age = if signature == Signature::Old { OLD } else { Duration::ZERO };
        let input = SignatureInput {
            event_name: self.event.name.text(),
            attempt: 1,
            sent_at: began.minus(age),
            secret,
            previous: None,
        };
        let body = std::str::from_utf8(&self.body).unwrap_or_default();
        let headers = envelope::headers(self.event, &input, body);
        let sent = match (&headers).try_into() {
            Ok(headers) => self.app.webhooks.post(&self.target, headers, self.body.clone()).await,
            Err(_) => Err(Failure::Malformed),
        };
        (sent, self.app.now().since(began))
    }
}

/// What a response says.
fn judge(sent: Result<Response, Failure>, took: Duration) -> Finding {
    let response = match sent {
        Ok(response) => response,
        Err(failure) => return Finding::NoAnswer(failure),
    };
    let Response { status, location, excerpt, .. } = response;
    match status {
        _ if is_accepted(status) && took > SLOW => Finding::AcceptedSlowly,
        _ if is_accepted(status) => Finding::Accepted { status },
        300..=399 => Finding::Redirected { to: location },
        401 | 403 => Finding::LoginWanted { status },
        404 | 410 => Finding::NothingThere { status },
        405 => Finding::PostNotAllowed,
        415 => Finding::JsonNotAccepted,
        500..=599 => Finding::ReceiverFailed { status, excerpt },
        _ => Finding::Refused { status, excerpt },
    }
}
