//! What was paid to boletos: one by its code, or all of a window of days.

use brazil::calendar::{sao_paulo_date, sao_paulo_instant};
use db::time::Timestamp;
use jiff::civil::DateTime;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, BoletoOrder, Covers, PaidBy};
use rails::connection::{Event, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde_json::value::RawValue;
use upstream::failure::Failure;

use crate::bacen::session::Session;
use crate::failures::{contradiction, provider_error, unanswered};
use crate::inter::amounts::Amount;
use crate::inter::boletos::{Boleto, Listed, Status, by_code, listed};

const PER_PAGE: &str = "100";
const FIRST: u64 = 0;

/// What became of a boleto; nothing if its code is unknown.
pub async fn changed(session: &Session, code: &str) -> Result<Page, ProviderError> {
    let mut page = Page::default();
    match by_code::<Box<RawValue>>(session, code).await {
        Ok(entry) => read(&entry, &mut page),
        Err(Failure::NotFound { .. }) => {}
        Err(failure) => return Err(provider_error(failure)),
    }
    Ok(page)
}

/// What was paid to the boleto with a code.
pub async fn of_boleto(
    session: &Session,
    order: &BoletoOrder,
    code: &str,
) -> Result<Vec<BoletoConfirmation>, ProviderError> {
    let boleto: Boleto = by_code(session, code).await.map_err(unanswered)?;
    if boleto.charge.code != code || boleto.charge.short_reference != order.short_reference {
        return Err(contradiction("it is about another boleto"));
    }
    match boleto.charge.status() {
        Some(Status::Paid) => {
            let paid = total(&boleto);
            let paid = paid.ok_or_else(|| contradiction("the boleto's payment cannot be read"))?;
            Ok(vec![paid])
        }
        Some(_) => Ok(Vec::new()),
        None => Err(contradiction("the boleto's status is unknown")),
    }
}

/// A page of the boletos paid in a window of days.
pub async fn paid_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let page = cursor.and_then(|text| text.parse().ok()).unwrap_or(FIRST);
    let days = [from, to].map(|at| sao_paulo_date(at.micros()));
    let call = listed("list_boletos", "PAGAMENTO", days)
        .query("paginacao.paginaAtual", &page.to_string())
        .query("paginacao.itensPorPagina", PER_PAGE);
    let found: Listed<Box<RawValue>> = session.ask(call).await.map_err(provider_error)?;
    // A bank that ignores the number would be asked for ever, or its pages skipped.
    if found.is_first != (page == FIRST) {
        return Err(contradiction("another page was asked for"));
    }
    let next = (!found.is_last).then(|| page.saturating_add(1).to_string());
    let mut whole = Page { next, ..Page::default() };
    for entry in &found.boletos {
        read(entry, &mut whole);
    }
    Ok(whole)
}

/// Adds what an entry says.
fn read(entry: &RawValue, page: &mut Page) {
    let boleto = serde_json::from_str::<Boleto>(entry.get()).ok();
    let status = boleto.as_ref().and_then(|boleto| boleto.charge.status());
    let paid = match (&boleto, status) {
        (Some(boleto), Some(Status::Paid)) => total(boleto),
        (Some(boleto), Some(Status::SettledByHand)) => {
            let code = &boleto.charge.code;
            tracing::error!(code, "a boleto was marked as paid at the bank, and no money came");
            return;
        }
        (Some(_), Some(Status::InProcess | Status::Open | Status::Ended | Status::NotMade)) => {
            return;
        }
        (_, None) | (None, _) => None,
    };
    match paid {
        Some(paid) => page.events.push(Event::BoletoPaid(paid)),
        None => page.unreadable.push(entry.get().to_owned()),
    }
}

/// What was paid to a boleto, by its barcode or its PIX code.
///
/// Inter gives payments no ids and reports only their sum, which grows when a boleto is paid once
/// more. So the report is a total, named by the boleto and the sum.
fn total(boleto: &Boleto) -> Option<BoletoConfirmation> {
    let charge = &boleto.charge;
    let Amount(amount) = charge.received.filter(|received| received.0 > Cents::ZERO)?;
    // One that was made by hand may have a text that is no reference.
    let reference = Some(&*charge.short_reference).filter(|text| is_name(text));
    let paid_at: DateTime = charge.changed_at.as_ref()?.parse().ok()?;
    is_name(&charge.code).then_some(())?;
    Some(BoletoConfirmation {
        bank_code: charge.code.clone(),
        reference: reference.unwrap_or_default().to_owned(),
        // A space is in no code of the bank.
        payment_id: format!("{} {}", charge.code, amount.get()),
        amount,
        paid_at: Timestamp::from_micros(sao_paulo_instant(paid_at)),
        covers: Covers::Total(match charge.received_by.as_deref() {
            Some("PIX") => Some(PaidBy::Pix),
            Some("BOLETO") => Some(PaidBy::Barcode),
            _ => None,
        }),
    })
}

#[cfg(test)]
mod tests {
    use rails::boleto::{Covers, PaidBy};
    use rails::connection::{Event, Page};
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::read;

    fn boleto(status: &str) -> Value {
        json!({
            "cobranca": {
                "codigoSolicitacao": "c1", "seuNumero": "R1", "situacao": status,
                "dataSituacao": "2026-11-23", "valorNominal": 50.0, "valorTotalRecebido": 50.0,
                "dataVencimento": "2026-12-10", "origemRecebimento": "PIX",
            },
            "boleto": { "nossoNumero": "0012345701", "codigoBarras": "0", "linhaDigitavel": "0" },
        })
    }

    fn page(boleto: &Value) -> Page {
        let mut page = Page::default();
        read(&to_raw_value(boleto).expect("is JSON"), &mut page);
        page
    }

    #[test]
    fn only_a_status_that_says_so_is_a_payment_and_an_unknown_one_is_kept() {
        let table = [
            ("RECEBIDO", (1, 0)),
            ("EM_PROCESSAMENTO", (0, 0)),
            ("A_RECEBER", (0, 0)),
            ("ATRASADO", (0, 0)),
            ("PROTESTO", (0, 0)),
            ("MARCADO_RECEBIDO", (0, 0)),
            ("CANCELADO", (0, 0)),
            ("EXPIRADO", (0, 0)),
            ("FALHA_EMISSAO", (0, 0)),
            ("ALGO_NOVO", (0, 1)),
        ];
        for (status, expected) in table {
            let page = page(&boleto(status));
            assert_eq!((page.events.len(), page.unreadable.len()), expected, "{status}");
        }
    }

    #[test]
    fn a_sum_is_one_total_that_names_its_amount_and_how_it_was_paid() {
        let table = [
            (json!(49.99), json!("PIX"), 4_999, Some(PaidBy::Pix)),
            (json!(50.0), json!("BOLETO"), 5_000, Some(PaidBy::Barcode)),
            (json!(110.0), json!("OUTRO"), 11_000, None),
            (json!(1_000_000.0), Value::Null, 100_000_000, None),
        ];
        for (sum, origin, cents, paid_by) in table {
            let mut paid = boleto("RECEBIDO");
            paid["cobranca"]["valorTotalRecebido"] = sum;
            paid["cobranca"]["origemRecebimento"] = origin;
            let events = page(&paid).events;
            let [Event::BoletoPaid(paid)] = &*events else { panic!("{events:?}") };
            assert_eq!(paid.payment_id, format!("c1 {cents}"));
            assert_eq!((paid.amount.get(), paid.covers), (cents, Covers::Total(paid_by)));
        }
    }

    #[test]
    fn a_payment_that_cannot_be_read_is_kept_and_one_by_hand_has_no_reference() {
        for (field, value) in [
            ("valorTotalRecebido", Value::Null),
            ("valorTotalRecebido", json!(0)),
            ("valorTotalRecebido", json!(0.001)),
            ("dataSituacao", Value::Null),
            ("codigoSolicitacao", json!("")),
        ] {
            let mut paid = boleto("RECEBIDO");
            paid["cobranca"][field] = value.clone();
            let page = page(&paid);
            assert_eq!((page.events.len(), page.unreadable.len()), (0, 1), "{field} {value}");
        }
        let mut by_hand = boleto("RECEBIDO");
        by_hand["cobranca"]["seuNumero"] = json!("nota 12");
        let events = page(&by_hand).events;
        let [Event::BoletoPaid(paid)] = &*events else { panic!("{events:?}") };
        assert_eq!(paid.reference, "");
    }
}
