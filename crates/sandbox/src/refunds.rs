//! The sandbox's refunds: at once, after a while, or refused.

use std::time::Duration;

use db::error::Result;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::error::ProviderError;
use rails::refund::{RefundFailureCode, RefundState};

use crate::bank::SandboxBank;
use crate::fault_injection::Operation;
use crate::store;

/// How long a late refund takes, by the server's clock.
pub const LATE: Duration = Duration::from_secs(60);

/// The reason of a refund that the bank is configured to refuse.
const AS_CONFIGURED: RefundFailureCode = RefundFailureCode::RefusedByIssuer;

text_enum! {
    /// The result of a refund.
    pub enum Outcome {
        AtOnce = "AT_ONCE",
        /// Processing for [`LATE`], then done.
        Late = "LATE",
        /// Refused.
        Refused = "REFUSED",
    }
}

text_enum! {
    /// The rail of a refund.
    pub enum Rail {
        Pix = "PIX",
        Card = "CARD",
    }
}

/// A refund request.
#[derive(Debug, Clone)]
pub(crate) struct NewRefund {
    pub rail: Rail,
    pub reference: String,
    /// The paid charge: a PIX by its end-to-end id, a card charge by its reference.
    pub charge: String,
    pub amount: Cents,
}

/// A refund as the bank stores it.
#[derive(Debug, Clone)]
pub(crate) struct Refund {
    pub charge: String,
    pub amount: Cents,
    pub rail_id: String,
    pub refused_reason: Option<RefundFailureCode>,
    pub settles_at: Timestamp,
}

impl Refund {
    fn state(&self, now: Timestamp) -> RefundState {
        match self.refused_reason {
            Some(reason) => RefundState::Refused { reason },
            None if now < self.settles_at => RefundState::Processing,
            None => RefundState::Done { rail_id: self.rail_id.clone() },
        }
    }
}

impl SandboxBank {
    /// Sets the result of the next refund of a charge; a pending one can still be refused.
    ///
    /// A PIX is identified by its end-to-end id, a card charge by its reference.
    pub async fn arm_refund(&self, charge: &str, outcome: Outcome) -> Result<(), ProviderError> {
        let charge = charge.to_owned();
        self.transact(async move |tx| arm(tx, &charge, outcome).await).await
    }

    pub(crate) async fn find_refund_on(
        &self,
        rail: Rail,
        reference: &str,
    ) -> Result<Option<RefundState>, ProviderError> {
        let reference = reference.to_owned();
        let work = self.read(async move |tx| {
            let found = store::find_refund(tx, rail, &reference).await?;
            Ok(found.map(|refund| refund.state(tx.now())))
        });
        self.faults.around(Operation::Find, work).await
    }
}

async fn arm(tx: &Tx, charge: &str, outcome: Outcome) -> Result<()> {
    if outcome == Outcome::Refused {
        let refused = store::refuse_refunds_under_way(tx, charge, AS_CONFIGURED).await?;
        for amount in &refused {
            store::undo_refund(tx, charge, *amount).await?;
        }
        if !refused.is_empty() {
            return Ok(());
        }
    }
    store::arm_refund(tx, charge, outcome).await
}

/// Refunds once; the same reference again returns the state of that refund.
pub(crate) async fn give_back(
    tx: &Tx,
    new: &NewRefund,
    rail_id: String,
) -> Result<Result<RefundState, ProviderError>> {
    if let Some(known) = store::find_refund(tx, new.rail, &new.reference).await? {
        if known.charge != new.charge || known.amount != new.amount {
            return Ok(Err(ProviderError::refused("the reference names another refund")));
        }
        return Ok(Ok(known.state(tx.now())));
    }
    let armed = store::take_armed_refund(tx, &new.charge).await?;
    let (outcome, reason) = match new.rail {
        Rail::Pix => (armed.unwrap_or(Outcome::AtOnce), None),
        Rail::Card => of_card(tx, new, armed).await?,
    };
    let as_configured = (outcome == Outcome::Refused).then_some(AS_CONFIGURED);
    let wait = if outcome == Outcome::Late { LATE } else { Duration::ZERO };
    let refund = Refund {
        charge: new.charge.clone(),
        amount: new.amount,
        rail_id,
        refused_reason: reason.or(as_configured),
        settles_at: tx.now().plus(wait),
    };
    if !store::insert_refund(tx, new, &refund).await? {
        return Err(tx.collision("the refund was asked for twice at once"));
    }
    Ok(Ok(refund.state(tx.now())))
}

/// An acquirer knows its charges, and refunds no more than it charged.
async fn of_card(
    tx: &Tx,
    new: &NewRefund,
    armed: Option<Outcome>,
) -> Result<(Outcome, Option<RefundFailureCode>)> {
    let Some(charge) = store::find_charge(tx, &new.charge).await? else {
        return Ok((Outcome::Refused, Some(RefundFailureCode::ChargeNotFound)));
    };
    if charge.decline.is_some() || tx.now() < charge.decides_at {
        return Ok((Outcome::Refused, Some(RefundFailureCode::ChargeNotApproved)));
    }
    let outcome = armed.unwrap_or(charge.scenario.refund());
    if outcome != Outcome::Refused && !store::count_refund(tx, &new.charge, new.amount).await? {
        return Ok((Outcome::Refused, Some(RefundFailureCode::ExceedsCharge)));
    }
    Ok((outcome, None))
}
