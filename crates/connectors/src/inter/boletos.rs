//! Boletos, which Inter makes some seconds after it has given a code for them.
//!
//! A registration has no id of ours that Inter accepts once: our short reference (`seuNumero`) is a
//! label by which a boleto is found again. For half an hour an equal boleto is refused.

use std::time::Duration;

use brazil::boleto::Barcode;
use jiff::civil::Date;
use rails::address::Address;
use rails::boleto::{BoletoOrder, BoletoRequest, IssuedBoleto, Payer, Registration};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use upstream::call::{Call, Reads};
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error, unanswered};
use crate::inter::amounts::Amount;
use crate::inter::errors::is_only_about;

pub const PATH: &str = "/cobranca/v3/cobrancas";
/// A buyer waits for the boleto.
const ISSUED_WITHIN: Duration = Duration::from_secs(7);
const FOUND_WITHIN: Duration = Duration::from_secs(3);
/// Banks clear a payment up to three business days after the due date; without any, a boleto ends
/// on that date.
const WRITE_OFF_DAYS: u32 = 3;
/// Inter wants a reason for closing a boleto.
const REASON: &str = "ACERTOS";

#[derive(Serialize)]
struct NewBoleto<'a> {
    #[serde(rename = "seuNumero")]
    short_reference: &'a str,
    #[serde(rename = "valorNominal")]
    amount: Amount,
    #[serde(rename = "dataVencimento")]
    due_on: Date,
    #[serde(rename = "numDiasAgenda")]
    write_off_days: u32,
    pagador: NewPayer<'a>,
}

#[derive(Serialize)]
struct NewPayer<'a> {
    #[serde(rename = "cpfCnpj")]
    document: &'a str,
    #[serde(rename = "tipoPessoa")]
    kind: &'static str,
    nome: &'a str,
    endereco: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    numero: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    complemento: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    bairro: &'a str,
    cidade: &'a str,
    uf: &'a str,
    cep: &'a str,
}

#[derive(Serialize)]
struct Closing {
    #[serde(rename = "motivoCancelamento")]
    reason: &'static str,
}

/// The answer to an order.
#[derive(Deserialize)]
struct Taken {
    #[serde(rename = "codigoSolicitacao")]
    code: String,
}

/// A boleto as Inter answers it.
#[derive(Deserialize)]
pub struct Boleto {
    #[serde(rename = "cobranca")]
    pub charge: Charge,
    /// Missing until the boleto is made.
    #[serde(rename = "boleto")]
    pub numbers: Option<Numbers>,
    pix: Option<PixOf>,
}

#[derive(Deserialize)]
pub struct Charge {
    #[serde(rename = "codigoSolicitacao")]
    pub code: String,
    #[serde(rename = "seuNumero")]
    pub short_reference: String,
    #[serde(rename = "situacao")]
    status: String,
    /// A day, or a local time in Brazil.
    #[serde(rename = "dataSituacao")]
    pub changed_at: Option<String>,
    #[serde(rename = "valorNominal")]
    pub amount: Amount,
    #[serde(rename = "dataVencimento")]
    due_on: Date,
    #[serde(rename = "valorTotalRecebido")]
    pub received: Option<Amount>,
    #[serde(rename = "origemRecebimento")]
    pub received_by: Option<String>,
}

#[derive(Deserialize)]
pub struct Numbers {
    #[serde(rename = "nossoNumero")]
    pub our_number: String,
    #[serde(rename = "codigoBarras")]
    barcode: String,
}

#[derive(Deserialize)]
struct PixOf {
    txid: Option<String>,
    #[serde(rename = "pixCopiaECola")]
    code: Option<String>,
}

/// A page of a list.
#[derive(Deserialize)]
pub struct Listed<T> {
    #[serde(rename = "primeiraPagina")]
    pub is_first: bool,
    #[serde(rename = "ultimaPagina")]
    pub is_last: bool,
    #[serde(rename = "cobrancas")]
    pub boletos: Vec<T>,
}

/// What has become of a boleto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Inter makes it.
    InProcess,
    Open,
    Paid,
    /// Marked as paid by a person, though no money came.
    SettledByHand,
    /// Nothing can be paid to it any more.
    Ended,
    /// Inter did not make it.
    NotMade,
}

impl Charge {
    /// What Inter's word says; `None` for a word that it does not document.
    pub fn status(&self) -> Option<Status> {
        match &*self.status {
            "EM_PROCESSAMENTO" => Some(Status::InProcess),
            "A_RECEBER" | "ATRASADO" | "PROTESTO" => Some(Status::Open),
            "RECEBIDO" => Some(Status::Paid),
            "MARCADO_RECEBIDO" => Some(Status::SettledByHand),
            "CANCELADO" | "EXPIRADO" => Some(Status::Ended),
            "FALHA_EMISSAO" => Some(Status::NotMade),
            _ => None,
        }
    }
}

/// Orders a boleto; a lost answer, or an order that is known, is looked for by our reference.
pub async fn issue(
    session: &Session,
    order: &BoletoRequest,
) -> Result<Registration, ProviderError> {
    let address = order.payer.address.as_ref().ok_or_else(|| {
        ProviderError::refused("the bank registers no boleto without its payer's address")
    })?;
    let call = Call::post("issue_boleto", PATH).json(&new_boleto(order, address));
    match session.ask::<Taken>(call.within(ISSUED_WITHIN)).await {
        Ok(Taken { code }) if is_name(&code) => Ok(Registration::Later { bank_code: code }),
        Ok(_) => Err(contradiction("the boleto has no code")),
        Err(failure @ (Failure::Unknown { .. } | Failure::Duplicate { .. })) => {
            match find(session, &order.order(), None).await {
                Ok(Some(registration)) => Ok(registration),
                Ok(None) | Err(_) => Err(provider_error(failure)),
            }
        }
        Err(Failure::Refused { code, .. }) if !is_only_about(&code, is_of_charge) => {
            Err(ProviderError::misconfigured(format!("a boleto is not accepted: {code}")))
        }
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The boleto that was ordered; `None` if none has our reference.
pub async fn find(
    session: &Session,
    order: &BoletoOrder,
    bank_code: Option<&str>,
) -> Result<Option<Registration>, ProviderError> {
    let found = match bank_code {
        Some(code) => match by_code::<Boleto>(session, code).await {
            Ok(boleto) if boleto.charge.code == code => Some(boleto),
            Ok(_) => return Err(contradiction("it is about another boleto")),
            // Inter does not know a code for some seconds after it has given it.
            Err(Failure::NotFound { .. }) => {
                return Ok(Some(Registration::Later { bank_code: code.to_owned() }));
            }
            Err(failure) => return Err(unanswered(failure)),
        },
        None => by_reference(session, order).await?,
    };
    found.map(|boleto| registered(order, boleto)).transpose()
}

/// Closes a boleto. One that is closed or paid is left as it is.
pub async fn cancel(session: &Session, code: &str) -> Result<(), ProviderError> {
    let call = Call::post("close_boleto", PATH).segment(code).segment("cancelar");
    match session.send(call.json(&Closing { reason: REASON }).reads(Reads::Anything)).await {
        Ok(_) => Ok(()),
        // A boleto that is not made yet is refused, too, and would be open later.
        Err(failure @ Failure::Refused { .. }) => match by_code::<Boleto>(session, code).await {
            Ok(boleto) if boleto.charge.status().is_some_and(is_closed) => Ok(()),
            Ok(_) | Err(_) => Err(unanswered(failure)),
        },
        Err(failure) => Err(provider_error(failure)),
    }
}

/// A boleto by Inter's code.
pub async fn by_code<T: DeserializeOwned>(session: &Session, code: &str) -> Result<T, Failure> {
    session.ask(Call::get("find_boleto", PATH).segment(code).within(FOUND_WITHIN)).await
}

/// A page of the boletos for which something happened from one day to another one.
pub fn listed(operation: &'static str, what: &str, [from, to]: [Date; 2]) -> Call {
    Call::get(operation, PATH)
        .query("dataInicial", &from.to_string())
        .query("dataFinal", &to.to_string())
        .query("filtrarDataPor", what)
}

async fn by_reference(
    session: &Session,
    order: &BoletoOrder,
) -> Result<Option<Boleto>, ProviderError> {
    // Around the day, in case the bank's midnight is another one.
    let around = [order.issued_on.yesterday(), order.issued_on.tomorrow()];
    let around = around.map(|day| day.unwrap_or(order.issued_on));
    let call = listed("find_boleto", "EMISSAO", around).query("seuNumero", &order.short_reference);
    let found: Listed<Boleto> = session.ask(call.within(FOUND_WITHIN)).await.map_err(unanswered)?;
    let is_ours = |boleto: &Boleto| boleto.charge.short_reference == order.short_reference;
    let mut ours = found.boletos.into_iter().filter(is_ours);
    match (ours.next(), ours.next()) {
        (found, None) => Ok(found),
        (_, Some(_)) => Err(contradiction("several boletos have this reference")),
    }
}

fn new_boleto<'a>(order: &'a BoletoRequest, address: &'a Address) -> NewBoleto<'a> {
    let Payer { name, document, .. } = &order.payer;
    NewBoleto {
        short_reference: &order.short_reference,
        amount: Amount(order.amount),
        due_on: order.due_on,
        write_off_days: WRITE_OFF_DAYS,
        pagador: NewPayer {
            document: document.as_str(),
            kind: if document.is_cpf() { "FISICA" } else { "JURIDICA" },
            nome: name,
            endereco: &address.street,
            numero: &address.number,
            complemento: address.complement.as_deref(),
            bairro: &address.district,
            cidade: &address.city,
            uf: &address.state,
            cep: &address.postal_code,
        },
    }
}

/// Whether a property is about this charge, and not about the operator's account or our request.
fn is_of_charge(property: &str) -> bool {
    property.starts_with("pagador.") || matches!(property, "valorNominal" | "dataVencimento")
}

/// How far the boleto is, if it is the one that was ordered.
fn registered(order: &BoletoOrder, boleto: Boleto) -> Result<Registration, ProviderError> {
    let Boleto { charge, numbers, pix } = boleto;
    let is_ours = charge.short_reference == order.short_reference
        && charge.amount.0 == order.amount
        && charge.due_on == order.due_on
        && is_name(&charge.code);
    if !is_ours {
        return Err(contradiction("another boleto has this reference"));
    }
    let refused = |text: &str| {
        Err(ProviderError::Refused { code: charge.status.clone(), text: text.to_owned() })
    };
    match charge.status() {
        Some(Status::InProcess) => Ok(Registration::Later { bank_code: charge.code }),
        Some(Status::Open | Status::Paid | Status::SettledByHand) => {
            let numbers = numbers.ok_or_else(|| contradiction("the boleto has no numbers"))?;
            let (pix_code, pix_txid) = pix.map_or((None, None), |pix| (pix.code, pix.txid));
            let barcode = Barcode::parse(&numbers.barcode)
                .map_err(|_| contradiction("the boleto's barcode cannot be read"))?;
            Ok(Registration::Issued(IssuedBoleto {
                bank_code: charge.code,
                our_number: numbers.our_number,
                barcode,
                pix_code,
                pix_txid,
            }))
        }
        Some(Status::Ended) => refused("the boleto is closed at the bank"),
        Some(Status::NotMade) => refused("the bank did not make the boleto"),
        None => Err(contradiction("the boleto's status is unknown")),
    }
}

fn is_closed(status: Status) -> bool {
    match status {
        Status::Paid | Status::SettledByHand | Status::Ended | Status::NotMade => true,
        Status::InProcess | Status::Open => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Charge, Status, is_closed};
    use crate::status_tables::{self, Means};

    impl Means for Status {
        fn meaning(&self) -> &'static str {
            match self {
                Self::InProcess => "being made",
                Self::Open => "open",
                Self::Paid => "paid",
                Self::SettledByHand => "marked by a person; no money came",
                Self::Ended => "ended",
                Self::NotMade => "not made",
            }
        }
    }

    #[test]
    fn each_status_has_our_word_and_only_some_say_that_a_boleto_is_closed() {
        let table = [
            ("EM_PROCESSAMENTO", Some(Status::InProcess), Some(false)),
            ("A_RECEBER", Some(Status::Open), Some(false)),
            ("ATRASADO", Some(Status::Open), Some(false)),
            ("PROTESTO", Some(Status::Open), Some(false)),
            ("RECEBIDO", Some(Status::Paid), Some(true)),
            ("MARCADO_RECEBIDO", Some(Status::SettledByHand), Some(true)),
            ("CANCELADO", Some(Status::Ended), Some(true)),
            ("EXPIRADO", Some(Status::Ended), Some(true)),
            ("FALHA_EMISSAO", Some(Status::NotMade), Some(true)),
            ("ALGO_NOVO", None, None),
            ("", None, None),
        ];
        let read = |word: &str| {
            let charge = json!({
                "codigoSolicitacao": "c1", "seuNumero": "R1", "situacao": word,
                "valorNominal": 50.0, "dataVencimento": "2026-12-10",
            });
            serde_json::from_value::<Charge>(charge).expect("is a charge")
        };
        for (word, status, closed) in &table {
            let charge = read(word);
            assert_eq!(
                (charge.status(), charge.status().map(is_closed)),
                (*status, *closed),
                "{word}"
            );
        }
        let documented = table.iter().filter(|(_, status, _)| status.is_some());
        let words = documented.map(|(word, ..)| (format!("`{word}`"), read(word).status()));
        status_tables::check("statuses of Inter's boletos", words);
    }
}
