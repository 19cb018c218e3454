//! Waiting for a change that a committed unit announces, on this node or on another one.

use std::time::Duration;

use db::database::{Database, Dialect};
use db::tx::Notice;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;
use uuid::Uuid;

/// No other node shares an embedded database, so its notices are complete.
const LOOK_EVERY_ALONE: Duration = Duration::from_secs(30);

/// The notices about one object.
#[derive(Debug)]
pub struct ObjectNotices {
    notices: Receiver<Notice>,
    topics: Vec<&'static str>,
    id: Uuid,
    every: Duration,
}

impl ObjectNotices {
    /// Subscribes; on a database that other nodes share, whose notices do not reach this one, the
    /// object is to be looked at every so often.
    pub fn new(database: &Database, topic: &'static str, id: Uuid, every_shared: Duration) -> Self {
        Self::of_topics(database, &[topic], id, every_shared)
    }

    /// The same for several kinds of changes.
    pub fn of_topics(
        database: &Database,
        topics: &[&'static str],
        id: Uuid,
        every_shared: Duration,
    ) -> Self {
        let every = match database.dialect() {
            Dialect::Sqlite => LOOK_EVERY_ALONE,
            Dialect::Postgres => every_shared,
        };
        Self { notices: database.notices(), topics: topics.to_vec(), id, every }
    }

    /// Waits until the object is worth a look.
    pub async fn next(&mut self) {
        // After the time-out the object is read as well, so both results are handled alike.
        self.next_topic().await;
    }

    /// The same; returns the kind of the change, if it is known.
    pub async fn next_topic(&mut self) -> Option<&'static str> {
        let Self { notices, topics, id, every } = self;
        let reported = async move {
            loop {
                match notices.recv().await {
                    Ok(Notice { topic, id: of }) if of == *id && topics.contains(&topic) => {
                        return Some(topic);
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => return None,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        timeout(*every, reported).await.ok().flatten()
    }
}
