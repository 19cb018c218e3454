//! What connections report and no stored record explains, and closing it with a note. It is about
//! real money alone, so its pages are in production.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::connections::differences::admin_api::{ResolveDifferenceRequest, ask_to_resolve};
use crate::connections::differences::{self, Difference, Filter, Status};
use crate::dashboard::admin::decide::{DecideForm, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::money_words as words;
use crate::dashboard::admin::real_pages::to_production;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::admin::{connections_pages, unknown_pages};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{DifferenceId, Mode};
use crate::platform::messages::Lang;
use crate::reconciliation::proofs;

/// The path of the list in its mode.
pub const LIST: &str = "/reconciliation";
/// The same list in the API.
pub const API: &str = "/api/admin/reconciliation";
/// What says how the ledger was verified.
const API_OF_LEDGER: &str = "/api/admin/health";
/// The decision.
const RESOLVE: &str = "resolve";

/// GET /admin/{mode}/reconciliation
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
    let (mut form, page) = form.unfiltered()?;
    let filter = Filter { page, status: Some(Status::Open) };
    let read = async move |tx: &Tx| {
        let listed = differences::list(tx, &filter).await?;
        let (last, unsound) = (proofs::last_completed(tx).await?, proofs::count_unsound(tx).await?);
        Ok::<_, Error>((listed, last, unsound))
    };
    let (listed, last, unsound) = app.scan(read).await?;
    let here = admin_url(mode, LIST);
    let row = |found: &Difference| QueueRow {
        name: words::kind(found.kind, lang).to_owned(),
        url: Some(format!("{here}/{}", found.id)),
        state: Some(words::difference(found.status, lang)),
        lines: vec![found.connection_name.clone(), lang.date_time(found.found_at.micros())],
        figure: found.amount.map(|amount| lang.money(amount.get())).unwrap_or_default(),
    };
    let verified = last.map_or(lang.admin_never_verified().to_owned(), |at| {
        lang.admin_verified_at(lang.date_time(at.micros()))
    });
    let found = (unsound > 0).then(|| lang.admin_unsound(unsound));
    let pager = form.pager(&listed, page, &here);
    Status::Open.name().clone_into(&mut form.status);
    let calls = [form.api_path(API), API_OF_LEDGER.to_owned()];
    let base_url = app.settings.base_url();
    let names = QueueWords {
        heading: lang.admin_reconciliation(),
        caption: lang.balance_newest_first(),
        empty: lang.admin_queue_empty(),
        note: lang.admin_differences_empty(),
    };
    let page = QueuePage {
        notes: [Some(verified), found].into_iter().flatten().collect(),
        links: vec![
            (admin_url(mode, unknown_pages::LIST), lang.admin_unknown()),
            (admin_url(mode, connections_pages::LIST), lang.admin_connections()),
        ],
        rows: listed.rows.iter().map(row).collect(),
        pager,
        api: calls.iter().map(|path| ApiCall::of_person(&base_url, path)).collect(),
        ..QueuePage::of(&app, &seat, &visit, Section::AdminReconciliation, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

impl Decidable for Difference {
    type Id = DifferenceId;

    const SECTION: Section = Section::AdminReconciliation;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_reconciliation;

    async fn read(
        app: &App,
        _mode: Mode,
        id: DifferenceId,
        typed: Typed<'_>,
    ) -> Result<DecidedObject> {
        let lang = typed.lang;
        let found = app.read(async move |tx: &Tx| differences::show(tx, id).await).await?;
        let is_open = found.status == Status::Open;
        Ok(DecidedObject {
            heading: words::kind(found.kind, lang).to_owned(),
            state: words::difference(found.status, lang),
            why: words::why_of_difference(&found, lang).to_owned(),
            risks: Vec::new(),
            facts: words::facts_of_difference(&found, lang),
            decisions: if is_open { decisions(typed) } else { Vec::new() },
            api_path: format!("{API}/{id}"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: DifferenceId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        if form.action != RESOLVE {
            return Err(unknown_action());
        }
        let body = ResolveDifferenceRequest { note: form.note.clone() };
        ask_to_resolve(app, ticket, id, &body).await?;
        Ok(lang.admin_difference_was_resolved())
    }
}

fn decisions(typed: Typed<'_>) -> Vec<DecisionForm> {
    let lang: Lang = typed.lang;
    let words = [lang.admin_close(), lang.admin_close_note(), lang.admin_close()];
    let note = ["note", lang.admin_note(), lang.admin_note_hint()];
    vec![DecisionForm::new(RESOLVE, words, "main").with(note, typed)]
}
