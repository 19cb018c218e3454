//! Refunds. Pagar.me has none as objects: a charge has a total of what was canceled, and whether it
//! moved by a refund's amount says whether that refund was made.

use std::time::Duration;

use ledger::cents::Cents;
use rails::card::CardRefundRequest;
use rails::error::ProviderError;
use rails::refund::RefundState;
use serde::Serialize;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::{contradiction, provider_error};
use crate::pagarme::charges::{CHARGES, Charge, by_id};
use crate::pagarme::orders::find_charge;
use crate::pagarme::session::{IDEMPOTENCY_KEY, Session};

/// A worker asks, sends, and asks again after a lost answer, all within its job's lease.
const SENT_WITHIN: Duration = Duration::from_secs(15);

#[derive(Serialize)]
struct NewRefund<'a> {
    amount: i64,
    operation_reference: &'a str,
}

/// What was refunded of a charge so far. It is not known while a refund is under way, which would
/// be taken for the next one.
pub async fn total(session: &Session, charge_reference: &str) -> Result<Cents, ProviderError> {
    let charge = known(session, charge_reference).await?;
    if charge.is_being_refunded() {
        return Err(ProviderError::Unknown("a refund of the charge is under way".to_owned()));
    }
    Ok(charge.refunded())
}

/// Refunds a charge, unless its total shows the refund already; a lost answer is looked for in the
/// total.
pub async fn refund(
    session: &Session,
    order: &CardRefundRequest,
) -> Result<RefundState, ProviderError> {
    let charge = known(session, &order.charge_reference).await?;
    if let Some(state) = state(order, &charge)? {
        return Ok(state);
    }
    let body = NewRefund { amount: order.amount.get(), operation_reference: &order.reference };
    let call = Call::delete("refund_charge", CHARGES)
        .segment(&charge.id)
        .header(IDEMPOTENCY_KEY, &order.attempt)
        .json(&body)
        .within(SENT_WITHIN);
    match session.ask::<Charge>(call).await {
        Ok(after) if after.id == charge.id => {
            let unmoved = || contradiction("the charge shows no refund");
            state(order, &after)?.ok_or_else(unmoved)
        }
        Ok(_) => Err(contradiction("it is about another charge")),
        Err(
            failure @ (Failure::Unknown { .. }
            | Failure::Duplicate { .. }
            | Failure::Refused { .. }),
        ) => look_again(session, order, &charge.id, failure).await,
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The charge of our reference. One that the account lacks is of another account, whose key was
/// entered: refusing its refunds would refuse those of all merchants.
async fn known(session: &Session, charge_reference: &str) -> Result<Charge, ProviderError> {
    let charge = find_charge(session, charge_reference).await?;
    let elsewhere = || ProviderError::misconfigured("the account lacks a charge");
    charge.ok_or_else(elsewhere)
}

/// The state of a refund; `None` if the charge's total does not show it.
pub async fn find(
    session: &Session,
    order: &CardRefundRequest,
) -> Result<Option<RefundState>, ProviderError> {
    match find_charge(session, &order.charge_reference).await? {
        Some(charge) => state(order, &charge),
        None => Ok(None),
    }
}

/// What a failed refund came to.
///
/// Only what is about the charge itself is a refusal: the rest is about the operator's account,
/// such as a balance that does not cover the refund, and would fail the refunds of all merchants.
async fn look_again(
    session: &Session,
    order: &CardRefundRequest,
    charge_id: &str,
    failure: Failure,
) -> Result<RefundState, ProviderError> {
    let Ok(charge) = by_id::<Charge>(session, charge_id).await else {
        // A refusal says nothing of an earlier order that may be under way.
        return Err(ProviderError::Unknown(failure.to_string()));
    };
    match (state(order, &charge)?, failure) {
        (Some(state), _) => Ok(state),
        (None, Failure::Refused { code, .. }) if charge.can_refund(order.amount) => {
            Err(ProviderError::misconfigured(format!("a refund is not accepted: {code}")))
        }
        (None, failure) => Err(provider_error(failure)),
    }
}

/// The state of the refund that was ordered, by the charge's total.
fn state(order: &CardRefundRequest, charge: &Charge) -> Result<Option<RefundState>, ProviderError> {
    let (refunded, before) = (charge.refunded(), order.refunded_before);
    if Some(refunded) == before.plus(order.amount) {
        return Ok(Some(RefundState::Done { rail_id: charge.last_id().to_owned() }));
    }
    if refunded != before {
        return Err(contradiction("another amount than this refund's was refunded"));
    }
    Ok(charge.is_being_refunded().then_some(RefundState::Processing))
}
