//! Pages that take no payment, and say why.

use askama::Template;
use axum::response::Response;

use crate::checkout::views::{
    ErrorPage, ErrorReference, RetryPage, UnavailablePage, UnavailableReason,
};
use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::http::error_response::{self, doc_url};
use crate::platform::http::html::{html_response, page_of};
use crate::platform::http::language::RequestLanguage;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;

/// An error as a page, at the server's public URL.
pub fn error_page(
    error: &Error,
    context: &RequestContext,
    language: RequestLanguage,
    base_url: &str,
) -> Response {
    let lang = language.lang;
    let code = error.code().name();
    let request_id = context.request_id.clone();
    let reference = ErrorReference { request_id, code, doc_url: doc_url(base_url, code) };
    let html = match (error, closed_reason(error)) {
        (Error::TooMany { retry_after_seconds, .. }, _) => RetryPage {
            lang,
            heading: lang.too_many_requests(),
            note: lang.wait_seconds(*retry_after_seconds),
            action: lang.try_again(),
            retry_url: context.retry_url(),
            reference,
        }
        .render(),
        (Error::Refused(ErrorCode::CrossSiteForm, _), _) => RetryPage {
            lang,
            heading: lang.form_of_another_site(),
            note: lang.form_of_another_site_note().to_owned(),
            action: lang.open_the_page(),
            retry_url: context.form_page(),
            reference,
        }
        .render(),
        (_, Some(reason)) => {
            let (language_url, reference) = (in_other_language(lang), Some(reference));
            let (test_mode, merchant) = (false, None);
            UnavailablePage { lang, test_mode, merchant, language_url, reason, reference }.render()
        }
        _ => ErrorPage { lang, reference }.render(),
    };
    html_response(html.unwrap_or_default(), error_response::status(error), language, false)
}

fn closed_reason(error: &Error) -> Option<UnavailableReason> {
    if matches!(error, Error::NotConfigured(_)) {
        return Some(UnavailableReason::NotConfigured);
    }
    if matches!(error, Error::OutOfService(_)) {
        return Some(UnavailableReason::OutOfService);
    }
    match error.code() {
        ErrorCode::NotFound => Some(UnavailableReason::NotFound),
        ErrorCode::PaymentLinkExpired => Some(UnavailableReason::LinkExpired),
        ErrorCode::PaymentLinkInactive
        | ErrorCode::ProductInactive
        | ErrorCode::PaymentMethodDisabled => Some(UnavailableReason::LinkInactive),
        ErrorCode::PlanInactive => Some(UnavailableReason::PlanInactive),
        ErrorCode::PlanFull => Some(UnavailableReason::PlanFull),
        ErrorCode::OutOfStock => Some(UnavailableReason::SoldOut),
        ErrorCode::ChargeRefused => Some(UnavailableReason::ChargeRefused),
        _ => None,
    }
}

/// A page that says why the link takes no payment; any other error stays an error.
pub fn closed(
    language: RequestLanguage,
    scope: Scope,
    merchant: &SellerProfile,
    error: Error,
) -> Result<Response> {
    closed_with(language, scope, merchant, error, in_other_language(language.lang))
}

/// The same with the address of the page in the other language.
pub fn closed_with(
    language: RequestLanguage,
    scope: Scope,
    merchant: &SellerProfile,
    error: Error,
    language_url: String,
) -> Result<Response> {
    let Some(reason) = closed_reason(&error) else { return Err(error) };
    let page = UnavailablePage {
        lang: language.lang,
        test_mode: scope.mode.is_development(),
        merchant: Some(merchant.clone()),
        language_url,
        reason,
        reference: None,
    };
    page_of(&page, error_response::status(&error), language, false)
}

/// The address of the same page in the other language, where its query holds nothing else.
fn in_other_language(lang: Lang) -> String {
    format!("?lang={}", lang.other().tag())
}
