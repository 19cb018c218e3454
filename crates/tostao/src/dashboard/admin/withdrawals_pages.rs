//! The withdrawals that wait for an administrator, and the decision about one.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::books::is_debt;
use crate::dashboard::admin::decide::{DecideForm, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::admin::withdrawal_words as words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::wording;
use crate::dashboard::form::given;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words::span;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, WithdrawalId};
use crate::platform::messages::Lang;
use crate::withdrawals::Withdrawal;
use crate::withdrawals::admin_api::{
    PayoutOutcome, ProcessWithdrawalRequest, ResolveWithdrawalRequest, WithdrawalDecision,
    ask_to_process, ask_to_resolve,
};
use crate::withdrawals::list::waiting;
use crate::withdrawals::risk::{self, Risk};

/// The path of the queue in its mode.
pub const LIST: &str = "/withdrawals";
/// The same queue in the API, and where one withdrawal is.
pub const API: &str = "/api/admin/withdraws/waiting";
const API_OF_ONE: &str = "/api/admin/withdraws";
/// The decisions.
const APPROVE: &str = "approve";
const REJECT: &str = "reject";
const PAID: &str = "paid";
const NOT_PAID: &str = "not_paid";

/// GET /admin/{mode}/withdrawals
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
    let row = |withdrawal: &Withdrawal| QueueRow {
        name: lang.withdrawal_of(lang.money(withdrawal.amount.get())),
        url: Some(format!("{here}/{}", withdrawal.id)),
        state: Some(wording::state(withdrawal, lang)),
        lines: lines(withdrawal, span(now.since(withdrawal.created_at)), lang),
        figure: lang.money(withdrawal.net().get()),
    };
    let call = ApiCall::of_person(&app.settings.base_url(), &form.api_path(API));
    let names = QueueWords {
        heading: lang.admin_withdrawals(),
        caption: lang.admin_oldest_first(),
        empty: lang.admin_queue_empty(),
        note: lang.admin_withdrawals_empty(),
    };
    let page = QueuePage {
        columns: (lang.admin_what(), lang.withdrawal_arrives()),
        rows: listed.rows.iter().map(row).collect(),
        pager: form.pager(&listed, page, &here),
        api: vec![call.in_mode(mode)],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminWithdrawals, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

impl Decidable for Withdrawal {
    type Id = WithdrawalId;

    const SECTION: Section = Section::AdminWithdrawals;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_withdrawals;

    async fn read(
        app: &App,
        mode: Mode,
        id: WithdrawalId,
        typed: Typed<'_>,
    ) -> Result<DecidedObject> {
        let lang = typed.lang;
        let known = app.scan(async move |tx: &Tx| risk::read(tx, mode, id).await).await?;
        Ok(DecidedObject {
            heading: lang.withdrawal_of(lang.money(known.withdrawal.amount.get())),
            state: wording::state(&known.withdrawal, lang),
            why: words::why(&known, lang),
            risks: words::risks(&known, lang),
            facts: facts(&known, mode, lang),
            decisions: decisions(&known, typed),
            api_path: format!("{API_OF_ONE}/{id}/risk"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: WithdrawalId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        let failure_reason = given(&form.failure_reason);
        let process = |action| ProcessWithdrawalRequest {
            action,
            failure_reason: failure_reason.clone().filter(|_| action == WithdrawalDecision::Reject),
        };
        match &*form.action {
            APPROVE => {
                ask_to_process(app, ticket, id, &process(WithdrawalDecision::Approve)).await?;
                Ok(lang.admin_withdrawal_was_approved())
            }
            REJECT => {
                ask_to_process(app, ticket, id, &process(WithdrawalDecision::Reject)).await?;
                Ok(lang.admin_withdrawal_was_rejected())
            }
            PAID => {
                let end_to_end_id = given(&form.end_to_end_id);
                let outcome = PayoutOutcome::Paid;
                let body =
                    ResolveWithdrawalRequest { outcome, end_to_end_id, failure_reason: None };
                ask_to_resolve(app, ticket, id, &body).await?;
                Ok(lang.admin_withdrawal_was_paid())
            }
            NOT_PAID => {
                let outcome = PayoutOutcome::NotPaid;
                let body =
                    ResolveWithdrawalRequest { outcome, end_to_end_id: None, failure_reason };
                ask_to_resolve(app, ticket, id, &body).await?;
                Ok(lang.admin_withdrawal_was_not_paid())
            }
            _ => Err(unknown_action()),
        }
    }
}

/// Each decision that the withdrawal would take.
fn decisions(known: &Risk, typed: Typed<'_>) -> Vec<DecisionForm> {
    let (withdrawal, lang) = (&known.withdrawal, typed.lang);
    let reason = ["failureReason", lang.admin_reason(), lang.admin_reason_hint()];
    let mut decisions = Vec::new();
    if withdrawal.can_be_approved() {
        let words = [lang.admin_approve(), lang.admin_approve_note(), lang.admin_approve()];
        let owes = is_debt(known.available).then(|| lang.admin_in_debt());
        decisions.push(DecisionForm::new(APPROVE, words, "main").unless(owes));
    }
    if withdrawal.can_be_rejected() {
        let words = [lang.admin_reject(), lang.admin_reject_note(), lang.admin_reject()];
        decisions.push(DecisionForm::new(REJECT, words, "danger").with(reason, typed));
    }
    if withdrawal.can_be_resolved() {
        let words = [lang.admin_paid(), lang.admin_paid_note(), lang.admin_paid_do()];
        let field = ["endToEndId", lang.withdrawal_end_to_end(), lang.admin_end_to_end_hint()];
        decisions.push(DecisionForm::new(PAID, words, "").with(field, typed));
        let words = [lang.admin_not_paid(), lang.admin_not_paid_note(), lang.admin_not_paid_do()];
        let early = known.may_still_arrive.then(|| lang.admin_may_still_arrive());
        let not_paid = DecisionForm::new(NOT_PAID, words, "danger").with(reason, typed);
        decisions.push(not_paid.unless(early));
    }
    decisions
}

fn lines(withdrawal: &Withdrawal, waits_for: String, lang: Lang) -> Vec<String> {
    let contradicted =
        withdrawal.contradiction.as_ref().map(|_| lang.admin_contradicted_line().to_owned());
    let waits = lang.admin_waits_for(waits_for);
    [Some(waits), contradicted].into_iter().flatten().collect()
}

fn facts(known: &Risk, mode: Mode, lang: Lang) -> Vec<(&'static str, String)> {
    let (withdrawal, account) = (&known.withdrawal, lang.admin_account());
    let test = mode.is_development().then(|| lang.shell_test_mode().to_owned());
    let named = [
        (account, Some(known.account.clone())),
        (lang.admin_account_id(), Some(withdrawal.merchant.to_string())),
        (lang.admin_mode(), test),
        (lang.admin_account_opened(), Some(lang.date_time(known.opened_at.micros()))),
    ];
    let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
    named.chain(wording::facts(withdrawal, lang)).collect()
}
