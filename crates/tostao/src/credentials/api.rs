//! Creating, listing, rotating and revoking API keys; a key cannot create keys.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::api_key::ApiKey;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::{Elevation, Matter};
use crate::credentials::{self, Credential, NewCredential, PreviousKey};
use crate::idempotency::{Execution, IdempotencyHeader, IdempotencyKey, Replayable};
use crate::platform::error::{Error, FieldErrors, FieldFault, Permit, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, OptionalBody};
use crate::platform::http::client_ip::IpNet;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::{Created, Message, Ok200, SecretReply};
use crate::platform::ids::{CredentialId, MerchantId, Mode, PersonId};
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::{CredentialsRead, CredentialsWrite, Permission};

const ADDRESSES_MAX: usize = 50;

/// The parameters of a new API key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateApiKeyRequest")]
pub struct CreateBody {
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    pub environment: Mode,
    /// The permissions of the key. With `webhooks:read` alone it sees events without `data`; with
    /// `webhooks:write` it can send every event in full to any URL.
    #[schemars(length(min = 1))]
    pub permissions: Vec<Permission>,
    /// When the key expires.
    pub expires_at: Option<Timestamp>,
    /// The IP addresses or networks that may use the key.
    #[schemars(length(min = 1, max = 50))]
    pub ip_allowlist: Option<Vec<String>>,
}

/// The parameters of an API key's rotation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RotateApiKeyRequest")]
pub struct RotateBody {
    /// How long the old key remains valid, 0 to 604800 seconds.
    #[schemars(range(max = 604_800))]
    pub grace_period_seconds: Option<u64>,
}

/// An API key.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiKey")]
pub struct ApiKeyView {
    id: CredentialId,
    name: String,
    environment: Mode,
    permissions: Vec<Permission>,
    ip_allowlist: Option<Vec<String>>,
    /// The prefix of the key.
    prefix: String,
    /// The last four characters of the key.
    last4: String,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    /// The keys of before rotations that are still valid.
    previous_keys: Vec<PreviousKey>,
    /// The full key; returned only when the key is created or rotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A response with one API key.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyResponse")]
pub struct ApiKeyReply {
    message: &'static str,
    data: ApiKeyView,
}

/// All API keys.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyList")]
pub struct ApiKeyList {
    message: &'static str,
    data: Vec<ApiKeyView>,
}

/// Who asks for a change of the account's keys: a person, in a session of the API or at a page.
pub struct Asker {
    pub merchant: MerchantId,
    pub person: PersonId,
    pub role: MemberRole,
    pub by: ActorContext,
    pub elevation: Elevation,
}

/// POST /api/credentials
pub async fn create(
    State(app): State<App>,
    caller: SignedInCaller<CredentialsWrite>,
    Context(context): Context,
    once: IdempotencyHeader,
    body: Body<CreateBody>,
) -> Result<Replayable<SecretReply<Created<ApiKeyReply>>>> {
    let key = once.key(caller.scope, &body.raw);
    ask_to_create(&app, &context, Asker::from(&caller), key, body.value).await
}

/// Creates a key: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    context: &RequestContext,
    asker: Asker,
    key: Option<IdempotencyKey>,
    body: CreateBody,
) -> Result<Replayable<SecretReply<Created<ApiKeyReply>>>> {
    let new = check(body, app.now())?;
    let permit = asker.permit(new.mode, &new.permissions)?;
    let Asker { merchant, person, by, .. } = asker;
    count(app, context, merchant, permit)?;
    app.transact_once(Execution::permitted(key, permit), async move |tx| {
        let made = credentials::create(tx, merchant, (&by, person), &new).await?;
        let message = "API key created. It is shown only now.";
        Ok(SecretReply(Created(with_key(message, made))))
    })
    .await
}

/// GET /api/credentials
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<CredentialsRead>,
) -> Result<Ok200<ApiKeyList>> {
    let merchant = caller.scope.merchant;
    let listed = app.read(async move |tx| credentials::list(tx, merchant).await).await?;
    let data = listed.into_iter().map(|credential| view(credential, None)).collect();
    Ok(Ok200(ApiKeyList { message: "API keys.", data }))
}

/// POST /api/credentials/{id}/rotate
pub async fn rotate(
    State(app): State<App>,
    caller: SignedInCaller<CredentialsWrite>,
    Context(context): Context,
    PathParam(id): PathParam<CredentialId>,
    once: IdempotencyHeader,
    body: OptionalBody<RotateBody>,
) -> Result<Replayable<SecretReply<Ok200<ApiKeyReply>>>> {
    let key = once.key(caller.scope, &body.raw);
    ask_to_rotate(&app, &context, Asker::from(&caller), key, (id, body.value)).await
}

/// Gives a credential a new key: the way in of programs and of people.
pub async fn ask_to_rotate(
    app: &App,
    context: &RequestContext,
    asker: Asker,
    key: Option<IdempotencyKey>,
    (id, body): (CredentialId, RotateBody),
) -> Result<Replayable<SecretReply<Ok200<ApiKeyReply>>>> {
    let grace = fields::grace_period(body.grace_period_seconds.unwrap_or(0))?;
    let merchant = asker.merchant;
    // Before a stored response could be sent again: what a credential permits never changes. One
    // that is revoked permits nothing.
    let found = app.read(async move |tx| credentials::find(tx, merchant, id).await).await?;
    let permit = match found {
        Some(Credential { mode, permissions, .. }) => asker.permit(mode, &permissions)?,
        None => Ok(()),
    };
    count(app, context, merchant, permit)?;
    let (by, person) = (asker.by, asker.person);
    app.transact_once(Execution::permitted(key, permit), async move |tx| {
        let maker = (&by, person);
        let rotated = credentials::rotate(tx, merchant, maker, id, grace).await?;
        let message = "API key rotated. The new one is shown only now.";
        Ok(SecretReply(Ok200(with_key(message, rotated))))
    })
    .await
}

/// DELETE /api/credentials/{id}
pub async fn revoke(
    State(app): State<App>,
    caller: SignedInCaller<CredentialsWrite>,
    PathParam(id): PathParam<CredentialId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_revoke(&app, Asker::from(&caller), None, id).await
}

/// Revokes a credential: the way in of programs and of people.
pub async fn ask_to_revoke(
    app: &App,
    Asker { merchant, by, .. }: Asker,
    key: Option<IdempotencyKey>,
    id: CredentialId,
) -> Result<Replayable<Ok200<Message>>> {
    app.transact_once(key, async move |tx| {
        credentials::revoke(tx, merchant, &by, id).await?;
        Ok(Ok200(Message { message: "API key revoked." }))
    })
    .await
}

/// Counts a request that may be carried out: others use up nothing of the account's limit.
fn count(app: &App, context: &RequestContext, merchant: MerchantId, permit: Permit) -> Result<()> {
    match permit {
        Ok(()) => app.check_account_rate_limit(context, &CREDENTIALS, merchant),
        Err(_) => Ok(()),
    }
}

impl Asker {
    /// Whether they may open what a key with these permissions opens; refuses to give them a key
    /// that may do more than they may.
    fn permit(&self, mode: Mode, permissions: &[Permission]) -> Result<Permit> {
        let own = self.role.permissions(mode);
        if let Some(beyond) = permissions.iter().find(|one| !own.contains(**one)) {
            return Err(Error::RoleForbidden(beyond.name()));
        }
        Ok(self.elevation.permit(Matter::Key(mode)))
    }
}

impl From<&SignedInCaller<CredentialsWrite>> for Asker {
    fn from(caller: &SignedInCaller<CredentialsWrite>) -> Self {
        let (merchant, person) = caller.who();
        let (role, elevation) = (caller.role, caller.elevation);
        Self { merchant, person, role, by: caller.by(), elevation }
    }
}

fn check(body: CreateBody, now: Timestamp) -> Result<NewCredential> {
    let mut wrong = FieldErrors::new();
    let name = wrong.read("name", fields::name(&body.name, 1, 100));
    let mut permissions = body.permissions;
    permissions.sort_unstable();
    permissions.dedup();
    if permissions.is_empty() {
        wrong.add("permissions", FieldFault::new("REQUIRED", "must name at least one permission"));
    }
    if body.expires_at.is_some_and(|at| at <= now) {
        wrong.add("expiresAt", FieldFault::new("NOT_IN_FUTURE", "must be in the future"));
    }
    let addresses = body.ip_allowlist.as_deref().unwrap_or_default();
    if addresses.len() > ADDRESSES_MAX || body.ip_allowlist.as_ref().is_some_and(Vec::is_empty) {
        wrong.add("ipAllowlist", FieldFault::new("INVALID_LENGTH", "must have 1 to 50 entries"));
    }
    for (index, address) in addresses.iter().enumerate().take(ADDRESSES_MAX) {
        if IpNet::parse(address).is_err() {
            let fault = FieldFault::new("INVALID_ADDRESS", "must be an IP address or a network");
            wrong.add(format!("ipAllowlist[{index}]"), fault);
        }
    }
    wrong.finish()?;
    let name = name.unwrap_or_default();
    let (ip_allowlist, expires_at) = (body.ip_allowlist, body.expires_at);
    Ok(NewCredential { mode: body.environment, name, permissions, ip_allowlist, expires_at })
}

fn with_key(message: &'static str, made: (Credential, ApiKey)) -> ApiKeyReply {
    let (credential, key) = made;
    ApiKeyReply { message, data: view(credential, Some(&key)) }
}

fn view(credential: Credential, key: Option<&ApiKey>) -> ApiKeyView {
    ApiKeyView {
        prefix: ApiKey::shown_prefix(credential.mode, &credential.public_id),
        id: credential.id,
        name: credential.name,
        environment: credential.mode,
        permissions: credential.permissions,
        ip_allowlist: credential.ip_allowlist,
        last4: credential.last4,
        created_at: credential.created_at,
        expires_at: credential.expires_at,
        last_used_at: credential.last_used_at,
        previous_keys: credential.previous,
        key: key.map(|key| key.expose().to_owned()),
    }
}
