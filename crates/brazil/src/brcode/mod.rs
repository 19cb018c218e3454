//! BR Code: the text behind a PIX QR code and behind "copia e cola".
//!
//! Codes are generated strictly, so that every bank's app reads them, and parsed leniently, because
//! codes in circulation do not always follow the specification. The checksum must always be valid.

mod crc16;
mod ids;
mod tlv;

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use crate::ascii;
use crate::brcode::tlv::Fields;
use crate::money;
use crate::pix_key::PixKey;
use crate::txid::{NO_TXID, is_static_txid};

/// A static code: the receiver's PIX key; it never expires and can be paid repeatedly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticCode<'a> {
    pub key: &'a PixKey,
    /// If absent, the payer enters the amount.
    pub amount_cents: Option<i64>,
    pub merchant_name: &'a str,
    pub city: &'a str,
    /// Up to 25 letters and digits, or [`NO_TXID`].
    pub txid: &'a str,
}

/// A dynamic code: points the payer's bank to a charge at the receiver's bank, to be paid once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicCode<'a> {
    /// The URL of the charge, without `https://`.
    pub location: &'a str,
    pub merchant_name: &'a str,
    pub city: &'a str,
}

/// A code's contents, as far as a payer needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrCode {
    /// Absent only if the code requests a recurring authorization and no payment.
    pub receiver: Option<Receiver>,
    /// The URL of a recurring authorization, without `https://`.
    pub recurrence: Option<String>,
    /// Payers ignore it when the receiver is a location.
    pub amount_cents: Option<i64>,
    pub merchant_name: String,
    pub city: String,
    /// Payers ignore it when the receiver is a location.
    pub txid: Option<String>,
    pub single_use: bool,
}

/// How the payer's bank identifies the receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receiver {
    Key(String),
    Location(String),
}

/// Why a code cannot be encoded or parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BrCodeError {
    #[error("the amount must be between R$ 0.01 and R$ 9999999999.99")]
    Amount,
    #[error("the location must be 1 to 77 printable ASCII characters without a scheme")]
    Location,
    #[error("the merchant name has no letter left in ASCII")]
    MerchantName,
    #[error("the city has no letter left in ASCII")]
    City,
    #[error("the txid must be 1 to 25 letters and digits")]
    Txid,
    #[error("the checksum does not match")]
    Checksum,
    #[error("the fields are not those of a BR Code")]
    Malformed,
    #[error("the code holds no PIX receiver")]
    NotPix,
}

impl StaticCode<'_> {
    /// Writes the code.
    pub fn encode(&self) -> Result<String, BrCodeError> {
        if !is_static_txid(self.txid) {
            return Err(BrCodeError::Txid);
        }
        let amount = self.amount_cents.map(write_amount).transpose()?;
        let account = tlv::write(&[(ids::GUI, ids::PIX), (ids::KEY, self.key.as_str())]);
        let mut fields = vec![(ids::FORMAT, ids::FORMAT_1), (ids::PIX_ACCOUNT, &account)];
        fields.extend([(ids::CATEGORY, ids::NO_CATEGORY), (ids::CURRENCY, ids::REAL)]);
        fields.extend(amount.as_deref().map(|amount| (ids::AMOUNT, amount)));
        finish(&fields, self.merchant_name, self.city, self.txid)
    }
}

impl DynamicCode<'_> {
    /// Writes the code.
    pub fn encode(&self) -> Result<String, BrCodeError> {
        if !is_location(self.location) {
            return Err(BrCodeError::Location);
        }
        let account = tlv::write(&[(ids::GUI, ids::PIX), (ids::LOCATION, self.location)]);
        let fields = [
            (ids::FORMAT, ids::FORMAT_1),
            (ids::INITIATION, ids::USE_ONCE),
            (ids::PIX_ACCOUNT, &account),
            (ids::CATEGORY, ids::NO_CATEGORY),
            (ids::CURRENCY, ids::REAL),
        ];
        finish(&fields, self.merchant_name, self.city, NO_TXID)
    }
}

/// Parses a pasted or scanned code.
pub fn parse(text: &str) -> Result<BrCode, BrCodeError> {
    let text = text.trim();
    check_sum(text)?;
    let fields = Fields::read(text).ok_or(BrCodeError::Malformed)?;
    check_frame(&fields)?;
    let receiver = receiver(&fields);
    let recurrence = pix_template(&fields, ids::RECURRENCES).and_then(|pix| pix.get(ids::LOCATION));
    if receiver.is_none() && recurrence.is_none() {
        return Err(BrCodeError::NotPix);
    }
    let amount_cents = fields.get(ids::AMOUNT).map(read_amount).transpose()?;
    Ok(BrCode {
        receiver,
        recurrence: recurrence.map(str::to_owned),
        amount_cents,
        merchant_name: fields.get(ids::MERCHANT_NAME).unwrap_or_default().to_owned(),
        city: fields.get(ids::CITY).unwrap_or_default().to_owned(),
        txid: txid(&fields).map(str::to_owned),
        single_use: fields.get(ids::INITIATION) == Some(ids::USE_ONCE),
    })
}

const NAME_LONGEST: usize = 25;
const CITY_LONGEST: usize = 15;
const LOCATION_LONGEST: usize = 77;

/// The checksum covers its own ID and length, so they are included.
const CHECKSUM_HEAD: &str = "6304";
const CHECKSUM_DIGITS: usize = 4;

/// Appends the final fields of all codes, including the checksum.
fn finish(
    fields: &[(u8, &str)],
    merchant_name: &str,
    city: &str,
    txid: &str,
) -> Result<String, BrCodeError> {
    let merchant_name = ascii::fold_to(merchant_name, NAME_LONGEST);
    let city = ascii::fold_to(city, CITY_LONGEST);
    if merchant_name.is_empty() {
        return Err(BrCodeError::MerchantName);
    }
    if city.is_empty() {
        return Err(BrCodeError::City);
    }
    let additional = tlv::write(&[(ids::TXID, txid)]);
    let ending = [
        (ids::COUNTRY, ids::BRAZIL),
        (ids::MERCHANT_NAME, &merchant_name),
        (ids::CITY, &city),
        (ids::ADDITIONAL, &additional),
    ];
    let summed = tlv::write(fields) + &tlv::write(&ending) + CHECKSUM_HEAD;
    let checksum = crc16::of(&summed);
    Ok(format!("{summed}{checksum:04X}"))
}

fn write_amount(cents: i64) -> Result<String, BrCodeError> {
    let amount = money::format_decimal(cents);
    if cents > 0 && amount.len() <= money::DECIMAL_LONGEST {
        Ok(amount)
    } else {
        Err(BrCodeError::Amount)
    }
}

fn is_location(text: &str) -> bool {
    (1..=LOCATION_LONGEST).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_graphic())
        && !text.contains("://")
}

fn check_sum(text: &str) -> Result<(), BrCodeError> {
    let digits_at = text.len().checked_sub(CHECKSUM_DIGITS).ok_or(BrCodeError::Malformed)?;
    let (summed, checksum) = text.split_at_checked(digits_at).ok_or(BrCodeError::Malformed)?;
    if checksum == format!("{:04X}", crc16::of(summed)) {
        Ok(())
    } else {
        Err(BrCodeError::Checksum)
    }
}

/// The format comes first, the checksum last, and the currency is BRL.
fn check_frame(fields: &Fields) -> Result<(), BrCodeError> {
    let first = fields.iter().next();
    let last = fields.iter().next_back();
    let is_framed = first == Some((ids::FORMAT, ids::FORMAT_1))
        && last.is_some_and(|(id, value)| id == ids::CHECKSUM && value.len() == CHECKSUM_DIGITS)
        && fields.get(ids::CURRENCY) == Some(ids::REAL);
    if is_framed { Ok(()) } else { Err(BrCodeError::Malformed) }
}

/// A location is preferred, because a bank queries it regardless of the code's other fields.
fn receiver(fields: &Fields) -> Option<Receiver> {
    let account = pix_template(fields, ids::ACCOUNTS)?;
    let location = account.get(ids::LOCATION).map(|text| Receiver::Location(text.to_owned()));
    location.or_else(|| account.get(ids::KEY).map(|text| Receiver::Key(text.to_owned())))
}

/// Finds the PIX template; other payment arrangements define their own.
fn pix_template<'a>(fields: &Fields<'a>, places: RangeInclusive<u8>) -> Option<Fields<'a>> {
    fields
        .iter()
        .filter(|(id, _)| places.contains(id))
        .filter_map(|(_, value)| Fields::read(value))
        .find(|template| {
            template.get(ids::GUI).is_some_and(|gui| gui.eq_ignore_ascii_case(ids::PIX))
        })
}

fn read_amount(text: &str) -> Result<i64, BrCodeError> {
    money::parse_decimal(text).ok_or(BrCodeError::Amount)
}

fn txid<'a>(fields: &Fields<'a>) -> Option<&'a str> {
    let additional = Fields::read(fields.get(ids::ADDITIONAL)?)?;
    additional.get(ids::TXID).filter(|txid| !txid.is_empty() && *txid != NO_TXID)
}
