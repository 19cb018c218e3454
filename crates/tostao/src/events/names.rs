//! Every event's name, and the other names under which it may be subscribed.
//!
//! A name is what receivers switch on, so it never changes.

use db::value::{Arg, FromValue, ToArg, Value};

/// Defines each event once: its type's name and its name in the contract.
macro_rules! names {
    ($($name:ident = $text:literal,)*) => {
        /// What can happen.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Name {
            $($name,)*
        }

        impl Name {
            /// Every event.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name under which it is kept.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

names! {
    TransactionCreated = "transaction.created",
    TransactionPaid = "transaction.paid",
    TransactionFailed = "transaction.failed",
    TransactionCancelled = "transaction.cancelled",
    TransactionExpired = "transaction.expired",
    TransactionUpdated = "transaction.updated",
    TransactionRefunded = "transaction.refunded",
    TransactionDisputed = "transaction.disputed",
    TransactionDisputeWon = "transaction.dispute_won",
    TransactionChargedBack = "transaction.charged_back",
    PaymentLinkCreated = "payment_link.created",
    PaymentLinkUpdated = "payment_link.updated",
    PaymentLinkDeleted = "payment_link.deleted",
    PaymentLinkPaid = "payment_link.paid",
    PaymentLinkExpired = "payment_link.expired",
    ProductCreated = "product.created",
    ProductUpdated = "product.updated",
    ProductDeleted = "product.deleted",
    CouponCreated = "coupon.created",
    CouponUsed = "coupon.used",
    CouponExhausted = "coupon.exhausted",
    CouponExpired = "coupon.expired",
    WithdrawalCompleted = "withdrawal.completed",
    WithdrawalFailed = "withdrawal.failed",
    AdvanceCreated = "advance.created",
    AdvanceApproved = "advance.approved",
    AdvanceRejected = "advance.rejected",
    AdvanceCancelled = "advance.cancelled",
    AdvanceSettled = "advance.settled",
    CommissionCreated = "affiliate.commission_created",
    CommissionPaid = "affiliate.commission_paid",
    BalanceUpdated = "balance.updated",
    CartAbandoned = "cart.abandoned",
    CartRecovered = "cart.recovered",
    SubscriptionCreated = "subscription.created",
    SubscriptionTrialStarted = "subscription.trial_started",
    SubscriptionTrialWillEnd = "subscription.trial_will_end",
    SubscriptionActivated = "subscription.activated",
    SubscriptionUpdated = "subscription.updated",
    SubscriptionRenewed = "subscription.renewed",
    SubscriptionPaymentFailed = "subscription.payment_failed",
    SubscriptionPastDue = "subscription.past_due",
    SubscriptionPaused = "subscription.paused",
    SubscriptionResumed = "subscription.resumed",
    SubscriptionCancelled = "subscription.cancelled",
    SubscriptionExpired = "subscription.expired",
}

/// Names of other event sets, and what they stand for.
pub const ALIASES: &[(&str, Name)] = &[
    ("payment.completed", Name::TransactionPaid),
    ("transaction.completed", Name::TransactionPaid),
    ("payment.pending", Name::TransactionCreated),
    ("payment.failed", Name::TransactionFailed),
    ("payment.refunded", Name::TransactionRefunded),
    ("payment.cancelled", Name::TransactionCancelled),
];

/// The name that stands for every event.
pub const ANY: &str = "*";

impl Name {
    /// Reads a name or an alias.
    pub fn parse(text: &str) -> Option<Self> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == text).map(|(_, name)| *name);
        Self::ALL.iter().copied().find(|name| name.text() == text).or(alias)
    }
}

impl ToArg for Name {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Text(self.text())
    }
}

impl FromValue for Name {
    fn from_value(value: Value) -> Option<Self> {
        Self::parse(&String::from_value(value)?)
    }
}

/// The name that a subscriber to `wanted` gets this event under; `None` if he does not want it.
pub fn delivered_as(wanted: &[String], name: Name) -> Option<&str> {
    let exact = wanted.iter().find(|text| *text == name.text());
    let named = exact.or_else(|| wanted.iter().find(|text| Name::parse(text) == Some(name)));
    match named {
        Some(text) => Some(text),
        None => wanted.iter().any(|text| text == ANY).then_some(name.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, delivered_as};

    #[test]
    fn a_subscriber_gets_an_event_once_under_the_name_he_used() {
        let table: [(&[&str], Option<&str>); 5] = [
            (&["transaction.paid"], Some("transaction.paid")),
            (&["payment.completed"], Some("payment.completed")),
            (&["payment.completed", "transaction.paid"], Some("transaction.paid")),
            (&["*"], Some("transaction.paid")),
            (&["transaction.created", "product.created"], None),
        ];
        for (wanted, delivered) in table {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            assert_eq!(delivered_as(&wanted, Name::TransactionPaid), delivered, "{wanted:?}");
        }
    }
}
