//! The sandbox: a simulated bank and acquirer that behave like real ones.
//!
//! It issues valid PIX codes and boletos, decides charges of published test cards, and confirms
//! payments in a bank's own format, signed. It keeps its own records, in units of its own: like a
//! bank it can be queried later for the result of an order, and like a bank it does not know our
//! tables. Its behavior is controlled by the card's number, by the amount and the options of a
//! simulated payment, and by [`SandboxBank::fail_next`] and [`SandboxBank::arm_refund`].

pub mod api;
pub mod callback_signature;
pub mod fault_injection;
pub mod form_api;
pub mod refunds;
pub mod test_cards;
pub mod tokens;

mod boleto;
mod cards;
mod pix;
mod store;

use std::sync::Arc;

use brazil::txid::end_to_end_id;
use bytes::Bytes;
use db::database::Database;
use db::time::Timestamp;
use db::tx::Tx;
use http::HeaderMap;
use rails::boleto::BoletoConfirmation;
use rails::error::ProviderError;
use rails::pix::PixConfirmation;

use crate::platform::error::{Error, Result};
use crate::platform::secrets::Secrets;
use crate::providers::sandbox::callback_signature::CallbackSigner;
use crate::providers::sandbox::fault_injection::{FaultInjection, Operation, Outage};

pub const NAME: &str = "sandbox";
const ISPB: &str = "00000000";
const CITY: &str = "SAO PAULO";

/// A bank with simulated money.
pub struct SandboxBank {
    database: Database,
    secrets: Arc<Secrets>,
    signer: CallbackSigner,
    faults: FaultInjection,
}

impl SandboxBank {
    /// Creates the bank.
    pub fn new(database: Database, secrets: Arc<Secrets>) -> Self {
        let signer = CallbackSigner::new(secrets.clone());
        Self { database, secrets, signer, faults: FaultInjection::default() }
    }

    /// Makes the next order of a kind fail; several failures are queued.
    pub fn fail_next(&self, operation: Operation, outage: Outage) {
        self.faults.plan(operation, outage);
    }

    /// Makes all orders of a kind fail to arrive until it is opened again.
    pub fn shut(&self, operation: Operation) {
        self.faults.shut(operation);
    }

    /// Undoes `shut`.
    pub fn open(&self, operation: Operation) {
        self.faults.open(operation);
    }

    /// Writes the confirmation of PIX payments as the bank would send it.
    pub fn confirmation(&self, receipts: &[PixConfirmation]) -> (HeaderMap, Bytes) {
        self.signer.confirm_pix(receipts)
    }

    /// Writes the confirmation of paid boletos as the bank would send it.
    pub fn boleto_confirmation(&self, receipts: &[BoletoConfirmation]) -> (HeaderMap, Bytes) {
        self.signer.confirm_boletos(receipts)
    }

    /// The end-to-end id of a simulated payment, in the format of the PIX system.
    pub fn end_to_end_id(paid_at: Timestamp, random: [u8; 11]) -> String {
        end_to_end_id(ISPB, paid_at.micros(), &letters(&random))
    }

    /// The identifier of a simulated boleto payment.
    pub fn payment_id(random: [u8; 16]) -> String {
        format!("SLIP{}", letters(&random))
    }

    /// Runs a unit of the bank's own; an error counts as no answer.
    async fn transact<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T, ProviderError> {
        self.database.transact(unit).await.map_err(|error| silent(&error))
    }

    async fn read<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T, ProviderError> {
        self.database.read(unit).await.map_err(|error| silent(&error))
    }
}

fn silent(error: &Error) -> ProviderError {
    ProviderError::Unknown(error.to_string())
}

/// Random bytes as letters and digits, one each.
fn letters(random: &[u8]) -> String {
    let letter =
        |byte: &u8| char::from(b"0123456789abcdefghijklmnopqrstuv"[usize::from(byte % 32)]);
    random.iter().map(letter).collect()
}
