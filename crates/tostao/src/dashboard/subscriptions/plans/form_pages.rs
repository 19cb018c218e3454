//! The form of a plan: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::parts::{NamedChoice, NamedSelect};
use crate::dashboard::products::offer::offer;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::act_pages::plan_of;
use crate::dashboard::subscriptions::paths::{PLANS, PLANS_API};
use crate::dashboard::subscriptions::plans::form::{PlanForm, SHOWN};
use crate::dashboard::subscriptions::plans::plan_words as words;
use crate::dashboard::subscriptions::plans::view::FormPage;
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{PlanId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsWrite;
use crate::subscriptions::plans::Plan;
use crate::subscriptions::plans::api::{ask_to_create, ask_to_update};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadePlan,
}

#[derive(Debug, Deserialize)]
struct MadePlan {
    id: PlanId,
}

/// GET /dashboard/{mode}/subscriptions/plans/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/subscriptions/plans/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<PlanForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let route = format!("{PLANS}/new");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, ticket, body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => {
            let Made { data } = made.read()?;
            let here = url(scope.mode, &format!("{PLANS}/{}", data.id));
            Ok(see_and_say(&app, &here, visit.lang.plan_made()))
        }
        Err(error) => refused(&app, &seat, &visit, None, (&form, error)).await,
    }
}

/// GET /dashboard/{mode}/subscriptions/plans/{id}/edit
pub async fn edit(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<PlanId>,
) -> Result<Response> {
    let plan = plan_of(&app, seat.scope, id).await?;
    let stored = Posted::of(PlanForm::of(&plan, visit.lang))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, Some(&plan), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/subscriptions/plans/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<PlanId>,
    request: Request,
) -> Result<Response> {
    let form: Posted<PlanForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let plan = plan_of(&app, scope, id).await?;
    let route = format!("{PLANS}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let drawn = form.drawn_or(PlanForm::of(&plan, visit.lang));
    let saved = match form.typed.changes(&drawn) {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{PLANS}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.plan_saved()))
        }
        Err(error) => {
            let form = form.again(&error, PlanForm::of(&plan, visit.lang))?;
            refused(&app, &seat, &visit, Some(&plan), (&form, error)).await
        }
    }
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    plan: Option<&Plan>,
    (form, error): (&Posted<PlanForm>, Error),
) -> Result<Response> {
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::PlanFull, _) => (Vec::new(), Some(visit.lang.plan_too_many())),
        error => faults(error, visit.lang)?,
    };
    let mut page = form_page(app, seat, visit, plan, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<SubscriptionsWrite>,
    visit: &Visit,
    plan: Option<&Plan>,
    (form, wrong): (&Posted<PlanForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let products = products(app, scope, form.typed.product(), lang).await?;
    let fields = form.typed.fields(products, wrong, lang);
    let mut frame = match plan {
        None => {
            let names = [lang.plan_new(), lang.plans_title(), lang.plan_make()];
            FormFrame::of_new(app, scope, (PLANS, PLANS_API), names)
        }
        Some(plan) => {
            let heading = lang.coupon_edit_of(&plan.name);
            let names = [lang.plan_back(), lang.client_save()];
            let place = (PLANS, PLANS_API, plan.id.to_string());
            FormFrame::of_existing(app, scope, place, heading, names, &form.drawn)
        }
    };
    frame.wrong = fields.wrong(lang);
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Subscriptions).await?,
        frame,
        interval: plan.map(|plan| words::interval(plan.interval)(lang)),
        fields,
    })
}

/// The products that the form offers, and none.
async fn products(
    app: &App,
    scope: Scope,
    chosen: Option<ProductId>,
    lang: Lang,
) -> Result<NamedSelect> {
    let offer = offer(app, scope, None, chosen.into_iter().collect()).await?;
    let known = offer.products.into_iter().map(|product| (product.id, product.name));
    let deleted = offer.deleted.into_iter().map(|(id, name)| (id, lang.product_deleted(name)));
    let choice = |(id, name): (ProductId, String)| NamedChoice {
        is_chosen: Some(id) == chosen,
        value: id.to_string(),
        name,
    };
    let none = NamedChoice {
        value: String::new(),
        name: lang.plan_no_product().to_owned(),
        is_chosen: chosen.is_none(),
    };
    let choices = [none].into_iter().chain(known.chain(deleted).map(choice)).collect();
    Ok(NamedSelect { choices, error: None })
}
