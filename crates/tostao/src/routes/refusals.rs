//! The codes that the rules of an operation refuse with, beside those that follow from what it
//! takes; the stories compare them with what the operations answer.

use crate::platform::error::ErrorCode;

/// What an administrator decides on.
const DECIDED: &[ErrorCode] =
    &[ErrorCode::ElevationRequired, ErrorCode::SelfApproval, ErrorCode::InvalidStateTransition];

const NEW_WEBHOOK: &[ErrorCode] = &[
    ErrorCode::InvalidEventName,
    ErrorCode::InvalidWebhookUrl,
    ErrorCode::ElevationRequired,
    ErrorCode::AlreadyExists,
];
const CHANGED_WEBHOOK: &[ErrorCode] =
    &[ErrorCode::InvalidEventName, ErrorCode::InvalidWebhookUrl, ErrorCode::ElevationRequired];

/// Operations with the codes of their own rules.
const OWN: &[(&str, &[ErrorCode])] = &[
    ("createAccount", &[ErrorCode::RegistrationClosed, ErrorCode::AlreadyExists]),
    ("createFirstAccount", &[ErrorCode::NotFound, ErrorCode::AlreadyExists]),
    (
        "createSession",
        &[
            ErrorCode::InvalidCredentials,
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
        ],
    ),
    ("refreshSession", &[ErrorCode::Unauthorized]),
    ("changePassword", &[ErrorCode::InvalidCredentials]),
    (
        "changeEmail",
        &[
            ErrorCode::InvalidCredentials,
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
        ],
    ),
    (
        "confirmEmailChange",
        &[
            ErrorCode::InvalidStateTransition,
            ErrorCode::AlreadyExists,
            ErrorCode::EmailChangeInvalid,
        ],
    ),
    ("rejectEmailChange", &[ErrorCode::EmailChangeInvalid]),
    ("updateAccount", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("updateLogo", &[ErrorCode::ElevationRequired]),
    ("deleteLogo", &[ErrorCode::ElevationRequired]),
    ("updateMailPreferences", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("sendReceipt", &[ErrorCode::InvalidStateTransition]),
    ("resetPassword", &[ErrorCode::PasswordResetInvalid]),
    (
        "closeAccount",
        &[
            ErrorCode::InvalidCredentials,
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
            ErrorCode::AccountInUse,
        ],
    ),
    ("updateMerchantVerification", &[ErrorCode::ElevationRequired, ErrorCode::SelfApproval]),
    (
        "elevateSession",
        &[
            ErrorCode::InvalidCredentials,
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    (
        "createTwoFactor",
        &[ErrorCode::InvalidCredentials, ErrorCode::ElevationRequired, ErrorCode::AlreadyExists],
    ),
    (
        "confirmTwoFactor",
        &[
            ErrorCode::TwoFactorCodeInvalid,
            ErrorCode::ElevationRequired,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    (
        "createBackupCodes",
        &[
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    (
        "deleteTwoFactor",
        &[
            ErrorCode::InvalidCredentials,
            ErrorCode::TwoFactorRequired,
            ErrorCode::TwoFactorCodeInvalid,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    ("updateMember", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("deleteMember", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("createInvitation", &[ErrorCode::ElevationRequired, ErrorCode::AlreadyExists]),
    ("revokeInvitation", &[ErrorCode::ElevationRequired]),
    (
        "acceptInvitation",
        &[
            ErrorCode::InvitationInvalid,
            ErrorCode::InvalidCredentials,
            ErrorCode::AlreadyExists,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    ("createSavedView", &[ErrorCode::AlreadyExists]),
    ("createApiKey", &[ErrorCode::ElevationRequired]),
    ("rotateApiKey", &[ErrorCode::ElevationRequired]),
    ("getTestClock", &[ErrorCode::DevModeOnly]),
    ("advanceTestClock", &[ErrorCode::DevModeOnly]),
    (
        "createListener",
        &[ErrorCode::InvalidEventName, ErrorCode::DevModeOnly, ErrorCode::AlreadyExists],
    ),
    ("listListeners", &[ErrorCode::DevModeOnly]),
    ("getListener", &[ErrorCode::DevModeOnly, ErrorCode::InvalidStateTransition]),
    ("streamListenerDeliveries", &[ErrorCode::DevModeOnly, ErrorCode::InvalidStateTransition]),
    ("answerListenerDelivery", &[ErrorCode::DevModeOnly]),
    ("deleteListener", &[ErrorCode::DevModeOnly]),
    ("resetDevelopmentData", &[ErrorCode::DevModeOnly]),
    ("createCoupon", &[ErrorCode::CouponCodeTaken]),
    ("updateCoupon", &[ErrorCode::InvalidStateTransition, ErrorCode::CouponCodeTaken]),
    ("validateCoupon", &[ErrorCode::CouponInvalid]),
    ("createPaymentLink", &[ErrorCode::MissingAmountOrProducts, ErrorCode::NoPaymentMethodEnabled]),
    (
        "updatePaymentLink",
        &[
            ErrorCode::MissingAmountOrProducts,
            ErrorCode::NoPaymentMethodEnabled,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    ("createCustomer", &[ErrorCode::InvalidDocument, ErrorCode::AlreadyExists]),
    ("listCustomers", &[ErrorCode::InvalidDocument]),
    ("exportCustomers", &[ErrorCode::InvalidDocument]),
    ("updateCustomer", &[ErrorCode::InvalidDocument, ErrorCode::AlreadyExists]),
    ("getPublicPaymentLink", &[ErrorCode::PaymentLinkExpired, ErrorCode::PaymentLinkInactive]),
    (
        "listInstallmentOptions",
        &[
            ErrorCode::CouponInvalid,
            ErrorCode::ProductInactive,
            ErrorCode::PaymentLinkExpired,
            ErrorCode::PaymentLinkInactive,
        ],
    ),
    (
        "payPaymentLink",
        &[
            ErrorCode::InvalidDocument,
            ErrorCode::PaymentMethodDisabled,
            ErrorCode::CouponInvalid,
            ErrorCode::InstallmentsNotAllowed,
            ErrorCode::CardDeclined,
            ErrorCode::OutOfStock,
            ErrorCode::ProductInactive,
            ErrorCode::ChargeRefused,
            ErrorCode::PaymentLinkExpired,
            ErrorCode::PaymentLinkInactive,
        ],
    ),
    ("recordCartAbandonment", &[ErrorCode::PaymentLinkInactive]),
    ("createTestCardToken", &[ErrorCode::NotFound]),
    (
        "createConnection",
        &[ErrorCode::ElevationRequired, ErrorCode::ConnectionRefused, ErrorCode::AlreadyExists],
    ),
    ("rotateConnection", &[ErrorCode::ElevationRequired, ErrorCode::ConnectionRefused]),
    ("testConnection", &[ErrorCode::ConnectionRefused]),
    ("disableConnection", &[ErrorCode::ElevationRequired]),
    ("enableConnection", &[ErrorCode::ElevationRequired]),
    ("updateConnectionRoute", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("deleteConnectionRoute", &[ErrorCode::ElevationRequired]),
    ("resolveDifference", &[ErrorCode::ElevationRequired, ErrorCode::SelfApproval]),
    (
        "createTransaction",
        &[
            ErrorCode::InvalidDocument,
            ErrorCode::PaymentMethodDisabled,
            ErrorCode::CouponInvalid,
            ErrorCode::InstallmentsNotAllowed,
            ErrorCode::CardDeclined,
            ErrorCode::NotFound,
            ErrorCode::OutOfStock,
            ErrorCode::ProductInactive,
            ErrorCode::ChargeRefused,
            ErrorCode::PaymentLinkExpired,
            ErrorCode::PaymentLinkInactive,
        ],
    ),
    ("acceptUnmatchedPayment", &[ErrorCode::InvalidStateTransition]),
    (
        "returnUnmatchedPayment",
        &[
            ErrorCode::InvalidPixKey,
            ErrorCode::ElevationRequired,
            ErrorCode::ApiKeyTooNew,
            ErrorCode::InvalidStateTransition,
        ],
    ),
    ("cancelTransaction", &[ErrorCode::InvalidStateTransition]),
    (
        "refundTransaction",
        &[
            ErrorCode::InvalidPixKey,
            ErrorCode::InsufficientBalance,
            ErrorCode::ElevationRequired,
            ErrorCode::ApiKeyTooNew,
            ErrorCode::AmountExceedsRefundable,
            ErrorCode::InvalidStateTransition,
            ErrorCode::AlreadyExists,
        ],
    ),
    ("simulateTransaction", &[ErrorCode::DevModeOnly, ErrorCode::InvalidStateTransition]),
    ("resolveDispute", DECIDED),
    ("resolveRefund", DECIDED),
    ("resolveCharge", DECIDED),
    ("matchUnknownPayment", DECIDED),
    ("resolveUnknownPayment", DECIDED),
    ("returnUnknownPayment", DECIDED),
    ("dismissUnknownPayment", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("updatePlan", &[ErrorCode::PlanFull]),
    (
        "createSubscription",
        &[
            ErrorCode::InvalidDocument,
            ErrorCode::CouponInvalid,
            ErrorCode::CardDeclined,
            ErrorCode::NotFound,
            ErrorCode::ChargeRefused,
            ErrorCode::PlanFull,
            ErrorCode::PlanInactive,
            ErrorCode::AlreadySubscribed,
        ],
    ),
    ("cancelSubscription", &[ErrorCode::DryRunNotSupported, ErrorCode::InvalidStateTransition]),
    ("reactivateSubscription", &[ErrorCode::InvalidStateTransition]),
    ("pauseSubscription", &[ErrorCode::InvalidStateTransition]),
    ("resumeSubscription", &[ErrorCode::InvalidStateTransition, ErrorCode::ChargeRefused]),
    ("updateSubscriptionCard", &[ErrorCode::CardDeclined, ErrorCode::InvalidStateTransition]),
    ("retrySubscriptionPayment", &[ErrorCode::InvalidStateTransition, ErrorCode::ChargeRefused]),
    (
        "changeSubscriptionPlan",
        &[
            ErrorCode::InvalidStateTransition,
            ErrorCode::PlanFull,
            ErrorCode::PlanInactive,
            ErrorCode::AlreadySubscribed,
        ],
    ),
    ("extendSubscriptionTrial", &[ErrorCode::InvalidStateTransition]),
    ("simulateSubscriptionPayment", &[ErrorCode::DevModeOnly]),
    (
        "createWithdrawal",
        &[
            ErrorCode::InvalidPixKey,
            ErrorCode::InsufficientBalance,
            ErrorCode::DailyLimitExceeded,
            ErrorCode::NightLimitExceeded,
            ErrorCode::ElevationRequired,
            ErrorCode::ApiKeyTooNew,
            ErrorCode::PayoutKeyNotUsable,
        ],
    ),
    ("getBalanceSinceWithdrawal", &[ErrorCode::NotFound]),
    ("cancelWithdrawal", &[ErrorCode::WithdrawalAlreadyProcessed]),
    (
        "processWithdrawal",
        &[
            ErrorCode::ElevationRequired,
            ErrorCode::SelfApproval,
            ErrorCode::InvalidStateTransition,
            ErrorCode::WithdrawalAlreadyProcessed,
        ],
    ),
    ("resolveWithdrawal", DECIDED),
    (
        "createPayoutKey",
        &[
            ErrorCode::InvalidPixKey,
            ErrorCode::InsufficientPermission,
            ErrorCode::ElevationRequired,
            ErrorCode::AlreadyExists,
        ],
    ),
    ("deletePayoutKey", &[ErrorCode::InsufficientPermission, ErrorCode::ElevationRequired]),
    ("quoteAdvance", &[ErrorCode::InsufficientReceivables]),
    ("createAdvance", &[ErrorCode::AdvanceAlreadyOpen]),
    ("cancelAdvance", &[ErrorCode::InvalidStateTransition]),
    (
        "approveAdvance",
        &[
            ErrorCode::ElevationRequired,
            ErrorCode::SelfApproval,
            ErrorCode::InvalidStateTransition,
            ErrorCode::InsufficientReceivables,
        ],
    ),
    ("rejectAdvance", DECIDED),
    ("retryMail", &[ErrorCode::ElevationRequired, ErrorCode::InvalidStateTransition]),
    ("withdrawReferralRewards", &[ErrorCode::InsufficientBalance]),
    ("createAffiliateProgram", &[ErrorCode::ProgramAlreadyExists]),
    ("joinAffiliateProgram", &[ErrorCode::AlreadyAffiliated, ErrorCode::SelfAffiliation]),
    ("createWebhookSubscription", NEW_WEBHOOK),
    ("updateWebhookSubscription", CHANGED_WEBHOOK),
    ("recoverWebhookSubscription", &[ErrorCode::InvalidStateTransition]),
    ("rotateWebhookSecret", &[ErrorCode::ElevationRequired]),
    ("createWebhookEndpoint", NEW_WEBHOOK),
    ("updateWebhookEndpoint", CHANGED_WEBHOOK),
    ("sendTestEvent", &[ErrorCode::InvalidEventName, ErrorCode::InvalidStateTransition]),
    ("verifyDelivery", &[ErrorCode::NotFound]),
    ("listEvents", &[ErrorCode::InvalidEventName]),
    ("redeliverEvent", &[ErrorCode::InvalidStateTransition]),
];

/// The codes of an operation's own rules, by its id.
pub fn of(operation: &str) -> &'static [ErrorCode] {
    OWN.iter().find(|(id, _)| *id == operation).map_or(&[], |(_, codes)| codes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::OWN;
    use crate::platform::openapi::described::operations;
    use crate::routes;

    #[test]
    fn every_operation_with_codes_of_its_own_is_served_and_stands_there_once() {
        let document = routes::document();
        let served = operations(&document).into_iter();
        let mut left: HashSet<_> =
            served.filter_map(|(_, _, operation)| operation["operationId"].as_str()).collect();
        let stray: Vec<_> = OWN.iter().map(|(id, _)| *id).filter(|id| !left.remove(id)).collect();
        assert!(stray.is_empty(), "{stray:?}");
    }
}
