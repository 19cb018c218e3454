//! Live confirmation: an event stream that notifies a buyer's page of status changes.

use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use db::database::Dialect;
use db::tx::Notice;
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::platform::error::Error;
use crate::platform::ids::{Scope, TransactionId};
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{CHANGED, Transaction, current};

const HEARTBEAT: Duration = Duration::from_secs(15);
/// Another node may have received the payment, and its notices do not reach this one.
const LOOK_EVERY_SHARED: Duration = Duration::from_secs(3);
const LOOK_EVERY_ALONE: Duration = Duration::from_secs(30);

struct StatusStream {
    app: App,
    scope: Scope,
    id: TransactionId,
    notices: Receiver<Notice>,
    reported: Option<Status>,
}

/// Streams a payment's status, now and at each change, until it is paid.
pub fn stream(
    app: &App,
    scope: Scope,
    transaction: &Transaction,
) -> Sse<impl Stream<Item = Result<Event, Error>> + use<>> {
    let watch = StatusStream {
        app: app.clone(),
        scope,
        id: transaction.id,
        notices: app.database.notices(),
        reported: None,
    };
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    Sse::new(unfold(watch, StatusStream::next)).keep_alive(keep_alive)
}

impl StatusStream {
    async fn next(mut self) -> Option<(Result<Event, Error>, Self)> {
        if self.reported == Some(Status::Paid) {
            return None;
        }
        loop {
            let transaction = match current(&self.app, self.scope, self.id).await {
                Ok(transaction) => transaction,
                Err(error) => {
                    return Some((Err(error), Self { reported: Some(Status::Paid), ..self }));
                }
            };
            if self.reported != Some(transaction.status) {
                self.reported = Some(transaction.status);
                return Some((Ok(self.event(&transaction)), self));
            }
            self.changed().await;
        }
    }

    fn event(&self, transaction: &Transaction) -> Event {
        let terms = PaymentTerms::of(&self.app);
        let url = terms.receipt_url(self.scope, transaction);
        // The page is on this host whatever its public URL is, so only the path is sent.
        let next = url.strip_prefix(&terms.checkout_url).unwrap_or(&url);
        let data = json!({ "status": transaction.status.name(), "next": next });
        Event::default().event("status").data(data.to_string())
    }

    /// Waits for a notice about this payment, or for the next poll.
    async fn changed(&mut self) {
        let every = match self.app.database.dialect() {
            Dialect::Sqlite => LOOK_EVERY_ALONE,
            Dialect::Postgres => LOOK_EVERY_SHARED,
        };
        let (notices, id) = (&mut self.notices, self.id);
        let reported = async move {
            loop {
                match notices.recv().await {
                    Ok(notice) if notice.topic == CHANGED && notice.id == id.0 => return,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        // After the time-out the payment is read as well, so both results are handled alike.
        let _ = tokio::time::timeout(every, reported).await;
    }
}
