//! The pay form: what a link asks for, and the payment that it creates.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use db::database::Dialect;
use db::hex::hex;
use db::time::Timestamp;
use db::tx::Tx;
use http::{HeaderName, HeaderValue, StatusCode};
use ledger::cents::Cents;
use serde::Deserialize;
use uuid::Uuid;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::carts;
use crate::checkout::api::required_fields;
use crate::checkout::attempts::{CreatedPayment, coupon_held, issue_once};
use crate::checkout::card_pages::card_path;
use crate::checkout::card_step_pages::{CardConfirmForm, lead_to};
use crate::checkout::closed_pages::closed;
use crate::checkout::form::FormFields;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::form_pages::{FormPage, form_path, try_coupon};
use crate::checkout::order_summary::{
    OrderSummary, available_methods, expect_methods, expect_provider, methods_out_of_service,
    summarize,
};
use crate::checkout::pay_view::{
    discount, installment_choice, item, link_way, out_of_service_text, pay_page, plan_text,
};
use crate::checkout::payment_from_form::{PaymentRequest, check, new};
use crate::checkout::prefilled;
use crate::checkout::sealed_form::SealedForm;
use crate::checkout::views::card::{CardOrder, CardPurpose};
use crate::checkout::views::{AddressWanted, OrderView, WantedFields};
use crate::merchants::look::SellerProfile;
use crate::payment_links::stock::{self, Availability};
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, Result};
use crate::platform::http::context::Context;
use crate::platform::http::gzip::{self, AcceptsGzip};
use crate::platform::http::html::{html_response, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::page_cache::Page;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::transactions::request::NewTransaction;
use crate::transactions::validation::RequiredFields;
use crate::transactions::{Method, PaymentMethod};

/// How long a page is cached where this process makes every change.
const PAGE_CACHED: Duration = Duration::from_secs(60);
/// The same where other nodes make changes, where every sale is a change, or while a provider is
/// out of service.
const PAGE_CACHED_BRIEFLY: Duration = Duration::from_secs(1);

/// A link with what its page needs.
pub type LinkPageData = (Scope, PaymentLink, SellerProfile);

/// The query with which the page is opened.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PageParams {
    coupon: String,
    /// The token of a cart, which restores what was typed.
    rc: String,
    /// The affiliate code of the link that the buyer followed.
    aff: String,
    /// What the page says above its form.
    notice: String,
}

/// GET /pay/{slug}
pub async fn pay(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(slug): PagePath<String>,
    Query(PageParams { coupon, rc, aff, notice }): Query<PageParams>,
    accepts_gzip: AcceptsGzip,
) -> Result<Response> {
    // What few visits need is done on the heap, or all of them would reserve space for it.
    let kept = match aff.as_str() {
        "" => None,
        code => Box::pin(record_click(&app, &slug, &visitor, code)).await?,
    };
    let attempt = hex(&app.database.sources().random::<16>());
    let errors = FormErrors::none(&notice);
    // A plain page is the same for every buyer.
    let is_plain = coupon.trim().is_empty() && rc.is_empty() && errors.notice.is_none();
    let mut response = if is_plain {
        open(&app, language, &slug, &attempt, accepts_gzip).await?
    } else {
        let filled_in = async {
            let found = LinkPageData::find(&app, slug).await?;
            let typed = from_cart(&app, &found, rc).await?.unwrap_or_default();
            let posted = FormFields { attempt, coupon, ..typed };
            if posted.coupon().is_some() {
                try_coupon(&app, &context, &visitor.device, language, &found, &posted).await
            } else {
                show_filled_in(&app, language, &found, &posted, &errors).await
            }
        };
        Box::pin(filled_in).await?
    };
    response.headers_mut().extend(kept);
    let fresh = app.database.sources().random();
    response.headers_mut().extend(visitor.device.remember(fresh, app.urls.checkout()));
    Ok(response)
}

impl FormPage for LinkPageData {
    type Key = String;
    type Offer = OrderSummary;

    const BASE: &'static str = "/pay";

    async fn find(app: &App, slug: String) -> Result<Self> {
        app.lookup(async move |tx| payment_links::find_public(tx, &slug).await).await
    }

    fn key(&self) -> String {
        self.1.slug.clone()
    }

    fn id(&self) -> Uuid {
        self.1.id.0
    }

    fn scope(&self) -> Scope {
        self.0
    }

    fn seller(&self) -> &SellerProfile {
        &self.2
    }

    async fn offer(
        &self,
        app: &App,
        posted: &FormFields,
        coupon: Option<&str>,
    ) -> Result<OrderSummary> {
        order_summary(app, self, &posted.attempt, coupon).await
    }

    fn order(&self, app: &App, lang: Lang, order: &OrderSummary, posted: &FormFields) -> OrderView {
        let (scope, link, _) = self;
        let is_free = order.due.is_zero();
        let methods = if is_free { Vec::new() } else { available_methods(app, scope.mode, link) };
        let out_of_service =
            if is_free { Vec::new() } else { methods_out_of_service(app, scope.mode, link) };
        let parts = order
            .plans
            .iter()
            .map(|plan| installment_choice(lang, plan, posted.installment_count()));
        OrderView {
            title: link.title.clone(),
            description: link.description.clone(),
            items: order.items.iter().map(|bought| item(lang, bought)).collect(),
            product_description: link.product_description.clone(),
            cart: Some(link.slug.clone()),
            plan: None,
            discount: discount(lang, order.price, order.coupon.as_ref()),
            total: lang.money(order.due.get()),
            seen: order.due.get(),
            parts: parts.collect(),
            wanted: wanted_fields(app, scope.mode, link, &methods),
            document_hint: if methods.contains(&PaymentMethod::Boleto) {
                lang.document_hint_boleto()
            } else {
                lang.document_hint()
            },
            ways: methods.into_iter().map(|method| link_way(lang, order, method)).collect(),
            out_of_service: out_of_service_text(lang, &out_of_service),
            changed: lang.price_changed(),
        }
    }

    async fn card_order(
        &self,
        app: &App,
        lang: Lang,
        posted: &FormFields,
    ) -> Result<(CardOrder, Cents)> {
        let (scope, link, _) = self;
        let order = self.offer(app, posted, posted.coupon()).await?;
        let count = posted.installment_count();
        let total = order.total(PaymentMethod::CreditCard, count);
        let plan = order.plan(count).filter(|plan| plan.count > 1);
        let due = lang.money(order.due.get());
        let needs_address = app.providers.boleto_needs_address(scope.mode);
        let other = |method| match method {
            PaymentMethod::Pix => Some(("PIX", lang.pay_by_pix(&due))),
            PaymentMethod::Boleto
                if posted.has_typed_document() && (!needs_address || posted.has_address()) =>
            {
                Some(("BOLETO", lang.pay_by_boleto(&due)))
            }
            _ => None,
        };
        let order = CardOrder {
            goal: CardPurpose::Pay,
            title: link.title.clone(),
            amount: lang.money(total.get()),
            parts: plan.map(|plan| plan_text(lang, plan)),
            others: available_methods(app, scope.mode, link)
                .into_iter()
                .filter_map(other)
                .collect(),
        };
        Ok((order, total))
    }

    async fn submit(&self, app: &App, posted: &FormFields, visitor: &Visitor) -> Result<Response> {
        expect_provider(app, self.0.mode)?;
        match check(app, self, posted, visitor).await? {
            PaymentRequest::Card { total } => {
                let card = card_path(&form_path::<Self>(self.key()));
                Ok(lead_to(app, &visitor.device, &card, &SealedForm::new(posted, total)))
            }
            PaymentRequest::Now(new) => pay_once(app, self, posted, &new).await,
        }
    }

    async fn pay_by_card(
        &self,
        app: &App,
        SealedForm { posted, total }: &SealedForm,
        visitor: &Visitor,
        confirmed: &CardConfirmForm,
    ) -> Result<Response> {
        let available_methods = available_methods(app, self.0.mode, &self.1);
        let named = |method: &PaymentMethod| Method::from(*method).name() == confirmed.method;
        let method =
            available_methods.iter().copied().find(named).unwrap_or(PaymentMethod::CreditCard);
        // The total by card has the interest, which another method does not pay.
        let by_card = method == PaymentMethod::CreditCard;
        let shown = if by_card { None } else { posted.seen() };
        let at_most = Some(shown.unwrap_or(Cents::new(*total)));
        let token = by_card.then_some(confirmed.card_token.as_str());
        let new = new(app, self, posted, visitor, method, token)?;
        let new = NewTransaction { at_most, ..new };
        pay_once(app, self, posted, &new).await
    }
}

/// What the form of a link asks for; the bank of its boletos may want an address.
fn wanted_fields(
    app: &App,
    mode: Mode,
    link: &PaymentLink,
    methods: &[PaymentMethod],
) -> WantedFields {
    let RequiredFields { phone, address } = required_fields(link);
    let address = if address {
        AddressWanted::Always
    } else if methods.contains(&PaymentMethod::Boleto) && app.providers.boleto_needs_address(mode) {
        AddressWanted::ForBoleto
    } else {
        AddressWanted::Never
    };
    WantedFields { phone, address }
}

/// Creates a payment, once for each attempt; redirects to its page.
async fn pay_once(
    app: &App,
    (scope, link, _): &LinkPageData,
    posted: &FormFields,
    new: &NewTransaction,
) -> Result<Response> {
    let CreatedPayment { id, token } =
        issue_once(app, *scope, &posted.attempt, &link.slug, new).await?;
    Ok(see(&format!("/pay/{}/t/{id}?token={token}", link.slug)))
}

/// Computes a form's total; the last use of a coupon may be held by the same attempt.
pub async fn order_summary(
    app: &App,
    found: &LinkPageData,
    attempt: &str,
    coupon: Option<&str>,
) -> Result<OrderSummary> {
    let (scope, link, coupon) = (found.0, found.1.clone(), coupon.map(str::to_owned));
    let held = match coupon {
        Some(_) => coupon_held(app, scope, attempt, &link.slug).await?,
        None => None,
    };
    let read =
        async move |tx: &Tx| summarize(tx, scope, &link, coupon.as_deref(), held.clone()).await;
    app.read(read).await
}

/// Records the affiliate click of a buyer who opens a usable link; returns the cookie to set.
async fn record_click(
    app: &App,
    slug: &str,
    visitor: &Visitor,
    code: &str,
) -> Result<Option<(HeaderName, HeaderValue)>> {
    let (scope, link, _) = LinkPageData::find(app, slug.to_owned()).await?;
    if link.expect_usable().is_err() {
        return Ok(None);
    }
    Ok(visitor.follow(app, scope, code).await)
}

/// The form, from the cache if it is still valid.
async fn open(
    app: &App,
    language: RequestLanguage,
    slug: &str,
    attempt: &str,
    accepts_gzip: AcceptsGzip,
) -> Result<Response> {
    match app.pages.find(slug, language.lang, app.now()) {
        Some(page) => Ok(respond(&page, attempt, language, accepts_gzip)),
        None => Box::pin(open_uncached(app, language, slug, attempt, accepts_gzip)).await,
    }
}

/// The form from the database.
async fn open_uncached(
    app: &App,
    language: RequestLanguage,
    slug: &str,
    attempt: &str,
    accepts_gzip: AcceptsGzip,
) -> Result<Response> {
    let generation = app.pages.generation();
    let found = LinkPageData::find(app, slug.to_owned()).await?;
    let (scope, link, merchant) = &found;
    let page = match render(app, language.lang, &found, attempt).await {
        Ok(page) => page,
        Err(error) => return closed(language, *scope, merchant, error),
    };
    app.pages.keep(generation, &link.slug, language.lang, page.clone());
    Ok(respond(&page, attempt, language, accepts_gzip))
}

/// What a buyer had typed before leaving; `None` for a token that is invalid or too old.
async fn from_cart(app: &App, found: &LinkPageData, token: String) -> Result<Option<FormFields>> {
    let (scope, link, secrets) = (found.0, found.1.id, app.secrets.clone());
    let Some(id) = carts::id_in_token(&secrets, scope, &token) else { return Ok(None) };
    let cart = app.read(async move |tx| carts::resume(tx, scope, link, id).await);
    let typed = cart.await?.as_ref().map(FormFields::from_cart);
    Ok(typed.map(|typed| prefilled::keep(app, &found.1.slug, typed)))
}

/// The form with what was typed before, and a notice.
async fn show_filled_in(
    app: &App,
    language: RequestLanguage,
    found: &LinkPageData,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<Response> {
    let lang = language.lang;
    match render_with(app, lang, found, posted, errors).await {
        Ok((html, _)) => Ok(html_response(html, StatusCode::OK, language, false)),
        Err(error) => closed(language, found.0, &found.2, error),
    }
}

/// A cached page as a response to one request.
fn respond(
    page: &Page,
    attempt: &str,
    language: RequestLanguage,
    AcceptsGzip(accepts_gzip): AcceptsGzip,
) -> Response {
    if !accepts_gzip {
        return html_response(page.with(attempt), StatusCode::OK, language, false);
    }
    let mut response =
        html_response(page.compressed_with(attempt), StatusCode::OK, language, false);
    gzip::mark(&mut response);
    response
}

/// Renders the form of a link that can be paid now.
async fn render(app: &App, lang: Lang, found: &LinkPageData, attempt: &str) -> Result<Arc<Page>> {
    let posted = FormFields { attempt: attempt.to_owned(), ..FormFields::default() };
    let none = FormErrors::default();
    let (html, valid_until) = render_with(app, lang, found, &posted, &none).await?;
    let page = Page::new(&html, attempt, found.0.merchant, valid_until);
    let nowhere = || Error::Internal(anyhow::anyhow!("the form does not name its attempt"));
    page.map(Arc::new).ok_or_else(nowhere)
}

/// Renders the form with what was typed; also returns until when the page is valid.
async fn render_with(
    app: &App,
    lang: Lang,
    found: &LinkPageData,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<(String, Timestamp)> {
    let order = order_summary(app, found, &posted.attempt, None).await?;
    expect_provider(app, found.0.mode)?;
    expect_methods(app, found.0.mode, &found.1)?;
    let (scope, link) = (found.0, found.1.clone());
    let stock = app.read(async move |tx| {
        let stock = stock::availability(tx, scope, &link).await?;
        stock.expect_left(&link)?;
        Ok(stock)
    });
    let valid_until = valid_until(app, scope, &found.1, stock.await?);
    Ok((pay_page(app, lang, found, &order, posted, errors)?, valid_until))
}

/// How long a pay page may be served from the cache.
fn valid_until(app: &App, scope: Scope, link: &PaymentLink, stock: Availability) -> Timestamp {
    let is_whole = methods_out_of_service(app, scope.mode, link).is_empty();
    let kept = match (app.database.dialect(), stock) {
        (Dialect::Sqlite, Availability::Unlimited) if is_whole => PAGE_CACHED,
        _ => PAGE_CACHED_BRIEFLY,
    };
    let latest = app.now().plus(kept);
    link.expires_at.map_or(latest, |at| latest.min(scope.due(at).at))
}
