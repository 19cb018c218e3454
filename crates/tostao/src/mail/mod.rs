//! Mails: the outbox, and the kinds that there are.
//!
//! ```text
//! the unit of what it is about ──▶ mails ──job──▶ the operator's SMTP server ──▶ SENT or FAILED
//!                                    ├──▶ CANCELLED: what it is about ended before it left
//!                                    └──▶ KEPT: development mail is read here and never leaves
//! ```
//!
//! A mail is written in the unit of what it is about, and a job hands it over. Where the outcome
//! is unknown it is sent again, so a mail may arrive twice. One that no server accepts fails after
//! five days, or when its link has expired. Without an SMTP server the mails of production wait,
//! and no job looks at them. A mailbox gets so many mails in a day (`recipients`).
//!
//! A row holds what the text is made of, not the text, and the token of a link only sealed. Both
//! are erased when the mail has left or failed; the row is deleted after 30 days. The link of a
//! receipt is part of the text: the merchant's programs read it, too.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Due, bring_forward, forget_waiting, push};
use uuid::Uuid;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail::content::Content;
use crate::mail::jobs::SendMail;
use crate::mail::list::{Filter, UnsentFilter, UnsentStatus};
use crate::mail::preferences::Choice;
use crate::mail::recipients::Share;
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::Listed;
use crate::platform::ids::{MailId, MerchantId, Mode, PersonId, Scope};
use crate::platform::lanes::MAILS;
use crate::platform::messages::Lang;
use crate::platform::secrets::Secrets;
use crate::platform::telemetry;

pub mod admin_api;
pub mod api;
pub mod content;
pub mod jobs;
pub mod letter;
pub mod list;
pub mod preferences;
pub mod recipients;
pub mod resealing;
mod store;

/// For how long a mail is tried again.
const TRIED_FOR: Duration = Duration::from_secs(5 * 24 * 3600);
/// Why a mail was not sent whose mailbox had got as many as it gets in a day.
const TOO_MANY: &str = "recipient_limit";
/// How long a worker has to end a mail whose time is over, and to report it.
const GRACE: Duration = Duration::from_secs(3600);
/// For how long rows are kept.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

text_enum! {
    /// What a mail is about.
    pub enum Kind as "MailKind" {
        /// A link with which a person sets a new password.
        PasswordReset = "password_reset",
        /// A person's password was set.
        PasswordChanged = "password_changed",
        /// A person signed in on a device and from a network that are both new to them.
        NewDevice = "new_device",
        /// A person's sign-in got a second step.
        TwoFactorEnabled = "two_factor_enabled",
        /// A person's second step was removed.
        TwoFactorDisabled = "two_factor_disabled",
        /// A person got new backup codes.
        BackupCodesReplaced = "backup_codes_replaced",
        /// Several wrong codes of a person's second step were typed.
        TwoFactorRefused = "two_factor_refused",
        /// A person was invited to an account.
        Invitation = "invitation",
        /// A withdrawal was paid.
        WithdrawalCompleted = "withdrawal_completed",
        /// A withdrawal was not paid, and its amount is back in the balance.
        WithdrawalFailed = "withdrawal_failed",
        /// A PIX key was added, which people withdraw real money to a while later.
        PayoutKeyAdded = "payout_key_added",
        /// Real money of a refund or a return goes to a PIX key that a person named.
        PayeeNamed = "payee_named",
        /// A webhook was disabled, because its address failed.
        WebhookDisabled = "webhook_disabled",
        /// An API key of production was made.
        ApiKeyCreated = "api_key_created",
        /// An API key of production got another secret.
        ApiKeyRotated = "api_key_rotated",
        /// A link at a person's new address, which confirms it.
        EmailChange = "email_change",
        /// A notice to a person's address that it is to be replaced, with a link that stops it.
        EmailChangeAsked = "email_change_asked",
        /// A person's address was replaced.
        EmailChanged = "email_changed",
        /// The receipt of a payment, for its buyer.
        Receipt = "receipt",
        /// No delivery to a webhook has succeeded for an hour.
        WebhookFailing = "webhook_failing",
        /// A delivery to such a webhook succeeded again.
        WebhookRecovered = "webhook_recovered",
        /// Money came that its payment could not take any more, and awaits a decision.
        LateMoney = "late_money",
        /// A payment was paid.
        PaymentReceived = "payment_received",
    }
}

text_enum! {
    /// The status of a mail.
    pub enum Status as "MailStatus" {
        /// It waits until the SMTP server accepts it.
        Waiting = "WAITING",
        /// The SMTP server has accepted it.
        Sent = "SENT",
        /// The SMTP server refused it, or did not accept it in time, or its recipient had got as
        /// many mails as an address gets in a day.
        Failed = "FAILED",
        /// What it is about ended before it left.
        Cancelled = "CANCELLED",
        /// It is of development: it is kept here to be read, and never leaves.
        Kept = "KEPT",
    }
}

/// The secret part of the link in a mail.
#[derive(Clone, Copy)]
pub struct LinkToken<'a> {
    pub secrets: &'a Secrets,
    pub token: &'a str,
}

/// A mail to write.
pub struct NewMail<'a> {
    pub to: &'a str,
    pub lang: Lang,
    pub content: Content,
    pub link: Option<LinkToken<'a>>,
}

/// A mail.
pub struct Mail {
    pub id: MailId,
    /// `None` in a mail to a person about their sign-in.
    pub merchant: Option<MerchantId>,
    pub mode: Mode,
    pub kind: Kind,
    pub subject: Uuid,
    pub to: String,
    pub lang: Lang,
    /// Until it has left or failed.
    content: Option<Content>,
    /// Sealed, until it has left or failed.
    token: Option<Vec<u8>>,
    pub status: Status,
    pub attempts: i64,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub attempted_at: Option<Timestamp>,
    pub gives_up_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// The mails that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub count: i64,
    /// How long the oldest one has waited.
    pub longest: Duration,
}

/// Writes a mail to a person about their sign-in; one with a link is refused if their mailbox got
/// as many as it gets in a day.
pub async fn write_to_person(tx: &Tx, person: PersonId, mail: NewMail<'_>) -> Result<()> {
    let share = share_of(tx, mail.content.kind(), Some(person)).await?;
    write(tx, (None, Mode::Production, tx.now()), share, person.0, mail).await
}

/// Writes a mail of an account to anyone; refused like one to a person, and so is a receipt.
pub async fn write_for(tx: &Tx, scope: Scope, subject: Uuid, mail: NewMail<'_>) -> Result<()> {
    let share = share_of(tx, mail.content.kind(), None).await?;
    write(tx, (Some(scope.merchant), scope.mode, scope.now(tx)), share, subject, mail).await
}

/// Writes a mail to the person who opened an account, unless they have switched its kind off.
pub async fn write_to_owner(tx: &Tx, scope: Scope, subject: Uuid, content: Content) -> Result<()> {
    let merchant = merchants::find(tx, scope.merchant).await?;
    if merchant.closed_at.is_some() {
        return Ok(());
    }
    let owner = PersonId(scope.merchant.0);
    if !preferences::wants(tx, (scope.merchant, owner), content.kind()).await? {
        return Ok(());
    }
    let share = share_of(tx, content.kind(), Some(owner)).await?;
    let new = NewMail { to: &merchant.email, lang: Lang::default(), content, link: None };
    write(tx, (Some(scope.merchant), scope.mode, scope.now(tx)), share, subject, new).await
}

/// The share in which a mail to a person counts, who may be unknown.
async fn share_of(tx: &Tx, kind: Kind, person: Option<PersonId>) -> Result<Share> {
    Ok(match (kind, person) {
        (Kind::PasswordReset, _) => Share::Resets,
        (Kind::Invitation, _) => Share::Invitations,
        (Kind::EmailChange, _) => Share::NewAddresses,
        (Kind::Receipt, _) => Share::Receipts,
        (Kind::PayeeNamed, _) => Share::Payees,
        (kind, _) if matches!(kind.choice(), Choice::Optional(_)) => Share::Notices,
        (_, Some(person)) if recipients::is_proved(tx, person).await? => Share::Proved,
        (kind, _) if is_warning(kind) => Share::Keys,
        _ => Share::Unproved,
    })
}

/// Whether a mail warns its owner of where money can go, which it does not without the mail.
fn is_warning(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PayoutKeyAdded | Kind::PayeeNamed | Kind::ApiKeyCreated | Kind::ApiKeyRotated
    )
}

async fn write(
    tx: &Tx,
    (merchant, mode, now): (Option<MerchantId>, Mode, Timestamp),
    share: Share,
    subject: Uuid,
    new: NewMail<'_>,
) -> Result<()> {
    let refusal = match mode {
        Mode::Development => None,
        Mode::Production => recipients::count(tx, share, new.to, merchant).await?,
    };
    let status = match refusal {
        // Without its mail the link would be of no use to anyone, a receipt is asked for, and an
        // owner has to read of a key that money can go to.
        Some(refusal)
            if new.link.is_some()
                || new.content.kind() == Kind::Receipt
                || is_warning(new.content.kind()) =>
        {
            return Err(refusal);
        }
        Some(_) => Status::Failed,
        None if mode.is_development() => Status::Kept,
        None => Status::Waiting,
    };
    let is_refused = status == Status::Failed;
    let id = MailId::new(tx);
    let seal =
        |link: LinkToken<'_>| link.secrets.seal(tx.random(), &aad(id), link.token.as_bytes());
    let gives_up_at = now.plus(TRIED_FOR);
    let gives_up_at = new.content.link_ends_at().map_or(gives_up_at, |end| end.min(gives_up_at));
    let mail = Mail {
        id,
        merchant,
        mode,
        kind: new.content.kind(),
        subject,
        to: new.to.to_owned(),
        lang: new.lang,
        content: Some(new.content).filter(|_| !is_refused),
        token: new.link.map(seal),
        status,
        attempts: 0,
        last_error: is_refused.then(|| TOO_MANY.to_owned()),
        created_at: now,
        attempted_at: None,
        gives_up_at,
        ended_at: is_refused.then_some(now),
    };
    store::insert(tx, &mail).await?;
    if is_refused {
        tx.once_committed(|| telemetry::mail_attempted("limited"));
    }
    if status == Status::Waiting {
        push(tx, id.0, Due { at: tx.now(), clock: None }, &SendMail { id }).await?;
    }
    Ok(())
}

/// Finds a mail of an account.
pub async fn find(tx: &Tx, scope: Scope, id: MailId) -> Result<Mail> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Mail"))
}

/// Lists the mails of an account, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Mail>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |mail| mail.id.0))
}

/// Lists mails of production that wait or have failed, oldest first, for an administrator.
pub async fn unsent(tx: &Tx, filter: &UnsentFilter) -> Result<Listed<Mail>> {
    let rows = store::list_unsent(tx, filter).await?;
    let total = store::count_unsent(tx, filter.status).await?;
    Ok(filter.page.listed(rows, total, |mail| mail.id.0))
}

/// How many mails wait or have failed; at most 1,001 are counted.
pub async fn count_unsent(tx: &Tx, status: Option<UnsentStatus>) -> Result<i64> {
    store::count_unsent(tx, status).await
}

/// Finds a mail that waits or has failed, for an administrator.
pub async fn find_unsent(tx: &Tx, id: MailId) -> Result<Mail> {
    store::find_unsent(tx, id).await?.ok_or(Error::NotFound("Mail"))
}

/// Has a mail that waits offered to the mail server at once. What failed was erased, so it cannot
/// be sent again.
pub async fn offer_again(tx: &Tx, by: &ActorContext, id: MailId) -> Result<Mail> {
    let mail = store::lock_unsent(tx, id).await?.ok_or(Error::NotFound("Mail"))?;
    if mail.status != Status::Waiting {
        let message = "Its text was erased when it failed. What it was about has to be done again.";
        return Err(Error::State { current: mail.status.to_string(), message: message.to_owned() });
    }
    bring_forward(tx, id.0, &SendMail { id }).await?;
    let entry = Entry::about(Action::MailRetried, mail.merchant).in_mode(mail.mode).on(id.0);
    audit::record(tx, by, entry.with("kind", mail.kind.name())).await?;
    Ok(mail)
}

/// Takes back the mails of a kind about something that have not left. One that no worker has looked
/// at did certainly not reach its mailbox, and does not count there.
pub async fn take_back(tx: &Tx, kind: Kind, subject: Uuid) -> Result<()> {
    for (id, to, written_at) in store::cancel(tx, kind, subject).await? {
        if queue::job::take_back(tx, MAILS, id.0, written_at).await? {
            recipients::count_less(tx, share_of(tx, kind, None).await?, &to).await?;
        }
        forget_jobs(tx, &[id]).await?;
    }
    Ok(())
}

/// When the mails of a kind about something were written, from an instant on, oldest first.
pub async fn written_since(
    tx: &Tx,
    kind: Kind,
    subject: Uuid,
    since: Timestamp,
) -> Result<Vec<Timestamp>> {
    store::written_since(tx, kind, subject, since).await
}

/// Deletes an account's mails of a kind to an address.
pub async fn forget_recipient(tx: &Tx, scope: Scope, kind: Kind, to: &str) -> Result<()> {
    let deleted = store::delete_to(tx, scope, kind, to).await?;
    forget_jobs(tx, &deleted).await
}

/// Deletes all mails to a person about their sign-in, that they proved their address, and which
/// mails they want.
pub async fn forget_person(tx: &Tx, person: PersonId) -> Result<()> {
    recipients::forget(tx, person).await?;
    preferences::forget_person(tx, person).await?;
    let deleted = store::delete_about(tx, person.0).await?;
    forget_jobs(tx, &deleted).await
}

/// Deletes at most so many mails of a scope; returns how many.
pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let deleted = store::clear(tx, scope, most).await?;
    if !scope.mode.is_development() {
        forget_jobs(tx, &deleted).await?;
    }
    Ok(u64::try_from(deleted.len()).unwrap_or(u64::MAX))
}

/// Ends mails that no worker has ended when their time was over, with an error if they have none;
/// returns how many.
pub async fn give_up(tx: &Tx, error: Option<&str>, most: i64) -> Result<u64> {
    let ended = store::give_up(tx, tx.now().minus(GRACE), error, most).await?;
    forget_jobs(tx, &ended).await?;
    Ok(u64::try_from(ended.len()).unwrap_or(u64::MAX))
}

/// Deletes the jobs of mails that are not sent any more; without an SMTP server none would run.
async fn forget_jobs(tx: &Tx, mails: &[MailId]) -> Result<()> {
    for id in mails {
        forget_waiting(tx, MAILS, id.0).await?;
    }
    Ok(())
}

/// Deletes mails from before the first id of an instant; returns how many.
pub async fn delete_before(tx: &Tx, first: Uuid, most: i64) -> Result<u64> {
    store::delete_before(tx, first, most).await
}

/// The mails that wait.
pub async fn backlog(tx: &Tx) -> Result<Backlog> {
    store::backlog(tx).await
}

/// Binds a sealed token to its mail.
fn aad(id: MailId) -> Vec<u8> {
    [b"mail ", &id.0.as_bytes()[..]].concat()
}
