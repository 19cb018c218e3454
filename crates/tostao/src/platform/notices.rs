//! Waiting for a change that a committed unit announces, on this node or on another one.

use std::time::Duration;

use db::database::{Database, Dialect};
use db::tx::Notice;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Instant, sleep_until, timeout_at};
use uuid::Uuid;

/// No other node shares an embedded database, so its notices are complete.
const LOOK_EVERY_ALONE: Duration = Duration::from_secs(30);
/// How long paced looks are apart.
const PACE: Duration = Duration::from_secs(1);

/// The notices about one object.
#[derive(Debug)]
pub struct ObjectNotices {
    notices: Receiver<Notice>,
    topics: Vec<&'static str>,
    id: Uuid,
    every: Duration,
    /// Before that no paced look is taken.
    earliest: Option<Instant>,
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
        let (notices, topics) = (database.notices(), topics.to_vec());
        Self { notices, topics, id, every, earliest: None }
    }

    /// Waits until the object is worth a look.
    pub async fn next(&mut self) {
        // After the time-out the object is read as well, so both results are handled alike.
        self.wait().await;
    }

    /// The same at most once a second, so that a busy object is not read for each change; returns
    /// the kinds of the changes since, as far as they are known. What was missed is mostly about
    /// other objects, so it names no kind, and the look alone decides.
    pub async fn next_paced(&mut self) -> Vec<&'static str> {
        if let Some(earliest) = self.earliest {
            sleep_until(earliest).await;
        }
        let mut changed = self.wait().await;
        loop {
            match self.notices.try_recv() {
                Ok(notice) => changed.extend(self.meant(notice)),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.earliest = Some(Instant::now() + PACE);
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Waits for a change, or until it is time to look without one; returns what has changed, if
    /// that is known.
    async fn wait(&mut self) -> Vec<&'static str> {
        let until = Instant::now() + self.every;
        loop {
            match timeout_at(until, self.notices.recv()).await {
                Ok(Ok(notice)) => {
                    if let Some(topic) = self.meant(notice) {
                        return vec![topic];
                    }
                }
                Ok(Err(RecvError::Closed)) => {
                    sleep_until(until).await;
                    return Vec::new();
                }
                // What was missed may have been about the object, so it is looked at.
                Ok(Err(RecvError::Lagged(_))) | Err(_) => return Vec::new(),
            }
        }
    }

    /// The kind of a change, if it is one of the object's.
    fn meant(&self, Notice { topic, id }: Notice) -> Option<&'static str> {
        (id == self.id && self.topics.contains(&topic)).then_some(topic)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::tx::Notice;
    use tokio::sync::broadcast::{self, Receiver};
    use tokio::time::Instant;
    use uuid::Uuid;

    use super::{ObjectNotices, PACE};

    const OWN: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    /// Notices about an object that two kinds of changes are about.
    fn own(notices: Receiver<Notice>) -> ObjectNotices {
        let (topics, every) = (vec!["emitted", "attempted"], Duration::from_hours(1));
        ObjectNotices { notices, topics, id: OWN, every, earliest: None }
    }

    /// The kinds of changes that are known after these notices, of which two are kept.
    async fn known(sent: &[(&'static str, Uuid)]) -> Vec<&'static str> {
        let (sender, notices) = broadcast::channel(2);
        for (topic, id) in sent {
            sender.send(Notice { topic, id: *id }).unwrap();
        }
        own(notices).next_paced().await
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_look_waits_for_its_time_and_is_one_for_all_changes_until_then() {
        let (sender, notices) = broadcast::channel(8);
        let (mut own, start) = (own(notices), Instant::now());
        let change = |topic| sender.send(Notice { topic, id: OWN }).unwrap();
        change("emitted");
        assert_eq!(own.next_paced().await, ["emitted"]);
        assert_eq!(start.elapsed(), Duration::ZERO);
        for topic in ["emitted", "attempted", "emitted"] {
            change(topic);
        }
        assert_eq!(own.next_paced().await, ["attempted", "emitted"]);
        assert!((PACE..2 * PACE).contains(&start.elapsed()), "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn missed_notices_of_others_are_no_change_of_any_kind() {
        let others = [("emitted", OTHER); 5];
        assert_eq!(known(&others).await, [] as [&str; 0]);
        assert_eq!(known(&[("attempted", OWN), ("other", OWN)]).await, ["attempted"]);
        let last_known = [("attempted", OTHER), ("attempted", OTHER), ("emitted", OWN)];
        assert_eq!(known(&last_known).await, ["emitted"]);
    }
}
