//! The switch of an affiliate's link, for the owner of its program.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;

use crate::affiliates::links::api::{UpdateAffiliateLinkRequest, ask_to_switch};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::list_pages::PROGRAMS;
use crate::dashboard::affiliates::program_pages::SwitchForm;
use crate::dashboard::attempt;
use crate::dashboard::shell::url;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId};
use crate::platform::permissions::AffiliatesWrite;

/// The path of affiliates' links in their mode.
pub const LINKS: &str = "/affiliates/links";

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Switched {
    data: SwitchedLink,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SwitchedLink {
    program_id: AffiliateProgramId,
}

/// POST /dashboard/{mode}/affiliates/links/{id}/switch
pub async fn switch(
    State(app): State<App>,
    seat: Seat<AffiliatesWrite>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateLinkId>,
    request: Request,
) -> Result<Response> {
    let SwitchForm { is_active, attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{LINKS}/{id}/switch");
    let key = attempt::key(&app, scope, &route, &attempt, &is_active.to_string())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let body = UpdateAffiliateLinkRequest { is_active: Omittable::from(Some(is_active)) };
    let Switched { data } = ask_to_switch(&app, ticket, id, &body).await?.read()?;
    let said = if is_active { lang.partner_was_let_in() } else { lang.partner_was_shut_out() };
    let here = url(scope.mode, &format!("{PROGRAMS}/{}", data.program_id));
    Ok(see_and_say(&app, &here, said))
}
