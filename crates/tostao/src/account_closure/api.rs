//! Closing an account through the API.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account_closure::{self, Extent, ObstacleName, SellerData};
use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::merchants::{self, Merchant};
use crate::people::sessions_api::prove_own_password;
use crate::people::sign_in::counted;
use crate::people::{Acting, second_step};
use crate::platform::error::{Error, Obstacle, Result};
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::messages::Lang;
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
    pub password: String,
    /// A code of the authenticator app or a backup code, for a person who has a second step.
    #[serde(default, alias = "totp")]
    pub code: Option<String>,
}

/// What closing the account means now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccountClosing")]
pub struct ClosingView {
    /// What keeps the account open; it can be closed if there is none.
    obstacles: Vec<Obstacle>,
    /// Until when the data of paid transactions would be retained as the law requires; null if
    /// there are none.
    retained_until: Option<Timestamp>,
}

/// A response about closing the account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountClosingResponse")]
pub struct ClosingReply {
    message: &'static str,
    data: ClosingView,
}

/// What closing an account means.
#[derive(Debug)]
pub struct Prospect {
    pub merchant: Merchant,
    pub obstacles: Vec<(ObstacleName, Extent)>,
    pub retained_until: Option<Timestamp>,
}

/// The confirmation of the closed account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CloseAccountResponse")]
pub struct Closed {
    message: &'static str,
    /// Until when the data of paid transactions is retained as the law requires; null if there are
    /// none.
    pub retained_until: Option<Timestamp>,
}

/// GET /api/auth/account/close
///
/// Shows what keeps the account open, and what is kept of it once it is closed. Nothing is changed.
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<AccountWrite>,
) -> Result<Ok200<ClosingReply>> {
    let Prospect { obstacles, retained_until, .. } = prospect(&app, caller.scope.merchant).await?;
    let obstacles = obstacles.into_iter().map(account_closure::named).collect();
    let data = ClosingView { obstacles, retained_until };
    Ok(Ok200(ClosingReply { message: "Closing the account.", data }))
}

/// What closing an account means now: the way in of programs and of people.
pub async fn prospect(app: &App, id: MerchantId) -> Result<Prospect> {
    let withdrawable = withdrawable(app);
    let found = app.scan_for(id, async move |tx| {
        let merchant = merchants::find(tx, id).await?;
        let none = Uuid::nil();
        let obstacles = account_closure::obstacles(tx, &merchant, withdrawable, none).await?;
        Ok::<_, Error>((merchant, obstacles, erasing::last_paid_at(tx, real(id)).await?))
    });
    let (merchant, obstacles, newest) = found.await?;
    Ok(Prospect { merchant, obstacles, retained_until: retained(app, newest) })
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
    ask(&app, (&context, &device), lang, caller.acting(), body).await.map(Ok200)
}

/// Closes an account for its owner: the way in of programs and of people.
pub async fn ask(
    app: &App,
    (context, device): (&RequestContext, &Device),
    lang: Lang,
    acting: Acting,
    body: CloseBody,
) -> Result<Closed> {
    let id = acting.who.0;
    let proved = prove_own_password(app, context, device, acting.who, body.password).await?;
    let withdrawable = withdrawable(app);
    // All payments are scanned outside the writing unit; that unit only checks those created since.
    let since = app.database.sources().first_id(app.now().minus(SETTLED_AFTER));
    let account = proved.merchant.clone();
    let newest = app.scan_for(id, async move |tx| {
        account_closure::expect_closable(tx, &account, withdrawable, Uuid::nil()).await?;
        erasing::last_paid_at(tx, real(id)).await
    });
    let retained_until = retained(app, newest.await?);
    let seller = if retained_until.is_some() { SellerData::Kept } else { SellerData::Blanked };
    let (secrets, pages) = (app.secrets.clone(), app.pages.clone());
    let unit = async move |tx: &Tx| {
        let (how, code) = ((&*secrets, lang), body.code.as_deref());
        let verified = second_step::verify_in_session(tx, how, &acting, code).await?;
        // A wrong code is counted, so the unit is committed.
        Ok(match verified.admits() {
            Ok(_) => {
                let how = (seller, withdrawable);
                account_closure::close(tx, &acting.by, &proved, how, since).await?;
                pages.invalidate_once_committed(tx, id);
                Ok(())
            }
            Err(refusal) => Err(refusal),
        })
    };
    counted(app, context, id, app.transact(unit).await?)?;
    Ok(Closed { message: "Account closed.", retained_until })
}

/// The least that can be withdrawn; less of it keeps no account open.
fn withdrawable(app: &App) -> Cents {
    withdrawals::validation::least(withdrawals::terms::WithdrawalTerms::of(app).fee)
}

/// An account's real money.
fn real(merchant: MerchantId) -> Scope {
    Scope { merchant, mode: Mode::Production, ahead: Duration::ZERO }
}

/// Until when paid transactions are kept, by the newest one; `None` if that is over.
fn retained(app: &App, newest: Option<Timestamp>) -> Option<Timestamp> {
    let ends = newest.map(|at| PaymentTerms::of(app).retained_until(at));
    ends.filter(|at| *at > app.now())
}
