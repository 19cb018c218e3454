//! The page that asks a subscriber whether, and when, to cancel their subscription.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::billing::actions;
use crate::platform::error::Result;
use crate::platform::fields;
use crate::platform::http::context::Context;
use crate::platform::http::html::{page_of, posted, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::subscription_pages::portal::{open, open_to_change};
use crate::subscription_pages::portal_pages::answer;
use crate::subscription_pages::portal_view::{Flash, can_be_cancelled, cancel_page};
use crate::subscriptions::lifecycle::Cancellation;
use crate::transactions::terms::PaymentTerms;

const REASON_MAX: usize = 255;
/// The form's value for a cancellation at the end of the period.
const AT_END: &str = "end";

/// What the page posts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CancelForm {
    when: String,
    reason: String,
}

/// GET /subscription/{manageToken}/cancel
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(token): PagePath<String>,
) -> Result<Response> {
    let own = open(&app, &token).await?;
    if !can_be_cancelled(&own.subscription) {
        return Ok(see(&own.place()));
    }
    page_of(&cancel_page(language.lang, &own), StatusCode::OK, language, false)
}

/// POST /subscription/{manageToken}/cancel
pub async fn cancel(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    PagePath(token): PagePath<String>,
    request: Request,
) -> Result<Response> {
    let CancelForm { when, reason } = posted(request).await?;
    let own = open_to_change(&app, &context, &token).await?;
    let (scope, id) = (own.scope, own.subscription.id);
    // A reason that is too long does not prevent the cancellation.
    let reason: String = reason.chars().take(REASON_MAX).collect();
    let reason = fields::optional_text(Some(&reason), REASON_MAX).ok().flatten();
    let how = Cancellation { at_period_end: when == AT_END, reason, comment: None };
    let terms = PaymentTerms::of(&app);
    let ended =
        app.transact(async move |tx| actions::cancel(tx, scope, &terms, id, &how).await).await;
    let later = ended.as_ref().is_ok_and(|ended| !ended.status.has_ended());
    let flash = if later { Flash::Ending } else { Flash::Cancelled };
    answer(&app, language, &own, ended, flash).await
}
