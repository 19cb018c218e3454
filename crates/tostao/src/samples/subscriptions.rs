//! Sample payloads about subscriptions.

use brazil::card_brand::CardBrand;

use crate::events::names::Name;
use crate::events::{Rendered, Sample};
use crate::platform::ids::{ClientId, PlanId, SubscriptionId};
use crate::products::CURRENCY;
use crate::samples::transactions::{declined, paid};
use crate::samples::{AMOUNT, CREATED_AT, UPDATED_AT, id};
use crate::subscriptions::Method;
use crate::subscriptions::events::SubscriptionChanged;
use crate::subscriptions::plans::Interval;
use crate::subscriptions::status::Status;
use crate::subscriptions::view::{SavedCardView, SubscriberView, SubscriptionView};
use crate::transactions::Method as PaymentMethod;
use crate::transactions::view::TransactionView;

/// A payload without a payment.
pub fn of(name: Name, status: Status) -> Sample {
    event(name, status, None)
}

pub fn of_paid(name: Name) -> Sample {
    let (method, pix, card) = (PaymentMethod::CreditCard, None, declined().card);
    event(name, Status::Active, Some(&TransactionView { method, pix, card, ..paid() }))
}

pub fn of_declined(name: Name, status: Status) -> Sample {
    event(name, status, Some(&declined()))
}

fn event(name: Name, status: Status, payment: Option<&TransactionView>) -> Sample {
    Sample::of(&SubscriptionChanged {
        name,
        subscription: Box::new(subscription(status)),
        customer: subscriber(),
        transaction: payment.and_then(|payment| Rendered::of(payment).ok()),
    })
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
        card: Some(SavedCardView {
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
