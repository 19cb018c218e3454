//! What the caller's credential stands for.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::credentials;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{CredentialId, MerchantId, Mode};
use crate::platform::openapi::API_VERSION;
use crate::platform::permissions::{NoPermission, Permission, Permissions};

/// The account that a credential belongs to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallerAccount")]
pub struct AccountView {
    id: MerchantId,
    name: String,
}

/// What a credential stands for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Caller")]
pub struct CallerView {
    account: AccountView,
    environment: Mode,
    /// The API key; null for an access token.
    key_id: Option<CredentialId>,
    key_name: Option<String>,
    /// What the credential may do; an access token has the permissions of its person's role.
    permissions: Vec<Permission>,
    /// When the API key expires; null if it does not.
    expires_at: Option<Timestamp>,
    /// The time by which this environment works: in development that of the test clock.
    now: Timestamp,
    /// The version of the API.
    api_version: &'static str,
    /// The version of the server.
    version: &'static str,
}

/// A response with the caller.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallerResponse")]
pub struct CallerReply {
    success: bool,
    data: CallerView,
}

/// GET /api/whoami
pub async fn show(
    State(app): State<App>,
    caller: Caller<NoPermission>,
) -> Result<Ok200<CallerReply>> {
    let (scope, key) = (caller.scope, caller.key());
    let found = app.read(async move |tx| {
        let merchant = merchants::find(tx, scope.merchant).await?;
        let keys = match key {
            Some(_) => credentials::list(tx, scope.merchant).await?,
            None => Vec::new(),
        };
        Ok((merchant, keys, scope.now(tx)))
    });
    let (merchant, keys, now) = found.await?;
    let used = keys.into_iter().find(|known| Some(known.id) == key);
    let (key_name, expires_at) = used.map_or((None, None), |key| (Some(key.name), key.expires_at));
    let permissions = match caller.permissions {
        Permissions::All => Permission::ALL.to_vec(),
        Permissions::Of(permissions) => permissions,
    };
    let data = CallerView {
        account: AccountView { id: merchant.id, name: merchant.name },
        environment: scope.mode,
        key_id: key,
        key_name,
        permissions,
        expires_at,
        now,
        api_version: API_VERSION,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(Ok200(CallerReply { success: true, data }))
}
