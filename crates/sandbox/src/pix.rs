//! The sandbox as a bank for PIX.
//!
//! It stores nothing for a code, so that issuing one is as fast as the server itself: it knows no
//! charge when it is asked for one, and calls back about every payment. It trusts our amount of a
//! refunded payment.

use std::future::ready;

use brazil::brcode::DynamicCode;
use brazil::txid::return_id;
use bytes::Bytes;
use http::HeaderMap;
use rails::entries::Entry;
use rails::error::ProviderError;
use rails::pix::{
    IssuedPix, PixChargeRequest, PixChargeState, PixConfirmation, PixProvider, PixReturnRequest,
};
use rails::provider::{Call, Provider};
use rails::refund::RefundState;

use crate::SANDBOX;
use crate::bank::{CITY, ISPB, SandboxBank, letters};
use crate::callback_parser::CallbackParser;
use crate::fault_injection::Operation;
use crate::refunds::{self, NewRefund, Rail};

impl Provider for SandboxBank {
    fn name(&self) -> &str {
        SANDBOX
    }
}

impl CallbackParser<PixConfirmation> for SandboxBank {
    fn read_callback(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<PixConfirmation>>, ProviderError> {
        self.signer.read_pix(headers, body)
    }
}

impl PixProvider for SandboxBank {
    fn issue<'a>(&'a self, order: &'a PixChargeRequest) -> Call<'a, IssuedPix> {
        let work = async move {
            let code = code(&order.txid, &order.merchant_name)?;
            Ok(IssuedPix { code, expires_at: None })
        };
        Box::pin(self.faults.around(Operation::IssuePix, work))
    }

    fn find<'a>(&'a self, _: &'a str) -> Call<'a, Option<PixChargeState>> {
        Box::pin(ready(Ok(None)))
    }

    fn cancel<'a>(&'a self, _: &'a str) -> Call<'a, ()> {
        Box::pin(ready(Ok(())))
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

    fn find_refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, Option<RefundState>> {
        Box::pin(self.find_refund_on(Rail::Pix, &order.reference))
    }
}

/// The code of a charge, whatever its other ways to be paid.
pub(crate) fn code(txid: &str, merchant_name: &str) -> Result<String, ProviderError> {
    let location = format!("pix.example.com/v2/{txid}");
    let code = DynamicCode { location: &location, merchant_name, city: CITY };
    code.encode().map_err(|error| ProviderError::refused(error.to_string()))
}
