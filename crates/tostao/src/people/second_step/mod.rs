//! The second step of a sign-in: a code of the person's authenticator app, or a backup code.
//!
//! A code is accepted once. Wrong ones of sign-ins are counted in the person's row, so the bound
//! holds for all servers together: after ten in a day only backup codes are accepted. Those cannot
//! be guessed, so a stranger who knows the password and uses the ten up does not keep the person
//! out. Wrong ones that are typed in a session are counted there, and end it.

use std::time::Duration;

use anyhow::anyhow;
use db::time::Timestamp;
use db::tx::Tx;
use url::Url;

use crate::audit::{self, Action, Actor, ActorContext, Entry};
use crate::mail::content::Content;
use crate::mail::{self, NewMail};
use crate::people::second_step::codes::{BackupCode, TypedCode};
use crate::people::{self, Acting, email_changes, sessions};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::RequestContext;
use crate::platform::ids::{MerchantId, PersonId, SessionId};
use crate::platform::messages::Lang;
use crate::platform::secrets::Secrets;

pub mod api;
mod base32;
mod codes;
pub mod resealing;
mod store;
pub mod totp;

/// What apps show beside the person's email.
const ISSUER: &str = "Tostão";
const SECRET_BYTES: usize = 20;
const BACKUP_CODES: usize = 10;
/// How many wrong codes a person may type
const WRONG_MAX: i64 = 10;
/// in this time.
const WRONG_WINDOW: Duration = Duration::from_hours(24);
/// After how many of them the person gets a mail.
const WRONG_MAILED: i64 = 5;

/// A row of a second step.
#[derive(Debug)]
struct SecondStep {
    /// Sealed.
    secret: Vec<u8>,
    last_time_step: i64,
    wrong_codes: i64,
    wrong_since: Option<Timestamp>,
    confirmed_at: Option<Timestamp>,
    /// Where it began.
    session: Option<SessionId>,
}

/// What a person knows of their second step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SecondStepState {
    /// Since when it is needed; `None` while its first code was not typed.
    pub enabled_at: Option<Timestamp>,
    pub backup_codes_left: i64,
}

/// The secret of an authenticator app, shown to its person once.
pub struct Enrollment {
    /// In base32, to be typed.
    pub secret: String,
    /// The address that apps read from a QR code.
    pub url: String,
}

/// What was found of a person's code.
///
/// It is a value rather than an error, because the unit that found a wrong code counts it, and has
/// to be committed.
#[derive(Debug)]
pub enum Verification {
    /// The person has no second step.
    NotEnrolled,
    Accepted(CodeKind),
    Missing,
    Wrong,
    /// Too many were wrong.
    Paused(Duration),
    /// Too many were wrong in the session, which has ended.
    SessionEnded,
}

/// What a code that was accepted is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    App,
    Backup,
}

/// Which codes are good for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoodCodes {
    Any,
    OfApp,
}

/// Where a code is typed, and so where a wrong one counts.
#[derive(Debug, Clone, Copy)]
enum TypedIn<'a> {
    SignIn,
    Session(&'a Acting),
}

/// Proof that a person gave their second step, or has none. Nothing else starts a session.
#[derive(Debug, Clone, Copy)]
pub struct SecondStepPassed(Option<CodeKind>);

/// The state of a person's second step.
pub async fn state(tx: &Tx, person: PersonId) -> Result<Option<SecondStepState>> {
    store::state(tx, person).await
}

/// Makes a secret for a person's app; the second step begins with its first code, which is typed in
/// the same session.
pub async fn begin(
    tx: &Tx,
    secrets: &Secrets,
    Acting { who: (_, person), session, .. }: &Acting,
    email: &str,
) -> Result<Enrollment> {
    let secret: [u8; SECRET_BYTES] = tx.random();
    let sealed = secrets.seal(tx.random(), &aad(*person), &secret);
    if !store::begin(tx, (*person, *session), &sealed).await? {
        let message = "You have a second step already. Remove it to use another device.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let secret = base32::encode(&secret);
    Ok(Enrollment { url: address(&secret, email)?, secret })
}

/// The secret of a person's app that waits for its first code; `None` if none waits in the session.
pub async fn waiting(
    tx: &Tx,
    secrets: &Secrets,
    Acting { who: (_, person), session, .. }: &Acting,
    email: &str,
) -> Result<Option<Enrollment>> {
    let sealed = store::waiting(tx, (*person, *session)).await?;
    let Some(sealed) = sealed else { return Ok(None) };
    let secret = base32::encode(&opened(secrets, *person, &sealed)?);
    Ok(Some(Enrollment { url: address(&secret, email)?, secret }))
}

/// Turns the second step on with the first code of the app; returns the backup codes. Another
/// session than the one that began it has nothing to guess at.
///
/// Only the session that gave it stays elevated: the others gave a password alone, and so did the
/// open change of the person's address, which ends.
pub async fn confirm(
    tx: &Tx,
    (secrets, lang): (&Secrets, Lang),
    Acting { who: (merchant, person), session, by }: &Acting,
    code: &str,
) -> Result<Vec<BackupCode>> {
    let (merchant, person) = (*merchant, *person);
    let waits = |step: &SecondStep| step.confirmed_at.is_none() && step.session == Some(*session);
    let step = store::lock(tx, person).await?.filter(waits);
    let step = step.ok_or_else(|| {
        let message = "No second step waits for its first code in this session.";
        Error::refused(ErrorCode::InvalidStateTransition, message)
    })?;
    let fits = match TypedCode::parse(code) {
        Some(TypedCode::App(digits)) => step.time_step_of(tx, secrets, person, &digits)?,
        _ => None,
    };
    store::confirm(tx, person, fits.ok_or_else(wrong)?).await?;
    let codes = new_codes(tx, person).await?;
    sessions::lower_others(tx, person, *session).await?;
    email_changes::end_of(tx, person).await?;
    write(tx, person, lang, Content::TwoFactorEnabled).await?;
    audit::record(tx, by, Entry::new(Action::TwoFactorEnabled, merchant).on(person.0)).await?;
    Ok(codes)
}

/// Replaces all backup codes of a person who gives a code of the app: with one backup code that was
/// found, its finder gets no others.
///
/// The inner error is the refusal. A wrong code is counted, so the unit has to be committed.
pub async fn renew_backup_codes(
    tx: &Tx,
    how: (&Secrets, Lang),
    acting: &Acting,
    code: Option<&str>,
) -> Result<Result<Vec<BackupCode>>> {
    let ((merchant, person), lang) = (acting.who, how.1);
    let place = TypedIn::Session(acting);
    let verified = check(tx, how, person, code, GoodCodes::OfApp, place).await?;
    if let Err(refusal) = verified.proves() {
        return Ok(Err(refusal));
    }
    let codes = new_codes(tx, person).await?;
    write(tx, person, lang, Content::BackupCodesReplaced).await?;
    let entry = Entry::new(Action::BackupCodesReplaced, merchant).on(person.0);
    audit::record(tx, &acting.by, entry).await?;
    Ok(Ok(codes))
}

/// Removes the second step of a person who gave a code.
pub async fn remove(
    tx: &Tx,
    by: &ActorContext,
    (merchant, person): (MerchantId, PersonId),
    lang: Lang,
    _: SecondStepPassed,
) -> Result<()> {
    take_away(tx, person, lang).await?;
    audit::record(tx, by, Entry::new(Action::TwoFactorDisabled, merchant).on(person.0)).await
}

/// Verifies a person's code, and uses it up; counts a wrong one, so the unit has to be committed.
///
/// The password comes first: what this returns says whether the person has a second step.
pub async fn verify(
    tx: &Tx,
    how: (&Secrets, Lang),
    person: PersonId,
    code: Option<&str>,
) -> Result<Verification> {
    check(tx, how, person, code, GoodCodes::Any, TypedIn::SignIn).await
}

/// The same for a code that is typed in a session, which too many wrong ones end.
pub async fn verify_in_session(
    tx: &Tx,
    how: (&Secrets, Lang),
    acting: &Acting,
    code: Option<&str>,
) -> Result<Verification> {
    let (_, person) = acting.who;
    check(tx, how, person, code, GoodCodes::Any, TypedIn::Session(acting)).await
}

/// The same, where perhaps not every kind of code is good; the person gets a mail, in a language,
/// once several in a day were wrong.
async fn check(
    tx: &Tx,
    (secrets, lang): (&Secrets, Lang),
    person: PersonId,
    code: Option<&str>,
    good: GoodCodes,
    place: TypedIn<'_>,
) -> Result<Verification> {
    // Codes of one person are verified one after the other, so none is tried beyond the bound.
    let step = store::lock(tx, person).await?.filter(|step| step.confirmed_at.is_some());
    let Some(step) = step else { return Ok(Verification::NotEnrolled) };
    let Some(code) = code.filter(|code| !code.trim().is_empty()) else {
        return Ok(Verification::Missing);
    };
    // Requests at once are let in before one of them ends the session.
    if let TypedIn::Session(acting) = place
        && sessions::has_ended(tx, acting.session).await?
    {
        return Ok(Verification::SessionEnded);
    }
    let typed = TypedCode::parse(code);
    if let Some(TypedCode::Backup(hash)) = &typed
        && good == GoodCodes::Any
        && store::use_backup_code(tx, person, hash).await?
    {
        return Ok(Verification::Accepted(CodeKind::Backup));
    }
    if let Some(rest) = step.paused_for(tx.now()) {
        return Ok(Verification::Paused(rest));
    }
    if let Some(TypedCode::App(digits)) = &typed
        && let Some(time_step) = step.time_step_of(tx, secrets, person, digits)?
        && store::accept(tx, person, time_step).await?
    {
        return Ok(Verification::Accepted(CodeKind::App));
    }
    let (is_mailed, found) = match place {
        TypedIn::Session(acting) if sessions::count_wrong_code(tx, acting).await? => {
            (true, Verification::SessionEnded)
        }
        TypedIn::Session(_) => (false, Verification::Wrong),
        TypedIn::SignIn => {
            let codes = store::count_wrong(tx, person, tx.now().minus(WRONG_WINDOW)).await?;
            (codes == WRONG_MAILED, Verification::Wrong)
        }
    };
    if is_mailed {
        write(tx, person, lang, Content::TwoFactorRefused { codes: WRONG_MAILED }).await?;
    }
    Ok(found)
}

/// What lets a sign-in go on: verifies a code, which a person without a second step does not need.
///
/// A right password without a right code is recorded, because its person may not be the one who
/// typed it. The inner error is the refusal; the unit has to be committed in either case.
pub async fn pass(
    tx: &Tx,
    how: (&Secrets, Lang),
    context: &RequestContext,
    (merchant, person): (MerchantId, PersonId),
    code: Option<&str>,
) -> Result<Result<SecondStepPassed>> {
    let verified = verify(tx, how, person, code).await?;
    if let Some(lacks) = verified.lacks() {
        let by = ActorContext::request(Actor::Anonymous, context);
        let entry = Entry::new(Action::SignInPasswordOnly, merchant).on(person.0);
        audit::record(tx, &by, entry.with("code", lacks)).await?;
    }
    Ok(verified.admits())
}

/// Deletes the second step of a person, who gets a mail about it; false if they have none.
pub async fn take_away(tx: &Tx, person: PersonId, lang: Lang) -> Result<bool> {
    let is_gone = forget(tx, person).await?;
    if is_gone {
        write(tx, person, lang, Content::TwoFactorDisabled).await?;
    }
    Ok(is_gone)
}

/// Deletes the second step of a person; false if they have none.
pub async fn forget(tx: &Tx, person: PersonId) -> Result<bool> {
    store::delete_backup_codes(tx, person).await?;
    store::delete(tx, person).await
}

/// Deletes those of people who are gone.
pub async fn delete_without_person(tx: &Tx) -> Result<()> {
    store::delete_without_person(tx).await
}

async fn new_codes(tx: &Tx, person: PersonId) -> Result<Vec<BackupCode>> {
    store::delete_backup_codes(tx, person).await?;
    let mut codes = Vec::new();
    for _ in 0..BACKUP_CODES {
        let code = BackupCode::new(tx.random());
        store::insert_backup_code(tx, person, &code.hash()).await?;
        codes.push(code);
    }
    Ok(codes)
}

/// Writes a mail to a person about their second step.
async fn write(tx: &Tx, person: PersonId, lang: Lang, content: Content) -> Result<()> {
    let to = people::find(tx, person).await?.email;
    mail::write_to_person(tx, person, NewMail { to: &to, lang, content, link: None }).await
}

/// The address of a secret, as authenticator apps agree on it.
fn address(secret: &str, email: &str) -> Result<String> {
    let internal = |message: &str| Error::Internal(anyhow!("{message}"));
    let mut url = Url::parse("otpauth://totp").map_err(|error| Error::Internal(error.into()))?;
    let mut path = url.path_segments_mut().map_err(|()| internal("the address has no path"))?;
    path.push(&format!("{ISSUER}:{email}"));
    drop(path);
    let (digits, period) = (totp::DIGITS.to_string(), totp::PERIOD_SECONDS.to_string());
    url.query_pairs_mut()
        .append_pair("secret", secret)
        .append_pair("issuer", ISSUER)
        .append_pair("algorithm", "SHA1")
        .append_pair("digits", &digits)
        .append_pair("period", &period);
    Ok(url.into())
}

fn opened(secrets: &Secrets, person: PersonId, sealed: &[u8]) -> Result<Vec<u8>> {
    let secret = secrets.open(&aad(person), sealed);
    Ok(secret.ok_or_else(|| {
        anyhow!("neither secret of this server opens the second step of {person}")
    })?)
}

fn aad(person: PersonId) -> Vec<u8> {
    [b"second step ", &person.0.as_bytes()[..]].concat()
}

fn wrong() -> Error {
    let message = "The code is wrong, was used already, or is too old.";
    Error::refused(ErrorCode::TwoFactorCodeInvalid, message)
}

fn not_enrolled() -> Error {
    Error::refused(ErrorCode::InvalidStateTransition, "You have no second step.")
}

impl SecondStep {
    /// The time step of a code of the app; `None` if it is wrong or was used.
    fn time_step_of(
        &self,
        tx: &Tx,
        secrets: &Secrets,
        person: PersonId,
        digits: &str,
    ) -> Result<Option<i64>> {
        let secret = opened(secrets, person, &self.secret)?;
        Ok(totp::accepted_step(&secret, digits, tx.now(), self.last_time_step))
    }

    /// For how long no code of the app is accepted, after too many wrong ones.
    fn paused_for(&self, now: Timestamp) -> Option<Duration> {
        let ends = self.wrong_since?.plus(WRONG_WINDOW);
        (self.wrong_codes >= WRONG_MAX && ends > now).then(|| ends.since(now))
    }
}

impl Verification {
    /// Whether a sign-in goes on: with a code, or of a person who needs none.
    pub fn admits(self) -> Result<SecondStepPassed> {
        match self {
            Self::NotEnrolled => Ok(SecondStepPassed(None)),
            other => other.proves(),
        }
    }

    /// What a sign-in lacks that cannot go on, for the audit log.
    fn lacks(&self) -> Option<&'static str> {
        match self {
            Self::NotEnrolled | Self::Accepted(_) => None,
            Self::Missing => Some("missing"),
            Self::Wrong | Self::SessionEnded => Some("wrong"),
            Self::Paused(_) => Some("paused"),
        }
    }

    /// Whether a code was given that is right.
    pub fn proves(self) -> Result<SecondStepPassed> {
        match self {
            Self::Accepted(kind) => Ok(SecondStepPassed(Some(kind))),
            Self::NotEnrolled => Err(not_enrolled()),
            Self::Missing => {
                let message = "Send `code`, too: one of your authenticator app, or a backup code.";
                Err(Error::refused(ErrorCode::TwoFactorRequired, message))
            }
            Self::Wrong => Err(wrong()),
            Self::SessionEnded => {
                let message = "Too many codes were wrong, so the session has ended. Sign in again.";
                Err(Error::refused(ErrorCode::Unauthorized, message))
            }
            Self::Paused(rest) => Err(Error::TooMany {
                retry_after_seconds: rest.as_secs().max(1),
                limit: u64::try_from(WRONG_MAX).ok(),
            }),
        }
    }
}

impl SecondStepPassed {
    /// What the code was of, for the audit log; `None` of a person without a second step.
    pub fn name(self) -> Option<&'static str> {
        self.0.map(|kind| match kind {
            CodeKind::App => "app",
            CodeKind::Backup => "backup_code",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_address_of_a_secret_names_the_issuer_and_the_person() {
        let url = address("JBSWY3DPEHPK3PXP", "fulano+loja@example.com").expect("is made");
        let expected = "otpauth://totp/Tost%C3%A3o:fulano+loja@example.com?\
                        secret=JBSWY3DPEHPK3PXP&issuer=Tost%C3%A3o&algorithm=SHA1&digits=6&\
                        period=30";
        assert_eq!(url, expected);
    }
}
