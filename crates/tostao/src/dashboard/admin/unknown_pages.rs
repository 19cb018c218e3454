//! Money that no charge can accept, and the decisions about it.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::dashboard::admin::decide::{DecideForm, typed_id, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::money_words as words;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::given;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, UnmatchedId};
use crate::platform::messages::Lang;
use crate::transactions::incoming_payment::Rail;
use crate::transactions::returns::api::ReturnPaymentRequest;
use crate::transactions::unknown::admin_api::{
    MatchUnknownPaymentRequest, ResolveUnknownPaymentRequest, ask_to_dismiss, ask_to_match,
    ask_to_resolve, ask_to_return,
};
use crate::transactions::unknown::{self, Filter, Resolution, Status, UnknownPayment};

/// The path of the queue in its mode.
pub const LIST: &str = "/unknown";
/// The same in the API.
pub const API: &str = "/api/admin/unmatched";
/// The decisions.
const MATCH: &str = "match";
const RETURN: &str = "return";
const DUPLICATE: &str = "duplicate";
const SEPARATE: &str = "separate";
const DISMISS: &str = "dismiss";

/// GET /admin/{mode}/unknown
pub async fn list(
    AppState(app): AppState<App>,
    seat: AdminSeat,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (mode, lang) = (seat.mode, visit.lang);
    let (mut form, page) = form.unfiltered()?;
    let filter = Filter { page, status: Some(Status::Open) };
    let listed = app.scan(async move |tx: &Tx| unknown::list(tx, mode, &filter).await).await?;
    let here = admin_url(mode, LIST);
    let row = |money: &UnknownPayment| QueueRow {
        name: words::name(money, lang),
        url: Some(format!("{here}/{}", money.id)),
        state: Some(words::state(money.status, lang)),
        lines: vec![lang.date_time(money.received_at.micros())],
        figure: lang.money(money.amount.get()),
    };
    let pager = form.pager(&listed, page, &here);
    Status::Open.name().clone_into(&mut form.status);
    let call = ApiCall::of_person(&app.settings.base_url(), &form.api_path(API));
    let names = QueueWords {
        heading: lang.admin_unknown(),
        caption: lang.balance_newest_first(),
        empty: lang.admin_queue_empty(),
        note: lang.admin_unknown_empty(),
    };
    let page = QueuePage {
        notes: vec![lang.admin_unknown_note().to_owned()],
        rows: listed.rows.iter().map(row).collect(),
        pager,
        api: vec![call.in_mode(mode)],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminUnknown, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

impl Decidable for UnknownPayment {
    type Id = UnmatchedId;

    const SECTION: Section = Section::AdminUnknown;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_unknown;

    async fn read(
        app: &App,
        mode: Mode,
        id: UnmatchedId,
        typed: Typed<'_>,
    ) -> Result<DecidedObject> {
        let lang = typed.lang;
        let money = app.read(async move |tx: &Tx| unknown::show(tx, mode, id).await).await?;
        let is_open = money.status == Status::Open;
        Ok(DecidedObject {
            heading: words::name(&money, lang),
            state: words::state(money.status, lang),
            why: words::why(&money, lang),
            risks: Vec::new(),
            facts: words::facts(&money, lang),
            decisions: if is_open { decisions(&money, typed) } else { Vec::new() },
            api_path: format!("{API}/{id}"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: UnmatchedId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        let of = || typed_id("transactionId", &form.transaction_id);
        match &*form.action {
            MATCH => {
                let body = MatchUnknownPaymentRequest { transaction_id: of()? };
                ask_to_match(app, ticket, id, &body).await?;
                Ok(lang.admin_money_was_matched())
            }
            RETURN => {
                let refund_pix_key = given(&form.refund_pix_key);
                let body = ReturnPaymentRequest { refund_pix_key, pix_key_type: None };
                ask_to_return(app, ticket, id, &body).await?;
                Ok(lang.admin_money_was_returned())
            }
            DUPLICATE => {
                let (outcome, transaction_id) = (Resolution::Duplicate, Some(of()?));
                let body = ResolveUnknownPaymentRequest {
                    outcome,
                    transaction_id,
                    note: form.note.clone(),
                };
                ask_to_resolve(app, ticket, id, &body).await?;
                Ok(lang.admin_money_was_resolved())
            }
            SEPARATE => {
                let (outcome, note) = (Resolution::Separate, form.note.clone());
                let body = ResolveUnknownPaymentRequest { outcome, transaction_id: None, note };
                ask_to_resolve(app, ticket, id, &body).await?;
                Ok(lang.admin_money_was_resolved())
            }
            DISMISS => {
                ask_to_dismiss(app, ticket, id).await?;
                Ok(lang.admin_report_was_dismissed())
            }
            _ => Err(unknown_action()),
        }
    }
}

/// The decisions that open money, or a report that cannot be read, would take.
fn decisions(money: &UnknownPayment, typed: Typed<'_>) -> Vec<DecisionForm> {
    let lang = typed.lang;
    let transaction = ["transactionId", lang.admin_transaction(), ""];
    let note = ["note", lang.admin_note(), lang.admin_note_hint()];
    let words = [lang.admin_match(), lang.admin_match_note(), lang.admin_match_do()];
    let matching = DecisionForm::new(MATCH, words, "main").with(transaction, typed);
    if money.is_report() {
        let words = [lang.admin_dismiss(), lang.admin_dismiss_note(), lang.admin_dismiss()];
        return vec![matching, DecisionForm::new(DISMISS, words, "danger")];
    }
    let words = [lang.admin_return(), lang.admin_return_note(), lang.admin_return_do()];
    let key = ["refundPixKey", lang.admin_return_key(), lang.admin_return_key_hint()];
    let mut decisions = vec![matching, DecisionForm::new(RETURN, words, "danger").with(key, typed)];
    if money.rail == Rail::Pix {
        let words = [lang.admin_duplicate(), lang.admin_duplicate_note(), lang.admin_duplicate()];
        let duplicate = DecisionForm::new(DUPLICATE, words, "");
        decisions.push(duplicate.with(transaction, typed).with(note, typed));
        let words = [lang.admin_separate(), lang.admin_separate_note(), lang.admin_separate()];
        decisions.push(DecisionForm::new(SEPARATE, words, "").with(note, typed));
    }
    decisions
}
