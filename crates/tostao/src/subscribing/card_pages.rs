//! Subscribing by card: the checkout's card page, with the earlier form data sealed in it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::RequestedMethod;
use crate::checkout::api::limit_checkout;
use crate::checkout::card_step_pages::{
    CardQuery, Confirmed, card_form, lead_back, notice, open_for_page, seal_for_page, with_card,
};
use crate::checkout::form::FormFields;
use crate::checkout::payment_from_form::price_changed;
use crate::checkout::prefilled;
use crate::checkout::views::card::{CardPage, CardPurpose};
use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::html::{page_of, posted};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::PlanId;
use crate::platform::messages::Lang;
use crate::subscribing::offer::{Offer, PlanPageData, find};
use crate::subscribing::plan_pages::refuse;
use crate::subscribing::plan_view::{free_days, price_text};
use crate::subscribing::signup_pages::Signup;

/// A valid form, and the amount that its buyer was shown as charged at once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sealed {
    pub signup: Signup,
    pub due: i64,
}

impl Sealed {
    /// Seals a valid form with the amount that its buyer was shown.
    pub fn new(signup: &Signup, due: Cents) -> Self {
        let posted = FormFields { kept: String::new(), ..signup.posted.clone() };
        Self { signup: Signup { posted, ..signup.clone() }, due: due.get() }
    }
}

/// The path of a plan's card page.
pub fn path(plan: PlanId) -> String {
    format!("/subscribe/{plan}/card")
}

/// GET /subscribe/{planId}/card
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    device: Device,
    PagePath(id): PagePath<PlanId>,
    Query(query): Query<CardQuery>,
) -> Result<Response> {
    let Some(sealed) = open_for_page::<Sealed>(&app, &device, &path(id), &query.state) else {
        return Ok(lead_back(&format!("/subscribe/{id}")));
    };
    let found = find(&app, id).await?;
    let checked = match sealed.signup.check(&app, &found).await {
        Ok(checked) => checked,
        Err(error) => return correct(&app, language, &found, &sealed, error).await,
    };
    let (lang, offer) = (language.lang, &checked.offer);
    let page = page(&app, &device, lang, &found, offer, &sealed.signup, &query.wrong)?;
    let page = with_card(&app, found.scope.mode, page, query.card_token).await?;
    page_of(&page, StatusCode::OK, language, false)
}

/// POST /subscribe/{planId}/card
pub async fn pay(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(id): PagePath<PlanId>,
    request: Request,
) -> Result<Response> {
    let confirmed: Confirmed = posted(request).await?;
    let opened = open_for_page::<Sealed>(&app, &visitor.device, &path(id), &confirmed.state);
    let Some(sealed) = opened else {
        return Ok(lead_back(&format!("/subscribe/{id}")));
    };
    let found = find(&app, id).await?;
    limit_checkout(&app, &context, found.scope, id)?;
    let error = match subscribe(&app, &found, &visitor, &sealed, &confirmed).await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let Some((status, notice)) = notice(language.lang, &error) else {
        return correct(&app, language, &found, &sealed, error).await;
    };
    let checked = match sealed.signup.check(&app, &found).await {
        Ok(checked) => checked,
        Err(error) => return correct(&app, language, &found, &sealed, error).await,
    };
    let (lang, offer) = (language.lang, &checked.offer);
    let page = page(&app, &visitor.device, lang, &found, offer, &sealed.signup, "")?;
    page_of(&CardPage { notice: Some(notice), ..page }, status, language, false)
}

/// Shows the form again; it was typed on another page, so personal data in it is masked.
async fn correct(
    app: &App,
    language: RequestLanguage,
    found: &PlanPageData,
    sealed: &Sealed,
    error: Error,
) -> Result<Response> {
    let posted = prefilled::keep(app, &found.plan.id.to_string(), sealed.signup.posted.clone());
    refuse(app, language, found, &Signup { posted, ..sealed.signup.clone() }, error).await
}

async fn subscribe(
    app: &App,
    found: &PlanPageData,
    visitor: &Visitor,
    sealed: &Sealed,
    confirmed: &Confirmed,
) -> Result<Response> {
    if let Some(response) = sealed.signup.made(app, found).await? {
        return Ok(response);
    }
    let checked = sealed.signup.check(app, found).await?;
    if checked.offer.due().get() > sealed.due {
        return Err(price_changed());
    }
    let method = if confirmed.method == "PIX" {
        RequestedMethod::Pix
    } else {
        let unread = || Error::field("cardToken", "INVALID_CARD_TOKEN", "is missing");
        RequestedMethod::Card(fields::text(&confirmed.card_token, 1, 255).map_err(|_| unread())?)
    };
    sealed.signup.subscribe(app, found, visitor, checked, method).await
}

fn page(
    app: &App,
    device: &Device,
    lang: Lang,
    found: &PlanPageData,
    offer: &Offer,
    signup: &Signup,
    wrong: &str,
) -> Result<CardPage> {
    let PlanPageData { scope, plan, seller } = found;
    let place = path(plan.id);
    // Sealed again, so that it lasts from now on, with the amount shown now.
    let state = seal_for_page(app, device, &place, &Sealed::new(signup, offer.due()));
    let price = price_text(lang, plan.price, plan.interval);
    let (amount, parts) = if offer.trial {
        (free_days(lang, plan.trial_days), Some(lang.afterwards(price)))
    } else {
        let differs = offer.first != plan.price;
        let parts = if differs { lang.afterwards(price) } else { price };
        (lang.money(offer.due().get()), Some(parts))
    };
    let pix = if offer.trial || offer.due() == Cents::ZERO {
        None
    } else {
        Some(("PIX", lang.pay_by_pix(lang.money(offer.due().get()))))
    };
    Ok(CardPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: seller.name.clone(),
        language_url: format!("{place}?state={state}&lang={}", lang.other().tag()),
        place,
        goal: if offer.trial { CardPurpose::Try } else { CardPurpose::Pay },
        title: plan.name.clone(),
        amount,
        parts,
        others: pix.into_iter().collect(),
        state,
        notice: None,
        step: card_form(app, scope.mode, lang, wrong)?,
    })
}
