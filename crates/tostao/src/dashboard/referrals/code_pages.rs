//! Making the code: what the API does at the first look, a page does by a form.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::referrals::invited_pages::HOME;
use crate::dashboard::shell::url;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::permissions::ReferralsWrite;
use crate::referrals::api::ask_for_code;

/// POST /dashboard/{mode}/referrals/code
pub async fn make(
    State(app): State<App>,
    seat: Seat<ReferralsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: AttemptForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{HOME}/code"), &form.attempt, "")?;
    ask_for_code(&app, Ticket::of_person(scope, key, seat.by())).await?;
    Ok(see_and_say(&app, &url(scope.mode, HOME), visit.lang.referral_code_made()))
}
