//! The operator's SMTP server: hands one mail over, and says what became of it.
//!
//! Each command is sent by itself, because what a refusal means depends on what it answers: only
//! one of the recipient or of the text is about the mail, and ends it. Any other may pass, as may
//! silence: after the text it is unknown whether the server has the mail, which is then sent again
//! under the same `Message-ID`.

use std::error::Error as _;
use std::io;
use std::time::{Duration, UNIX_EPOCH};

use db::time::Timestamp;
use lettre::Address;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::time::timeout;
use url::Host;
use uuid::Uuid;

use crate::platform::config::mail::{Encryption, MailSettings, SmtpUrl};
use crate::platform::error::Result;

/// The server is not waited for once it has taken the mail.
const FAREWELL: Duration = Duration::from_secs(1);
/// Programs that answer mails by themselves do not answer one with this header (RFC 3834).
const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// The operator's SMTP server.
pub struct MailProvider {
    server: SmtpUrl,
    sender: Mailbox,
    hello: ClientId,
    /// `None` for a server on this machine, which is called without encryption.
    tls: Option<TlsParameters>,
    sent_within: Duration,
}

/// A mail as it leaves.
#[derive(Debug)]
pub struct OutgoingMail {
    /// The same for each attempt, so that a program which gets two knows that they are one.
    pub id: Uuid,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub at: Timestamp,
}

/// Why a mail was not handed over; the text is a stable code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// The server refuses this mail for good, or its address cannot be one.
    Refused(String),
    /// It may be accepted later, or was accepted and that is not known.
    Delayed(String),
}

impl MailProvider {
    /// The server of the settings, if they name one.
    pub fn new(settings: &MailSettings) -> anyhow::Result<Option<Self>> {
        let (Some(server), Some(sender)) = (settings.server()?, &settings.mail_from) else {
            return Ok(None);
        };
        let tls = match server.encryption {
            Encryption::None => None,
            Encryption::Tls | Encryption::StartTls => {
                Some(TlsParameters::new_rustls(server.host.clone())?)
            }
        };
        Ok(Some(Self {
            server,
            sender: sender.clone(),
            hello: ClientId::Domain(sender.email.domain().to_owned()),
            tls,
            sent_within: settings.sent_within,
        }))
    }

    /// Hands a mail over.
    pub async fn send(&self, mail: &OutgoingMail) -> Result<(), NotSent> {
        let to = address(&mail.to).ok_or_else(|| NotSent::Refused("address".into()))?;
        let message = self.message(mail, &to);
        let message = message.map_err(|_| NotSent::Refused("message".into()))?.formatted();
        let handed_over = timeout(self.sent_within, self.hand_over(to, &message)).await;
        let mut connection = handed_over.map_err(|_| NotSent::Delayed("timeout".into()))??;
        let _ = timeout(FAREWELL, connection.quit()).await;
        Ok(())
    }

    async fn hand_over(&self, to: Address, message: &[u8]) -> Result<AsyncSmtpConnection, NotSent> {
        let mut connection = self.connect().await.map_err(|error| delayed(&error))?;
        let mut parameters = Vec::new();
        if !(is_ascii(&self.sender.email) && is_ascii(&to)) {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(NotSent::Refused("address".into()));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        let from = Mail::new(Some(self.sender.email.clone()), parameters);
        connection.command(from).await.map_err(|error| delayed(&error))?;
        connection.command(Rcpt::new(to, Vec::new())).await.map_err(|error| refused(&error))?;
        connection.command(Data).await.map_err(|error| refused(&error))?;
        connection.message(message).await.map_err(|error| refused(&error))?;
        Ok(connection)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SmtpError> {
        let place = (self.server.host.as_str(), self.server.port);
        let first = self.tls.clone().filter(|_| self.server.encryption == Encryption::Tls);
        let within = Some(self.sent_within);
        let connected =
            AsyncSmtpConnection::connect_tokio1(place, within, &self.hello, first, None).await;
        let mut connection = connected?;
        if let Some(tls) = self.tls.clone().filter(|_| !connection.is_encrypted()) {
            connection.starttls(tls, &self.hello).await?;
        }
        if let Some(login) = &self.server.login {
            let credentials = Credentials::new(login.user.clone(), login.password.clone());
            connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await?;
        }
        Ok(connection)
    }

    fn message(&self, mail: &OutgoingMail, to: &Address) -> Result<Message, lettre::error::Error> {
        let at = Duration::from_micros(u64::try_from(mail.at.micros()).unwrap_or_default());
        let parts = MultiPart::alternative()
            .boundary(format!("part-{}", mail.id.simple()))
            .singlepart(part(ContentType::TEXT_PLAIN, &mail.text))
            .singlepart(part(ContentType::TEXT_HTML, &mail.html));
        Message::builder()
            .from(self.sender.clone())
            .to(Mailbox::new(None, to.clone()))
            .subject(&mail.subject)
            .date(UNIX_EPOCH + at)
            .message_id(Some(format!("<{}@{}>", mail.id, self.sender.email.domain())))
            .raw_header(HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned()))
            .multipart(parts)
    }
}

fn part(kind: ContentType, text: &str) -> SinglePart {
    SinglePart::builder().header(kind).body(text.to_owned())
}

/// An address as mail servers take it, its domain in ASCII.
fn address(text: &str) -> Option<Address> {
    let (local, domain) = text.rsplit_once('@')?;
    let domain = Host::parse(domain).ok()?.to_string();
    Address::new(local, domain).ok()
}

/// Whether every mail server takes an address.
fn is_ascii(address: &Address) -> bool {
    address.user().is_ascii() && address.domain().is_ascii()
}

/// A refusal that is not about the mail, or no answer.
fn delayed(error: &SmtpError) -> NotSent {
    NotSent::Delayed(code(error))
}

/// A refusal of the mail; only a permanent one ends it.
fn refused(error: &SmtpError) -> NotSent {
    if error.is_permanent() { NotSent::Refused(code(error)) } else { delayed(error) }
}

/// What went wrong, without the server's words, which may quote the mail.
fn code(error: &SmtpError) -> String {
    match error.status() {
        Some(status) => format!("smtp_{status}"),
        None if error.is_tls() || is_about_tls(error) => "tls".to_owned(),
        None if error.is_timeout() => "timeout".to_owned(),
        None if error.is_client() => "unsupported".to_owned(),
        None => "connection".to_owned(),
    }
}

/// Whether a connection failed because of what TLS could not read or accept, such as a certificate.
fn is_about_tls(error: &SmtpError) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let failure = inner.downcast_ref::<io::Error>().map(io::Error::kind);
        if failure == Some(io::ErrorKind::InvalidData) {
            return true;
        }
        cause = inner.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_becomes_one_that_mail_servers_take() {
        let table = [
            ("ana@example.com", Some("ana@example.com")),
            ("ana+loja@exemplo.com.br", Some("ana+loja@exemplo.com.br")),
            ("ana@café.example", Some("ana@xn--caf-dma.example")),
            ("josé@example.com", Some("josé@example.com")),
            ("ana@example.com\r\nRCPT TO:<eva@example.com>", None),
            ("ana@example.com>", None),
            ("ana\r\n@example.com", None),
            ("ana eva@example.com", None),
            ("ana", None),
            ("", None),
        ];
        for (text, expected) in table {
            let read = address(text).map(|address| address.to_string());
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }
}
