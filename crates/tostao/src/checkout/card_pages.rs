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
use crate::checkout::api::limit;
use crate::checkout::attempts::issue_once;
use crate::checkout::card_step_pages::{
    CardQuery, Confirmed, card_form, lead_back, notice, open_for_page, seal_for_page, with_card,
};
use crate::checkout::order_summary::{OrderSummary, available_methods};
use crate::checkout::pay_pages::{LinkPageData, find, order_summary, refuse};
use crate::checkout::pay_view::plan_text;
use crate::checkout::payment_from_form::{new, price_changed};
use crate::checkout::prefilled;
use crate::checkout::sealed_form::Purchase;
use crate::checkout::views::card::{CardPage, CardPurpose};
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::html::{page_of, posted, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::transactions::{Method, PaymentMethod};

/// The path of a link's card page.
pub fn path(slug: &str) -> String {
    format!("/pay/{slug}/card")
}

/// GET /pay/{slug}/card
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    device: Device,
    PagePath(slug): PagePath<String>,
    Query(query): Query<CardQuery>,
) -> Result<Response> {
    let Some(purchase) = open_for_page::<Purchase>(&app, &device, &path(&slug), &query.state)
    else {
        return Ok(lead_back(&format!("/pay/{slug}")));
    };
    let found = find(&app, &slug).await?;
    let order =
        match order_summary(&app, &found, &purchase.posted.attempt, purchase.posted.coupon()).await
        {
            Ok(order) => order,
            Err(error) => return correct(&app, language, &found, &purchase, error).await,
        };
    let page = page(&app, &device, language.lang, &found, &order, &purchase, &query.wrong)?;
    let page = with_card(&app, found.0.mode, page, query.card_token).await?;
    page_of(&page, StatusCode::OK, language, false)
}

/// POST /pay/{slug}/card
pub async fn pay(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(slug): PagePath<String>,
    request: Request,
) -> Result<Response> {
    let confirmed: Confirmed = posted(request).await?;
    let opened = open_for_page::<Purchase>(&app, &visitor.device, &path(&slug), &confirmed.state);
    let Some(purchase) = opened else {
        return Ok(lead_back(&format!("/pay/{slug}")));
    };
    let found = find(&app, &slug).await?;
    let (scope, link, _) = &found;
    limit(&app, &context, *scope, link)?;
    let error = match charge(&app, &found, &purchase, &visitor, &confirmed).await {
        Ok(place) => return Ok(see(&place)),
        Err(error) => error,
    };
    let Some((status, notice)) = notice(language.lang, &error) else {
        return correct(&app, language, &found, &purchase, error).await;
    };
    let order =
        match order_summary(&app, &found, &purchase.posted.attempt, purchase.posted.coupon()).await
        {
            Ok(order) => order,
            Err(error) => return correct(&app, language, &found, &purchase, error).await,
        };
    let page = page(&app, &visitor.device, language.lang, &found, &order, &purchase, "")?;
    page_of(&CardPage { notice: Some(notice), ..page }, status, language, false)
}

/// Shows the form again; it was filled in on another page, so personal data is masked.
async fn correct(
    app: &App,
    language: RequestLanguage,
    found: &LinkPageData,
    purchase: &Purchase,
    error: Error,
) -> Result<Response> {
    let posted = prefilled::keep(app, &found.1.slug, purchase.posted.clone());
    refuse(app, language, found, &posted, error).await
}

/// Charges the card, or creates a payment by another method; returns where to go.
async fn charge(
    app: &App,
    found: &LinkPageData,
    purchase: &Purchase,
    visitor: &Visitor,
    confirmed: &Confirmed,
) -> Result<String> {
    let (scope, link, _) = found;
    let posted = &purchase.posted;
    let available_methods = available_methods(app, scope.mode, link);
    let named = |method: &PaymentMethod| Method::from(*method).name() == confirmed.method;
    let method = available_methods.iter().copied().find(named).unwrap_or(PaymentMethod::CreditCard);
    let order = order_summary(app, found, &posted.attempt, posted.coupon()).await?;
    if order.total(method, posted.installment_count()).get() > purchase.total {
        return Err(price_changed());
    }
    let token = (method == PaymentMethod::CreditCard).then_some(confirmed.card_token.as_str());
    let new = new(app, found, posted, visitor, method, token)?;
    let issued = issue_once(app, *scope, &posted.attempt, &link.slug, &new).await?;
    Ok(format!("/pay/{}/t/{}?token={}", link.slug, issued.id, issued.token))
}

fn page(
    app: &App,
    device: &Device,
    lang: Lang,
    (scope, link, merchant): &LinkPageData,
    order: &OrderSummary,
    purchase: &Purchase,
    wrong: &str,
) -> Result<CardPage> {
    let count = purchase.posted.installment_count();
    let total = order.total(PaymentMethod::CreditCard, count);
    let plan = order.plan(count).filter(|plan| plan.count > 1);
    // Sealed again, so that it is valid from now on, with the total that is shown now.
    let (place, posted) = (path(&link.slug), &purchase.posted);
    let state = seal_for_page(app, device, &place, &Purchase::new(posted, total));
    let others =
        available_methods(app, scope.mode, link).into_iter().filter_map(|method| match method {
            PaymentMethod::Pix => Some(("PIX", lang.pay_by_pix(lang.money(order.due.get())))),
            PaymentMethod::Boleto if posted.has_typed_document() => {
                Some(("BOLETO", lang.pay_by_boleto(lang.money(order.due.get()))))
            }
            _ => None,
        });
    Ok(CardPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.name.clone(),
        language_url: format!("{place}?state={state}&lang={}", lang.other().tag()),
        place,
        goal: CardPurpose::Pay,
        title: link.title.clone(),
        amount: lang.money(total.get()),
        parts: plan.map(|plan| plan_text(lang, plan)),
        others: others.collect(),
        state,
        notice: None,
        step: card_form(app, scope.mode, lang, wrong)?,
    })
}
