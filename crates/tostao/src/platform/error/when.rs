//! When each code is returned: the sentences that the documents and the API reference page show.

use crate::platform::error::ErrorCode;

const WHEN: &[(ErrorCode, &str)] = &[
    (ErrorCode::ValidationError, "Fields are missing or invalid; `errors` lists them."),
    (ErrorCode::InvalidJson, "The body is not a complete JSON object, or is nested too deeply."),
    (ErrorCode::MissingAmountOrProducts, "A payment link has neither an amount nor products."),
    (ErrorCode::InvalidDocument, "The CPF or CNPJ is invalid, and no other field is."),
    (
        ErrorCode::InvalidPixKey,
        "The PIX key does not match its type, and no other field is invalid.",
    ),
    (
        ErrorCode::InvalidEventName,
        "A webhook names an unknown event type; `message` lists the event types.",
    ),
    (ErrorCode::InvalidWebhookUrl, "The URL of a webhook is not allowed."),
    (ErrorCode::InsufficientBalance, "The balance is insufficient."),
    (
        ErrorCode::AmountExceedsRefundable,
        "The refund exceeds what can be refunded; `message` says how much that is.",
    ),
    (ErrorCode::DailyLimitExceeded, "The withdrawals of the day would exceed their limit."),
    (ErrorCode::NightLimitExceeded, "The withdrawals of the night would exceed their limit."),
    (ErrorCode::NoPaymentMethodEnabled, "A payment link would have no payment method enabled."),
    (ErrorCode::PaymentMethodDisabled, "The payment link does not accept this payment method."),
    (ErrorCode::CouponInvalid, "The coupon does not apply; the reason is not disclosed."),
    (
        ErrorCode::InstallmentsNotAllowed,
        "The payment link does not allow this number of installments, or each would be under R$ 5.",
    ),
    (
        ErrorCode::CardDataNotAccepted,
        "The request contains a card number; nothing of it was stored.",
    ),
    (
        ErrorCode::InvalidIdempotencyKey,
        "The `Idempotency-Key` is sent twice, or is not 1 to 255 printable characters.",
    ),
    (ErrorCode::InvalidCursor, "The `cursor` is not one returned by the list."),
    (ErrorCode::PaginationTooDeep, "`page` × `limit` exceeds 10,000; continue with `cursor`."),
    (
        ErrorCode::Unauthorized,
        "The API key or access token is missing, invalid or revoked, or two of them differ.",
    ),
    (ErrorCode::TokenExpired, "The access token has expired; refresh it."),
    (ErrorCode::InvalidCredentials, "The email or password is wrong."),
    (ErrorCode::CardDeclined, "The acquirer declined the card; `declineCode` says why."),
    (ErrorCode::InsufficientPermission, "The key lacks the permission in `requiredPermission`."),
    (ErrorCode::AdminRequired, "Only administrators may do this."),
    (
        ErrorCode::SelfApproval,
        "Administrators cannot decide on their own account's money; another administrator must.",
    ),
    (ErrorCode::DevModeOnly, "This is only available for development data."),
    (ErrorCode::RegistrationClosed, "The operator has disabled sign-up."),
    (ErrorCode::CrossSiteForm, "The page of another site posted a form of the buyers' pages."),
    (
        ErrorCode::NotFound,
        "The object does not exist, was deleted, or belongs to another merchant or environment.",
    ),
    (
        ErrorCode::MethodNotAllowed,
        "The path does not support this method; `Allow` lists the supported ones.",
    ),
    (
        ErrorCode::InvalidStateTransition,
        "The object's status does not allow it; see `currentStatus`.",
    ),
    (ErrorCode::AlreadyExists, "The object already exists, or the maximum number exists."),
    (ErrorCode::CouponCodeTaken, "Another coupon of the merchant has this code."),
    (ErrorCode::ProgramAlreadyExists, "The product already has an affiliate program."),
    (ErrorCode::AlreadyAffiliated, "The caller has already joined this affiliate program."),
    (ErrorCode::SelfAffiliation, "The affiliate program is the caller's own."),
    (ErrorCode::OutOfStock, "Not enough is in stock."),
    (ErrorCode::ProductInactive, "A product of the order is not for sale."),
    (ErrorCode::ChargeRefused, "The bank rejected the charge; a retry gets the same response."),
    (ErrorCode::PlanFull, "The plan has reached its maximum number of subscribers."),
    (ErrorCode::PlanInactive, "The plan does not accept new subscribers."),
    (
        ErrorCode::AlreadySubscribed,
        "A subscriber with this document or, without one, this email already subscribes to the \
         plan, or a subscription or charge for it is in progress.",
    ),
    (
        ErrorCode::WithdrawalAlreadyProcessed,
        "The withdrawal was already approved, rejected or cancelled; see `currentStatus`.",
    ),
    (ErrorCode::AdvanceAlreadyOpen, "Another advance awaits a decision or repayment."),
    (
        ErrorCode::InsufficientReceivables,
        "The receivables are insufficient; `message` says how much can be advanced.",
    ),
    (
        ErrorCode::AccountInUse,
        "The account cannot be closed while `obstacles` lists money or unfinished objects.",
    ),
    (ErrorCode::IdempotencyKeyInProgress, "The first request with this key is still in progress."),
    (ErrorCode::ConcurrentUpdate, "Another request is changing the same object; retry."),
    (ErrorCode::PaymentLinkExpired, "The payment link has expired."),
    (ErrorCode::PaymentLinkInactive, "The payment link is inactive, or its account is closed."),
    (ErrorCode::PayloadTooLarge, "The body is too large for this route."),
    (ErrorCode::UnsupportedMediaType, "The body is not `application/json`."),
    (
        ErrorCode::IdempotencyKeyReused,
        "The key was used with another request, or its response can no longer be read; nothing \
         was done.",
    ),
    (ErrorCode::RateLimited, "Too many requests; retry after `retryAfter` seconds."),
    (ErrorCode::InternalError, "An internal error; the server's log has it under `requestId`."),
    (ErrorCode::Unavailable, "Temporarily unavailable; retry with the same `Idempotency-Key`."),
];

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

impl ErrorCode {
    /// When it is returned, in Markdown.
    pub fn when(self) -> &'static str {
        WHEN.iter().find(|(code, _)| *code == self).map_or("", |(_, when)| when)
    }
}

#[cfg(test)]
mod tests {
    use super::WHEN;
    use crate::platform::error::ErrorCode;

    #[test]
    fn every_code_says_when_in_the_order_of_the_codes() {
        let explained: Vec<ErrorCode> = WHEN.iter().map(|(code, _)| *code).collect();
        assert_eq!(explained, ErrorCode::ALL);
    }
}
