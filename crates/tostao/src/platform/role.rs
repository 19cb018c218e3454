//! Administrators and merchants.

use db::text_enum;
text_enum! {
    /// The role of an account.
    pub enum Role as "AccountRole" {
        Merchant = "MERCHANT",
        Admin = "ADMIN",
    }
}
