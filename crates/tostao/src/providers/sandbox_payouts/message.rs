//! The sandbox bank's payout callbacks: signed, and in the format of a real bank.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};

use crate::platform::secrets::{Purpose, Secrets};
use crate::providers::ProviderError;
use crate::providers::payout::{PayoutRefusal, PayoutReport, PayoutState};
use crate::providers::sandbox::callback_signature::SIGNATURE;

/// Several orders at once.
#[derive(Debug, Serialize, Deserialize)]
struct Callback {
    envios: Vec<Sent>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    id_envio: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motivo: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    EmProcessamento,
    Realizado,
    NaoRealizado,
}

/// Writes and signs the bank's reports.
pub fn write(secrets: &Secrets, reports: &[PayoutReport]) -> (HeaderMap, Bytes) {
    let envios = reports.iter().map(Sent::new).collect();
    let body = serde_json::to_vec(&Callback { envios }).unwrap_or_default();
    let signature = STANDARD.encode(secrets.sign(Purpose::SandboxPayouts, &body));
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&signature) {
        headers.insert(SIGNATURE, value);
    }
    (headers, body.into())
}

/// Reads and authenticates the bank's reports.
pub fn read(
    secrets: &Secrets,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Vec<PayoutReport>, ProviderError> {
    let signature = headers.get(SIGNATURE).and_then(|value| value.to_str().ok());
    let signature = signature.and_then(|text| STANDARD.decode(text).ok());
    let signature = signature.ok_or(ProviderError::NotAuthentic)?;
    if !secrets.verify(Purpose::SandboxPayouts, body, &signature) {
        return Err(ProviderError::NotAuthentic);
    }
    let callback: Option<Callback> = serde_json::from_slice(body).ok();
    let reports = callback.map(|callback| callback.envios.into_iter().map(Sent::report));
    let reports = reports.and_then(Iterator::collect);
    reports.ok_or_else(|| ProviderError::Refused("unreadable confirmation".into()))
}

impl Sent {
    fn new(report: &PayoutReport) -> Self {
        let (status, end_to_end_id, motivo) = match &report.state {
            PayoutState::Processing => (Status::EmProcessamento, None, None),
            PayoutState::Paid { end_to_end_id } => {
                (Status::Realizado, Some(end_to_end_id.clone()), None)
            }
            PayoutState::Refused(refusal) => {
                (Status::NaoRealizado, None, Some(refusal.name().to_owned()))
            }
        };
        Self { id_envio: report.reference.clone(), status, end_to_end_id, motivo }
    }

    fn report(self) -> Option<PayoutReport> {
        let state = match self.status {
            Status::EmProcessamento => PayoutState::Processing,
            Status::Realizado => PayoutState::Paid { end_to_end_id: self.end_to_end_id? },
            Status::NaoRealizado => PayoutState::Refused(PayoutRefusal::parse(&self.motivo?)?),
        };
        Some(PayoutReport { reference: self.id_envio, state })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{read, write};
    use crate::platform::secrets::Secrets;
    use crate::providers::ProviderError;
    use crate::providers::payout::{PayoutRefusal, PayoutReport, PayoutState};

    fn reports() -> Vec<PayoutReport> {
        let states = [
            PayoutState::Processing,
            PayoutState::Paid { end_to_end_id: "E000".into() },
            PayoutState::Refused(PayoutRefusal::AccountClosed),
        ];
        states.into_iter().map(|state| PayoutReport { reference: "a1".into(), state }).collect()
    }

    #[test]
    fn what_the_bank_wrote_reads_as_what_it_meant() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let (headers, body) = write(&secrets, &reports());
        assert_eq!(read(&secrets, &headers, &body).expect("is the bank's"), reports());
    }

    #[test]
    fn a_message_written_by_another_sender_is_not_read() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let (headers, body) = write(&secrets, &reports());
        let changed = Bytes::from([&body[..], b" "].concat());
        let other = Secrets::derive("another secret of more than 32 characters");
        for (secrets, body) in [(&secrets, &changed), (&other, &body)] {
            let refused = read(secrets, &headers, body);
            assert!(matches!(refused, Err(ProviderError::NotAuthentic)), "{refused:?}");
        }
    }
}
