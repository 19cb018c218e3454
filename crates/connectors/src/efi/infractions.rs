//! Reports that a payment was fraud (`/gn/infracoes`), which payers' banks make.

use brazil::money::parse_decimal;
use brazil::txid::is_end_to_end_id;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::connection::{Event, Infraction, InfractionState, Page};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::Deserialize;
use serde_json::value::RawValue;
use upstream::call::Call;

use crate::bacen::session::Session;

/// A report as Efí lists it.
#[derive(Deserialize)]
struct Report {
    #[serde(rename = "idInfracao")]
    id: String,
    #[serde(rename = "endToEndId")]
    end_to_end_id: String,
    /// A number here, unlike all other amounts of the bank's API Pix.
    valor: Box<RawValue>,
    status: String,
    #[serde(rename = "criadoEm")]
    opened_at: Timestamp,
    #[serde(rename = "atualizadoEm")]
    changed_at: Option<Timestamp>,
}

/// A page of the reports that were opened in a window, each as it now is.
pub async fn opened_between(
    session: &Session,
    from: Timestamp,
    to: Timestamp,
    cursor: Option<&str>,
) -> Result<Page, ProviderError> {
    let call = Call::get("list_infractions", &session.path("/gn/infracoes"));
    session.page(call, (from, to), cursor, read).await
}

/// Adds what an entry says.
fn read(entry: &RawValue, page: &mut Page) {
    let report = serde_json::from_str::<Report>(entry.get()).ok();
    match report.and_then(infraction) {
        Some(infraction) => page.events.push(Event::PixReported(infraction)),
        None => page.unreadable.push(entry.get().to_owned()),
    }
}

fn infraction(report: Report) -> Option<Infraction> {
    let text = report.valor.get().trim_matches('"');
    let amount = parse_decimal(text).map(Cents::new).filter(|amount| !amount.is_zero())?;
    (is_name(&report.id) && is_end_to_end_id(&report.end_to_end_id)).then_some(())?;
    Some(Infraction {
        state: state(&report.status)?,
        id: report.id,
        end_to_end_id: report.end_to_end_id,
        amount,
        opened_at: report.opened_at,
        changed_at: report.changed_at.unwrap_or(report.opened_at),
    })
}

/// The state by Efí's word; `None` for a word that it does not document.
fn state(status: &str) -> Option<InfractionState> {
    match status {
        "ABERTA" | "EM_DEFESA" => Some(InfractionState::Open),
        "ACEITA" => Some(InfractionState::Accepted),
        "REJEITADA" | "CANCELADA_EFI" => Some(InfractionState::Rejected),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rails::connection::{Event, InfractionState, Page};
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::{read, state};
    use crate::status_tables;

    fn page(field: &str, value: Value) -> Page {
        let mut report = json!({
            "idInfracao": "i1", "endToEndId": "E09089356202611231200abcDEF12345", "valor": 12.5,
            "status": "ABERTA", "criadoEm": "2026-11-21T12:00:00Z",
        });
        report[field] = value;
        let mut page = Page::default();
        read(&to_raw_value(&report).expect("is JSON"), &mut page);
        page
    }

    #[test]
    fn each_status_of_a_report_has_our_word_and_an_unknown_one_has_none() {
        let table = [
            ("ABERTA", Some(InfractionState::Open)),
            ("EM_DEFESA", Some(InfractionState::Open)),
            ("ACEITA", Some(InfractionState::Accepted)),
            ("REJEITADA", Some(InfractionState::Rejected)),
            ("CANCELADA_EFI", Some(InfractionState::Rejected)),
            ("ALGO_NOVO", None),
        ];
        for (status, expected) in table {
            assert_eq!(state(status), expected, "{status}");
        }
        let known = table.iter().filter_map(|(status, ours)| Some((status, (*ours)?)));
        let words = known.map(|(status, ours)| (format!("`{status}`"), Some(ours)));
        status_tables::check("statuses of Efí's infractions", words);
    }

    #[test]
    fn a_report_that_makes_no_sense_is_kept() {
        for (field, value) in [
            ("idInfracao", json!("")),
            ("endToEndId", json!("E1")),
            ("valor", json!(0)),
            ("valor", json!("doze")),
            ("status", json!("ALGO_NOVO")),
            ("criadoEm", Value::Null),
        ] {
            let page = page(field, value.clone());
            assert_eq!((page.events.len(), page.unreadable.len()), (0, 1), "{field} {value}");
        }
        let events = page("valor", json!("12.50")).events;
        let [Event::PixReported(read)] = &*events else { panic!("{events:?}") };
        assert_eq!((read.amount.get(), read.changed_at), (1_250, read.opened_at));
    }
}
