//! The job that hands a mail to the operator's SMTP server.

use std::time::Duration;

use db::tx::Tx;
use queue::job::{Claimed, Job, again, finish, hasten_all};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, end, next_try};
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
    Failed(Option<String>),
    Delayed(String),
}

impl Job for SendMail {
    const KIND: &'static str = "send_mail";
    const LANE: &'static str = MAILS;
}

impl RunJob for SendMail {
    /// Makes one attempt, and records its outcome.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let id = self.id;
        let found = app.read(async move |tx| store::find_waiting(tx, id).await).await?;
        let Some(mail) = found else { return end(app, job).await };
        let outcome = attempt(app, &mail).await?;
        report(&mail, &outcome);
        let due = next_try(app, &job, Duration::ZERO).min(mail.gives_up_at);
        let unit = async move |tx: &Tx| {
            let is_held = match &outcome {
                Outcome::Delayed(_) => again(tx, &job, due).await?,
                Outcome::Sent | Outcome::Failed(_) => finish(tx, &job).await?,
            };
            match &outcome {
                Outcome::Sent if is_held => store::mark_sent(tx, id).await,
                Outcome::Failed(error) if is_held => {
                    store::mark_failed(tx, id, error.as_deref()).await
                }
                Outcome::Delayed(error) if is_held => store::delay(tx, id, error).await,
                // Another worker has claimed the job since, and records its own attempt.
                _ => Ok(()),
            }
        };
        app.transact(unit).await
    }
}

/// Makes the mails due that waited for an SMTP server, where there is one now.
pub async fn resume(app: &App) -> Result<()> {
    if app.mail.is_none() {
        return Ok(());
    }
    app.transact(async |tx: &Tx| Ok(hasten_all::<SendMail>(tx, MAILS, tx.now()).await?)).await
}

async fn attempt(app: &App, mail: &Mail) -> Result<Outcome> {
    if app.now() >= mail.gives_up_at {
        return Ok(Outcome::Failed(None));
    }
    let Some(provider) = &app.mail else { return Ok(Outcome::Delayed(NO_SERVER.to_owned())) };
    let open = |sealed: &Vec<u8>| app.secrets.open(&aad(mail.id), sealed);
    let token = mail.token.as_ref().and_then(open).and_then(|token| String::from_utf8(token).ok());
    let Some(letter) = Letter::of(mail, &app.settings.base_url(), token.as_deref()) else {
        return Ok(Outcome::Delayed(UNREADABLE.to_owned()));
    };
    send(app, provider, mail, letter).await
}

async fn send(app: &App, provider: &MailProvider, mail: &Mail, letter: Letter) -> Result<Outcome> {
    let (text, html) = (letter.text(), letter.html()?);
    let (id, to, subject) = (mail.id.0, mail.to.clone(), letter.subject);
    let outgoing = OutgoingMail { id, to, subject, text, html, at: app.now() };
    Ok(match provider.send(&outgoing).await {
        Ok(()) => Outcome::Sent,
        Err(NotSent::Refused(error)) => Outcome::Failed(Some(error)),
        Err(NotSent::Delayed(error)) => Outcome::Delayed(error),
    })
}

/// Reports an attempt to the operator, without the address and the text.
fn report(mail: &Mail, outcome: &Outcome) {
    let (id, kind) = (mail.id, mail.kind.name());
    match outcome {
        Outcome::Sent => telemetry::mail_attempted("sent"),
        Outcome::Failed(error) => {
            let error = error.as_ref().or(mail.last_error.as_ref());
            telemetry::mail_attempted("failed");
            tracing::warn!(%id, kind, error, "a mail was not accepted, and is not tried again");
        }
        // A start says that there is no server, and the metrics how long mails wait.
        Outcome::Delayed(error) if error == NO_SERVER => {}
        Outcome::Delayed(error) => {
            telemetry::mail_attempted("delayed");
            tracing::warn!(%id, kind, error, "a mail was not accepted, and is tried again");
        }
    }
}
