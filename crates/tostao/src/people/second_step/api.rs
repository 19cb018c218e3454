//! Turning the second step of a person's sign-in on and off.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use documents::qr::Qr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::{self, Matter};
use crate::people::second_step::codes::BackupCode;
use crate::people::second_step::{self, Enrollment};
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::{counted, limit_codes};
use crate::people::{self, Acting};
use crate::platform::error::{Permit, Result};
use crate::platform::http::body::{Body, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::PersonId;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// What begins a second step.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateTwoFactorRequest")]
#[schemars(extend("examples" = [{ "password": "a long password" }]))]
pub struct BeginBody {
    /// The person's password. A wrong password counts as a failed sign-in attempt.
    pub password: String,
}

/// The first code of an authenticator app.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ConfirmTwoFactorRequest")]
pub struct ConfirmBody {
    /// The six digits that the app shows.
    #[serde(alias = "totp")]
    pub code: String,
}

/// What replaces the backup codes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "CreateBackupCodesRequest")]
#[schemars(extend("examples" = [{ "code": "123456" }]))]
pub struct RenewBody {
    /// A code of the authenticator app, without which the request is refused. A backup code is no
    /// code of the app.
    #[serde(default, alias = "totp")]
    pub code: Option<String>,
}

/// What removes a second step.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DeleteTwoFactorRequest")]
pub struct RemoveBody {
    /// The person's password. A wrong password counts as a failed sign-in attempt.
    pub password: String,
    /// A code of the authenticator app, or a backup code.
    #[serde(alias = "totp")]
    pub code: String,
}

/// The second step of a person's sign-in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TwoFactor")]
pub struct StateView {
    /// Whether a sign-in needs a code.
    enabled: bool,
    /// Since when a sign-in needs a code; null if it needs none.
    enabled_at: Option<Timestamp>,
    /// How many backup codes are left.
    backup_codes_left: i64,
}

/// A response with the second step.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TwoFactorResponse")]
pub struct StateReply {
    message: &'static str,
    data: StateView,
}

/// The secret of an authenticator app.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TwoFactorEnrollment")]
pub struct EnrollmentView {
    /// The secret in base32, for apps that read no QR code.
    pub secret: String,
    /// The address with the secret that the QR code holds, which opens an app on the same device.
    pub otpauth_url: String,
    /// The QR code as a PNG in base64, without the `data:` prefix.
    pub qr_code_base64: String,
}

/// A response with the secret of an authenticator app, which is shown only now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TwoFactorEnrollmentResponse")]
pub struct EnrollmentReply {
    message: &'static str,
    data: EnrollmentView,
}

/// Codes for a lost device.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BackupCodes")]
pub struct CodesView {
    /// The codes, each for one use.
    pub backup_codes: Vec<String>,
}

/// A response with new backup codes, which are shown only now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BackupCodesResponse")]
pub struct CodesReply {
    message: &'static str,
    data: CodesView,
}

/// GET /api/two-factor
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<StateReply>> {
    let (_, person) = caller.who();
    let found = app.read(async move |tx| second_step::state(tx, person).await).await?;
    let state = found.unwrap_or_default();
    let data = StateView {
        enabled: state.enabled_at.is_some(),
        enabled_at: state.enabled_at,
        backup_codes_left: state.backup_codes_left,
    };
    Ok(Ok200(StateReply { message: "Second step.", data }))
}

/// POST /api/two-factor
pub async fn begin(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    device: Device,
    Body { value: body, .. }: Body<BeginBody>,
) -> Result<Created<EnrollmentReply>> {
    let (acting, permit) = (caller.acting(), caller.permit(Matter::Own));
    let data = ask_to_begin(&app, (&context, &device), acting, permit, body).await?;
    let message = "Add this to your authenticator app, then confirm with a code of it.";
    Ok(Created(EnrollmentReply { message, data }))
}

/// Makes the secret of a person's app: the way in of programs and of people.
///
/// It takes the password itself, not only a session that proved it lately: who uses a browser that
/// was left open would otherwise add a device of their own and keep the person out.
pub async fn ask_to_begin(
    app: &App,
    (context, device): (&RequestContext, &Device),
    acting: Acting,
    permit: Permit,
    BeginBody { password }: BeginBody,
) -> Result<EnrollmentView> {
    elevation::expect(permit)?;
    slow_down(app, context, acting.who.1)?;
    let proved = prove_own_password(app, context, device, acting.who, password).await?;
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        people::expect_password(tx, &proved.person).await?;
        second_step::begin(tx, &secrets, &acting, &proved.person.email).await
    };
    EnrollmentView::new(app.transact(unit).await?)
}

/// The secret of a person's app that waits for its first code, to be shown until then in the
/// session that made it.
pub async fn waiting(app: &App, acting: Acting) -> Result<Option<EnrollmentView>> {
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        let email = people::find(tx, acting.who.1).await?.email;
        second_step::waiting(tx, &secrets, &acting, &email).await
    };
    app.read(unit).await?.map(EnrollmentView::new).transpose()
}

/// POST /api/two-factor/confirm
pub async fn confirm(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<ConfirmBody>,
) -> Result<Ok200<CodesReply>> {
    let (acting, permit) = (caller.acting(), caller.permit(Matter::Own));
    let data = ask_to_confirm(&app, (&context, lang), acting, permit, body).await?;
    let message = "Sign-ins need a code from now on. The backup codes are shown only now.";
    Ok(Ok200(CodesReply { message, data }))
}

/// Turns a second step on: the way in of programs and of people.
pub async fn ask_to_confirm(
    app: &App,
    (context, lang): (&RequestContext, Lang),
    acting: Acting,
    permit: Permit,
    ConfirmBody { code }: ConfirmBody,
) -> Result<CodesView> {
    elevation::expect(permit)?;
    slow_down(app, context, acting.who.1)?;
    let secrets = app.secrets.clone();
    let unit =
        async move |tx: &Tx| second_step::confirm(tx, (&secrets, lang), &acting, &code).await;
    Ok(app.transact(unit).await?.into())
}

/// POST /api/two-factor/backup-codes
pub async fn renew_backup_codes(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    OptionalBody { value: body, .. }: OptionalBody<RenewBody>,
) -> Result<Created<CodesReply>> {
    let data = ask_to_renew(&app, (&context, lang), caller.acting(), body).await?;
    let message = "The earlier backup codes are void. These are shown only now.";
    Ok(Created(CodesReply { message, data }))
}

/// Replaces the backup codes of a person: the way in of programs and of people.
pub async fn ask_to_renew(
    app: &App,
    (context, lang): (&RequestContext, Lang),
    acting: Acting,
    RenewBody { code }: RenewBody,
) -> Result<CodesView> {
    let (who, secrets) = (acting.who, app.secrets.clone());
    slow_down(app, context, who.1)?;
    limit_codes(app, context, who.1)?;
    let unit = async move |tx: &Tx| {
        second_step::renew_backup_codes(tx, (&secrets, lang), &acting, code.as_deref()).await
    };
    Ok(counted(app, context, who.0, app.transact(unit).await?)?.into())
}

/// DELETE /api/two-factor
pub async fn remove(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    caller: SignedInCaller<NoPermission>,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<RemoveBody>,
) -> Result<Ok200<Message>> {
    ask_to_remove(&app, (&context, &device), lang, caller.acting(), body).await?;
    Ok(Ok200(Message { message: "Second step removed." }))
}

/// Removes the second step of a person: the way in of programs and of people.
pub async fn ask_to_remove(
    app: &App,
    (context, device): (&RequestContext, &Device),
    lang: Lang,
    acting: Acting,
    RemoveBody { password, code }: RemoveBody,
) -> Result<()> {
    let (who, secrets) = (acting.who, app.secrets.clone());
    slow_down(app, context, who.1)?;
    let proved = prove_own_password(app, context, device, who, password).await?;
    let unit = async move |tx: &Tx| {
        let how = (&*secrets, lang);
        let verified = second_step::verify_in_session(tx, how, &acting, Some(&code)).await?;
        // A wrong code is counted, so the unit is committed.
        Ok(match verified.proves() {
            Ok(passed) => {
                people::expect_password(tx, &proved.person).await?;
                Ok(second_step::remove(tx, &acting.by, who, lang, passed).await?)
            }
            Err(refusal) => Err(refusal),
        })
    };
    counted(app, context, who.0, app.transact(unit).await?)
}

/// Limits a person to the few changes that are ever needed; each writes to the audit log.
fn slow_down(app: &App, context: &RequestContext, person: PersonId) -> Result<()> {
    context.note_rate(app.limits.check(&CREDENTIALS, &person.to_string(), app.now())?);
    Ok(())
}

impl EnrollmentView {
    fn new(Enrollment { secret, url }: Enrollment) -> Result<Self> {
        let qr_code_base64 = Qr::encode(&url)?.png_base64();
        Ok(Self { secret, otpauth_url: url, qr_code_base64 })
    }
}

impl From<Vec<BackupCode>> for CodesView {
    fn from(codes: Vec<BackupCode>) -> Self {
        Self { backup_codes: codes.iter().map(BackupCode::expose).collect() }
    }
}
