//! Inviting a person.

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
use crate::dashboard::account::team::team_pages::{API_INVITATIONS, PATH, explained};
use crate::dashboard::account::team::view::{RoleField, RolePage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, Posted, faults};
use crate::dashboard::kept_form;
use crate::dashboard::secret::SecretPage;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::people::invitations::api::{InviteBody, ask_to_invite};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::TeamWrite;

const INVITE: &str = "/team/invite";
/// The fields whose errors the form shows.
const SHOWN: [&str; 2] = ["email", "role"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct InviteForm {
    email: String,
    role: String,
}

/// What the API answers, as far as the pages need it.
#[derive(Debug, Deserialize)]
pub struct MadeInvitation {
    data: MadeInvitationData,
}

#[derive(Debug, Deserialize)]
struct MadeInvitationData {
    email: String,
    token: Option<String>,
}

/// GET /account/team/invite
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    visit.page(&page(&app, &seat, &visit, (&form, &[])).await?, StatusCode::OK)
}

/// POST /account/team/invite
pub async fn invite(
    State(app): State<App>,
    seat: PersonalSeat<TeamWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<InviteForm> = posted_form(request, &SHOWN).await?;
    let permit = seat.permit(Matter::Team);
    let once = (&*form.attempt, &*form.values()?);
    let execution = frame::execution(&app, &seat, INVITE, once, permit)?;
    let made = match form.typed.body() {
        Ok(body) => {
            let how = (&*visit.context, visit.lang);
            ask_to_invite(&app, how, seat.acting(), execution, body).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => sent(&app, &seat, &visit, made.read()?).await,
        Err(error) => {
            let (wrong, refused) = match refusal(&visit, error) {
                Ok(refused) => (Vec::new(), Some(refused)),
                Err(error) => faults(error, visit.lang)?,
            };
            let mut page = page(&app, &seat, &visit, (&form, &wrong)).await?;
            page.frame.refused = refused;
            visit.refused(&page)
        }
    }
}

/// Why an invitation is not made, in words; any other error stays an error.
pub fn refusal(visit: &Visit, error: Error) -> Result<&'static str> {
    match error.code() {
        ErrorCode::AlreadyExists => Ok(visit.lang.team_invite_there()),
        ErrorCode::RateLimited => {
            visit.context.note_refusal(&error);
            Ok(visit.lang.team_invite_too_many())
        }
        ErrorCode::InsufficientPermission if matches!(error, Error::Refused(..)) => {
            Ok(visit.lang.team_owner_only())
        }
        _ => Err(error),
    }
}

/// Says that an invitation is on its way; without a mail server, shows its address once.
pub async fn sent(
    app: &App,
    seat: &PersonalSeat<TeamWrite>,
    visit: &Visit,
    MadeInvitation { data: MadeInvitationData { email, token } }: MadeInvitation,
) -> Result<Response> {
    let lang = visit.lang;
    let Some(token) = token else {
        return Ok(see_and_say(app, &account_url(PATH), lang.team_invited(email)));
    };
    let address = format!("{}/invitations/{token}", app.settings.base_url());
    let page = SecretPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Team).await?,
        heading: lang.team_invitation(email),
        keep: lang.team_invite_hand_over(),
        note: lang.team_invite_by_hand(),
        old: None,
        lines: vec![("address", lang.team_invite_address(), address)],
        next: (account_url(PATH), lang.team_invite_handed()),
    };
    visit.page(&page, StatusCode::OK)
}

async fn page(
    app: &App,
    seat: &PersonalSeat<TeamWrite>,
    visit: &Visit,
    (form, wrong): (&Posted<InviteForm>, &[FieldError]),
) -> Result<RolePage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let body = json!({ "email": "bia@example.com", "role": "SUPPORT" });
    let api = vec![ApiCall::send("POST", &base_url, API_INVITATIONS, &body).as_person()];
    let names = (lang.team_invite_title(), lang.team_invite_send());
    let InviteForm { email, role } = &form.typed;
    let chosen = if role.is_empty() { MemberRole::Support.name() } else { role };
    let mut page = RolePage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Team).await?,
        frame: frame::form(app, seat, INVITE, (PATH, lang.team_title()), names, api),
        email: Some(Field::judged("email", email, wrong, lang)),
        role: RoleField {
            choices: roles::choices(seat.holder.role, false, chosen, lang),
            error: Field::judged("role", "", wrong, lang).error,
        },
        roles: explained(lang),
        second_step_url: (!seat.has_second_step).then(|| lead(&account_url(INVITE))),
    };
    page.frame.wrong = page.wrong();
    Ok(page)
}

impl InviteForm {
    fn body(&self) -> Result<InviteBody> {
        card_data::refuse_typed([("email", &*self.email), ("role", &*self.role)])?;
        let role = MemberRole::parse(&self.role);
        let role = role.ok_or_else(|| Error::field("role", "INVALID_VALUE", "must be a role"))?;
        Ok(InviteBody { email: self.email.trim().to_owned(), role })
    }
}
