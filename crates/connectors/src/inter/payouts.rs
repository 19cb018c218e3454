//! Payouts to a PIX key, which Inter knows by a code of its own.
//!
//! The answer to an order has the code, and no more is certain by it. Where the answer is lost, the
//! same order under the same idempotency key is the only question: its answer is the first one's.

use std::time::Duration;

use brazil::txid::is_end_to_end_id;
use http::HeaderName;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutReport, PayoutRequest, PayoutState, SentPayout};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;
use uuid::Uuid;

use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error, unanswered};
use crate::inter::amounts::Amount;
use crate::inter::errors::is_only_about;
use crate::rail_codes::failure_code;

const PATH: &str = "/banking/v2/pix";
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("x-id-idempotente");
/// A worker asks, and sends where that is the question, all within its job's lease.
const SENT_WITHIN: Duration = Duration::from_secs(15);
const FOUND_WITHIN: Duration = Duration::from_secs(5);
/// What a payee is shown may have so many characters.
const DESCRIPTION_LENGTH_MAX: usize = 140;
/// The kind of a payee who is named by a PIX key.
const BY_KEY: &str = "CHAVE";
/// The property of an order that is about its payee.
const PAYEES_KEY: &str = "destinatario.chave";
/// How an order is answered that a person must approve.
const NEEDS_APPROVAL: &str = "APROVACAO";

#[derive(Serialize)]
struct NewPayout<'a> {
    valor: Amount,
    #[serde(rename = "descricao", skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    destinatario: Payee<'a>,
}

#[derive(Serialize)]
struct Payee<'a> {
    tipo: &'static str,
    chave: &'a str,
}

/// The answer to an order.
#[derive(Deserialize)]
struct Taken {
    #[serde(rename = "codigoSolicitacao")]
    code: String,
    #[serde(default, rename = "tipoRetorno")]
    kind: String,
}

/// The answer to a question.
#[derive(Deserialize)]
struct Found {
    #[serde(rename = "transacaoPix")]
    payout: Payout,
}

#[derive(Deserialize)]
struct Payout {
    #[serde(rename = "codigoSolicitacao")]
    code: Option<String>,
    valor: Option<Amount>,
    chave: Option<String>,
    status: String,
    #[serde(rename = "endToEnd")]
    end_to_end_id: Option<String>,
    erros: Option<Vec<Cause>>,
}

#[derive(Deserialize)]
struct Cause {
    #[serde(rename = "codigoErro")]
    code: Option<String>,
}

/// Sends a payout; the same reference again is answered with the same code.
pub async fn send(session: &Session, order: &PayoutRequest) -> Result<SentPayout, ProviderError> {
    let key = Uuid::try_parse(&order.reference)
        .map_err(|_| ProviderError::misconfigured("a payout's reference is no UUID"))?;
    let description = order
        .description
        .as_deref()
        .map(|text| text.chars().take(DESCRIPTION_LENGTH_MAX).collect());
    let body = NewPayout {
        valor: Amount(order.amount),
        description,
        destinatario: Payee { tipo: BY_KEY, chave: order.key.as_str() },
    };
    let call = Call::post("send_payout", PATH)
        .header(IDEMPOTENCY_KEY, &key.hyphenated().to_string())
        .json(&body);
    match session.ask::<Taken>(call.within(SENT_WITHIN)).await {
        Ok(Taken { code, kind }) => {
            if !is_name(&code) {
                return Err(contradiction("the payout has no code"));
            }
            if kind == NEEDS_APPROVAL {
                log_approval(&code);
            }
            Ok(SentPayout { state: PayoutState::Processing, bank_code: Some(code) })
        }
        Err(Failure::Refused { code, .. }) => match about_the_payee(&code) {
            Some(refusal) => Ok(PayoutState::Refused(refusal).into()),
            None => Err(ProviderError::misconfigured(format!("a payout is not accepted: {code}"))),
        },
        // A duplicate is another order under this key, so ours may not exist.
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The state of a payout; `None` if Inter does not know the code.
pub async fn find(
    session: &Session,
    order: &PayoutRequest,
    bank_code: Option<&str>,
) -> Result<Option<SentPayout>, ProviderError> {
    let Some(code) = bank_code else {
        let cause = "Inter is asked about a payout only by its own code";
        return Err(ProviderError::Unknown(cause.to_owned()));
    };
    match by_code::<Found>(session, code).await {
        Ok(Found { payout }) => ours(order, code, &payout).map(Some),
        Err(Failure::NotFound { .. }) => Ok(None),
        Err(failure) => Err(unanswered(failure)),
    }
}

/// What is known of a payout by its code; nothing if it is unknown.
pub async fn sent(session: &Session, code: &str) -> Result<Page, ProviderError> {
    let mut page = Page::default();
    match by_code::<Box<RawValue>>(session, code).await {
        Ok(entry) => match report(code, &entry) {
            Some(report) => page.events.push(Event::Payout(report)),
            None => page.unreadable.push(entry.get().to_owned()),
        },
        Err(Failure::NotFound { .. }) => {}
        Err(failure) => return Err(provider_error(failure)),
    }
    Ok(page)
}

async fn by_code<T: DeserializeOwned>(session: &Session, code: &str) -> Result<T, Failure> {
    session.ask(Call::get("find_payout", PATH).segment(code).within(FOUND_WITHIN)).await
}

/// The payout that was ordered, as the answer describes it.
fn ours(order: &PayoutRequest, code: &str, payout: &Payout) -> Result<SentPayout, ProviderError> {
    let is_ours = payout.code.as_ref().is_none_or(|named| named == code)
        && payout.valor == Some(Amount(order.amount))
        && payout.chave.as_ref().is_none_or(|key| key == order.key.as_str());
    if !is_ours {
        return Err(contradiction("another payout has this code"));
    }
    let state = state(code, payout);
    let state = state.ok_or_else(|| contradiction("the payout's status is unknown"))?;
    Ok(SentPayout { state, bank_code: Some(code.to_owned()) })
}

fn report(code: &str, entry: &RawValue) -> Option<PayoutReport> {
    let Found { payout } = serde_json::from_str(entry.get()).ok()?;
    payout.code.as_ref().is_none_or(|named| named == code).then_some(())?;
    Some(PayoutReport {
        reference: None,
        bank_code: Some(code.to_owned()),
        amount: payout.valor.map(|Amount(amount)| amount),
        state: state(code, &payout)?,
    })
}

/// The state by Inter's word; `None` for a word that it does not document.
fn state(code: &str, payout: &Payout) -> Option<PayoutState> {
    match &*payout.status {
        "PAGO" | "PIX_PAGO" => {
            let end_to_end_id = payout.end_to_end_id.clone().filter(|id| is_end_to_end_id(id))?;
            Some(PayoutState::Paid { end_to_end_id })
        }
        "REPROVADO" | "EXPIRADO" | "CANCELADO" | "FALHA" | "AGENDAMENTO_CANCELADO" => {
            Some(PayoutState::Refused(refusal(code, payout)))
        }
        // Inter has given the order up, so that it will not be paid later either.
        "CANCELADO_SEM_SALDO" | "NAO_DEBITADO" => {
            tracing::error!(code, "the account at the bank has no money for a payout");
            Some(PayoutState::Refused(refusal(code, payout)))
        }
        "AGUARDANDO_APROVACAO" => {
            log_approval(code);
            Some(PayoutState::Processing)
        }
        "CRIADO"
        | "APROVADO"
        | "AGENDADO"
        | "ENVIADO"
        | "DEBITADO"
        | "PARCIALMENTE_DEBITADO"
        | "PARCIALMENTE_PAGO"
        | "TRANSACAO_CRIADA"
        | "TRANSACAO_APROVADA"
        | "PIX_ENVIADO" => Some(PayoutState::Processing),
        _ => None,
    }
}

/// Why a payout was not carried out; the log has the bank's own words.
fn refusal(code: &str, payout: &Payout) -> PayoutFailureCode {
    let mut causes = payout.erros.iter().flatten().filter_map(|cause| cause.code.as_deref());
    let cause = causes.find(|cause| is_name(cause)).unwrap_or("none");
    let status = &*payout.status;
    tracing::warn!(code, status, cause, "the bank did not carry a payout out");
    failure_code(cause)
}

/// A refusal of the request that is about this payee. Any other one may be about the operator's
/// account, its balance, limit or setup: nothing was done, and refusing would fail the payouts of
/// all merchants.
fn about_the_payee(code: &str) -> Option<PayoutFailureCode> {
    is_only_about(code, |property| property == PAYEES_KEY).then_some(PayoutFailureCode::InvalidKey)
}

fn log_approval(code: &str) {
    tracing::warn!(code, "a payout waits for the approval of a person in the bank's app");
}

#[cfg(test)]
mod tests {
    use brazil::pix_key::{PixKey, PixKeyType};
    use ledger::cents::Cents;
    use rails::error::ProviderError;
    use rails::payout::{PayoutFailureCode, PayoutRequest, PayoutState};
    use serde_json::{Value, json};

    use super::{Payout, about_the_payee, ours, state};
    use crate::status_tables;

    const PAID_BY: &str = "E00416968202611231200abcDEF12345";

    fn payout(status: &str) -> Value {
        json!({
            "codigoSolicitacao": "c1", "endToEnd": PAID_BY, "valor": 50.0,
            "chave": "ana@example.com", "status": status, "erros": [],
        })
    }

    fn read(payout: Value) -> Payout {
        serde_json::from_value(payout).expect("is a payout")
    }

    #[test]
    fn each_status_has_our_word_and_an_unknown_one_has_none() {
        let paid = || PayoutState::Paid { end_to_end_id: PAID_BY.to_owned() };
        let refused = || PayoutState::Refused(PayoutFailureCode::RejectedByBank);
        let table = [
            ("PAGO", Some(paid())),
            ("PIX_PAGO", Some(paid())),
            ("REPROVADO", Some(refused())),
            ("EXPIRADO", Some(refused())),
            ("CANCELADO", Some(refused())),
            ("FALHA", Some(refused())),
            ("CANCELADO_SEM_SALDO", Some(refused())),
            ("NAO_DEBITADO", Some(refused())),
            ("AGENDAMENTO_CANCELADO", Some(refused())),
            ("CRIADO", Some(PayoutState::Processing)),
            ("AGUARDANDO_APROVACAO", Some(PayoutState::Processing)),
            ("APROVADO", Some(PayoutState::Processing)),
            ("AGENDADO", Some(PayoutState::Processing)),
            ("ENVIADO", Some(PayoutState::Processing)),
            ("DEBITADO", Some(PayoutState::Processing)),
            ("PARCIALMENTE_DEBITADO", Some(PayoutState::Processing)),
            ("PARCIALMENTE_PAGO", Some(PayoutState::Processing)),
            ("TRANSACAO_CRIADA", Some(PayoutState::Processing)),
            ("TRANSACAO_APROVADA", Some(PayoutState::Processing)),
            ("PIX_ENVIADO", Some(PayoutState::Processing)),
            ("ALGO_NOVO", None),
            ("pago", None),
            ("", None),
        ];
        for (status, expected) in &table {
            assert_eq!(state("c1", &read(payout(status))), *expected, "{status}");
        }
        let documented = table.iter().filter(|(_, expected)| expected.is_some());
        let words =
            documented.map(|(word, _)| (format!("`{word}`"), state("c1", &read(payout(word)))));
        status_tables::check("statuses of Inter's payouts", words);
    }

    #[test]
    fn a_paid_payout_without_its_end_to_end_id_is_not_known_to_be_paid() {
        for id in [Value::Null, json!(""), json!("E1")] {
            let mut paid = payout("PAGO");
            paid["endToEnd"] = id.clone();
            assert_eq!(state("c1", &read(paid)), None, "{id}");
        }
    }

    #[test]
    fn an_answer_is_ours_only_with_our_code_amount_and_key() {
        let order = PayoutRequest {
            reference: "w1".to_owned(),
            amount: Cents::new(5_000),
            key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
            holder: None,
            description: None,
            test_clock: None,
        };
        let answered = |field: &str, value: Value| {
            let mut paid = payout("PAGO");
            paid[field] = value;
            ours(&order, "c1", &read(paid)).map(|sent| sent.bank_code)
        };
        assert_eq!(answered("status", json!("PAGO")), Ok(Some("c1".to_owned())));
        for (field, value) in [
            ("codigoSolicitacao", json!("c2")),
            ("valor", json!(50.01)),
            ("valor", Value::Null),
            ("chave", json!("bob@example.com")),
            ("status", json!("ALGO_NOVO")),
        ] {
            let answer = answered(field, value.clone());
            assert!(
                matches!(answer, Err(ProviderError::Unknown(_))),
                "{field} {value}: {answer:?}"
            );
        }
    }

    #[test]
    fn only_a_refusal_of_the_payees_key_is_about_the_payee() {
        let table = [
            ("destinatario.chave", Some(PayoutFailureCode::InvalidKey)),
            ("destinatario.chave valor", None),
            ("destinatario.tipo", None),
            ("valor", None),
            ("Requisição inválida", None),
            ("", None),
        ];
        for (code, expected) in table {
            assert_eq!(about_the_payee(code), expected, "{code}");
        }
    }
}
