//! Why a bank or an acquirer did not move money, in words.
//!
//! Every code is matched by name, so a new one does not compile without its words.

use rails::payout::PayoutFailureCode;
use rails::refund::RefundFailureCode;

use crate::platform::messages::Lang;
use crate::transactions::failure::FailureReason;

/// Why money was not paid out, given back or returned; a code that is not known, as one of a later
/// release, is shown itself.
pub fn refusal(code: &str, lang: Lang) -> String {
    if let Some(code) = RefundFailureCode::parse(code) {
        return refund(code, lang).to_owned();
    }
    // Refunds and returns by a payout have the codes of withdrawals in lower case.
    if let Some(code) = PayoutFailureCode::parse(&code.to_ascii_uppercase()) {
        return payout(code, lang).to_owned();
    }
    if FailureReason::parse(code) == Some(FailureReason::ResolvedByAdministrator) {
        return lang.refusal_resolved().to_owned();
    }
    lang.refusal_code(code)
}

/// Whether another key, or the same one corrected, may help.
pub fn is_about_the_key(code: &str) -> bool {
    matches!(
        PayoutFailureCode::parse(code),
        Some(
            PayoutFailureCode::InvalidKey
                | PayoutFailureCode::KeyNotFound
                | PayoutFailureCode::AccountClosed
                | PayoutFailureCode::AccountBlocked
                | PayoutFailureCode::KeyOwnerMismatch
        )
    )
}

fn payout(code: PayoutFailureCode, lang: Lang) -> &'static str {
    match code {
        PayoutFailureCode::InvalidKey => lang.refusal_invalid_key(),
        PayoutFailureCode::KeyNotFound => lang.refusal_key_not_found(),
        PayoutFailureCode::AccountClosed => lang.refusal_account_closed(),
        PayoutFailureCode::AccountBlocked => lang.refusal_account_blocked(),
        PayoutFailureCode::LimitExceeded => lang.refusal_limit_exceeded(),
        PayoutFailureCode::RailTimeout => lang.refusal_rail_timeout(),
        PayoutFailureCode::KeyOwnerMismatch => lang.refusal_key_owner_mismatch(),
        PayoutFailureCode::RejectedByBank => lang.refusal_rejected_by_bank(),
    }
}

fn refund(code: RefundFailureCode, lang: Lang) -> &'static str {
    match code {
        RefundFailureCode::RefusedByBank => lang.refusal_refused_by_bank(),
        RefundFailureCode::RefusedByIssuer => lang.refusal_refused_by_issuer(),
        RefundFailureCode::RefusedByProvider => lang.refusal_refused_by_provider(),
        RefundFailureCode::ChargeNotFound => lang.refusal_charge_not_found(),
        RefundFailureCode::ChargeNotApproved => lang.refusal_charge_not_approved(),
        RefundFailureCode::ExceedsCharge => lang.refusal_exceeds_charge(),
    }
}

#[cfg(test)]
mod tests {
    use rails::payout::PayoutFailureCode;
    use rails::refund::RefundFailureCode;

    use super::refusal;
    use crate::platform::messages::Lang;
    use crate::transactions::failure::FailureReason;

    #[test]
    fn no_known_code_is_shown_itself_and_an_unknown_one_is() {
        let payouts = PayoutFailureCode::ALL.iter().map(|code| code.name().to_owned());
        let refunds = RefundFailureCode::ALL.iter().map(|code| code.name().to_owned());
        let by_key = PayoutFailureCode::ALL.iter().map(|code| code.name().to_ascii_lowercase());
        let resolved = [FailureReason::ResolvedByAdministrator.name().to_owned()];
        for code in payouts.chain(refunds).chain(by_key).chain(resolved) {
            for lang in [Lang::PtBr, Lang::En] {
                let said = refusal(&code, lang);
                assert!(!said.contains(&code) && said.ends_with('.'), "{code}: {said}");
            }
        }
        assert_eq!(refusal("AM09", Lang::PtBr), "O código que o banco deu: AM09.");
        assert_eq!(refusal("AM09", Lang::En), "The code that the bank gave: AM09.");
    }
}
