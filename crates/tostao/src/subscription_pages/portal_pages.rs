//! A subscriber's own page: what they pay for, its status, and the actions they can take.
//!
//! The URL contains the token that opens the page, so it is not logged, and browsers do not send it
//! to other pages.

use axum::extract::State;
use axum::response::Response;
use http::{StatusCode, Uri};
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::billing::collect::{CollectRequest, collect};
use crate::billing::current;
use crate::checkout::card_step_pages::{card_page_lost, is_card_page_lost, notice};
use crate::checkout::portal_cookie_pages;
use crate::checkout::views::Notice;
use crate::idempotency::dry_run::DryRun;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::Context;
use crate::platform::http::html::{page_of, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::subscription_pages::portal::{PortalContext, open, open_to_change};
use crate::subscription_pages::portal_view::{Flash, portal_page};
use crate::subscriptions::status::Status;
use crate::subscriptions::{Subscription, last_payments, lifecycle};
use crate::transactions;

/// How many payments the page shows.
const PAYMENTS_SHOWN: i64 = 12;

/// What the page says at its top.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FlashQuery {
    /// The result of the last action.
    #[serde(rename = "news")]
    flash: String,
    notice: String,
}

/// GET /subscription/{manageToken}
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    PagePath(token): PagePath<String>,
    Query(FlashQuery { flash, notice }): Query<FlashQuery>,
) -> Result<Response> {
    let own = open(&app, &token).await?;
    let notice = is_card_page_lost(&notice).then(|| card_page_lost(language.lang));
    draw(&app, language, &own, StatusCode::OK, Flash::parse(&flash), notice).await
}

/// POST /subscription/{manageToken}/pause
pub async fn pause(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    PagePath(token): PagePath<String>,
) -> Result<Response> {
    let own = open_to_change(&app, &context, &token).await?;
    let (scope, id) = (own.scope, own.subscription.id);
    let paused = app.transact(async move |tx| lifecycle::pause(tx, scope, id, None).await).await;
    answer(&app, language, &own, paused, Flash::Paused).await
}

/// POST /subscription/{manageToken}/resume
pub async fn resume(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    PagePath(token): PagePath<String>,
) -> Result<Response> {
    let own = open_to_change(&app, &context, &token).await?;
    let (scope, id) = (own.scope, own.subscription.id);
    let ticket = Ticket::of_program(scope, None, DryRun::default());
    let collected = collect(&app, ticket, id, CollectRequest::Resume, |_| Ok200(())).await;
    let resumed = match collected {
        Ok(_) => current(&app, scope, id).await,
        Err(refusal) => Err(refusal),
    };
    answer(&app, language, &own, resumed, Flash::Resumed).await
}

/// GET /subscription/{manageToken}/pause, and every other path that only accepts a posted form
pub async fn redirect_to_portal(address: Uri) -> Response {
    let own = address.path().rsplit_once('/').map_or("/", |(own, _)| own);
    match address.query() {
        Some(query) => see(&format!("{own}?{query}")),
        None => see(own),
    }
}

/// Redirects to the page after a change, with its result or with the reason why it was refused.
pub async fn answer(
    app: &App,
    language: RequestLanguage,
    own: &PortalContext,
    done: Result<Subscription>,
    flash: Flash,
) -> Result<Response> {
    let error = match done {
        // The action was done, and its payment was declined.
        Ok(Subscription { status: Status::PastDue, charge: None, dunning, .. }) => {
            Error::Declined(dunning.last_failure_code.unwrap_or_default())
        }
        Ok(_) => return Ok(see(&format!("{}?news={}", own.place(), flash.name()))),
        // The status has changed since the page was shown: the current page shows it.
        Err(Error::State { .. } | Error::Refused(ErrorCode::ConcurrentUpdate, _)) => {
            return Ok(see(&own.place()));
        }
        Err(error) => error,
    };
    let Some((status, notice)) = notice(language.lang, &error) else { return Err(error) };
    let own = open(app, &own.token).await?;
    draw(app, language, &own, status, None, Some(notice)).await
}

async fn draw(
    app: &App,
    language: RequestLanguage,
    own: &PortalContext,
    status: StatusCode,
    flash: Option<Flash>,
    notice: Option<Notice>,
) -> Result<Response> {
    let (scope, id) = (own.scope, own.subscription.id);
    let payments = app.read(async move |tx| {
        let mut payments = Vec::new();
        for payment in last_payments(tx, scope, id, PAYMENTS_SHOWN).await? {
            payments.push(transactions::find(tx, scope, payment).await?);
        }
        Ok(payments)
    });
    let page = portal_page(app, language.lang, own, &payments.await?, flash, notice);
    let mut response = page_of(&page, status, language, false)?;
    response.headers_mut().extend(portal_cookie_pages::set_cookie(app, &own.token));
    Ok(response)
}
