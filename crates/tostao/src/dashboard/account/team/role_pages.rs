//! Giving a member another role.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::security::second_step_pages::lead;
use crate::dashboard::account::team::roles;
use crate::dashboard::account::team::team_pages::{API, PATH, explained, member};
use crate::dashboard::account::team::view::{RoleField, RolePage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::words;
use crate::people::Member;
use crate::people::members_api::{RoleBody, ask_to_change_role};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::PersonId;
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::TeamWrite;

/// What is posted.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct RoleForm {
    role: String,
    attempt: String,
}

/// GET /account/team/{id}/role
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
    PathParam(id): PathParam<PersonId>,
) -> Result<Response> {
    let member = member(&app, &seat, id).await?;
    let kept = kept_form::read::<RoleForm>(&app, seat.who(), &visit);
    let chosen = kept.map_or(member.role.name().to_owned(), |kept| kept.role);
    visit.page(&page(&app, &seat, &visit, &member, &chosen).await?, StatusCode::OK)
}

/// POST /account/team/{id}/role
pub async fn change(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
    PathParam(id): PathParam<PersonId>,
    request: Request,
) -> Result<Response> {
    let form: RoleForm = posted(request).await?;
    let (lang, member) = (visit.lang, member(&app, &seat, id).await?);
    let mut page = page(&app, &seat, &visit, &member, &form.role).await?;
    let Some(role) = MemberRole::parse(&form.role) else {
        page.role.error = Some(lang.field_choice().to_owned());
        page.frame.wrong = page.wrong();
        return visit.refused(&page);
    };
    let (path, permit) = (format!("{PATH}/{id}/role"), seat.permit(Matter::Team));
    let once = (&*form.attempt, &*form.role);
    let execution = frame::execution(&app, &seat, &path, once, permit)?;
    match ask_to_change_role(&app, seat.acting(), execution, id, RoleBody { role }).await {
        Ok(_) => {
            let said = lang.team_role_changed(&member.name, words::role(role, lang));
            return Ok(see_and_say(&app, &account_url(PATH), said));
        }
        Err(Error::Refused(ErrorCode::InsufficientPermission, _)) => {
            page.frame.refused = Some(lang.team_owner_only());
        }
        Err(Error::Refused(ErrorCode::InvalidStateTransition, _)) => {
            page.frame.refused = Some(lang.team_opener_stays());
        }
        Err(error) => return Err(error),
    }
    visit.refused(&page)
}

async fn page(
    app: &App,
    seat: &PersonalSeat<TeamWrite>,
    visit: &Visit,
    member: &Member,
    chosen: &str,
) -> Result<RolePage> {
    let (lang, base_url, id) = (visit.lang, app.settings.base_url(), member.person);
    let (path, body) = (format!("{PATH}/{id}/role"), json!({ "role": "FINANCE" }));
    let api = ApiCall::send("PATCH", &base_url, &format!("{API}/{id}"), &body).as_person();
    let names = (lang.team_change_role_of(&member.name), lang.team_change_role());
    Ok(RolePage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Team).await?,
        frame: frame::form(app, seat, &path, (PATH, lang.team_title()), names, vec![api]),
        email: None,
        role: RoleField {
            choices: roles::choices(seat.holder.role, true, chosen, lang),
            error: None,
        },
        roles: explained(lang),
        second_step_url: (!seat.has_second_step).then(|| lead(&account_url(&path))),
    })
}
