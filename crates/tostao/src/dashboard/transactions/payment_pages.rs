//! A payment: its state and why, what happened, the money, the buyer; and its cancellation.

use axum::extract::{Request, State};
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::developers::events::filter::FilterForm as EventFilter;
use crate::dashboard::developers::events::list_pages::{LIST as EVENTS, row as event_row};
use crate::dashboard::developers::requests::list_pages::LIST as REQUESTS;
use crate::dashboard::kept_form;
use crate::dashboard::parts::Action;
use crate::dashboard::refusal_words::refusal;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::paths::LIST as SUBSCRIPTIONS;
use crate::dashboard::transactions::disputed;
use crate::dashboard::transactions::entries::Entries;
use crate::dashboard::transactions::filter::API;
use crate::dashboard::transactions::list_pages::{LIST, NEW};
use crate::dashboard::transactions::new_form::is_issued;
use crate::dashboard::transactions::payment_view::{
    Buyer, Deliveries, PaymentPage, RefundRow, Step,
};
use crate::dashboard::transactions::simulate_form::{Simulate, SimulateForm};
use crate::dashboard::transactions::sold::Sold;
use crate::dashboard::transactions::to_pay::ToPay;
use crate::dashboard::transactions::unmatched::list_pages::reason as set_aside_for;
use crate::dashboard::transactions::unmatched::paths::decide_path;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::{why, words};
use crate::platform::error::{FieldError, Result};
use crate::platform::http::html::posted;
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Mode, Scope, TransactionId};
use crate::platform::masked;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions, TransactionsRead, TransactionsWrite};
use crate::platform::persons;
use crate::requests;
use crate::statements::api::ENTRIES;
use crate::transactions::api::ask_to_cancel;
use crate::transactions::captured::{Captured, captured};
use crate::transactions::disputes::{Dispute, Kind as DisputeKind};
use crate::transactions::refunds::{Refund, refundable_amount};
use crate::transactions::status::{Status, Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::unmatched::{Reason, Status as MoneyStatus, UnmatchedPayment};
use crate::transactions::view::{StepKind, TimelineStep, TransactionView, history};
use crate::transactions::{Transaction, current, disputes, refunds, unmatched};
use crate::webhooks;

/// How many events about a payment are shown.
const EVENTS_SHOWN: i64 = 10;

/// A payment with what its page says about it.
struct Found {
    payment: Transaction,
    unmatched: Vec<UnmatchedPayment>,
    refunds: Vec<Refund>,
    disputes: Vec<Dispute>,
    captured: Captured,
    /// What it is for.
    sold: Option<String>,
}

/// What is shown again on the page, after something that was asked for there was refused.
#[derive(Debug, Default)]
pub struct Again {
    pub simulation: SimulateForm,
    pub wrong: Vec<FieldError>,
    pub refused: Option<&'static str>,
}

/// GET /dashboard/{mode}/transactions/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Response> {
    let simulation = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let again = Again { simulation, ..Again::default() };
    let page = draw(&app, &seat, &visit, id, &again).await?;
    visit.page(&page, StatusCode::OK)
}

/// The page of a payment.
pub async fn draw<P>(
    app: &App,
    seat: &Seat<P>,
    visit: &Visit,
    id: TransactionId,
    again: &Again,
) -> Result<PaymentPage> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let Found { payment, unmatched, refunds, disputes, captured, sold } =
        find(app, scope, id).await?;
    let steps = history(&payment, &unmatched, &refunds, &disputes);
    let sees_buyers = seat.permissions.contains(Permission::CustomersRead);
    let simulate = simulate(seat, &payment, again, lang);
    let entries = Entries {
        payment: &payment,
        captured,
        is_disputed: !disputes.is_empty(),
        is_beside: !unmatched.is_empty(),
        permissions: &seat.permissions,
        mode,
        lang,
    };
    Ok(PaymentPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Transactions).await?,
        list_url: url(mode, LIST),
        id: payment.id.to_string(),
        amount: lang.money(payment.amount.get()),
        state: words::payment(payment.status, lang),
        why: why::of(&payment, scope.at(app.now()), lang),
        again_url: again_url(&payment, &seat.permissions, mode),
        wrong: simulate.as_ref().map(|form| form.wrong(lang)).unwrap_or_default(),
        refused: again.refused,
        refund: refund_action(&payment, &seat.permissions, mode, lang),
        receipt: receipt_action(&payment, &seat.permissions, mode, lang),
        cancel: cancel_action(&payment, &seat.permissions, mode, lang),
        set_aside: set_aside(&unmatched, id, mode, lang),
        simulate,
        attempt: attempt::fresh(app, scope),
        to_pay: ToPay::of(&PaymentTerms::of(app), scope, &payment, sold, lang)?,
        timeline: steps.iter().map(|step| shown_step(step, lang)).collect(),
        request_url: request_url(app, seat, id).await?,
        money: entries.money(),
        statements: entries.statements(),
        buyer: sees_buyers.then(|| buyer(&payment)),
        facts: facts(&payment, lang),
        subscription_url: subscription_url(&payment, &seat.permissions, mode),
        refunds: refunds.iter().map(|refund| refund_row(refund, lang)).collect(),
        disputes: disputes.iter().map(|dispute| disputed::row(dispute, lang)).collect(),
        deliveries: deliveries(app, seat, id, lang).await?,
        json: json(app, scope, &payment, sees_buyers)?,
        api: calls(app, &seat.permissions, id),
    })
}

async fn find(app: &App, scope: Scope, id: TransactionId) -> Result<Found> {
    let payment = current(app, scope, id).await?;
    let read = async move |tx: &Tx| {
        let sold = Sold::read(tx, scope, [&payment]).await?;
        Ok(Found {
            sold: sold.name(&payment),
            payment: payment.clone(),
            unmatched: unmatched::all(tx, scope, id).await?,
            refunds: refunds::of(tx, scope, id).await?,
            disputes: disputes::of(tx, scope, id).await?,
            captured: captured(tx, scope, id).await?,
        })
    };
    app.read(read).await
}

/// What can be simulated; nothing about real money.
fn simulate<P>(
    seat: &Seat<P>,
    payment: &Transaction,
    again: &Again,
    lang: Lang,
) -> Option<Simulate> {
    let mode = seat.scope.mode;
    let here = url(mode, &format!("{LIST}/{}/simulate", payment.id));
    let action = Action::needing(Permission::TransactionsWrite, &seat.permissions, here, lang);
    let form = || again.simulation.shown(payment, action, &again.wrong, lang);
    mode.is_development().then(form)
}

/// The request that made it, for a role that may read the log, as long as that has it.
async fn request_url<P>(app: &App, seat: &Seat<P>, id: TransactionId) -> Result<Option<String>> {
    if !seat.permissions.contains(Permission::RequestsRead) {
        return Ok(None);
    }
    let scope = seat.scope;
    let read = async move |tx: &Tx| requests::that_made(tx, scope, API, id.0).await;
    let made_by = app.read(read).await?;
    Ok(made_by.map(|request_id| url(scope.mode, &format!("{REQUESTS}/{request_id}"))))
}

/// The newest events about it with their deliveries, for a role that may read webhooks.
async fn deliveries<P>(
    app: &App,
    seat: &Seat<P>,
    id: TransactionId,
    lang: Lang,
) -> Result<Option<Deliveries>> {
    if !seat.permissions.contains(Permission::WebhooksRead) {
        return Ok(None);
    }
    let (scope, list) = (seat.scope, url(seat.scope.mode, EVENTS));
    let form = EventFilter { object_id: id.to_string(), ..EventFilter::default() };
    let all_url = form.url(&list);
    let filter = form.read()?;
    let page = PageQuery { limit: Some(EVENTS_SHOWN), ..PageQuery::default() }.read()?;
    let read = async move |tx: &Tx| webhooks::history::list(tx, scope, &filter, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let rows = listed.rows.iter().map(|event| event_row(event, &list, lang)).collect();
    Ok(Some(Deliveries { rows, all_url }))
}

/// The calls that give what the page shows.
fn calls(app: &App, permissions: &Permissions, id: TransactionId) -> Vec<ApiCall> {
    let (base_url, path) = (app.settings.base_url(), format!("{API}/{id}"));
    let needing = |needed, path: String| permissions.contains(needed).then_some(path);
    let paths = [
        Some(path.clone()),
        Some(format!("{path}/timeline")),
        Some(format!("{path}/refunds")),
        Some(format!("{path}/unmatched")),
        needing(Permission::WithdrawalsRead, format!("{ENTRIES}?transactionId={id}")),
        needing(Permission::WebhooksRead, format!("/api/webhooks/events?objectId={id}")),
        needing(Permission::RequestsRead, format!("/api/requests?objectId={id}&method=POST")),
    ];
    paths.into_iter().flatten().map(|path| ApiCall::get(&base_url, &path)).collect()
}

/// POST /dashboard/{mode}/transactions/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let scope = seat.scope;
    let AttemptForm { attempt } = posted(request).await?;
    let route = format!("{LIST}/{id}/cancel");
    let key = attempt::key(&app, scope, &route, &attempt, "")?;
    ask_to_cancel(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.payment_was_cancelled()))
}

/// Where a charge of an amount alone that came to nothing is issued again.
///
/// Another charge is of an amount alone: it would leave out a link's stock, a coupon's discount and
/// an affiliate's commission, and the buyer of a subscription might pay twice.
fn again_url(payment: &Transaction, permissions: &Permissions, mode: Mode) -> Option<String> {
    let is_over = matches!(payment.status, Status::Failed | Status::Expired | Status::Cancelled);
    let is_alone = payment.is_of_an_amount_alone() && is_issued(payment.method);
    let may = permissions.contains(Permission::TransactionsWrite);
    (may && is_over && is_alone && payment.unmatched.is_zero())
        .then(|| url(mode, &format!("{NEW}?copy={}", payment.id)))
}

/// Whether a person may refund a payment, and where, or why not.
pub fn refund_action(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> Action {
    if !permissions.contains(Permission::TransactionsWrite) {
        return Action::Refused(lang.payment_role_may_not());
    }
    let is_paid = matches!(payment.status.after(Trigger::RefundInFull), Transition::Becomes(_));
    if !is_paid || refundable_amount(payment).is_zero() {
        return Action::Refused(lang.why_nothing_to_refund());
    }
    Action::Possible(url(mode, &format!("{LIST}/{}/refund", payment.id)))
}

/// Whether a person may have the receipt sent to the buyer, and where, or why not.
fn receipt_action(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> Action {
    if payment.status != Status::Paid {
        return Action::Refused(lang.receipt_only_paid());
    }
    let here = url(mode, &format!("{LIST}/{}/receipt", payment.id));
    Action::needing(Permission::TransactionsWrite, permissions, here, lang)
}

/// What waits for a decision beside the payment: where it is decided, and its name.
fn set_aside(
    unmatched: &[UnmatchedPayment],
    id: TransactionId,
    mode: Mode,
    lang: Lang,
) -> Vec<(String, String)> {
    let open = unmatched.iter().filter(|money| money.status == MoneyStatus::Open);
    let link = |money: &UnmatchedPayment| {
        let path = decide_path(id, money.id);
        (url(mode, &path), lang.set_aside_decide(lang.money(money.amount.get())))
    };
    open.map(link).collect()
}

fn cancel_action(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> Action {
    if !permissions.contains(Permission::TransactionsWrite) {
        return Action::Refused(lang.payment_role_may_not());
    }
    match payment.status.after(Trigger::Cancel) {
        Transition::Becomes(_) => {
            Action::Possible(url(mode, &format!("{LIST}/{}/cancel", payment.id)))
        }
        Transition::Already | Transition::Refused => {
            Action::Refused(lang.payment_only_waiting_is_cancelled())
        }
    }
}

fn shown_step(step: &TimelineStep, lang: Lang) -> Step {
    let amount = step.amount.map(|amount| lang.money(amount.get()));
    let reason = match step.kind {
        // Codes, which the sentences above have in words.
        StepKind::Failed | StepKind::Cancelled | StepKind::Paid => None,
        StepKind::SetAside
        | StepKind::Released
        | StepKind::ReturnRequested
        | StepKind::Returned => {
            let reason = step.reason.as_deref().and_then(Reason::parse);
            reason.map(|reason| set_aside_for(reason, lang).to_owned())
        }
        StepKind::Created
        | StepKind::Oversold
        | StepKind::Expired
        | StepKind::RefundRequested
        | StepKind::Refunded => step.reason.clone(),
        StepKind::RefundFailed => {
            let code = step.reason.as_deref().filter(|code| !code.is_empty());
            code.map(|code| refusal(code, lang))
        }
        StepKind::Disputed | StepKind::DisputeWon | StepKind::ChargedBack => {
            let kind = step.reason.as_deref().and_then(DisputeKind::parse);
            kind.map(|kind| disputed::kind(kind, lang).to_owned())
        }
    };
    let more = [amount, reason, step.payment_id.clone()];
    Step {
        when: lang.date_time(step.at.micros()),
        what: words::step(step.kind, lang),
        more: more.into_iter().flatten().collect::<Vec<_>>().join(" · "),
    }
}

fn buyer(payment: &Transaction) -> Buyer {
    let customer = &payment.customer;
    Buyer {
        masked: masked::email(&customer.email),
        name: customer.name.clone(),
        email: customer.email.clone(),
        document: customer.document.as_ref().map(Document::masked),
        phone: customer.phone.clone(),
    }
}

/// The page of the subscription that a payment is for, for a role that may read it.
fn subscription_url(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
) -> Option<String> {
    let period = payment.period.filter(|_| permissions.contains(Permission::SubscriptionsRead))?;
    Some(url(mode, &format!("{SUBSCRIPTIONS}/{}", period.subscription)))
}

/// What identifies the payment elsewhere.
fn facts(payment: &Transaction, lang: Lang) -> Vec<(&'static str, String)> {
    let pix = payment.pix.as_ref();
    let due = payment.boleto.as_ref().map(|boleto| lang.date(boleto.due_on));
    let facts = [
        (lang.payments_id(), Some(payment.id.to_string())),
        (lang.payment_method(), Some(words::method(payment, lang))),
        (lang.charge_due(), due),
        (lang.payment_reference(), payment.external_id.clone()),
        (lang.payment_txid(), pix.map(|pix| pix.txid.clone())),
        (lang.payment_end_to_end(), pix.and_then(|pix| pix.end_to_end_id.clone())),
        (lang.payment_link(), payment.link.as_ref().map(|link| link.slug.clone())),
        (lang.payment_coupon(), payment.coupon_code.clone()),
        (lang.payment_affiliate(), payment.affiliate_code.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn refund_row(refund: &Refund, lang: Lang) -> RefundRow {
    RefundRow {
        when: lang.date_time(refund.created_at.micros()),
        amount: lang.money(refund.amount.get()),
        state: words::refund(refund.status, lang),
        reason: refund.reason.clone(),
    }
}

/// The payment as the API shows it to the same role.
fn json(app: &App, scope: Scope, payment: &Transaction, sees_buyers: bool) -> Result<String> {
    let view = TransactionView::new(&PaymentTerms::of(app), scope, payment);
    let mut shown = serde_json::to_value(view)?;
    if !sees_buyers {
        persons::hide(&mut shown);
    }
    Ok(serde_json::to_string_pretty(&shown)?)
}
