//! Proving again who is signed in.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::people::second_step;
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::counted;
use crate::people::{self, sessions};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::reply::Ok200;
use crate::platform::permissions::NoPermission;

/// The password, or a code of the second step.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ElevateSessionRequest")]
#[schemars(extend("examples" = [{ "password": "a long password" }]))]
pub struct ElevateBody {
    /// The person's password. A wrong password counts as a failed sign-in attempt.
    password: Option<String>,
    /// Instead of the password, a code of the authenticator app or a backup code.
    code: Option<String>,
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

/// POST /api/auth/elevate
pub async fn elevate(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    caller: SignedInCaller<NoPermission>,
    Body { value: body, .. }: Body<ElevateBody>,
) -> Result<Ok200<ElevateReply>> {
    let (who, session, by) = (caller.who(), caller.session, caller.by());
    let elevated_until = match (body.password, body.code) {
        (Some(password), None) => {
            let proved = prove_own_password(&app, &context, &device, &caller, password).await?;
            let unit = async move |tx: &Tx| {
                people::expect_password(tx, &proved.person).await?;
                sessions::elevate(tx, &by, who, session, "password").await
            };
            app.transact(unit).await?
        }
        (None, Some(code)) => {
            let secrets = app.secrets.clone();
            let unit = async move |tx: &Tx| {
                let verified = second_step::verify(tx, &secrets, who.1, Some(&code)).await?;
                // A wrong code is counted, so the unit is committed.
                Ok(match verified.proves() {
                    Ok(passed) => {
                        let how = passed.name().unwrap_or_default();
                        Ok(sessions::elevate(tx, &by, who, session, how).await?)
                    }
                    Err(refusal) => Err(refusal),
                })
            };
            counted(&app, &context, who.0, app.transact(unit).await?)?
        }
        (None, None) => {
            return Err(Error::field("password", "REQUIRED", "is needed, or a code"));
        }
        (Some(_), Some(_)) => {
            let message = "must not be sent with a password";
            return Err(Error::field("code", "INVALID_VALUE", message));
        }
    };
    Ok(Ok200(ElevateReply { message: "Session elevated.", elevated_until }))
}
