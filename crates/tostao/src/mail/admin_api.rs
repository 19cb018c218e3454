//! Administrators see which mails have not left, and have one that waits offered at once.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::mail::list::{UnsentFilter, UnsentQuery};
use crate::mail::{self, Kind, Mail, Status, jobs};
use crate::platform::error::Result;
use crate::platform::http::body::{Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{MailId, MerchantId};
use crate::platform::masked;

/// What of a mail is shown.
pub const WHAT_IT_SHOWS: &str = "Mails of production, oldest first. Addresses are masked; texts \
    and links are never shown. `total` counts at most 1,001.";

/// A mail that waits or has failed, without its text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UnsentMail")]
pub struct UnsentMailView {
    id: MailId,
    /// The account that it is of; null for a mail to a person about their sign-in.
    user_id: Option<MerchantId>,
    kind: Kind,
    /// The recipient's address, masked.
    to: String,
    status: Status,
    /// How often it was offered to the mail server.
    attempts: i64,
    /// A stable code for the last error; null if there was none.
    last_error: Option<String>,
    created_at: Timestamp,
    /// When it was last offered to the mail server.
    last_attempt_at: Option<Timestamp>,
    /// Until when it is tried again.
    gives_up_at: Timestamp,
    /// When it was given up.
    ended_at: Option<Timestamp>,
}

/// A page of mails that have not left, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnsentMailList")]
pub struct UnsentMailList {
    message: &'static str,
    data: Vec<UnsentMailView>,
    pagination: Pagination,
}

/// A response with one mail that has not left.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnsentMailResponse")]
pub struct UnsentMailReply {
    message: &'static str,
    data: UnsentMailView,
}

/// GET /api/admin/mails
pub async fn list(
    State(app): State<App>,
    _: Admin,
    Query(page): Query<PageQuery>,
    Query(query): Query<UnsentQuery>,
) -> Result<Ok200<UnsentMailList>> {
    let page = page.read()?;
    let filter = UnsentFilter { page, status: query.status };
    let listed = app.scan(async move |tx| mail::unsent(tx, &filter).await).await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.iter().map(|mail| UnsentMailView::new(&app, mail)).collect();
    Ok(Ok200(UnsentMailList { message: "Mails that have not left.", data, pagination }))
}

/// GET /api/admin/mails/{id}
pub async fn show(
    State(app): State<App>,
    _: Admin,
    PathParam(id): PathParam<MailId>,
) -> Result<Ok200<UnsentMailReply>> {
    let found = app.read(async move |tx| mail::find_unsent(tx, id).await).await?;
    Ok(Ok200(UnsentMailReply { message: "Mail.", data: UnsentMailView::new(&app, &found) }))
}

/// POST /api/admin/mails/{id}/retry
pub async fn retry(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<MailId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<UnsentMailReply>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_retry(&app, DecisionTicket { mode, execution, by }, id).await
}

/// Has a mail that waits offered at once: the way in of programs and of people.
pub async fn ask_to_retry(
    app: &App,
    DecisionTicket { execution, by, .. }: DecisionTicket,
    id: MailId,
) -> Result<Replayable<Ok200<UnsentMailReply>>> {
    let server = app.clone();
    app.transact_once(execution, async move |tx| {
        let mail = mail::offer_again(tx, &by, id).await?;
        let data = UnsentMailView::new(&server, &mail);
        Ok(Ok200(UnsentMailReply { message: "The mail is offered again.", data }))
    })
    .await
}

/// Why a mail has not left: its last error, or that the server has no SMTP server.
pub fn last_error(app: &App, mail: &Mail) -> Option<String> {
    let waits_for = (mail.status == Status::Waiting).then(|| jobs::waits_for(app)).flatten();
    mail.last_error.clone().or_else(|| waits_for.map(str::to_owned))
}

impl UnsentMailView {
    fn new(app: &App, mail: &Mail) -> Self {
        Self {
            id: mail.id,
            user_id: mail.merchant,
            kind: mail.kind,
            to: masked::email(&mail.to),
            status: mail.status,
            attempts: mail.attempts,
            last_error: last_error(app, mail),
            created_at: mail.created_at,
            last_attempt_at: mail.attempted_at,
            gives_up_at: mail.gives_up_at,
            ended_at: mail.ended_at,
        }
    }
}
