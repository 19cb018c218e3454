//! Asking for another address, and the links that confirm and stop the change.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::people::email_changes::{self, EmailChange, LinkedChange, over};
use crate::people::link_token::LinkToken;
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::counted;
use crate::people::{self, Acting, second_step};
use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::body::{Body, PublicBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::{CREDENTIALS, MAIL_RECIPIENT, PASSWORD_RESET, REGISTER};
use crate::platform::http::reply::{Message, Ok200};
use crate::platform::ids::PersonId;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// The new address, and who asks for it.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ChangeEmailRequest")]
#[schemars(extend("examples" = [{ "email": "ana@example.com", "password": "a long password" }]))]
pub struct ChangeBody {
    #[schemars(email)]
    pub email: String,
    /// The person's password. A wrong password counts as a failed sign-in attempt.
    pub password: String,
    /// A code of the authenticator app or a backup code, for a person who has a second step.
    #[serde(default, alias = "totp")]
    pub code: Option<String>,
}

/// The token of a link.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EmailChangeTokenRequest")]
pub struct TokenBody {
    /// The token in the address of the link.
    token: String,
}

/// A change of the address that waits for its confirmation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EmailChange")]
pub struct ChangeView {
    /// The new address.
    email: String,
    requested_at: Timestamp,
    /// From when the link that was sent to the new address works.
    possible_at: Timestamp,
    /// Until when it works.
    expires_at: Timestamp,
}

/// A response with the change that waits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmailChangeResponse")]
pub struct ChangeReply {
    message: &'static str,
    data: ChangeView,
}

/// The address that a person signs in with.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PersonEmail")]
pub struct EmailView {
    email: String,
    /// The change that waits for its confirmation; null if none does.
    pending_change: Option<ChangeView>,
}

/// A response with the address.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PersonEmailResponse")]
pub struct EmailReply {
    message: &'static str,
    data: EmailView,
}

/// GET /api/auth/email
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<EmailReply>> {
    let (email, pending) = standing(&app, caller.person).await?;
    let data = EmailView { email, pending_change: pending.map(ChangeView::from) };
    Ok(Ok200(EmailReply { message: "The address that you sign in with.", data }))
}

/// The address of a person, and their open change.
pub async fn standing(app: &App, person: PersonId) -> Result<(String, Option<EmailChange>)> {
    let read = async move |tx: &Tx| {
        let email = people::find(tx, person).await?.email;
        Ok::<_, Error>((email, email_changes::open_of(tx, person).await?))
    };
    app.read(read).await
}

/// POST /api/auth/email
///
/// The response is the same whether another person has the address.
pub async fn change(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    caller: SignedInCaller<NoPermission>,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<ChangeBody>,
) -> Result<Ok200<ChangeReply>> {
    let asked = ask(&app, (&context, &device), lang, caller.acting(), body).await?;
    let message = "A link is on its way to the new address, and a notice to the old one.";
    Ok(Ok200(ChangeReply { message, data: asked.into() }))
}

/// Asks for another address: the way in of programs and of people.
pub async fn ask(
    app: &App,
    (context, device): (&RequestContext, &Device),
    lang: Lang,
    acting: Acting,
    ChangeBody { email, password, code }: ChangeBody,
) -> Result<EmailChange> {
    let email = fields::email(&email).map_err(|fault| fault.of("email"))?;
    let who = acting.who;
    limit(app, context, who.1, &email)?;
    let proved = prove_own_password(app, context, device, who, password).await?;
    if proved.person.email == email {
        return Err(Error::field("email", "INVALID_VALUE", "is your address already"));
    }
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        people::expect_password(tx, &proved.person).await?;
        if let Some(open) = email_changes::repeated(tx, &acting, &email).await? {
            return Ok(Ok(open));
        }
        let how = (&*secrets, lang);
        let verified = second_step::verify_in_session(tx, how, &acting, code.as_deref()).await?;
        let passed = match verified.admits() {
            Ok(passed) => passed,
            // A wrong code is counted, so the unit is committed.
            Err(refusal) => return Ok(Err(refusal)),
        };
        let whose = (&proved.person, passed);
        Ok(Ok(email_changes::ask(tx, &acting, whose, &email, how).await?))
    };
    counted(app, context, who.0, app.transact(unit).await?)
}

/// DELETE /api/auth/email
pub async fn cancel(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<Message>> {
    ask_to_cancel(&app, caller.acting()).await?;
    Ok(Ok200(Message { message: "No change of the address is open." }))
}

/// Ends the open change of a person: the way in of programs and of people.
pub async fn ask_to_cancel(app: &App, acting: Acting) -> Result<()> {
    app.transact(async move |tx| email_changes::cancel(tx, &acting).await).await
}

/// POST /api/auth/email/confirm
pub async fn confirm(
    State(app): State<App>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    PublicBody { value: body, .. }: PublicBody<TokenBody>,
) -> Result<Ok200<Message>> {
    use_to_confirm(&app, &context, &body.token, lang).await?;
    Ok(Ok200(Message { message: "Address changed. Sign in with it from now on." }))
}

/// POST /api/auth/email/stop
pub async fn stop(
    State(app): State<App>,
    Context(context): Context,
    PublicBody { value: body, .. }: PublicBody<TokenBody>,
) -> Result<Ok200<Message>> {
    use_to_stop(&app, &context, &body.token).await?;
    Ok(Ok200(Message { message: "The change has ended, and so have all sessions." }))
}

/// Finds the open change of a token at the new address; looks are limited as registrations are.
pub async fn find_to_confirm(
    app: &App,
    context: &RequestContext,
    token: &str,
) -> Result<LinkedChange> {
    let token = parse(app, context, token)?;
    app.read(async move |tx| email_changes::find_to_confirm(tx, &token).await).await
}

/// The same of a token at the old address.
pub async fn find_to_stop(
    app: &App,
    context: &RequestContext,
    token: &str,
) -> Result<LinkedChange> {
    let token = parse(app, context, token)?;
    app.read(async move |tx| email_changes::find_to_stop(tx, &token).await).await
}

/// Changes the address of the person whose link at the new address has this token.
pub async fn use_to_confirm(
    app: &App,
    context: &RequestContext,
    token: &str,
    lang: Lang,
) -> Result<()> {
    let found = find_to_confirm(app, context, token).await?;
    let by = found.by(context);
    app.transact(async move |tx| email_changes::confirm(tx, &by, &found, lang).await).await
}

/// Ends the change whose link at the old address has this token.
pub async fn use_to_stop(app: &App, context: &RequestContext, token: &str) -> Result<()> {
    let found = find_to_stop(app, context, token).await?;
    let by = found.by(context);
    app.transact(async move |tx| email_changes::stop(tx, &by, &found).await).await
}

/// Counts a request by its person, by the caller's address, and by the mailbox that it names. How
/// much the mailbox gets in a day is counted by `mail`.
fn limit(app: &App, context: &RequestContext, person: PersonId, email: &str) -> Result<()> {
    let (limits, now) = (&app.limits, app.now());
    context.note_rate(limits.check(&CREDENTIALS, &person.to_string(), now)?);
    context.note_rate(limits.check_address(&PASSWORD_RESET, context.client_ip, "", now)?);
    let mailbox = format!("email change {}", fields::without_alias(email));
    context.note_rate(limits.check(&MAIL_RECIPIENT, &mailbox, now)?);
    Ok(())
}

fn parse(app: &App, context: &RequestContext, token: &str) -> Result<LinkToken> {
    context.note_rate(app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?);
    LinkToken::parse(token).ok_or_else(over)
}

impl From<EmailChange> for ChangeView {
    fn from(change: EmailChange) -> Self {
        Self {
            email: change.email,
            requested_at: change.created_at,
            possible_at: change.possible_at,
            expires_at: change.expires_at,
        }
    }
}
