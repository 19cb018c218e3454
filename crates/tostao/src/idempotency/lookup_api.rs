//! Looking up an idempotency key.

use axum::extract::State;
use db::hex::hex;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::idempotency::lookup::{KeyLookup, look_up};
use crate::platform::error::Result;
use crate::platform::http::path::TextParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::Scope;
use crate::platform::openapi::described::required;
use crate::platform::openapi::operation::Security;
use crate::platform::permissions::{Permission, Permissions, PersonalPermission, RequestsRead};

/// For how long keys are kept, in words.
const KEPT: &str = "one day; those about payments, withdrawals and advances, seven";

/// How far the first request with a key has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "IdempotencyKeyState")]
pub enum KeyProgress {
    /// It has no response yet; a retry waits for it or continues it.
    InProgress,
    /// It has a response, which a retry gets.
    Answered,
}

/// An idempotency key on one route.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "IdempotencyKey")]
pub struct KeyView {
    /// The method and the route's pattern, such as `POST /api/v1/transactions`.
    pub route: String,
    pub state: KeyProgress,
    /// The HTTP status of the response.
    pub status: Option<i64>,
    /// The body of the response; null if it is sealed or erased, while the request is in progress,
    /// and for callers who may not read and write what its route is about. Buyers' are shown to
    /// callers with every permission.
    #[schemars(with = "Option<Value>")]
    pub answer: Option<Box<RawValue>>,
    /// Whether the response holds a secret, which only a retry gets.
    pub sealed: bool,
    /// The object that the request created, where the response takes more than one step.
    pub subject_id: Option<Uuid>,
    /// The `X-Request-Id` of the first request.
    pub request_id: Option<String>,
    /// Until when a retry gets the response.
    pub expires_at: Timestamp,
    /// The SHA-256 of the path and the body, in hexadecimal: a retry has the same. Null for callers
    /// without every permission, who could guess the body by it.
    pub fingerprint: Option<String>,
}

/// A key on every route that knows it; empty if none does.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IdempotencyKeyList")]
pub struct KeyList {
    success: bool,
    data: Vec<KeyView>,
    /// For how long keys are kept.
    kept: &'static str,
}

/// Who looks a key up.
pub struct KeyReader<'a> {
    pub permissions: &'a Permissions,
    /// What no key may do.
    pub may: &'a (dyn Fn(PersonalPermission) -> bool + Sync),
    /// Whether it is an API key.
    pub is_program: bool,
    /// Whether it is the person who opened the account.
    pub opened_account: bool,
}

/// GET /api/idempotency-keys/{key}
pub async fn show(
    State(app): State<App>,
    caller: Caller<RequestsRead>,
    TextParam(key): TextParam,
) -> Result<Ok200<KeyList>> {
    let reader = KeyReader {
        permissions: &caller.permissions,
        may: &|what| caller.may(what),
        is_program: caller.key().is_some(),
        opened_account: caller.opened_account(),
    };
    let data = seen(&app, caller.scope, key, &reader).await?;
    Ok(Ok200(KeyList { success: true, data, kept: KEPT }))
}

/// What a key stands for, as far as a program or a person may see it.
pub async fn seen(
    app: &App,
    scope: Scope,
    key: String,
    reader: &KeyReader<'_>,
) -> Result<Vec<KeyView>> {
    let found = app.read(async move |tx| look_up(tx, scope, &key).await).await?;
    Ok(found.into_iter().map(|found| KeyView::new(found, reader)).collect())
}

/// Whether the caller has every permission.
fn sees_all(reader: &KeyReader<'_>) -> bool {
    Permission::ALL.iter().all(|one| reader.permissions.contains(*one))
}

/// Whether the caller has every permission on what the route is about: a response shows more than
/// a key that only writes may read.
fn may_read(reader: &KeyReader<'_>, route: &str) -> bool {
    match required(route) {
        Some(Security::Permissions(needed)) => {
            let object = |of: &Permission| of.name().split(':').next();
            let concerns = |one: &&Permission| needed.iter().any(|of| object(of) == object(one));
            let mut concerned = Permission::ALL.iter().filter(concerns);
            concerned.all(|one| reader.permissions.contains(*one))
        }
        Some(Security::Person(needed)) => {
            !reader.is_program && needed.iter().all(|one| (reader.may)(*one))
        }
        // Only who opened an administrator's account decides for the platform.
        Some(Security::Admin) => reader.opened_account,
        None => sees_all(reader),
    }
}

impl KeyView {
    fn new(found: KeyLookup, reader: &KeyReader<'_>) -> Self {
        let body = found.body.filter(|_| may_read(reader, &found.route));
        Self {
            route: found.route,
            state: match found.status {
                Some(_) => KeyProgress::Answered,
                None => KeyProgress::InProgress,
            },
            status: found.status,
            // It goes out as it was stored.
            answer: body.and_then(|body| RawValue::from_string(body).ok()),
            sealed: found.is_sealed,
            subject_id: found.subject,
            request_id: found.request_id.filter(|id| !id.is_empty()),
            expires_at: found.expires_at,
            fingerprint: sees_all(reader).then(|| hex(&found.fingerprint)),
        }
    }
}
