//! What the server knows of itself.

use axum::extract::State as AppState;
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::view::{QueuePage, QueueRow, QueueWords};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::shell::Section;
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::messages::Lang;
use crate::server_health::{self, Line, Part, Reason, Status};

/// What the page shows, in the API.
pub const API: &str = "/api/admin/health";

/// GET /admin/{mode}/health
pub async fn show(AppState(app): AppState<App>, seat: AdminSeat, visit: Visit) -> Result<Response> {
    let lang = visit.lang;
    let health = server_health::read(&app).await?;
    let checked = lang.admin_health_at(lang.date_time(health.checked_at.micros()));
    let summary = lang.admin_health_is(word(health.status(), lang).word);
    let names = QueueWords {
        heading: lang.admin_health(),
        caption: lang.admin_health_parts(),
        empty: lang.admin_queue_empty(),
        note: "",
    };
    let page = QueuePage {
        notes: vec![summary, checked],
        columns: (lang.admin_part(), lang.admin_how_many()),
        rows: health.lines.iter().map(|line| row(line, lang)).collect(),
        api: vec![ApiCall::of_person(&app.settings.base_url(), API)],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminHealth, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

fn row(line: &Line, lang: Lang) -> QueueRow {
    let at = line.at.map(|at| lang.date_time(at.micros()));
    let at = at.map(|at| match line.part {
        Part::Ledger => lang.admin_verified_at(at),
        Part::Backups => lang.admin_backed_up_at(at),
        _ => lang.admin_since(at),
    });
    QueueRow {
        name: part(line.part, lang).to_owned(),
        url: None,
        state: Some(word(line.reason.status(), lang)),
        lines: [Some(reason(line.reason, lang).to_owned()), at].into_iter().flatten().collect(),
        figure: line.count.map(|count| count.to_string()).unwrap_or_default(),
    }
}

/// How a part is.
pub fn word(status: Status, lang: Lang) -> State {
    let (tone, word) = match status {
        Status::Ok => (Tone::Good, lang.admin_health_ok()),
        Status::Warning => (Tone::Wait, lang.admin_health_warning()),
        Status::Error => (Tone::Bad, lang.admin_health_error()),
    };
    State { tone, word }
}

fn part(part: Part, lang: Lang) -> &'static str {
    match part {
        Part::Database => lang.admin_part_database(),
        Part::Backups => lang.admin_part_backups(),
        Part::Jobs => lang.admin_part_jobs(),
        Part::FailingJobs => lang.admin_part_failing_jobs(),
        Part::Mails => lang.admin_part_mails(),
        Part::Smtp => lang.admin_part_smtp(),
        Part::Ledger => lang.admin_part_ledger(),
        Part::Connections => lang.admin_connections(),
    }
}

fn reason(reason: Reason, lang: Lang) -> &'static str {
    match reason {
        Reason::DatabaseAnswers => lang.admin_database_answers(),
        Reason::MigrationsMissing => lang.admin_migrations_missing(),
        Reason::BackupRecent => lang.admin_backup_recent(),
        Reason::BackupLate => lang.admin_backup_late(),
        Reason::BackupOverdue => lang.admin_backup_overdue(),
        Reason::BackupNotRecorded => lang.admin_backup_not_recorded(),
        Reason::BackupsElsewhere => lang.admin_backups_elsewhere(),
        Reason::NoJobFailing => lang.admin_no_job_failing(),
        Reason::JobsFailing => lang.admin_jobs_failing(),
        Reason::JobsDead => lang.admin_jobs_dead(),
        Reason::JobsOnTime => lang.admin_jobs_on_time(),
        Reason::JobsLate => lang.admin_jobs_late(),
        Reason::JobsStuck => lang.admin_jobs_stuck(),
        Reason::MailsOnTime => lang.admin_mails_on_time(),
        Reason::MailsLate => lang.admin_mails_late(),
        Reason::MailsStuck => lang.admin_mails_stuck(),
        Reason::SmtpSet => lang.admin_smtp_set(),
        Reason::SmtpMissing => lang.admin_smtp_missing(),
        Reason::LedgerSound => lang.admin_ledger_sound(),
        Reason::LedgerNotVerified => lang.admin_ledger_not_verified(),
        Reason::LedgerLate => lang.admin_ledger_late(),
        Reason::LedgerUnsound => lang.admin_ledger_unsound(),
        Reason::ConnectionsWork => lang.admin_connections_work(),
        Reason::ConnectionProblem => lang.admin_connections_problem(),
    }
}
