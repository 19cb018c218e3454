//! A plan: its state and why, its address and terms; and its switch.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::parts::{Action, Switch};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::paths::{LIST, PLANS, PLANS_API};
use crate::dashboard::subscriptions::plans::plan_words as words;
use crate::dashboard::subscriptions::plans::view::PlanPage;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::PlanId;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, SubscriptionsRead, SubscriptionsWrite};
use crate::products;
use crate::subscription_pages::plan_view::{free_days, price_text};
use crate::subscriptions::plans::api::ask_to_update;
use crate::subscriptions::plans::params::PlanParams;
use crate::subscriptions::plans::{self, Plan};

/// Whether a plan is to take subscribers.
#[derive(Debug, Deserialize)]
struct SwitchForm {
    #[serde(rename = "status")]
    active: bool,
    attempt: String,
}

/// GET /dashboard/{mode}/subscriptions/plans/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    PathParam(id): PathParam<PlanId>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let read = async move |tx: &Tx| {
        let plan = plans::find(tx, scope, id).await?;
        let sold: Vec<_> = plan.product.into_iter().collect();
        let known = products::find_many(tx, scope, &sold).await?;
        let deleted = products::names_of_deleted(tx, scope, &sold).await?;
        Ok((plan, known, deleted))
    };
    let (plan, known, deleted) = app.read(read).await?;
    let known = known.into_values().next().map(|product| product.name);
    let deleted = || deleted.into_values().next().map(|name| lang.product_deleted(name));
    let product = known.or_else(deleted);
    let here = url(mode, &format!("{PLANS}/{id}"));
    let changing = |page| {
        let address = format!("{here}/{page}");
        Action::needing(Permission::SubscriptionsWrite, &seat.permissions, address, lang)
    };
    let page = PlanPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Subscriptions).await?,
        list_url: url(mode, PLANS),
        list_name: lang.plans_title(),
        state: words::state(&plan, lang),
        why: words::why(&plan, lang),
        facts: facts(&plan, product, lang),
        edit: changing("edit"),
        switch: switch_of(&plan, changing("switch"), lang),
        address: plan.url(&app.settings.checkout_url()),
        subscribers_url: url(mode, &format!("{LIST}?planId={id}")),
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{PLANS_API}/{id}"))],
        name: plan.name,
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/subscriptions/plans/{id}/switch
pub async fn switch(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<PlanId>,
    request: Request,
) -> Result<Response> {
    let SwitchForm { active, attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{PLANS}/{id}/switch");
    let key = attempt::key(&app, scope, &route, &attempt, &active.to_string())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let params = PlanParams { active: Omittable::from(Some(active)), ..PlanParams::default() };
    ask_to_update(&app, ticket, id, params).await?;
    let said = if active { lang.plan_was_switched_on() } else { lang.plan_was_switched_off() };
    Ok(see_and_say(&app, &url(scope.mode, &format!("{PLANS}/{id}")), said))
}

fn switch_of(plan: &Plan, action: Action, lang: Lang) -> Switch {
    let (status, name) = if plan.active {
        ("false", lang.plan_switch_off())
    } else {
        ("true", lang.plan_switch_on())
    };
    Switch { action, field: "active", status, name }
}

fn facts(plan: &Plan, product: Option<String>, lang: Lang) -> Vec<(&'static str, String)> {
    let trial = (plan.trial_days > 0).then(|| free_days(lang, plan.trial_days));
    let facts = [
        (lang.subscription_price(), Some(price_text(lang, plan.price, plan.interval))),
        (lang.plan_trial_days(), trial),
        (lang.plan_subscribers(), Some(words::subscribers(plan, lang))),
        (lang.plan_retries(), Some(words::retries(plan.retry_policy, lang))),
        (lang.plan_product(), product),
        (lang.coupon_description(), plan.description.clone()),
        (lang.coupon_since(), Some(lang.date_time(plan.created_at.micros()))),
        (lang.payments_id(), Some(plan.id.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
