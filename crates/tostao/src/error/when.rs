//! When each code is answered: the sentences that the documents and the page about the API show.

use crate::error::Refusal;

const WHEN: &[(Refusal, &str)] = &[
    (Refusal::ValidationError, "Fields are missing or wrong; `errors` names them."),
    (Refusal::InvalidJson, "The body is not JSON, not an object, cut off, or nested too deeply."),
    (Refusal::MissingAmountOrProducts, "A payment link has neither a price nor products."),
    (Refusal::InvalidDocument, "The CPF or CNPJ is not valid; nothing else is wrong."),
    (Refusal::InvalidPixKey, "The PIX key is not one of its type; nothing else is wrong."),
    (
        Refusal::InvalidEventName,
        "A webhook names an event that does not exist; `message` lists those that do.",
    ),
    (Refusal::InvalidWebhookUrl, "A webhook's address is not one that may be called."),
    (Refusal::InsufficientBalance, "The balance does not hold enough."),
    (
        Refusal::AmountExceedsRefundable,
        "The payment cannot give so much back; `message` says how much.",
    ),
    (Refusal::DailyLimitExceeded, "The withdrawals of a day would come to more than they may."),
    (Refusal::NightLimitExceeded, "The withdrawals of a night would come to more than they may."),
    (Refusal::NoPaymentMethodEnabled, "A payment link would take no method of payment."),
    (Refusal::PaymentMethodDisabled, "The payment link does not take this method."),
    (Refusal::CouponInvalid, "The coupon cannot be used for this, for a reason that is not told."),
    (
        Refusal::InstallmentsNotAllowed,
        "The payment link does not take so many instalments, or they would be under R$ 5.00.",
    ),
    (Refusal::CardDataNotAccepted, "The request holds a card number; nothing of it was kept."),
    (Refusal::InvalidIdempotencyKey, "The `Idempotency-Key` is not 1 to 255 printable characters."),
    (Refusal::InvalidCursor, "The `cursor` is not one that a list gave."),
    (Refusal::PaginationTooDeep, "`page` × `limit` passes 10,000; go on with `cursor`."),
    (
        Refusal::Unauthorized,
        "The key or token is missing, wrong, revoked, or contradicts another one.",
    ),
    (Refusal::TokenExpired, "The access token has expired; renew it."),
    (Refusal::InvalidCredentials, "The e-mail or the password is wrong."),
    (Refusal::CardDeclined, "The acquirer declined the card; `declineCode` says why."),
    (Refusal::InsufficientPermission, "The key lacks the permission in `requiredPermission`."),
    (Refusal::AdminRequired, "Only an administrator may do this."),
    (
        Refusal::SelfApproval,
        "Administrators do not decide on their own account's money; another one has to.",
    ),
    (Refusal::DevModeOnly, "This exists only for development data."),
    (Refusal::RegistrationClosed, "The operator lets nobody open an account."),
    (Refusal::NotFound, "Not there, deleted, or another merchant's or mode's."),
    (
        Refusal::MethodNotAllowed,
        "The path does not take this method; `Allow` lists those it takes.",
    ),
    (Refusal::InvalidStateTransition, "The object's state does not allow it; see `currentStatus`."),
    (Refusal::AlreadyExists, "There is one already, or as many as there may be."),
    (Refusal::CouponCodeTaken, "Another coupon of the merchant has this code."),
    (Refusal::ProgramAlreadyExists, "The product has an affiliate programme already."),
    (Refusal::AlreadyAffiliated, "The caller has joined this affiliate programme already."),
    (Refusal::SelfAffiliation, "The affiliate programme is the caller's own."),
    (Refusal::OutOfStock, "There is not enough left."),
    (Refusal::ProductInactive, "A product of the order is not for sale."),
    (Refusal::ChargeRefused, "The bank said no to this charge; sending it again changes nothing."),
    (Refusal::PlanFull, "The plan has as many subscribers as it may have."),
    (Refusal::PlanInactive, "The plan takes no new subscribers."),
    (
        Refusal::AlreadySubscribed,
        "Somebody with this document or, without one, this address subscribes to the plan already, \
         is on the way to it, or is being charged for it.",
    ),
    (
        Refusal::WithdrawalAlreadyProcessed,
        "It was approved, rejected or cancelled before; see `currentStatus`.",
    ),
    (Refusal::AdvanceAlreadyOpen, "An advance waits for a decision or for its receivables."),
    (
        Refusal::InsufficientReceivables,
        "The receivables do not allow so much; `message` says how much.",
    ),
    (
        Refusal::AccountInUse,
        "The account cannot be closed while `obstacles` lists money or things that have not ended.",
    ),
    (Refusal::IdempotencyKeyInProgress, "The first request with this key is still at work."),
    (Refusal::ConcurrentUpdate, "Another request is changing the same thing; try again."),
    (Refusal::PaymentLinkExpired, "The payment link's time is over."),
    (Refusal::PaymentLinkInactive, "The payment link is switched off, or its account closed."),
    (Refusal::PayloadTooLarge, "The body is larger than this route takes."),
    (Refusal::UnsupportedMediaType, "The body is not sent as `application/json`."),
    (
        Refusal::IdempotencyKeyReused,
        "The key was used with another request, or its answer cannot be read any more; nothing was \
         done.",
    ),
    (Refusal::RateLimited, "Too many requests; wait for `retryAfter` seconds."),
    (Refusal::InternalError, "A fault of ours; the log knows it by `requestId`."),
    (
        Refusal::Unavailable,
        "It cannot be done at the moment; try again, with the same `Idempotency-Key`.",
    ),
];

/// What is wrong with one field, in `errors`, besides the codes of refusals that name a field.
pub const FIELD_CODES: &[(&str, &str)] = &[
    ("REQUIRED", "It is missing, or empty where something has to stand."),
    ("INVALID_TYPE", "It is of another kind: text for a number, a list for an object."),
    ("INVALID_VALUE", "It is not one of the words that it may be; `message` lists them."),
    ("INVALID_LENGTH", "The text or the list is too short or too long."),
    ("INVALID_CHARACTER", "It holds a character that it may not, such as a hidden one."),
    ("OUT_OF_RANGE", "The number, the amount or the time is too small or too large."),
    ("NOT_IN_FUTURE", "The instant is past."),
    ("INVALID_DATE", "It is no date like `2026-12-24`."),
    ("INVALID_UUID", "It is no UUID."),
    ("INVALID_URL", "It is not an address that may stand there."),
    ("INVALID_EMAIL", "It is no e-mail address."),
    ("INVALID_PHONE", "It is no telephone number."),
    ("INVALID_POSTAL_CODE", "It is no CEP."),
    ("INVALID_STATE", "It is not the two letters of a state."),
    ("INVALID_ADDRESS", "It is neither an IP address nor a network."),
    ("INVALID_CODE", "It cannot be a coupon's code."),
    ("INVALID_PIXEL_CODE", "It cannot be a pixel's id."),
    ("INVALID_CARD_TOKEN", "The card's token is missing, unknown, used or too old."),
    ("INVALID_CARD_NUMBER", "It is no card's number."),
    ("NOT_A_TEST_CARD", "The sandbox takes published test numbers alone."),
    ("INVALID_CVV", "The security code has another length."),
    ("CARD_EXPIRED", "The card's month is past."),
    ("BLANK_PASSWORD", "The password is spaces alone."),
    ("COMMON_PASSWORD", "The password is one of the commonest."),
    ("BELOW_FEE", "The withdrawal does not come to more than its fee."),
    ("UNSUPPORTED_CURRENCY", "The currency is not `BRL`."),
    ("UNKNOWN_CUSTOMER", "It is no client of the caller's."),
    ("UNKNOWN_PRODUCT", "It is no product of the caller's."),
    ("UNKNOWN_TRANSACTION", "It is no charge."),
];

/// Whether a code of a field is documented.
pub fn is_described(code: &str) -> bool {
    FIELD_CODES.iter().any(|(known, _)| *known == code)
        || Refusal::ALL.iter().any(|refusal| refusal.code() == code)
}

impl Refusal {
    /// When it is answered, in Markdown.
    pub fn when(self) -> &'static str {
        WHEN.iter().find(|(refusal, _)| *refusal == self).map_or("", |(_, when)| when)
    }
}

#[cfg(test)]
mod tests {
    use super::WHEN;
    use crate::error::Refusal;

    #[test]
    fn every_code_says_when_in_the_order_of_the_codes() {
        let explained: Vec<Refusal> = WHEN.iter().map(|(refusal, _)| *refusal).collect();
        assert_eq!(explained, Refusal::ALL);
    }
}
