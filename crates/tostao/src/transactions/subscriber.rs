//! A payment's effect on the subscription whose period it pays for.

use db::tx::Tx;
use rails::card::DeclineCode;

use crate::events::Rendered;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::subscriptions::charges::{FailedPayment, PaymentEffect, paid, unpaid};
use crate::transactions::Transaction;
use crate::transactions::close::cancel_if_pending;
use crate::transactions::jobs::NEVER_ARRIVED;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;

/// Why a period is unpaid whose PIX code or boleto expired or was cancelled.
pub const NOT_PAID: &str = "not_paid";

/// Extends the subscription; false if it no longer owes what was paid.
pub async fn extend(tx: &Tx, scope: Scope, terms: &PaymentTerms, of: &Transaction) -> Result<bool> {
    let Some(period) = of.period else { return Ok(true) };
    let rendered = || Rendered::of(&TransactionView::new(terms, scope, of));
    // Few payments belong to a subscription, so the others do not carry the size of all this.
    let taken = Box::pin(paid(tx, scope, period, of.id, rendered)).await?;
    let PaymentEffect::Applied { needless } = taken else {
        return Ok(false);
    };
    if let Some(other) = needless {
        Box::pin(cancel_if_pending(tx, scope, terms, other)).await?;
    }
    Ok(true)
}

/// Reports an unpaid payment that ended to its subscription.
pub async fn report_unpaid(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: &Transaction,
) -> Result<()> {
    let Some(period) = of.period else { return Ok(()) };
    let rendered = || Rendered::of(&TransactionView::new(terms, scope, of));
    let reason = match of.status {
        Status::Failed => of.failure_reason.as_deref().unwrap_or(NOT_PAID),
        _ => NOT_PAID,
    };
    let card = of.card.as_ref().map(|card| card.fingerprint.as_str());
    let hard = of.decline_code.is_some_and(DeclineCode::is_hard);
    let why = match reason {
        NEVER_ARRIVED => FailedPayment::NotAttempted,
        code => FailedPayment::Failed { code, hard, card },
    };
    Box::pin(unpaid(tx, scope, period, of.id, why, rendered)).await
}
