//! Sending a refund to its provider, and asking about it until the provider has said how it ended.
//!
//! That the order is about to leave is kept first, in a unit of its own; whoever finds that kept
//! asks before anything else. An acquirer or a bank that never got the order is sent the same one
//! again: the same reference is the same refund, so nothing goes back twice. A payout is never sent
//! twice, as with withdrawals.

use std::sync::Arc;
use std::time::Duration;

use brazil::pix_key::PixKey;
use db::tx::Tx;
use queue::job::{Claimed, Job, again, backoff, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::{MerchantId, Mode, RefundId, Scope, TransactionId};
use crate::jobs::{PAYOUTS, end};
use crate::merchants;
use crate::providers::card::{CardProvider, CardRefundOrder};
use crate::providers::payout::{PayoutOrder, PayoutProvider};
use crate::providers::pix::{PixProvider, PixRefundOrder};
use crate::providers::{ProviderError, RefundState};
use crate::transactions::refunds::settle::{Heard, Learnt, learn};
use crate::transactions::refunds::{Refund, Status, Way, store};
use crate::transactions::{Transaction, charge, find};

/// Our own call has ended long before that, so nothing of it is still on its way.
const ARRIVES_WITHIN: Duration = Duration::from_mins(10);
const REFUSED: &str = "refused_by_provider";

/// A refund is on its way to its provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendRefund {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub of: TransactionId,
    pub id: RefundId,
}

/// What is known before the provider is called.
struct Errand {
    scope: Scope,
    transaction: Transaction,
    refund: Refund,
    /// Nobody can have sent the order before.
    first: bool,
}

/// What a provider said.
type Said = std::result::Result<Heard, ProviderError>;

/// Who gives a refund's money back.
enum Rail {
    Pix(Arc<dyn PixProvider>),
    Card(Arc<dyn CardProvider>),
    Payouts(Arc<dyn PayoutProvider>, PixKey),
}

impl Job for SendRefund {
    const KIND: &'static str = "send_refund";
    const LANE: &'static str = PAYOUTS;
}

/// Has the provider asked, once the unit is kept.
pub async fn push(tx: &Tx, scope: Scope, refund: &Refund) -> Result<()> {
    let (merchant, mode) = (scope.merchant, scope.mode);
    let job = SendRefund { merchant, mode, of: refund.transaction, id: refund.id };
    Ok(queue::job::push(tx, refund.id.0, scope.due(scope.now(tx)), &job).await?)
}

/// Sends the order, or asks about it if it may have been sent before.
pub async fn send(app: &App, job: Claimed) -> Result<()> {
    let wanted: SendRefund = job.read()?;
    let named = wanted.clone();
    let refund = app.read(async move |tx| Ok(look(tx, &named).await?.1)).await?;
    // Nothing has left before somebody is there to take it.
    let rail = rail(app, &refund)?;
    let begun = app.transact(async move |tx| begin(tx, &wanted).await).await?;
    let Some(errand) = begun else { return end(app, job).await };
    let said = match &rail {
        Rail::Pix(bank) => by_pix(bank.as_ref(), &errand).await?,
        Rail::Card(acquirer) => by_card(acquirer.as_ref(), &errand).await,
        Rail::Payouts(bank, key) => by_payout(bank.as_ref(), &errand, key).await,
    };
    let heard = judge(app, &errand, said);
    let Errand { scope, refund, .. } = errand;
    let terms = app.terms.clone();
    let kept = app.transact(async move |tx| {
        let learnt = match &heard {
            Some(heard) => learn(tx, scope, &terms, refund.transaction, refund.id, heard).await?,
            None => Learnt::Waits,
        };
        if learnt == Learnt::Waits {
            again(tx, &job, tx.now().plus(backoff(job.attempt))).await?;
        } else {
            finish(tx, &job).await?;
        }
        Ok(learnt)
    });
    kept.await?.count();
    Ok(())
}

async fn look(tx: &Tx, wanted: &SendRefund) -> Result<(Scope, Refund)> {
    let scope = merchants::scope(tx, wanted.merchant, wanted.mode).await?;
    Ok((scope, store::find(tx, scope, wanted.of, wanted.id).await?))
}

/// The provider that the refund names, whichever would be asked for a new one.
fn rail(app: &App, refund: &Refund) -> Result<Rail> {
    let (providers, name) = (&app.providers, &refund.provider);
    let rail = match &refund.way {
        Way::Pix => providers.pix_named(name).map(Rail::Pix),
        Way::Card => providers.card_named(name).map(Rail::Card),
        Way::Payout(key) => {
            providers.payouts_named(name).map(|bank| Rail::Payouts(bank, key.clone()))
        }
    };
    rail.ok_or_else(|| {
        Error::Unavailable(format!("the provider {name} of a refund is not configured"))
    })
}

/// Keeps that the order is about to leave; who comes second asks.
async fn begin(tx: &Tx, wanted: &SendRefund) -> Result<Option<Errand>> {
    let (scope, refund) = look(tx, wanted).await?;
    let transaction = find(tx, scope, wanted.of).await?;
    if refund.status != Status::Pending {
        return Ok(None);
    }
    let first = store::mark_sent(tx, scope, &refund).await?;
    Ok(Some(Errand { scope, transaction, refund, first }))
}

async fn by_pix(provider: &dyn PixProvider, errand: &Errand) -> Result<Said> {
    let pix = errand.transaction.pix.as_ref().and_then(|pix| pix.end_to_end_id.clone());
    let order = PixRefundOrder {
        reference: Refund::reference(errand.refund.id),
        end_to_end_id: pix.ok_or_else(|| impossible("came by PIX"))?,
        amount: errand.refund.amount,
    };
    if !errand.first {
        let found = provider.find_refund(&order.reference).await;
        if let Some(said) = known(found) {
            return Ok(said);
        }
    }
    Ok(provider.refund(&order).await.map(Heard::from))
}

async fn by_card(provider: &dyn CardProvider, errand: &Errand) -> Said {
    let order = CardRefundOrder {
        reference: Refund::reference(errand.refund.id),
        charge_reference: charge::reference(errand.transaction.id),
        amount: errand.refund.amount,
    };
    if !errand.first {
        let found = provider.find_refund(&order.reference).await;
        if let Some(said) = known(found) {
            return said;
        }
    }
    provider.refund(&order).await.map(Heard::from)
}

async fn by_payout(provider: &dyn PayoutProvider, errand: &Errand, key: &PixKey) -> Said {
    let order = PayoutOrder {
        scope: errand.scope,
        reference: Refund::reference(errand.refund.id),
        amount: errand.refund.amount,
        key: key.clone(),
        description: Some(errand.refund.reason.clone()),
    };
    if !errand.first {
        let known = provider.find(&order.reference).await;
        return known.map(|state| state.as_ref().map_or(Heard::Nothing, Heard::from));
    }
    provider.send(&order).await.map(|state| Heard::from(&state))
}

/// What asking has told; `None` if the order never arrived, and is to be sent again.
fn known(found: std::result::Result<Option<RefundState>, ProviderError>) -> Option<Said> {
    match found {
        Ok(None) => None,
        Ok(Some(state)) => Some(Ok(state.into())),
        // Who does not answer a question has not refused the refund.
        Err(error) => Some(Err(ProviderError::Unknown(error.to_string()))),
    }
}

/// What is certain after a call; `None` if nothing is, so that it must be asked again.
fn judge(app: &App, errand: &Errand, said: Said) -> Option<Heard> {
    let Errand { scope, refund, first, .. } = errand;
    let age = refund.sent_at.map(|sent_at| scope.at(app.now()).since(sent_at));
    match said {
        Ok(heard) => Some(heard),
        Err(ProviderError::Refused(cause)) if refund.way.key().is_none() => {
            tracing::warn!(refund = %refund.id, cause, "a provider refused a refund");
            // An earlier order may still be on its way, and be taken.
            let certain = *first || age >= Some(ARRIVES_WITHIN);
            certain.then(|| Heard::Refused { reason: REFUSED.to_owned() })
        }
        Err(error) => {
            tracing::warn!(refund = %refund.id, %error, "nobody knows how a refund stands");
            None
        }
    }
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

fn impossible(what: &str) -> Error {
    Error::Internal(anyhow::anyhow!("a refund of what never {what}"))
}
