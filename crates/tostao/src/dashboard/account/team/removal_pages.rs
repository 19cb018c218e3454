//! Removing a member, and leaving a team.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::{PersonalSeat, SIGN_IN};
use crate::dashboard::account::frame;
use crate::dashboard::account::security::second_step_pages::lead;
use crate::dashboard::account::team::roles;
use crate::dashboard::account::team::team_pages::{API, PATH, member};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::form::Field;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::people::Member;
use crate::people::members_api::{ask_to_remove, matter_of_removal};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::PersonId;
use crate::platform::permissions::{PersonalPermission, TeamRead};

/// GET /account/team/{id}/remove
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<TeamRead>,
    visit: Visit,
    PathParam(id): PathParam<PersonId>,
) -> Result<Response> {
    let member = expect(&app, &seat, &visit, id).await?;
    visit.page(&page(&app, &seat, &visit, &member).await?, StatusCode::OK)
}

/// POST /account/team/{id}/remove
pub async fn remove(
    State(app): State<App>,
    seat: PersonalSeat<TeamRead>,
    visit: Visit,
    PathParam(id): PathParam<PersonId>,
    request: Request,
) -> Result<Response> {
    let ConfirmForm { attempt, typed } = posted(request).await?;
    let (lang, (_, by)) = (visit.lang, seat.who());
    let (path, permit) = (format!("{PATH}/{id}/remove"), seat.permit(matter_of_removal(by, id)));
    let execution = frame::execution(&app, &seat, &path, (&attempt, ""), permit)?;
    // A member who is not found was removed by the same form, which is answered as before, or was
    // never here.
    let name = match expect(&app, &seat, &visit, id).await {
        Ok(member) if !is_typed(&member.name, &typed) => {
            return visit.refused(&page(&app, &seat, &visit, &member).await?.mistyped(&typed));
        }
        Ok(member) => member.name,
        Err(Error::NotFound(_)) => typed,
        Err(error) => return Err(error),
    };
    ask_to_remove(&app, seat.acting(), execution, id).await?;
    if by == id {
        // The session ended with the place in the account.
        return Ok(see_and_say(&app, SIGN_IN, lang.team_left()));
    }
    Ok(see_and_say(&app, &account_url(PATH), lang.team_removed(name)))
}

/// The member, whom the person may remove.
async fn expect(
    app: &App,
    seat: &PersonalSeat<TeamRead>,
    visit: &Visit,
    id: PersonId,
) -> Result<Member> {
    let member = member(app, seat, id).await?;
    let (account, by) = seat.who();
    let who = (account, by, seat.holder.role);
    match roles::change(who, &member, String::new(), visit.lang) {
        Action::Possible(_) => Ok(member),
        Action::Refused(_) if !seat.may(PersonalPermission::TeamWrite) => {
            Err(Error::RoleForbidden(PersonalPermission::TeamWrite.name()))
        }
        Action::Refused(reason) => Err(Error::refused(ErrorCode::InvalidStateTransition, reason)),
    }
}

async fn page(
    app: &App,
    seat: &PersonalSeat<TeamRead>,
    visit: &Visit,
    member: &Member,
) -> Result<ConfirmPage> {
    let (lang, id) = (visit.lang, member.person);
    let shell = frame::shell(app, seat, visit, Section::Team).await?;
    let is_self = id == seat.holder.person;
    let (heading, effects, button) = if is_self {
        let effects = [lang.team_leave_effect(), lang.team_leave_stays()];
        (lang.team_leave_of(&shell.account), effects, lang.team_leave())
    } else {
        let effects = [lang.team_remove_effect(), lang.team_remove_stays()];
        (lang.team_remove_of(&member.name), effects, lang.team_remove_now())
    };
    let call = ApiCall::of_person(&app.settings.base_url(), &format!("{API}/{id}")).deleting();
    let form_url = account_url(&format!("{PATH}/{id}/remove"));
    // A person leaves without one.
    let asks = !is_self && !seat.has_second_step;
    Ok(ConfirmPage {
        lang,
        shell,
        heading,
        step: None,
        back: (account_url(PATH), lang.team_title()),
        needs_second_step: asks.then(|| (lang.team_needs_second_step(), lead(&form_url))),
        effects: effects.map(str::to_owned).into(),
        form_url,
        name: member.name.clone(),
        field: Field::default(),
        wrong: Vec::new(),
        button,
        attempt: attempt::fresh(app, seat.scope()),
        api: vec![call],
    })
}
