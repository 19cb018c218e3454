//! Payouts to a PIX key, under an id of ours that Efí accepts once (`idEnvio`).

use std::time::Duration;

use brazil::money::format_decimal;
use brazil::txid::is_end_to_end_id;
use db::time::Timestamp;
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutReport, PayoutRequest, PayoutState};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::bacen::refunds::Times;
use crate::bacen::session::Session;
use crate::efi::amount;
use crate::failures::{contradiction, provider_error};

/// A worker waits for the answer, well within its job's lease.
const SENT_WITHIN: Duration = Duration::from_secs(25);
/// What a payee is shown may have so many characters.
const DESCRIPTION_LENGTH_MAX: usize = 140;
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
}

/// A payout as Efí answers it.
#[derive(Debug, Deserialize)]
pub struct Payout {
    #[serde(rename = "idEnvio")]
    id: String,
    /// Newer answers have the first name, older documents the second.
    #[serde(default, rename = "endToEndId", alias = "e2eId")]
    end_to_end_id: String,
    valor: String,
    status: String,
    #[serde(default, rename = "gnExtras")]
    extras: Extras,
    #[serde(default, rename = "devolucoes")]
    returned: Vec<Returned>,
}

#[derive(Debug, Default, Deserialize)]
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
    #[serde(rename = "rtrId")]
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
) -> Result<PayoutState, ProviderError> {
    let description = order
        .description
        .as_deref()
        .map(|text| text.chars().take(DESCRIPTION_LENGTH_MAX).collect());
    let body = NewPayout {
        valor: format_decimal(order.amount.get()),
        pagador: Payer { chave: paying_key, description },
        favorecido: Payee { chave: order.key.as_str() },
    };
    let call = Call::put("send_payout", "/v3/gn/pix").segment(&order.reference).json(&body);
    match session.ask::<Payout>(call.within(SENT_WITHIN)).await {
        Ok(payout) => ours(order, &payout),
        Err(Failure::Refused { code, text, .. }) => match about_the_payee(&code) {
            Some(refusal) => Ok(PayoutState::Refused(refusal)),
            None => Err(ProviderError::Misconfigured(format!("{text} [{code}]"))),
        },
        Err(failure @ Failure::Duplicate { .. }) => {
            find(session, order).await?.ok_or_else(|| provider_error(failure))
        }
        Err(failure) => Err(provider_error(failure)),
    }
}

/// The state of a payout; `None` if Efí does not know it.
pub async fn find(
    session: &Session,
    order: &PayoutRequest,
) -> Result<Option<PayoutState>, ProviderError> {
    match by_id(session, &order.reference).await {
        Ok(payout) => ours(order, &payout).map(Some),
        Err(Failure::NotFound) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}

/// What is known of a payout by our reference; empty if it is unknown.
pub async fn sent(session: &Session, reference: &str) -> Result<Vec<Event>, ProviderError> {
    match by_id(session, reference).await {
        Ok(payout) => {
            events(&payout).ok_or_else(|| contradiction("the payout's status is unknown"))
        }
        Err(Failure::NotFound) => Ok(Vec::new()),
        Err(failure) => Err(provider_error(failure)),
    }
}

/// A page of the payouts sent in a window.
pub async fn sent_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let call = Call::get("list_payouts", &session.path("/gn/pix/enviados"));
    let read = |entry: &RawValue| events(&serde_json::from_str(entry.get()).ok()?);
    session.page(call, (from, to), cursor, read).await
}

async fn by_id(session: &Session, reference: &str) -> Result<Payout, Failure> {
    let path = session.path("/gn/pix/enviados/id-envio");
    session.ask(Call::get("find_payout", &path).segment(reference)).await
}

/// The state of the payout that was ordered.
fn ours(order: &PayoutRequest, payout: &Payout) -> Result<PayoutState, ProviderError> {
    if payout.id != order.reference || amount(&payout.valor) != Some(order.amount) {
        return Err(contradiction("another payout has this id"));
    }
    state(payout).ok_or_else(|| contradiction("the payout's status is unknown"))
}

fn events(payout: &Payout) -> Option<Vec<Event>> {
    if !is_name(&payout.id) {
        return None;
    }
    let reference = payout.id.clone();
    let mut events = vec![Event::Payout(PayoutReport { reference, state: state(payout)? })];
    let is_made = |returned: &&Returned| returned.status.as_deref().unwrap_or(DONE) == DONE;
    for returned in payout.returned.iter().filter(is_made) {
        events.push(Event::PayoutReturned {
            reference: payout.id.clone(),
            return_id: is_name(&returned.return_id).then(|| returned.return_id.clone())?,
            amount: amount(&returned.valor)?,
            at: returned.horario.as_ref()?.at()?,
        });
    }
    Some(events)
}

/// The state by Efí's word; `None` for a word that it does not document.
fn state(payout: &Payout) -> Option<PayoutState> {
    match payout.status.as_str() {
        "EM_PROCESSAMENTO" => Some(PayoutState::Processing),
        "REALIZADO" if is_end_to_end_id(&payout.end_to_end_id) => {
            Some(PayoutState::Paid { end_to_end_id: payout.end_to_end_id.clone() })
        }
        "NAO_REALIZADO" => {
            let cause = payout.extras.erro.as_ref().and_then(|cause| cause.codigo.as_deref());
            Some(PayoutState::Refused(failure_code(cause.unwrap_or_default())))
        }
        _ => None,
    }
}

/// A refusal of the request that is about this payee. Any other one may be about the operator's
/// account, its balance, limit or setup: nothing was done, and refusing would fail the payouts of
/// all merchants.
fn about_the_payee(code: &str) -> Option<PayoutFailureCode> {
    match code {
        "chave_invalida" => Some(PayoutFailureCode::InvalidKey),
        "chave_nao_encontrada" => Some(PayoutFailureCode::KeyNotFound),
        "chave_nao_pertence_ao_documento" => Some(PayoutFailureCode::KeyOwnerMismatch),
        "documento_bloqueado" => Some(PayoutFailureCode::AccountBlocked),
        "pagamento_negado" => Some(PayoutFailureCode::RejectedByBank),
        _ => None,
    }
}

/// Our word for what the PIX system says of a payout that was not carried out (ISO 20022).
fn failure_code(code: &str) -> PayoutFailureCode {
    match code {
        "AC03" => PayoutFailureCode::InvalidKey,
        "AC06" => PayoutFailureCode::AccountBlocked,
        "AC07" => PayoutFailureCode::AccountClosed,
        "AM02" => PayoutFailureCode::LimitExceeded,
        "AB03" | "AB09" | "AB11" => PayoutFailureCode::RailTimeout,
        "BE01" => PayoutFailureCode::KeyOwnerMismatch,
        other => about_the_payee(other).unwrap_or(PayoutFailureCode::RejectedByBank),
    }
}
