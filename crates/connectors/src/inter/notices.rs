//! Inter's notices: received payments as the standard has them, boletos and payouts as lists.

use rails::connection::{Notice, Page, Subject};
use rails::error::ProviderError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::bacen;
use crate::bacen::session::Session;
use crate::inter::{boleto_payments, payouts};

/// An entry of Inter's own lists.
#[derive(Deserialize)]
struct Own {
    #[serde(rename = "codigoSolicitacao")]
    code: String,
    /// The status of a boleto; that of a payout has another name.
    situacao: Option<IgnoredAny>,
}

/// Reads what a message names.
pub fn read(body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
    match serde_json::from_slice::<Vec<Box<RawValue>>>(body) {
        Ok(entries) => Ok(bacen::notices::named(&entries, own)),
        Err(_) => bacen::notices::read(body, bacen::notices::received),
    }
}

/// Asks Inter about what a notice names.
pub async fn look_into(session: &Session, notice: &Notice) -> Result<Page, ProviderError> {
    match notice.subject {
        Subject::ReceivedPix => session.received(&notice.id).await,
        Subject::Payout => payouts::sent(session, &notice.id).await,
        Subject::Boleto => boleto_payments::changed(session, &notice.id).await,
        Subject::PixCharge | Subject::CardCharge | Subject::ContestedCharge => Ok(Page::default()),
    }
}

fn own(entry: &RawValue) -> Option<(Subject, String)> {
    let Own { code, situacao } = serde_json::from_str(entry.get()).ok()?;
    let subject = if situacao.is_some() { Subject::Boleto } else { Subject::Payout };
    Some((subject, code))
}

#[cfg(test)]
mod tests {
    use rails::connection::{Notice, Subject};

    use super::read;

    fn named(body: &str) -> Vec<Notice> {
        read(body.as_bytes()).expect("is a message")
    }

    fn notice(subject: Subject, id: &str) -> Notice {
        Notice { subject, id: id.to_owned() }
    }

    #[test]
    fn a_list_names_boletos_and_payouts_by_their_codes_and_nothing_else_of_it_is_kept() {
        let body = r#"[
            {"codigoSolicitacao":"b1","seuNumero":"R1","situacao":"RECEBIDO"},
            {"codigoSolicitacao":"p1","endToEnd":"E1","status":"PAGO","valor":"1.00"},
            {"codigoSolicitacao":"b1","situacao":"A_RECEBER"}, {"codigoSolicitacao":"b 2"}, {}, 7
        ]"#;
        assert_eq!(named(body), [notice(Subject::Boleto, "b1"), notice(Subject::Payout, "p1")]);
    }

    #[test]
    fn an_object_names_received_payments() {
        let body = r#"{"pix":[{"endToEndId":"E1","valor":"1.00"}]}"#;
        assert_eq!(named(body), [notice(Subject::ReceivedPix, "E1")]);
    }

    #[test]
    fn a_test_of_the_address_names_nothing_and_what_is_no_json_is_refused() {
        assert_eq!(named("{}"), []);
        assert_eq!(named("[]"), []);
        assert!(read(b"evento=teste").is_err());
    }
}
