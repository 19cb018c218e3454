//! What a mail says, as plain text and as simple HTML.

use askama::Template;
use db::time::Timestamp;

use crate::mail::Mail;
use crate::mail::content::{Content, KeyNotice, Receipt, WebhookFailure};
use crate::platform::error::{Error, Result};
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// How much of a name that somebody chose is shown.
const NAME_LENGTH_MAX: usize = 60;
/// Characters that make an address of a name, which mail programs then turn into a link, or an
/// encoded word.
const OF_ADDRESSES: [char; 5] = ['.', '/', ':', '@', '='];

/// The lists with what mails are about.
const HOOKS: &str = "/developers/webhooks";
const PAYMENTS: &str = "/transactions";

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
            Content::PasswordChanged => letter.password_changed(base_url, at),
            Content::NewDevice { network } => letter.new_device(base_url, at, network),
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
            Content::TwoFactorRefused { codes } => letter.wrong_codes(base_url, at, *codes),
            Content::Invitation { account, inviter, link_ends_at } => {
                let names = (plain(account), plain(inviter));
                letter.invite(base_url, token?, names, *link_ends_at);
            }
            Content::WithdrawalCompleted { amount_cents, net_cents, pix_key } => {
                letter.paid(*amount_cents, *net_cents, pix_key);
            }
            Content::WithdrawalFailed { amount_cents, pix_key } => {
                letter.unpaid(*amount_cents, pix_key);
            }
            Content::PayoutKeyAdded { pix_key, usable_from } => {
                letter.payout_key(base_url, &at, (pix_key, *usable_from));
            }
            Content::PayeeNamed { amount_cents, pix_key } => {
                letter.payee(mail, base_url, (&at, *amount_cents, pix_key));
            }
            Content::WebhookDisabled { host, failure } => letter.webhook(&plain(host), *failure),
            Content::ApiKeyCreated(key) => letter.key_made(base_url, at, key),
            Content::ApiKeyRotated(key) => letter.key_rotated(base_url, at, key),
            Content::EmailChange { possible_at, link_ends_at } => {
                letter.confirm_address(base_url, token?, *possible_at, *link_ends_at);
            }
            Content::EmailChangeAsked { email, possible_at, .. } => {
                letter.address_asked(base_url, token?, (at, plain(email)), *possible_at);
            }
            Content::EmailChanged { email } => letter.address_changed(at, plain(email)),
            Content::Receipt(receipt) => letter.receipt(receipt),
            Content::WebhookFailing { host } => letter.failing(mail, base_url, &plain(host)),
            Content::WebhookRecovered { host } => letter.recovered(mail, base_url, &plain(host)),
            Content::LateMoney { amount_cents } => letter.late(mail, base_url, *amount_cents),
            Content::PaymentReceived { amount_cents } => {
                letter.received(mail, base_url, *amount_cents);
            }
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
        self.why = lang.mail_invitation_why(base_url);
        self.subject = lang.mail_invitation_subject(&account);
        self.before = vec![lang.mail_invitation(&inviter, &account)];
        let url = format!("{base_url}/invitations/{token}");
        self.link = Some(Link { label: lang.mail_invitation_link(), url });
        let until = lang.mail_invitation_until(lang.date_time(until.micros()));
        self.after = vec![until, lang.mail_invitation_ignore().to_owned()];
    }

    fn password_changed(&mut self, base_url: &str, at: String) {
        self.subject = self.lang.mail_password_subject().into();
        self.before = vec![self.lang.mail_password(at)];
        self.after = vec![self.not_you(base_url)];
    }

    fn new_device(&mut self, base_url: &str, at: String, network: &str) {
        let lang = self.lang;
        self.subject = lang.mail_sign_in_subject().into();
        self.before = vec![lang.mail_sign_in(at, network), lang.mail_sign_in_yours().to_owned()];
        self.after = vec![self.not_you(base_url)];
    }

    fn wrong_codes(&mut self, base_url: &str, at: String, codes: i64) {
        let lang = self.lang;
        let text = lang.mail_wrong_codes(at, codes.to_string());
        self.second_step(base_url, lang.mail_wrong_codes_subject(), text);
        self.before.push(lang.mail_sign_in_yours().to_owned());
    }

    fn paid(&mut self, amount_cents: i64, net_cents: i64, pix_key: &str) {
        let lang = self.lang;
        self.subject = lang.mail_paid_subject(lang.money(amount_cents));
        self.before = vec![lang.mail_paid(lang.money(net_cents), pix_key)];
        self.after = vec![lang.mail_paid_not_you().to_owned()];
    }

    fn unpaid(&mut self, amount_cents: i64, pix_key: &str) {
        let amount = self.lang.money(amount_cents);
        self.subject = self.lang.mail_unpaid_subject(&amount);
        self.before = vec![self.lang.mail_unpaid(&amount, pix_key)];
    }

    fn confirm_address(
        &mut self,
        base_url: &str,
        token: &str,
        possible_at: Option<Timestamp>,
        until: Timestamp,
    ) {
        let lang = self.lang;
        self.why = lang.mail_invitation_why(base_url);
        self.subject = lang.mail_address_subject().into();
        self.before = vec![lang.mail_address(base_url)];
        let url = format!("{base_url}/email-change/{token}");
        self.link = Some(Link { label: lang.mail_address_link(), url });
        let from = possible_at.map(|from| lang.mail_address_from(lang.date_time(from.micros())));
        let until = lang.mail_address_until(lang.date_time(until.micros()));
        let ignore = lang.mail_address_ignore().to_owned();
        self.after = from.into_iter().chain([until, ignore]).collect();
    }

    fn address_asked(
        &mut self,
        base_url: &str,
        token: &str,
        (at, email): (String, String),
        possible_at: Option<Timestamp>,
    ) {
        let lang = self.lang;
        self.subject = lang.mail_address_asked_subject().into();
        let when = match possible_at {
            Some(from) => lang.mail_address_asked_from(lang.date_time(from.micros())),
            None => lang.mail_address_asked_now().to_owned(),
        };
        self.before = vec![lang.mail_address_asked(at, email), when];
        let url = format!("{base_url}/email-change/{token}/stop");
        self.link = Some(Link { label: lang.mail_address_stop(), url });
        let yours = lang.mail_sign_in_yours().to_owned();
        self.after = vec![yours, lang.mail_address_asked_not_you(format!("{base_url}/forgot"))];
    }

    fn address_changed(&mut self, at: String, email: String) {
        let lang = self.lang;
        self.subject = lang.mail_address_changed_subject().into();
        self.before = vec![lang.mail_address_changed(at, email)];
        self.after = vec![lang.mail_address_changed_not_you().to_owned()];
    }

    fn payout_key(&mut self, base_url: &str, at: &str, (key, usable_from): (&str, Timestamp)) {
        let (lang, page) = (self.lang, format!("{base_url}/dashboard/prod/balance/keys"));
        self.subject = lang.mail_payout_key_subject().into();
        self.before = vec![
            lang.mail_payout_key(at, key),
            lang.mail_payout_key_from(lang.date_time(usable_from.micros())),
        ];
        self.after = vec![lang.mail_payout_key_not_you(page, format!("{base_url}/forgot"))];
    }

    fn payee(&mut self, mail: &Mail, base_url: &str, (at, cents, key): (&str, i64, &str)) {
        let (lang, amount) = (self.lang, self.lang.money(cents));
        self.subject = lang.mail_payee_subject(&amount);
        self.before = vec![lang.mail_payee(at, &amount, key)];
        self.link = Some(page(mail, base_url, PAYMENTS, lang.mail_see_payment()));
        self.after = vec![lang.mail_payee_not_you(format!("{base_url}/forgot"))];
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

    fn key_made(&mut self, base_url: &str, at: String, key: &KeyNotice) {
        let (lang, by, name) = (self.lang, plain(&key.by), plain(&key.name));
        self.subject = lang.mail_key_made_subject().into();
        self.key(base_url, lang.mail_key_made(at, by, name, &key.last4), key.permissions);
    }

    fn key_rotated(&mut self, base_url: &str, at: String, key: &KeyNotice) {
        let (lang, by, name) = (self.lang, plain(&key.by), plain(&key.name));
        self.subject = lang.mail_key_rotated_subject().into();
        self.key(base_url, lang.mail_key_rotated(at, by, name, &key.last4), key.permissions);
    }

    /// What was done with an API key, and what to do if it was somebody else.
    fn key(&mut self, base_url: &str, text: String, permissions: usize) {
        let lang = self.lang;
        let permissions = match permissions {
            1 => lang.mail_key_one_permission().to_owned(),
            several => lang.mail_key_permissions(several),
        };
        self.before = vec![text, permissions, lang.mail_key_wait().to_owned()];
        let keys = format!("{base_url}/dashboard/prod/developers/keys");
        self.after = vec![lang.mail_key_not_you(keys, format!("{base_url}/forgot"))];
    }

    fn receipt(&mut self, receipt: &Receipt) {
        let (lang, seller) = (self.lang, plain(&receipt.seller));
        let amount = lang.money(receipt.amount_cents);
        self.subject = lang.mail_receipt_subject(&amount, &seller);
        let paid_at = lang.date_time(receipt.paid_at.micros());
        self.before = vec![lang.mail_receipt(&amount, &seller, paid_at)];
        self.before.extend(receipt.sold.as_deref().map(plain));
        self.link = Some(Link { label: lang.mail_receipt_link(), url: receipt.url.clone() });
        self.why = lang.mail_receipt_why(&seller);
    }

    fn failing(&mut self, mail: &Mail, base_url: &str, host: &str) {
        let lang = self.lang;
        self.subject = lang.mail_failing_subject(host);
        self.before = vec![lang.mail_failing(host)];
        self.link = Some(page(mail, base_url, HOOKS, lang.mail_see_webhook()));
        self.after = vec![lang.mail_failing_next().to_owned(), self.choice(base_url)];
    }

    fn recovered(&mut self, mail: &Mail, base_url: &str, host: &str) {
        let lang = self.lang;
        self.subject = lang.mail_recovered_subject(host);
        self.before = vec![lang.mail_recovered(host)];
        self.link = Some(page(mail, base_url, HOOKS, lang.mail_see_webhook()));
        self.after = vec![self.choice(base_url)];
    }

    fn late(&mut self, mail: &Mail, base_url: &str, amount_cents: i64) {
        let (lang, amount) = (self.lang, self.lang.money(amount_cents));
        self.subject = lang.mail_late_subject(&amount);
        self.before = vec![lang.mail_late(&amount)];
        self.link = Some(page(mail, base_url, PAYMENTS, lang.mail_see_payment()));
        self.after = vec![self.choice(base_url)];
    }

    fn received(&mut self, mail: &Mail, base_url: &str, amount_cents: i64) {
        let lang = self.lang;
        self.subject = lang.mail_received_subject(lang.money(amount_cents));
        self.before = vec![lang.mail_received(lang.date_time(mail.created_at.micros()))];
        self.link = Some(page(mail, base_url, PAYMENTS, lang.mail_see_payment()));
        self.after = vec![self.choice(base_url)];
    }

    /// What was done about a person's second step, and what to do if it was somebody else.
    fn second_step(&mut self, base_url: &str, subject: &str, text: String) {
        self.subject = subject.into();
        self.before = vec![text];
        self.after = vec![self.lang.mail_step_not_you(format!("{base_url}/forgot"))];
    }

    /// Where mails of an optional kind are switched off.
    fn choice(&self, base_url: &str) -> String {
        self.lang.mail_choice(format!("{base_url}/account/notifications"))
    }

    fn not_you(&self, base_url: &str) -> String {
        self.lang.mail_password_not_you(format!("{base_url}/forgot"))
    }
}

/// The page of what a mail is about; the dashboard imports this file, so it cannot name it.
fn page(mail: &Mail, base_url: &str, list: &str, label: &'static str) -> Link {
    let folder = match mail.mode {
        Mode::Development => "/dashboard/dev",
        Mode::Production => "/dashboard/prod",
    };
    Link { label, url: format!("{base_url}{folder}{list}/{}", mail.subject) }
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
