//! A sample payload of every event, for test deliveries and for the list of event types.
//!
//! They have the types of real payloads, so they cannot become outdated.

use db::time::Timestamp;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::books::events::{BalancePayload, BalanceUpdated};
use crate::carts::Status as CartStatus;
use crate::events::names::Name;
use crate::events::{EventRecord, Sample};
use crate::platform::ids::{EventId, MerchantId, Mode};
use crate::subscriptions::status::Status as SubscriptionStatus;
use crate::transactions::disputes::Status as Decision;
use crate::webhooks::envelope;

pub mod api;
pub mod diagnosis_api;

mod advances;
mod carts;
mod commissions;
mod coupons;
mod payment_links;
mod products;
mod subscriptions;
mod transactions;
mod withdrawals;

const CREATED_AT: Timestamp = Timestamp::from_micros(1_767_268_800_000_000);
const UPDATED_AT: Timestamp = Timestamp::from_micros(1_767_268_860_000_000);
const EXPIRES_AT: Timestamp = Timestamp::from_micros(1_767_272_400_000_000);
const AMOUNT: Cents = Cents::new(2_500);

/// The body of a delivery of a sample, for the order of its fields.
pub fn body(name: Name) -> String {
    let Sample { object, data, .. } = of(name);
    let (id, created_at) = (EventId(object), CREATED_AT);
    let event_record =
        EventRecord { id, name, object, sequence: 1, data, sample: true, created_at };
    envelope::body(Mode::Development, &event_record, name.text())
}

/// The sample of one event.
///
/// It names every event, so that a new one without a sample does not compile.
pub fn of(name: Name) -> Sample {
    match name {
        Name::TransactionCreated | Name::TransactionUpdated => {
            transactions::of(name, transactions::pending())
        }
        Name::TransactionPaid => transactions::of_paid(),
        Name::TransactionFailed => transactions::of(name, transactions::declined()),
        Name::TransactionCancelled => transactions::of(name, transactions::cancelled()),
        Name::TransactionExpired => transactions::of(name, transactions::expired()),
        Name::TransactionRefunded => transactions::of_refunded(),
        Name::TransactionDisputed => transactions::of_disputed(name, Decision::Open),
        Name::TransactionDisputeWon => transactions::of_disputed(name, Decision::Won),
        Name::TransactionChargedBack => transactions::of_disputed(name, Decision::Lost),
        Name::PaymentLinkCreated | Name::PaymentLinkUpdated | Name::PaymentLinkDeleted => {
            payment_links::of(name, payment_links::active())
        }
        Name::PaymentLinkPaid => payment_links::of_paid(),
        Name::PaymentLinkExpired => payment_links::of(name, payment_links::expired()),
        Name::ProductCreated | Name::ProductUpdated | Name::ProductDeleted => products::of(name),
        Name::CouponCreated => coupons::of(name, "ACTIVE", 0),
        Name::CouponUsed => coupons::of_used(),
        Name::CouponExhausted => coupons::of(name, "ACTIVE", 10),
        Name::CouponExpired => coupons::of(name, "EXPIRED", 1),
        Name::WithdrawalCompleted => withdrawals::of(name, withdrawals::completed()),
        Name::WithdrawalFailed => withdrawals::of(name, withdrawals::failed()),
        Name::AdvanceCreated => advances::of(name, advances::requested()),
        Name::AdvanceApproved => advances::of(name, advances::approved()),
        Name::AdvanceRejected => advances::of(name, advances::rejected()),
        Name::AdvanceCancelled => advances::of(name, advances::cancelled()),
        Name::AdvanceSettled => advances::of(name, advances::settled()),
        Name::CommissionCreated => commissions::of(name, "PENDING", None),
        Name::CommissionPaid => commissions::of(name, "PAID", Some(EXPIRES_AT)),
        Name::BalanceUpdated => balance(),
        Name::CartAbandoned => carts::of(name, CartStatus::Abandoned),
        Name::CartRecovered => carts::of(name, CartStatus::Recovered),
        Name::SubscriptionCreated => subscriptions::of(name, SubscriptionStatus::Incomplete),
        Name::SubscriptionTrialStarted | Name::SubscriptionTrialWillEnd => {
            subscriptions::of(name, SubscriptionStatus::Trialing)
        }
        Name::SubscriptionActivated | Name::SubscriptionRenewed => subscriptions::of_paid(name),
        Name::SubscriptionUpdated | Name::SubscriptionResumed => {
            subscriptions::of(name, SubscriptionStatus::Active)
        }
        Name::SubscriptionPaymentFailed | Name::SubscriptionPastDue => {
            subscriptions::of_declined(name, SubscriptionStatus::PastDue)
        }
        Name::SubscriptionPaused => subscriptions::of(name, SubscriptionStatus::Paused),
        Name::SubscriptionCancelled => subscriptions::of(name, SubscriptionStatus::Cancelled),
        Name::SubscriptionExpired => subscriptions::of_declined(name, SubscriptionStatus::Expired),
    }
}

fn balance() -> Sample {
    Sample::of(&BalanceUpdated {
        owner: MerchantId(id(0)),
        balance: BalancePayload { available_balance: AMOUNT, pending_balance: Cents::ZERO },
        reason: "sample",
    })
}

/// Ids that belong to no object.
fn id(number: u8) -> Uuid {
    Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::events::names::Name;

    #[test]
    fn a_sample_is_of_the_event_that_was_asked_for() {
        for name in Name::ALL {
            assert_eq!(of(*name).name, *name);
        }
    }
}
