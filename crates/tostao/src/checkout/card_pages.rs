//! Paying by card: a page whose form posts to the acquirer's tokenizer, and the way back.
//!
//! ```text
//! GET card ──card──▶ tokenizer ──token──▶ GET card (to be confirmed) ──▶ POST card ──▶ payment
//!    └── with scripts: the token comes to the same page, which goes on by itself ──────┘
//! ```
//!
//! No card field is ever posted here. What the buyer typed before travels sealed.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::api::limit_checkout;
use crate::checkout::card_step_pages::{
    CardConfirmForm, CardQuery, card_form, card_page_of, lead_back, notice, open_for_page,
    seal_for_page, with_card,
};
use crate::checkout::form_pages::{FormPage, form_path, refuse};
use crate::checkout::prefilled;
use crate::checkout::sealed_form::SealedForm;
use crate::checkout::views::Notice;
use crate::checkout::views::card::CardPage;
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::html::posted;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;

/// The path of the card page that a form leads to.
pub fn card_path(form: &str) -> String {
    format!("{form}/card")
}

/// GET /pay/{slug}/card, GET /subscribe/{planId}/card
pub async fn show<P: FormPage>(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    device: Device,
    PagePath(key): PagePath<P::Key>,
    Query(query): Query<CardQuery>,
) -> Result<Response> {
    let form = form_path::<P>(&key);
    let Some(sealed) = open_for_page::<SealedForm>(&app, &device, &card_path(&form), &query.state)
    else {
        return Ok(lead_back(&form));
    };
    let page = P::find(&app, key).await?;
    if !query.card_token.is_empty() {
        // The acquirer is asked about each token.
        if let Err(error) = limit_checkout(&app, &context, page.scope(), page.id()) {
            context.note_refusal(&error);
            return correct(&app, language, &page, &sealed, error).await;
        }
    }
    draw(&app, language, &device, &page, &sealed, query, None).await
}

/// POST /pay/{slug}/card, POST /subscribe/{planId}/card
pub async fn pay<P: FormPage>(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(key): PagePath<P::Key>,
    request: Request,
) -> Result<Response> {
    let confirmed: CardConfirmForm = posted(request).await?;
    let (device, form) = (&visitor.device, form_path::<P>(&key));
    let opened = open_for_page::<SealedForm>(&app, device, &card_path(&form), &confirmed.state);
    let Some(sealed) = opened else { return Ok(lead_back(&form)) };
    let page = P::find(&app, key).await?;
    let paid = match limit_checkout(&app, &context, page.scope(), page.id()) {
        Ok(()) => page.pay_by_card(&app, &sealed, &visitor, &confirmed).await,
        Err(error) => Err(error),
    };
    let error = match paid {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    context.note_refusal(&error);
    match notice(language.lang, &error) {
        None => correct(&app, language, &page, &sealed, error).await,
        refused => {
            let query = CardQuery::default();
            draw(&app, language, device, &page, &sealed, query, refused).await
        }
    }
}

/// Shows the form again; it was filled in on another page, so personal data is masked.
async fn correct<P: FormPage>(
    app: &App,
    language: RequestLanguage,
    page: &P,
    sealed: &SealedForm,
    error: Error,
) -> Result<Response> {
    let posted = prefilled::keep(app, &page.key(), sealed.posted.clone());
    refuse(app, language, page, &posted, error).await
}

/// Draws the card page, or the form if what it asks for is refused by now, or the acquirer does not
/// answer: other methods may be left.
async fn draw<P: FormPage>(
    app: &App,
    language: RequestLanguage,
    device: &Device,
    page: &P,
    sealed: &SealedForm,
    query: CardQuery,
    refused: Option<(StatusCode, Notice)>,
) -> Result<Response> {
    let (lang, mode, posted) = (language.lang, page.scope().mode, &sealed.posted);
    let (order, total) = match page.card_order(app, lang, posted).await {
        Ok(order) => order,
        Err(error) => return correct(app, language, page, sealed, error).await,
    };
    let place = card_path(&form_path::<P>(page.key()));
    // Sealed again, so that it is valid from now on, with the total that is shown now.
    let state = seal_for_page(app, device, &place, &SealedForm::new(posted, total));
    let (status, notice) = refused.unzip();
    let card = CardPage {
        lang,
        test_mode: mode.is_development(),
        merchant: page.seller().clone(),
        language_url: format!("{place}?state={state}&lang={}", lang.other().tag()),
        place,
        order,
        state,
        notice,
        step: card_form(app, mode, lang, &query.wrong)?,
    };
    let card = match with_card(app, mode, card, query.card_token).await {
        Ok(card) => card,
        Err(error) => return correct(app, language, page, sealed, error).await,
    };
    card_page_of(&card, status.unwrap_or(StatusCode::OK), language)
}
