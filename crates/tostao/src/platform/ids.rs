//! Id types, and the scope that every row belongs to.

use std::borrow::Cow;
use std::time::Duration;

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, FromValue, ToArg, Value};
use jiff::civil::Date;
use rails::provider::TestClock;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::platform::error::{Error, ErrorCode, Result};

/// Defines an id type of its own for each kind of object.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Creates an id, greater than every earlier one.
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
    /// An account.
    MerchantId
);
id!(
    /// A person who signs in; the owner of an account has the account's id.
    PersonId
);
id!(
    /// An invitation of a person to an account.
    InvitationId
);
id!(
    /// A filter of a list that a person keeps under a name.
    SavedViewId
);
id!(
    /// A request in the request log.
    RequestLogId
);
id!(
    /// A sign-in of a merchant, with its refresh tokens.
    SessionId
);
id!(
    /// A named set of permissions with its API keys.
    CredentialId
);
id!(
    /// A product.
    ProductId
);
id!(
    /// A hosted page that takes payments.
    PaymentLinkId
);
id!(
    /// A discount code.
    CouponId
);
id!(
    /// A buyer, as one merchant knows them.
    ClientId
);
id!(
    /// A payment.
    TransactionId
);
id!(
    /// A part of a payment that becomes available to the merchant on its settlement date.
    ReceivableId
);
id!(
    /// An extra payment for a charge, or a payment that matches no known charge.
    UnmatchedId
);
id!(
    /// Money being returned to a buyer.
    RefundId
);
id!(
    /// Unmatched money being returned to its payer.
    ReturnId
);
id!(
    /// A dispute of a payment by its buyer.
    DisputeId
);
id!(
    /// A payout to a PIX key.
    WithdrawalId
);
id!(
    /// A part of a paid withdrawal that its bank sent back.
    WithdrawalReturnId
);
id!(
    /// Receivables paid out before their settlement date.
    AdvanceId
);
id!(
    /// A contract of the operator with a bank or an acquirer.
    ConnectionId
);
id!(
    /// Something that a connection reports and nothing explains.
    DifferenceId
);
id!(
    /// A form that a buyer started and did not submit.
    CartId
);
id!(
    /// One merchant's referral of another.
    ReferralId
);
id!(
    /// A reward earned by a referral.
    RewardId
);
id!(
    /// A transfer of rewards to the balance.
    RewardWithdrawalId
);
id!(
    /// A plan that buyers subscribe to.
    PlanId
);
id!(
    /// A buyer who is charged every period.
    SubscriptionId
);
id!(
    /// The commission that a merchant offers to affiliates of a product.
    AffiliateProgramId
);
id!(
    /// An affiliate in a program.
    AffiliateLinkId
);
id!(
    /// An affiliate's commission on a payment.
    CommissionId
);
id!(
    /// A merchant's webhook endpoint.
    WebhookId
);
id!(
    /// A recovery of what a webhook has not accepted.
    RecoveryId
);
id!(
    /// An event, as sent to webhooks.
    EventId
);
id!(
    /// A PIX key that an account's people withdraw to.
    PayoutKeyId
);
id!(
    /// An entry of the audit log.
    AuditId
);
id!(
    /// A mail.
    MailId
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

/// The merchant and the mode that rows belong to. Every statement about a merchant's data takes
/// one.
///
/// Only an extractor, a job or a public URL that names a row can create it.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    pub merchant: MerchantId,
    pub mode: Mode,
    /// How far the sandbox clock runs ahead; zero in production.
    pub ahead: Duration,
}

impl Mode {
    /// Whether money is simulated.
    pub fn is_development(self) -> bool {
        self == Self::Development
    }

    /// The value in the API.
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
    /// Refuses production.
    pub fn expect_development(self) -> Result<Self> {
        if self.mode.is_development() {
            return Ok(self);
        }
        let message = "This exists only for development keys.";
        Err(Error::refused(ErrorCode::DevModeOnly, message))
    }

    /// The platform itself: rows that belong to no merchant.
    pub const fn platform(mode: Mode) -> Self {
        Self { merchant: MerchantId(Uuid::nil()), mode, ahead: Duration::ZERO }
    }

    /// The current instant on this scope's clock.
    pub fn now(&self, tx: &Tx) -> Timestamp {
        self.at(tx.now())
    }

    /// The time on the scope's clock at an instant of the system clock.
    pub fn at(&self, machine: Timestamp) -> Timestamp {
        machine.plus(self.ahead)
    }

    /// The date in São Paulo by the scope's clock, at an instant of the system clock.
    pub fn today(&self, machine: Timestamp) -> Date {
        sao_paulo_date(self.at(machine).micros())
    }

    /// When, by the system clock, the scope's clock reaches `at`, in the form that the queue takes.
    pub fn due(&self, at: Timestamp) -> queue::job::Due {
        let clock = self.mode.is_development().then_some(self.merchant.0);
        queue::job::Due { at: at.minus(self.ahead), clock }
    }

    /// The developer's clock, for a simulated bank.
    pub fn test_clock(&self) -> Option<TestClock> {
        let Self { merchant, ahead, .. } = *self;
        self.mode.is_development().then_some(TestClock { owner: merchant.0, ahead })
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
