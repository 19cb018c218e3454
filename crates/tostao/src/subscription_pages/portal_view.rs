//! A subscription in words for its subscriber.

use db::text_enum;
use db::time::Timestamp;

use crate::app::App;
use crate::checkout::views::Notice;
use crate::platform::messages::Lang;
use crate::subscription_pages::plan_view::price_text;
use crate::subscription_pages::portal::PortalContext;
use crate::subscription_pages::views::{CancelPage, DetailRow, Payment, PortalPage};
use crate::subscriptions::Subscription;
use crate::subscriptions::lifecycle::resuming_costs;
use crate::subscriptions::status::Status;
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::terms::NO_LINK;
use crate::transactions::{Transaction, status_token};

text_enum! {
    /// The result of the last action, for the top of the page.
    pub enum Flash {
        Subscribed = "subscribed",
        Cancelled = "cancelled",
        Ending = "ending",
        Paused = "paused",
        Resumed = "resumed",
        Card = "card",
    }
}

impl Flash {
    fn text_of(self, lang: Lang) -> &'static str {
        match self {
            Self::Subscribed => lang.subscribed_news(),
            Self::Cancelled => lang.cancelled_news(),
            Self::Ending => lang.ending_news(),
            Self::Paused => lang.paused_news(),
            Self::Resumed => lang.resumed_news(),
            Self::Card => lang.card_news(),
        }
    }

    /// Whether the result in a URL is plausible for the subscription's current state.
    fn fits(self, subscription: &Subscription) -> bool {
        match self {
            Self::Subscribed | Self::Card => !subscription.status.has_ended(),
            Self::Cancelled => subscription.status == Status::Cancelled,
            Self::Ending => subscription.cancel_at_period_end,
            Self::Paused => subscription.status == Status::Paused,
            Self::Resumed => matches!(subscription.status, Status::Active | Status::Trialing),
        }
    }
}

/// Whether its subscriber can cancel it; one that ends with its period can still be cancelled now.
pub fn can_be_cancelled(subscription: &Subscription) -> bool {
    subscription.status.may_become(Status::Cancelled)
}

/// Draws the page.
pub fn portal_page(
    app: &App,
    lang: Lang,
    own: &PortalContext,
    payments: &[Transaction],
    flash: Option<Flash>,
    notice: Option<Notice>,
) -> PortalPage {
    let PortalContext { scope, subscription, merchant, .. } = own;
    let status = subscription.status;
    let shown: Vec<_> = payments.iter().map(|payment| line(app, lang, own, payment)).collect();
    let now = scope.at(app.now());
    let open = payments.iter().find(|payment| {
        let in_time = payment.expires_at.is_none_or(|at| now < at);
        payment.status == PaymentStatus::Pending && in_time
    });
    let costs = resuming_costs(subscription, now);
    let price = lang.money(subscription.price.get());
    PortalPage {
        lang,
        test_mode: scope.mode.is_development(),
        merchant: merchant.clone(),
        language_url: format!("{}?lang={}", own.place(), lang.other().tag()),
        place: own.place(),
        title: subscription.plan_name.clone(),
        status: text_of(lang, status),
        flash: flash.filter(|flash| flash.fits(subscription)).map(|flash| flash.text_of(lang)),
        advice: (flash == Some(Flash::Subscribed)).then(|| lang.keep_this_address()),
        notice,
        owed: (status == Status::PastDue && open.is_none()).then(|| lang.past_due_note()),
        details: details(lang, subscription),
        pay: open.map(|open| (address(app, own, open), lang.money(open.amount.get()))),
        card: subscription.expect_alive().is_ok().then(|| {
            if subscription.card.is_some() { lang.change_card() } else { lang.pay_by_card() }
        }),
        can_pause: status.may_become(Status::Paused) && !subscription.cancel_at_period_end,
        resume: (status == Status::Paused).then(|| {
            if costs { lang.resume_costs(price) } else { lang.resume_subscription().to_owned() }
        }),
        can_cancel: can_be_cancelled(subscription),
        again: status.has_ended().then(|| format!("/subscribe/{}", subscription.plan)),
        payments: shown,
    }
}

/// Draws the page that asks for the cancellation.
pub fn cancel_page(lang: Lang, own: &PortalContext) -> CancelPage {
    let subscription = &own.subscription;
    let waits = subscription.status != Status::PastDue && !subscription.cancel_at_period_end;
    CancelPage {
        lang,
        test_mode: own.scope.mode.is_development(),
        merchant: own.merchant.clone(),
        language_url: format!("{}/cancel?lang={}", own.place(), lang.other().tag()),
        place: own.place(),
        title: subscription.plan_name.clone(),
        ends: waits.then(|| lang.day(subscription.next_billing_at.micros())),
    }
}

/// The subscription's details, in display order.
fn details(lang: Lang, of: &Subscription) -> Vec<DetailRow> {
    let day = |at: Timestamp| lang.day(at.micros());
    let goes_on = matches!(of.status, Status::Active | Status::Trialing | Status::Paused);
    let (next, paid_until) = (of.next_billing_at, of.period.map(|period| period.end));
    let renews = goes_on && !of.cancel_at_period_end && of.status != Status::Paused;
    let paid = paid_until.filter(|_| of.status == Status::Paused && of.paid_once);
    let dated = [
        (lang.trial_until(), of.trial_ends_at.filter(|_| of.status == Status::Trialing)),
        (lang.next_charge(), renews.then_some(next)),
        (lang.next_try(), of.dunning.next_retry_at.filter(|_| of.status == Status::PastDue)),
        (lang.paid_until(), paid),
        (lang.resumes_on(), of.resumes_at.filter(|_| of.status == Status::Paused)),
        (lang.ends_on(), (goes_on && of.cancel_at_period_end).then_some(next)),
        (lang.ended_on(), of.ended_at),
    ];
    let method = match &of.card {
        Some(card) => lang.card_ending(card.details.brand.shown(), &card.details.last4),
        None => lang.pix().to_owned(),
    };
    let row = |label, value| DetailRow { label, value };
    let dated = dated.into_iter().filter_map(|(label, at)| Some(row(label, day(at?))));
    let price = price_text(lang, of.price, of.interval);
    let mut details = vec![row(lang.recurring_price(), price)];
    details.extend(dated);
    details.push(row(lang.method(), method));
    details.push(row(lang.subscriber(), of.customer.name.clone()));
    details
}

fn line(app: &App, lang: Lang, own: &PortalContext, payment: &Transaction) -> Payment {
    let has_page = matches!(
        payment.status,
        PaymentStatus::Pending | PaymentStatus::Processing | PaymentStatus::Paid
    );
    Payment {
        day: lang.day(payment.paid_at.unwrap_or(payment.created_at).micros()),
        amount: lang.money(payment.paid.unwrap_or(payment.amount).get()),
        status: text_of_payment(lang, payment.status),
        address: has_page.then(|| address(app, own, payment)),
    }
}

fn address(app: &App, own: &PortalContext, payment: &Transaction) -> String {
    let token = status_token::write(&app.secrets, own.scope, payment.id);
    format!("/pay/{NO_LINK}/t/{}?token={token}", payment.id)
}

fn text_of(lang: Lang, status: Status) -> &'static str {
    match status {
        Status::Incomplete => lang.incomplete(),
        Status::Trialing => lang.trialing(),
        Status::Active => lang.active(),
        Status::PastDue => lang.past_due(),
        Status::Paused => lang.paused(),
        Status::Cancelled => lang.cancelled(),
        Status::Expired => lang.expired(),
    }
}

fn text_of_payment(lang: Lang, status: PaymentStatus) -> &'static str {
    match status {
        PaymentStatus::Pending => lang.status_pending(),
        PaymentStatus::Processing => lang.status_processing(),
        PaymentStatus::Paid => lang.status_paid(),
        PaymentStatus::Failed => lang.status_failed(),
        PaymentStatus::Expired => lang.status_expired(),
        PaymentStatus::Cancelled => lang.status_withdrawn(),
        PaymentStatus::Refunded => lang.status_refunded(),
        PaymentStatus::Disputed | PaymentStatus::ChargedBack => lang.status_disputed(),
    }
}
