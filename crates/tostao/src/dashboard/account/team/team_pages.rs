//! The members of an account, and its open invitations.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::team::roles;
use crate::dashboard::account::team::view::{InvitationRow, MemberRow, TeamPage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{Action, State, Tone};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::people::invitations::{self, Invitation};
use crate::people::{self, Member};
use crate::platform::error::{Error, Result};
use crate::platform::ids::PersonId;
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::{PersonalPermission, TeamRead};

/// The paths of the page, and of what it shows in the API.
pub const PATH: &str = "/team";
pub const API: &str = "/api/members";
pub const API_INVITATIONS: &str = "/api/invitations";

/// GET /account/team
pub async fn show(
    AppState(app): AppState<App>,
    seat: PersonalSeat<TeamRead>,
    visit: Visit,
) -> Result<Response> {
    let (lang, base_url, (merchant, _)) = (visit.lang, app.settings.base_url(), seat.who());
    let read = async move |tx: &Tx| {
        let members = people::members(tx, merchant).await?;
        Ok::<_, Error>((members, invitations::list(tx, merchant).await?))
    };
    let (members, open) = app.read(read).await?;
    let may = seat.may(PersonalPermission::TeamWrite);
    let call = |path| ApiCall::of_person(&base_url, path);
    let page = TeamPage {
        lang,
        shell: frame::shell(&app, &seat, &visit, Section::Team).await?,
        invite: if may {
            Action::Possible(account_url("/team/invite"))
        } else {
            Action::Refused(lang.team_may_not())
        },
        members: members.iter().map(|member| row(&seat, member, lang)).collect(),
        invitations: open.iter().map(|invitation| invited(invitation, lang)).collect(),
        roles: explained(lang),
        api: vec![call(API), call(API_INVITATIONS)],
    };
    visit.page(&page, StatusCode::OK)
}

/// Every role, and what it may do.
pub fn explained(lang: Lang) -> Vec<(&'static str, &'static str)> {
    let explained = |role: &MemberRole| (words::role(*role, lang), roles::may(*role, lang));
    MemberRole::ALL.iter().map(explained).collect()
}

/// A member of the account of a person.
pub async fn member<P>(app: &App, seat: &PersonalSeat<P>, id: PersonId) -> Result<Member> {
    let (merchant, _) = seat.who();
    let members = app.read(async move |tx: &Tx| people::members(tx, merchant).await).await?;
    members.into_iter().find(|one| one.person == id).ok_or(Error::NotFound("Member"))
}

fn row(seat: &PersonalSeat<TeamRead>, member: &Member, lang: Lang) -> MemberRow {
    let (account, by) = seat.who();
    let (id, is_self) = (member.person, member.person == by);
    let allowed = |what: &str| {
        let url = account_url(&format!("{PATH}/{id}/{what}"));
        roles::change((account, by, seat.holder.role), member, url, lang)
    };
    let change = match allowed("role") {
        Action::Possible(_) if !seat.may(PersonalPermission::TeamWrite) => {
            Action::Refused(lang.team_may_not())
        }
        allowed => allowed,
    };
    MemberRow {
        name: member.name.clone(),
        email: member.email.clone(),
        state: if is_self {
            State { tone: Tone::Good, word: lang.team_you() }
        } else {
            State { tone: Tone::Off, word: lang.team_member() }
        },
        role: words::role(member.role, lang),
        may: roles::may(member.role, lang),
        since: lang.date_time(member.since.micros()),
        change: (format!("role-{id}"), change),
        remove: (format!("remove-{id}"), allowed("remove")),
        remove_name: if is_self { lang.team_leave() } else { lang.team_remove() },
    }
}

fn invited(invitation: &Invitation, lang: Lang) -> InvitationRow {
    InvitationRow {
        email: invitation.email.clone(),
        url: account_url(&format!("{PATH}/invitations/{}", invitation.id)),
        role: words::role(invitation.role, lang),
        until: lang.team_until(lang.date_time(invitation.expires_at.micros())),
    }
}
