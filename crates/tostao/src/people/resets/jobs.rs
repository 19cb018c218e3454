//! The job that makes a link to a new password and writes its mail.
//!
//! A request only enqueues it, so its response takes equally long whether anyone has the address.

use db::tx::Tx;
use queue::job::{Claimed, Job, WORK, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::{Actor, ActorContext};
use crate::jobs::{RunJob, end};
use crate::people::resets;
use crate::platform::error::{Error, Result};
use crate::platform::messages::Lang;
use crate::platform::telemetry;

/// A person asked for a new password.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BeginReset {
    /// What was entered; it may be no one's address.
    pub email: String,
    pub lang: String,
    pub client_address: String,
    pub request_id: String,
}

impl Job for BeginReset {
    const KIND: &'static str = "begin_password_reset";
    const LANE: &'static str = WORK;
}

impl RunJob for BeginReset {
    /// Sends the link, if a person has the address.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let secrets = app.secrets.clone();
        let lang = Lang::parse(&self.lang).unwrap_or_default();
        let by = ActorContext {
            actor: Actor::Anonymous,
            client_address: Some(self.client_address),
            request_id: Some(self.request_id),
        };
        let (email, claimed) = (self.email, job.clone());
        let unit = async move |tx: &Tx| {
            if finish(tx, &claimed).await? {
                resets::send(tx, &by, &email, (&secrets, lang)).await?;
            }
            Ok(())
        };
        match app.transact(unit).await {
            // The mailbox got as many links as it gets in a day; the last one stays open.
            Err(Error::TooMany { .. }) => {
                telemetry::mail_attempted("limited");
                end(app, job).await
            }
            sent => sent,
        }
    }
}
