//! What is done with a subscription: the form of an action, its review, and the action itself.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::billing::current;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::{Field, explain, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::parts::{NamedChoice, NamedSelect};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::act::Act;
use crate::dashboard::subscriptions::act_form::{ActForm, SHOWN};
use crate::dashboard::subscriptions::act_view::{ActFields, ActPage, CancelFields};
use crate::dashboard::subscriptions::list_pages::offered;
use crate::dashboard::subscriptions::paths::{API, LIST};
use crate::dashboard::subscriptions::review_pages::{ask, said, show_review};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::why;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::PagePath;
use crate::platform::ids::{PlanId, Scope, SubscriptionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscriptions::Subscription;
use crate::subscriptions::metrics::monthly;
use crate::subscriptions::plans::{self, Plan};
use crate::subscriptions::status::Status;

/// A subscription and what is done with it, as an address names them.
#[derive(Debug, Deserialize)]
pub struct Place {
    pub id: SubscriptionId,
    pub act: Act,
}

/// GET /dashboard/{mode}/subscriptions/{id}/{act}
///
/// What has no field is reviewed at once.
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PagePath(Place { id, act }): PagePath<Place>,
) -> Result<Response> {
    let subscription = current(&app, seat.scope, id).await?;
    expect_possible(act, &subscription, seat.scope.at(app.now()))?;
    if !act.has_fields() && act.is_reviewed() {
        let form = ActForm::default();
        return reviewed(&app, &seat, &visit, act, &subscription, &form).await;
    }
    let form = kept_form::read(&app, seat.who(), &visit);
    let form = form.unwrap_or_else(|| untouched(act, &subscription));
    let page = form_page(&app, &seat, &visit, act, &subscription, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/subscriptions/{id}/{act}/review
///
/// Shows what the action would do: the unit is run and undone.
pub async fn review(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PagePath(Place { id, act }): PagePath<Place>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted_to_correct(request, &SHOWN).await?;
    let subscription = current(&app, seat.scope, id).await?;
    if !act.is_reviewed() {
        return Err(Error::NotFound("Page"));
    }
    if !form.back.is_empty() {
        let page = form_page(&app, &seat, &visit, act, &subscription, (&form, &[])).await?;
        return visit.page(&page, StatusCode::OK);
    }
    reviewed(&app, &seat, &visit, act, &subscription, &form).await
}

/// POST /dashboard/{mode}/subscriptions/{id}/{act}/confirm
pub async fn confirm(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PagePath(Place { id, act }): PagePath<Place>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let subscription = current(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/{}", act.path());
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    match ask(&app, ticket, act, id, &form).await {
        Ok(done) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, said(act, &done, visit.lang)))
        }
        Err(error) => refused(&app, &seat, &visit, act, &subscription, (&form, error)).await,
    }
}

impl Act {
    /// Whether its form has a field.
    fn has_fields(self) -> bool {
        match self {
            Self::Pause | Self::ChangePlan | Self::ExtendTrial | Self::Cancel => true,
            Self::Retry | Self::Resume | Self::Reactivate => false,
        }
    }

    /// Whether it is tried first, in a unit that is undone.
    fn is_reviewed(self) -> bool {
        match self {
            Self::Retry | Self::Resume | Self::ChangePlan | Self::Cancel => true,
            Self::Pause | Self::ExtendTrial | Self::Reactivate => false,
        }
    }
}

/// The review, or the form again with what refuses it.
async fn reviewed(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    act: Act,
    subscription: &Subscription,
    form: &ActForm,
) -> Result<Response> {
    match show_review(app, seat, visit, act, subscription, form).await {
        Ok(page) => visit.page(&page, StatusCode::OK),
        Err(error) => refused(app, seat, visit, act, subscription, (form, error)).await,
    }
}

/// Refuses the page of an action that is not possible: its control said why.
fn expect_possible(act: Act, subscription: &Subscription, now: Timestamp) -> Result<()> {
    if act.obstacle(subscription, now).is_none() {
        return Ok(());
    }
    let current = subscription.status.to_string();
    Err(Error::State { message: format!("It is not possible while it is {current}."), current })
}

/// The form before anything is typed: a cancellation waits for the end of the period where it can.
fn untouched(act: Act, subscription: &Subscription) -> ActForm {
    let waits = act == Act::Cancel && waits_for_end(subscription);
    ActForm {
        at_period_end: if waits { "true".to_owned() } else { String::new() },
        ..ActForm::default()
    }
}

/// Whether a cancellation can wait for the end of the period.
fn waits_for_end(subscription: &Subscription) -> bool {
    subscription.status != Status::PastDue && !subscription.cancel_at_period_end
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    act: Act,
    subscription: &Subscription,
    (form, error): (&ActForm, Error),
) -> Result<Response> {
    let lang = visit.lang;
    let reason = match (&error, error.code()) {
        (_, ErrorCode::PlanFull) => Some(lang.subscription_plan_full()),
        (_, ErrorCode::PlanInactive) => Some(lang.subscription_plan_closed()),
        (_, ErrorCode::AlreadySubscribed) => Some(lang.subscription_plan_taken()),
        (Error::NotConfigured(_), _) => Some(lang.subscription_no_provider()),
        (Error::NotAnswered(_) | Error::OutOfService(_), _) => Some(lang.subscription_no_answer()),
        _ => None,
    };
    let (wrong, reason) = match reason {
        Some(reason) => (Vec::new(), Some(reason)),
        None => faults(error, lang)?,
    };
    let mut page = form_page(app, seat, visit, act, subscription, (form, &wrong)).await?;
    page.frame.refused = reason;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    act: Act,
    subscription: &Subscription,
    (form, wrong): (&ActForm, &[FieldError]),
) -> Result<ActPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let fields = fields(app, scope, act, subscription, (form, wrong), lang).await?;
    let (here, names) = (act.url(scope.mode, subscription.id), act.names());
    let (step, button) = if act.is_reviewed() {
        ("review", lang.refund_go_on())
    } else {
        ("confirm", (names.heading)(lang))
    };
    let frame = FormFrame {
        heading: (names.heading)(lang).to_owned(),
        back: (url(scope.mode, &format!("{LIST}/{}", subscription.id)), lang.subscription_back()),
        form_url: format!("{here}/{step}"),
        button,
        refused: None,
        wrong: fields.wrong(lang),
        attempt: attempt::fresh(app, scope),
        drawn: String::new(),
        api: vec![call(app, act, subscription.id)],
    };
    Ok(ActPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Subscriptions).await?,
        frame,
        effects: effects(act, subscription, lang),
        fields,
    })
}

async fn fields(
    app: &App,
    scope: Scope,
    act: Act,
    subscription: &Subscription,
    (form, wrong): (&ActForm, &[FieldError]),
    lang: Lang,
) -> Result<ActFields> {
    let field = |name, value| Field::judged(name, value, wrong, lang);
    let at = |at: Timestamp| lang.date_time(at.micros());
    Ok(match act {
        Act::Retry | Act::Resume | Act::Reactivate => ActFields::default(),
        Act::Cancel => {
            let end = waits_for_end(subscription)
                .then(|| lang.cancel_at_end(lang.day(subscription.next_billing_at.micros())));
            let cancellation = CancelFields {
                end,
                is_at_end: !form.at_period_end.is_empty(),
                reason: field("reason", &form.reason),
                comment: field("comment", &form.comment),
            };
            ActFields { cancellation: Some(cancellation), ..ActFields::default() }
        }
        Act::Pause => ActFields {
            resumes_at: Some(field("resumesAt", &form.resumes_at)),
            ..ActFields::default()
        },
        Act::ChangePlan => {
            let mut plan = plan_choices(app, scope, subscription, &form.plan_id).await?;
            let error = wrong.iter().find(|wrong| wrong.field == "planId");
            plan.error = error.map(|error| explain(error, lang));
            ActFields { plan: Some(plan), ..ActFields::default() }
        }
        Act::ExtendTrial => {
            let ends = subscription.trial_ends_at.unwrap_or(subscription.next_billing_at);
            let day = field("trialEndsAt", &form.trial_ends_at);
            let hint = lang.subscription_extend_hint(at(ends));
            ActFields { trial_ends_at: Some((day, hint)), ..ActFields::default() }
        }
    })
}

/// The plans that take subscribers, and the present one, which undoes a scheduled change.
async fn plan_choices(
    app: &App,
    scope: Scope,
    subscription: &Subscription,
    typed: &str,
) -> Result<NamedSelect> {
    let mut plans = offered(app, scope, Some(true)).await?;
    if !plans.iter().any(|plan| plan.id == subscription.plan) {
        plans.push(plan_of(app, scope, subscription.plan).await?);
    }
    let scheduled = subscription.next_plan.unwrap_or(subscription.plan).to_string();
    let chosen = if typed.is_empty() { scheduled.as_str() } else { typed };
    let choice = |plan: &Plan| {
        let value = plan.id.to_string();
        NamedChoice { is_chosen: value == chosen, value, name: plan.name.clone() }
    };
    Ok(NamedSelect { choices: plans.iter().map(choice).collect(), error: None })
}

/// Reads a plan.
pub async fn plan_of(app: &App, scope: Scope, id: PlanId) -> Result<Plan> {
    app.read(async move |tx: &Tx| plans::find(tx, scope, id).await).await
}

/// What happens, where no review follows.
fn effects(act: Act, of: &Subscription, lang: Lang) -> Vec<String> {
    match act {
        Act::Pause => {
            let amount = monthly(of.annual().get());
            let until = lang.date_time(of.next_billing_at.micros());
            let less = (amount != 0).then(|| lang.subscription_pause_revenue(lang.money(amount)));
            let keeps = lang.subscription_pause_keeps(until);
            [Some(keeps), less].into_iter().flatten().collect()
        }
        Act::ExtendTrial => vec![lang.subscription_extend_effect().to_owned()],
        Act::Reactivate => {
            let kept = Subscription { cancel_at_period_end: false, ..of.clone() };
            vec![why::subscriptions::next(&kept, lang)]
        }
        Act::Retry | Act::Resume | Act::ChangePlan | Act::Cancel => Vec::new(),
    }
}

/// The same by the API; without a change where it has a dry run.
pub fn call(app: &App, act: Act, id: SubscriptionId) -> ApiCall {
    let body: Value = match act {
        Act::Retry | Act::Resume | Act::Reactivate => json!({}),
        Act::Pause => json!({ "resumesAt": "2027-01-31T03:00:00Z" }),
        Act::ChangePlan => json!({ "planId": "…" }),
        Act::ExtendTrial => json!({ "trialEndsAt": "2027-01-31T03:00:00Z" }),
        Act::Cancel => json!({ "atPeriodEnd": true }),
    };
    let dry_run = if act.is_reviewed() { "?dryRun=true" } else { "" };
    let path = format!("{API}/{id}/{}{dry_run}", act.path());
    ApiCall::send("POST", &app.settings.base_url(), &path, &body)
}
