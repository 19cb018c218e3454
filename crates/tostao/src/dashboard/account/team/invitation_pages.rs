//! An open invitation: sending it again, and taking it back.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::team::invite_pages::{refusal, sent};
use crate::dashboard::account::team::team_pages::{API_INVITATIONS, PATH};
use crate::dashboard::account::team::view::InvitationPage;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::words;
use crate::people::invitations::api::{InviteBody, ask_to_invite, ask_to_revoke};
use crate::people::invitations::{self, Invitation};
use crate::people::{self, Member};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::InvitationId;
use crate::platform::permissions::{PersonalPermission, TeamRead, TeamWrite};

/// GET /account/team/invitations/{id}
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<TeamRead>,
    visit: Visit,
    PathParam(id): PathParam<InvitationId>,
) -> Result<Response> {
    let invitation = find(&app, &seat, id).await?;
    visit.page(&page(&app, &seat, &visit, &invitation).await?, StatusCode::OK)
}

/// POST /account/team/invitations/{id}/resend
///
/// Another invitation takes the place of this one.
pub async fn resend(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
    PathParam(id): PathParam<InvitationId>,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    let (path, permit) = (format!("{}/resend", here(id)), seat.permit(Matter::Team));
    let execution = frame::execution(&app, &seat, &path, (&attempt, ""), permit)?;
    let invitation = match find(&app, &seat, id).await {
        Err(Error::NotFound(_)) => return Ok(gone(&app, &visit)),
        found => found?,
    };
    let Invitation { email, role, .. } = invitation.clone();
    let (how, body) = ((&*visit.context, visit.lang), InviteBody { email, role });
    match ask_to_invite(&app, how, seat.acting(), execution, body).await {
        Ok(made) => sent(&app, &seat, &visit, made.read()?).await,
        Err(error) => {
            let refused = refusal(&visit, error)?;
            let mut page = page(&app, &seat, &visit, &invitation).await?;
            page.refused = Some(refused);
            visit.refused(&page)
        }
    }
}

/// POST /account/team/invitations/{id}/cancel
pub async fn take_back(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
    PathParam(id): PathParam<InvitationId>,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    let (path, permit) = (format!("{}/cancel", here(id)), seat.permit(Matter::Team));
    let execution = frame::execution(&app, &seat, &path, (&attempt, ""), permit)?;
    match ask_to_revoke(&app, seat.acting(), execution, id).await {
        Ok(_) => Ok(see_and_say(&app, &account_url(PATH), visit.lang.team_taken_back())),
        Err(Error::NotFound(_)) => Ok(gone(&app, &visit)),
        Err(error) => Err(error),
    }
}

fn here(id: InvitationId) -> String {
    format!("{PATH}/invitations/{id}")
}

/// Leads back from an invitation that is not open any more.
fn gone(app: &App, visit: &Visit) -> Response {
    see_and_say(app, &account_url(PATH), visit.lang.team_invitation_gone())
}

async fn find<P>(app: &App, seat: &PersonalSeat<P>, id: InvitationId) -> Result<Invitation> {
    let (merchant, _) = seat.who();
    let open = app.read(async move |tx: &Tx| invitations::list(tx, merchant).await).await?;
    open.into_iter().find(|one| one.id == id).ok_or(Error::NotFound("Invitation"))
}

async fn page<P>(
    app: &App,
    seat: &PersonalSeat<P>,
    visit: &Visit,
    invitation: &Invitation,
) -> Result<InvitationPage> {
    let (lang, base_url, (merchant, _)) = (visit.lang, app.settings.base_url(), seat.who());
    let members = app.read(async move |tx: &Tx| people::members(tx, merchant).await).await?;
    let is_inviter = |member: &&Member| member.person == invitation.invited_by;
    let inviter = members.iter().find(is_inviter).map(|member| member.name.clone());
    let date = |micros| lang.date_time(micros);
    let api = format!("{API_INVITATIONS}/{}", invitation.id);
    Ok(InvitationPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Team).await?,
        heading: lang.team_invitation(&invitation.email),
        team_url: account_url(PATH),
        here: account_url(&here(invitation.id)),
        until: lang.team_until(date(invitation.expires_at.micros())),
        facts: vec![
            (lang.team_role(), words::role(invitation.role, lang).to_owned()),
            (lang.team_invited_by(), inviter.unwrap_or_else(|| lang.team_somebody().to_owned())),
            (lang.team_sent_at(), date(invitation.created_at.micros())),
        ],
        may_change: seat.may(PersonalPermission::TeamWrite),
        refused: None,
        attempt: attempt::fresh(app, seat.scope()),
        api: vec![ApiCall::of_person(&base_url, &api).deleting()],
    })
}
