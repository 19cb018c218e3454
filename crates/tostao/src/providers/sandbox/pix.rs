//! The sandbox as a bank for PIX.
//!
//! It stores nothing for a code, so that issuing one is as fast as the server itself. It trusts our
//! amount of a refunded payment.

use brazil::brcode::DynamicCode;
use brazil::txid::return_id;
use bytes::Bytes;
use http::HeaderMap;
use rails::entries::Entry;
use rails::error::ProviderError;
use rails::pix::{PixChargeRequest, PixConfirmation, PixProvider, PixReturnRequest};
use rails::provider::{Call, CallbackParser, Provider};
use rails::refund::RefundState;

use crate::providers::sandbox::fault_injection::Operation;
use crate::providers::sandbox::refunds::{self, NewRefund, Rail};
use crate::providers::sandbox::{CITY, ISPB, NAME, SandboxBank, letters};

impl Provider for SandboxBank {
    fn name(&self) -> &str {
        NAME
    }
}

impl CallbackParser<PixConfirmation> for SandboxBank {
    fn read_callback<'a>(
        &'a self,
        headers: &'a HeaderMap,
        body: &'a Bytes,
    ) -> Call<'a, Vec<Entry<PixConfirmation>>> {
        Box::pin(async move { self.signer.read_pix(headers, body) })
    }
}

impl PixProvider for SandboxBank {
    fn issue<'a>(&'a self, order: &'a PixChargeRequest) -> Call<'a, String> {
        let work = async move { code(&order.txid, &order.merchant_name) };
        Box::pin(self.faults.around(Operation::IssuePix, work))
    }

    fn refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, RefundState> {
        let new = NewRefund {
            rail: Rail::Pix,
            reference: order.reference.clone(),
            charge: order.end_to_end_id.clone(),
            amount: order.amount,
        };
        let work = self.transact(async move |tx| {
            let rail_id = return_id(ISPB, tx.now().micros(), &letters(&tx.random::<11>()));
            refunds::give_back(tx, &new, rail_id).await
        });
        Box::pin(self.faults.around(Operation::Refund, async move { work.await? }))
    }

    fn find_refund<'a>(&'a self, reference: &'a str) -> Call<'a, Option<RefundState>> {
        Box::pin(self.find_refund_on(Rail::Pix, reference))
    }
}

/// The code of a charge, whatever its other ways to be paid.
pub(super) fn code(txid: &str, merchant_name: &str) -> Result<String, ProviderError> {
    let location = format!("pix.example.com/v2/{txid}");
    let code = DynamicCode { location: &location, merchant_name, city: CITY };
    code.encode().map_err(|error| ProviderError::refused(error.to_string()))
}
