//! Efí's notices, all at one address: received payments, their refunds and payouts as JSON, and
//! boletos as a form with a token for each.

use rails::connection::{Notice, Page, Subject};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::Deserialize;

use crate::bacen;
use crate::bacen::session::Session;
use crate::efi::{boletos, payouts};

#[derive(Deserialize)]
struct Sent {
    #[serde(rename = "gnExtras")]
    extras: SentExtras,
}

#[derive(Deserialize)]
struct SentExtras {
    #[serde(rename = "idEnvio")]
    payout: String,
}

/// How a notice about a boleto begins.
const OF_BOLETO: &[u8] = b"notification=";

/// Reads what a message names.
pub fn read(body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
    if let Some(token) = body.strip_prefix(OF_BOLETO) {
        let token = std::str::from_utf8(token).ok().filter(|token| is_name(token));
        let notice = |token: &str| Notice { subject: Subject::Boleto, id: token.to_owned() };
        return Ok(token.map(notice).into_iter().collect());
    }
    bacen::notices::read(body, |entry| {
        let sent = serde_json::from_str(entry.get()).ok();
        let payout = sent.map(|sent: Sent| (Subject::Payout, sent.extras.payout));
        payout.or_else(|| bacen::notices::received(entry))
    })
}

/// Asks Efí about what a notice names.
pub async fn look_into(
    session: &Session,
    charges: &Session,
    notice: &Notice,
) -> Result<Page, ProviderError> {
    match notice.subject {
        Subject::ReceivedPix => session.received(&notice.id).await,
        Subject::Payout => payouts::sent(session, &notice.id).await,
        Subject::Boleto => boletos::changed(charges, &notice.id).await,
        Subject::PixCharge | Subject::CardCharge | Subject::ContestedCharge => Ok(Page::default()),
    }
}

#[cfg(test)]
mod tests {
    use rails::connection::{Notice, Subject};

    use super::read;

    fn named(body: &str) -> Vec<Notice> {
        read(body.as_bytes()).expect("is a message")
    }

    #[test]
    fn a_message_names_payments_and_payouts_and_nothing_else_of_it_is_kept() {
        let body = r#"{"pix":[
            {"endToEndId":"E1","txid":"t","valor":"1.00","horario":"2026-11-21T12:00:00Z"},
            {"endToEndId":"E2","tipo":"SOLICITACAO","gnExtras":{"idEnvio":"w1"}},
            {"endToEndId":"E1"}, {"endToEndId":"E 3"}, {"valor":"1.00"}, 7
        ]}"#;
        let notice = |subject, id: &str| Notice { subject, id: id.to_owned() };
        assert_eq!(
            named(body),
            [notice(Subject::ReceivedPix, "E1"), notice(Subject::Payout, "w1")]
        );
    }

    #[test]
    fn a_form_names_a_boleto_by_its_token() {
        let notice = Notice { subject: Subject::Boleto, id: "0a1b-2c".to_owned() };
        assert_eq!(named("notification=0a1b-2c"), [notice]);
        assert_eq!(named("notification="), []);
    }

    #[test]
    fn a_test_of_the_address_names_nothing_and_what_is_no_json_is_refused() {
        assert_eq!(named("{}"), []);
        assert!(read(b"evento=teste").is_err());
    }
}
