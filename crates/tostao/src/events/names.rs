//! Every event's name, and the aliases under which it can be subscribed to.
//!
//! Receivers switch on the name, so it never changes.

use db::value::{Arg, FromValue, ToArg, Value};

/// Defines each event once: its type's name, its name in the API, the schema of its data and when
/// it is emitted.
macro_rules! names {
    ($($name:ident = $text:literal, $data:literal: $when:literal,)*) => {
        /// The type of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Name {
            $($name,)*
        }

        impl Name {
            /// Every event.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name under which it is stored.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The name of the schema of its data in the OpenAPI document.
            pub const fn data(self) -> &'static str {
                match self {
                    $(Self::$name => $data,)*
                }
            }

            /// When it is emitted, for integrators.
            pub const fn when(self) -> &'static str {
                match self {
                    $(Self::$name => $when,)*
                }
            }
        }
    };
}

names! {
    TransactionCreated = "transaction.created", "TransactionEventData":
        "A transaction was created.",
    TransactionPaid = "transaction.paid", "TransactionPaidEventData":
        "A transaction was paid in full, on time or late.",
    TransactionFailed = "transaction.failed", "TransactionEventData":
        "A card was declined, the charge never reached the acquirer, or the bank did not make the \
         boleto.",
    TransactionCancelled = "transaction.cancelled", "TransactionEventData":
        "A transaction was cancelled before it was paid, by the merchant or because the buyer \
         submitted a corrected form.",
    TransactionExpired = "transaction.expired", "TransactionEventData":
        "A transaction expired before it was paid.",
    TransactionUpdated = "transaction.updated", "TransactionEventData":
        "An unmatched payment was received, accepted or returned, a refund failed, or a bank made \
         the boleto of a transaction.",
    TransactionRefunded = "transaction.refunded", "TransactionRefundedEventData":
        "A refund was paid back, in full or `partial`.",
    TransactionDisputed = "transaction.disputed", "TransactionDisputeEventData":
        "A buyer disputed a transaction; its remaining amount is held.",
    TransactionDisputeWon = "transaction.dispute_won", "TransactionDisputeEventData":
        "A dispute was won; the held amount is back on the balance.",
    TransactionChargedBack = "transaction.charged_back", "TransactionDisputeEventData":
        "A dispute was lost; the amount went back to the buyer.",
    PaymentLinkCreated = "payment_link.created", "PaymentLinkEventData":
        "A payment link was created.",
    PaymentLinkUpdated = "payment_link.updated", "PaymentLinkEventData":
        "A payment link was updated.",
    PaymentLinkDeleted = "payment_link.deleted", "PaymentLinkEventData":
        "A payment link was deleted.",
    PaymentLinkPaid = "payment_link.paid", "PaymentLinkPaidEventData":
        "A transaction of the payment link was paid; follows `transaction.paid`.",
    PaymentLinkExpired = "payment_link.expired", "PaymentLinkEventData":
        "A payment link expired.",
    ProductCreated = "product.created", "ProductEventData":
        "A product was created.",
    ProductUpdated = "product.updated", "ProductEventData":
        "A product was updated by the merchant.",
    ProductDeleted = "product.deleted", "ProductEventData":
        "A product was deleted.",
    CouponCreated = "coupon.created", "CouponEventData":
        "A coupon was created.",
    CouponUsed = "coupon.used", "CouponUsedEventData":
        "A transaction with the coupon was paid; follows `transaction.paid`.",
    CouponExhausted = "coupon.exhausted", "CouponEventData":
        "The last use that the limit allows was paid; follows `coupon.used`.",
    CouponExpired = "coupon.expired", "CouponEventData":
        "A coupon expired.",
    WithdrawalCompleted = "withdrawal.completed", "WithdrawalEventData":
        "A withdrawal was paid out.",
    WithdrawalFailed = "withdrawal.failed", "WithdrawalEventData":
        "A withdrawal failed; the amount is back on the balance.",
    AdvanceCreated = "advance.created", "AdvanceEventData":
        "An advance was requested.",
    AdvanceApproved = "advance.approved", "AdvanceEventData":
        "An advance was approved and paid out.",
    AdvanceRejected = "advance.rejected", "AdvanceEventData":
        "An administrator rejected an advance.",
    AdvanceCancelled = "advance.cancelled", "AdvanceEventData":
        "The merchant cancelled an advance before the decision.",
    AdvanceSettled = "advance.settled", "AdvanceEventData":
        "An advance was fully repaid.",
    CommissionCreated = "affiliate.commission_created", "CommissionEventData":
        "A sale of an affiliate was paid; sent to the seller and the affiliate.",
    CommissionPaid = "affiliate.commission_paid", "CommissionEventData":
        "A commission became available; sent to the seller and the affiliate.",
    BalanceUpdated = "balance.updated", "BalanceEventData":
        "The balance changed; `reason` names the event that changed it.",
    CartAbandoned = "cart.abandoned", "CartAbandonmentEventData":
        "A buyer began a checkout and did not complete it within half an hour; not sent if they \
         paid meanwhile.",
    CartRecovered = "cart.recovered", "CartAbandonmentEventData":
        "The buyer of an abandoned cart returned.",
    SubscriptionCreated = "subscription.created", "SubscriptionEventData":
        "A subscription was created; its trial or first payment follows.",
    SubscriptionTrialStarted = "subscription.trial_started", "SubscriptionEventData":
        "A subscription started with a trial.",
    SubscriptionTrialWillEnd = "subscription.trial_will_end", "SubscriptionEventData":
        "A trial ends within three days.",
    SubscriptionActivated = "subscription.activated", "SubscriptionEventData":
        "The first payment of a subscription was paid.",
    SubscriptionUpdated = "subscription.updated", "SubscriptionEventData":
        "The card, the plan, the end of the trial or the scheduled cancellation of a \
         subscription changed.",
    SubscriptionRenewed = "subscription.renewed", "SubscriptionEventData":
        "A payment after the first one, or after a trial, was paid.",
    SubscriptionPaymentFailed = "subscription.payment_failed", "SubscriptionEventData":
        "A payment of a subscription failed.",
    SubscriptionPastDue = "subscription.past_due", "SubscriptionEventData":
        "The first failed payment of a period; it is retried.",
    SubscriptionPaused = "subscription.paused", "SubscriptionEventData":
        "Billing of a subscription was paused.",
    SubscriptionResumed = "subscription.resumed", "SubscriptionEventData":
        "Billing of a subscription was resumed.",
    SubscriptionCancelled = "subscription.cancelled", "SubscriptionEventData":
        "A subscription ended.",
    SubscriptionExpired = "subscription.expired", "SubscriptionEventData":
        "The first payment of a subscription was never made.",
}

/// Aliases: names of other event sets, and the events that they stand for.
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
    /// The aliases under which it can be subscribed to.
    pub fn aliases(self) -> impl Iterator<Item = &'static str> {
        ALIASES.iter().filter(move |(_, name)| *name == self).map(|(alias, _)| *alias)
    }

    /// Parses a name or an alias.
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

/// The name under which a subscriber to `wanted` gets this event; `None` if not subscribed to it.
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
    fn a_subscriber_gets_an_event_once_under_the_name_they_subscribed_to() {
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
