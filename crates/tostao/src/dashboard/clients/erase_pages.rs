//! Erasing a client in two pages: what it means, and what would stay, with the confirmation.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::clients::{self, Client};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::clients::client_view::ErasePage;
use crate::dashboard::clients::list_pages::{API, LIST};
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::form::Field;
use crate::dashboard::review::{Changes, rehearsal};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::erasure::api::ask;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ClientId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CustomersWrite;

/// What erasing says of what stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Erased {
    retained_until: Option<Timestamp>,
}

/// What a dry run answers, as far as the page shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    #[serde(flatten)]
    erased: Erased,
    would_change: Changes,
}

/// GET /dashboard/{mode}/clients/{id}/erase
pub async fn show(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    let (mode, client) = (seat.scope.mode, find(&app, seat.scope, id).await?);
    let back_url = url(mode, &format!("{LIST}/{id}"));
    let page = ErasePage {
        lang: visit.lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Clients).await?,
        name: client.customer.name,
        form_url: format!("{back_url}/erase"),
        back_url,
        retention_years: app.settings.retention_years,
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/clients/{id}/erase
///
/// Shows what erasing would do: the unit is run and undone.
pub async fn review(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    let client = find(&app, seat.scope, id).await?;
    let page = review_page(&app, &seat, &visit, &client).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/clients/{id}/erase/confirm
pub async fn confirm(
    State(app): State<App>,
    seat: Seat<CustomersWrite>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/erase"), &form.attempt, "")?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let known = app.read(async move |tx: &Tx| clients::customer(tx, scope, id).await).await?;
    // A client that is not found was erased by this form, which is answered as before, or was
    // never here.
    if known.is_some_and(|customer| !is_typed(&customer.email, &form.typed)) {
        let client = find(&app, scope, id).await?;
        let page = review_page(&app, &seat, &visit, &client).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    let Erased { retained_until } = ask(&app, ticket, id).await?.read()?;
    let said = match retained_until {
        Some(until) => lang.client_was_erased_until(lang.day(until.micros())),
        None => lang.client_was_erased().to_owned(),
    };
    Ok(see_and_say(&app, &url(scope.mode, LIST), said))
}

async fn find(app: &App, scope: Scope, id: ClientId) -> Result<Client> {
    app.read(async move |tx: &Tx| clients::find(tx, scope, id).await).await
}

async fn review_page(
    app: &App,
    seat: &Seat<CustomersWrite>,
    visit: &Visit,
    client: &Client,
) -> Result<ConfirmPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let rehearsed: Rehearsed = ask(app, rehearsal(seat, visit), client.id).await?.read()?;
    let back_url = url(scope.mode, &format!("{LIST}/{}", client.id));
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Clients).await?,
        heading: lang.client_erase_of(&client.customer.name),
        step: Some(lang.client_erase_step(2)),
        form_url: format!("{back_url}/erase/confirm"),
        back: (back_url, lang.client_back()),
        needs_second_step: None,
        effects: effects(&rehearsed, lang),
        name: client.customer.email.clone(),
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.client_erase_now(),
        attempt: attempt::fresh(app, scope),
        api: vec![ApiCall::rehearsed_deletion(
            &app.settings.base_url(),
            &format!("{API}/{}", client.id),
        )],
    })
}

/// What would happen, as the dry run found it.
fn effects(rehearsed: &Rehearsed, lang: Lang) -> Vec<String> {
    let ended = Name::SubscriptionCancelled.text();
    let ended = rehearsed.would_change.events.iter().filter(|name| *name == ended).count();
    let mut effects = vec![lang.client_erase_gone().to_owned()];
    match ended {
        0 => {}
        1 => effects.push(lang.client_erase_subscription().to_owned()),
        ended => effects.push(lang.client_erase_subscriptions(ended)),
    }
    effects.push(match rehearsed.erased.retained_until {
        Some(until) => lang.client_erase_stays(lang.day(until.micros())),
        None => lang.client_erase_nothing_stays().to_owned(),
    });
    effects
}
