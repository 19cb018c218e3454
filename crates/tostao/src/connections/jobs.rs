//! Background jobs of connections: notices, and the lists that reconciliation reads.
//!
//! | Job | Does | Again |
//! |---|---|---|
//! | `LookInto` | asks about what a notice or a list names | until answered, for some hours |
//! | `ReadWindow`, recent | reads a list from its watermark on | every 5 to 30 minutes |
//! | `ReadWindow`, week | reads a list's last seven days | every day |
//! | `ReadWindow`, month | reads a list's last thirty days, where entries change | every hour |
//!
//! Each run reads one page, so that a long list is many short jobs. Where a page does not say
//! enough about an object, that is asked by a job of its own, which is enqueued in the unit that
//! moves the list on.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{
    Claimed, Due, Job, backoff, fail_with, finish, forget_waiting, is_waiting, push_in,
    push_or_update_in, reschedule_with,
};
use rails::connection::{Event, Infraction, Notice, Page, Window};
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::connections::differences::{self, Kind, NewDifference};
use crate::connections::take_in::{Source, Taken, take_in};
use crate::connections::{live, store};
use crate::jobs::{RunJob, end, log_failed, next_try, retry};
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::platform::lanes::{CONNECTIONS, of_connection, of_questions};
use crate::platform::secrets::sha256;
use crate::platform::telemetry;
use crate::providers::connections::StoredConnection;
use crate::providers::connections::registry::LiveConnection;

/// How much of a list is read again: banks add entries late, and pages move while they are read.
const OVERLAP: Duration = Duration::from_mins(10);
/// What a bank may still be writing down.
const SETTLES_IN: Duration = Duration::from_mins(2);
/// The longest window that is asked for at once.
const WINDOW_MAX: Duration = Duration::from_hours(24);
const WEEK: Duration = Duration::from_hours(7 * 24);
/// Longer than a report of fraud is open.
pub const MONTH: Duration = Duration::from_hours(30 * 24);
pub const DAY: Duration = Duration::from_hours(24);
/// When it is night in São Paulo, in hours of UTC.
const NIGHT_AT: Duration = Duration::from_hours(5);
/// After so many tries a notice is left to reconciliation, and a question that a list raises to its
/// next reading; about four hours.
const TRIES_MAX: i64 = 24;
/// After so many tries of a page its list is read from the start again; about a quarter of an hour.
const PAGE_TRIES_MAX: i64 = 10;
/// A day of a list has fewer pages: this many hold more than the largest merchants sell.
const PAGES_MAX: u32 = 2_000;
/// After so many tries an event that cannot be booked is left to an administrator; about a minute.
const TAKEN_IN_TRIES_MAX: i64 = 7;
/// How much is kept of a text that came and was not booked.
const ENTRY_LENGTH_MAX: usize = 4_096;
/// The note of a difference about a question that was answered after all.
const ANSWERED: &str = "Closed by the server: the question was answered.";
/// Equal notices of one such period are looked into once.
const EQUAL_WITHIN: Duration = Duration::from_secs(1);

/// Asks a connection about what a notice or a list names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LookInto {
    pub connection: ConnectionId,
    pub notice: Notice,
    #[serde(default)]
    source: Source,
    /// The report of fraud for which a payment is asked about: it is applied after the answer.
    #[serde(default)]
    report: Option<Infraction>,
    /// How often an event of the answer could not be booked.
    #[serde(default)]
    pub unbooked: i64,
}

/// Reads a list of a connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReadWindow {
    connection: ConnectionId,
    /// The list's stored name.
    list: String,
    depth: Depth,
    /// From when on it may hold what is ours: the connection was first used then.
    since: Timestamp,
    /// What is being read; none between two readings.
    part: Option<Part>,
    /// How often an event of its page could not be booked.
    #[serde(default)]
    unbooked: i64,
}

/// How far back a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Depth {
    /// From the watermark on.
    Recent,
    /// The last seven days, for what appeared late.
    Week,
    /// The last thirty days, for entries that change long after they appeared.
    Month,
}

/// A window of time that is being read, and its next page.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Part {
    from: Timestamp,
    to: Timestamp,
    cursor: Option<String>,
    /// How many pages were read before.
    #[serde(default)]
    pages: u32,
}

impl Job for LookInto {
    const KIND: &'static str = "look_into_notice";
    const LANE: &'static str = CONNECTIONS;
    const UNIQUE: bool = true;
}

impl Job for ReadWindow {
    const KIND: &'static str = "read_connection_window";
    const LANE: &'static str = CONNECTIONS;
}

/// Schedules the reading of a connection's lists, once charges are made by it.
pub async fn begin(tx: &Tx, of: &StoredConnection, windows: &[Window]) -> Result<()> {
    for window in windows {
        begin_list(tx, (of.id, &of.name), *window, tx.now()).await?;
    }
    Ok(())
}

/// Schedules the reading of a list from an instant on, unless it is read already.
pub async fn begin_list(
    tx: &Tx,
    (connection, name): (ConnectionId, &str),
    window: Window,
    since: Timestamp,
) -> Result<()> {
    if !store::begin_list(tx, connection, window, since).await? {
        return Ok(());
    }
    let depths = match window {
        Window::Infractions => vec![(Depth::Month, tx.now())],
        _ => vec![(Depth::Recent, tx.now()), (Depth::Week, next_night(tx.now()))],
    };
    for (depth, at) in depths {
        let list = window.name().to_owned();
        let job = ReadWindow { connection, list, depth, since, part: None, unbooked: 0 };
        let due = Due { at, clock: None };
        push_in(tx, &of_connection(name), tx.new_id(), due, &job).await?;
    }
    Ok(())
}

/// Schedules the question that a notice is; a notice repeated within a second asks once.
pub async fn look_into(
    tx: &Tx,
    (connection, name): (ConnectionId, &str),
    notice: Notice,
) -> Result<()> {
    let job = LookInto::new(connection, notice, Source::Notice, None);
    let micros = tx.now().micros();
    let step = i64::try_from(EQUAL_WITHIN.as_micros()).unwrap_or(1);
    let at = Timestamp::from_micros(micros - micros.rem_euclid(step));
    let id = named_after(&(&job, at))?;
    Ok(push_in(tx, &of_connection(name), id, Due { at, clock: None }, &job).await?)
}

/// Schedules a question that a list raises; one that waits already stays due when it is. Of those
/// for a report, which are few and hold money, one waits, and applies it as it was last listed.
pub async fn ask(
    tx: &Tx,
    (connection, name): (ConnectionId, &str),
    notice: Notice,
    report: Option<Infraction>,
) -> Result<()> {
    let id_of_report = report.as_ref().map(|report| for_report(connection, &report.id));
    let job = LookInto::new(connection, notice, Source::Question, report);
    let (lane, id) = match id_of_report {
        Some(id) => (of_connection(name), id?),
        None => (of_questions(name), named_after(&job)?),
    };
    let due = Due { at: tx.now(), clock: None };
    Ok(push_or_update_in(tx, &lane, id, due, &job).await?)
}

/// Whether a question for a report waits.
pub async fn is_asked_for(tx: &Tx, of: (ConnectionId, &str), report: &str) -> Result<bool> {
    Ok(is_waiting(tx, &of_connection(of.1), for_report(of.0, report)?).await?)
}

/// Forgets the question for a report, which would apply it as it no longer is.
pub async fn forget(tx: &Tx, of: (ConnectionId, &str), report: &str) -> Result<()> {
    Ok(forget_waiting(tx, &of_connection(of.1), for_report(of.0, report)?).await?)
}

fn for_report(connection: ConnectionId, report: &str) -> Result<Uuid> {
    named_after(&("report", connection, report))
}

/// The id of a job that is the same as every other one with this content.
fn named_after(content: &impl Serialize) -> Result<Uuid> {
    let digest = sha256(&serde_json::to_vec(content)?);
    Ok(Uuid::from_slice(&digest[..16]).map_err(anyhow::Error::from)?)
}

impl LookInto {
    fn new(
        connection: ConnectionId,
        notice: Notice,
        source: Source,
        report: Option<Infraction>,
    ) -> Self {
        Self { connection, notice, source, report, unbooked: 0 }
    }

    /// Counts what became of a notice; a list's questions are none.
    fn count(&self, live: &LiveConnection, outcome: &'static str) {
        if self.source == Source::Notice {
            telemetry::notice(&live.name, outcome);
        }
    }

    /// What an administrator is shown of a question that was never answered.
    fn unanswered(&self) -> NewDifference {
        let Notice { subject, id } = &self.notice;
        let asked = format!("{subject:?} {id}");
        NewDifference::new(self.connection, Kind::NotTakenIn, id.clone()).with("event", asked)
    }

    /// Asks again, unless it was asked too often.
    async fn ask_again(self, app: &App, job: Claimed, error: &ProviderError) -> Result<()> {
        if job.attempt < TRIES_MAX {
            return retry(app, job, error.retry_after().unwrap_or_default()).await;
        }
        // Reports are listed again and again for as long as they are open.
        if self.source == Source::Question && self.report.is_none() {
            differences::note(app, self.unanswered()).await?;
        }
        end(app, job).await
    }
}

impl RunJob for LookInto {
    /// Asks, and applies the answer.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let live = live(app, self.connection).await?;
        let mut page = match live.connected.connection.look_into(&self.notice).await {
            Ok(page) => page,
            Err(error) => {
                let subject = self.notice.subject;
                tracing::warn!(
                    connection = live.name, ?subject, %error, "a notice could not be looked into"
                );
                self.count(&live, "unanswered");
                return self.ask_again(app, job, &error).await;
            }
        };
        page.events.extend(self.report.clone().map(Event::PixReported));
        if apply(app, &live, self.source, &page, self.unbooked).await? {
            let unbooked = self.unbooked + 1;
            return later(app, job, unbooked, Self { unbooked, ..self }).await;
        }
        self.count(&live, "looked_into");
        let unit = async move |tx: &Tx| {
            // A notice may answer what a list asked, and under another subject.
            let unanswered = (self.connection, Kind::NotTakenIn, &*self.notice.id);
            differences::close(tx, unanswered, None, ANSWERED).await?;
            Ok(finish(tx, &job).await.map(drop)?)
        };
        app.transact(unit).await
    }
}

impl ReadWindow {
    /// Reads a page again, and its list from the start after too many tries: the page may be gone,
    /// as pages move while they are read.
    async fn read_again(self, app: &App, job: Claimed, error: &ProviderError) -> Result<()> {
        let wait = error.retry_after().unwrap_or_default();
        if job.attempt < PAGE_TRIES_MAX {
            return retry(app, job, wait).await;
        }
        let (due, fresh) = (next_try(app, &job, wait), Self { part: None, unbooked: 0, ..self });
        log_failed(&job);
        app.transact(async move |tx| Ok(fail_with(tx, &job, due, &fresh).await.map(drop)?)).await
    }
}

impl RunJob for ReadWindow {
    /// Reads one page, applies it, and schedules the next one.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let window = Window::parse(&self.list)
            .ok_or_else(|| anyhow::anyhow!("no list has the name {}", self.list))?;
        let live = live(app, self.connection).await?;
        let (id, depth, now) = (self.connection, self.depth, app.now());
        let part = if let Some(part) = self.part.clone() {
            part
        } else {
            let read_until = app.read(async move |tx| store::watermark(tx, id, window).await);
            Part::first(depth, read_until.await?, self.since, now)
        };
        let asked = live.connected.connection.read_window(
            window,
            part.from,
            part.to,
            part.cursor.as_deref(),
        );
        let page = match asked.await {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(connection = live.name, %window, %error, "a list cannot be read");
                return self.read_again(app, job, &error).await;
            }
        };
        if apply(app, &live, Source::List, &page, self.unbooked).await? {
            let unbooked = self.unbooked + 1;
            return later(app, job, unbooked, Self { part: Some(part), unbooked, ..self }).await;
        }
        let next = match page.next {
            Some(next) if part.is_endless(&next) => {
                tracing::error!(connection = live.name, %window, "a list has no end");
                differences::note(app, part.endless(id, window)).await?;
                None
            }
            next => next,
        };
        let (to, has_more) = (part.to, next.is_some());
        let (next, due) = part.after(depth, window, next, now);
        let next = Self { part: next, unbooked: 0, ..self };
        let unit = async move |tx: &Tx| {
            for notice in &page.questions {
                ask(tx, (id, &live.name), notice.clone(), None).await?;
            }
            if depth != Depth::Week && !has_more {
                store::advance_watermark(tx, id, window, to).await?;
            }
            Ok(reschedule_with(tx, &job, due, &next).await.map(drop)?)
        };
        app.transact(unit).await
    }
}

impl Part {
    /// Where a reading begins.
    fn first(
        depth: Depth,
        read_until: Option<Timestamp>,
        since: Timestamp,
        now: Timestamp,
    ) -> Self {
        let until = now.minus(SETTLES_IN);
        let from = match depth {
            Depth::Week => until.minus(WEEK),
            Depth::Month => until.minus(MONTH),
            Depth::Recent => read_until.unwrap_or(since).minus(OVERLAP),
        };
        // What the account received before is none of ours.
        Self::up_to(from.max(since.minus(OVERLAP)), until)
    }

    fn up_to(from: Timestamp, until: Timestamp) -> Self {
        Self { from, to: until.min(from.plus(WINDOW_MAX)), cursor: None, pages: 0 }
    }

    /// Whether a list goes on for longer than any honest one, or leads back to the same page.
    fn is_endless(&self, next: &str) -> bool {
        self.pages >= PAGES_MAX || self.cursor.as_deref() == Some(next)
    }

    /// What an administrator is shown of such a list: the rest of the window is not read.
    fn endless(&self, connection: ConnectionId, window: Window) -> NewDifference {
        // One of each list, however many of its windows do not end.
        NewDifference::new(connection, Kind::EndlessList, window.name().to_owned())
            .with("list", window.name())
            .with("from", self.from.to_string())
            .with("to", self.to.to_string())
    }

    /// What is read after a page, and when.
    fn after(
        self,
        depth: Depth,
        window: Window,
        cursor: Option<String>,
        now: Timestamp,
    ) -> (Option<Self>, Timestamp) {
        if cursor.is_some() {
            return (Some(Self { cursor, pages: self.pages + 1, ..self }), now);
        }
        let until = now.minus(SETTLES_IN);
        // Whole windows only: what the seconds since the last one hold can wait.
        if self.to.plus(OVERLAP) < until {
            return (Some(Self::up_to(self.to.minus(OVERLAP), until)), now);
        }
        let due = match depth {
            Depth::Recent | Depth::Month => now.plus(every(window)),
            Depth::Week => next_night(now),
        };
        (None, due)
    }
}

/// How often a list is read.
fn every(window: Window) -> Duration {
    match window {
        Window::ReceivedPix | Window::SentPix => Duration::from_mins(5),
        Window::Cards | Window::Payables => Duration::from_mins(15),
        Window::Boletos => Duration::from_mins(30),
        Window::Infractions => Duration::from_hours(1),
    }
}

pub fn next_night(now: Timestamp) -> Timestamp {
    let day = i64::try_from(DAY.as_micros()).unwrap_or(i64::MAX);
    let midnight = Timestamp::from_micros(now.micros() - now.micros().rem_euclid(day));
    let night = midnight.plus(NIGHT_AT);
    if night > now { night } else { night.plus(DAY) }
}

/// Asks once more, after a pause that grows with what could not be booked.
async fn later(
    app: &App,
    job: Claimed,
    unbooked: i64,
    next: impl Job + Send + Sync + 'static,
) -> Result<()> {
    let due = app.now().plus(backoff(unbooked));
    app.transact(async move |tx| Ok(reschedule_with(tx, &job, due, &next).await.map(drop)?)).await
}

/// Applies what a connection has answered: each event in a unit of its own, so that one that fails
/// does not hide the others. Returns whether one is to be tried again; what fails every time is
/// kept for an administrator, so that it does not hide what follows.
async fn apply(
    app: &App,
    live: &LiveConnection,
    source: Source,
    page: &Page,
    unbooked: i64,
) -> Result<bool> {
    let (mut is_left, is_last) = (false, unbooked + 1 >= TAKEN_IN_TRIES_MAX);
    for event in &page.events {
        let difference = match take_in(app, live, source, page, event).await {
            Ok(Taken::Booked) => continue,
            Ok(Taken::NotYetKnown(difference)) => difference,
            Err(error) => {
                tracing::error!(connection = live.name, %error, "an event was not taken in");
                as_it_came(live.id, Kind::NotTakenIn, "event", &format!("{event:?}"))
            }
        };
        if is_last {
            differences::note(app, difference).await?;
        }
        is_left |= !is_last;
    }
    for entry in &page.unreadable {
        let difference = as_it_came(live.id, Kind::UnreadableEntry, "entry", entry);
        differences::note(app, difference).await?;
    }
    Ok(is_left)
}

/// A difference that keeps a text as it came, and is stored once for each text.
fn as_it_came(connection: ConnectionId, kind: Kind, name: &str, text: &str) -> NewDifference {
    let reference = db::hex::hex(&sha256(text.as_bytes()));
    let kept: String = text.chars().take(ENTRY_LENGTH_MAX).collect();
    NewDifference::new(connection, kind, reference).with(name, kept)
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::{PAGES_MAX, Part};

    #[test]
    fn a_list_that_leads_back_or_goes_on_for_too_long_has_no_end() {
        let part = |pages, cursor: Option<&str>| {
            let from = Timestamp::from_micros(0);
            Part { pages, cursor: cursor.map(str::to_owned), ..Part::up_to(from, from) }
        };
        assert!(!part(0, None).is_endless("2"));
        assert!(!part(PAGES_MAX - 1, Some("2")).is_endless("3"));
        assert!(part(1, Some("2")).is_endless("2"));
        assert!(part(PAGES_MAX, Some("2")).is_endless("3"));
    }
}
