//! What roles may do, in words, and who may give them.

use crate::dashboard::parts::{Action, Choice};
use crate::dashboard::words;
use crate::people::{self, Member};
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::PersonalPermission;

/// What a role may do. A new role does not compile without its words.
pub fn may(role: MemberRole, lang: Lang) -> &'static str {
    match role {
        MemberRole::Owner => lang.team_owner_may(),
        MemberRole::Manager => lang.team_manager_may(),
        MemberRole::Finance => lang.team_finance_may(),
        MemberRole::Support => lang.team_support_may(),
        MemberRole::Developer => lang.team_developer_may(),
        MemberRole::Viewer => lang.team_viewer_may(),
    }
}

/// The roles that somebody may give, without ownership to a person who is not in the team yet.
pub fn choices(giver: MemberRole, to_member: bool, chosen: &str, lang: Lang) -> Vec<Choice> {
    let may_give =
        |role: &&MemberRole| giver.may_give(**role) && (to_member || **role != MemberRole::Owner);
    let choice = |role: &MemberRole| Choice {
        value: role.name(),
        name: words::role(*role, lang),
        is_chosen: chosen == role.name(),
    };
    MemberRole::ALL.iter().filter(may_give).map(choice).collect()
}

/// A change of a member by somebody: where, or why not.
pub fn change(
    (account, by, role): (MerchantId, PersonId, MemberRole),
    member: &Member,
    url: String,
    lang: Lang,
) -> Action {
    if people::opened(member.person, account) {
        Action::Refused(lang.team_opener_stays())
    } else if by == member.person && !role.may(PersonalPermission::TeamWrite) {
        // Their own place is theirs to give up.
        Action::Possible(url)
    } else if !role.may(PersonalPermission::TeamWrite) {
        Action::Refused(lang.team_may_not())
    } else if !role.may_give(member.role) && by != member.person {
        Action::Refused(lang.team_owner_only())
    } else {
        Action::Possible(url)
    }
}
