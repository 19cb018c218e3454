//! Sends an order to its provider, or asks about it.

use std::time::Duration;

use rails::card::CardRefundRequest;
use rails::error::ProviderError;
use rails::payout::{PayoutProvider, PayoutRequest, find_or_send};
use rails::pix::PixReturnRequest;

use crate::platform::telemetry;
use crate::providers::orders::{CardRefund, OrderTarget, PaymentOrder, ProviderStatus};

const TOO_LITTLE: &str = "the account has less than the payout";

/// The order's status, and the bank's own code of it.
pub async fn call(
    order: &PaymentOrder,
    bank_code: Option<&str>,
    age: Option<Duration>,
) -> Result<(ProviderStatus, Option<String>), ProviderError> {
    let (reference, amount) = (order.reference.clone(), order.amount);
    match &order.target {
        OrderTarget::Pix(bank, end_to_end_id) => {
            let end_to_end_id = end_to_end_id.clone();
            let refund = PixReturnRequest { reference, end_to_end_id, amount };
            if !order.first
                && let Some(state) = asked(bank.find_refund(&refund).await)?
            {
                return Ok((state.into(), None));
            }
            Ok((bank.refund(&refund).await?.into(), None))
        }
        OrderTarget::Card(acquirer, refund) => {
            let CardRefund { charge_reference, refunded_before, attempt } = refund.clone();
            let refund =
                CardRefundRequest { reference, charge_reference, amount, refunded_before, attempt };
            if !order.first
                && let Some(state) = asked(acquirer.find_refund(&refund).await)?
            {
                return Ok((state.into(), None));
            }
            Ok((acquirer.refund(&refund).await?.into(), None))
        }
        OrderTarget::Payout(bank, key) => {
            let (key, description) = (key.clone(), order.description.clone());
            let test_clock = order.scope.test_clock();
            let payout =
                PayoutRequest { reference, amount, key, holder: None, description, test_clock };
            let sent = if order.first {
                expect_money(bank.as_ref(), &payout).await?;
                Some(bank.send(&payout).await?)
            } else {
                find_or_send(bank.as_ref(), &payout, bank_code, age.unwrap_or_default()).await?
            };
            let Some(sent) = sent else { return Ok((ProviderStatus::NotFound, None)) };
            Ok((ProviderStatus::from(&sent.state), sent.bank_code))
        }
    }
}

/// Delays a payout that its account cannot cover. Where the bank does not say what the account has,
/// its answer to the order does.
async fn expect_money(
    bank: &dyn PayoutProvider,
    payout: &PayoutRequest,
) -> Result<(), ProviderError> {
    match bank.available().await {
        Ok(Some(available)) if available < payout.amount => {
            telemetry::payout_short(bank.name());
            Err(ProviderError::misconfigured(TOO_LITTLE))
        }
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::warn!(connection = bank.name(), %error, "a balance cannot be asked for");
            Ok(())
        }
    }
}

/// The answer to a query; a refused query does not mean that the refund was refused.
fn asked<T>(answer: Result<T, ProviderError>) -> Result<T, ProviderError> {
    answer.map_err(|error| ProviderError::Unknown(error.to_string()))
}
