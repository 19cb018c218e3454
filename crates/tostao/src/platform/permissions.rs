//! Permissions: what a key or a person may do. Each is a type, so holding the extractor is the
//! proof.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines each permission once: its name in the API and its type.
macro_rules! permissions {
    ($(#[$doc:meta])* $kind:ident, by $required:ident: $($name:ident = $text:literal,)*) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum $kind {
            $(#[serde(rename = $text)] $name,)*
        }

        impl $kind {
            /// Every permission.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name in the API.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }

        $(
            #[doc = concat!("Needs `", $text, "`.")]
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $required for $name {
                const PERMISSIONS: &'static [$kind] = &[$kind::$name];
            }
        )*

        impl Display for $kind {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

/// A type that stands for one permission, or several, in a handler's signature.
pub trait RequiredPermissions: Send + Sync + 'static {
    /// The permissions, all of which are required.
    const PERMISSIONS: &'static [Permission];
}

/// The same for what only people may do.
pub trait RequiredPersonalPermissions: Send + Sync + 'static {
    /// The permissions, all of which are required.
    const PERMISSIONS: &'static [PersonalPermission];
}

permissions! {
    /// A permission of an API key.
    Permission, by RequiredPermissions:
    PaymentLinksRead = "paymentLinks:read",
    PaymentLinksWrite = "paymentLinks:write",
    TransactionsRead = "transactions:read",
    TransactionsWrite = "transactions:write",
    ProductsRead = "products:read",
    ProductsWrite = "products:write",
    CustomersRead = "customers:read",
    CustomersWrite = "customers:write",
    CouponsRead = "coupons:read",
    CouponsWrite = "coupons:write",
    WebhooksRead = "webhooks:read",
    WebhooksWrite = "webhooks:write",
    WithdrawalsRead = "withdrawals:read",
    WithdrawalsWrite = "withdrawals:write",
    AffiliatesRead = "affiliates:read",
    AffiliatesWrite = "affiliates:write",
    SubscriptionsRead = "subscriptions:read",
    SubscriptionsWrite = "subscriptions:write",
    AdvancesRead = "advances:read",
    AdvancesWrite = "advances:write",
    ReferralsRead = "referrals:read",
    ReferralsWrite = "referrals:write",
    RequestsRead = "requests:read",
}

permissions! {
    /// What only people may do in an account, and no API key.
    PersonalPermission, by RequiredPersonalPermissions:
    CredentialsRead = "credentials:read",
    CredentialsWrite = "credentials:write",
    TeamRead = "team:read",
    TeamWrite = "team:write",
    AuditRead = "audit:read",
    AccountWrite = "account:write",
    MailsRead = "mails:read",
    DocumentsRead = "documents:read",
}

/// Needs a credential, whatever it may do.
#[derive(Debug, Clone, Copy)]
pub struct NoPermission;

impl RequiredPermissions for NoPermission {
    const PERMISSIONS: &'static [Permission] = &[];
}

impl RequiredPersonalPermissions for NoPermission {
    const PERMISSIONS: &'static [PersonalPermission] = &[];
}

/// The permissions of a caller.
#[derive(Debug, Clone)]
pub enum Permissions {
    /// An access token of a person whose role includes everything.
    All,
    /// An API key, or the access token of another person.
    Of(Vec<Permission>),
}

impl Permissions {
    /// None at all.
    pub const NONE: Self = Self::Of(Vec::new());

    /// Whether they include a permission.
    pub fn contains(&self, permission: Permission) -> bool {
        match self {
            Self::All => true,
            Self::Of(permissions) => permissions.contains(&permission),
        }
    }
}
