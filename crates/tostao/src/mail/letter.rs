//! What a mail says, as plain text and as simple HTML.

use askama::Template;
use db::time::Timestamp;

use crate::mail::{Content, Mail, WebhookFailure};
use crate::platform::error::{Error, Result};
use crate::platform::messages::Lang;

/// How much of a name that somebody chose is shown.
const NAME_LENGTH_MAX: usize = 60;
/// Characters that make an address of a name, which mail programs then turn into a link, or an
/// encoded word.
const OF_ADDRESSES: [char; 5] = ['.', '/', ':', '@', '='];

/// A mail's subject and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    lang: Lang,
    pub subject: String,
    before: Vec<String>,
    link: Option<Link>,
    after: Vec<String>,
    /// Why the person gets it.
    why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    label: &'static str,
    url: String,
}

#[derive(Template)]
#[template(path = "mail/letter.html")]
struct HtmlLetter<'a> {
    letter: &'a Letter,
}

impl Letter {
    /// The text of a mail whose content was not erased yet; `token` is that of its link.
    pub fn of(mail: &Mail, base_url: &str, token: Option<&str>) -> Option<Self> {
        let content = mail.content.as_ref()?;
        let at = mail.lang.date_time(mail.created_at.micros());
        let mut letter = Self {
            lang: mail.lang,
            subject: String::new(),
            before: Vec::new(),
            link: None,
            after: Vec::new(),
            why: mail.lang.mail_why(base_url),
        };
        match content {
            Content::PasswordReset { link_ends_at } => {
                letter.reset(base_url, token?, *link_ends_at);
            }
            Content::PasswordChanged => {
                letter.subject = letter.lang.mail_password_subject().into();
                letter.before = vec![letter.lang.mail_password(at)];
                letter.after = vec![letter.not_you(base_url)];
            }
            Content::NewDevice { network } => {
                letter.subject = letter.lang.mail_sign_in_subject().into();
                letter.before = vec![
                    letter.lang.mail_sign_in(at, network),
                    letter.lang.mail_sign_in_yours().to_owned(),
                ];
                letter.after = vec![letter.not_you(base_url)];
            }
            Content::TwoFactorEnabled => {
                let lang = letter.lang;
                letter.second_step(base_url, lang.mail_step_on_subject(), lang.mail_step_on(at));
            }
            Content::TwoFactorDisabled => {
                let lang = letter.lang;
                letter.second_step(base_url, lang.mail_step_off_subject(), lang.mail_step_off(at));
            }
            Content::BackupCodesReplaced => {
                let lang = letter.lang;
                letter.second_step(base_url, lang.mail_codes_subject(), lang.mail_codes(at));
            }
            Content::TwoFactorRefused { codes } => {
                let (lang, codes) = (letter.lang, codes.to_string());
                let text = lang.mail_wrong_codes(at, codes);
                letter.second_step(base_url, lang.mail_wrong_codes_subject(), text);
                letter.before.push(lang.mail_sign_in_yours().to_owned());
            }
            Content::Invitation { account, inviter, link_ends_at } => {
                letter.why = letter.lang.mail_invitation_why(base_url);
                let names = (plain(account), plain(inviter));
                letter.invite(base_url, token?, names, *link_ends_at);
            }
            Content::WithdrawalCompleted { amount_cents, net_cents, pix_key } => {
                let (lang, amount) = (letter.lang, letter.lang.money(*amount_cents));
                letter.subject = lang.mail_paid_subject(amount);
                letter.before = vec![lang.mail_paid(lang.money(*net_cents), pix_key)];
                letter.after = vec![lang.mail_paid_not_you().to_owned()];
            }
            Content::WithdrawalFailed { amount_cents, pix_key } => {
                let (lang, amount) = (letter.lang, letter.lang.money(*amount_cents));
                letter.subject = lang.mail_unpaid_subject(&amount);
                letter.before = vec![lang.mail_unpaid(&amount, pix_key)];
            }
            Content::WebhookDisabled { host, failure } => letter.webhook(&plain(host), *failure),
        }
        Some(letter)
    }

    /// The plain text.
    pub fn text(&self) -> String {
        let link = self.link.iter().map(|link| format!("{}:\n{}", link.label, link.url));
        let paragraphs = self.before.iter().cloned().chain(link).chain(self.after.iter().cloned());
        let paragraphs: Vec<String> = paragraphs.chain([format!("-- \n{}", self.why)]).collect();
        paragraphs.join("\n\n") + "\n"
    }

    /// The same as HTML, without images, styles and scripts.
    pub fn html(&self) -> Result<String> {
        HtmlLetter { letter: self }.render().map_err(|error| Error::Internal(error.into()))
    }

    fn reset(&mut self, base_url: &str, token: &str, until: Timestamp) {
        let lang = self.lang;
        self.subject = lang.mail_reset_subject().into();
        self.before = vec![lang.mail_reset().to_owned()];
        let url = format!("{base_url}/reset/{token}");
        self.link = Some(Link { label: lang.mail_reset_link(), url });
        let until = lang.mail_reset_until(lang.date_time(until.micros()));
        self.after = vec![until, lang.mail_reset_ignore().to_owned()];
    }

    fn invite(
        &mut self,
        base_url: &str,
        token: &str,
        (account, inviter): (String, String),
        until: Timestamp,
    ) {
        let lang = self.lang;
        self.subject = lang.mail_invitation_subject(&account);
        self.before = vec![lang.mail_invitation(&inviter, &account)];
        let url = format!("{base_url}/invitations/{token}");
        self.link = Some(Link { label: lang.mail_invitation_link(), url });
        let until = lang.mail_invitation_until(lang.date_time(until.micros()));
        self.after = vec![until, lang.mail_invitation_ignore().to_owned()];
    }

    fn webhook(&mut self, host: &str, failure: WebhookFailure) {
        let lang = self.lang;
        self.subject = lang.mail_webhook_subject(host);
        let why = match failure {
            WebhookFailure::Gone => lang.mail_webhook_gone(host),
            WebhookFailure::Failing => lang.mail_webhook_failing(host),
        };
        self.before = vec![why, lang.mail_webhook_next().to_owned()];
    }

    /// What was done about a person's second step, and what to do if it was somebody else.
    fn second_step(&mut self, base_url: &str, subject: &str, text: String) {
        self.subject = subject.into();
        self.before = vec![text];
        self.after = vec![self.lang.mail_step_not_you(format!("{base_url}/forgot"))];
    }

    fn not_you(&self, base_url: &str) -> String {
        self.lang.mail_password_not_you(format!("{base_url}/forgot"))
    }
}

/// A name or a host that a stranger may have chosen: on one line, short, and no link.
fn plain(name: &str) -> String {
    let mut shown = String::new();
    for c in name.chars().take(NAME_LENGTH_MAX) {
        let follows_mark = shown.ends_with(OF_ADDRESSES);
        if follows_mark && !c.is_whitespace() {
            shown.push(' ');
        }
        shown.push(if c.is_control() { ' ' } else { c });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_name_is_one_line_and_becomes_no_link() {
        let table = [
            ("Café do João", "Café do João"),
            ("Fulano da S. Silva", "Fulano da S. Silva"),
            ("Loja.com", "Loja. com"),
            ("https://a.example", "https: / / a. example"),
            ("ana@a.example", "ana@ a. example"),
            ("A\r\nBcc: b", "A  Bcc: b"),
        ];
        for (name, shown) in table {
            assert_eq!(plain(name), shown);
        }
        assert_eq!(plain(&"x".repeat(200)).len(), 60);
    }
}
