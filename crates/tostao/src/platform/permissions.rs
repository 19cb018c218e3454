//! Permissions: what a key may do. Each is a type, so holding the extractor is the proof.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines each permission once: its name in the API and its type.
macro_rules! permissions {
    ($($name:ident = $text:literal,)*) => {
        /// A permission of an API key.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum Permission {
            $(#[serde(rename = $text)] $name,)*
        }

        impl Permission {
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

            impl RequiredPermissions for $name {
                const PERMISSIONS: &'static [Permission] = &[Permission::$name];
            }
        )*
    };
}

/// A type that stands for one permission, or several, in a handler's signature.
pub trait RequiredPermissions: Send + Sync + 'static {
    /// The permissions, all of which are required.
    const PERMISSIONS: &'static [Permission];
}

permissions! {
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

/// Needs a credential, whatever it may do.
#[derive(Debug, Clone, Copy)]
pub struct NoPermission;

impl RequiredPermissions for NoPermission {
    const PERMISSIONS: &'static [Permission] = &[];
}

/// The permissions of a caller.
#[derive(Debug, Clone)]
pub enum Permissions {
    /// The owner's access token.
    All,
    /// An API key.
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

impl Display for Permission {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
