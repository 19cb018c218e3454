//! A plan in words for a buyer.

use brazil::periods::{Anchor, days_after};
use ledger::cents::Cents;

use crate::checkout::pay_view::way;
use crate::checkout::views::PaymentChoice;
use crate::platform::messages::Lang;
use crate::subscription_pages::offer::Offer;
use crate::subscriptions::plans::{Interval, Plan};
use crate::transactions::PaymentMethod;

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

/// What is charged when, by card.
pub fn terms(lang: Lang, plan: &Plan, offer: &Offer, now: i64) -> String {
    if offer.trial {
        let date = lang.day(days_after(now, plan.trial_days));
        return lang.trial_terms(date, lang.money(offer.first.get()));
    }
    lang.renewal_terms(next(lang, plan, now), price_text(lang, plan.price, plan.interval))
}

/// What is charged when, by PIX.
pub fn pix_terms(lang: Lang, plan: &Plan, offer: &Offer, now: i64) -> String {
    if offer.trial {
        return terms(lang, plan, offer, now);
    }
    lang.pix_renewal_terms(next(lang, plan, now), price_text(lang, plan.price, plan.interval))
}

fn next(lang: Lang, plan: &Plan, now: i64) -> String {
    let (_, end) = Anchor::at(now).period(plan.interval.months(), 0);
    lang.day(end)
}

/// A way to pay a plan.
pub fn plan_way(lang: Lang, offer: &Offer, method: PaymentMethod) -> PaymentChoice {
    let by_card = method == PaymentMethod::CreditCard;
    let note = if by_card { lang.card_renews() } else { lang.pix_renews() };
    let way = way(lang, method, note.to_owned());
    if offer.trial && !by_card {
        return PaymentChoice { go: lang.start_trial(), next: lang.start_trial_note(), ..way };
    }
    way
}
