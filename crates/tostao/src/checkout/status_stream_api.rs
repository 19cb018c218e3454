//! Live confirmation: an event stream that notifies a buyer's page of status changes.

use std::time::Duration;

use axum::response::sse::{Event, Sse};
use futures_util::stream::{Stream, unfold};
use serde_json::json;

use crate::app::App;
use crate::platform::error::Error;
use crate::platform::http::buyer_streams::StreamPlace;
use crate::platform::http::sse::heartbeat;
use crate::platform::ids::{Scope, TransactionId};
use crate::platform::notices::ObjectNotices;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{CHANGED, Transaction, current};

/// Another node may have received the payment, and its notices do not reach this one.
const LOOK_EVERY_SHARED: Duration = Duration::from_secs(3);

struct StatusStream {
    app: App,
    scope: Scope,
    id: TransactionId,
    notices: ObjectNotices,
    reported: Option<Status>,
    _place: StreamPlace,
}

/// Streams a payment's status, now and at each change, until it is paid.
pub fn stream(
    app: &App,
    scope: Scope,
    transaction: &Transaction,
    place: StreamPlace,
) -> Sse<impl Stream<Item = Result<Event, Error>> + use<>> {
    let (database, id) = (&app.database, transaction.id);
    let watch = StatusStream {
        app: app.clone(),
        scope,
        id,
        notices: ObjectNotices::new(database, CHANGED, id.0, LOOK_EVERY_SHARED),
        reported: None,
        _place: place,
    };
    Sse::new(unfold(watch, StatusStream::next)).keep_alive(heartbeat())
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
            self.notices.next().await;
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
}
