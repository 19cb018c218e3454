//! The pages whose forms buyers fill in to pay: a link's, and a plan's.
//!
//! What they have in common is here and, about the card, in `card_pages`.

use std::fmt::Display;

use axum::extract::{Request, State};
use axum::response::Response;
use ledger::cents::Cents;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::api::limit_checkout;
use crate::checkout::card_step_pages::CardConfirmForm;
use crate::checkout::closed_pages::closed;
use crate::checkout::coupon_api;
use crate::checkout::form::FormFields;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::pay_view::pay_page;
use crate::checkout::prefilled;
use crate::checkout::sealed_form::SealedForm;
use crate::checkout::views::OrderView;
use crate::checkout::views::card::CardOrder;
use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::device::Device;
use crate::platform::http::html::{html_response, posted_to_correct};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;

/// A page whose form a buyer fills in to pay.
pub trait FormPage: Sized + Send + Sync + 'static {
    /// What identifies the page in its URL.
    type Key: DeserializeOwned + Display + Send + 'static;
    /// What the buyer would get, and for how much.
    type Offer: Send + Sync;

    /// The start of the page's path, before its key.
    const BASE: &'static str;

    fn find(app: &App, key: Self::Key) -> impl Future<Output = Result<Self>> + Send;

    fn key(&self) -> String;

    /// What the rate limit of the checkout counts.
    fn id(&self) -> Uuid;

    fn scope(&self) -> Scope;

    fn seller(&self) -> &SellerProfile;

    /// The offer as of now, with this coupon.
    fn offer(
        &self,
        app: &App,
        posted: &FormFields,
        coupon: Option<&str>,
    ) -> impl Future<Output = Result<Self::Offer>> + Send;

    /// The offer in words.
    fn order(&self, app: &App, lang: Lang, offer: &Self::Offer, posted: &FormFields) -> OrderView;

    /// What the card page says after a valid form, and what is charged at once.
    fn card_order(
        &self,
        app: &App,
        lang: Lang,
        posted: &FormFields,
    ) -> impl Future<Output = Result<(CardOrder, Cents)>> + Send;

    /// Creates what a form asks for, or continues with the card page; redirects there.
    fn submit(
        &self,
        app: &App,
        posted: &FormFields,
        visitor: &Visitor,
    ) -> impl Future<Output = Result<Response>> + Send;

    /// Creates what a form asks for with the card that was typed, or by another method.
    fn pay_by_card(
        &self,
        app: &App,
        sealed: &SealedForm,
        visitor: &Visitor,
        confirmed: &CardConfirmForm,
    ) -> impl Future<Output = Result<Response>> + Send;
}

/// The path of a page.
pub fn form_path<P: FormPage>(key: impl Display) -> String {
    format!("{}/{key}", P::BASE)
}

/// POST /pay/{slug}, POST /subscribe/{planId}
pub async fn start<P: FormPage>(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(key): PagePath<P::Key>,
    request: Request,
) -> Result<Response> {
    let posted: FormFields = posted_to_correct(request, &FormFields::SHOWN).await?;
    let posted = prefilled::restore(&app, &key.to_string(), posted);
    let page = P::find(&app, key).await?;
    if !posted.apply.is_empty() {
        return try_coupon(&app, &context, &visitor.device, language, &page, &posted).await;
    }
    let admitted = limit_checkout(&app, &context, page.scope(), page.id()).and_then(|()| {
        coupon_api::limit_if_given(&app, &context, &visitor.device, posted.coupon())
    });
    let submitted = match admitted {
        Ok(()) => page.submit(&app, &posted, &visitor).await,
        Err(error) => Err(error),
    };
    match submitted {
        Ok(response) => Ok(response),
        Err(error) => {
            context.note_refusal(&error);
            refuse(&app, language, &page, &posted, error).await
        }
    }
}

/// The same page with a coupon, or with the error that it is invalid.
pub async fn try_coupon<P: FormPage>(
    app: &App,
    context: &RequestContext,
    device: &Device,
    language: RequestLanguage,
    page: &P,
    posted: &FormFields,
) -> Result<Response> {
    let admitted = coupon_api::limit(app, context, device);
    match admitted.and_then(|()| posted.refuse_card_data()) {
        Ok(()) => preview(app, language, page, posted, &FormErrors::default()).await,
        Err(error) => {
            context.note_refusal(&error);
            refuse(app, language, page, posted, error).await
        }
    }
}

/// Shows a form before it is submitted.
pub async fn preview<P: FormPage>(
    app: &App,
    language: RequestLanguage,
    page: &P,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<Response> {
    match page.offer(app, posted, posted.coupon()).await {
        Ok(offer) => show(app, language, page, &offer, posted, errors),
        Err(error) => refuse(app, language, page, posted, error).await,
    }
}

/// Shows a form again with its errors, or the page that says why it cannot be submitted now.
pub async fn refuse<P: FormPage>(
    app: &App,
    language: RequestLanguage,
    page: &P,
    posted: &FormFields,
    error: Error,
) -> Result<Response> {
    let close = |error| closed(language, page.scope(), page.seller(), error);
    let mut errors = match FormErrors::read(error) {
        Ok(errors) => errors,
        Err(error) => return close(error),
    };
    // What was refused before it was checked may hold a card's number, which is not sent back.
    errors.add_card_data(posted);
    let offer = match page.offer(app, posted, errors.coupon(posted.coupon())).await {
        Err(Error::Refused(ErrorCode::CouponInvalid, message)) => {
            errors.add_coupon(message);
            page.offer(app, posted, None).await
        }
        offer => offer,
    };
    match offer {
        Ok(offer) => show(app, language, page, &offer, posted, &errors),
        Err(error) => close(error),
    }
}

fn show<P: FormPage>(
    app: &App,
    language: RequestLanguage,
    page: &P,
    offer: &P::Offer,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<Response> {
    let html = pay_page(app, language.lang, page, offer, posted, errors)?;
    let mut response = html_response(html, errors.status, language, false);
    response.headers_mut().extend(errors.headers.clone());
    Ok(response)
}
