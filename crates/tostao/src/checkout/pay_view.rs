//! Formats the pay form for its template.

use askama::Template;
use brazil::installments::Plan;
use ledger::cents::Cents;

use crate::app::App;
use crate::checkout::api::required_fields;
use crate::checkout::form::FormFields;
use crate::checkout::form_error_pages::FormErrors;
use crate::checkout::order_summary::{OrderSummary, available_methods};
use crate::checkout::pay_pages::LinkPageData;
use crate::checkout::prefilled;
use crate::checkout::views::{Discount, InstallmentChoice, Item, PayPage, PaymentChoice};
use crate::platform::error::{Error, Result};
use crate::platform::messages::Lang;
use crate::products;
use crate::transactions::PaymentMethod;

/// Renders the form: the items, what was typed, and its errors.
pub fn pay_page(
    app: &App,
    lang: Lang,
    found: &LinkPageData,
    order: &OrderSummary,
    posted: &FormFields,
    errors: &FormErrors,
) -> Result<String> {
    let (scope, link, merchant) = found;
    let posted = &prefilled::shown(app, &link.slug, posted);
    let available_methods = available_methods(app, scope.mode, link);
    let chosen = posted.method(&available_methods).or(available_methods.first().copied());
    let way = |method: &PaymentMethod| way(lang, order, *method, Some(*method) == chosen);
    let money = |cents: Cents| lang.money(cents.get());
    let page = PayPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.name.clone(),
        language_url: format!("/pay/{}?lang={}", link.slug, lang.other().tag()),
        slug: link.slug.clone(),
        title: link.title.clone(),
        description: link.description.clone(),
        product_description: link.product_description.clone(),
        items: order.items.iter().map(|bought| item(lang, bought)).collect(),
        discount: order.coupon.as_ref().map(|(code, off)| Discount {
            code: code.clone(),
            price: money(order.price),
            off: money(*off),
        }),
        notice: errors.notice(lang, &money(order.due), lang.price_changed()),
        total: money(order.due),
        seen: order.due.get(),
        ways: if order.due.is_zero() {
            Vec::new()
        } else {
            available_methods.iter().map(way).collect()
        },
        parts: order
            .plans
            .iter()
            .map(|plan| installment_choice(lang, plan, posted.installment_count()))
            .collect(),
        form: posted.shown(required_fields(link), &errors.wrong, lang),
        attempt: posted.attempt.clone(),
        kept: posted.kept.clone(),
    };
    page.render().map_err(|error| Error::Internal(error.into()))
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

fn installment_choice(lang: Lang, plan: &Plan, chosen: i64) -> InstallmentChoice {
    let is_chosen = i64::from(plan.count) == chosen;
    InstallmentChoice { count: plan.count, text: plan_text(lang, plan), is_chosen }
}

fn way(lang: Lang, order: &OrderSummary, method: PaymentMethod, is_chosen: bool) -> PaymentChoice {
    let most = order.plans.last().map_or(1, |plan| plan.count);
    let (id, value, name, note, go, next) = match method {
        PaymentMethod::Pix => (
            "pix",
            "PIX",
            lang.pix(),
            lang.pix_note().to_owned(),
            lang.generate_code(),
            lang.generate_note(),
        ),
        PaymentMethod::Boleto => (
            "boleto",
            "BOLETO",
            lang.boleto(),
            lang.boleto_way_note().to_owned(),
            lang.generate_boleto(),
            lang.boleto_next_note(),
        ),
        PaymentMethod::CreditCard => (
            "card",
            "CREDIT_CARD",
            lang.card(),
            if most > 1 { lang.card_up_to(most) } else { lang.card_at_once().to_owned() },
            lang.go_to_card(),
            lang.card_next_note(),
        ),
    };
    PaymentChoice { id, value, name, note, go, next, is_chosen }
}

fn item(lang: Lang, item: &products::Item) -> Item {
    let money = |cents: Cents| lang.money(cents.get());
    Item {
        name: item.name.clone(),
        quantity: u32::try_from(item.quantity).unwrap_or(u32::MAX),
        price: money(item.unit_price),
        total: money(item.total().unwrap_or(Cents::ZERO)),
    }
}
