//! Orders to pay money back: what refunds and returns have in common.
//!
//! | The order | The provider says | Result |
//! |---|---|---|
//! | pending | it is being processed | stored: the provider knows the order |
//! | pending | done | completed |
//! | pending | refused | failed; the money returns to where it was held before |
//! | pending | order unknown, for a day and ever since it was sent | failed, the same |
//! | ended | the same again | nothing |
//! | ended | otherwise | nothing but an error in the log and a metric, to be investigated |
//!
//! That an order is about to be sent is stored before it is; a later attempt that finds this asks
//! the provider first. An acquirer or a bank that never got the order is sent the same one again:
//! the same reference is the same order, so nothing is paid back twice.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use brazil::pix_key::PixKey;
use db::error::Error as DbError;
use db::time::Timestamp;
use db::value::Row;
use ledger::cents::Cents;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;
use crate::platform::telemetry;
use crate::providers::card::{CardProvider, CardRefundOrder};
use crate::providers::payout::{PayoutOrder, PayoutProvider, PayoutState, find_or_send};
use crate::providers::pix::{PixProvider, PixRefundOrder};
use crate::providers::{ProviderError, RefundState};
use crate::store::pix_key;
use crate::transactions::refunds::Status;

/// Our own call has timed out long before that, so nothing of it is still in flight.
const ARRIVES_WITHIN: Duration = Duration::from_mins(10);
/// A payout that its bank does not know a day after it was sent has not arrived, and will not.
const LOST_AFTER: Duration = Duration::from_hours(24);
const REFUSED: &str = "refused_by_provider";
/// The metric's label for an order whose provider contradicts its earlier report.
const CONTRADICTED: &str = "CONTRADICTED";

/// How money is paid back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// As a PIX return.
    Pix,
    /// To the charged card.
    Card,
    /// To a PIX key, because a boleto's barcode does not identify its payer.
    Payout(PixKey),
}

/// The provider that pays money back.
pub enum Rail {
    Pix(Arc<dyn PixProvider>),
    Card(Arc<dyn CardProvider>),
    Payouts(Arc<dyn PayoutProvider>, PixKey),
}

/// An order to a provider.
#[derive(Debug, Clone)]
pub struct Order {
    /// The owner of the money.
    pub scope: Scope,
    /// Our reference, unique for ever.
    pub reference: String,
    /// What is refunded: a PIX by its end-to-end id, a card charge by its reference.
    pub charge: Option<String>,
    pub amount: Cents,
    pub description: Option<String>,
    /// It cannot have been sent before.
    pub first: bool,
    /// When it was first sent.
    pub sent_at: Option<Timestamp>,
}

/// A provider's state of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The provider has the order and has not decided.
    Processing,
    /// The provider does not know the order.
    Nothing,
    Done {
        rail_id: String,
    },
    Refused {
        reason: String,
    },
}

/// The effect of a provider's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learnt {
    /// The order has ended now.
    Ended(Status),
    /// It had already ended as the provider says.
    Already,
    /// It is still pending.
    Waits,
    /// It had ended with a different result.
    Contradicted,
}

/// A provider's reply.
type Said = std::result::Result<Heard, ProviderError>;

impl Learnt {
    /// Counts a new result, once the unit is committed.
    pub fn count(self) {
        match self {
            Self::Ended(status) => telemetry::refund_ended(status.name()),
            Self::Contradicted => telemetry::refund_ended(CONTRADICTED),
            Self::Already | Self::Waits => {}
        }
    }
}

impl Way {
    /// The stored value.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pix => "PIX",
            Self::Card => "CARD",
            Self::Payout(_) => "PAYOUT",
        }
    }

    /// The PIX key of a payout.
    pub const fn key(&self) -> Option<&PixKey> {
        match self {
            Self::Pix | Self::Card => None,
            Self::Payout(key) => Some(key),
        }
    }

    /// Reads the stored value, the key's type and the key, in this order.
    pub fn read(row: &mut Row) -> Result<Self> {
        let way: String = row.take()?;
        let key = pix_key(row)?;
        let way = match way.as_str() {
            "PIX" => Some(Self::Pix),
            "CARD" => Some(Self::Card),
            _ => key.map(Self::Payout),
        };
        way.ok_or_else(|| DbError::Row("an order without a way".into()).into())
    }
}

/// The provider that an order names, whichever would be used for a new one.
pub fn rail(app: &App, name: &str, way: &Way) -> Result<Rail> {
    let providers = &app.providers;
    let rail = match way {
        Way::Pix => providers.pix_named(name).map(Rail::Pix),
        Way::Card => providers.card_named(name).map(Rail::Card),
        Way::Payout(key) => {
            providers.payouts_named(name).map(|bank| Rail::Payouts(bank, key.clone()))
        }
    };
    rail.ok_or_else(|| {
        Error::Unavailable(format!("the provider {name} of an order is not configured"))
    })
}

/// Sends an order, or asks about it if it may have been sent before; `None` if nothing is certain,
/// so that it must be asked about again.
pub async fn carry_out(app: &App, rail: &Rail, order: &Order) -> Result<Option<Heard>> {
    let age = order.sent_at.map(|sent_at| order.scope.at(app.now()).since(sent_at));
    let said = match rail {
        Rail::Pix(bank) => by_pix(bank.as_ref(), order).await?,
        Rail::Card(acquirer) => by_card(acquirer.as_ref(), order).await?,
        Rail::Payouts(bank, key) => by_payout(bank.as_ref(), order, key, age).await,
    };
    let reference = &order.reference;
    match said {
        Ok(heard) => Ok(Some(heard)),
        Err(ProviderError::Refused(cause)) if !matches!(rail, Rail::Payouts(..)) => {
            tracing::warn!(reference, cause, "a provider refused to give money back");
            // An earlier order may still be in flight, and be accepted.
            let certain = order.first || age >= Some(ARRIVES_WITHIN);
            Ok(certain.then(|| Heard::Refused { reason: REFUSED.to_owned() }))
        }
        Err(error) => {
            tracing::warn!(reference, %error, "nobody knows how an order to give back stands");
            Ok(None)
        }
    }
}

/// Whether an order that its provider does not know can no longer arrive.
pub fn is_lost(
    now: Timestamp,
    sent_at: Option<Timestamp>,
    acknowledged_at: Option<Timestamp>,
) -> bool {
    sent_at.is_some_and(|at| now.since(at) >= LOST_AFTER) && acknowledged_at.is_none()
}

/// Applies a report about an order that has ended as `status`, with `rail_id` if it was done.
pub fn heard_again(
    order: impl Display,
    status: Status,
    rail_id: Option<&str>,
    heard: &Heard,
) -> Learnt {
    let agrees = match heard {
        Heard::Processing | Heard::Nothing => true,
        Heard::Done { rail_id: said } => rail_id == Some(said),
        Heard::Refused { .. } => status == Status::Failed,
    };
    if agrees {
        return Learnt::Already;
    }
    let status = status.name();
    tracing::error!(%order, status, ?heard, "a provider contradicts how an order has ended");
    Learnt::Contradicted
}

async fn by_pix(provider: &dyn PixProvider, order: &Order) -> Result<Said> {
    let refund = PixRefundOrder {
        reference: order.reference.clone(),
        end_to_end_id: order.charge.clone().ok_or_else(nameless)?,
        amount: order.amount,
    };
    if !order.first {
        let found = provider.find_refund(&refund.reference).await;
        if let Some(said) = known(found) {
            return Ok(said);
        }
    }
    Ok(provider.refund(&refund).await.map(Heard::from))
}

async fn by_card(provider: &dyn CardProvider, order: &Order) -> Result<Said> {
    let refund = CardRefundOrder {
        reference: order.reference.clone(),
        charge_reference: order.charge.clone().ok_or_else(nameless)?,
        amount: order.amount,
    };
    if !order.first {
        let found = provider.find_refund(&refund.reference).await;
        if let Some(said) = known(found) {
            return Ok(said);
        }
    }
    Ok(provider.refund(&refund).await.map(Heard::from))
}

async fn by_payout(
    provider: &dyn PayoutProvider,
    order: &Order,
    key: &PixKey,
    age: Option<Duration>,
) -> Said {
    let payout = PayoutOrder {
        scope: order.scope,
        reference: order.reference.clone(),
        amount: order.amount,
        key: key.clone(),
        description: order.description.clone(),
    };
    if order.first {
        return provider.send(&payout).await.map(|state| Heard::from(&state));
    }
    let found = find_or_send(provider, &payout, age.unwrap_or_default()).await;
    found.map(|state| state.as_ref().map_or(Heard::Nothing, Heard::from))
}

/// The result of a query; `None` if the order never arrived and must be sent again.
fn known(found: std::result::Result<Option<RefundState>, ProviderError>) -> Option<Said> {
    match found {
        Ok(None) => None,
        Ok(Some(state)) => Some(Ok(state.into())),
        // An unanswered query does not mean that the refund was refused.
        Err(error) => Some(Err(ProviderError::Unknown(error.to_string()))),
    }
}

fn nameless() -> Error {
    Error::Internal(anyhow::anyhow!("what is given back has no name on its rail"))
}

impl From<RefundState> for Heard {
    fn from(state: RefundState) -> Self {
        match state {
            RefundState::Processing => Self::Processing,
            RefundState::Done { rail_id, .. } => Self::Done { rail_id },
            RefundState::Refused { reason } => Self::Refused { reason },
        }
    }
}

impl From<&PayoutState> for Heard {
    fn from(state: &PayoutState) -> Self {
        match state {
            PayoutState::Processing => Self::Processing,
            PayoutState::Paid { end_to_end_id } => Self::Done { rail_id: end_to_end_id.clone() },
            PayoutState::Refused(refusal) => {
                Self::Refused { reason: refusal.code().to_ascii_lowercase() }
            }
        }
    }
}
