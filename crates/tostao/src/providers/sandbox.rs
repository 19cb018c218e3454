//! The sandbox bank: a simulated bank that speaks like a real one.
//!
//! It issues valid BR Codes and confirms payments in the central bank's callback format, signed
//! with a key derived from the server's secret. How it behaves (late, twice, out of order, never,
//! with another amount) is told with each simulated payment, so it keeps no state of its own.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brazil::brcode::DynamicCode;
use brazil::money::{format_decimal, parse_decimal};
use brazil::txid::end_to_end_id;
use bytes::Bytes;
use db::time::Timestamp;
use http::{HeaderMap, HeaderValue};
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::providers::{Call, PixOrder, PixProvider, PixReceipt, ProviderError};
use crate::secrets::{Purpose, Secrets};

/// The header that proves a confirmation is the sandbox bank's.
pub const SIGNATURE: &str = "x-sandbox-signature";
const NAME: &str = "sandbox";
const ISPB: &str = "00000000";
const CITY: &str = "SAO PAULO";

/// A bank whose money is simulated.
pub struct SandboxBank {
    secrets: Arc<Secrets>,
    outage: Mutex<Option<Outage>>,
}

/// How the next order fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// The bank says no.
    Refuses,
    /// The bank does the work and its answer is lost.
    LosesTheAnswer,
}

/// The central bank's callback: several payments at once.
#[derive(Debug, Serialize, Deserialize)]
struct Callback {
    pix: Vec<Received>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    end_to_end_id: String,
    txid: String,
    valor: String,
    horario: Timestamp,
}

impl SandboxBank {
    /// Opens the bank.
    pub fn new(secrets: Arc<Secrets>) -> Self {
        Self { secrets, outage: Mutex::default() }
    }

    /// Makes the next order fail.
    pub fn fail_next(&self, outage: Outage) {
        *self.outage.lock().unwrap_or_else(PoisonError::into_inner) = Some(outage);
    }

    /// Writes the confirmation of payments as the bank would send it.
    pub fn confirmation(&self, receipts: &[PixReceipt]) -> (HeaderMap, Bytes) {
        let pix = receipts.iter().map(|receipt| Received {
            end_to_end_id: receipt.end_to_end_id.clone(),
            txid: receipt.txid.clone(),
            valor: format_decimal(receipt.amount.get()),
            horario: receipt.paid_at,
        });
        let body = serde_json::to_vec(&Callback { pix: pix.collect() }).unwrap_or_default();
        let signature = STANDARD.encode(self.secrets.sign(Purpose::SandboxBank, &body));
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_str(&signature) {
            headers.insert(SIGNATURE, value);
        }
        (headers, body.into())
    }

    /// Names a simulated payment as the PIX system would.
    pub fn end_to_end_id(paid_at: Timestamp, random: [u8; 11]) -> String {
        let letter =
            |byte: &u8| char::from(b"0123456789abcdefghijklmnopqrstuv"[usize::from(byte % 32)]);
        let suffix: String = random.iter().map(letter).collect();
        end_to_end_id(ISPB, paid_at.micros(), &suffix)
    }

    fn take_outage(&self) -> Option<Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl PixProvider for SandboxBank {
    fn name(&self) -> &'static str {
        NAME
    }

    fn issue<'a>(&'a self, order: &'a PixOrder) -> Call<'a, String> {
        Box::pin(async move {
            match self.take_outage() {
                Some(Outage::Refuses) => return Err(ProviderError::Refused("told to".into())),
                Some(Outage::LosesTheAnswer) => {
                    return Err(ProviderError::Unknown("told to".into()));
                }
                None => {}
            }
            let location = format!("pix.example.com/v2/{}", order.txid);
            let code = DynamicCode {
                location: &location,
                merchant_name: &order.merchant_name,
                city: CITY,
            };
            code.encode().map_err(|error| ProviderError::Refused(error.to_string()))
        })
    }

    fn read_confirmation<'a>(
        &'a self,
        headers: &'a HeaderMap,
        body: &'a Bytes,
    ) -> Call<'a, Vec<PixReceipt>> {
        Box::pin(async move {
            let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok());
            let signature = signature.and_then(|text| STANDARD.decode(text).ok());
            let signature = signature.ok_or(ProviderError::NotAuthentic)?;
            if !self.secrets.verify(Purpose::SandboxBank, body, &signature) {
                return Err(ProviderError::NotAuthentic);
            }
            let unreadable = |_| ProviderError::Refused("unreadable confirmation".into());
            let callback: Callback = serde_json::from_slice(body).map_err(unreadable)?;
            callback.pix.into_iter().map(receipt).collect()
        })
    }
}

fn receipt(received: Received) -> Result<PixReceipt, ProviderError> {
    let cents = parse_decimal(&received.valor);
    let cents = cents.ok_or_else(|| ProviderError::Refused("unreadable amount".into()))?;
    Ok(PixReceipt {
        txid: received.txid,
        end_to_end_id: received.end_to_end_id,
        amount: Cents::new(cents),
        paid_at: received.horario,
    })
}
