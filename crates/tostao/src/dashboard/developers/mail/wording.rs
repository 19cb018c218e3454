//! Mails in words.

use db::time::Timestamp;

use crate::dashboard::parts::{State, Tone};
use crate::mail::{Kind, Mail, Status};
use crate::platform::messages::Lang;

/// What a mail is about.
pub fn kind(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::PasswordReset => lang.mails_reset(),
        Kind::PasswordChanged => lang.mails_password(),
        Kind::NewDevice => lang.mails_device(),
        Kind::TwoFactorEnabled => lang.mails_step_on(),
        Kind::TwoFactorDisabled => lang.mails_step_off(),
        Kind::BackupCodesReplaced => lang.mails_codes(),
        Kind::TwoFactorRefused => lang.mails_wrong_codes(),
        Kind::Invitation => lang.mails_invitation(),
        Kind::WithdrawalCompleted => lang.mails_withdrawal_paid(),
        Kind::WithdrawalFailed => lang.mails_withdrawal_failed(),
        Kind::PayoutKeyAdded => lang.mails_payout_key(),
        Kind::PayeeNamed => lang.mails_payee(),
        Kind::WebhookDisabled => lang.mails_webhook_off(),
        Kind::ApiKeyCreated => lang.mails_key_made(),
        Kind::ApiKeyRotated => lang.mails_key_rotated(),
        Kind::EmailChange => lang.mails_address(),
        Kind::EmailChangeAsked => lang.mails_address_asked(),
        Kind::EmailChanged => lang.mails_address_changed(),
        Kind::Receipt => lang.mails_receipt(),
        Kind::WebhookFailing => lang.mails_webhook_failing(),
        Kind::WebhookRecovered => lang.mails_webhook_recovered(),
        Kind::LateMoney => lang.mails_late_money(),
        Kind::PaymentReceived => lang.mails_payment(),
    }
}

/// How a mail stands, and why or what comes next.
pub fn standing(mail: &Mail, has_server: bool, lang: Lang) -> (State, String) {
    let date = |at: Timestamp| lang.date_time(at.micros());
    let (tone, word, why) = match mail.status {
        Status::Kept => (Tone::Off, lang.mails_kept(), lang.mails_kept_why().to_owned()),
        Status::Waiting if !has_server => {
            (Tone::Wait, lang.mails_waits(), lang.mails_no_server().to_owned())
        }
        Status::Waiting => {
            (Tone::Wait, lang.mails_waits(), lang.mails_waits_why(date(mail.gives_up_at)))
        }
        Status::Sent => (Tone::Good, lang.mails_sent(), lang.mails_sent_why().to_owned()),
        Status::Failed => (Tone::Bad, lang.mails_failed(), lang.mails_failed_why().to_owned()),
        Status::Cancelled => {
            (Tone::Off, lang.mails_cancelled(), lang.mails_cancelled_why().to_owned())
        }
    };
    (State { tone, word }, why)
}
