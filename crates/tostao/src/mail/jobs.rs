//! The job that hands a mail to the operator's SMTP server.

use std::time::Duration;

use db::tx::Tx;
use queue::job::{Claimed, Job, again, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, end, next_try, put_off};
use crate::mail::letter::Letter;
use crate::mail::{Mail, aad, store};
use crate::platform::error::Result;
use crate::platform::ids::MailId;
use crate::platform::lanes::MAILS;
use crate::platform::telemetry;
use crate::providers::mail::{MailProvider, NotSent, OutgoingMail};

/// Why a mail waits on a server without an SMTP server.
const NO_SERVER: &str = "no_smtp_server";
/// Why a mail waits whose token no secret of the server opens.
const UNREADABLE: &str = "unreadable";

/// A mail is to be sent.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SendMail {
    pub id: MailId,
}

/// What became of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Sent,
    /// The server refuses it for good.
    Refused(String),
    Delayed(String),
    /// It was not offered: no secret of the server opens its token.
    Unreadable,
    /// It was not offered: its time is over.
    GivenUp,
}

impl Job for SendMail {
    const KIND: &'static str = "send_mail";
    const LANE: &'static str = MAILS;
    const UNIQUE: bool = true;
}

impl RunJob for SendMail {
    /// Makes one attempt, and records its outcome.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let id = self.id;
        let Some(provider) = &app.mail else { return put_off(app, job).await };
        let found = app.read(async move |tx| store::find_waiting(tx, id).await).await?;
        let Some(mail) = found else { return end(app, job).await };
        let outcome = attempt(app, provider, &mail).await?;
        report(&mail, &outcome);
        let due = next_try(app, &job, Duration::ZERO).min(mail.gives_up_at);
        let unit = async move |tx: &Tx| {
            let is_held = match &outcome {
                Outcome::Delayed(_) | Outcome::Unreadable => again(tx, &job, due).await?,
                Outcome::Sent | Outcome::Refused(_) | Outcome::GivenUp => finish(tx, &job).await?,
            };
            if !is_held {
                // Another worker has claimed the job since, and records its own attempt.
                return Ok(());
            }
            match &outcome {
                Outcome::Sent => store::mark_sent(tx, id).await,
                Outcome::Refused(error) => store::mark_refused(tx, id, error).await,
                Outcome::Delayed(error) => store::delay(tx, id, error).await,
                Outcome::Unreadable => store::hold(tx, id, UNREADABLE).await,
                Outcome::GivenUp => store::mark_given_up(tx, id).await,
            }
        };
        app.transact(unit).await
    }
}

/// Why a mail waits on this server that was never offered; `None` if it has an SMTP server.
pub fn waits_for(app: &App) -> Option<&'static str> {
    app.mail.is_none().then_some(NO_SERVER)
}

async fn attempt(app: &App, provider: &MailProvider, mail: &Mail) -> Result<Outcome> {
    if app.now() >= mail.gives_up_at {
        return Ok(Outcome::GivenUp);
    }
    let open = |sealed: &Vec<u8>| app.secrets.open(&aad(mail.id), sealed);
    let token = mail.token.as_ref().and_then(open).and_then(|token| String::from_utf8(token).ok());
    let Some(letter) = Letter::of(mail, &app.settings.base_url(), token.as_deref()) else {
        return Ok(Outcome::Unreadable);
    };
    send(app, provider, mail, letter).await
}

async fn send(app: &App, provider: &MailProvider, mail: &Mail, letter: Letter) -> Result<Outcome> {
    let (text, html) = (letter.text(), letter.html()?);
    let (id, to, subject) = (mail.id.0, mail.to.clone(), letter.subject);
    let outgoing = OutgoingMail { id, to, subject, text, html, at: app.now() };
    Ok(match provider.send(&outgoing).await {
        Ok(()) => Outcome::Sent,
        Err(NotSent::Refused(error)) => Outcome::Refused(error),
        Err(NotSent::Delayed(error)) => Outcome::Delayed(error),
    })
}

/// Reports an attempt to the operator, without the address and the text.
fn report(mail: &Mail, outcome: &Outcome) {
    let (id, kind) = (mail.id, mail.kind.name());
    let error = match outcome {
        Outcome::Sent => None,
        Outcome::Refused(error) | Outcome::Delayed(error) => Some(error.as_str()),
        Outcome::Unreadable => Some(UNREADABLE),
        Outcome::GivenUp => mail.last_error.as_deref(),
    };
    match outcome {
        Outcome::Sent => telemetry::mail_attempted("sent"),
        Outcome::Refused(_) | Outcome::GivenUp => {
            telemetry::mail_attempted("failed");
            tracing::warn!(%id, kind, error, "a mail was not accepted, and is not tried again");
        }
        Outcome::Delayed(_) | Outcome::Unreadable => {
            telemetry::mail_attempted("delayed");
            tracing::warn!(%id, kind, error, "a mail was not accepted, and is tried again");
        }
    }
}
