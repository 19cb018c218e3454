//! The sandbox bank's payouts: simulated orders whose result depends on their PIX key.
//!
//! The bank stores its orders in a table of its own, as a real one would: it keeps them across
//! restarts, and an order that arrives again under the same reference is the same order. These
//! keys, of the type `email`, make it behave otherwise than paying and calling back at once:
//!
//! | Key | The bank |
//! |---|---|
//! | `key-not-found@example.com` | refuses in its reply |
//! | `limit-exceeded@example.com` | refuses in its reply |
//! | `account-closed@example.com` | accepts the order and calls back that it is refused |
//! | `account-blocked@example.com` | accepts the order and calls back that it is refused |
//! | `slow@example.com` | pays, and calls back a minute later |
//! | `twice@example.com` | pays, and calls back twice |
//! | `silent@example.com` | pays; its reply is lost and it never calls back |
//! | `lost@example.com` | never gets the order, so it does not know it |

use std::sync::Arc;
use std::time::Duration;

use brazil::pix_key::{PixKey, PixKeyType};
use bytes::Bytes;
use db::database::Database;
use db::error::{Error, Result};
use db::tx::Tx;
use http::HeaderMap;
use ledger::cents::Cents;
use queue::job::{Due, Job, WORK, push};
use rails::entries::Entry;
use rails::error::ProviderError;
use rails::payout::{
    PayoutFailureCode, PayoutProvider, PayoutReport, PayoutRequest, PayoutState, SentPayout,
};
use rails::provider::{Call, Provider};
use serde::{Deserialize, Serialize};

use crate::SANDBOX;
use crate::bank::SandboxBank;
use crate::callback_parser::CallbackParser;
use crate::keys::Keys;

mod message;
mod store;

const SLOW: Duration = Duration::from_mins(1);

/// A bank that pays out simulated money.
pub struct SandboxPayouts {
    keys: Arc<dyn Keys>,
    database: Database,
}

/// Delivers the sandbox bank's callback about an order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliverSandboxPayoutCallback {
    pub reference: String,
}

/// The bank's behavior for an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Behavior {
    refusal: Option<PayoutFailureCode>,
    decides: Decides,
    /// How often it calls back.
    calls: u32,
    delay: Duration,
    fault: Option<Fault>,
}

/// When the bank decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decides {
    InItsAnswer,
    BeforeItCalls,
}

/// A transport failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    OrderLost,
    AnswerLost,
}

/// An order as the bank stores it; its result is known from the start.
#[derive(Debug, Clone)]
struct Kept {
    reference: String,
    amount: Cents,
    fate: PayoutState,
    settled: bool,
}

impl Job for DeliverSandboxPayoutCallback {
    const KIND: &'static str = "sandbox_payout_calls";
    const LANE: &'static str = WORK;
}

impl SandboxPayouts {
    /// Creates the bank.
    pub fn new(keys: Arc<dyn Keys>, database: Database) -> Self {
        Self { keys, database }
    }

    /// Decides an order, unless that was done before, and writes the bank's callback; `None` for an
    /// order that the bank does not have.
    pub async fn decide(&self, reference: &str) -> Result<Option<(HeaderMap, Bytes)>> {
        let reference = reference.to_owned();
        let unit = async move |tx: &Tx| {
            store::settle(tx, &reference).await?;
            store::find(tx, &reference).await
        };
        let Some(kept) = self.database.transact(unit).await? else { return Ok(None) };
        let (reference, state) = (Some(kept.reference.clone()), kept.state());
        let report = PayoutReport { reference, bank_code: None, amount: None, state };
        Ok(Some(message::write(&*self.keys, &[report])))
    }
}

impl Provider for SandboxPayouts {
    fn name(&self) -> &str {
        SANDBOX
    }
}

impl CallbackParser<PayoutReport> for SandboxPayouts {
    fn read_callback(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<PayoutReport>>, ProviderError> {
        message::read(&*self.keys, headers, body)
    }
}

impl PayoutProvider for SandboxPayouts {
    fn send<'a>(&'a self, order: &'a PayoutRequest) -> Call<'a, SentPayout> {
        Box::pin(async move {
            let behavior = Behavior::of(&order.key);
            if behavior.fault == Some(Fault::OrderLost) {
                return Err(ProviderError::Unknown("the order was lost, as simulated".into()));
            }
            let order = order.clone();
            let unit = async move |tx: &Tx| take(tx, &order, behavior).await;
            let state = self.database.transact(unit).await.map_err(|error| unknown(&error))?;
            if behavior.fault == Some(Fault::AnswerLost) {
                return Err(ProviderError::Unknown("the response was lost, as simulated".into()));
            }
            Ok(state.into())
        })
    }

    fn takes_once(&self) -> bool {
        true
    }

    fn find<'a>(
        &'a self,
        order: &'a PayoutRequest,
        _: Option<&'a str>,
    ) -> Call<'a, Option<SentPayout>> {
        Box::pin(async move {
            let reference = order.reference.clone();
            let unit = async move |tx: &Tx| store::find(tx, &reference).await;
            let kept = self.database.read(unit).await.map_err(|error| unknown(&error))?;
            Ok(kept.map(|kept| kept.state().into()))
        })
    }
}

impl Behavior {
    const USUAL: Self = Self {
        refusal: None,
        decides: Decides::BeforeItCalls,
        calls: 1,
        delay: Duration::ZERO,
        fault: None,
    };

    fn of(key: &PixKey) -> Self {
        if key.key_type() != PixKeyType::Email {
            return Self::USUAL;
        }
        match key.as_str() {
            "key-not-found@example.com" => Self::refusing_at_once(PayoutFailureCode::KeyNotFound),
            "limit-exceeded@example.com" => {
                Self::refusing_at_once(PayoutFailureCode::LimitExceeded)
            }
            "account-closed@example.com" => Self::refusing(PayoutFailureCode::AccountClosed),
            "account-blocked@example.com" => Self::refusing(PayoutFailureCode::AccountBlocked),
            "slow@example.com" => Self { delay: SLOW, ..Self::USUAL },
            "twice@example.com" => Self { calls: 2, ..Self::USUAL },
            "silent@example.com" => Self {
                decides: Decides::InItsAnswer,
                calls: 0,
                fault: Some(Fault::AnswerLost),
                ..Self::USUAL
            },
            "lost@example.com" => Self { fault: Some(Fault::OrderLost), ..Self::USUAL },
            _ => Self::USUAL,
        }
    }

    const fn refusing(refusal: PayoutFailureCode) -> Self {
        Self { refusal: Some(refusal), ..Self::USUAL }
    }

    const fn refusing_at_once(refusal: PayoutFailureCode) -> Self {
        Self { decides: Decides::InItsAnswer, calls: 0, ..Self::refusing(refusal) }
    }
}

impl Kept {
    fn state(&self) -> PayoutState {
        if self.settled { self.fate.clone() } else { PayoutState::Processing }
    }
}

/// Stores an order; a known one is not stored twice.
async fn take(tx: &Tx, order: &PayoutRequest, behavior: Behavior) -> Result<PayoutState> {
    let clock = order.test_clock;
    let now = tx.now().plus(clock.map_or(Duration::ZERO, |clock| clock.ahead));
    let pays = || SandboxBank::end_to_end_id(now, tx.random());
    let kept = Kept {
        reference: order.reference.clone(),
        amount: order.amount,
        fate: match behavior.refusal {
            None => PayoutState::Paid { end_to_end_id: pays() },
            Some(refusal) => PayoutState::Refused(refusal),
        },
        settled: behavior.decides == Decides::InItsAnswer,
    };
    if !store::insert(tx, &kept, now).await? {
        store::count_again(tx, &order.reference).await?;
        let known = store::find(tx, &order.reference).await?;
        return known.map(|known| known.state()).ok_or_else(not_ordered);
    }
    let at = tx.now().plus(behavior.delay);
    let due = Due { at, clock: clock.map(|clock| clock.owner) };
    for _ in 0..behavior.calls {
        push(
            tx,
            tx.new_id(),
            due,
            &DeliverSandboxPayoutCallback { reference: order.reference.clone() },
        )
        .await?;
    }
    Ok(kept.state())
}

fn not_ordered() -> Error {
    Error::Row("an order that the bank does not have".to_owned())
}

fn unknown(error: &Error) -> ProviderError {
    ProviderError::Unknown(error.to_string())
}
