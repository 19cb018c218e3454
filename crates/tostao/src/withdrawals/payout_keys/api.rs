//! Payout keys through the API; only people add and delete them.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::caller::{Caller, SignedInCaller};
use crate::auth::elevation::{Elevation, Matter};
use crate::idempotency::{Execution, IdempotencyHeader, IdempotencyKey, Replayable};
use crate::platform::error::{Error, FieldErrors, Permit, Result};
use crate::platform::fields::{self, ApiPixKeyType};
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::{PayoutKeyId, PersonId, Scope};
use crate::platform::member_role::MemberRole;
use crate::platform::permissions::{NoPermission, Permission, WithdrawalsRead};
use crate::withdrawals::payout_keys::{self, NewPayoutKey, PayoutKey};
use crate::withdrawals::validation::pix_key;

/// How long a label may be.
pub const LABEL_LENGTH_MAX: usize = 60;

/// The parameters of a new payout key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "label": "Conta da empresa", "pixKey": "fulano@example.com", "pixKeyType": "email",
}]))]
pub struct CreatePayoutKeyRequest {
    /// What the account calls the key.
    #[schemars(length(min = 1, max = 60))]
    pub label: String,
    /// The PIX key; validated against `pixKeyType`.
    #[schemars(length(min = 1, max = 77))]
    pub pix_key: String,
    #[schemars(with = "ApiPixKeyType")]
    pub pix_key_type: String,
}

/// A PIX key that the people of the account withdraw to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PayoutKey")]
pub struct PayoutKeyView {
    id: PayoutKeyId,
    label: String,
    pix_key_type: ApiPixKeyType,
    /// The PIX key in the format of the central bank's directory (DICT).
    pix_key: String,
    /// From when on people withdraw to it in the dashboard: in production a day after it was
    /// added.
    usable_from: Timestamp,
    created_at: Timestamp,
}

/// A response with one payout key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PayoutKeyResponse {
    message: &'static str,
    data: PayoutKeyView,
}

/// All payout keys, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PayoutKeyList {
    message: &'static str,
    data: Vec<PayoutKeyView>,
}

/// Who asks for a change of payout keys: a person, in a session of the API or at a page.
pub struct Asker {
    pub scope: Scope,
    pub person: PersonId,
    pub role: MemberRole,
    pub by: ActorContext,
    pub elevation: Elevation,
}

/// POST /api/payout-keys
pub async fn create(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    once: IdempotencyHeader,
    body: Body<CreatePayoutKeyRequest>,
) -> Result<Replayable<Created<PayoutKeyResponse>>> {
    let key = once.key(caller.scope, &body.raw);
    ask_to_create(&app, &context, Asker::from(&caller), key, &body.value).await
}

/// Adds a key: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    context: &RequestContext,
    asker: Asker,
    key: Option<IdempotencyKey>,
    body: &CreatePayoutKeyRequest,
) -> Result<Replayable<Created<PayoutKeyResponse>>> {
    let permit = asker.permit()?;
    let new = check(body)?;
    asker.count(app, context, permit)?;
    let Asker { scope, person, by, .. } = asker;
    app.transact_once(Execution::permitted(key, permit), async move |tx| {
        let added = payout_keys::add(tx, scope, (person, &by), &new).await?;
        let data = PayoutKeyView::from(added);
        Ok(Created(PayoutKeyResponse { message: "Payout key added.", data }))
    })
    .await
}

/// GET /api/payout-keys
pub async fn list(
    State(app): State<App>,
    caller: Caller<WithdrawalsRead>,
) -> Result<Ok200<PayoutKeyList>> {
    let scope = caller.scope;
    let listed = app.read(async move |tx| payout_keys::list(tx, scope).await).await?;
    let data = listed.into_iter().map(PayoutKeyView::from).collect();
    Ok(Ok200(PayoutKeyList { message: "Payout keys.", data }))
}

/// DELETE /api/payout-keys/{id}
pub async fn delete(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    PathParam(id): PathParam<PayoutKeyId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_delete(&app, &context, Asker::from(&caller), None, id).await
}

/// Deletes a key: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    context: &RequestContext,
    asker: Asker,
    key: Option<IdempotencyKey>,
    id: PayoutKeyId,
) -> Result<Replayable<Ok200<Message>>> {
    let permit = asker.permit()?;
    asker.count(app, context, permit)?;
    let Asker { scope, by, .. } = asker;
    app.transact_once(Execution::permitted(key, permit), async move |tx| {
        payout_keys::delete(tx, scope, &by, id).await?;
        Ok(Ok200(Message { message: "Payout key deleted." }))
    })
    .await
}

impl Asker {
    /// Whether they may change payout keys now; refuses a role that may not withdraw.
    fn permit(&self) -> Result<Permit> {
        let (mode, needed) = (self.scope.mode, Permission::WithdrawalsWrite);
        if !self.role.permissions(mode).contains(needed) {
            return Err(Error::RoleForbidden(needed.name()));
        }
        Ok(self.elevation.permit(Matter::Withdrawal(mode)))
    }

    /// Counts a request that may be carried out: others use up nothing of the account's limit.
    fn count(&self, app: &App, context: &RequestContext, permit: Permit) -> Result<()> {
        match permit {
            Ok(()) => app.check_account_rate_limit(context, &CREDENTIALS, self.scope.merchant),
            Err(_) => Ok(()),
        }
    }
}

impl From<&SignedInCaller<NoPermission>> for Asker {
    fn from(caller: &SignedInCaller<NoPermission>) -> Self {
        let SignedInCaller { scope, person, role, elevation, .. } = *caller;
        Self { scope, person, role, by: caller.by(), elevation }
    }
}

impl From<PayoutKey> for PayoutKeyView {
    fn from(key: PayoutKey) -> Self {
        Self {
            id: key.id,
            label: key.label,
            pix_key_type: key.key.key_type().into(),
            pix_key: key.key.as_str().to_owned(),
            usable_from: key.usable_from,
            created_at: key.created_at,
        }
    }
}

fn check(body: &CreatePayoutKeyRequest) -> Result<NewPayoutKey> {
    let mut wrong = FieldErrors::new();
    let label = wrong.read("label", fields::name(&body.label, 1, LABEL_LENGTH_MAX));
    let key = pix_key(&mut wrong, &body.pix_key_type, &body.pix_key);
    let (Some(label), Some(key)) = (label, key) else { return Err(wrong.into_error()) };
    Ok(NewPayoutKey { label, key })
}
