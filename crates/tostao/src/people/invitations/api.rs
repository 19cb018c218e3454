//! Inviting people, and accepting invitations.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::Matter;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::people::Acting;
use crate::people::invitations::acceptance::{self, AcceptBody};
use crate::people::invitations::{self, Invitation};
use crate::people::link_token::Delivery;
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, PublicBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::{CREDENTIALS, INVITATIONS, MAIL_RECIPIENT};
use crate::platform::http::reply::{Created, Message, Ok200, SecretReply};
use crate::platform::ids::{InvitationId, MerchantId, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::{TeamRead, TeamWrite};

/// The person to invite.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateInvitationRequest")]
#[schemars(extend("examples" = [{ "email": "bia@example.com", "role": "SUPPORT" }]))]
pub struct InviteBody {
    #[schemars(email)]
    pub email: String,
    /// The role in the account. `OWNER` is given to a member, not with an invitation.
    #[schemars(extend("not" = { "const": "OWNER" }))]
    pub role: MemberRole,
}

/// An open invitation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Invitation")]
pub struct InvitationView {
    id: InvitationId,
    email: String,
    role: MemberRole,
    /// The ID of the member who invited the person.
    invited_by: PersonId,
    created_at: Timestamp,
    /// Until when it can be accepted.
    expires_at: Timestamp,
    /// What accepts the invitation; returned only when it is created, and only by a server that
    /// sends no mails. Otherwise it is in the mail alone, so that accepting it proves the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A response with one invitation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InvitationResponse")]
pub struct InvitationReply {
    message: &'static str,
    data: InvitationView,
}

/// The open invitations of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InvitationList")]
pub struct InvitationList {
    message: &'static str,
    /// The newest first.
    data: Vec<InvitationView>,
}

/// POST /api/invitations
///
/// An open invitation of the same address ends.
pub async fn create(
    State(app): State<App>,
    caller: SignedInCaller<TeamWrite>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    once: IdempotencyHeader,
    body: Body<InviteBody>,
) -> Result<Replayable<SecretReply<Created<InvitationReply>>>> {
    let execution = once.permitted(caller.scope, &body.raw, caller.permit(Matter::Team));
    ask_to_invite(&app, (&context, lang), caller.acting(), execution, body.value).await
}

/// Invites a person: the way in of programs and of people.
pub async fn ask_to_invite(
    app: &App,
    (context, lang): (&RequestContext, Lang),
    Acting { who: (merchant, person), by, .. }: Acting,
    execution: Execution,
    InviteBody { email, role }: InviteBody,
) -> Result<Replayable<SecretReply<Created<InvitationReply>>>> {
    let mut wrong = FieldErrors::new();
    let email = wrong.read("email", fields::email(&email));
    if role == MemberRole::Owner {
        let fault = FieldFault::new("INVALID_VALUE", "cannot be OWNER: make a member an owner");
        wrong.add("role", fault);
    }
    wrong.finish()?;
    let email = email.unwrap_or_default();
    // A session that may not invite uses up nothing of what those have that may.
    if execution.is_permitted() {
        limit(app, context, merchant, &email)?;
    }
    let secrets = app.secrets.clone();
    let delivery = if app.mail.is_some() { Delivery::Mailed } else { Delivery::Shown };
    app.transact_once(execution, async move |tx| {
        let (who, whom) = ((merchant, person), (&*email, role));
        let words = (&*secrets, lang);
        let (made, token) = invitations::create(tx, &by, who, whom, words, delivery).await?;
        let (message, token) = match delivery {
            Delivery::Mailed => ("Invitation created, and sent by mail.", None),
            Delivery::Shown => {
                ("Invitation created. Its token is shown only now.", Some(token.expose()))
            }
        };
        let data = view(made, token);
        Ok(SecretReply(Created(InvitationReply { message, data })))
    })
    .await
}

/// GET /api/invitations
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<TeamRead>,
) -> Result<Ok200<InvitationList>> {
    let (merchant, _) = caller.who();
    let open = app.read(async move |tx| invitations::list(tx, merchant).await).await?;
    let data = open.into_iter().map(|invitation| view(invitation, None)).collect();
    Ok(Ok200(InvitationList { message: "Invitations.", data }))
}

/// DELETE /api/invitations/{id}
pub async fn revoke(
    State(app): State<App>,
    caller: SignedInCaller<TeamWrite>,
    PathParam(id): PathParam<InvitationId>,
) -> Result<Replayable<Ok200<Message>>> {
    let execution = Execution::permitted(None, caller.permit(Matter::Team));
    ask_to_revoke(&app, caller.acting(), execution, id).await
}

/// Takes an invitation back: the way in of programs and of people.
pub async fn ask_to_revoke(
    app: &App,
    Acting { who: (merchant, _), by, .. }: Acting,
    execution: Execution,
    id: InvitationId,
) -> Result<Replayable<Ok200<Message>>> {
    app.transact_once(execution, async move |tx| {
        invitations::revoke(tx, &by, merchant, id).await?;
        Ok(Ok200(Message { message: "Invitation revoked." }))
    })
    .await
}

/// POST /api/invitations/accept
///
/// The person then logs in, with `accountId` if they are a member of several accounts.
pub async fn accept(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PublicBody { value: body, .. }: PublicBody<AcceptBody>,
) -> Result<Ok200<Message>> {
    acceptance::accept(&app, &context, &device, body).await?;
    Ok(Ok200(Message { message: "You are a member of the account now. Log in." }))
}

/// Counts an invitation by its account, and by the mailbox that it is written to.
fn limit(app: &App, context: &RequestContext, account: MerchantId, email: &str) -> Result<()> {
    app.check_account_rate_limit(context, &CREDENTIALS, account)?;
    app.check_account_rate_limit(context, &INVITATIONS, account)?;
    let mailbox = format!("invitation {}", fields::without_alias(email));
    context.note_rate(app.limits.check(&MAIL_RECIPIENT, &mailbox, app.now())?);
    Ok(())
}

fn view(invitation: Invitation, token: Option<String>) -> InvitationView {
    InvitationView {
        id: invitation.id,
        email: invitation.email,
        role: invitation.role,
        invited_by: invitation.invited_by,
        created_at: invitation.created_at,
        expires_at: invitation.expires_at,
        token,
    }
}
