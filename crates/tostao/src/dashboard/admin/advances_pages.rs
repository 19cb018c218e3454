//! The advances that wait for an administrator, and the decision about one.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::advances::Advance;
use crate::advances::admin_api::{RejectAdvanceRequest, ask_to_approve, ask_to_reject};
use crate::advances::decisions::of_any_account;
use crate::advances::list::waiting;
use crate::advances::status::Status;
use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::decide::{DecideForm, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::{advance_pages, wording};
use crate::dashboard::form::given;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words::span;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{AdvanceId, Mode};
use crate::platform::messages::Lang;

/// The path of the queue in its mode.
pub const LIST: &str = "/advances";
/// The same queue in the API, and where one advance is.
pub const API: &str = "/api/admin/advances/waiting";
const API_OF_ONE: &str = "/api/admin/advances";
/// The decisions.
const APPROVE: &str = "approve";
const REJECT: &str = "reject";

/// GET /admin/{mode}/advances
pub async fn list(
    AppState(app): AppState<App>,
    seat: AdminSeat,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (mode, lang, (form, page)) = (seat.mode, visit.lang, form.unfiltered()?);
    let read = async move |tx: &Tx| Ok((waiting(tx, mode, page).await?, tx.now()));
    let (listed, now) = app.scan(read).await?;
    let here = admin_url(mode, LIST);
    let row = |advance: &Advance| QueueRow {
        name: lang.advance_of(lang.money(advance.amount.get())),
        url: Some(format!("{here}/{}", advance.id)),
        state: Some(wording::advance(advance.status, lang)),
        lines: vec![lang.admin_waits_for(span(now.since(advance.created_at)))],
        figure: lang.money(advance.amount.get()),
    };
    let call = ApiCall::of_person(&app.settings.base_url(), &form.api_path(API));
    let names = QueueWords {
        heading: lang.admin_advances(),
        caption: lang.admin_oldest_first(),
        empty: lang.admin_queue_empty(),
        note: lang.admin_advances_empty(),
    };
    let page = QueuePage {
        rows: listed.rows.iter().map(row).collect(),
        pager: form.pager(&listed, page, &here),
        api: vec![call.in_mode(mode)],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminAdvances, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

impl Decidable for Advance {
    type Id = AdvanceId;

    const SECTION: Section = Section::AdminAdvances;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_advances;

    async fn read(app: &App, mode: Mode, id: AdvanceId, typed: Typed<'_>) -> Result<DecidedObject> {
        let lang = typed.lang;
        let read = async move |tx: &Tx| {
            let advance = of_any_account(tx, mode, id).await?;
            let account = merchants::find(tx, advance.merchant).await?.name;
            Ok::<_, Error>((advance, account))
        };
        let (advance, account) = app.read(read).await?;
        let named = [
            (lang.admin_account(), account),
            (lang.admin_account_id(), advance.merchant.to_string()),
        ];
        let is_open = advance.status == Status::Pending;
        let why = if is_open {
            lang.admin_advance_undecided().to_owned()
        } else {
            wording::advance_why(&advance, lang)
        };
        Ok(DecidedObject {
            heading: lang.advance_of(lang.money(advance.amount.get())),
            state: wording::advance(advance.status, lang),
            why,
            risks: Vec::new(),
            facts: named.into_iter().chain(advance_pages::facts(&advance, lang)).collect(),
            decisions: if is_open { decisions(typed) } else { Vec::new() },
            api_path: format!("{API_OF_ONE}/{id}"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: AdvanceId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        match &*form.action {
            APPROVE => {
                ask_to_approve(app, ticket, id).await?;
                Ok(lang.admin_advance_was_approved())
            }
            REJECT => {
                let body = RejectAdvanceRequest { reason: given(&form.reason) };
                ask_to_reject(app, ticket, id, &body).await?;
                Ok(lang.admin_advance_was_rejected())
            }
            _ => Err(unknown_action()),
        }
    }
}

fn decisions(typed: Typed<'_>) -> Vec<DecisionForm> {
    let lang = typed.lang;
    let approve = [lang.admin_approve(), lang.admin_advance_note(), lang.admin_approve()];
    let reject = [lang.admin_reject(), lang.admin_advance_reject_note(), lang.admin_reject()];
    let reason = ["reason", lang.admin_reason(), lang.admin_reason_hint()];
    vec![
        DecisionForm::new(APPROVE, approve, "main"),
        DecisionForm::new(REJECT, reject, "danger").with(reason, typed),
    ]
}
