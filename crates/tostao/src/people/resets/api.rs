//! Asking for a new password, and setting it.

use axum::extract::State;
use db::tx::Tx;
use queue::job::{Due, push};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::auth::passwords;
use crate::people::link_token::LinkToken;
use crate::people::resets::jobs::BeginReset;
use crate::people::resets::{self, PasswordReset, over};
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::body::PublicBody;
use crate::platform::http::client_ip::network;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::{MAIL_RECIPIENT, PASSWORD_RESET, REGISTER};
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::messages::Lang;

/// The address of the person who wants a new password.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreatePasswordResetRequest")]
pub struct ResetBody {
    #[schemars(email)]
    email: String,
}

/// The new password, and the token of the link that sets it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ResetPasswordRequest")]
pub struct ConfirmBody {
    /// The token at the end of the link.
    token: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    new_password: String,
}

/// POST /api/auth/password-resets
///
/// The response is the same whether a person has the address. A link that was made less than ten
/// minutes ago stays the person's, and no other one is sent; an older one ends. An administrator's
/// password is set on the server alone.
pub async fn create(
    State(app): State<App>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    PublicBody { value: body, .. }: PublicBody<ResetBody>,
) -> Result<Ok200<Message>> {
    ask(&app, &context, &body.email, lang).await?;
    let message = "If a person has this address, a mail with a link is on its way to it.";
    Ok(Ok200(Message { message }))
}

/// POST /api/auth/password-resets/confirm
///
/// All the person's sessions end, and their second step stays. The person then logs in.
pub async fn confirm(
    State(app): State<App>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    PublicBody { value: body, .. }: PublicBody<ConfirmBody>,
) -> Result<Ok200<Message>> {
    set_password(&app, &context, &body.token, body.new_password, lang).await?;
    Ok(Ok200(Message { message: "Password changed. All sessions have ended." }))
}

/// Asks for a link by mail; counted by the caller's address, and by it and the mailbox of the
/// address that was entered. How much the mailbox gets in a day is counted by `mail`.
pub async fn ask(app: &App, context: &RequestContext, email: &str, lang: Lang) -> Result<()> {
    let spelled = fields::email(email).map_err(|fault| fault.of("email"))?;
    let now = app.now();
    context.note_rate(app.limits.check_address(&PASSWORD_RESET, context.client_ip, "", now)?);
    let what = format!("reset {}", fields::without_alias(&spelled));
    context.note_rate(app.limits.check_address(&MAIL_RECIPIENT, context.client_ip, &what, now)?);
    let job = BeginReset {
        email: email.to_owned(),
        lang: lang.tag().to_owned(),
        client_address: context.client_ip.to_string(),
        request_id: context.request_id.clone(),
    };
    let unit = async move |tx: &Tx| {
        Ok(push(tx, tx.new_id(), Due { at: tx.now(), clock: None }, &job).await?)
    };
    app.transact(unit).await
}

/// Finds the open link of a token; looks are limited as registrations are.
pub async fn find(app: &App, context: &RequestContext, token: &str) -> Result<PasswordReset> {
    context.note_rate(app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?);
    let token = LinkToken::parse(token).ok_or_else(over)?;
    app.read(async move |tx| resets::find(tx, &token).await).await
}

/// Sets the password of the person whose link has this token.
pub async fn set_password(
    app: &App,
    context: &RequestContext,
    token: &str,
    password: String,
    lang: Lang,
) -> Result<()> {
    passwords::check(&password).map_err(|fault| fault.of("newPassword"))?;
    let reset = find(app, context, token).await?;
    let (salt, address) = (app.database.sources().random(), network(context.client_ip));
    let hash = app.passwords.hash(address, password, salt).await?;
    let by = reset.by(context);
    app.transact(async move |tx| resets::confirm(tx, &by, &reset, (&hash, lang)).await).await
}
