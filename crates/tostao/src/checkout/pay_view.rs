//! Formats the pay form for its template.

use askama::Template;
use brazil::installments::Plan;
use ledger::cents::Cents;

use crate::app::App;
use crate::checkout::form::FormFields;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::form_pages::{FormPage, form_path};
use crate::checkout::order_summary::OrderSummary;
use crate::checkout::prefilled;
use crate::checkout::views::{Discount, InstallmentChoice, Item, PayPage, PaymentChoice};
use crate::platform::error::{Error, Result};
use crate::platform::messages::Lang;
use crate::products;
use crate::transactions::{Method, PaymentMethod};

/// Renders the form: the offer, what was typed, and its errors.
pub fn pay_page<P: FormPage>(
    app: &App,
    lang: Lang,
    page: &P,
    offer: &P::Offer,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<String> {
    let posted = &prefilled::shown(app, &page.key(), posted);
    let mut order = page.order(app, lang, offer, posted);
    let chosen = order.ways.iter().position(|way| way.value == posted.method).unwrap_or(0);
    if let Some(way) = order.ways.get_mut(chosen) {
        way.is_chosen = true;
    }
    let place = form_path::<P>(page.key());
    let page = PayPage {
        lang,
        test_mode: page.scope().mode.is_development(),
        merchant: page.seller().clone(),
        language_url: format!("{place}?lang={}", lang.other().tag()),
        place,
        form: posted.shown(order.wanted, &errors.wrong, lang),
        attempt: posted.attempt.clone(),
        kept: posted.kept.clone(),
        notice: errors.notice(lang, &order.total, order.changed),
        order,
    };
    page.render().map_err(|error| Error::Internal(error.into()))
}

/// A coupon's discount on a price.
pub fn discount(lang: Lang, price: Cents, coupon: Option<&(String, Cents)>) -> Option<Discount> {
    let (code, off) = coupon?;
    let (price, off) = (lang.money(price.get()), lang.money(off.get()));
    Some(Discount { code: code.clone(), price, off })
}

/// A way to pay, not chosen, with what this purchase has to say about it.
pub fn way(lang: Lang, method: PaymentMethod, note: String) -> PaymentChoice {
    let (id, go, next) = match method {
        PaymentMethod::Pix => ("pix", lang.generate_code(), lang.generate_note()),
        PaymentMethod::Boleto => ("boleto", lang.generate_boleto(), lang.boleto_next_note()),
        PaymentMethod::CreditCard => ("card", lang.go_to_card(), lang.card_next_note()),
    };
    let (name, value) = (method_name(lang, method), Method::from(method).name());
    PaymentChoice { id, value, name, note, go, next, is_chosen: false }
}

/// The sentence about methods that are not offered for the moment; empty if there are none.
pub fn out_of_service_text(lang: Lang, methods: &[PaymentMethod]) -> String {
    let names: Vec<_> = methods.iter().map(|method| method_name(lang, *method)).collect();
    if names.is_empty() { String::new() } else { lang.out_of_service(names.join(", ")) }
}

fn method_name(lang: Lang, method: PaymentMethod) -> &'static str {
    match method {
        PaymentMethod::Pix => lang.pix(),
        PaymentMethod::Boleto => lang.boleto(),
        PaymentMethod::CreditCard => lang.card(),
    }
}

/// An installment plan in words: `1x de R$ 33,34 + 2x de R$ 33,33 sem juros`.
pub fn plan_text(lang: Lang, plan: &Plan) -> String {
    let (first, other) = (lang.money(plan.first_cents), lang.money(plan.other_cents));
    let parts = match plan.count {
        1 => return lang.one_part(first),
        count if plan.first_cents == plan.other_cents => lang.parts(count, first),
        count => lang.parts_after_first(first, count - 1, other),
    };
    if plan.is_interest_free() {
        lang.interest_free(parts)
    } else {
        lang.in_all(parts, lang.money(plan.total_cents))
    }
}

/// A number of installments.
pub fn installment_choice(lang: Lang, plan: &Plan, chosen: i64) -> InstallmentChoice {
    let is_chosen = i64::from(plan.count) == chosen;
    InstallmentChoice { count: plan.count, text: plan_text(lang, plan), is_chosen }
}

/// A way to pay a link.
pub fn link_way(lang: Lang, order: &OrderSummary, method: PaymentMethod) -> PaymentChoice {
    let note = match (method, order.plans.last()) {
        (PaymentMethod::Pix, _) => lang.pix_note().to_owned(),
        (PaymentMethod::Boleto, _) => lang.boleto_way_note().to_owned(),
        (PaymentMethod::CreditCard, Some(most)) if most.count > 1 => lang.card_up_to(most.count),
        (PaymentMethod::CreditCard, _) => lang.card_at_once().to_owned(),
    };
    way(lang, method, note)
}

/// A product of a link.
pub fn item(lang: Lang, item: &products::Item) -> Item {
    let money = |cents: Cents| lang.money(cents.get());
    Item {
        name: item.name.clone(),
        quantity: u32::try_from(item.quantity).unwrap_or(u32::MAX),
        price: money(item.unit_price),
        total: money(item.total().unwrap_or(Cents::ZERO)),
    }
}
