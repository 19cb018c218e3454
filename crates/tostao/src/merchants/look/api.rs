//! Setting and removing the logo of an account.

use axum::extract::State;
use bytes::Bytes;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::Matter;
use crate::idempotency::{Execution, Replayable};
use crate::merchants::look::{self, Logo, Look, picture};
use crate::platform::error::{FieldFault, Result};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::image_body::ImageBody;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::MerchantId;
use crate::platform::permissions::AccountWrite;

/// The logo of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Logo")]
pub struct LogoView {
    /// The path of the file on this server; another logo has another path.
    path: String,
    /// The width in pixels.
    #[schemars(range(min = 1, max = 1024))]
    width: i64,
    /// The height in pixels.
    #[schemars(range(min = 1, max = 1024))]
    height: i64,
}

/// The look of a shop.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ShopLook")]
pub struct LookView {
    /// The accent colour of the checkout, such as `#0a6b50`; null if it is the usual one.
    accent_color: Option<String>,
    /// The logo; null if there is none.
    logo: Option<LogoView>,
}

/// A response with the look of a shop.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ShopLookResponse")]
pub struct LookReply {
    message: &'static str,
    data: LookView,
}

/// PUT /api/auth/account/logo
///
/// Replaces the logo that buyers see on payment pages and receipts.
pub async fn set(
    State(app): State<App>,
    caller: SignedInCaller<AccountWrite>,
    Context(context): Context,
    ImageBody(image): ImageBody,
) -> Result<Replayable<Ok200<LookReply>>> {
    let execution = Execution::permitted(None, caller.permit(Matter::Own));
    ask_to_set(&app, (caller.scope.merchant, caller.by()), &context, execution, image).await
}

/// Gives an account a logo: the way in of programs and of people.
pub async fn ask_to_set(
    app: &App,
    (merchant, by): (MerchantId, ActorContext),
    context: &RequestContext,
    execution: Execution,
    image: Bytes,
) -> Result<Replayable<Ok200<LookReply>>> {
    app.check_account_rate_limit(context, &CREDENTIALS, merchant)?;
    let picture = picture::read(&image).map_err(|fault| FieldFault::from(fault).of("logo"))?;
    let pages = app.pages.clone();
    app.transact_once(execution, async move |tx: &Tx| {
        let look = look::set_logo(tx, &by, merchant, &image, picture).await?;
        pages.invalidate_once_committed(tx, merchant);
        Ok(Ok200(LookReply::new("Logo saved.", look)))
    })
    .await
}

/// DELETE /api/auth/account/logo
pub async fn remove(
    State(app): State<App>,
    caller: SignedInCaller<AccountWrite>,
) -> Result<Replayable<Ok200<LookReply>>> {
    let execution = Execution::permitted(None, caller.permit(Matter::Own));
    ask_to_remove(&app, (caller.scope.merchant, caller.by()), execution).await
}

/// Removes the logo of an account: the way in of programs and of people.
pub async fn ask_to_remove(
    app: &App,
    (merchant, by): (MerchantId, ActorContext),
    execution: Execution,
) -> Result<Replayable<Ok200<LookReply>>> {
    let pages = app.pages.clone();
    app.transact_once(execution, async move |tx: &Tx| {
        let look = look::remove_logo(tx, &by, merchant).await?;
        pages.invalidate_once_committed(tx, merchant);
        Ok(Ok200(LookReply::new("Logo removed.", look)))
    })
    .await
}

impl LookReply {
    fn new(message: &'static str, look: Look) -> Self {
        Self { message, data: LookView::from(look) }
    }
}

impl From<Look> for LookView {
    fn from(look: Look) -> Self {
        let accent_color = look.accent.map(|accent| accent.to_string());
        Self { accent_color, logo: look.logo.map(LogoView::from) }
    }
}

impl From<Logo> for LogoView {
    fn from(logo: Logo) -> Self {
        Self { path: logo.path(), width: logo.width, height: logo.height }
    }
}
