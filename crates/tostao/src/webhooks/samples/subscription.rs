//! Samples of what is told of subscriptions.

use brazil::card_brand::CardBrand;

use super::{AMOUNT, CREATED_AT, UPDATED_AT, declined, id, paid};
use crate::events::names::Name;
use crate::events::{Event, EventName};
use crate::ids::{ClientId, PlanId, SubscriptionId};
use crate::products::CURRENCY;
use crate::subscriptions::Method;
use crate::subscriptions::plans::Interval;
use crate::subscriptions::status::Status;
use crate::subscriptions::view::{KeptCardView, SubscriberView, SubscriptionView};
use crate::transactions::Method as PaymentMethod;
use crate::transactions::status::Status as PaymentStatus;
use crate::transactions::view::TransactionView;

/// The sample of one event.
pub fn of(name: Name) -> Event {
    let status = match name {
        Name::SubscriptionCreated => Status::Incomplete,
        Name::SubscriptionTrialStarted | Name::SubscriptionTrialWillEnd => Status::Trialing,
        Name::SubscriptionPaymentFailed | Name::SubscriptionPastDue => Status::PastDue,
        Name::SubscriptionPaused => Status::Paused,
        Name::SubscriptionCancelled => Status::Cancelled,
        Name::SubscriptionExpired => Status::Expired,
        _ => Status::Active,
    };
    let transaction = match name {
        Name::SubscriptionActivated | Name::SubscriptionRenewed => {
            let (method, pix, card) = (PaymentMethod::CreditCard, None, declined().card);
            let paid = paid(PaymentStatus::Paid);
            Some(Box::new(TransactionView { method, pix, card, ..paid }))
        }
        Name::SubscriptionPaymentFailed | Name::SubscriptionPastDue | Name::SubscriptionExpired => {
            Some(Box::new(declined()))
        }
        _ => None,
    };
    let subscription = Box::new(subscription(status));
    Event::Subscription { name: EventName(name), subscription, customer: subscriber(), transaction }
}

fn subscriber() -> SubscriberView {
    SubscriberView {
        id: ClientId(id(2)),
        name: "Fulano de Tal".into(),
        email: "ana@example.com".into(),
        tax_id: Some("123.***.***-**".into()),
    }
}

fn subscription(status: Status) -> SubscriptionView {
    let past_due = status == Status::PastDue;
    SubscriptionView {
        id: SubscriptionId(id(5)),
        plan_id: PlanId(id(6)),
        plan_name: "Sample".into(),
        amount_cents: AMOUNT,
        currency: CURRENCY,
        interval: Interval::Monthly,
        client_id: ClientId(id(2)),
        customer: subscriber(),
        status,
        payment_method: Method::CreditCard,
        card: Some(KeptCardView {
            brand: CardBrand::Visa.name(),
            last4: "4242".into(),
            exp_month: 12,
            exp_year: 2030,
        }),
        trial_ends_at: (status == Status::Trialing).then_some(UPDATED_AT),
        current_period_start: Some(CREATED_AT),
        current_period_end: Some(UPDATED_AT),
        next_billing_at: (status == Status::Active).then_some(UPDATED_AT),
        cancel_at_period_end: false,
        cancelled_at: (status == Status::Cancelled).then_some(UPDATED_AT),
        ended_at: status.has_ended().then_some(UPDATED_AT),
        cancel_reason: (status == Status::Cancelled).then(|| "requested".into()),
        cancel_comment: None,
        paused_at: (status == Status::Paused).then_some(UPDATED_AT),
        resumes_at: None,
        failed_attempts: i64::from(past_due),
        next_retry_at: past_due.then_some(UPDATED_AT),
        last_failure_code: past_due.then(|| "insufficient_funds".into()),
        past_due_at: past_due.then_some(CREATED_AT),
        affiliate_code: None,
        coupon_code: None,
        next_plan_id: None,
        pending_transaction_id: None,
        dev_mode: true,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    }
}
