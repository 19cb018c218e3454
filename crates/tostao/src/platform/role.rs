//! Administrators and merchants.

use crate::platform::words::words;
words! {
    /// The role of an account.
    pub enum Role as "AccountRole" {
        Merchant = "MERCHANT",
        Admin = "ADMIN",
    }
}
