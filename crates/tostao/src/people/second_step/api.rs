//! Turning the second step of a person's sign-in on and off.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use documents::qr::Qr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::people;
use crate::people::second_step::codes::BackupCode;
use crate::people::second_step::{self, Enrollment};
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::{counted, limit_codes};
use crate::platform::error::Result;
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::PersonId;
use crate::platform::permissions::NoPermission;

/// The first code of an authenticator app.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ConfirmTwoFactorRequest")]
pub struct ConfirmBody {
    /// The six digits that the app shows.
    #[serde(alias = "totp")]
    code: String,
}

/// What replaces the backup codes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "CreateBackupCodesRequest")]
#[schemars(extend("examples" = [{ "code": "123456" }]))]
pub struct RenewBody {
    /// A code of the authenticator app, without which the request is refused. A backup code is no
    /// code of the app.
    #[serde(default, alias = "totp")]
    code: Option<String>,
}

/// What removes a second step.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DeleteTwoFactorRequest")]
pub struct RemoveBody {
    /// The person's password. A wrong password counts as a failed sign-in attempt.
    password: String,
    /// A code of the authenticator app, or a backup code.
    #[serde(alias = "totp")]
    code: String,
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
    secret: String,
    /// The address with the secret that the QR code holds, which opens an app on the same device.
    otpauth_url: String,
    /// The QR code as a PNG in base64, without the `data:` prefix.
    qr_code_base64: String,
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
    backup_codes: Vec<String>,
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
    _: OptionalBody<Empty>,
) -> Result<Created<EnrollmentReply>> {
    caller.expect_elevated()?;
    let (_, person) = caller.who();
    slow_down(&app, &context, person)?;
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        let email = people::find(tx, person).await?.email;
        second_step::begin(tx, &secrets, person, &email).await
    };
    let Enrollment { secret, url } = app.transact(unit).await?;
    let qr_code_base64 = Qr::encode(&url)?.png_base64();
    let data = EnrollmentView { secret, otpauth_url: url, qr_code_base64 };
    let message = "Add this to your authenticator app, then confirm with a code of it.";
    Ok(Created(EnrollmentReply { message, data }))
}

/// POST /api/two-factor/confirm
pub async fn confirm(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<ConfirmBody>,
) -> Result<Ok200<CodesReply>> {
    caller.expect_elevated()?;
    let (who, session, by) = (caller.who(), caller.session, caller.by());
    slow_down(&app, &context, who.1)?;
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        second_step::confirm(tx, (&secrets, lang), &by, who, session, &body.code).await
    };
    let codes = app.transact(unit).await?;
    let message = "Sign-ins need a code from now on. The backup codes are shown only now.";
    Ok(Ok200(CodesReply { message, data: codes.into() }))
}

/// POST /api/two-factor/backup-codes
pub async fn renew_backup_codes(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    RequestLanguage { lang, .. }: RequestLanguage,
    OptionalBody { value: body, .. }: OptionalBody<RenewBody>,
) -> Result<Created<CodesReply>> {
    let (who, by, secrets) = (caller.who(), caller.by(), app.secrets.clone());
    slow_down(&app, &context, who.1)?;
    limit_codes(&app, &context, who.1)?;
    let unit = async move |tx: &Tx| {
        let code = body.code.as_deref();
        second_step::renew_backup_codes(tx, (&secrets, lang), &by, who, code).await
    };
    let codes = counted(&app, &context, who.0, app.transact(unit).await?)?;
    let message = "The earlier backup codes are void. These are shown only now.";
    Ok(Created(CodesReply { message, data: codes.into() }))
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
    let proved = prove_own_password(&app, &context, &device, caller.who(), body.password).await?;
    let (who, by, secrets) = (caller.who(), caller.by(), app.secrets.clone());
    let unit = async move |tx: &Tx| {
        let how = (&*secrets, lang);
        let verified = second_step::verify(tx, how, who.1, Some(&body.code)).await?;
        // A wrong code is counted, so the unit is committed.
        Ok(match verified.proves() {
            Ok(passed) => {
                people::expect_password(tx, &proved.person).await?;
                Ok(second_step::remove(tx, &by, who, lang, passed).await?)
            }
            Err(refusal) => Err(refusal),
        })
    };
    counted(&app, &context, who.0, app.transact(unit).await?)?;
    Ok(Ok200(Message { message: "Second step removed." }))
}

/// Limits a person to the few changes that are ever needed; each writes to the audit log.
fn slow_down(app: &App, context: &RequestContext, person: PersonId) -> Result<()> {
    context.note_rate(app.limits.check(&CREDENTIALS, &person.to_string(), app.now())?);
    Ok(())
}

impl From<Vec<BackupCode>> for CodesView {
    fn from(codes: Vec<BackupCode>) -> Self {
        Self { backup_codes: codes.iter().map(BackupCode::expose).collect() }
    }
}
