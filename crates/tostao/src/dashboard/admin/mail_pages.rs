//! Mails that wait or have failed, without their texts, and trying one again. Mails of development
//! never leave, so the pages are in production.

use axum::extract::State as AppState;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::decide::{DecideForm, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::real_pages::to_production;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::mail::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words::span;
use crate::mail::admin_api::{ask_to_retry, last_error};
use crate::mail::list::{UnsentFilter, UnsentStatus};
use crate::mail::{self, Mail, Status, jobs};
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::{MailId, Mode};
use crate::platform::masked;
use crate::platform::messages::Lang;

/// The path of the queue in its mode.
pub const LIST: &str = "/mail";
/// The same queue in the API.
pub const API: &str = "/api/admin/mails";
/// What is done with a mail.
const RETRY: &str = "retry";

/// GET /admin/{mode}/mail
pub async fn list(
    AppState(app): AppState<App>,
    seat: AdminSeat,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (mode, lang) = (seat.mode, visit.lang);
    if let Some(there) = to_production(&seat, LIST) {
        return Ok(there);
    }
    let page = form.page().read()?;
    let filter = UnsentFilter { page, status: form.status(UnsentStatus::parse)? };
    let read = async move |tx: &Tx| Ok((mail::unsent(tx, &filter).await?, tx.now()));
    let (listed, now) = app.scan(read).await?;
    let (here, has_server) = (admin_url(mode, LIST), jobs::waits_for(&app).is_none());
    let of_status = |status: UnsentStatus, name| (format!("{here}?status={status}"), name);
    let names = QueueWords {
        heading: lang.admin_mail(),
        caption: lang.admin_oldest_first(),
        empty: lang.admin_queue_empty(),
        note: lang.admin_mail_empty(),
    };
    let page = QueuePage {
        notes: (!has_server).then(|| lang.mails_no_server().to_owned()).into_iter().collect(),
        links: vec![
            (here.clone(), lang.admin_all_mails()),
            of_status(UnsentStatus::Waiting, lang.mails_waits()),
            of_status(UnsentStatus::Failed, lang.mails_failed()),
        ],
        columns: (lang.admin_what(), lang.admin_attempts()),
        rows: listed.rows.iter().map(|mail| row(&app, mail, (&here, now), lang)).collect(),
        pager: form.pager(&listed, page, &here),
        api: vec![ApiCall::of_person(&app.settings.base_url(), &form.api_path(API))],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminMail, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

fn row(app: &App, mail: &Mail, (here, now): (&str, Timestamp), lang: Lang) -> QueueRow {
    let has_server = jobs::waits_for(app).is_none();
    let waits = lang.admin_waits_for(span(now.since(mail.created_at)));
    let lines = [Some(masked::email(&mail.to)), Some(waits), last_error(app, mail)];
    QueueRow {
        name: wording::kind(mail.kind, lang).to_owned(),
        url: Some(format!("{here}/{}", mail.id)),
        state: Some(wording::standing(mail, has_server, lang).0),
        lines: lines.into_iter().flatten().collect(),
        figure: mail.attempts.to_string(),
    }
}

impl Decidable for Mail {
    type Id = MailId;

    const SECTION: Section = Section::AdminMail;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_mail;

    async fn read(
        app: &App,
        _mode: Mode,
        id: MailId,
        Typed { lang, .. }: Typed<'_>,
    ) -> Result<DecidedObject> {
        let found = app.read(async move |tx: &Tx| mail::find_unsent(tx, id).await).await?;
        let has_server = jobs::waits_for(app).is_none();
        let (state, why) = wording::standing(&found, has_server, lang);
        let obstacle = if found.status == Status::Waiting {
            (!has_server).then(|| lang.admin_no_smtp())
        } else {
            Some(lang.admin_mail_erased())
        };
        let words = [lang.admin_retry(), lang.admin_retry_note(), lang.admin_retry()];
        Ok(DecidedObject {
            heading: wording::kind(found.kind, lang).to_owned(),
            state,
            why,
            risks: Vec::new(),
            facts: facts(app, &found, lang),
            decisions: vec![DecisionForm::new(RETRY, words, "main").unless(obstacle)],
            api_path: format!("{API}/{id}"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: MailId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        if form.action != RETRY {
            return Err(unknown_action());
        }
        ask_to_retry(app, ticket, id).await?;
        Ok(lang.admin_mail_was_retried())
    }

    /// The mail may have left before the browser is led on, so it is led to the queue.
    fn next(_id: MailId) -> String {
        LIST.to_owned()
    }
}

/// The facts of a mail; its text, its link and the whole address are no one's but the recipient's.
fn facts(app: &App, mail: &Mail, lang: Lang) -> Vec<(&'static str, String)> {
    let date = |at: Timestamp| lang.date_time(at.micros());
    let facts = [
        (lang.mails_to(), Some(masked::email(&mail.to))),
        (lang.requests_when(), Some(date(mail.created_at))),
        (lang.admin_attempts(), Some(mail.attempts.to_string())),
        (lang.mails_tried(), mail.attempted_at.map(date)),
        (lang.mails_error(), last_error(app, mail)),
        (lang.admin_gives_up_at(), Some(date(mail.gives_up_at))),
        (lang.admin_account_id(), mail.merchant.map(|id| id.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
