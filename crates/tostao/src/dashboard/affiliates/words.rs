//! Programs, affiliates' links and commissions in words.

use ledger::cents::Cents;

use crate::affiliates::commissions::clawbacks::ClawbackReason;
use crate::affiliates::commissions::{Commission, CommissionOrigin, HeldReason, Status};
use crate::affiliates::links::LinkWithProgram;
use crate::affiliates::programs::{ListedProgram, Program};
use crate::affiliates::terms::{CommissionType, ProgramTerms};
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::words::decimal;
use crate::platform::decimal::Decimal;
use crate::platform::messages::Lang;
use crate::products::Product;

/// What a program pays: `10%`, or an amount for each item.
pub fn commission(terms: ProgramTerms, lang: Lang) -> String {
    match terms.kind {
        CommissionType::Percentage => format!("{}%", number(terms, lang)),
        CommissionType::Fixed => lang.program_per_item(number(terms, lang)),
    }
}

/// The same as it is typed.
pub fn number(terms: ProgramTerms, lang: Lang) -> String {
    match terms.kind {
        CommissionType::Percentage => {
            decimal(Decimal::hundredths(u64::try_from(terms.value).unwrap_or(0)), lang)
        }
        CommissionType::Fixed => lang.money(terms.value),
    }
}

/// What a program pays, and for how long a click counts.
pub fn terms(program: &Program, lang: Lang) -> String {
    format!("{} · {}", commission(program.terms, lang), days(program.cookie_days, lang))
}

/// For how long a click counts.
pub fn days(days: i64, lang: Lang) -> String {
    if days == 1 { lang.program_one_day().to_owned() } else { lang.program_days(days) }
}

/// What of an order counts.
pub fn counts(terms: ProgramTerms, lang: Lang) -> &'static str {
    if terms.extended { lang.program_whole_order() } else { lang.program_own_product() }
}

/// The name of a product, which may have been deleted.
pub fn product(product: Option<&Product>, lang: Lang) -> String {
    product.map_or_else(|| lang.program_no_product().to_owned(), |product| product.name.clone())
}

/// How a program stands.
pub fn state(shown: &ListedProgram, lang: Lang) -> State {
    let (tone, word) = match (&shown.product, shown.program.active) {
        (None, _) => (Tone::Off, lang.program_ended()),
        (Some(_), true) => (Tone::Good, lang.program_open()),
        (Some(_), false) => (Tone::Off, lang.program_closed()),
    };
    State { tone, word }
}

/// Why it stands so, and what can be done.
pub fn why(shown: &ListedProgram, lang: Lang) -> &'static str {
    match (&shown.product, shown.program.active) {
        (None, _) => lang.program_why_ended(),
        (Some(_), true) => lang.program_why_open(),
        (Some(_), false) => lang.program_why_closed(),
    }
}

/// How an affiliate's link stands.
pub fn link(of: &LinkWithProgram, lang: Lang) -> State {
    let is_on = of.link.active && of.program.active && of.product.is_some();
    let (tone, word) = match (is_on, &of.url) {
        (true, Some(_)) => (Tone::Good, lang.partner_link_on()),
        (true, None) => (Tone::Wait, lang.partner_link_unsold()),
        (false, _) => (Tone::Off, lang.partner_link_off()),
    };
    State { tone, word }
}

/// Why it stands so, for its affiliate.
pub fn link_why(of: &LinkWithProgram, lang: Lang) -> String {
    let why = if of.product.is_none() {
        lang.partner_link_why_no_product()
    } else if !of.program.active {
        lang.partner_link_why_program_off()
    } else if !of.link.active {
        lang.partner_link_why_off()
    } else if of.url.is_none() {
        lang.partner_link_why_unsold()
    } else {
        return lang.partner_link_why_on(days(of.program.cookie_days, lang));
    };
    why.to_owned()
}

/// The name of a commission's state, for the list's filter.
pub fn commission_status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Pending => lang.commission_pending(),
        Status::Paid => lang.commission_paid(),
        Status::Cancelled => lang.commission_cancelled(),
    }
}

/// How a commission stands.
pub fn commission_state(status: Status, lang: Lang) -> State {
    let tone = match status {
        Status::Pending => Tone::Wait,
        Status::Paid => Tone::Good,
        Status::Cancelled => Tone::Off,
    };
    State { tone, word: commission_status(status, lang) }
}

/// What a commission comes from.
pub fn origin(kind: CommissionOrigin, lang: Lang) -> &'static str {
    match kind {
        CommissionOrigin::Sale => lang.commission_of_sale(),
        CommissionOrigin::Renewal => lang.commission_of_renewal(),
        CommissionOrigin::Clawback => lang.commission_of_clawback(),
    }
}

/// Why a commission stands so, and what comes next.
pub fn commission_why(of: &Commission, lang: Lang) -> String {
    let money = |cents: Cents| lang.money(cents.get());
    let mut sentences = vec![match of.status {
        Status::Pending if !of.held.is_zero() => lang.commission_why_held(money(of.held)),
        Status::Pending => match of.held_reason {
            Some(HeldReason::SellerDebt) => lang.commission_why_debt().to_owned(),
            None => lang.commission_why_pending(lang.date_time(of.available_at.micros())),
        },
        Status::Paid if of.kind == CommissionOrigin::Clawback => taken_back(of, lang).to_owned(),
        Status::Paid => {
            let at = of.paid_at.unwrap_or(of.updated_at);
            lang.commission_why_paid(lang.date_time(at.micros()))
        }
        Status::Cancelled => taken_back(of, lang).to_owned(),
    }];
    if of.status != Status::Cancelled && !of.returned.is_zero() {
        sentences.push(lang.commission_was_more(money(of.earned), money(of.returned)));
    }
    if !of.repaid.is_zero() {
        sentences.push(lang.commission_repaid(money(of.repaid)));
    }
    if !of.owed.is_zero() {
        sentences.push(lang.commission_owed(money(of.owed)));
    }
    sentences.join(" ")
}

/// Why a commission went back.
fn taken_back(of: &Commission, lang: Lang) -> &'static str {
    match of.cancel_reason.as_deref().and_then(ClawbackReason::parse) {
        Some(ClawbackReason::DisputeLost) => lang.commission_why_dispute(),
        Some(ClawbackReason::Refunded) | None => lang.commission_why_refunded(),
    }
}
