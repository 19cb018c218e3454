//! Immediate charges (`/cob`): a code to pay, the state of a charge, and its end.

use std::time::Duration;

use brazil::money::format_decimal;
use db::time::Timestamp;
use rails::error::ProviderError;
use rails::pix::{IssuedPix, PixChargeRequest, PixChargeState, PixConfirmation};
use serde::{Deserialize, Serialize};
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::amount;
use crate::bacen::received::{Pix, confirmation};
use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error};

/// A buyer waits for the code: ten seconds in all, with the question after a lost answer.
const ISSUED_WITHIN: Duration = Duration::from_secs(7);
const FOUND_WITHIN: Duration = Duration::from_secs(3);
/// What payers are shown with the charge may have so many characters.
const REQUEST_LENGTH_MAX: usize = 140;
/// The state that a receiver sets to close a charge.
const REMOVED: &str = "REMOVIDA_PELO_USUARIO_RECEBEDOR";
/// The standard refuses a second charge under one txid with this code.
const NOT_ALLOWED: &str = "CobOperacaoInvalida";

#[derive(Serialize)]
struct NewCharge<'a> {
    calendario: NewCalendar,
    valor: Amount,
    chave: &'a str,
    #[serde(rename = "solicitacaoPagador")]
    request: String,
}

#[derive(Serialize)]
struct NewCalendar {
    expiracao: i64,
}

#[derive(Serialize, Deserialize)]
struct Amount {
    original: String,
}

#[derive(Serialize)]
struct Closing {
    status: &'static str,
}

/// A charge as the bank answers it.
#[derive(Deserialize)]
struct Charge {
    txid: String,
    status: String,
    valor: Amount,
    chave: String,
    calendario: Calendar,
    #[serde(rename = "pixCopiaECola")]
    code: Option<String>,
    #[serde(default)]
    pix: Vec<Pix>,
}

#[derive(Deserialize)]
struct Calendar {
    criacao: Timestamp,
    expiracao: u64,
}

/// What has become of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Paid,
    /// Closed, by us or by the bank; money may still come.
    Closed,
}

impl Status {
    /// Reads a word; `None` for one that the standard does not have.
    fn read(word: &str) -> Option<Self> {
        match word {
            "ATIVA" => Some(Self::Open),
            "CONCLUIDA" => Some(Self::Paid),
            // Inter writes the same in the masculine.
            REMOVED
            | "REMOVIDA_PELO_PSP"
            | "REMOVIDO_PELO_USUARIO_RECEBEDOR"
            | "REMOVIDO_PELO_PSP" => Some(Self::Closed),
            _ => None,
        }
    }
}

impl Session {
    /// Registers a charge to a key; a lost answer, or a txid that is known, is looked up.
    pub async fn issue(
        &self,
        key: &str,
        order: &PixChargeRequest,
    ) -> Result<IssuedPix, ProviderError> {
        let body = NewCharge {
            calendario: NewCalendar { expiracao: order.seconds_to_pay },
            valor: Amount { original: format_decimal(order.amount.get()) },
            chave: key,
            request: order.merchant_name.chars().take(REQUEST_LENGTH_MAX).collect(),
        };
        let call = Call::put("issue_pix", &self.path("/cob")).segment(&order.txid).json(&body);
        match self.ask::<Charge>(call.within(ISSUED_WITHIN)).await {
            Ok(charge) => issued(key, order, charge),
            Err(failure) if may_be_registered(&failure) => match self.charge(&order.txid).await {
                Ok(Some(charge)) => issued(key, order, charge),
                // The first failure says more than that the charge is not there.
                Ok(None) | Err(_) => Err(provider_error(failure)),
            },
            Err(failure) => Err(provider_error(failure)),
        }
    }

    /// A charge with its payments; `None` if the bank does not know it.
    pub async fn find_charge(
        &self,
        key: &str,
        txid: &str,
    ) -> Result<Option<PixChargeState>, ProviderError> {
        let charge = self.charge(txid).await.map_err(provider_error)?;
        charge.map(|charge| state(key, txid, &charge)).transpose()
    }

    /// Closes a charge. One that is closed, paid or unknown cannot be paid either.
    pub async fn close_charge(&self, txid: &str) -> Result<(), ProviderError> {
        let call = Call::patch("close_pix", &self.path("/cob")).segment(txid);
        match self.send(call.json(&Closing { status: REMOVED })).await {
            Ok(_) => Ok(()),
            Err(failure) => match self.charge(txid).await {
                Ok(None) => Ok(()),
                Ok(Some(charge)) if charge.is_closed() => Ok(()),
                Ok(Some(_)) | Err(_) => Err(provider_error(failure)),
            },
        }
    }

    async fn charge(&self, txid: &str) -> Result<Option<Charge>, Failure> {
        let call = Call::get("find_pix", &self.path("/cob")).segment(txid);
        match self.ask(call.within(FOUND_WITHIN)).await {
            Ok(charge) => Ok(Some(charge)),
            Err(Failure::NotFound { .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

impl Charge {
    /// Whether it can no longer be paid; a status that is unknown does not say so.
    fn is_closed(&self) -> bool {
        matches!(Status::read(&self.status), Some(Status::Paid | Status::Closed))
    }
}

/// Whether the charge may exist at the bank all the same.
fn may_be_registered(failure: &Failure) -> bool {
    match failure {
        Failure::Unknown { .. } | Failure::Duplicate { .. } => true,
        Failure::Refused { code, .. } => code == NOT_ALLOWED,
        _ => false,
    }
}

/// The code of a charge, if the charge is the one that was ordered.
fn issued(key: &str, order: &PixChargeRequest, charge: Charge) -> Result<IssuedPix, ProviderError> {
    let amount = amount(&charge.valor.original);
    if charge.txid != order.txid || amount != Some(order.amount) || charge.chave != key {
        return Err(contradiction("another charge has this txid"));
    }
    match Status::read(&charge.status) {
        Some(Status::Open) => {}
        Some(Status::Paid | Status::Closed) => {
            return Err(ProviderError::refused("the charge is closed at the bank"));
        }
        None => return Err(contradiction("the charge's status is unknown")),
    }
    let code = charge.code.ok_or_else(|| contradiction("the charge has no code"))?;
    let lifetime = Duration::from_secs(charge.calendario.expiracao);
    Ok(IssuedPix { code, expires_at: Some(charge.calendario.criacao.plus(lifetime)) })
}

fn state(key: &str, txid: &str, charge: &Charge) -> Result<PixChargeState, ProviderError> {
    if charge.txid != txid || charge.chave != key {
        return Err(contradiction("it is about another charge"));
    }
    let amount = amount(&charge.valor.original);
    let amount = amount.ok_or_else(|| contradiction("the charge has no amount"))?;
    let payments = charge.pix.iter().map(|pix| {
        // Inside its charge, a payment need not repeat the charge's id.
        let is_of_charge = pix.txid.is_empty() || pix.txid == txid;
        let confirmation = confirmation(pix).filter(|_| is_of_charge);
        let confirmation =
            confirmation.ok_or_else(|| contradiction("a payment of the charge cannot be read"))?;
        Ok(PixConfirmation { txid: txid.to_owned(), ..confirmation })
    });
    let payments = payments.collect::<Result<_, ProviderError>>()?;
    Ok(PixChargeState { is_open: !charge.is_closed(), amount, payments })
}

#[cfg(test)]
mod tests {
    use super::Status;
    use crate::status_tables::{self, Means};

    impl Means for Status {
        fn meaning(&self) -> &'static str {
            match self {
                Self::Open => "open",
                Self::Paid => "paid: the payments that it lists are booked",
                Self::Closed => "closed; money may still come",
            }
        }
    }

    #[test]
    fn each_status_of_a_charge_has_our_word_and_an_unknown_one_has_none() {
        let table = [
            ("ATIVA", Status::Open),
            ("CONCLUIDA", Status::Paid),
            ("REMOVIDA_PELO_USUARIO_RECEBEDOR", Status::Closed),
            ("REMOVIDA_PELO_PSP", Status::Closed),
            ("REMOVIDO_PELO_USUARIO_RECEBEDOR", Status::Closed),
            ("REMOVIDO_PELO_PSP", Status::Closed),
        ];
        for (word, status) in table {
            assert_eq!(Status::read(word), Some(status), "{word}");
        }
        for unknown in ["ALGO_NOVO", "ativa", ""] {
            assert_eq!(Status::read(unknown), None, "{unknown}");
        }
        let words = table.map(|(word, _)| (format!("`{word}`"), Status::read(word)));
        status_tables::check("statuses of PIX charges", words);
    }
}
