//! The stream of requests as they are logged.

use std::collections::VecDeque;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use futures_util::stream::{Stream, unfold};
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::sse::heartbeat;
use crate::platform::ids::{RequestLogId, Scope};
use crate::platform::notices::ObjectNotices;
use crate::requests::api::RequestView;
use crate::requests::list::Filter;
use crate::requests::{LOGGED, LoggedRequest, after};

/// Another node may have logged the request, and its notices do not reach this one.
const LOOK_EVERY_SHARED: Duration = Duration::from_millis(500);
/// How many requests one look reads.
const READ_AT_ONCE: i64 = 100;

struct RequestStream {
    app: App,
    scope: Scope,
    filter: Filter,
    last: RequestLogId,
    read: VecDeque<LoggedRequest>,
    notices: ObjectNotices,
    has_ended: bool,
    _place: OwnedSemaphorePermit,
}

/// Streams the requests after one, those of now and as they come.
pub fn stream(
    app: &App,
    scope: Scope,
    last: RequestLogId,
    filter: Filter,
    place: OwnedSemaphorePermit,
) -> Sse<impl Stream<Item = Result<Event>> + use<>> {
    let notices = ObjectNotices::new(&app.database, LOGGED, scope.merchant.0, LOOK_EVERY_SHARED);
    let stream = RequestStream {
        app: app.clone(),
        scope,
        filter,
        last,
        read: VecDeque::new(),
        notices,
        has_ended: false,
        _place: place,
    };
    Sse::new(unfold(stream, RequestStream::next)).keep_alive(heartbeat())
}

impl RequestStream {
    async fn next(mut self) -> Option<(Result<Event>, Self)> {
        if self.has_ended {
            return None;
        }
        loop {
            if let Some(logged) = self.read.pop_front() {
                return Some((self.message(logged), self));
            }
            match self.look().await {
                Ok(read) if read.is_empty() => self.notices.next().await,
                Ok(read) => self.read = read.into(),
                Err(error) => {
                    self.has_ended = true;
                    return Some((Err(error), self));
                }
            }
        }
    }

    /// Reads what follows; what does not match is not looked at again.
    async fn look(&mut self) -> Result<Vec<LoggedRequest>> {
        let (scope, last, filter) = (self.scope, self.last, self.filter.clone());
        let unit = async move |tx: &_| after(tx, scope, last, &filter, READ_AT_ONCE).await;
        let (read, seen) = self.app.scan_for(scope.merchant, unit).await?;
        self.last = seen;
        Ok(read)
    }

    fn message(&self, logged: LoggedRequest) -> Result<Event> {
        let event = Event::default().event("request").id(logged.id.to_string());
        let view = RequestView::new(logged, &self.app.settings.base_url());
        event.json_data(view).map_err(|error| Error::Internal(error.into()))
    }
}
