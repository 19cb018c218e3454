//! The codes of invalid fields: the sentences that the documents and the API reference page show.

use crate::platform::error::ErrorCode;

/// The codes in `errors` for one field, besides those of `ErrorCode` that name a field.
pub const FIELD_CODES: &[(&str, &str)] = &[
    ("REQUIRED", "The field is missing or empty."),
    ("INVALID_TYPE", "The field has the wrong type, such as a string for a number."),
    ("INVALID_VALUE", "The field is not one of the allowed values; `message` lists them."),
    ("INVALID_LENGTH", "The text or the list is too short or too long."),
    ("INVALID_CHARACTER", "The field contains a forbidden character, such as an invisible one."),
    ("OUT_OF_RANGE", "The number, amount or time is too small or too large."),
    ("NOT_IN_FUTURE", "The time is not in the future."),
    ("INVALID_DATE", "The field is not a date like `2026-12-24`."),
    ("INVALID_UUID", "The field is not a UUID."),
    ("INVALID_URL", "The field is not an allowed URL."),
    ("INVALID_EMAIL", "The field is not an email address."),
    ("INVALID_PHONE", "The field is not a phone number."),
    ("INVALID_POSTAL_CODE", "The field is not a CEP."),
    ("INVALID_STATE", "The field is not the two-letter code of a state."),
    ("INVALID_ADDRESS", "The field is neither an IP address nor a network."),
    ("INVALID_CODE", "The field is not a valid coupon code."),
    ("INVALID_PIXEL_CODE", "The field is not a valid pixel ID."),
    ("INVALID_CARD_TOKEN", "The card token is missing, unknown, used or expired."),
    ("INVALID_CARD_NUMBER", "The field is not a card number."),
    ("NOT_A_TEST_CARD", "The sandbox only accepts published test card numbers."),
    ("INVALID_CVV", "The security code has the wrong length."),
    ("CARD_EXPIRED", "The card has expired."),
    ("LOW_CONTRAST", "The colour cannot be read; `message` names the nearest one that can."),
    ("INVALID_IMAGE", "The file is neither a PNG nor a JPEG."),
    ("BLANK_PASSWORD", "The password is blank."),
    ("COMMON_PASSWORD", "The password is among the most common ones."),
    ("BELOW_FEE", "The withdrawal does not exceed its fee."),
    ("UNSUPPORTED_CURRENCY", "The currency is not `BRL`."),
    ("UNKNOWN_CUSTOMER", "The customer does not exist."),
    ("UNKNOWN_PRODUCT", "The product does not exist."),
    ("UNKNOWN_TRANSACTION", "The transaction does not exist."),
];

/// Whether a field's code is documented.
pub fn is_described(code: &str) -> bool {
    FIELD_CODES.iter().any(|(known, _)| *known == code)
        || ErrorCode::ALL.iter().any(|known| known.name() == code)
}
