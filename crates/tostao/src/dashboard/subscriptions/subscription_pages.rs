//! A subscription: its state and why, what comes next, its payments, and what can be done; and the
//! simulation of a payment.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::billing::api::{SimulateSubscriptionPaymentRequest, ask_to_simulate};
use crate::billing::current;
use crate::billing::reading_api::read_payments;
use crate::billing::simulate::SubscriptionPaymentOutcome;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::clients::list_pages::LIST as CLIENTS;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::act::Act;
use crate::dashboard::subscriptions::act_pages::plan_of;
use crate::dashboard::subscriptions::list_pages::Eyes;
use crate::dashboard::subscriptions::paths::{API, LIST, PLANS};
use crate::dashboard::subscriptions::subscription_view::{
    Control, PaymentRow, Step, SubscriptionPage,
};
use crate::dashboard::transactions::list_pages::LIST as PAYMENTS;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::{why, words};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::page::Listed;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, PlanId, SubscriptionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{
    Permission, Permissions, SubscriptionsRead, SubscriptionsWrite,
};
use crate::subscription_pages::plan_view::price_text;
use crate::subscriptions::lifecycle::{MANUAL_RETRIES_MAX, REQUESTED, RETRIES_EXCEEDED};
use crate::subscriptions::status::Status;
use crate::subscriptions::{Method, Subscription};
use crate::transactions::Transaction;
use crate::transactions::status::Status as PaymentStatus;

/// The form that simulates a payment.
#[derive(Debug, Deserialize)]
struct SimulateForm {
    attempt: String,
    outcome: SubscriptionPaymentOutcome,
}

/// GET /dashboard/{mode}/subscriptions/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    PathParam(id): PathParam<SubscriptionId>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let (form, page) = form.unfiltered()?;
    let subscription = current(&app, scope, id).await?;
    let listed = read_payments(&app, scope, id, page).await?;
    let eyes = Eyes::of(&seat, lang);
    let plan_url = |id: PlanId| url(mode, &format!("{PLANS}/{id}"));
    let next_plan = match subscription.next_plan {
        Some(id) => Some((plan_of(&app, scope, id).await?.name, plan_url(id))),
        None => None,
    };
    let here = url(mode, &format!("{LIST}/{id}"));
    let calls = [format!("{API}/{id}"), form.api_path(&format!("{API}/{id}/payments"))];
    let client = eyes.sees_buyers.then(|| {
        let page = url(mode, &format!("{CLIENTS}/{}", subscription.client));
        (eyes.who(&subscription), page)
    });
    let page = SubscriptionPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Subscriptions).await?,
        list_url: url(mode, LIST),
        name: eyes.name(&subscription),
        state: words::subscription(subscription.status, lang),
        why: why::subscriptions::of(&subscription, lang),
        controls: controls(&subscription, scope.at(app.now()), mode, &seat.permissions, lang),
        payments: payments(&listed, mode, lang),
        pager: form.pager(&listed, page, &here),
        timeline: timeline(&subscription, &listed.rows, mode, lang),
        client,
        plan: (subscription.plan_name.clone(), plan_url(subscription.plan)),
        next_plan,
        facts: facts(&subscription, lang),
        simulation: simulation(&subscription, &here, mode, &seat.permissions, lang),
        attempt: attempt::fresh(&app, scope),
        api: calls.iter().map(|path| ApiCall::get(&app.settings.base_url(), path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/subscriptions/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<SubscriptionId>,
    request: Request,
) -> Result<Response> {
    let SimulateForm { attempt, outcome } = posted(request).await?;
    let (scope, route) = (seat.scope, format!("{LIST}/{id}/simulate"));
    let key = attempt::key(&app, scope, &route, &attempt, &format!("{outcome:?}"))?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    ask_to_simulate(&app, ticket, id, SimulateSubscriptionPaymentRequest { outcome }).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.subscription_was_simulated()))
}

/// Where the subscriber's own address is shown, or why it is not.
pub fn link_action(of: &Subscription, mode: Mode, permissions: &Permissions, lang: Lang) -> Action {
    if of.status.has_ended() {
        return Action::Refused(lang.subscription_link_over());
    }
    let page = url(mode, &format!("{LIST}/{}/link", of.id));
    Action::needing(Permission::SubscriptionsWrite, permissions, page, lang)
}

fn controls(
    of: &Subscription,
    now: Timestamp,
    mode: Mode,
    permissions: &Permissions,
    lang: Lang,
) -> Vec<Control> {
    let control = |act: Act| Control {
        id: act.path(),
        name: (act.names().control)(lang),
        action: act.action(of, now, mode, permissions, lang),
        class: if act == Act::Cancel { "danger" } else { "" },
    };
    let mut controls: Vec<_> = Act::shown(of).into_iter().map(control).collect();
    let action = link_action(of, mode, permissions, lang);
    let name = lang.subscription_link();
    // It stands beside the retry: both are for a payment that failed.
    controls.insert(1, Control { id: "link", name, action, class: "" });
    controls
}

/// Where a payment is simulated, or why none is; `None` where money is real.
fn simulation(
    of: &Subscription,
    here: &str,
    mode: Mode,
    permissions: &Permissions,
    lang: Lang,
) -> Option<Action> {
    let is_due = matches!(of.status, Status::Trialing | Status::Active | Status::PastDue);
    let action = if is_due || of.charge.is_some() {
        let post = format!("{here}/simulate");
        Action::needing(Permission::SubscriptionsWrite, permissions, post, lang)
    } else {
        Action::Refused(lang.subscription_simulate_over())
    };
    mode.is_development().then_some(action)
}

/// The payments, each with its number among those for its period.
fn payments(listed: &Listed<Transaction>, mode: Mode, lang: Lang) -> Vec<PaymentRow> {
    let rows = &listed.rows;
    let start = |payment: &Transaction| payment.period.map(|period| period.starts_at);
    // Earlier attempts of the last period may be on the next page.
    let open = listed.next.and_then(|_| rows.last().and_then(start));
    let row = |(place, payment): (usize, &Transaction)| {
        let of = start(payment);
        let earlier = rows[place + 1..].iter().filter(|other| start(other) == of).count();
        let number = (of != open || open.is_none()).then_some(earlier + 1);
        let failed = payment.status == PaymentStatus::Failed;
        let why = payment.failure_reason.as_deref().filter(|_| failed);
        PaymentRow {
            when: lang.date_time(payment.created_at.micros()),
            url: url(mode, &format!("{PAYMENTS}/{}", payment.id)),
            period: of.map(|at| lang.day(at.micros())).unwrap_or_default(),
            attempt: number.map(|number| lang.subscription_attempt(number)),
            state: words::payment(payment.status, lang),
            why: why.map(|code| why::subscriptions::failed(code, lang)),
            amount: lang.money(payment.amount.get()),
        }
    };
    rows.iter().enumerate().map(row).collect()
}

/// What happened, the oldest first.
fn timeline(of: &Subscription, payments: &[Transaction], mode: Mode, lang: Lang) -> Vec<Step> {
    let own = [
        (Some(of.created_at), lang.subscription_step_created()),
        (of.trial_ends_at, lang.subscription_step_trial()),
        (of.dunning.past_due_at, lang.subscription_step_past_due()),
        (of.paused_at, lang.subscription_step_paused()),
        (of.cancelled_at, lang.subscription_step_cancelled()),
        (of.ended_at.filter(|_| of.cancelled_at.is_none()), lang.subscription_step_ended()),
    ];
    let own = own.into_iter().filter_map(|(at, what)| Some((at?, what.to_owned(), None)));
    let paid = payments.iter().filter_map(|payment| {
        let amount = lang.money(payment.paid.unwrap_or(payment.amount).get());
        let page = Some(url(mode, &format!("{PAYMENTS}/{}", payment.id)));
        match (payment.paid_at, payment.status) {
            (Some(at), _) => Some((at, lang.subscription_step_paid(amount), page)),
            (None, PaymentStatus::Failed | PaymentStatus::Expired) => {
                let at = payment.expired_at.unwrap_or(payment.updated_at);
                Some((at, lang.subscription_step_failed(amount), page))
            }
            (None, _) => None,
        }
    });
    let mut steps: Vec<_> = own.chain(paid).collect();
    steps.sort_by_key(|(at, ..)| *at);
    let step = |(at, what, url): (Timestamp, String, Option<String>)| Step {
        when: lang.date_time(at.micros()),
        what,
        url,
    };
    steps.into_iter().map(step).collect()
}

fn facts(of: &Subscription, lang: Lang) -> Vec<(&'static str, String)> {
    let method = match (&of.method, &of.card) {
        (Method::CreditCard, Some(card)) => {
            let brand = card.details.brand.shown();
            lang.subscription_by_card(brand, &card.details.last4)
        }
        _ => lang.subscription_by_pix().to_owned(),
    };
    let period = of.period.map(|period| {
        let (start, end) = (lang.day(period.start.micros()), lang.day(period.end.micros()));
        lang.subscription_period_from_to(start, end)
    });
    let failed = of.dunning.failed_attempts;
    let manual = of.dunning.manual_retries;
    let manual = (manual > 0).then(|| lang.subscription_manual(manual, MANUAL_RETRIES_MAX));
    let facts = [
        (lang.subscription_price(), Some(price_text(lang, of.price, of.interval))),
        (lang.subscription_method(), Some(method)),
        (lang.subscription_period_now(), period),
        (lang.subscription_failures(), (failed > 0).then(|| failed.to_string())),
        (lang.subscription_manual_retries(), manual),
        (lang.payment_coupon(), of.coupon_code.clone()),
        (lang.payment_affiliate(), of.affiliate_code.clone()),
        (lang.subscription_cancel_reason(), given_reason(of)),
        (lang.subscription_comment(), of.cancel_comment.clone()),
        (lang.subscription_id(), Some(of.id.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Why it was cancelled, as it was written; the codes are in the sentences above.
fn given_reason(of: &Subscription) -> Option<String> {
    of.cancel_reason.clone().filter(|reason| ![REQUESTED, RETRIES_EXCEEDED].contains(&&**reason))
}
