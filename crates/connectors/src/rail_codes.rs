//! What the PIX system says of a payout that was not carried out (ISO 20022), in our words.

use rails::payout::PayoutFailureCode;

/// Our word for a code; one that is not known is the bank's own affair.
pub fn failure_code(code: &str) -> PayoutFailureCode {
    match code {
        "AC03" => PayoutFailureCode::InvalidKey,
        "AC06" => PayoutFailureCode::AccountBlocked,
        "AC07" => PayoutFailureCode::AccountClosed,
        "AM02" => PayoutFailureCode::LimitExceeded,
        "AB03" | "AB09" | "AB11" => PayoutFailureCode::RailTimeout,
        "BE01" => PayoutFailureCode::KeyOwnerMismatch,
        _ => PayoutFailureCode::RejectedByBank,
    }
}

#[cfg(test)]
mod tests {
    use rails::payout::PayoutFailureCode;

    use super::failure_code;

    #[test]
    fn each_code_of_the_rail_has_our_word() {
        let table = [
            ("AC03", PayoutFailureCode::InvalidKey),
            ("AC06", PayoutFailureCode::AccountBlocked),
            ("AC07", PayoutFailureCode::AccountClosed),
            ("AM02", PayoutFailureCode::LimitExceeded),
            ("AB03", PayoutFailureCode::RailTimeout),
            ("AB09", PayoutFailureCode::RailTimeout),
            ("AB11", PayoutFailureCode::RailTimeout),
            ("BE01", PayoutFailureCode::KeyOwnerMismatch),
            ("DS04", PayoutFailureCode::RejectedByBank),
            ("FRAD", PayoutFailureCode::RejectedByBank),
            ("", PayoutFailureCode::RejectedByBank),
        ];
        for (code, expected) in table {
            assert_eq!(failure_code(code), expected, "{code}");
        }
    }
}
