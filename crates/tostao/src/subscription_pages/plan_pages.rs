//! A plan's page: what it offers, and the form to subscribe.

use axum::extract::State;
use axum::response::Response;
use db::hex::hex;
use db::tx::Tx;
use http::{HeaderName, HeaderValue};
use ledger::cents::Cents;
use serde::Deserialize;
use uuid::Uuid;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::RequestedMethod;
use crate::checkout::card_pages::card_path;
use crate::checkout::card_step_pages::{CardConfirmForm, lead_to};
use crate::checkout::form::{FormFields, METHOD};
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::form_pages::{FormPage, form_path, preview, try_coupon};
use crate::checkout::pay_view::{discount, out_of_service_text};
use crate::checkout::sealed_form::SealedForm;
use crate::checkout::views::card::{CardOrder, CardPurpose};
use crate::checkout::views::{OrderView, RecurringPrice, WantedFields};
use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, Result};
use crate::platform::fields;
use crate::platform::http::context::Context;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::path::PagePath;
use crate::platform::http::query::Query;
use crate::platform::ids::{PlanId, Scope};
use crate::platform::messages::Lang;
use crate::subscription_pages::offer::{
    Offer, PlanPageData, expect_methods, methods, methods_out_of_service, offer,
};
use crate::subscription_pages::plan_view::{free_days, pix_terms, plan_way, price_text, terms};
use crate::subscription_pages::signup_pages::{buyer, check, subscribe_once, subscribed};
use crate::subscriptions::plans;
use crate::transactions::PaymentMethod;

/// The query parameters of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PageParams {
    coupon: String,
    /// The affiliate's code.
    aff: String,
    /// What the page says above its form.
    notice: String,
}

/// GET /subscribe/{planId}
pub async fn show(
    State(app): State<App>,
    language: RequestLanguage,
    Context(context): Context,
    visitor: Visitor,
    PagePath(id): PagePath<PlanId>,
    Query(PageParams { coupon, aff, notice }): Query<PageParams>,
) -> Result<Response> {
    let found = PlanPageData::find(&app, id).await?;
    let kept = follow(&app, &found, &visitor, &aff).await;
    let attempt = hex(&app.database.sources().random::<16>());
    let posted = FormFields { attempt, coupon, aff, ..FormFields::default() };
    let mut response = if posted.coupon().is_some() {
        try_coupon(&app, &context, &visitor.device, language, &found, &posted).await?
    } else {
        preview(&app, language, &found, &posted, &FormErrors::none(&notice)).await?
    };
    response.headers_mut().extend(kept);
    let fresh = app.database.sources().random();
    response.headers_mut().extend(visitor.device.remember(fresh, app.urls.checkout()));
    Ok(response)
}

impl FormPage for PlanPageData {
    type Key = PlanId;
    type Offer = Offer;

    const BASE: &'static str = "/subscribe";

    async fn find(app: &App, id: PlanId) -> Result<Self> {
        let find = async move |tx: &Tx| plans::find_public(tx, id).await;
        let (scope, plan, seller) = app.read(find).await?;
        Ok(Self { scope, plan, seller })
    }

    fn key(&self) -> String {
        self.plan.id.to_string()
    }

    fn id(&self) -> Uuid {
        self.plan.id.0
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn seller(&self) -> &SellerProfile {
        &self.seller
    }

    async fn offer(&self, app: &App, posted: &FormFields, coupon: Option<&str>) -> Result<Offer> {
        expect_methods(app, self.scope.mode)?;
        offer(app, self, coupon, buyer(posted).as_ref()).await
    }

    fn order(&self, app: &App, lang: Lang, offer: &Offer, posted: &FormFields) -> OrderView {
        let plan = &self.plan;
        let methods = methods(app, self.scope.mode).into_iter();
        let now = self.scope.at(app.now()).micros();
        let had_trial = plan.trial_days > 0 && !offer.trial;
        let document_hint =
            if offer.trial { lang.document_hint_plan() } else { lang.document_hint() };
        OrderView {
            title: plan.name.clone(),
            description: plan.description.clone(),
            items: Vec::new(),
            product_description: None,
            cart: None,
            plan: Some(RecurringPrice {
                trial: offer.trial.then(|| free_days(lang, plan.trial_days)),
                price: price_text(lang, plan.price, plan.interval),
                terms: terms(lang, plan, offer, now),
                pix_terms: pix_terms(lang, plan, offer, now),
                seen: plan.terms(),
                aff: posted.aff.clone(),
            }),
            discount: discount(lang, plan.price, offer.coupon.as_ref()),
            total: lang.money(offer.due().get()),
            seen: offer.due().get(),
            ways: methods.map(|method| plan_way(lang, offer, method)).collect(),
            out_of_service: out_of_service_text(
                lang,
                &methods_out_of_service(app, self.scope.mode),
            ),
            // A period is not paid in installments.
            parts: Vec::new(),
            wanted: WantedFields::NONE,
            document_hint,
            changed: if had_trial { lang.had_trial() } else { lang.price_changed() },
        }
    }

    async fn card_order(
        &self,
        app: &App,
        lang: Lang,
        posted: &FormFields,
    ) -> Result<(CardOrder, Cents)> {
        let (plan, offer) = (&self.plan, check(app, self, posted).await?.offer);
        let price = price_text(lang, plan.price, plan.interval);
        let due = lang.money(offer.due().get());
        let pix = (offer.due() > Cents::ZERO).then(|| ("PIX", lang.pay_by_pix(&due)));
        let (goal, amount, parts) = if offer.trial {
            (CardPurpose::Try, free_days(lang, plan.trial_days), lang.afterwards(price))
        } else if offer.first == plan.price {
            (CardPurpose::Pay, due, price)
        } else {
            (CardPurpose::Pay, due, lang.afterwards(price))
        };
        let (title, parts, others) = (plan.name.clone(), Some(parts), pix.into_iter().collect());
        Ok((CardOrder { goal, title, amount, parts, others }, offer.due()))
    }

    async fn submit(&self, app: &App, posted: &FormFields, visitor: &Visitor) -> Result<Response> {
        let refused = || Error::field(METHOD, "INVALID_VALUE", "is not offered");
        if let Some(response) = subscribed(app, self, posted).await? {
            return Ok(response);
        }
        expect_methods(app, self.scope.mode)?;
        let method = posted.method(&methods(app, self.scope.mode)).ok_or_else(refused)?;
        let signup = check(app, self, posted).await?;
        if method != PaymentMethod::CreditCard {
            let method = RequestedMethod::Pix;
            return subscribe_once(app, self, posted, visitor, signup, method, posted.seen()).await;
        }
        let sealed = SealedForm::new(posted, signup.offer.due());
        Ok(lead_to(app, &visitor.device, &card_path(&form_path::<Self>(self.plan.id)), &sealed))
    }

    async fn pay_by_card(
        &self,
        app: &App,
        SealedForm { posted, total }: &SealedForm,
        visitor: &Visitor,
        confirmed: &CardConfirmForm,
    ) -> Result<Response> {
        if let Some(response) = subscribed(app, self, posted).await? {
            return Ok(response);
        }
        let signup = check(app, self, posted).await?;
        let at_most = Some(Cents::new(*total));
        let method = if confirmed.method == "PIX" {
            RequestedMethod::Pix
        } else {
            let unread = |_| Error::field("cardToken", "INVALID_CARD_TOKEN", "is missing");
            RequestedMethod::Card(fields::text(&confirmed.card_token, 1, 255).map_err(unread)?)
        };
        subscribe_once(app, self, posted, visitor, signup, method, at_most).await
    }
}

/// Records the affiliate's URL by which a buyer came to a plan that takes subscribers; returns the
/// cookie header.
async fn follow(
    app: &App,
    found: &PlanPageData,
    visitor: &Visitor,
    code: &str,
) -> Option<(HeaderName, HeaderValue)> {
    found.plan.expect_open().ok()?;
    visitor.follow(app, found.scope, code).await
}
