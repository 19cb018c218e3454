//! Refunds of received payments (*devoluções*), ours and those of the return mechanism (MED).

use std::time::Duration;

use brazil::money::format_decimal;
use db::time::Timestamp;
use rails::connection::Event;
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::pix::PixReturnRequest;
use rails::refund::{RefundFailureCode, RefundState};
use serde::{Deserialize, Serialize};
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::bacen::{amount, money};
use crate::failures::{contradiction, provider_error};

/// A worker asks, sends, and asks again after a lost answer, all within its job's lease.
const SENT_WITHIN: Duration = Duration::from_secs(15);
const FOUND_WITHIN: Duration = Duration::from_secs(5);
/// How the kinds of return begin that the central bank's mechanism makes, and not the receiver.
const RETURN_MECHANISM: &str = "MED_";

#[derive(Serialize)]
struct NewRefund {
    valor: String,
}

/// A refund as the bank answers it.
#[derive(Debug, Deserialize)]
pub struct Refund {
    id: String,
    #[serde(default, rename = "rtrId")]
    return_id: String,
    valor: String,
    status: String,
    #[serde(default)]
    natureza: String,
    horario: Option<Times>,
}

/// When money went back: one instant, or that of the request and that of the settlement.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Times {
    One(Timestamp),
    Both {
        #[serde(rename = "solicitacao")]
        requested: Option<Timestamp>,
        #[serde(rename = "liquidacao")]
        settled: Option<Timestamp>,
    },
}

impl Times {
    /// When the money moved, as far as the bank says.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::One(at) => Some(*at),
            Self::Both { requested, settled } => settled.or(*requested),
        }
    }
}

impl Session {
    /// Refunds a payment; a reference that is known, or a lost answer, is looked up.
    pub async fn refund(&self, order: &PixReturnRequest) -> Result<RefundState, ProviderError> {
        let body = NewRefund { valor: format_decimal(order.amount.get()) };
        let call = self.of_refund(Call::put, "refund_pix", order).json(&body);
        match self.ask::<Refund>(call.within(SENT_WITHIN)).await {
            Ok(refund) => ours(order, &refund),
            // The standard refuses a known id with the code of every other refusal.
            Err(
                failure @ (Failure::Duplicate { .. }
                | Failure::Unknown { .. }
                | Failure::Refused { .. }),
            ) => match self.find_refund(order).await {
                Ok(Some(state)) => Ok(state),
                Ok(None) => Err(not_made(failure)),
                // A refusal says nothing of an earlier order that may be under way.
                Err(_) => Err(ProviderError::Unknown(failure.to_string())),
            },
            Err(failure) => Err(provider_error(failure)),
        }
    }

    /// The state of a refund; `None` if the bank does not know it.
    pub async fn find_refund(
        &self,
        order: &PixReturnRequest,
    ) -> Result<Option<RefundState>, ProviderError> {
        let call = self.of_refund(Call::get, "find_pix_refund", order);
        match self.ask::<Refund>(call.within(FOUND_WITHIN)).await {
            Ok(refund) => ours(order, &refund).map(Some),
            Err(Failure::NotFound { .. }) => Ok(None),
            Err(failure) => Err(provider_error(failure)),
        }
    }

    fn of_refund(
        &self,
        method: fn(&'static str, &str) -> Call,
        operation: &'static str,
        order: &PixReturnRequest,
    ) -> Call {
        method(operation, &self.path("/pix"))
            .segment(&order.end_to_end_id)
            .segment("devolucao")
            .segment(&order.reference)
    }
}

/// Why a refund does not exist at the bank.
///
/// Only what is about the payment itself is a refusal: the rest may be about the operator's
/// account, and would fail the refunds of all merchants.
fn not_made(failure: Failure) -> ProviderError {
    match failure {
        Failure::Refused { code, .. } if !is_about_the_payment(&code) => {
            ProviderError::misconfigured(format!("a refund is not accepted: {code}"))
        }
        failure => provider_error(failure),
    }
}

/// Whether a refusal says that this payment cannot be refunded, or not by this amount.
fn is_about_the_payment(code: &str) -> bool {
    matches!(
        code,
        "PixDevolucaoInvalida"
            | "PixNaoEncontrado"
            | "devolucao_fora_do_prazo"
            | "pix_nao_encontrado"
            | "valor_invalido"
    )
}

/// The state of the refund that was ordered.
fn ours(order: &PixReturnRequest, refund: &Refund) -> Result<RefundState, ProviderError> {
    let amount = amount(&refund.valor);
    if refund.id != order.reference || amount != Some(order.amount) {
        return Err(contradiction("another refund has this id"));
    }
    state(refund).ok_or_else(|| contradiction("the refund's status is unknown"))
}

/// What an entry of a payment's refunds says, if it can be read; nothing while a return is only
/// being made.
pub fn event(end_to_end_id: &str, refund: &Refund) -> Option<Option<Event>> {
    let state = state(refund)?;
    let amount = money(&refund.valor)?;
    let end_to_end_id = end_to_end_id.to_owned();
    if !refund.natureza.starts_with(RETURN_MECHANISM) {
        let reference = refund.id.clone();
        return Some(Some(Event::PixRefund { reference, end_to_end_id, amount, state }));
    }
    let RefundState::Done { rail_id: return_id } = state else { return Some(None) };
    let at = refund.horario.as_ref().and_then(Times::at)?;
    Some(Some(Event::PixTakenBack { end_to_end_id, return_id, amount, at }))
}

/// The state by the bank's word; `None` for a word that the standard does not have.
fn state(refund: &Refund) -> Option<RefundState> {
    match refund.status.as_str() {
        "EM_PROCESSAMENTO" => Some(RefundState::Processing),
        "DEVOLVIDO" if is_name(&refund.return_id) => {
            Some(RefundState::Done { rail_id: refund.return_id.clone() })
        }
        "NAO_REALIZADO" => Some(RefundState::Refused { reason: RefundFailureCode::RefusedByBank }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rails::refund::{RefundFailureCode, RefundState};
    use serde_json::json;

    use super::{Refund, state};
    use crate::status_tables;

    fn read(status: &str, return_id: &str) -> Option<RefundState> {
        let refund = json!({ "id": "r1", "rtrId": return_id, "valor": "1.00", "status": status });
        state(&serde_json::from_value::<Refund>(refund).expect("is a refund"))
    }

    #[test]
    fn each_status_of_a_refund_has_our_word_and_an_unknown_one_has_none() {
        let done = || RefundState::Done { rail_id: "D1".to_owned() };
        let refused = || RefundState::Refused { reason: RefundFailureCode::RefusedByBank };
        let table = [
            ("EM_PROCESSAMENTO", "D1", Some(RefundState::Processing)),
            ("DEVOLVIDO", "D1", Some(done())),
            ("NAO_REALIZADO", "D1", Some(refused())),
            ("ALGO_NOVO", "D1", None),
            ("DEVOLVIDO", "", None),
        ];
        for (status, return_id, expected) in table {
            assert_eq!(read(status, return_id), expected, "{status} {return_id}");
        }
        let words = ["EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"];
        let words = words.map(|word| (format!("`{word}`"), read(word, "D1")));
        status_tables::check("statuses of PIX refunds", words);
    }
}
