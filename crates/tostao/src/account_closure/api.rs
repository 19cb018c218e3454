//! Closing an account through the API.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account_closure::{self, SellerData};
use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::people::second_step;
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::counted;
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{Mode, Scope};
use crate::platform::permissions::AccountWrite;
use crate::transactions::erasing;
use crate::transactions::terms::PaymentTerms;
use crate::withdrawals;

/// A payment gets its id when its unit begins. Units take seconds, and the clocks of nodes differ
/// by less than this.
const SETTLED_AFTER: Duration = Duration::from_mins(5);

/// The confirmation for closing an account.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CloseAccountRequest")]
pub struct CloseBody {
    /// The account's password. A wrong password counts as a failed sign-in attempt.
    password: String,
    /// A code of the authenticator app or a backup code, for a person who has a second step.
    #[serde(default, alias = "totp")]
    code: Option<String>,
}

/// The confirmation of the closed account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CloseAccountResponse")]
pub struct Closed {
    message: &'static str,
    /// Until when the data of paid transactions is retained as the law requires; null if there are
    /// none.
    retained_until: Option<Timestamp>,
}

/// POST /api/auth/account/close
///
/// Closes the account for good, in both modes; it cannot be opened again. What stands in the way is
/// in `obstacles`.
pub async fn close(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    caller: SignedInCaller<AccountWrite>,
    RequestLanguage { lang, .. }: RequestLanguage,
    Body { value: body, .. }: Body<CloseBody>,
) -> Result<Ok200<Closed>> {
    let id = caller.scope.merchant;
    let proved = prove_own_password(&app, &context, &device, caller.who(), body.password).await?;
    let withdrawable =
        withdrawals::validation::least(withdrawals::terms::WithdrawalTerms::of(&app).fee);
    // All payments are scanned outside the writing unit; that unit only checks those created since.
    let since = app.database.sources().first_id(app.now().minus(SETTLED_AFTER));
    let account = proved.merchant.clone();
    let newest = app.scan_for(id, async move |tx| {
        account_closure::expect_closable(tx, &account, withdrawable, Uuid::nil()).await?;
        let scope = Scope { merchant: id, mode: Mode::Production, ahead: Duration::ZERO };
        erasing::last_paid_at(tx, scope).await
    });
    let ends = newest.await?.map(|at| PaymentTerms::of(&app).retained_until(at));
    let retained_until = ends.filter(|at| *at > app.now());
    let seller = if retained_until.is_some() { SellerData::Kept } else { SellerData::Blanked };
    let (acting, secrets) = (caller.acting(), app.secrets.clone());
    let unit = async move |tx: &Tx| {
        let (how, code) = ((&*secrets, lang), body.code.as_deref());
        let verified = second_step::verify_in_session(tx, how, &acting, code).await?;
        // A wrong code is counted, so the unit is committed.
        Ok(match verified.admits() {
            Ok(_) => {
                let how = (seller, withdrawable);
                Ok(account_closure::close(tx, &acting.by, &proved, how, since).await?)
            }
            Err(refusal) => Err(refusal),
        })
    };
    counted(&app, &context, id, app.transact(unit).await?)?;
    app.pages.invalidate(id);
    Ok(Ok200(Closed { message: "Account closed.", retained_until }))
}
