//! Reading the audit log: an owner reads their account's, an administrator every account's.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::app::App;
use crate::audit::list::{AdminListQuery, ListQuery};
use crate::audit::{self, ActorKind, StoredEntry};
use crate::auth::caller::{Admin, SignedInCaller};
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{AuditId, MerchantId, Mode};
use crate::platform::permissions::AuditRead;

/// An entry of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditEntry")]
pub struct AuditView {
    id: AuditId,
    /// The action; new actions may be added.
    action: String,
    /// The account; null for sign-ins to accounts that do not exist.
    user_id: Option<MerchantId>,
    /// The environment; null for actions that belong to neither, such as sign-ins.
    environment: Option<Mode>,
    actor: ActorView,
    /// The ID of the object of the action: an API key, a webhook, a withdrawal, an advance, a
    /// session, a member or an invitation.
    subject_id: Option<Uuid>,
    /// The IP address of the request; null if there was no request.
    client_address: Option<String>,
    /// The `X-Request-Id` of the request; null if there was none or more than one.
    request_id: Option<String>,
    /// How many times it happened; more than 1 only for actions that are counted together.
    #[schemars(range(min = 1))]
    count: i64,
    /// More details of the action.
    details: Map<String, Value>,
    created_at: Timestamp,
}

/// Who performed the action.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditActor")]
pub struct ActorView {
    kind: ActorKind,
    /// The ID of the owner's or administrator's account, of the member, or of the API key. Members
    /// do not see the ID or the address of an administrator.
    id: Option<Uuid>,
}

/// A page of audit log entries, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditEntryList")]
pub struct AuditList {
    message: &'static str,
    data: Vec<AuditView>,
    pagination: Pagination,
}

/// GET /api/audit
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<AuditRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<AuditList>> {
    let (merchant, filter) = (caller.scope.merchant, query.read(&page)?);
    let page = filter.page;
    let unit = async move |tx: &_| audit::list(tx, merchant, &filter).await;
    let listed = app.scan_for(merchant, unit).await?;
    let pagination = page.pagination(&listed);
    let shown = listed.rows.into_iter().map(StoredEntry::seen_by_members);
    let data = shown.map(AuditView::from).collect();
    Ok(Ok200(AuditList { message: "Audit log.", data, pagination }))
}

/// GET /api/admin/audit
pub async fn list_all_accounts(
    State(app): State<App>,
    _: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<AdminListQuery>,
) -> Result<Ok200<AuditList>> {
    let (merchant, filter) = query.read(&page)?;
    let page = filter.page;
    let unit = async move |tx: &_| audit::of_all_accounts(tx, merchant, &filter).await;
    let listed = app.scan(unit).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(AuditView::from).collect();
    Ok(Ok200(AuditList { message: "Audit log.", data, pagination }))
}

impl From<StoredEntry> for AuditView {
    fn from(kept: StoredEntry) -> Self {
        Self {
            id: kept.id,
            action: kept.action,
            user_id: kept.merchant,
            environment: kept.mode,
            actor: ActorView { kind: kept.actor_kind, id: kept.actor_id },
            subject_id: kept.subject,
            client_address: kept.client_address,
            request_id: kept.request_id,
            count: kept.count,
            details: kept.details,
            created_at: kept.created_at,
        }
    }
}
