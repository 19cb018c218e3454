//! Payouts to a PIX key, under an id of ours that Efí accepts once (`idEnvio`).

use std::time::Duration;

use brazil::document::Document;
use brazil::money::format_decimal;
use brazil::txid::is_end_to_end_id;
use db::time::Timestamp;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutReport, PayoutRequest, PayoutState, SentPayout};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::refunds::Times;
use crate::bacen::session::Session;
use crate::bacen::{amount, money};
use crate::failures::{contradiction, provider_error, unanswered};
use crate::rail_codes::failure_code;

/// A worker asks, sends, and asks again after a duplicate, all within its job's lease.
const SENT_WITHIN: Duration = Duration::from_secs(15);
const FOUND_WITHIN: Duration = Duration::from_secs(5);
/// What a payee is shown may have so many characters.
const DESCRIPTION_LENGTH_MAX: usize = 140;
/// Efí's word for the payee, in a refusal that is about their key.
const PAYEE: &str = "favorecido";
/// The status of a return that was made.
const DONE: &str = "DEVOLVIDO";

#[derive(Serialize)]
struct NewPayout<'a> {
    valor: String,
    pagador: Payer<'a>,
    favorecido: Payee<'a>,
}

#[derive(Serialize)]
struct Payer<'a> {
    chave: &'a str,
    #[serde(rename = "infoPagador", skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize)]
struct Payee<'a> {
    chave: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpf: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnpj: Option<&'a str>,
}

/// A payout as Efí answers it.
#[derive(Debug, Deserialize)]
pub struct Payout {
    #[serde(rename = "idEnvio")]
    id: String,
    /// Newer answers have this name, older documents the next one.
    #[serde(rename = "endToEndId")]
    end_to_end_id: Option<String>,
    #[serde(rename = "e2eId")]
    e2e_id: Option<String>,
    valor: String,
    status: String,
    favorecido: Option<NamedPayee>,
    #[serde(rename = "gnExtras")]
    extras: Option<Extras>,
    #[serde(default, rename = "devolucoes")]
    returned: Vec<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
struct NamedPayee {
    chave: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Extras {
    erro: Option<Cause>,
}

#[derive(Debug, Deserialize)]
struct Cause {
    codigo: Option<String>,
}

/// Money that came back after a payout was paid.
#[derive(Debug, Deserialize)]
struct Returned {
    #[serde(default, rename = "rtrId")]
    return_id: String,
    valor: String,
    /// Without one, the return is made.
    status: Option<String>,
    horario: Option<Times>,
}

/// Sends a payout; an id that is known is looked up. After a lost answer its state is unknown until
/// the caller asks for it.
pub async fn send(
    session: &Session,
    paying_key: &str,
    order: &PayoutRequest,
) -> Result<SentPayout, ProviderError> {
    let description = order
        .description
        .as_deref()
        .map(|text| text.chars().take(DESCRIPTION_LENGTH_MAX).collect());
    let body = NewPayout {
        valor: format_decimal(order.amount.get()),
        pagador: Payer { chave: paying_key, description },
        favorecido: Payee {
            chave: order.key.as_str(),
            cpf: order.holder.as_ref().filter(|holder| holder.is_cpf()).map(Document::as_str),
            cnpj: order.holder.as_ref().filter(|holder| !holder.is_cpf()).map(Document::as_str),
        },
    };
    let call = Call::put("send_payout", "/v3/gn/pix").segment(&order.reference).json(&body);
    match session.ask::<Payout>(call.within(SENT_WITHIN)).await {
        Ok(payout) => ours(order, &payout),
        Err(Failure::Refused { code, text, .. }) => match about_the_payee(&code, &text) {
            Some(refusal) => Ok(PayoutState::Refused(refusal).into()),
            None => Err(ProviderError::misconfigured(format!("a payout is not accepted: {code}"))),
        },
        // Efí has the order, so whatever the question comes to, it is not unsent.
        Err(failure @ Failure::Duplicate { .. }) => match find(session, order).await {
            Ok(Some(sent)) => Ok(sent),
            Ok(None) | Err(_) => Err(provider_error(failure)),
        },
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The state of a payout; `None` if Efí does not know it.
pub async fn find(
    session: &Session,
    order: &PayoutRequest,
) -> Result<Option<SentPayout>, ProviderError> {
    match by_id(session, &order.reference).await {
        Ok(payout) => ours(order, &payout).map(Some),
        Err(Failure::NotFound { code }) if is_about_payouts(&code) => Ok(None),
        Err(failure) => Err(unanswered(failure)),
    }
}

/// What is known of a payout by our reference; nothing if it is unknown.
pub async fn sent(session: &Session, reference: &str) -> Result<Page, ProviderError> {
    let mut page = Page::default();
    match by_id::<Box<RawValue>>(session, reference).await {
        Ok(payout) => read(&payout, &mut page),
        Err(Failure::NotFound { .. }) => {}
        Err(failure) => return Err(provider_error(failure)),
    }
    Ok(page)
}

/// A page of the payouts sent in a window.
pub async fn sent_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let call = Call::get("list_payouts", &session.path("/gn/pix/enviados"));
    session.page(call, (from, to), cursor, read).await
}

async fn by_id<T: DeserializeOwned>(session: &Session, reference: &str) -> Result<T, Failure> {
    let path = session.path("/gn/pix/enviados/id-envio");
    session.ask(Call::get("find_payout", &path).segment(reference).within(FOUND_WITHIN)).await
}

/// Whether what does not exist is a payout, and not an account, a key or a route.
fn is_about_payouts(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    code.contains("pix") || code.contains("envio") || code == "naoencontrado"
}

/// The state of the payout that was ordered.
fn ours(order: &PayoutRequest, payout: &Payout) -> Result<SentPayout, ProviderError> {
    let payee = payout.favorecido.as_ref().and_then(|payee| payee.chave.as_deref());
    let is_ours = payout.id == order.reference
        && amount(&payout.valor) == Some(order.amount)
        && payee.is_none_or(|key| key == order.key.as_str());
    if !is_ours {
        return Err(contradiction("another payout has this id"));
    }
    state(payout)
        .map(SentPayout::from)
        .ok_or_else(|| contradiction("the payout's status is unknown"))
}

/// Adds what an entry says. A return that cannot be read does not hide its payout.
fn read(entry: &RawValue, page: &mut Page) {
    let payout = serde_json::from_str::<Payout>(entry.get()).ok();
    let read = payout.and_then(|payout| report(&payout).map(|report| (payout, report)));
    let Some((payout, report)) = read else {
        page.unreadable.push(entry.get().to_owned());
        return;
    };
    page.events.push(Event::Payout(report));
    for entry in &payout.returned {
        read_return(&payout.id, entry, page);
    }
}

fn report(payout: &Payout) -> Option<PayoutReport> {
    let (amount, state) = (Some(amount(&payout.valor)?), state(payout)?);
    let reference = Some(payout.id.clone()).filter(|id| is_name(id));
    reference.is_some().then_some(PayoutReport { reference, bank_code: None, amount, state })
}

/// Adds a return that was made; nothing for one that is only being made, or was not made.
fn read_return(reference: &str, entry: &RawValue, page: &mut Page) {
    let returned = serde_json::from_str::<Returned>(entry.get()).ok();
    let status = returned.as_ref().map(|returned| returned.status.as_deref().unwrap_or(DONE));
    let made = match status {
        Some("EM_PROCESSAMENTO" | "NAO_REALIZADO") => return,
        Some(DONE) => returned.and_then(|returned| made(reference, returned)),
        _ => None,
    };
    match made {
        Some(event) => page.events.push(event),
        None => page.unreadable.push(entry.get().to_owned()),
    }
}

fn made(reference: &str, returned: Returned) -> Option<Event> {
    is_name(&returned.return_id).then_some(())?;
    Some(Event::PayoutReturned {
        reference: reference.to_owned(),
        amount: money(&returned.valor)?,
        at: returned.horario.as_ref()?.at()?,
        return_id: returned.return_id,
    })
}

/// The state by Efí's word; `None` for a word that it does not document.
fn state(payout: &Payout) -> Option<PayoutState> {
    match payout.status.as_str() {
        "EM_PROCESSAMENTO" => Some(PayoutState::Processing),
        "REALIZADO" => {
            let id = payout.end_to_end_id.as_ref().or(payout.e2e_id.as_ref());
            let end_to_end_id = id.filter(|id| is_end_to_end_id(id))?.clone();
            Some(PayoutState::Paid { end_to_end_id })
        }
        "NAO_REALIZADO" => {
            let cause = payout.extras.as_ref().and_then(|extras| extras.erro.as_ref());
            let code = cause.and_then(|cause| cause.codigo.as_deref()).unwrap_or_default();
            let code = Some(code).filter(|code| is_name(code)).unwrap_or("none");
            tracing::warn!(reference = payout.id, code, "the bank did not carry a payout out");
            Some(PayoutState::Refused(match code {
                "chave_nao_pertence_ao_documento" => PayoutFailureCode::KeyOwnerMismatch,
                code => failure_code(code),
            }))
        }
        _ => None,
    }
}

/// A refusal of the request that is about this payee. Any other one may be about the operator's
/// account, its balance, limit or setup: nothing was done, and refusing would fail the payouts of
/// all merchants.
fn about_the_payee(code: &str, text: &str) -> Option<PayoutFailureCode> {
    match code {
        "chave_invalida" if text.contains(PAYEE) => Some(PayoutFailureCode::InvalidKey),
        "chave_nao_pertence_ao_documento" => Some(PayoutFailureCode::KeyOwnerMismatch),
        "pagamento_negado" => Some(PayoutFailureCode::RejectedByBank),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rails::connection::{Event, Page};
    use rails::payout::{PayoutFailureCode, PayoutState};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::{Payout, state};
    use crate::status_tables;

    const PAID_BY: &str = "E09089356202611231200abcDEF12345";

    fn read(status: &str, id: &str) -> Option<PayoutState> {
        let payout = json!({
            "idEnvio": "w1", "endToEndId": id, "valor": "1.00", "status": status,
            "gnExtras": { "erro": { "codigo": "AC07" } },
        });
        state(&serde_json::from_value::<Payout>(payout).expect("is a payout"))
    }

    #[test]
    fn only_a_return_that_was_made_is_reported_and_one_that_makes_no_sense_is_kept() {
        let table = [
            (json!({ "status": "DEVOLVIDO" }), (1, 0)),
            (json!({}), (1, 0)),
            (json!({ "status": "EM_PROCESSAMENTO", "horario": null }), (0, 0)),
            (json!({ "status": "EM_PROCESSAMENTO", "rtrId": "" }), (0, 0)),
            (json!({ "status": "NAO_REALIZADO" }), (0, 0)),
            (json!({ "status": "ALGO_NOVO" }), (0, 1)),
            (json!({ "valor": "0.00" }), (0, 1)),
            (json!({ "rtrId": "" }), (0, 1)),
        ];
        for (changes, expected) in table {
            let mut returned =
                json!({ "rtrId": "D1", "valor": "1.00", "horario": "2026-11-21T12:00:00Z" });
            let fields = returned.as_object_mut().expect("is an object");
            fields.extend(changes.as_object().expect("is an object").clone());
            let payout = json!({
                "idEnvio": "w1", "endToEndId": PAID_BY, "valor": "1.00", "status": "REALIZADO",
                "devolucoes": [returned],
            });
            let mut page = Page::default();
            super::read(&to_raw_value(&payout).expect("is JSON"), &mut page);
            let is_return = |event: &&Event| matches!(event, Event::PayoutReturned { .. });
            let returns = page.events.iter().filter(is_return).count();
            assert_eq!((returns, page.unreadable.len()), expected, "{changes}");
        }
    }

    #[test]
    fn each_status_of_a_payout_has_our_word_and_an_unknown_one_has_none() {
        let paid = || PayoutState::Paid { end_to_end_id: PAID_BY.to_owned() };
        let table = [
            ("EM_PROCESSAMENTO", PAID_BY, Some(PayoutState::Processing)),
            ("REALIZADO", PAID_BY, Some(paid())),
            ("NAO_REALIZADO", "", Some(PayoutState::Refused(PayoutFailureCode::AccountClosed))),
            ("ALGO_NOVO", PAID_BY, None),
            ("REALIZADO", "E1", None),
        ];
        for (status, id, expected) in table {
            assert_eq!(read(status, id), expected, "{status} {id}");
        }
        let words = ["EM_PROCESSAMENTO", "REALIZADO", "NAO_REALIZADO"];
        let words = words.map(|word| (format!("`{word}`"), read(word, PAID_BY)));
        status_tables::check("statuses of Efí's payouts", words);
    }
}
