//! The door to banks that pay out.
//!
//! An order has a reference of ours, which the bank keeps for ever and knows the order by. Whoever
//! sends one must be able to ask about it afterwards, because an answer that does not arrive says
//! nothing: the money may have left.

use std::time::Duration;

use brazil::pix_key::PixKey;
use bytes::Bytes;
use http::HeaderMap;
use ledger::cents::Cents;

use crate::platform::ids::Scope;
use crate::providers::{Call, ProviderError};

/// How long an order that never arrived is sent again; afterwards its bank is asked alone, so that
/// the last one sent is long past when the order is given up.
const SENT_AGAIN_WITHIN: Duration = Duration::from_hours(1);

/// What a bank is asked to pay.
#[derive(Debug, Clone)]
pub struct PayoutOrder {
    /// Whose money it is; the sandbox bank lives by his clock.
    pub scope: Scope,
    /// Our name for the order, unique for ever.
    pub reference: String,
    pub amount: Cents,
    pub key: PixKey,
    pub description: Option<String>,
}

/// How an order stands, as its bank says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutState {
    /// The bank has it, and has not decided.
    Processing,
    /// The money has left; the id is the payment's name in the whole PIX system.
    Paid { end_to_end_id: String },
    /// The money has not left and will not.
    Refused(PayoutRefusal),
}

/// What a bank tells about one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutReport {
    pub reference: String,
    pub state: PayoutState,
}

/// Why a bank did not pay, in the words of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayoutRefusal {
    InvalidKey,
    KeyNotFound,
    AccountClosed,
    AccountBlocked,
    LimitExceeded,
    RailTimeout,
}

/// A bank that can pay to a PIX key.
pub trait PayoutProvider: Send + Sync {
    /// Its name in the address of the callback door and in the withdrawals it was given.
    fn name(&self) -> &'static str;

    /// Orders a payment. Only what it answers is known: after any error the money may have left.
    ///
    /// It ends within half a minute, well before another worker takes its job for abandoned.
    fn send<'a>(&'a self, order: &'a PayoutOrder) -> Call<'a, PayoutState>;

    /// Whether it takes an order that arrives again under a reference that it knows for the same
    /// order, for ever and whatever became of it. Only then is an order sent twice.
    fn takes_once(&self) -> bool {
        false
    }

    /// Asks about an order; `None` if the bank knows no such reference.
    fn find<'a>(&'a self, reference: &'a str) -> Call<'a, Option<PayoutState>>;

    /// Reads what arrived at the callback door, and makes sure that it is the bank's.
    fn read_confirmation<'a>(
        &'a self,
        headers: &'a HeaderMap,
        body: &'a Bytes,
    ) -> Call<'a, Vec<PayoutReport>>;
}

/// Asks about an order that may have left before, and sends it again if that does no harm: the bank
/// has never known it, takes the same reference for the same order, and the first left recently.
pub async fn find_or_send(
    provider: &dyn PayoutProvider,
    order: &PayoutOrder,
    age: Duration,
) -> Result<Option<PayoutState>, ProviderError> {
    let found = provider.find(&order.reference).await?;
    if found.is_some() || !provider.takes_once() || age >= SENT_AGAIN_WITHIN {
        return Ok(found);
    }
    provider.send(order).await.map(Some)
}

impl PayoutRefusal {
    /// Every reason.
    pub const ALL: &'static [Self] = &[
        Self::InvalidKey,
        Self::KeyNotFound,
        Self::AccountClosed,
        Self::AccountBlocked,
        Self::LimitExceeded,
        Self::RailTimeout,
    ];

    /// The contract's word.
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidKey => "INVALID_KEY",
            Self::KeyNotFound => "KEY_NOT_FOUND",
            Self::AccountClosed => "ACCOUNT_CLOSED",
            Self::AccountBlocked => "ACCOUNT_BLOCKED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::RailTimeout => "RAIL_TIMEOUT",
        }
    }

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|refusal| refusal.code() == text)
    }
}
