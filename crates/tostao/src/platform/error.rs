//! Every way a request can fail: one type, one list of codes.
//!
//! A handler returns [`Error`] with `?`; the middleware renders it as the API's error body. A
//! request that fails with a code changes nothing.

use std::fmt::Display;

use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::permissions::Permission;

mod conversions;
pub mod field_codes;

/// Result of everything that serves a request.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whether something new may be done, or what makes the refusal.
pub type Permit = Result<(), fn() -> Error>;

/// Why a request failed.
#[derive(Debug)]
pub enum Error {
    /// The request's fields are invalid; lists all of them.
    Invalid(Vec<FieldError>),
    /// The key or token is missing or invalid.
    Unauthenticated(ErrorCode),
    /// The key is valid but lacks the permission that the route needs.
    Forbidden(Permission),
    /// The person's role in the account lacks the permission, named here, that the route needs.
    RoleForbidden(&'static str),
    /// Does not exist, or belongs to another account.
    NotFound(&'static str),
    /// A business rule refuses the request; the text says what the caller needs to act on it.
    Refused(ErrorCode, String),
    /// The idempotency key was used with another request, which differs in these fields.
    KeyReused { fields: Vec<String>, message: String },
    /// The object's state does not allow the transition.
    State { current: String, message: String },
    /// The withdrawal has already been processed.
    Processed { current: String, message: String },
    /// The account cannot be closed while these exist.
    InUse(Vec<Obstacle>),
    /// The acquirer declined the card.
    Declined(String),
    /// Too many requests; `limit` is what the caller's window allows, if a window is the reason.
    TooMany { retry_after_seconds: u64, limit: Option<u64> },
    /// Nothing was done; a retry may work.
    Unavailable(String),
    /// Nothing was done, because the provider that was asked did not answer; a retry may work.
    NotAnswered(String),
    /// Nothing was done, because no provider that could do it answers; a retry may work.
    OutOfService(String),
    /// Some of it may not have been done; a retry does the rest, and needs no idempotency key.
    Partial(String),
    /// Nothing was done, and nothing will be until the operator acts; the text says what to do.
    NotConfigured(String),
    /// It is not known yet whether the request took effect.
    Unknown(String),
    /// An internal error: logged once, never shown.
    Internal(anyhow::Error),
}

/// An invalid field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldError {
    /// The path of the field in the request, for example `products[0].quantity`.
    pub field: String,
    /// A stable code for the fault.
    pub code: &'static str,
    /// A human-readable message.
    pub message: String,
}

/// A reason why an account cannot be closed: an amount of money, or a number of unfinished objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClosingObstacle")]
pub struct Obstacle {
    /// A stable name of the obstacle.
    pub name: &'static str,
    /// The amount in cents; negative if the account owes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount_cents: Option<Cents>,
    /// The number of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
}

/// Defines the API's error codes in one table: their statuses, and when each is returned.
macro_rules! error_codes {
    ($($status:literal { $($name:ident = $code:literal => $when:literal,)* })*) => {
        /// An error code of the API; each has its status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode {
            $($($name,)*)*
        }

        impl ErrorCode {
            /// Every code, ordered by status.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            /// The name in the API.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => $code,)*)*
                }
            }

            /// The HTTP status.
            pub const fn status(self) -> u16 {
                match self {
                    $($(Self::$name => $status,)*)*
                }
            }

            /// When it is returned, in Markdown.
            pub const fn when(self) -> &'static str {
                match self {
                    $($(Self::$name => $when,)*)*
                }
            }
        }
    };
}

error_codes! {
    400 {
        ValidationError = "VALIDATION_ERROR" =>
            "Fields are missing or invalid; `errors` lists them.",
        InvalidJson = "INVALID_JSON" =>
            "The body is not a complete JSON object, or is nested too deeply.",
        MissingAmountOrProducts = "MISSING_AMOUNT_OR_PRODUCTS" =>
            "A payment link has neither an amount nor products.",
        InvalidDocument = "INVALID_DOCUMENT" =>
            "The CPF or CNPJ is invalid, and no other field is.",
        InvalidPixKey = "INVALID_PIX_KEY" =>
            "The PIX key does not match its type, and no other field is invalid.",
        InvalidEventName = "INVALID_EVENT_NAME" =>
            "A webhook names an unknown event type; `message` lists the event types.",
        InvalidWebhookUrl = "INVALID_WEBHOOK_URL" => "The URL of a webhook is not allowed.",
        InsufficientBalance = "INSUFFICIENT_BALANCE" => "The balance is insufficient.",
        AmountExceedsRefundable = "AMOUNT_EXCEEDS_REFUNDABLE" =>
            "The refund exceeds what can be refunded; `message` says how much that is.",
        DailyLimitExceeded = "DAILY_LIMIT_EXCEEDED" =>
            "The withdrawals of the day would exceed their limit.",
        NightLimitExceeded = "NIGHT_LIMIT_EXCEEDED" =>
            "The withdrawals of the night would exceed their limit.",
        NoPaymentMethodEnabled = "NO_PAYMENT_METHOD_ENABLED" =>
            "A payment link would have no payment method enabled.",
        PaymentMethodDisabled = "PAYMENT_METHOD_DISABLED" =>
            "The payment link does not accept this payment method.",
        DryRunNotSupported = "DRY_RUN_NOT_SUPPORTED" =>
            "The route has no `dryRun`; nothing was done.",
        CouponInvalid = "COUPON_INVALID" =>
            "The coupon does not apply; the reason is not disclosed.",
        InstallmentsNotAllowed = "INSTALLMENTS_NOT_ALLOWED" =>
            "The payment link does not allow this number of installments, or each would be under \
            R$ 5.",
        CardDataNotAccepted = "CARD_DATA_NOT_ACCEPTED" =>
            "The request contains a card number; nothing of it was stored.",
        InvalidIdempotencyKey = "INVALID_IDEMPOTENCY_KEY" =>
            "The `Idempotency-Key` is sent twice, or is not 1 to 255 printable characters.",
        InvalidCursor = "INVALID_CURSOR" => "The `cursor` is not one returned by the list.",
        PaginationTooDeep = "PAGINATION_TOO_DEEP" =>
            "`page` × `limit` exceeds 10,000; continue with `cursor`.",
    }
    401 {
        Unauthorized = "UNAUTHORIZED" =>
            "The API key or access token is missing, invalid or revoked, or two of them differ.",
        TokenExpired = "TOKEN_EXPIRED" => "The access token has expired; refresh it.",
        InvalidCredentials = "INVALID_CREDENTIALS" => "The email or password is wrong.",
        TwoFactorRequired = "TWO_FACTOR_REQUIRED" =>
            "The password is right, and the person's second step is missing: send `code`, too.",
        TwoFactorCodeInvalid = "TWO_FACTOR_CODE_INVALID" =>
            "The code of the second step is wrong, was used already, or is too old.",
    }
    402 {
        CardDeclined = "CARD_DECLINED" => "The acquirer declined the card; `declineCode` says why.",
    }
    403 {
        InsufficientPermission = "INSUFFICIENT_PERMISSION" =>
            "The key, or the person's role, lacks the permission in `requiredPermission`.",
        ElevationRequired = "ELEVATION_REQUIRED" =>
            "The session needs a code, or a password, from the last ten minutes.",
        TwoFactorMissing = "TWO_FACTOR_MISSING" =>
            "The person has no second step, which this takes in the dashboard.",
        ApiKeyTooNew = "API_KEY_TOO_NEW" =>
            "The API key is less than 24 hours old, and withdraws no real money yet.",
        PayoutKeyNotUsable = "PAYOUT_KEY_NOT_USABLE" =>
            "Here people withdraw real money to usable payout keys alone; see `message`.",
        AdminRequired = "ADMIN_REQUIRED" => "Only administrators may do this.",
        SelfApproval = "SELF_APPROVAL" =>
            "Administrators cannot decide on their own account's money; another administrator \
            must.",
        DevModeOnly = "DEV_MODE_ONLY" => "This is only available for development data.",
        RegistrationClosed = "REGISTRATION_CLOSED" => "The operator has disabled sign-up.",
        CrossSiteForm = "CROSS_SITE_FORM" =>
            "The page of another site posted a form of the buyers' pages.",
    }
    404 {
        NotFound = "NOT_FOUND" =>
            "The object does not exist, was deleted, or belongs to another merchant or \
            environment.",
    }
    405 {
        MethodNotAllowed = "METHOD_NOT_ALLOWED" =>
            "The path does not support this method; `Allow` lists the supported ones.",
    }
    409 {
        InvalidStateTransition = "INVALID_STATE_TRANSITION" =>
            "The object's status does not allow it; see `currentStatus`.",
        ConnectionRefused = "CONNECTION_REFUSED" =>
            "A connection does not work with these values; `message` says why, and nothing was \
            stored.",
        AlreadyExists = "ALREADY_EXISTS" =>
            "The object already exists, or the maximum number exists.",
        CouponCodeTaken = "COUPON_CODE_TAKEN" => "Another coupon of the merchant has this code.",
        ProgramAlreadyExists = "PROGRAM_ALREADY_EXISTS" =>
            "The product already has an affiliate program.",
        AlreadyAffiliated = "ALREADY_AFFILIATED" =>
            "The caller has already joined this affiliate program.",
        SelfAffiliation = "SELF_AFFILIATION" => "The affiliate program is the caller's own.",
        OutOfStock = "OUT_OF_STOCK" => "Not enough is in stock.",
        ProductInactive = "PRODUCT_INACTIVE" => "A product of the order is not for sale.",
        ChargeRefused = "CHARGE_REFUSED" =>
            "The bank rejected the charge; a retry gets the same response.",
        PlanFull = "PLAN_FULL" => "The plan has reached its maximum number of subscribers.",
        PlanInactive = "PLAN_INACTIVE" => "The plan does not accept new subscribers.",
        AlreadySubscribed = "ALREADY_SUBSCRIBED" =>
            "A subscriber with this document or, without one, this email already subscribes to the \
            plan, or a subscription or charge for it is in progress.",
        WithdrawalAlreadyProcessed = "WITHDRAWAL_ALREADY_PROCESSED" =>
            "The withdrawal was already approved, rejected or cancelled; see `currentStatus`.",
        AdvanceAlreadyOpen = "ADVANCE_ALREADY_OPEN" =>
            "Another advance awaits a decision or repayment.",
        InsufficientReceivables = "INSUFFICIENT_RECEIVABLES" =>
            "The receivables are insufficient; `message` says how much can be advanced.",
        AccountInUse = "ACCOUNT_IN_USE" =>
            "The account cannot be closed while `obstacles` lists money or unfinished objects.",
        IdempotencyKeyInProgress = "IDEMPOTENCY_KEY_IN_PROGRESS" =>
            "The first request with this key is still in progress.",
        ConcurrentUpdate = "CONCURRENT_UPDATE" =>
            "Another request is changing the same object; retry.",
    }
    410 {
        PaymentLinkExpired = "PAYMENT_LINK_EXPIRED" => "The payment link has expired.",
        PaymentLinkInactive = "PAYMENT_LINK_INACTIVE" =>
            "The payment link is inactive, or its account is closed.",
        InvitationInvalid = "INVITATION_INVALID" =>
            "The invitation was accepted or taken back, or its time is over.",
        PasswordResetInvalid = "PASSWORD_RESET_INVALID" =>
            "The link to a new password was used or replaced, or its time is over.",
        EmailChangeInvalid = "EMAIL_CHANGE_INVALID" =>
            "The link to a new address was used, or the change has ended.",
    }
    413 {
        PayloadTooLarge = "PAYLOAD_TOO_LARGE" => "The body is too large for this route.",
    }
    415 {
        UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE" => "The body is not `application/json`.",
    }
    422 {
        IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED" =>
            "The key was used with another request, or its response can no longer be read; nothing \
            was done. `differingFields` names what differs.",
    }
    429 {
        RateLimited = "RATE_LIMITED" => "Too many requests; retry after `retryAfter` seconds.",
    }
    500 {
        InternalError = "INTERNAL_ERROR" =>
            "An internal error; the server's log has it under `requestId`.",
    }
    503 {
        Unavailable = "UNAVAILABLE" =>
            "Temporarily unavailable; retry with the same `Idempotency-Key`.",
    }
}

/// Amounts of money whose sum or difference is no 64-bit number of cents.
pub fn overflow() -> Error {
    Error::Internal(anyhow::anyhow!("an amount of money overflows"))
}

impl Error {
    /// Refuses with a sentence for the caller.
    pub fn refused(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(code, message.into())
    }

    /// Refuses one field.
    pub fn field(field: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        FieldFault::new(code, message).of(&field.into())
    }

    /// Refuses a transition that the object's state does not allow.
    pub fn conflict(current: impl Display, next: impl Display) -> Self {
        let (current, next) = (current.to_string(), next.to_string());
        let message = if current == next {
            format!("It is already {current}.")
        } else {
            format!("Cannot become {next} while {current}.")
        };
        Self::State { current, message }
    }

    /// The API's code and status of this error.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(fields) => match fields.as_slice() {
                [only] => {
                    let own = ErrorCode::ALL.iter().find(|code| code.name() == only.code);
                    own.copied().unwrap_or(ErrorCode::ValidationError)
                }
                _ => ErrorCode::ValidationError,
            },
            Self::Unauthenticated(code) | Self::Refused(code, _) => *code,
            Self::Forbidden(_) | Self::RoleForbidden(_) => ErrorCode::InsufficientPermission,
            Self::KeyReused { .. } => ErrorCode::IdempotencyKeyReused,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::State { .. } => ErrorCode::InvalidStateTransition,
            Self::Processed { .. } => ErrorCode::WithdrawalAlreadyProcessed,
            Self::InUse(_) => ErrorCode::AccountInUse,
            Self::Declined(_) => ErrorCode::CardDeclined,
            Self::TooMany { .. } => ErrorCode::RateLimited,
            Self::Unavailable(_)
            | Self::NotAnswered(_)
            | Self::OutOfService(_)
            | Self::Partial(_)
            | Self::NotConfigured(_)
            | Self::Unknown(_) => ErrorCode::Unavailable,
            Self::Internal(_) => ErrorCode::InternalError,
        }
    }

    /// The sentence for the caller.
    pub fn message(&self) -> String {
        match self {
            Self::Invalid(fields) => match fields.as_slice() {
                [only] => format!("{}: {}", only.field, only.message),
                several => format!("{} fields are invalid.", several.len()),
            },
            Self::Unauthenticated(ErrorCode::TokenExpired) => {
                "The access token has expired.".into()
            }
            Self::Unauthenticated(ErrorCode::InvalidCredentials) => {
                "The email or the password is wrong.".into()
            }
            Self::Unauthenticated(_) => "Missing or invalid API key or access token.".into(),
            Self::Forbidden(needed) => format!("This API key needs the permission {needed}."),
            Self::RoleForbidden(needed) => {
                format!("Your role in this account does not include the permission {needed}.")
            }
            Self::NotFound(kind) => format!("{kind} not found."),
            Self::Refused(_, message)
            | Self::State { message, .. }
            | Self::Processed { message, .. }
            | Self::KeyReused { message, .. } => message.clone(),
            Self::InUse(obstacles) => {
                let names: Vec<_> = obstacles.iter().map(|obstacle| obstacle.name).collect();
                format!("The account cannot be closed yet: {}.", names.join(", "))
            }
            Self::Declined(_) => "The card was declined.".into(),
            Self::TooMany { .. } => "Too many requests. Wait and try again.".into(),
            Self::Unavailable(_) | Self::NotAnswered(_) | Self::OutOfService(_) => {
                "The service is unavailable. Nothing was changed; try again.".into()
            }
            Self::Partial(_) => {
                "Some of this request may not have been processed. Send it again.".into()
            }
            Self::NotConfigured(message) => message.into(),
            Self::Unknown(_) => {
                "The result is not known yet. Repeat the request with the same Idempotency-Key to \
                 get it. Without a key, look the object up before you send it again."
                    .into()
            }
            Self::Internal(_) => "Something went wrong on our side.".into(),
        }
    }

    /// Whether a repeated request with the same idempotency key gets the same error.
    ///
    /// These errors were decided by the state of the data after the request was found valid.
    pub fn is_final(&self) -> bool {
        matches!(self.code().status(), 402 | 409 | 410)
            && !matches!(
                self.code(),
                ErrorCode::IdempotencyKeyInProgress | ErrorCode::ConcurrentUpdate
            )
            || matches!(
                self.code(),
                ErrorCode::InsufficientBalance
                    | ErrorCode::AmountExceedsRefundable
                    | ErrorCode::DailyLimitExceeded
                    | ErrorCode::NightLimitExceeded
                    | ErrorCode::CouponInvalid
            )
    }
}

/// For the log and the operator, who need the cause; a client gets [`Error::message`] only.
impl Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code().name();
        match self {
            Self::Internal(cause) => write!(out, "{code}: {cause:#}"),
            Self::Unavailable(cause)
            | Self::NotAnswered(cause)
            | Self::OutOfService(cause)
            | Self::Partial(cause)
            | Self::NotConfigured(cause)
            | Self::Unknown(cause) => write!(out, "{code}: {cause}"),
            _ => write!(out, "{code}: {}", self.message()),
        }
    }
}

impl std::error::Error for Error {}

/// Collects every invalid field before refusing.
#[derive(Debug, Default)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a valid value, or records the field's error.
    pub fn read<T>(&mut self, field: &str, value: Result<T, FieldFault>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(fault) => {
                self.add(field, fault);
                None
            }
        }
    }

    /// Assigns the value of a field that was sent, or records the field's error.
    pub fn assign<T>(&mut self, field: &str, slot: &mut T, sent: Option<Result<T, FieldFault>>) {
        if let Some(value) = sent.and_then(|value| self.read(field, value)) {
            *slot = value;
        }
    }

    /// Records a field's error.
    pub fn add(&mut self, field: impl Into<String>, fault: FieldFault) {
        let FieldFault { code, message } = fault;
        self.0.push(FieldError { field: field.into(), code, message });
    }

    /// Fails if any error was recorded.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self.0)) }
    }

    /// Returns the recorded errors; only for a caller that knows there is one.
    pub fn into_error(self) -> Error {
        Error::Invalid(self.0)
    }
}

/// What is wrong with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFault {
    pub code: &'static str,
    pub message: String,
}

impl FieldFault {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(field_codes::is_described(code), "{code} is not in the list of codes");
        Self { code, message: message.into() }
    }

    /// Refuses the field with this fault.
    pub fn of(self, field: &str) -> Error {
        let Self { code, message } = self;
        Error::Invalid(vec![FieldError { field: field.to_owned(), code, message }])
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn an_object_that_has_the_wanted_status_is_not_said_to_be_unable_to_get_it() {
        let message = |current: &str, next: &str| match Error::conflict(current, next) {
            Error::State { message, .. } => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(message("REFUNDED", "REFUNDED"), "It is already REFUNDED.");
        assert_eq!(message("PENDING", "REFUNDED"), "Cannot become REFUNDED while PENDING.");
    }
}
