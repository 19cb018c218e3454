//! What an action would do, as its dry run finds it, and what it has done.

use db::time::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::billing::api::{
    ask_to_cancel, ask_to_change_plan, ask_to_collect, ask_to_extend_trial, ask_to_pause,
    ask_to_reactivate,
};
use crate::billing::collect::CollectRequest;
use crate::dashboard::attempt;
use crate::dashboard::review::{ReviewPage, rehearsal};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::act::Act;
use crate::dashboard::subscriptions::act_form::ActForm;
use crate::dashboard::subscriptions::act_pages::{call, plan_of};
use crate::dashboard::subscriptions::paths::LIST;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::why;
use crate::platform::error::Result;
use crate::platform::ids::{PlanId, SubscriptionId, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscription_pages::plan_view::price_text;
use crate::subscriptions::lifecycle::MANUAL_RETRIES_MAX;
use crate::subscriptions::plans::Plan;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Method, Subscription};

/// What the API answers, as far as the pages show it.
#[derive(Debug, Deserialize)]
pub struct Done {
    data: After,
}

/// The subscription after an action.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct After {
    status: Status,
    next_billing_at: Option<Timestamp>,
    next_plan_id: Option<PlanId>,
    pending_transaction_id: Option<TransactionId>,
    last_failure_code: Option<String>,
}

/// Asks as programs do, by the same body.
pub async fn ask<T: DeserializeOwned>(
    app: &App,
    ticket: Ticket,
    act: Act,
    id: SubscriptionId,
    form: &ActForm,
) -> Result<T> {
    let answer = match act {
        Act::Retry => ask_to_collect(app, ticket, id, CollectRequest::Retry).await?,
        Act::Resume => ask_to_collect(app, ticket, id, CollectRequest::Resume).await?,
        Act::Pause => ask_to_pause(app, ticket, id, form.pause()?).await?,
        Act::ChangePlan => ask_to_change_plan(app, ticket, id, form.plan()?).await?,
        Act::ExtendTrial => ask_to_extend_trial(app, ticket, id, form.trial()?).await?,
        Act::Cancel => ask_to_cancel(app, ticket, id, form.cancellation()?).await?,
        Act::Reactivate => ask_to_reactivate(app, ticket, id).await?,
    };
    answer.read()
}

/// Draws what an action would do.
pub async fn show_review(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    act: Act,
    subscription: &Subscription,
    form: &ActForm,
) -> Result<ReviewPage> {
    let (scope, lang, id) = (seat.scope, visit.lang, subscription.id);
    let Done { data: after } = ask(app, rehearsal(seat, visit), act, id, form).await?;
    let plan = match after.next_plan_id {
        Some(plan) if act == Act::ChangePlan => Some(plan_of(app, scope, plan).await?),
        _ => None,
    };
    let names = act.names();
    let here = act.url(scope.mode, id);
    let heading = match (act, &plan) {
        (Act::Retry, _) => lang.subscription_retry_title(lang.money(subscription.price.get())),
        (_, Some(plan)) => lang.subscription_change_to(&plan.name),
        _ => (names.heading)(lang).to_owned(),
    };
    let has_form = matches!(act, Act::ChangePlan | Act::Cancel);
    Ok(ReviewPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Subscriptions).await?,
        title: None,
        heading,
        step: None,
        back: Some((url(scope.mode, &format!("{LIST}/{id}")), lang.subscription_back())),
        effects: effects(act, subscription, &after, plan.as_ref(), lang),
        filled: form.filled(),
        form_url: has_form.then(|| format!("{here}/review")),
        confirm_url: format!("{here}/confirm"),
        button: match act {
            Act::Cancel => lang.subscription_cancel_do(),
            _ => (names.control)(lang),
        }
        .to_owned(),
        is_final: act == Act::Cancel,
        attempt: attempt::fresh(app, scope),
        api: vec![call(app, act, id)],
    })
}

/// What would change, as the dry run found it.
fn effects(
    act: Act,
    before: &Subscription,
    after: &After,
    plan: Option<&Plan>,
    lang: Lang,
) -> Vec<String> {
    match act {
        Act::Retry => retried(before, lang),
        Act::Resume => resumed(before, after, lang),
        Act::ChangePlan => changed(before, after, plan, lang),
        Act::Cancel => cancelled(before, after, lang),
        Act::Pause | Act::ExtendTrial | Act::Reactivate => Vec::new(),
    }
}

fn retried(before: &Subscription, lang: Lang) -> Vec<String> {
    if before.charge.is_some() {
        return vec![lang.subscription_retry_awaits().to_owned()];
    }
    let number = before.dunning.manual_retries + 1;
    vec![
        charged(before, lang),
        lang.subscription_retry_keeps().to_owned(),
        lang.subscription_retry_count(number, MANUAL_RETRIES_MAX),
    ]
}

/// The charge that is made now.
fn charged(before: &Subscription, lang: Lang) -> String {
    let amount = lang.money(before.price.get());
    match (&before.method, &before.card) {
        (Method::CreditCard, Some(card)) => {
            lang.subscription_retry_effect(amount, &card.details.last4)
        }
        _ => lang.subscription_retry_code(amount),
    }
}

fn resumed(before: &Subscription, after: &After, lang: Lang) -> Vec<String> {
    if before.charge.is_none() && after.pending_transaction_id.is_some() {
        return vec![charged(before, lang), lang.subscription_resume_starts().to_owned()];
    }
    let next = after.next_billing_at.unwrap_or(before.next_billing_at);
    vec![lang.subscription_resume_free(lang.date_time(next.micros()))]
}

fn changed(before: &Subscription, after: &After, plan: Option<&Plan>, lang: Lang) -> Vec<String> {
    let Some(plan) = plan else { return vec![lang.subscription_change_none().to_owned()] };
    let next = after.next_billing_at.unwrap_or(before.next_billing_at);
    let price = price_text(lang, plan.price, plan.interval);
    vec![
        lang.subscription_change_effect(lang.date_time(next.micros()), price),
        lang.subscription_change_until(price_text(lang, before.price, before.interval)),
        lang.subscription_change_slot().to_owned(),
    ]
}

fn cancelled(before: &Subscription, after: &After, lang: Lang) -> Vec<String> {
    if after.status != Status::Cancelled {
        let at = lang.date_time(before.next_billing_at.micros());
        return vec![lang.why_subscription_ends(at), lang.why_subscription_can_stay().to_owned()];
    }
    let pending = before.charge.map(|_| lang.subscription_cancel_pending());
    let now = [Some(lang.subscription_cancel_ends_now()), pending];
    let always = [lang.subscription_cancel_no_refund()];
    now.into_iter().flatten().chain(always).map(str::to_owned).collect()
}

/// What an action has done, in one sentence.
pub fn said(act: Act, Done { data: after }: &Done, lang: Lang) -> String {
    let declined = || {
        let code = after.last_failure_code.as_deref().unwrap_or_default();
        lang.subscription_was_declined(why::subscriptions::failed(code, lang))
    };
    let is_owed = matches!(after.status, Status::PastDue | Status::Cancelled);
    match act {
        Act::Retry if after.status == Status::Active => lang.subscription_was_paid().to_owned(),
        Act::Retry | Act::Resume if is_owed && after.pending_transaction_id.is_none() => declined(),
        Act::ChangePlan if after.next_plan_id.is_none() => {
            lang.subscription_plan_stays().to_owned()
        }
        Act::Cancel if after.status != Status::Cancelled => lang.subscription_will_end().to_owned(),
        act => (act.names().done)(lang).to_owned(),
    }
}
