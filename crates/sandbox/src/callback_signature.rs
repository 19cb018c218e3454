//! The bank's confirmations: its two formats, and their signature.
//!
//! A signer needs only the server's keys, so that an external simulation of the bank can write
//! confirmations too.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brazil::money::{format_decimal, parse_decimal};
use brazil::txid::is_end_to_end_id;
use bytes::Bytes;
use db::time::Timestamp;
use http::{HeaderMap, HeaderValue};
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, Covers};
use rails::entries::{Entry, is_name, read_entries};
use rails::error::ProviderError;
use rails::pix::PixConfirmation;
use serde::{Deserialize, Serialize};

use crate::keys::{KeyUse, Keys};

/// The header with the sandbox bank's signature of a confirmation.
pub const SIGNATURE: &str = "x-sandbox-signature";

/// Writes and reads confirmations.
pub struct CallbackSigner {
    keys: Arc<dyn Keys>,
}

/// The central bank's callback: several payments at once.
#[derive(Debug, Serialize, Deserialize)]
struct PixCallback<T> {
    pix: Vec<T>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PixPayment {
    end_to_end_id: String,
    /// Missing where the payer entered a key instead of a code.
    #[serde(default)]
    txid: String,
    valor: String,
    horario: Timestamp,
}

/// Paid boletos, with the field names that banks use.
#[derive(Debug, Serialize, Deserialize)]
struct BoletoCallback<T> {
    boletos: Vec<T>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BoletoPayment {
    nosso_numero: String,
    seu_numero: String,
    id_pagamento: String,
    valor_pago: String,
    horario: Timestamp,
}

impl CallbackSigner {
    /// Creates a signer from the server's keys.
    pub fn new(keys: Arc<dyn Keys>) -> Self {
        Self { keys }
    }

    /// Writes the confirmation of PIX payments.
    pub fn confirm_pix(&self, receipts: &[PixConfirmation]) -> (HeaderMap, Bytes) {
        let pix = receipts.iter().map(|receipt| PixPayment {
            end_to_end_id: receipt.end_to_end_id.clone(),
            txid: receipt.txid.clone(),
            valor: format_decimal(receipt.amount.get()),
            horario: receipt.paid_at,
        });
        self.sign(&PixCallback { pix: pix.collect() })
    }

    /// Writes the confirmation of paid boletos.
    pub fn confirm_boletos(&self, receipts: &[BoletoConfirmation]) -> (HeaderMap, Bytes) {
        let boletos = receipts.iter().map(|receipt| BoletoPayment {
            nosso_numero: receipt.bank_code.clone(),
            seu_numero: receipt.reference.clone(),
            id_pagamento: receipt.payment_id.clone(),
            valor_pago: format_decimal(receipt.amount.get()),
            horario: receipt.paid_at,
        });
        self.sign(&BoletoCallback { boletos: boletos.collect() })
    }

    /// Reads and authenticates a confirmation of PIX payments.
    pub fn read_pix(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<PixConfirmation>>, ProviderError> {
        verify(&*self.keys, KeyUse::Payments, headers, body)?;
        let list = |message: PixCallback<_>| message.pix;
        read_entries(body, list, "txid", |payment: PixPayment| {
            let named = payment.txid.is_empty() || is_name(&payment.txid);
            let receipt = PixConfirmation {
                txid: payment.txid,
                end_to_end_id: payment.end_to_end_id,
                amount: parse_decimal(&payment.valor).map(Cents::new)?,
                paid_at: payment.horario,
            };
            (named && is_end_to_end_id(&receipt.end_to_end_id)).then_some(receipt)
        })
    }

    /// Reads and authenticates a confirmation of paid boletos.
    pub fn read_boletos(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<BoletoConfirmation>>, ProviderError> {
        verify(&*self.keys, KeyUse::Payments, headers, body)?;
        let list = |message: BoletoCallback<_>| message.boletos;
        read_entries(body, list, "nossoNumero", |payment: BoletoPayment| {
            // A colon is only in our own ids, of reports that cannot be read.
            let named = is_name(&payment.nosso_numero)
                && is_name(&payment.id_pagamento)
                && !payment.id_pagamento.contains(':');
            let receipt = BoletoConfirmation {
                bank_code: payment.nosso_numero,
                reference: payment.seu_numero,
                payment_id: payment.id_pagamento,
                amount: parse_decimal(&payment.valor_pago).map(Cents::new)?,
                paid_at: payment.horario,
                covers: Covers::Payment,
            };
            named.then_some(receipt)
        })
    }

    fn sign(&self, callback: &impl Serialize) -> (HeaderMap, Bytes) {
        sign(&*self.keys, KeyUse::Payments, callback)
    }
}

/// Writes and signs a message of the sandbox bank.
pub fn sign(keys: &dyn Keys, key_use: KeyUse, message: &impl Serialize) -> (HeaderMap, Bytes) {
    let body = serde_json::to_vec(message).unwrap_or_default();
    let signature = STANDARD.encode(keys.sign(key_use, &body));
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&signature) {
        headers.insert(SIGNATURE, value);
    }
    (headers, body.into())
}

/// Refuses a message that the sandbox bank has not signed.
pub fn verify(
    keys: &dyn Keys,
    key_use: KeyUse,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(), ProviderError> {
    let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok());
    let signature = signature.and_then(|text| STANDARD.decode(text).ok());
    let signed = signature.is_some_and(|signature| keys.verify(key_use, body, &signature));
    if signed { Ok(()) } else { Err(ProviderError::NotAuthentic) }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use db::time::Timestamp;
    use ledger::cents::Cents;
    use rails::boleto::{BoletoConfirmation, Covers};
    use rails::error::ProviderError;
    use rails::pix::PixConfirmation;

    use super::CallbackSigner;
    use crate::keys::tests::keys;

    fn signer(secret: &'static str) -> CallbackSigner {
        CallbackSigner::new(keys(secret))
    }

    fn paid_at() -> Timestamp {
        Timestamp::parse("2026-11-21T12:00:00.000Z").unwrap()
    }

    fn paid_boleto() -> BoletoConfirmation {
        BoletoConfirmation {
            bank_code: "12345670000000042".into(),
            reference: "order1".into(),
            payment_id: "SLIP1".into(),
            amount: Cents::new(12_345),
            paid_at: paid_at(),
            covers: Covers::Payment,
        }
    }

    #[test]
    fn a_confirmation_reads_back_what_was_written() {
        let ours = signer("ours");
        let boletos =
            [paid_boleto(), BoletoConfirmation { payment_id: "SLIP2".into(), ..paid_boleto() }];
        let (headers, body) = ours.confirm_boletos(&boletos);
        assert_eq!(ours.read_boletos(&headers, &body).unwrap(), boletos.map(Ok));
        let pix = [PixConfirmation {
            txid: "order1".into(),
            end_to_end_id: "E12345678202611211200abcDEF12345".into(),
            amount: Cents::new(5),
            paid_at: paid_at(),
        }];
        let (headers, body) = ours.confirm_pix(&pix);
        assert_eq!(ours.read_pix(&headers, &body).unwrap(), pix.map(Ok));
    }

    #[test]
    fn what_another_signed_or_somebody_changed_is_not_the_banks() {
        let ours = signer("ours");
        let (headers, body) = ours.confirm_boletos(&[paid_boleto()]);
        let changed = Bytes::from(String::from_utf8_lossy(&body).replace("123.45", "999.99"));
        let (foreign, _) = signer("theirs").confirm_boletos(&[paid_boleto()]);
        let none = http::HeaderMap::new();
        for (headers, body) in [(&headers, &changed), (&foreign, &body), (&none, &body)] {
            let refused = ours.read_boletos(headers, body).unwrap_err();
            assert!(matches!(refused, ProviderError::NotAuthentic), "{refused}");
        }
    }

    #[test]
    fn a_confirmation_of_one_rail_is_none_of_the_other() {
        let ours = signer("ours");
        let (headers, body) = ours.confirm_boletos(&[paid_boleto()]);
        let refused = ours.read_pix(&headers, &body).unwrap_err();
        assert!(matches!(refused, ProviderError::Refused { .. }), "{refused}");
    }
}
