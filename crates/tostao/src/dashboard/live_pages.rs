//! What is new, for pages that show it: a stream of names and not of data. A page that hears one
//! reads itself again, so it shows what its person may see and nothing else. A stream looks once a
//! second at most, and a person has few of them, however much happens.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::{Event, Sse};
use db::tx::Tx;
use futures_util::stream::unfold;
use http::HeaderMap;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::auth::seat::ListeningSeat;
use crate::events::names::Name;
use crate::events::{self, EMITTED};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::own_forms::{FormSource, source};
use crate::platform::http::sse::{heartbeat, unbuffered};
use crate::platform::ids::EventId;
use crate::platform::notices::ObjectNotices;
use crate::platform::permissions::{Permission, Permissions};
use crate::webhooks::deliveries::ATTEMPTED;

/// Another node may have emitted the event, and its notices do not reach this one.
const LOOK_EVERY_SHARED: Duration = Duration::from_secs(3);
/// How far back a look reads: a unit of another node may be committed after a later one.
const OVERLAP: Duration = Duration::from_secs(10);
/// How many events a look reads; those before them are as good as read, since a page is read whole.
const READ_AT_ONCE: i64 = 500;
/// How the names of events begin, what a page calls their objects, and what is needed to hear it.
const OBJECTS: [(&str, &str, Permission); 3] = [
    ("transaction.", "transactions", Permission::TransactionsRead),
    ("balance.", "balance", Permission::WithdrawalsRead),
    ("withdrawal.", "balance", Permission::WithdrawalsRead),
];
/// What a page calls the attempts to deliver events.
const DELIVERIES: &str = "deliveries";

struct LiveStream {
    app: App,
    seat: ListeningSeat,
    notices: ObjectNotices,
    /// The events of the last seconds that were read.
    seen: BTreeSet<EventId>,
    /// Whether events were read that this node or another one is about to deliver.
    delivers: bool,
    has_ended: bool,
    _place: OwnedSemaphorePermit,
}

/// GET /dashboard/{mode}/stream
pub async fn stream(
    State(app): State<App>,
    seat: ListeningSeat,
    headers: HeaderMap,
) -> Result<Response> {
    if source(&headers, &[app.settings.base_url()]) != FormSource::Own {
        let message = "Only a page of this server listens here.";
        return Err(Error::refused(ErrorCode::CrossSiteForm, message));
    }
    let place = app.live_pages.try_acquire(seat.person);
    let place = place.ok_or(Error::TooMany { retry_after_seconds: 5, limit: None })?;
    let (topics, merchant) = ([EMITTED, ATTEMPTED], seat.scope.merchant.0);
    let notices = ObjectNotices::of_topics(&app.database, &topics, merchant, LOOK_EVERY_SHARED);
    let seen = BTreeSet::new();
    let mut stream =
        LiveStream { app, seat, notices, seen, delivers: false, has_ended: false, _place: place };
    // What was before is on the page.
    stream.look(&[]).await?;
    stream.delivers = false;
    Ok(unbuffered(Sse::new(unfold(stream, LiveStream::next)).keep_alive(heartbeat())))
}

impl LiveStream {
    async fn next(mut self) -> Option<(Result<Event>, Self)> {
        if self.has_ended {
            return None;
        }
        loop {
            let topics = self.notices.next_paced().await;
            match self.look(&topics).await {
                Ok(None) => return None,
                Ok(Some(names)) if names.is_empty() => {}
                Ok(Some(names)) => {
                    let event = Event::default().event("change").json_data(names);
                    let event = event.map_err(|error| Error::Internal(error.into()));
                    return Some((event, self));
                }
                Err(error) => {
                    self.has_ended = true;
                    return Some((Err(error), self));
                }
            }
        }
    }

    /// What is new since the last look; `None` once the session has ended.
    async fn look(&mut self, topics: &[&'static str]) -> Result<Option<Vec<String>>> {
        let (seat, scope) = (self.seat.clone(), self.seat.scope);
        let first = self.app.database.sources().first_id(self.app.now().minus(OVERLAP));
        let read = async move |tx: &Tx| {
            let permissions = seat.permissions(tx).await?;
            let events = events::named_since(tx, scope, first, READ_AT_ONCE).await?;
            Ok::<_, Error>((permissions, events))
        };
        let (permissions, events) = self.app.read(read).await?;
        let Some(permissions) = permissions else { return Ok(None) };
        let is_new = |(id, ..): &&(EventId, Name, _)| !self.seen.contains(id);
        let mut names = VecDeque::new();
        for (_, event, object) in events.iter().filter(is_new) {
            let changed = named(*event, &permissions).map(|what| format!("{what} {object}"));
            if let Some(changed) = changed.filter(|changed| !names.contains(changed)) {
                names.push_front(changed);
            }
        }
        let has_events = events.iter().any(|event| is_new(&event));
        let delivered = topics.contains(&ATTEMPTED) || self.delivers;
        if delivered && permissions.contains(Permission::WebhooksRead) {
            names.push_back(DELIVERIES.to_owned());
        }
        self.delivers = has_events;
        self.seen = events.into_iter().map(|(id, ..)| id).collect();
        Ok(Some(names.into()))
    }
}

/// What a page calls the object of an event, if the reader may hear of it.
fn named(name: Name, permissions: &Permissions) -> Option<&'static str> {
    let begins = |(beginning, ..): &&(&str, _, _)| name.text().starts_with(beginning);
    let (_, what, needed) = OBJECTS.iter().find(begins)?;
    permissions.contains(*needed).then_some(*what)
}

#[cfg(test)]
mod tests {
    use super::{OBJECTS, named};
    use crate::events::names::Name;
    use crate::platform::permissions::{Permission, Permissions};

    #[test]
    fn what_a_role_may_not_read_is_not_named_to_it() {
        for name in Name::ALL {
            let object = OBJECTS.iter().find(|(beginning, ..)| name.text().starts_with(beginning));
            let Some((_, what, needed)) = object else { continue };
            let others = Permission::ALL.iter().copied().filter(|one| one != needed);
            assert_eq!(named(*name, &Permissions::Of(others.collect())), None, "{}", name.text());
            assert_eq!(named(*name, &Permissions::Of(vec![*needed])), Some(*what));
        }
    }
}
