//! The permissions that a key needs to see an event's data.
//!
//! An event holds objects that the API shows, so its data needs the same permissions.

use crate::events::names::Name;
use crate::platform::permissions::{Permission, Permissions};

/// The permissions that a key lacks to see an event's data; empty if it may see it.
pub fn lacking(permissions: &Permissions, name: Name) -> Vec<Permission> {
    needed(name).iter().copied().filter(|needed| !permissions.contains(*needed)).collect()
}

/// The permissions to read everything that an event holds.
fn needed(name: Name) -> &'static [Permission] {
    use Permission::{
        AdvancesRead, AffiliatesRead, CouponsRead, PaymentLinksRead, ProductsRead,
        SubscriptionsRead, TransactionsRead, WithdrawalsRead,
    };
    match name {
        Name::TransactionCreated
        | Name::TransactionPaid
        | Name::TransactionFailed
        | Name::TransactionCancelled
        | Name::TransactionExpired
        | Name::TransactionUpdated
        | Name::TransactionRefunded
        | Name::TransactionDisputed
        | Name::TransactionDisputeWon
        | Name::TransactionChargedBack => &[TransactionsRead],
        Name::PaymentLinkCreated
        | Name::PaymentLinkUpdated
        | Name::PaymentLinkDeleted
        | Name::PaymentLinkExpired
        | Name::CartAbandoned
        | Name::CartRecovered => &[PaymentLinksRead],
        Name::PaymentLinkPaid => &[PaymentLinksRead, TransactionsRead],
        Name::ProductCreated | Name::ProductUpdated | Name::ProductDeleted => &[ProductsRead],
        Name::CouponCreated | Name::CouponExhausted | Name::CouponExpired => &[CouponsRead],
        Name::CouponUsed => &[CouponsRead, TransactionsRead],
        Name::WithdrawalCompleted | Name::WithdrawalFailed | Name::BalanceUpdated => {
            &[WithdrawalsRead]
        }
        Name::AdvanceCreated
        | Name::AdvanceApproved
        | Name::AdvanceRejected
        | Name::AdvanceCancelled
        | Name::AdvanceSettled => &[AdvancesRead],
        Name::CommissionCreated | Name::CommissionPaid => &[AffiliatesRead],
        Name::SubscriptionCreated
        | Name::SubscriptionTrialStarted
        | Name::SubscriptionTrialWillEnd
        | Name::SubscriptionActivated
        | Name::SubscriptionUpdated
        | Name::SubscriptionRenewed
        | Name::SubscriptionPaymentFailed
        | Name::SubscriptionPastDue
        | Name::SubscriptionPaused
        | Name::SubscriptionResumed
        | Name::SubscriptionCancelled
        | Name::SubscriptionExpired => &[SubscriptionsRead],
    }
}
