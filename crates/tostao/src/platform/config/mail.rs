//! Where mails leave: the operator's SMTP server, and whom they are from.

use std::fmt::{Debug, Formatter};
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use lettre::message::Mailbox;
use url::{Url, form_urlencoded};

use crate::platform::config::HIDDEN;

/// How long sending one mail may take: less than the lease of its job.
const SENT_WITHIN: Duration = Duration::from_secs(20);

/// The settings of mails; without a server, those of production wait.
#[derive(Debug, Clone, Args)]
pub struct MailSettings {
    /// Server that mails leave by: `smtps://user:password@host` or `smtp://…` (with STARTTLS)
    #[arg(long, env = "TOSTAO_SMTP_URL", hide_env_values = true, value_name = "URL")]
    pub smtp_url: Option<String>,
    /// Whom mails are from, like `Loja <contato@loja.example>`
    #[arg(long, env = "TOSTAO_MAIL_FROM", value_name = "MAILBOX", value_parser = mailbox)]
    pub mail_from: Option<Mailbox>,
    /// How long sending one mail may take; the tests set less, an operator cannot.
    #[arg(skip = SENT_WITHIN)]
    pub sent_within: Duration,
}

/// An SMTP server, and how to sign in to it.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    pub login: Option<SmtpLogin>,
}

/// The user and the password for an SMTP server.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpLogin {
    pub user: String,
    pub password: String,
}

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// From its first byte.
    Tls,
    /// After STARTTLS, which is required.
    StartTls,
    /// Not at all; only to a server on this machine.
    None,
}

impl MailSettings {
    /// Refuses settings that cannot work together.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.server()?.is_none() || self.mail_from.is_some(),
            "TOSTAO_SMTP_URL needs TOSTAO_MAIL_FROM, whom mails are from"
        );
        Ok(())
    }

    /// The SMTP server, if there is one.
    pub fn server(&self) -> anyhow::Result<Option<SmtpUrl>> {
        // No error quotes the text, which holds a password, as the command line's own would.
        self.smtp_url.as_deref().map(str::parse).transpose().context("TOSTAO_SMTP_URL")
    }

    /// The settings in force, with the password hidden.
    pub fn shown(&self) -> [(&'static str, String); 2] {
        let shown = |url: &String| match url.parse::<SmtpUrl>() {
            Ok(url) => format!("{url:?}"),
            Err(_) => HIDDEN.to_owned(),
        };
        let url = self.smtp_url.as_ref().map(shown);
        let from = self.mail_from.as_ref().map(ToString::to_string);
        [
            ("TOSTAO_SMTP_URL", url.unwrap_or_default()),
            ("TOSTAO_MAIL_FROM", from.unwrap_or_default()),
        ]
    }
}

impl FromStr for SmtpUrl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let url = Url::parse(text).context("it is no URL")?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.context("it names no server")?.trim_matches(['[', ']']).to_owned();
        let (encryption, usual_port) = match url.scheme() {
            "smtps" => (Encryption::Tls, 465),
            "smtp" if is_this_machine(&host) => (Encryption::None, 25),
            "smtp" => (Encryption::StartTls, 587),
            other => bail!("it begins with {other}:, and not with smtps: or smtp:"),
        };
        let is_bare =
            matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        ensure!(is_bare, "nothing may follow the server and its port");
        let login = match (decoded(url.username()), url.password().map(decoded)) {
            (user, None) if user.is_empty() => None,
            (user, Some(password)) if !user.is_empty() => Some(SmtpLogin { user, password }),
            _ => bail!("a user and a password belong together"),
        };
        Ok(Self { host, port: url.port().unwrap_or(usual_port), encryption, login })
    }
}

impl Debug for SmtpUrl {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.encryption == Encryption::Tls { "smtps" } else { "smtp" };
        write!(out, "{scheme}://")?;
        if let Some(login) = &self.login {
            write!(out, "{login:?}@")?;
        }
        if self.host.contains(':') {
            write!(out, "[{}]:{}", self.host, self.port)
        } else {
            write!(out, "{}:{}", self.host, self.port)
        }
    }
}

impl Debug for SmtpLogin {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{HIDDEN}", self.user)
    }
}

fn mailbox(text: &str) -> Result<Mailbox, String> {
    text.parse().map_err(|_| "write an address, like Loja <contato@loja.example>".to_owned())
}

/// Whether what is sent there does not leave this machine.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// A percent-encoded part of a URL.
fn decoded(part: &str) -> String {
    let form = format!("={}", part.replace('+', "%2B").replace('&', "%26"));
    let pair = form_urlencoded::parse(form.as_bytes()).next();
    pair.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Encryption, SmtpUrl, mailbox};

    #[test]
    fn only_a_server_on_this_machine_is_called_without_encryption() {
        let table = [
            ("smtps://mail.example.com", Encryption::Tls, 465),
            ("smtps://127.0.0.1:4650", Encryption::Tls, 4650),
            ("smtp://mail.example.com", Encryption::StartTls, 587),
            ("smtp://mail.example.com:2525", Encryption::StartTls, 2525),
            ("smtp://localhost.example.com", Encryption::StartTls, 587),
            ("smtp://192.168.0.1", Encryption::StartTls, 587),
            ("smtp://127.1", Encryption::StartTls, 587),
            ("smtp://localhost", Encryption::None, 25),
            ("smtp://127.0.0.1:1025", Encryption::None, 1025),
            ("smtp://[::1]:1025/", Encryption::None, 1025),
        ];
        for (text, encryption, port) in table {
            let url: SmtpUrl = text.parse().expect("is a server");
            assert_eq!((url.encryption, url.port), (encryption, port), "{text}");
        }
    }

    #[test]
    fn a_password_is_read_and_never_shown() {
        let url: SmtpUrl = "smtps://loja%40x:a+b%2F%26&c@mail.example.com".parse().expect("reads");
        let login = url.login.as_ref().expect("has a login");
        assert_eq!((&*login.user, &*login.password), ("loja@x", "a+b/&&c"));
        assert_eq!(format!("{url:?}"), "smtps://loja@x:***@mail.example.com:465");
        let wrong = "smtps://loja:hush@mail.example.com:99999".parse::<SmtpUrl>();
        assert!(!format!("{:#}", wrong.expect_err("has no such port")).contains("hush"));
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for text in [
            "",
            "mail.example.com",
            "https://mail.example.com",
            "smtps://",
            "smtps://user@mail.example.com",
            "smtps://:password@mail.example.com",
            "smtp://mail.example.com?tls=opportunistic",
            "smtp://mail.example.com/ehlo",
        ] {
            assert!(text.parse::<SmtpUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_sender_has_an_address_and_no_second_line() {
        assert!(mailbox("Loja <contato@loja.example>").is_ok());
        assert!(mailbox("contato@loja.example").is_ok());
        for wrong in ["", "Loja", "a@b.example\r\nBcc: c@d.example", "a b@c.example"] {
            assert!(mailbox(wrong).is_err(), "{wrong:?}");
        }
    }
}
