//! IDs and fixed values of the fields of a BR Code.

use std::ops::RangeInclusive;

// The code's own fields, in their order.
pub(super) const FORMAT: u8 = 0;
pub(super) const INITIATION: u8 = 1;
pub(super) const PIX_ACCOUNT: u8 = 26;
pub(super) const CATEGORY: u8 = 52;
pub(super) const CURRENCY: u8 = 53;
pub(super) const AMOUNT: u8 = 54;
pub(super) const COUNTRY: u8 = 58;
pub(super) const MERCHANT_NAME: u8 = 59;
pub(super) const CITY: u8 = 60;
pub(super) const ADDITIONAL: u8 = 62;
pub(super) const CHECKSUM: u8 = 63;

/// The IDs of account templates; PIX is usually, not always, the first of them.
pub(super) const ACCOUNTS: RangeInclusive<u8> = PIX_ACCOUNT..=51;
/// The IDs of templates for a recurring authorization's URL.
pub(super) const RECURRENCES: RangeInclusive<u8> = 80..=99;

// Fields of the account and recurrence templates.
pub(super) const GUI: u8 = 0;
pub(super) const KEY: u8 = 1;
pub(super) const LOCATION: u8 = 25;

// Field of the additional data.
pub(super) const TXID: u8 = 5;

pub(super) const FORMAT_1: &str = "01";
pub(super) const USE_ONCE: &str = "12";
pub(super) const PIX: &str = "br.gov.bcb.pix";
pub(super) const NO_CATEGORY: &str = "0000";
pub(super) const REAL: &str = "986";
pub(super) const BRAZIL: &str = "BR";
