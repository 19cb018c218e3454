//! The interface to banks that pay out.
//!
//! An order has a reference of ours, which the bank stores for ever and identifies the order by.
//! The sender of an order must be able to query it afterwards, because a missing reply says
//! nothing: the money may have been sent.

use std::time::Duration;

use brazil::document::Document;
use brazil::pix_key::PixKey;
use db::text_enum;
use ledger::cents::Cents;

use crate::error::ProviderError;
use crate::provider::{ARRIVES_WITHIN, Call, Provider, TestClock};

/// How long an order that never arrived is resent; afterwards its bank is only queried, so that the
/// last order was sent long before it is given up.
pub const SENT_AGAIN_WITHIN: Duration = Duration::from_hours(1);

/// A payout request to a bank.
#[derive(Debug, Clone)]
pub struct PayoutRequest {
    /// Our reference for the order, unique for ever.
    pub reference: String,
    pub amount: Cents,
    pub key: PixKey,
    /// Who owns the key, where that is known: the bank pays no other person then.
    pub holder: Option<Document>,
    pub description: Option<String>,
    /// Set for simulated money only.
    pub test_clock: Option<TestClock>,
}

/// The state of an order, as its bank reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutState {
    /// The bank has the order and has not decided.
    Processing,
    /// The money has been sent; the id identifies the payment in the whole PIX system.
    Paid { end_to_end_id: String },
    /// The money has not been sent and will not be.
    Refused(PayoutFailureCode),
}

/// A bank's report about one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutReport {
    pub reference: String,
    pub state: PayoutState,
}

text_enum! {
    /// Why a bank did not pay, as a value of the API.
    pub enum PayoutFailureCode {
        InvalidKey = "INVALID_KEY",
        KeyNotFound = "KEY_NOT_FOUND",
        AccountClosed = "ACCOUNT_CLOSED",
        AccountBlocked = "ACCOUNT_BLOCKED",
        LimitExceeded = "LIMIT_EXCEEDED",
        RailTimeout = "RAIL_TIMEOUT",
        /// The key belongs to another person than the payee.
        KeyOwnerMismatch = "KEY_OWNER_MISMATCH",
        /// For another reason, which the log has in the bank's own code.
        RejectedByBank = "REJECTED_BY_BANK",
    }
}

/// A bank that can pay to a PIX key.
pub trait PayoutProvider: Provider {
    /// Sends a payout order. Only its reply is certain: after any error the money may have been
    /// sent.
    ///
    /// Asking first, sending, and asking again return within half a minute in all, before another
    /// worker considers the job abandoned.
    fn send<'a>(&'a self, order: &'a PayoutRequest) -> Call<'a, PayoutState>;

    /// Whether it treats an order with a known reference as the same order, for ever and whatever
    /// its result. Only then is an order sent twice.
    fn takes_once(&self) -> bool {
        false
    }

    /// Queries an order; `None` if the bank does not know it.
    fn find<'a>(&'a self, order: &'a PayoutRequest) -> Call<'a, Option<PayoutState>>;
}

/// Queries an order that may have been sent before, and resends it if that does no harm: the bank
/// does not know it, treats the same reference as the same order, and it was first sent recently.
pub async fn find_or_send(
    provider: &dyn PayoutProvider,
    order: &PayoutRequest,
    age: Duration,
) -> Result<Option<PayoutState>, ProviderError> {
    let found = provider.find(order).await?;
    if found.is_some() || !provider.takes_once() || age >= SENT_AGAIN_WITHIN {
        return Ok(found);
    }
    let state = provider.send(order).await?;
    // An earlier order may still be in flight, and be accepted.
    let is_certain = !matches!(state, PayoutState::Refused(_)) || age >= ARRIVES_WITHIN;
    Ok(is_certain.then_some(state))
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::time::Duration;

    use brazil::pix_key::{PixKey, PixKeyType};
    use ledger::cents::Cents;

    use super::{PayoutFailureCode, PayoutProvider, PayoutRequest, PayoutState, find_or_send};
    use crate::provider::{ARRIVES_WITHIN, Call, Provider};

    /// A bank that knows no order and refuses each one.
    struct Refusing;

    const REFUSED: PayoutState = PayoutState::Refused(PayoutFailureCode::InvalidKey);

    impl Provider for Refusing {
        fn name(&self) -> &'static str {
            "refusing"
        }
    }

    impl PayoutProvider for Refusing {
        fn send<'a>(&'a self, _: &'a PayoutRequest) -> Call<'a, PayoutState> {
            Box::pin(ready(Ok(REFUSED)))
        }

        fn takes_once(&self) -> bool {
            true
        }

        fn find<'a>(&'a self, _: &'a PayoutRequest) -> Call<'a, Option<PayoutState>> {
            Box::pin(ready(Ok(None)))
        }
    }

    #[tokio::test]
    async fn a_refused_order_is_final_only_once_no_earlier_one_can_arrive() {
        let order = PayoutRequest {
            reference: "w1".to_owned(),
            amount: Cents::new(100),
            key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
            holder: None,
            description: None,
            test_clock: None,
        };
        let table = [
            (Duration::from_secs(1), None),
            (Duration::from_mins(9), None),
            (ARRIVES_WITHIN, Some(REFUSED)),
        ];
        for (age, expected) in table {
            assert_eq!(find_or_send(&Refusing, &order, age).await, Ok(expected), "{age:?}");
        }
    }
}
