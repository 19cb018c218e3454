//! The stream of a listener: every delivery that it has not answered, each after the answer to the
//! one before. A second one would grow old while its program handles the first, and a receiver
//! refuses an old signature.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use futures_util::future::try_join;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::sse::heartbeat;
use crate::platform::ids::{EventId, Scope};
use crate::platform::notices::ObjectNotices;
use crate::webhooks::deliveries::DUE;
use crate::webhooks::deliveries::listening::{Unanswered, unanswered};
use crate::webhooks::envelope::{self, SignatureInput};
use crate::webhooks::listeners::{self, Listener};
use crate::webhooks::secret::Secret;

/// Another node may have published the event, and its notices do not reach this one.
const LOOK_EVERY_SHARED: Duration = Duration::from_millis(500);

/// The name of the last event of a stream that gives way to a newer one.
const REPLACED: &str = "replaced";

/// One delivery, as it would be posted to a URL.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    event_id: EventId,
    event: String,
    series: i64,
    headers: BTreeMap<String, String>,
    /// The exact bytes that are signed.
    body: String,
}

/// What a stream finds when it looks.
enum Look {
    Due(Box<Unanswered>),
    Nothing,
    /// The listener has a newer connection.
    Replaced,
}

struct DeliveryStream {
    app: App,
    scope: Scope,
    listener: Listener,
    secret: Secret,
    notices: ObjectNotices,
    /// What was sent last on this connection, with its series.
    sent: Option<(EventId, i64)>,
    has_ended: bool,
    _place: OwnedSemaphorePermit,
}

/// Streams what a listener has not answered, now and as it happens, until it is deleted or
/// connected again.
pub fn stream(
    app: &App,
    scope: Scope,
    (listener, secret): (Listener, Secret),
    place: OwnedSemaphorePermit,
) -> Sse<impl Stream<Item = Result<Event>> + use<>> {
    let notices = ObjectNotices::new(&app.database, DUE, listener.id.0, LOOK_EVERY_SHARED);
    let stream = DeliveryStream {
        app: app.clone(),
        scope,
        listener,
        secret,
        notices,
        sent: None,
        has_ended: false,
        _place: place,
    };
    Sse::new(unfold(stream, DeliveryStream::next)).keep_alive(heartbeat())
}

impl DeliveryStream {
    async fn next(mut self) -> Option<(Result<Event>, Self)> {
        if self.has_ended {
            return None;
        }
        loop {
            match self.look().await {
                Ok(Look::Replaced) => {
                    self.has_ended = true;
                    return Some((Ok(Event::default().event(REPLACED).data("{}")), self));
                }
                Ok(Look::Due(delivery)) => {
                    self.sent = Some((delivery.event_record.id, delivery.series));
                    return Some((self.message(&delivery), self));
                }
                Ok(Look::Nothing) => self.notices.next().await,
                // It was deleted.
                Err(Error::NotFound(_)) => return None,
                Err(error) => {
                    self.has_ended = true;
                    return Some((Err(error), self));
                }
            }
        }
    }

    /// Looks for a delivery without an answer that was not sent yet.
    async fn look(&self) -> Result<Look> {
        let (scope, id) = (self.scope, self.listener.id);
        let found = self.app.read(async move |tx| {
            try_join(listeners::find(tx, scope, id), unanswered(tx, scope, id)).await
        });
        let (listener, found) = found.await?;
        if listener.connection != self.listener.connection {
            return Ok(Look::Replaced);
        }
        let is_new = |one: &Unanswered| self.sent != Some((one.event_record.id, one.series));
        Ok(found.filter(is_new).map_or(Look::Nothing, |one| Look::Due(Box::new(one))))
    }

    fn message(&self, delivery: &Unanswered) -> Result<Event> {
        let Unanswered { event_name, series, event_record } = delivery;
        let body = envelope::body(self.scope.mode, event_record, event_name);
        let input = SignatureInput {
            event_name,
            attempt: 1,
            sent_at: self.app.now(),
            secret: &self.secret,
            previous: None,
        };
        let message = Message {
            event_id: event_record.id,
            event: event_name.clone(),
            series: *series,
            headers: envelope::headers(event_record, &input, &body).into_iter().collect(),
            body,
        };
        let event = Event::default().event("delivery").id(event_record.id.to_string());
        event.json_data(message).map_err(|error| Error::Internal(error.into()))
    }
}
