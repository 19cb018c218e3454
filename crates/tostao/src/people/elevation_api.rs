//! Proving again who is signed in.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::people::sessions::{self, Elevated};
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::{counted, limit_codes};
use crate::people::{self, Acting, second_step};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::reply::Ok200;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

/// A code of the second step; of a person without one, the password.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ElevateSessionRequest")]
#[schemars(extend("examples" = [{ "password": "a long password" }]))]
pub struct ElevateBody {
    /// The person's password. A wrong password counts as a failed sign-in attempt. It is not enough
    /// for a person who has a second step.
    pub password: Option<String>,
    /// A code of the authenticator app or a backup code, for a person who has a second step. It
    /// needs no password.
    #[serde(alias = "totp")]
    pub code: Option<String>,
}

/// The confirmation of the elevation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ElevateSessionResponse")]
pub struct ElevateReply {
    message: &'static str,
    /// Until when the session may do what asks for the password or a code again.
    elevated_until: Timestamp,
}

/// A session whose person proves again who they are.
pub struct Elevating {
    pub acting: Acting,
    /// The hash of the browser's cookie.
    pub cookie_hash: Option<Vec<u8>>,
}

/// POST /api/auth/elevate
pub async fn elevate(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    caller: SignedInCaller<NoPermission>,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<ElevateBody>,
) -> Result<Ok200<ElevateReply>> {
    let elevating = Elevating { acting: caller.acting(), cookie_hash: None };
    let elevated = ask(&app, (&context, &device), lang, elevating, body).await?;
    let elevated_until = elevated.until;
    Ok(Ok200(ElevateReply { message: "Session elevated.", elevated_until }))
}

/// Elevates a session for what its person gave, from the API or a page.
pub async fn ask(
    app: &App,
    (context, device): (&RequestContext, &Device),
    lang: Lang,
    elevating: Elevating,
    body: ElevateBody,
) -> Result<Elevated> {
    let Elevating { acting, cookie_hash } = elevating;
    let who = acting.who;
    let proved = match body.password {
        Some(password) => Some(prove_own_password(app, context, device, who, password).await?),
        None if body.code.is_none() => {
            return Err(Error::field("password", "REQUIRED", "is needed, or a code"));
        }
        None => {
            limit_codes(app, context, who.1)?;
            None
        }
    };
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        let (how, code) = ((&*secrets, lang), body.code.as_deref());
        let verified = second_step::verify_in_session(tx, how, &acting, code).await?;
        let verified = if proved.is_some() { verified.admits() } else { verified.proves() };
        let passed = match verified {
            Ok(passed) => passed,
            // A wrong code is counted, so the unit is committed.
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(proved) = &proved {
            people::expect_password(tx, &proved.person).await?;
        }
        let with = passed.name().unwrap_or("password");
        Ok(Ok(sessions::elevate(tx, &acting, cookie_hash.as_deref(), with).await?))
    };
    counted(app, context, who.0, app.transact(unit).await?)
}
