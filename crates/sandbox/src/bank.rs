//! The bank and acquirer of simulated money: what its rails share.

use std::sync::Arc;

use brazil::txid::end_to_end_id;
use bytes::Bytes;
use db::database::Database;
use db::error::{Error, Result};
use db::time::Timestamp;
use db::tx::Tx;
use http::HeaderMap;
use rails::boleto::BoletoConfirmation;
use rails::error::ProviderError;
use rails::pix::PixConfirmation;

use crate::callback_signature::CallbackSigner;
use crate::fault_injection::{FaultInjection, Operation, Outage};
use crate::keys::Keys;

pub(crate) const ISPB: &str = "00000000";
pub(crate) const CITY: &str = "SAO PAULO";

/// A bank with simulated money.
pub struct SandboxBank {
    database: Database,
    pub(crate) keys: Arc<dyn Keys>,
    pub(crate) signer: CallbackSigner,
    pub(crate) faults: FaultInjection,
}

impl SandboxBank {
    /// Creates the bank.
    pub fn new(database: Database, keys: Arc<dyn Keys>) -> Self {
        let signer = CallbackSigner::new(keys.clone());
        Self { database, keys, signer, faults: FaultInjection::default() }
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
    pub(crate) async fn transact<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T, ProviderError> {
        self.database.transact(unit).await.map_err(|error| silent(&error))
    }

    pub(crate) async fn read<T: Send + 'static>(
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
pub(crate) fn letters(random: &[u8]) -> String {
    let letter =
        |byte: &u8| char::from(b"0123456789abcdefghijklmnopqrstuv"[usize::from(byte % 32)]);
    random.iter().map(letter).collect()
}
