//! Forms that take effect after a review, in two steps: the form, and what would happen. They lead
//! to the page of what was done.
//!
//! A section says what is its own of them: what the form shows, what would happen, and what the
//! form asks the API for.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::kept_form;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::ids::Scope;
use crate::platform::permissions::RequiredPermissions;

/// Where a page is that says what was done, and what it says.
pub type Done = (String, &'static str);

/// A form that takes effect after a review.
pub trait ReviewedForm: Default + DeserializeOwned + Send + Sync + 'static {
    type Permission: RequiredPermissions;
    type Page: Template + Send;
    type Review: Template + Send;

    /// The fields whose errors the page shows.
    const SHOWN: &'static [&'static str];

    /// The form when it is opened.
    fn opened(_app: &App, _scope: Scope) -> impl Future<Output = Result<Self>> + Send {
        std::future::ready(Ok(Self::default()))
    }

    /// Whether it comes from the button that leads from the review back to the form.
    fn leads_back(&self) -> bool;

    /// Fills in what is chosen in the form, before it is reviewed.
    fn fill_in(&mut self, _app: &App, _scope: Scope) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// The page of the form.
    fn page(
        &self,
        app: &App,
        seat: &Seat<Self::Permission>,
        visit: &Visit,
    ) -> impl Future<Output = Result<Self::Page>> + Send;

    /// The same with why the form was refused.
    fn refused(
        &self,
        app: &App,
        seat: &Seat<Self::Permission>,
        visit: &Visit,
        error: Error,
    ) -> impl Future<Output = Result<Self::Page>> + Send;

    /// The page of what would happen; nothing is done.
    fn review(
        &self,
        app: &App,
        seat: &Seat<Self::Permission>,
        visit: &Visit,
    ) -> impl Future<Output = Result<Self::Review>> + Send;

    /// Does it as programs do, by the same body.
    fn confirm(
        &self,
        app: &App,
        seat: &Seat<Self::Permission>,
        visit: &Visit,
    ) -> impl Future<Output = Result<Done>> + Send;
}

/// GET /dashboard/{mode}/…
pub async fn show<F: ReviewedForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
) -> Result<Response> {
    let form: F = match kept_form::read(&app, seat.who(), &visit) {
        Some(kept) => kept,
        None => F::opened(&app, seat.scope).await?,
    };
    let page = form.page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/…
pub async fn review<F: ReviewedForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let mut form: F = posted_to_correct(request, F::SHOWN).await?;
    if form.leads_back() {
        let page = form.page(&app, &seat, &visit).await?;
        return visit.page(&page, StatusCode::OK);
    }
    let filled_in = form.fill_in(&app, seat.scope).await;
    let reviewed = match filled_in {
        Ok(()) => form.review(&app, &seat, &visit).await,
        Err(error) => Err(error),
    };
    match reviewed {
        Ok(page) => visit.page(&page, StatusCode::OK),
        Err(error) => visit.refused(&form.refused(&app, &seat, &visit, error).await?),
    }
}

/// POST /dashboard/{mode}/…/confirm
pub async fn confirm<F: ReviewedForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: F = posted_to_correct(request, F::SHOWN).await?;
    match form.confirm(&app, &seat, &visit).await {
        Ok((here, said)) => Ok(see_and_say(&app, &here, said)),
        Err(error) => visit.refused(&form.refused(&app, &seat, &visit, error).await?),
    }
}
