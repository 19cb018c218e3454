//! A plan in words for a buyer.

use brazil::periods::{Anchor, days_after};
use ledger::cents::Cents;

use crate::app::App;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::prefilled;
use crate::checkout::views::{Discount, PaymentChoice};
use crate::platform::messages::Lang;
use crate::subscribing::offer::{Offer, PlanPageData, methods};
use crate::subscribing::signup_pages::Signup;
use crate::subscribing::views::PlanPage;
use crate::subscriptions::plans::{Interval, Plan};
use crate::transactions::PaymentMethod;
use crate::transactions::validation::RequiredFields;

/// Draws the form: the offer, the typed data, and the errors.
pub fn plan_page(
    app: &App,
    lang: Lang,
    found: &PlanPageData,
    offer: &Offer,
    signup: &Signup,
    errors: &FormErrors,
) -> PlanPage {
    let PlanPageData { scope, plan, seller } = found;
    let posted = &prefilled::shown(app, &plan.id.to_string(), &signup.posted);
    let money = |cents: Cents| lang.money(cents.get());
    let offered = methods(app, scope.mode);
    let chosen = posted.method(&offered).or(offered.first().copied());
    let ways = offered.iter().map(|method| way(lang, offer, *method, Some(*method) == chosen));
    let now = scope.at(app.now()).micros();
    let had_trial = plan.trial_days > 0 && !offer.trial;
    let changed = if had_trial { lang.had_trial() } else { lang.price_changed() };
    PlanPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: seller.name.clone(),
        language_url: format!("/subscribe/{}?lang={}", plan.id, lang.other().tag()),
        place: format!("/subscribe/{}", plan.id),
        title: plan.name.clone(),
        description: plan.description.clone(),
        trial: offer.trial.then(|| free_days(lang, plan.trial_days)),
        price: price_text(lang, plan.price, plan.interval),
        terms: terms(lang, plan, offer, now),
        pix_terms: pix_terms(lang, plan, offer, now),
        discount: offer.coupon.as_ref().map(|(code, off)| Discount {
            code: code.clone(),
            price: money(plan.price),
            off: money(*off),
        }),
        notice: errors.notice(lang, &money(offer.due()), changed),
        total: money(offer.due()),
        seen: offer.due().get(),
        ways: ways.collect(),
        parts: Vec::new(),
        form: posted.shown(RequiredFields::default(), &errors.wrong, lang),
        attempt: posted.attempt.clone(),
        kept: posted.kept.clone(),
        aff: signup.aff.clone(),
    }
}

/// A price with its interval: `R$ 29,90 por mês`.
pub fn price_text(lang: Lang, price: Cents, interval: Interval) -> String {
    let amount = lang.money(price.get());
    match interval {
        Interval::Monthly => lang.per_month(amount),
        Interval::Quarterly => lang.per_quarter(amount),
        Interval::Semiannual => lang.per_semester(amount),
        Interval::Annual => lang.per_year(amount),
    }
}

/// The length of a trial: `7 dias grátis`.
pub fn free_days(lang: Lang, days: u32) -> String {
    if days == 1 { lang.one_free_day().to_owned() } else { lang.free_days(days) }
}

fn terms(lang: Lang, plan: &Plan, offer: &Offer, now: i64) -> String {
    if offer.trial {
        let date = lang.day(days_after(now, plan.trial_days));
        return lang.trial_terms(date, lang.money(offer.first.get()));
    }
    lang.renewal_terms(next(lang, plan, now), price_text(lang, plan.price, plan.interval))
}

fn pix_terms(lang: Lang, plan: &Plan, offer: &Offer, now: i64) -> String {
    if offer.trial {
        return terms(lang, plan, offer, now);
    }
    lang.pix_renewal_terms(next(lang, plan, now), price_text(lang, plan.price, plan.interval))
}

fn next(lang: Lang, plan: &Plan, now: i64) -> String {
    let (_, end) = Anchor::at(now).period(plan.interval.months(), 0);
    lang.day(end)
}

fn way(lang: Lang, offer: &Offer, method: PaymentMethod, is_chosen: bool) -> PaymentChoice {
    let (id, value, name, note, go, next) = match method {
        PaymentMethod::CreditCard => (
            "card",
            "CREDIT_CARD",
            lang.card(),
            lang.card_renews(),
            lang.go_to_card(),
            lang.card_next_note(),
        ),
        _ => (
            "pix",
            "PIX",
            lang.pix(),
            lang.pix_renews(),
            lang.generate_code(),
            lang.generate_note(),
        ),
    };
    let (go, next) = match (offer.trial, id) {
        (true, "pix") => (lang.start_trial(), lang.start_trial_note()),
        _ => (go, next),
    };
    PaymentChoice { id, value, name, note: note.to_owned(), go, next, is_chosen }
}
