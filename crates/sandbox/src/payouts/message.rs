//! The sandbox bank's payout callbacks: signed, and in the format of a real bank.

use brazil::txid::is_end_to_end_id;
use bytes::Bytes;
use http::HeaderMap;
use rails::entries::{Entry, is_name, read_entries};
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutReport, PayoutState};
use serde::{Deserialize, Serialize};

use crate::callback_signature::{sign, verify};
use crate::keys::{KeyUse, Keys};

/// Several orders at once.
#[derive(Debug, Serialize, Deserialize)]
struct Callback<T> {
    envios: Vec<T>,
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
pub fn write(keys: &dyn Keys, reports: &[PayoutReport]) -> (HeaderMap, Bytes) {
    let envios = reports.iter().map(Sent::new).collect();
    sign(keys, KeyUse::Payouts, &Callback { envios })
}

/// Reads and authenticates the bank's reports.
pub fn read(
    keys: &dyn Keys,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Vec<Entry<PayoutReport>>, ProviderError> {
    verify(keys, KeyUse::Payouts, headers, body)?;
    read_entries(body, |message: Callback<_>| message.envios, "idEnvio", Sent::report)
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
        let id_envio = report.reference.clone().unwrap_or_default();
        Self { id_envio, status, end_to_end_id, motivo }
    }

    fn report(self) -> Option<PayoutReport> {
        let state = match self.status {
            Status::EmProcessamento => PayoutState::Processing,
            Status::Realizado => PayoutState::Paid {
                end_to_end_id: self.end_to_end_id.filter(|id| is_end_to_end_id(id))?,
            },
            Status::NaoRealizado => PayoutState::Refused(PayoutFailureCode::parse(&self.motivo?)?),
        };
        let reference = Some(self.id_envio).filter(|id| is_name(id));
        let (bank_code, amount) = (None, None);
        reference.is_some().then_some(PayoutReport { reference, bank_code, amount, state })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use rails::error::ProviderError;
    use rails::payout::{PayoutFailureCode, PayoutReport, PayoutState};

    use super::{read, write};
    use crate::keys::tests::keys;

    fn reports() -> [PayoutReport; 3] {
        let states = [
            PayoutState::Processing,
            PayoutState::Paid { end_to_end_id: "E12345678202611211200abcDEF12345".into() },
            PayoutState::Refused(PayoutFailureCode::AccountClosed),
        ];
        states.map(|state| PayoutReport {
            reference: Some("a1".into()),
            bank_code: None,
            amount: None,
            state,
        })
    }

    #[test]
    fn what_the_bank_wrote_reads_as_what_it_meant() {
        let ours = keys("ours");
        let (headers, body) = write(&*ours, &reports());
        assert_eq!(read(&*ours, &headers, &body).expect("is the bank's"), reports().map(Ok));
    }

    #[test]
    fn a_message_written_by_another_sender_is_not_read() {
        let (ours, theirs) = (keys("ours"), keys("theirs"));
        let (headers, body) = write(&*ours, &reports());
        let changed = Bytes::from([&body[..], b" "].concat());
        for (keys, body) in [(&ours, &changed), (&theirs, &body)] {
            let refused = read(&**keys, &headers, body);
            assert!(matches!(refused, Err(ProviderError::NotAuthentic)), "{refused:?}");
        }
    }
}
