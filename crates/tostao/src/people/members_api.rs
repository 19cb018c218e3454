//! Listing the members of an account, changing their roles and removing them.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::Matter;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::people::{self, Acting, Member};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::PersonId;
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::{TeamRead, TeamWrite};

/// The new role of a member.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateMemberRequest")]
pub struct RoleBody {
    /// Only an owner makes another member an owner, or takes that away.
    pub role: MemberRole,
}

/// A member of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Member")]
pub struct MemberView {
    /// The ID of the person.
    id: PersonId,
    name: String,
    email: String,
    role: MemberRole,
    /// When the person joined the account.
    since: Timestamp,
    /// Whether this is the person of the request.
    current: bool,
}

/// A response with one member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MemberResponse")]
pub struct MemberReply {
    message: &'static str,
    data: MemberView,
}

/// The members of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MemberList")]
pub struct MemberList {
    message: &'static str,
    /// Owners first, then by when they joined.
    data: Vec<MemberView>,
}

/// GET /api/members
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<TeamRead>,
) -> Result<Ok200<MemberList>> {
    let (merchant, person) = caller.who();
    let members = app.read(async move |tx| people::members(tx, merchant).await).await?;
    let data = members.into_iter().map(|member| view(member, person)).collect();
    Ok(Ok200(MemberList { message: "Members.", data }))
}

/// PATCH /api/members/{id}
pub async fn update(
    State(app): State<App>,
    caller: SignedInCaller<TeamWrite>,
    PathParam(id): PathParam<PersonId>,
    once: IdempotencyHeader,
    body: Body<RoleBody>,
) -> Result<Replayable<Ok200<MemberReply>>> {
    let execution = once.permitted(caller.scope, &body.raw, caller.permit(Matter::Team));
    ask_to_change_role(&app, caller.acting(), execution, id, body.value).await
}

/// Gives a member another role: the way in of programs and of people.
pub async fn ask_to_change_role(
    app: &App,
    Acting { who: giver, by, .. }: Acting,
    execution: Execution,
    id: PersonId,
    RoleBody { role }: RoleBody,
) -> Result<Replayable<Ok200<MemberReply>>> {
    app.transact_once(execution, async move |tx| {
        let changed = people::change_role(tx, &by, giver, id, role).await?;
        Ok(Ok200(MemberReply { message: "Role changed.", data: view(changed, giver.1) }))
    })
    .await
}

/// DELETE /api/members/{id}
///
/// The member's sessions in the account end at once, and the invitations that they made. API keys
/// that they created stay valid. Everybody may remove themselves; others need `team:write` for it.
pub async fn remove(
    State(app): State<App>,
    caller: SignedInCaller<TeamRead>,
    PathParam(id): PathParam<PersonId>,
) -> Result<Replayable<Ok200<Message>>> {
    let execution = Execution::permitted(None, caller.permit(matter_of_removal(caller.person, id)));
    ask_to_remove(&app, caller.acting(), execution, id).await
}

/// Removes a member: the way in of programs and of people.
pub async fn ask_to_remove(
    app: &App,
    Acting { who: remover, by, .. }: Acting,
    execution: Execution,
    id: PersonId,
) -> Result<Replayable<Ok200<Message>>> {
    app.transact_once(execution, async move |tx| {
        people::remove(tx, &by, remover, id).await?;
        Ok(Ok200(Message { message: "Member removed." }))
    })
    .await
}

/// What a removal is about: who leaves changes their own place alone.
pub fn matter_of_removal(by: PersonId, id: PersonId) -> Matter {
    if by == id { Matter::Own } else { Matter::Team }
}

fn view(member: Member, caller: PersonId) -> MemberView {
    MemberView {
        current: member.person == caller,
        id: member.person,
        name: member.name,
        email: member.email,
        role: member.role,
        since: member.since,
    }
}
