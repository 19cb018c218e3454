//! Inviting people, and accepting invitations.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::caller::SignedInCaller;
use crate::auth::passwords;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::people::api::{prove_password, sign_in_source};
use crate::people::invitations::{self, Invitation};
use crate::people::link_token::LinkToken;
use crate::people::{Person, actor};
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, PublicBody};
use crate::platform::http::client_ip::network;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::{CREDENTIALS, INVITATIONS, MAIL_RECIPIENT, REGISTER};
use crate::platform::http::reply::{Created, Message, Ok200, SecretReply};
use crate::platform::ids::{InvitationId, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::{TeamRead, TeamWrite};

/// The person to invite.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateInvitationRequest")]
#[schemars(extend("examples" = [{ "email": "bia@example.com", "role": "SUPPORT" }]))]
pub struct InviteBody {
    #[schemars(email)]
    email: String,
    /// The role in the account. `OWNER` is given to a member, not with an invitation.
    role: MemberRole,
}

/// The acceptance of an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AcceptInvitationRequest")]
pub struct AcceptBody {
    /// The token of the invitation.
    token: String,
    /// The person's name; required of a person who has no password yet.
    #[schemars(length(min = 1, max = 255))]
    name: Option<String>,
    /// The password of the person who was invited; one who has none yet sets it here. A wrong
    /// password counts as a failed sign-in attempt.
    #[schemars(length(min = 8, max = 128))]
    password: String,
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
    caller.expect_elevated()?;
    let InviteBody { email, role } = body.value;
    let mut wrong = FieldErrors::new();
    let email = wrong.read("email", fields::email(&email));
    if role == MemberRole::Owner {
        let fault = FieldFault::new("INVALID_VALUE", "cannot be OWNER: make a member an owner");
        wrong.add("role", fault);
    }
    wrong.finish()?;
    let email = email.unwrap_or_default();
    let (merchant, person) = caller.who();
    app.check_account_rate_limit(&context, &CREDENTIALS, merchant)?;
    app.check_account_rate_limit(&context, &INVITATIONS, merchant)?;
    context.note_rate(app.limits.check(&MAIL_RECIPIENT, &email, app.now())?);
    let (by, secrets, sends_mail) = (caller.by(), app.secrets.clone(), app.mail.is_some());
    app.transact_once(once.key(caller.scope, &body.raw), async move |tx| {
        let (who, whom) = ((merchant, person), (&*email, role));
        let (made, token) = invitations::create(tx, &by, who, whom, (&secrets, lang)).await?;
        let (message, token) = if sends_mail {
            ("Invitation created, and sent by mail.", None)
        } else {
            ("Invitation created. Its token is shown only now.", Some(token.expose()))
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
) -> Result<Ok200<Message>> {
    caller.expect_elevated()?;
    let ((merchant, _), by) = (caller.who(), caller.by());
    app.transact(async move |tx| invitations::revoke(tx, &by, merchant, id).await).await?;
    Ok(Ok200(Message { message: "Invitation revoked." }))
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
    let limits = app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?;
    context.note_rate(limits);
    let token = LinkToken::parse(&body.token).ok_or_else(|| {
        let message = "The token is not one of an invitation.";
        Error::refused(ErrorCode::InvitationInvalid, message)
    })?;
    let (invitation, known) = app.read(async move |tx| invitations::find(tx, &token).await).await?;
    let is_new = known.is_none();
    let person = if let Some(person) = known {
        let from = sign_in_source(&context, &device);
        let typed = (person.email.as_str(), None);
        prove_password(&app, &context, &from, typed, body.password).await?.person
    } else {
        newcomer(&app, &context, &invitation, body).await?
    };
    let by = ActorContext::request(actor(invitation.merchant, person.id), &context);
    app.transact(async move |tx| invitations::accept(tx, &by, &invitation, &person, is_new).await)
        .await?;
    Ok(Ok200(Message { message: "You are a member of the account now. Log in." }))
}

/// The person of an invitation whose address is new, with the password that they set.
async fn newcomer(
    app: &App,
    context: &RequestContext,
    invitation: &Invitation,
    body: AcceptBody,
) -> Result<Person> {
    let mut wrong = FieldErrors::new();
    let name = wrong.read("name", fields::name(body.name.as_deref().unwrap_or_default(), 1, 255));
    wrong.read("password", passwords::check(&body.password));
    wrong.finish()?;
    let sources = app.database.sources();
    let (salt, address) = (sources.random(), network(context.client_ip));
    Ok(Person {
        id: PersonId(sources.new_id(app.now())),
        name: name.unwrap_or_default(),
        email: invitation.email.clone(),
        password_hash: app.passwords.hash(address, body.password, salt).await?,
    })
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
