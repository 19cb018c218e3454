//! What the pages about the team show.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::{Action, Choice, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The members of an account, its open invitations, and what roles may do.
#[derive(Template)]
#[template(path = "dashboard/account/team.html")]
pub struct TeamPage {
    pub lang: Lang,
    pub shell: Shell,
    pub invite: Action,
    pub members: Vec<MemberRow>,
    pub invitations: Vec<InvitationRow>,
    /// The name of each role, and what it may do.
    pub roles: Vec<(&'static str, &'static str)>,
    pub api: Vec<ApiCall>,
}

/// A member.
pub struct MemberRow {
    pub name: String,
    pub email: String,
    pub state: State,
    pub role: &'static str,
    pub may: &'static str,
    pub since: String,
    /// The id of each control, and where it leads.
    pub change: (String, Action),
    pub remove: (String, Action),
    /// What the second control says.
    pub remove_name: &'static str,
}

/// An open invitation.
pub struct InvitationRow {
    pub email: String,
    pub url: String,
    pub role: &'static str,
    pub until: String,
}

/// The form of an invitation, and that of another role.
#[derive(Template)]
#[template(path = "dashboard/account/role.html")]
pub struct RolePage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// The address of a person who is invited.
    pub email: Option<Field>,
    pub role: RoleField,
    pub roles: Vec<(&'static str, &'static str)>,
    /// Where the person turns on the second step that is asked for here, if they have none.
    pub second_step_url: Option<String>,
}

/// The choice of a role.
pub struct RoleField {
    pub choices: Vec<Choice>,
    pub error: Option<String>,
}

/// An open invitation.
#[derive(Template)]
#[template(path = "dashboard/account/invitation.html")]
pub struct InvitationPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    pub team_url: String,
    pub here: String,
    pub until: String,
    pub facts: Vec<(&'static str, String)>,
    pub may_change: bool,
    /// Why nothing was done.
    pub refused: Option<&'static str>,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

impl RolePage {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self) -> Vec<WrongField> {
        let label = self.lang.team_invite_email();
        let email = self.email.as_ref().and_then(|email| email.wrong("email", label));
        let message = self.role.error.clone();
        let role = message.map(|message| WrongField {
            id: "role".into(),
            label: self.lang.team_role(),
            message,
        });
        email.into_iter().chain(role).collect()
    }
}
