//! Id types, and the scope that every row belongs to.

use std::borrow::Cow;
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, FromValue, ToArg, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::platform::error::{Error, Refusal, Result};

/// Defines an id that cannot be mistaken for another kind's.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Makes a new id, greater than every earlier one.
            pub fn new(tx: &Tx) -> Self {
                Self(tx.new_id())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(out)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.parse().map(Self)
            }
        }

        impl ToArg for $name {
            fn to_arg(&self) -> Arg<'_> {
                Arg::Id(self.0)
            }
        }

        impl FromValue for $name {
            fn from_value(value: Value) -> Option<Self> {
                Uuid::from_value(value).map(Self)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": "uuid" })
            }
        }
    };
}

id!(
    /// An account owner.
    MerchantId
);
id!(
    /// A signed-in period of an account owner, with its refresh tokens.
    SessionId
);
id!(
    /// A named set of permissions with its API keys.
    CredentialId
);
id!(
    /// A thing for sale.
    ProductId
);
id!(
    /// A hosted page that takes payments.
    PaymentLinkId
);
id!(
    /// A code that takes something off.
    CouponId
);
id!(
    /// A buyer, as one merchant knows him.
    ClientId
);
id!(
    /// A payment.
    TransactionId
);
id!(
    /// A part of a payment that is the merchant's from its day on.
    ReceivableId
);
id!(
    /// Money that arrived beside a payment, or for no known one.
    UnmatchedId
);
id!(
    /// Money on its way back to a payer.
    RefundId
);
id!(
    /// Money that no payment accounts for, on its way back to its payer.
    ReturnId
);
id!(
    /// A payment's being contested by its buyer.
    DisputeId
);
id!(
    /// Money on its way out to a PIX key.
    WithdrawalId
);
id!(
    /// Money paid out on receivables before their day.
    AdvanceId
);
id!(
    /// A form that a buyer began and did not send.
    CartId
);
id!(
    /// A merchant's having brought another one.
    ReferralId
);
id!(
    /// What a referral earned.
    RewardId
);
id!(
    /// Rewards on their way to the balance.
    RewardWithdrawalId
);
id!(
    /// What can be subscribed to.
    PlanId
);
id!(
    /// A buyer who is charged again with every period.
    SubscriptionId
);
id!(
    /// What a merchant promises to whoever sends him buyers of a product.
    AffiliateProgramId
);
id!(
    /// An affiliate in a programme.
    AffiliateLinkId
);
id!(
    /// What an affiliate has of a payment.
    CommissionId
);
id!(
    /// A merchant's address for events.
    WebhookId
);
id!(
    /// Something that happened, as told to webhooks.
    EventId
);
id!(
    /// Something that was done, as the audit log keeps it.
    AuditId
);

/// The environment: simulated or real money.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Environment")]
pub enum Mode {
    Development,
    Production,
}

/// Whose rows, and in which mode. Every statement about a merchant's things takes one.
///
/// Only an extractor, a job or a public address that names a row can make it.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    pub merchant: MerchantId,
    pub mode: Mode,
    /// How far the developer's clock runs ahead; zero in production.
    pub ahead: Duration,
}

impl Mode {
    /// Whether money is simulated.
    pub fn is_development(self) -> bool {
        self == Self::Development
    }

    /// The contract's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Production => "production",
        }
    }

    /// The number under which the ledger keeps this mode's book.
    pub fn book(self) -> i64 {
        match self {
            Self::Development => 0,
            Self::Production => 1,
        }
    }
}

impl Scope {
    /// Refuses a scope whose money is real.
    pub fn expect_development(self) -> Result<Self> {
        if self.mode.is_development() {
            return Ok(self);
        }
        let message = "This exists only for development keys.";
        Err(Error::refused(Refusal::DevModeOnly, message))
    }

    /// The house itself: what is no merchant's.
    pub const fn house(mode: Mode) -> Self {
        Self { merchant: MerchantId(Uuid::nil()), mode, ahead: Duration::ZERO }
    }

    /// The instant by which this scope's rules are judged.
    pub fn now(&self, tx: &Tx) -> Timestamp {
        self.at(tx.now())
    }

    /// What the scope's clock shows at an instant of the machine's.
    pub fn at(&self, machine: Timestamp) -> Timestamp {
        machine.plus(self.ahead)
    }

    /// When, by the machine's clock, the scope's clock will show `at`, as the queue wants it.
    pub fn due(&self, at: Timestamp) -> queue::job::Due {
        let clock = self.mode.is_development().then_some(self.merchant.0);
        queue::job::Due { at: at.minus(self.ahead), clock }
    }
}

impl ToArg for Mode {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Int(self.book())
    }
}

impl FromValue for Mode {
    fn from_value(value: Value) -> Option<Self> {
        match i64::from_value(value)? {
            0 => Some(Self::Development),
            1 => Some(Self::Production),
            _ => None,
        }
    }
}
