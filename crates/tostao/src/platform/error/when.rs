//! When each code is returned: the sentences that the documents and the API reference page show.

use crate::platform::error::Refusal;

const WHEN: &[(Refusal, &str)] = &[
    (Refusal::ValidationError, "Fields are missing or invalid; `errors` lists them."),
    (Refusal::InvalidJson, "The body is not a complete JSON object, or is nested too deeply."),
    (Refusal::MissingAmountOrProducts, "A payment link has neither an amount nor products."),
    (Refusal::InvalidDocument, "The CPF or CNPJ is invalid, and no other field is."),
    (Refusal::InvalidPixKey, "The PIX key does not match its type, and no other field is invalid."),
    (
        Refusal::InvalidEventName,
        "A webhook names an unknown event type; `message` lists the event types.",
    ),
    (Refusal::InvalidWebhookUrl, "The URL of a webhook is not allowed."),
    (Refusal::InsufficientBalance, "The balance is insufficient."),
    (
        Refusal::AmountExceedsRefundable,
        "The refund exceeds what can be refunded; `message` says how much that is.",
    ),
    (Refusal::DailyLimitExceeded, "The withdrawals of the day would exceed their limit."),
    (Refusal::NightLimitExceeded, "The withdrawals of the night would exceed their limit."),
    (Refusal::NoPaymentMethodEnabled, "A payment link would have no payment method enabled."),
    (Refusal::PaymentMethodDisabled, "The payment link does not accept this payment method."),
    (Refusal::CouponInvalid, "The coupon does not apply; the reason is not disclosed."),
    (
        Refusal::InstallmentsNotAllowed,
        "The payment link does not allow this number of installments, or each would be under R$ 5.",
    ),
    (Refusal::CardDataNotAccepted, "The request contains a card number; nothing of it was stored."),
    (
        Refusal::InvalidIdempotencyKey,
        "The `Idempotency-Key` is sent twice, or is not 1 to 255 printable characters.",
    ),
    (Refusal::InvalidCursor, "The `cursor` is not one returned by the list."),
    (Refusal::PaginationTooDeep, "`page` × `limit` exceeds 10,000; continue with `cursor`."),
    (
        Refusal::Unauthorized,
        "The API key or access token is missing, invalid or revoked, or two of them differ.",
    ),
    (Refusal::TokenExpired, "The access token has expired; refresh it."),
    (Refusal::InvalidCredentials, "The email or password is wrong."),
    (Refusal::CardDeclined, "The acquirer declined the card; `declineCode` says why."),
    (Refusal::InsufficientPermission, "The key lacks the permission in `requiredPermission`."),
    (Refusal::AdminRequired, "Only administrators may do this."),
    (
        Refusal::SelfApproval,
        "Administrators cannot decide on their own account's money; another administrator must.",
    ),
    (Refusal::DevModeOnly, "This is only available for development data."),
    (Refusal::RegistrationClosed, "The operator has disabled sign-up."),
    (Refusal::CrossSiteForm, "The page of another site posted a form of the buyers' pages."),
    (
        Refusal::NotFound,
        "The object does not exist, was deleted, or belongs to another merchant or environment.",
    ),
    (
        Refusal::MethodNotAllowed,
        "The path does not support this method; `Allow` lists the supported ones.",
    ),
    (
        Refusal::InvalidStateTransition,
        "The object's status does not allow it; see `currentStatus`.",
    ),
    (Refusal::AlreadyExists, "The object already exists, or the maximum number exists."),
    (Refusal::CouponCodeTaken, "Another coupon of the merchant has this code."),
    (Refusal::ProgramAlreadyExists, "The product already has an affiliate program."),
    (Refusal::AlreadyAffiliated, "The caller has already joined this affiliate program."),
    (Refusal::SelfAffiliation, "The affiliate program is the caller's own."),
    (Refusal::OutOfStock, "Not enough is in stock."),
    (Refusal::ProductInactive, "A product of the order is not for sale."),
    (Refusal::ChargeRefused, "The bank rejected the charge; a retry gets the same response."),
    (Refusal::PlanFull, "The plan has reached its maximum number of subscribers."),
    (Refusal::PlanInactive, "The plan does not accept new subscribers."),
    (
        Refusal::AlreadySubscribed,
        "A subscriber with this document or, without one, this email already subscribes to the \
         plan, or a subscription or charge for it is in progress.",
    ),
    (
        Refusal::WithdrawalAlreadyProcessed,
        "The withdrawal was already approved, rejected or cancelled; see `currentStatus`.",
    ),
    (Refusal::AdvanceAlreadyOpen, "Another advance awaits a decision or repayment."),
    (
        Refusal::InsufficientReceivables,
        "The receivables are insufficient; `message` says how much can be advanced.",
    ),
    (
        Refusal::AccountInUse,
        "The account cannot be closed while `obstacles` lists money or unfinished objects.",
    ),
    (Refusal::IdempotencyKeyInProgress, "The first request with this key is still in progress."),
    (Refusal::ConcurrentUpdate, "Another request is changing the same object; retry."),
    (Refusal::PaymentLinkExpired, "The payment link has expired."),
    (Refusal::PaymentLinkInactive, "The payment link is inactive, or its account is closed."),
    (Refusal::PayloadTooLarge, "The body is too large for this route."),
    (Refusal::UnsupportedMediaType, "The body is not `application/json`."),
    (
        Refusal::IdempotencyKeyReused,
        "The key was used with another request, or its response can no longer be read; nothing \
         was done.",
    ),
    (Refusal::RateLimited, "Too many requests; retry after `retryAfter` seconds."),
    (Refusal::InternalError, "An internal error; the server's log has it under `requestId`."),
    (Refusal::Unavailable, "Temporarily unavailable; retry with the same `Idempotency-Key`."),
];

/// The codes in `errors` for one field, besides the refusals that name a field.
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
        || Refusal::ALL.iter().any(|refusal| refusal.code() == code)
}

impl Refusal {
    /// When it is returned, in Markdown.
    pub fn when(self) -> &'static str {
        WHEN.iter().find(|(refusal, _)| *refusal == self).map_or("", |(_, when)| when)
    }
}

#[cfg(test)]
mod tests {
    use super::WHEN;
    use crate::platform::error::Refusal;

    #[test]
    fn every_code_says_when_in_the_order_of_the_codes() {
        let explained: Vec<Refusal> = WHEN.iter().map(|(refusal, _)| *refusal).collect();
        assert_eq!(explained, Refusal::ALL);
    }
}
