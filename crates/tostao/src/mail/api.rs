//! Reading the mails of an account.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::mail::letter::Letter;
use crate::mail::list::ListQuery;
use crate::mail::{self, Kind, Mail, Status, jobs};
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::MailId;
use crate::platform::permissions::MailsRead;

/// A mail of the account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Mail")]
pub struct MailView {
    id: MailId,
    kind: Kind,
    /// The ID of what the mail is about: an invitation, a withdrawal, a webhook or an API key.
    subject_id: Uuid,
    /// The address of the recipient.
    to: String,
    /// The language of the text, `pt-BR` or `en`.
    language: &'static str,
    status: Status,
    /// How often it was offered to the mail server.
    attempts: i64,
    /// A stable code for the last error, such as `smtp_550` (what the mail server answered),
    /// `connection`, `tls`, `timeout`, `no_smtp_server` or `recipient_limit` (the address had got
    /// as many mails as it gets in a day); null if there was none.
    last_error: Option<String>,
    created_at: Timestamp,
    /// When it was last offered to the mail server.
    last_attempt_at: Option<Timestamp>,
    /// Until when it is tried again.
    gives_up_at: Timestamp,
    /// When it was accepted, or was given up.
    ended_at: Option<Timestamp>,
    /// The subject; only of a mail of development.
    subject: Option<String>,
}

/// A mail with its text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MailDetails")]
pub struct MailDetailsView {
    #[serde(flatten)]
    mail: MailView,
    /// The plain text; only of a mail of development, because one of production may have a link
    /// that only its recipient is to open.
    text: Option<String>,
    /// The same as HTML.
    html: Option<String>,
}

/// A page of mails, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MailList")]
pub struct MailList {
    message: &'static str,
    data: Vec<MailView>,
    pagination: Pagination,
}

/// A response with one mail.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MailResponse")]
pub struct MailReply {
    message: &'static str,
    data: MailDetailsView,
}

/// GET /api/mails
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<MailsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<MailList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let unit = async move |tx: &_| mail::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, unit).await?;
    let pagination = page.pagination(&listed);
    let view = |mail: &Mail| MailView::new(&app, mail, readable(&app, mail).as_ref());
    let data = listed.rows.iter().map(view).collect();
    Ok(Ok200(MailList { message: "Mails.", data, pagination }))
}

/// GET /api/mails/{id}
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<MailsRead>,
    PathParam(id): PathParam<MailId>,
) -> Result<Ok200<MailReply>> {
    let scope = caller.scope;
    let mail = app.read(async move |tx| mail::find(tx, scope, id).await).await?;
    let letter = readable(&app, &mail);
    let html = letter.as_ref().map(Letter::html).transpose()?;
    let text = letter.as_ref().map(Letter::text);
    let data = MailDetailsView { mail: MailView::new(&app, &mail, letter.as_ref()), text, html };
    Ok(Ok200(MailReply { message: "Mail.", data }))
}

/// The text of a mail, if it is of development.
pub fn readable(app: &App, mail: &Mail) -> Option<Letter> {
    let is_kept = mail.status == Status::Kept;
    is_kept.then(|| Letter::of(mail, &app.settings.base_url(), None)).flatten()
}

impl MailView {
    fn new(app: &App, mail: &Mail, letter: Option<&Letter>) -> Self {
        let waits_for = (mail.status == Status::Waiting).then(|| jobs::waits_for(app)).flatten();
        Self {
            id: mail.id,
            kind: mail.kind,
            subject_id: mail.subject,
            to: mail.to.clone(),
            language: mail.lang.tag(),
            status: mail.status,
            attempts: mail.attempts,
            last_error: mail.last_error.clone().or_else(|| waits_for.map(str::to_owned)),
            created_at: mail.created_at,
            last_attempt_at: mail.attempted_at,
            gives_up_at: mail.gives_up_at,
            ended_at: mail.ended_at,
            subject: letter.map(|letter| letter.subject.clone()),
        }
    }
}
