//! What the server knows of itself, for its administrators: a line for each part, with its status
//! and the reason.
//!
//! Everything is read, by the server's clock; nothing is checked from outside. Of backups the
//! server knows those that its own command has finished.

use std::time::Duration;

use db::migrations::pending;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{failing, overdue};

use crate::app::{App, MIGRATIONS};
use crate::connections;
use crate::jobs::lanes;
use crate::mail::{self, Backlog};
use crate::platform::error::Result;
use crate::platform::lanes::Lane;
use crate::reconciliation::proofs;

pub mod admin_api;
pub mod backups;

/// Every day has a backup, and one may be missed.
const BACKUP_LATE: Duration = Duration::from_hours(48);
const BACKUP_OVERDUE: Duration = Duration::from_hours(7 * 24);
/// A failed job is tried again within a quarter of an hour, so by then it has failed several times.
const JOBS_FAILING: Duration = Duration::from_hours(1);
/// What has failed for a day does not succeed by itself.
const JOBS_DEAD: Duration = Duration::from_hours(24);
/// Due jobs are normally claimed at once.
const JOBS_LATE: Duration = Duration::from_mins(5);
const JOBS_STUCK: Duration = Duration::from_hours(1);
const MAILS_LATE: Duration = Duration::from_hours(1);
const MAILS_STUCK: Duration = Duration::from_hours(24);
/// Every ledger is verified once a day.
const VERIFICATION_LATE: Duration = Duration::from_hours(48);

text_enum! {
    /// How a part of the server is.
    pub enum Status as "HealthStatus" {
        Ok = "OK",
        /// It works, and an administrator should look at it.
        Warning = "WARNING",
        /// It does not do what it is for.
        Error = "ERROR",
    }
}

text_enum! {
    /// A part of the server.
    pub enum Part as "HealthPart" {
        Database = "DATABASE",
        Backups = "BACKUPS",
        Jobs = "JOBS",
        FailingJobs = "FAILING_JOBS",
        Mails = "MAILS",
        Smtp = "SMTP",
        Ledger = "LEDGER",
        Connections = "CONNECTIONS",
    }
}

text_enum! {
    /// Why a part has its status.
    pub enum Reason as "HealthReason" {
        /// The database answers, and its schema is that of this server.
        DatabaseAnswers = "DATABASE_ANSWERS",
        /// Migrations of this server are missing in the database.
        MigrationsMissing = "MIGRATIONS_MISSING",
        /// A backup was finished in the last two days.
        BackupRecent = "BACKUP_RECENT",
        /// The last backup was finished more than two days ago.
        BackupLate = "BACKUP_LATE",
        /// The last backup was finished more than a week ago.
        BackupOverdue = "BACKUP_OVERDUE",
        /// No backup of this database is recorded.
        BackupNotRecorded = "BACKUP_NOT_RECORDED",
        /// PostgreSQL is backed up by its own tools, of which the server knows nothing.
        BackupsElsewhere = "BACKUPS_ELSEWHERE",
        /// No job has failed in every try for an hour.
        NoJobFailing = "NO_JOB_FAILING",
        /// A job has failed in every try for more than an hour.
        JobsFailing = "JOBS_FAILING",
        /// A job has failed in every try for more than a day.
        JobsDead = "JOBS_DEAD",
        /// No job waits for longer than a moment.
        JobsOnTime = "JOBS_ON_TIME",
        /// A job has been due for more than five minutes.
        JobsLate = "JOBS_LATE",
        /// A job has been due for more than an hour.
        JobsStuck = "JOBS_STUCK",
        /// No mail has waited for an hour.
        MailsOnTime = "MAILS_ON_TIME",
        /// A mail has waited for more than an hour.
        MailsLate = "MAILS_LATE",
        /// A mail has waited for more than a day.
        MailsStuck = "MAILS_STUCK",
        SmtpSet = "SMTP_SET",
        /// The server has no SMTP server, so mails of production wait.
        SmtpMissing = "SMTP_MISSING",
        /// The last verification of every ledger found nothing.
        LedgerSound = "LEDGER_SOUND",
        /// No verification has been completed yet.
        LedgerNotVerified = "LEDGER_NOT_VERIFIED",
        /// No verification was completed in the last two days.
        LedgerLate = "LEDGER_LATE",
        /// A verification found a fault, or does not end.
        LedgerUnsound = "LEDGER_UNSOUND",
        /// No connection in use has a problem.
        ConnectionsWork = "CONNECTIONS_WORK",
        /// The last test of a connection in use found a problem.
        ConnectionProblem = "CONNECTION_PROBLEM",
    }
}

/// A part of the server, how it is and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub part: Part,
    pub reason: Reason,
    /// How many there are of what the reason is about; of jobs at most 1,001 in each lane.
    pub count: Option<i64>,
    /// Since when, or when last.
    pub at: Option<Timestamp>,
}

/// What the server knows of itself.
#[derive(Debug, Clone)]
pub struct ServerHealth {
    pub checked_at: Timestamp,
    pub lines: Vec<Line>,
}

/// Reads how the server is.
pub async fn read(app: &App) -> Result<ServerHealth> {
    let missing = pending(&app.database, MIGRATIONS).await?;
    let queues: Vec<String> = lanes(app).into_iter().map(|Lane { name, .. }| name).collect();
    let backups = backups_line(app);
    let has_smtp = app.mail.is_some();
    let look = async move |tx: &Tx| {
        let mut jobs = (0, None);
        for one in &queues {
            let (count, since): (i64, Option<Timestamp>) = overdue(tx, one).await?;
            jobs = (jobs.0 + count, earlier(jobs.1, since));
        }
        let read = vec![
            jobs_line(jobs, tx.now()),
            failing_line(failing(tx, tx.now().minus(JOBS_FAILING)).await?, tx.now()),
            mails_line(mail::backlog(tx).await?, tx.now()),
            ledger_line(proofs::last_completed(tx).await?, proofs::count_unsound(tx).await?, tx),
            connections_line(tx).await?,
        ];
        Ok((read, tx.now()))
    };
    let (mut lines, checked_at) = app.scan(look).await?;
    let smtp = if has_smtp { Reason::SmtpSet } else { Reason::SmtpMissing };
    lines.insert(3, Line::new(Part::Smtp, smtp));
    lines.insert(0, backups);
    lines.insert(0, database_line(missing.len()));
    Ok(ServerHealth { checked_at, lines })
}

fn database_line(missing: usize) -> Line {
    let line = |reason| Line::new(Part::Database, reason);
    match i64::try_from(missing).unwrap_or(i64::MAX) {
        0 => line(Reason::DatabaseAnswers),
        count => Line { count: Some(count), ..line(Reason::MigrationsMissing) },
    }
}

fn backups_line(app: &App) -> Line {
    match app.settings.storage.sqlite_path() {
        None => Line::new(Part::Backups, Reason::BackupsElsewhere),
        Some(database) => last_backup_line(backups::last(database), app.now()),
    }
}

fn last_backup_line(last: Option<Timestamp>, now: Timestamp) -> Line {
    // A clock that was wrong says nothing of how old the backup is.
    let last = last.filter(|at| *at <= now);
    let reason = match last.map(|at| now.since(at)) {
        None => Reason::BackupNotRecorded,
        Some(age) if age > BACKUP_OVERDUE => Reason::BackupOverdue,
        Some(age) if age > BACKUP_LATE => Reason::BackupLate,
        Some(_) => Reason::BackupRecent,
    };
    Line { at: last, ..Line::new(Part::Backups, reason) }
}

fn jobs_line((count, since): (i64, Option<Timestamp>), now: Timestamp) -> Line {
    let late = since.map_or(Duration::ZERO, |since| now.since(since));
    let reason = if late > JOBS_STUCK {
        Reason::JobsStuck
    } else if late > JOBS_LATE {
        Reason::JobsLate
    } else {
        Reason::JobsOnTime
    };
    Line { count: Some(count), at: since, ..Line::new(Part::Jobs, reason) }
}

fn failing_line((count, since): (i64, Option<Timestamp>), now: Timestamp) -> Line {
    let reason = match since.map(|since| now.since(since)) {
        None => Reason::NoJobFailing,
        Some(span) if span > JOBS_DEAD => Reason::JobsDead,
        Some(_) => Reason::JobsFailing,
    };
    Line { count: Some(count), at: since, ..Line::new(Part::FailingJobs, reason) }
}

fn mails_line(Backlog { count, longest }: Backlog, now: Timestamp) -> Line {
    let reason = if longest > MAILS_STUCK {
        Reason::MailsStuck
    } else if longest > MAILS_LATE {
        Reason::MailsLate
    } else {
        Reason::MailsOnTime
    };
    let at = (count > 0).then(|| now.minus(longest));
    Line { count: Some(count), at, ..Line::new(Part::Mails, reason) }
}

fn ledger_line(last: Option<Timestamp>, unsound: i64, tx: &Tx) -> Line {
    let reason = match last {
        _ if unsound > 0 => Reason::LedgerUnsound,
        None => Reason::LedgerNotVerified,
        Some(at) if tx.now().since(at) > VERIFICATION_LATE => Reason::LedgerLate,
        Some(_) => Reason::LedgerSound,
    };
    let count = (unsound > 0).then_some(unsound);
    Line { count, at: last, ..Line::new(Part::Ledger, reason) }
}

async fn connections_line(tx: &Tx) -> Result<Line> {
    let listed = connections::list(tx).await?;
    let used = listed.iter().map(|routed| &routed.connection);
    let used: Vec<_> = used.filter(|connection| connection.disabled_at.is_none()).collect();
    let wrong = used.iter().filter(|connection| connection.problem.is_some()).count();
    let line = |reason, count: usize| {
        let count = Some(i64::try_from(count).unwrap_or(i64::MAX));
        Line { count, ..Line::new(Part::Connections, reason) }
    };
    Ok(match wrong {
        0 => line(Reason::ConnectionsWork, used.len()),
        wrong => line(Reason::ConnectionProblem, wrong),
    })
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

impl Line {
    fn new(part: Part, reason: Reason) -> Self {
        Self { part, reason, count: None, at: None }
    }
}

impl Reason {
    /// The status of the part for this reason.
    pub const fn status(self) -> Status {
        match self {
            Self::DatabaseAnswers
            | Self::BackupRecent
            | Self::BackupsElsewhere
            | Self::JobsOnTime
            | Self::NoJobFailing
            | Self::MailsOnTime
            | Self::SmtpSet
            | Self::LedgerSound
            | Self::ConnectionsWork => Status::Ok,
            Self::BackupLate
            | Self::BackupNotRecorded
            | Self::JobsLate
            | Self::JobsFailing
            | Self::MailsLate
            | Self::SmtpMissing
            | Self::LedgerNotVerified
            | Self::LedgerLate
            | Self::ConnectionProblem => Status::Warning,
            Self::MigrationsMissing
            | Self::BackupOverdue
            | Self::JobsStuck
            | Self::JobsDead
            | Self::MailsStuck
            | Self::LedgerUnsound => Status::Error,
        }
    }
}

impl ServerHealth {
    /// The worst status of all parts.
    pub fn status(&self) -> Status {
        let is = |status| self.lines.iter().any(|line| line.reason.status() == status);
        [Status::Error, Status::Warning].into_iter().find(|one| is(*one)).unwrap_or(Status::Ok)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;

    use super::{
        Reason, ServerHealth, Status, database_line, failing_line, jobs_line, last_backup_line,
        mails_line,
    };
    use crate::mail::Backlog;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000_000_000);

    #[test]
    fn a_part_is_late_before_it_is_stuck() {
        let jobs = |minutes| jobs_line((1, Some(NOW.minus(Duration::from_mins(minutes)))), NOW);
        let table = [(4, Reason::JobsOnTime), (6, Reason::JobsLate), (61, Reason::JobsStuck)];
        for (minutes, reason) in table {
            assert_eq!(jobs(minutes).reason, reason, "{minutes}");
        }
        assert_eq!(jobs_line((0, None), NOW).reason, Reason::JobsOnTime);
        let mails = |hours| {
            let longest = Duration::from_hours(hours);
            mails_line(Backlog { count: 1, longest }, NOW).reason
        };
        let table = [(1, Reason::MailsOnTime), (2, Reason::MailsLate), (25, Reason::MailsStuck)];
        for (hours, reason) in table {
            assert_eq!(mails(hours), reason, "{hours}");
        }
    }

    #[test]
    fn a_backup_is_late_after_two_days_and_overdue_after_a_week() {
        let line = |hours| last_backup_line(Some(NOW.minus(Duration::from_hours(hours))), NOW);
        let table = [
            (0, Reason::BackupRecent),
            (48, Reason::BackupRecent),
            (49, Reason::BackupLate),
            (168, Reason::BackupLate),
            (169, Reason::BackupOverdue),
        ];
        for (hours, reason) in table {
            assert_eq!(line(hours).reason, reason, "{hours}");
        }
        assert_eq!(last_backup_line(None, NOW).reason, Reason::BackupNotRecorded);
        let ahead = last_backup_line(Some(NOW.plus(Duration::from_hours(1))), NOW);
        assert_eq!((ahead.reason, ahead.at), (Reason::BackupNotRecorded, None));
    }

    #[test]
    fn a_job_that_has_failed_for_a_day_is_dead() {
        let line = |hours| failing_line((1, Some(NOW.minus(Duration::from_hours(hours)))), NOW);
        assert_eq!(failing_line((0, None), NOW).reason, Reason::NoJobFailing);
        assert_eq!(line(24).reason, Reason::JobsFailing);
        assert_eq!(line(25).reason, Reason::JobsDead);
    }

    #[test]
    fn the_server_is_as_its_worst_part() {
        let late = jobs_line((1, Some(NOW.minus(Duration::from_mins(6)))), NOW);
        let health = |lines| ServerHealth { checked_at: NOW, lines };
        assert_eq!(health(vec![database_line(0)]).status(), Status::Ok);
        assert_eq!(health(vec![database_line(0), late]).status(), Status::Warning);
        assert_eq!(health(vec![late, database_line(1)]).status(), Status::Error);
    }
}
