//! The interface to banks that pay out.
//!
//! An order has a reference of ours, under which a bank sends money once. The sender of an order
//! must be able to query it afterwards, because a missing reply says nothing: the money may have
//! been sent. A bank is asked by our reference, or only by a code of its own that its reply has.

use std::fmt;
use std::future::ready;
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
    /// Who owns the key, where that is known: a bank that can compare pays no other person then.
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

impl fmt::Display for PayoutState {
    /// As administrators read it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processing => out.write_str("PROCESSING"),
            Self::Paid { end_to_end_id } => write!(out, "PAID {end_to_end_id}"),
            Self::Refused(code) => out.write_str(code.name()),
        }
    }
}

/// An order at its bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentPayout {
    pub state: PayoutState,
    /// The bank's own code of the order, where the bank is asked by that.
    pub bank_code: Option<String>,
}

/// A bank's report about one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutReport {
    /// Our reference; none where the bank names an order only by its own code.
    pub reference: Option<String>,
    /// The bank's own code of the order, where it has one.
    pub bank_code: Option<String>,
    /// The amount that the bank sends, as far as it says.
    pub amount: Option<Cents>,
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
    fn send<'a>(&'a self, order: &'a PayoutRequest) -> Call<'a, SentPayout>;

    /// Whether it treats an order with a known reference as the same order, for as long as an
    /// order is resent and whatever its result. Only then is an order sent twice.
    fn takes_once(&self) -> bool {
        false
    }

    /// Whether it is asked by our reference; otherwise only by its own code.
    fn finds_by_reference(&self) -> bool {
        true
    }

    /// Queries an order, by the bank's own code where that is known; `None` if the bank does not
    /// know it. The answer is unknown if the bank cannot be asked without its code.
    fn find<'a>(
        &'a self,
        order: &'a PayoutRequest,
        bank_code: Option<&'a str>,
    ) -> Call<'a, Option<SentPayout>>;

    /// What the account can pay out now, within a few seconds; `None` where the bank does not say.
    fn available(&self) -> Call<'_, Option<Cents>> {
        Box::pin(ready(Ok(None)))
    }
}

/// Queries an order that may have been sent before, and resends it if that does no harm: the bank
/// does not know it or cannot be asked without a code that it has not given, treats the same
/// reference as the same order, and the order was first sent recently.
pub async fn find_or_send(
    provider: &dyn PayoutProvider,
    order: &PayoutRequest,
    bank_code: Option<&str>,
    age: Duration,
) -> Result<Option<SentPayout>, ProviderError> {
    // A bank that has given its code has the order, even if it does not find it.
    let is_resent = provider.takes_once() && bank_code.is_none() && age < SENT_AGAIN_WITHIN;
    if !is_resent || provider.finds_by_reference() {
        let found = provider.find(order, bank_code).await?;
        if found.is_some() || !is_resent {
            return Ok(found);
        }
    }
    let sent = provider.send(order).await?;
    // An earlier order may still be in flight, and be accepted.
    let is_certain = !matches!(sent.state, PayoutState::Refused(_)) || age >= ARRIVES_WITHIN;
    Ok(is_certain.then_some(sent))
}

impl From<PayoutState> for SentPayout {
    /// At a bank that is asked by our reference.
    fn from(state: PayoutState) -> Self {
        Self { state, bank_code: None }
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use brazil::pix_key::{PixKey, PixKeyType};
    use ledger::cents::Cents;

    use super::{
        PayoutFailureCode, PayoutProvider, PayoutRequest, PayoutState, SENT_AGAIN_WITHIN,
        SentPayout, find_or_send,
    };
    use crate::error::ProviderError;
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
        fn send<'a>(&'a self, _: &'a PayoutRequest) -> Call<'a, SentPayout> {
            Box::pin(ready(Ok(REFUSED.into())))
        }

        fn takes_once(&self) -> bool {
            true
        }

        fn find<'a>(
            &'a self,
            _: &'a PayoutRequest,
            _: Option<&'a str>,
        ) -> Call<'a, Option<SentPayout>> {
            Box::pin(ready(Ok(None)))
        }
    }

    /// A bank that is asked only by its own code, and knows none.
    #[derive(Default)]
    struct ByCode {
        sent: AtomicU32,
    }

    impl Provider for ByCode {
        fn name(&self) -> &'static str {
            "by code"
        }
    }

    impl PayoutProvider for ByCode {
        fn send<'a>(&'a self, _: &'a PayoutRequest) -> Call<'a, SentPayout> {
            self.sent.fetch_add(1, Ordering::Relaxed);
            Box::pin(ready(Ok(taken())))
        }

        fn takes_once(&self) -> bool {
            true
        }

        fn finds_by_reference(&self) -> bool {
            false
        }

        fn find<'a>(
            &'a self,
            _: &'a PayoutRequest,
            bank_code: Option<&'a str>,
        ) -> Call<'a, Option<SentPayout>> {
            Box::pin(ready(bank_code.map(|_| None).ok_or_else(cannot_be_asked)))
        }
    }

    fn taken() -> SentPayout {
        SentPayout { state: PayoutState::Processing, bank_code: Some("c1".to_owned()) }
    }

    fn cannot_be_asked() -> ProviderError {
        ProviderError::Unknown("there is no code".to_owned())
    }

    fn order() -> PayoutRequest {
        PayoutRequest {
            reference: "w1".to_owned(),
            amount: Cents::new(100),
            key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
            holder: None,
            description: None,
            test_clock: None,
        }
    }

    #[tokio::test]
    async fn a_refused_order_is_final_only_once_no_earlier_one_can_arrive() {
        let table = [
            (Duration::from_secs(1), None),
            (Duration::from_mins(9), None),
            (ARRIVES_WITHIN, Some(REFUSED.into())),
        ];
        for (age, expected) in table {
            let found = find_or_send(&Refusing, &order(), None, age).await;
            assert_eq!(found, Ok(expected), "{age:?}");
        }
    }

    #[tokio::test]
    async fn a_bank_that_has_given_no_code_is_asked_by_the_same_order_for_an_hour_and_then_not() {
        let table = [
            (None, Duration::from_secs(1), Ok(Some(taken())), 1),
            (None, SENT_AGAIN_WITHIN, Err(cannot_be_asked()), 0),
            (Some("c1"), Duration::from_secs(1), Ok(None), 0),
            (Some("c1"), SENT_AGAIN_WITHIN, Ok(None), 0),
        ];
        for (bank_code, age, expected, sent) in table {
            let bank = ByCode::default();
            let found = find_or_send(&bank, &order(), bank_code, age).await;
            assert_eq!(found, expected, "{bank_code:?} {age:?}");
            assert_eq!(bank.sent.load(Ordering::Relaxed), sent, "{bank_code:?} {age:?}");
        }
    }
}
